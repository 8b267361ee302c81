//! Icons of a list stand in slots of one size, as its designer made them: then all items look the same.

use super::{Area, Block, Content, Role};

// Icons in one slot differ in place and size by this much at most.
const SLOT_SLACK_PX: f32 = 9.0;
const ALIGNED_PX: f32 = 1.5;

/// Gives the icons of items that are built alike slots of one size.
pub(super) fn unify(items: &mut [Block]) {
    let most = items.iter().map(|item| item.children().len()).max().unwrap_or(0);
    for at in 0..most {
        let icons: Vec<(Area, f32)> = items.iter().filter_map(|item| slot(item, at)).collect();
        if icons.len() < 2 {
            continue;
        }
        let span = |of: &dyn Fn(Area) -> f32| {
            icons.iter().fold((f32::MAX, f32::MIN), |(least, most), (area, _)| {
                (least.min(of(*area)), most.max(of(*area)))
            })
        };
        let ((left, last_left), (first_right, right)) = (span(&|area| area.x), span(&Area::right));
        let (low, height) = span(&|area| area.h);
        let end = icons.iter().map(|(_, end)| *end).fold(f32::MAX, f32::min);
        let is_column = last_left - left <= SLOT_SLACK_PX && right - first_right <= SLOT_SLACK_PX;
        // Beside each other only their heights can be the same.
        if !is_column || right > end || height - low > SLOT_SLACK_PX {
            continue;
        }
        for item in items.iter_mut().filter(|item| slot(item, at).is_some()) {
            let own = item.area;
            if let Some(icon) = item.children_mut().get_mut(at) {
                let top = (icon.area.y + (icon.area.h - height) / 2.0).round().max(0.0);
                icon.area = Area { x: left, y: top, w: right - left, h: height };
            }
            let held = item.children().iter().map(|part| part.area).reduce(Area::union);
            if let (Some(held), true) = (held, item.skin == super::Skin::Bare) {
                item.area = held.union(own);
            }
        }
    }
    align(items);
}

/// The icon at a place in a row, and where what follows it begins.
fn slot(item: &Block, at: usize) -> Option<(Area, f32)> {
    let Content::Row(parts) = &item.content else { return None };
    let icon = parts.get(at).filter(|part| part.role == Role::Icon)?;
    let end = parts.get(at + 1).map_or(item.area.right(), |next| next.area.x);
    Some((icon.area, end.max(icon.area.right())))
}

/// Items below each other begin at one line when they nearly do.
fn align(items: &mut [Block]) {
    let lefts: Vec<f32> =
        items.iter().filter(|item| item.skin == super::Skin::Bare).map(|item| item.area.x).collect();
    let Some(left) = lefts.iter().copied().reduce(f32::min) else { return };
    for item in items.iter_mut().filter(|item| item.skin == super::Skin::Bare) {
        if (item.area.x - left).abs() <= ALIGNED_PX {
            item.area = Area::from_edges(left, item.area.y, item.area.right(), item.area.bottom());
        }
    }
}
