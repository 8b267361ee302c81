//! How the children of a row stand from top to bottom.

use super::flow::UNSEEN_PX;
use crate::trace::layout::{Area, Block};

/// Where most children of a row stand.
pub(super) struct Stand {
    pub(super) upright: Upright,
    /// The upper edge and the height of those.
    pub(super) top: f32,
    pub(super) height: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Upright {
    Full,
    Middle,
    Top,
    Bottom,
}

// Halves of pixels are rounded either way.
const SAME_PX: f32 = 0.6;
// What stands otherwise may reach beyond the row by this much.
const MOST_BEYOND_PX: f32 = 6.0;
// Children are compared with each other.
const MOST_COMPARED: usize = 200;

impl Upright {
    pub(super) fn css(self) -> Option<&'static str> {
        match self {
            Self::Full => None,
            Self::Middle => Some("center"),
            Self::Top => Some("flex-start"),
            Self::Bottom => Some("flex-end"),
        }
    }

    fn line(self, area: Area) -> f32 {
        match self {
            Self::Full | Self::Top => area.y,
            Self::Middle => area.y + area.h / 2.0,
            Self::Bottom => area.bottom(),
        }
    }
}

impl Stand {
    pub(super) fn of(children: &[Block]) -> Self {
        let (top, bottom) = children.iter().fold((f32::MAX, f32::MIN), |(top, bottom), child| {
            (top.min(child.area.y), bottom.max(child.area.bottom()))
        });
        let whole = |upright| Self { upright, top, height: bottom - top };
        if children.iter().all(|child| whole(Upright::Full).fits(child.area)) {
            return whole(Upright::Full);
        }
        let best = [Upright::Middle, Upright::Top, Upright::Bottom]
            .into_iter()
            .filter_map(|upright| Self::along(upright, children))
            .filter(|(_, stand)| {
                stand.top - top <= MOST_BEYOND_PX && bottom - stand.top - stand.height <= MOST_BEYOND_PX
            })
            .rev()
            .max_by_key(|(count, _)| *count);
        match best {
            Some((count, stand)) if count > 1 => stand,
            _ => whole(Upright::Top),
        }
    }

    /// The line that most children share, how many do, and where these stand.
    fn along(upright: Upright, children: &[Block]) -> Option<(usize, Self)> {
        let line = |child: &Block| upright.line(child.area);
        let on = |at: f32| children.iter().filter(move |child| (line(child) - at).abs() <= SAME_PX);
        let compared = children.iter().take(MOST_COMPARED);
        let (count, at) = compared
            .map(|child| (on(line(child)).count(), line(child)))
            .max_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)))?;
        let height = on(at).map(|child| child.area.h).fold(0.0, f32::max);
        let top = match upright {
            Upright::Full | Upright::Top => at,
            Upright::Middle => at - height / 2.0,
            Upright::Bottom => at - height,
        };
        Some((count, Self { upright, top, height }))
    }

    /// Whether a child stands as most do.
    pub(super) fn fits(&self, area: Area) -> bool {
        let (above, below) = (area.y - self.top, self.top + self.height - area.bottom());
        match self.upright {
            Upright::Full => above.abs() <= UNSEEN_PX && below.abs() <= UNSEEN_PX,
            Upright::Middle => (above - below).abs() <= 2.0 * SAME_PX,
            Upright::Top => above.abs() <= UNSEEN_PX,
            Upright::Bottom => below.abs() <= UNSEEN_PX,
        }
    }
}
