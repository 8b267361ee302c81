//! What is on a page, in the field names every part of the program uses for it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::trace::facts::Facts;

/// Everything that is on a page. Lengths are pixels of the page, colours 0 to 255.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// Page width.
    pub width: f64,
    /// Page height.
    pub height: f64,
    /// Visible lines of text.
    pub texts: Vec<Line>,
    /// Painted boxes in painting order.
    #[serde(default)]
    pub boxes: Vec<PaintedBox>,
    /// Pictures that are not among the boxes.
    #[serde(default)]
    pub images: Vec<Picture>,
}

/// One line of text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What it says.
    pub text: String,
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
    /// Font size.
    pub fs: f64,
    /// Font weight, 100 to 900; 0 where it is not known.
    #[serde(default)]
    pub fw: u16,
    /// Text colour.
    pub color: [u8; 3],
    /// Opacity.
    #[serde(default = "opaque")]
    pub alpha: f64,
    /// The element it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// A CSS selector of that element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

/// A painted rectangle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaintedBox {
    /// Left edge, border included.
    pub x: f64,
    /// Top edge, border included.
    pub y: f64,
    /// Width, border included.
    pub w: f64,
    /// Height, border included.
    pub h: f64,
    /// Fill as red, green, blue and opacity (0 to 1); none for a mere outline.
    #[serde(default)]
    pub bg: Option<[f64; 4]>,
    /// Border widths: top, right, bottom, left.
    #[serde(default)]
    pub bw: [f64; 4],
    /// Border colour.
    #[serde(default)]
    pub bc: [u8; 3],
    /// Corner radius.
    #[serde(default)]
    pub r: f64,
    /// A picture.
    #[serde(default)]
    pub img: bool,
    /// Filled with a picture or a gradient.
    #[serde(default)]
    pub bgi: bool,
    /// Casts a shadow.
    #[serde(default)]
    pub sh: bool,
    /// The element it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// A CSS selector of that element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

/// A picture on a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
    /// A CSS selector of its element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

/// A rectangle on a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

fn opaque() -> f64 {
    1.0
}

impl From<&Facts> for Geometry {
    fn from(facts: &Facts) -> Self {
        let wide = f64::from;
        let texts = facts.texts.iter().map(|line| Line {
            text: line.text.clone(),
            x: wide(line.x),
            y: wide(line.y),
            w: wide(line.w),
            h: wide(line.h),
            fs: wide(line.fs),
            fw: line.fw,
            color: line.color,
            alpha: wide(line.alpha),
            tag: None,
            selector: None,
        });
        let boxes = facts.boxes.iter().map(|painted| PaintedBox {
            x: wide(painted.x),
            y: wide(painted.y),
            w: wide(painted.w),
            h: wide(painted.h),
            bg: painted.bg.map(|fill| fill.map(wide)),
            bw: painted.bw.map(wide),
            bc: painted.bc,
            r: wide(painted.r),
            img: painted.img,
            bgi: painted.bgi,
            sh: painted.sh,
            tag: None,
            selector: None,
        });
        let images = facts.images.iter().map(|image| Picture {
            x: wide(image.x),
            y: wide(image.y),
            w: wide(image.w),
            h: wide(image.h),
            selector: None,
        });
        Self {
            width: f64::from(facts.width),
            height: f64::from(facts.height),
            texts: texts.collect(),
            boxes: boxes.collect(),
            images: images.collect(),
        }
    }
}

impl Area {
    /// Right edge.
    pub fn right(self) -> f64 {
        self.x + self.w
    }

    /// Bottom edge.
    pub fn bottom(self) -> f64 {
        self.y + self.h
    }

    pub(crate) fn size(self) -> f64 {
        self.w.max(0.0) * self.h.max(0.0)
    }

    pub(crate) fn center(self) -> (f64, f64) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    pub(crate) fn from_edges(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self { x: left, y: top, w: right - left, h: bottom - top }
    }

    /// The smallest rectangle around both.
    pub(crate) fn united(self, other: Self) -> Self {
        Self::from_edges(
            self.x.min(other.x),
            self.y.min(other.y),
            self.right().max(other.right()),
            self.bottom().max(other.bottom()),
        )
    }

    /// The shared part's size.
    pub(crate) fn shared(self, other: Self) -> f64 {
        let across = self.right().min(other.right()) - self.x.max(other.x);
        let down = self.bottom().min(other.bottom()) - self.y.max(other.y);
        across.max(0.0) * down.max(0.0)
    }

    /// Whether `other` lies inside, give or take `slack` pixels a side.
    pub(crate) fn holds(self, other: Self, slack: f64) -> bool {
        other.x >= self.x - slack
            && other.y >= self.y - slack
            && other.right() <= self.right() + slack
            && other.bottom() <= self.bottom() + slack
    }
}

macro_rules! placed {
    ($($noun:ty),*) => {$(
        impl $noun {
            /// Where it stands.
            pub fn area(&self) -> Area {
                Area { x: self.x, y: self.y, w: self.w, h: self.h }
            }
        }
    )*};
}
placed!(Line, PaintedBox, Picture);

/// No page is larger, and products of such numbers are still numbers.
const FARTHEST: f64 = 1e6;

fn bounded(number: f64) -> f64 {
    if number.is_finite() { number.clamp(-FARTHEST, FARTHEST) } else { 0.0 }
}

impl Geometry {
    /// The same with numbers that can be reckoned with: a page may claim any.
    pub(crate) fn bounded(&self) -> Cow<'_, Self> {
        let lines = self.texts.iter().flat_map(|line| [line.x, line.y, line.w, line.h, line.fs, line.alpha]);
        let boxes = self.boxes.iter().flat_map(|painted| {
            let PaintedBox { x, y, w, h, r, .. } = *painted;
            [x, y, w, h, r].into_iter().chain(painted.bw).chain(painted.bg.unwrap_or_default())
        });
        let images = self.images.iter().flat_map(|image| [image.x, image.y, image.w, image.h]);
        let mut all = lines.chain(boxes).chain(images).chain([self.width, self.height]);
        if all.all(|number| number == bounded(number)) {
            return Cow::Borrowed(self);
        }
        let mut geometry = self.clone();
        let tame =
            |numbers: &mut [&mut f64]| numbers.iter_mut().for_each(|number| **number = bounded(**number));
        tame(&mut [&mut geometry.width, &mut geometry.height]);
        for Line { x, y, w, h, fs, alpha, .. } in &mut geometry.texts {
            tame(&mut [x, y, w, h, fs, alpha]);
        }
        for PaintedBox { x, y, w, h, r, bw, bg, .. } in &mut geometry.boxes {
            tame(&mut [x, y, w, h, r]);
            bw.iter_mut().chain(bg.iter_mut().flatten()).for_each(|number| *number = bounded(*number));
        }
        for Picture { x, y, w, h, .. } in &mut geometry.images {
            tame(&mut [x, y, w, h]);
        }
        Cow::Owned(geometry)
    }

    pub(crate) fn area(&self) -> Area {
        Area { x: 0.0, y: 0.0, w: self.width, h: self.height }
    }
}
