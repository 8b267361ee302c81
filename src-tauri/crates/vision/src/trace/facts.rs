//! What was measured in a screenshot: one JSON object for layout, for language models and for the meter.

use serde::{Deserialize, Serialize};

/// Everything measured in one screenshot. Lengths are pixels of the page, colours 0–255.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Page width.
    pub width: u32,
    /// Page height.
    pub height: u32,
    /// Screenshot pixels per page pixel: 1, or 2 for high-density screenshots.
    pub scale: u32,
    /// The page's own background colour.
    pub background: [u8; 3],
    /// Text lines, top to bottom.
    pub texts: Vec<TextFact>,
    /// Painted boxes in painting order: what lies below comes first.
    pub boxes: Vec<BoxFact>,
    /// Commonest colours, largest share first.
    pub palette: Vec<Swatch>,
    /// Parts that are neither text nor plain boxes.
    pub images: Vec<ImageFact>,
    /// Distances that recur.
    pub gaps: Gaps,
}

/// One line of text. The box is the line's content area: pen start to pen end, ascent to descent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextFact {
    /// What it says.
    pub text: String,
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
    /// Font size.
    pub fs: f32,
    /// Font weight, 400 to 700.
    pub fw: u16,
    /// Italic.
    pub it: bool,
    /// Font family as a CSS list.
    pub ff: String,
    /// Text colour.
    pub color: [u8; 3],
    /// Opacity; colours are measured as painted, so it is 1.
    pub alpha: f32,
    /// How the line stands to its neighbours or its box.
    pub align: Align,
    /// Baseline.
    pub base: f32,
    /// Letter spacing, 0 for none.
    pub ls: f32,
    /// Colour behind the text; none over pictures.
    pub bg: Option<[u8; 3]>,
    /// Tight box of the painted pixels: x, y, width, height.
    pub ink: [i32; 4],
    /// Stretches in other colours than `color`, such as links in a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<ColorRun>,
}

/// A stretch of a line in a colour of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColorRun {
    /// First character, counted from 0.
    pub from: usize,
    /// One past the last character.
    pub to: usize,
    /// Its colour.
    pub color: [u8; 3],
}

/// Horizontal alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Align {
    /// At the left edge.
    Left,
    /// In the middle.
    Center,
    /// At the right edge.
    Right,
}

/// A painted rectangle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoxFact {
    /// Left edge, border included.
    pub x: f32,
    /// Top edge, border included.
    pub y: f32,
    /// Width, border included.
    pub w: f32,
    /// Height, border included.
    pub h: f32,
    /// Fill as red, green, blue and opacity (0 to 1); none for a mere outline.
    pub bg: Option<[f32; 4]>,
    /// Border widths: top, right, bottom, left.
    pub bw: [f32; 4],
    /// Border colour.
    pub bc: [u8; 3],
    /// Corner radius.
    pub r: f32,
    /// Always false: pictures are in `images`.
    pub img: bool,
    /// Filled with a gradient.
    pub bgi: bool,
    /// Casts a shadow.
    pub sh: bool,
    /// The gradient, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gradient: Option<Gradient>,
    /// The shadow, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<Shadow>,
}

/// A linear gradient in CSS terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gradient {
    /// Direction in degrees, 180 is downwards.
    pub angle: f32,
    /// Colours from start to end, at least two.
    pub stops: Vec<GradientStop>,
}

/// A colour of a gradient and where it is reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientStop {
    /// Share of the way, 0 to 1.
    pub at: f32,
    /// The colour there.
    pub color: [u8; 3],
}

/// A box shadow in CSS terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shadow {
    /// Offset downwards.
    pub y: f32,
    /// Blur radius.
    pub blur: f32,
    /// Opacity of its black.
    pub alpha: f32,
}

/// A colour and how much of the page it covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swatch {
    /// The colour.
    pub color: [u8; 3],
    /// The same as `#rrggbb`.
    pub hex: String,
    /// Share of all pixels, 0 to 1.
    pub share: f32,
}

/// A part of the screenshot to be kept as a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageFact {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
    /// What it looks like.
    pub kind: ImageKind,
}

/// What a picture looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageKind {
    /// Small and of few colours.
    Icon,
    /// Many colours.
    Photo,
    /// Anything between: charts, logos, illustrations.
    Graphic,
}

/// Recurring distances between neighbours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gaps {
    /// Downwards.
    pub vertical: Vec<Gap>,
    /// Sideways.
    pub horizontal: Vec<Gap>,
}

/// A distance and how often it occurs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// The distance.
    pub px: f32,
    /// Occurrences.
    pub count: u32,
}
