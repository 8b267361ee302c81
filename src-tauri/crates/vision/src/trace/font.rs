//! The typefaces text is measured against, embedded so that results do not depend on the machine.

mod fit;
mod likeness;
mod outline;
mod place;
mod vote;

use std::sync::OnceLock;

use rustybuzz::ttf_parser::GlyphId;
use rustybuzz::{Direction, Face, ShapePlan, UnicodeBuffer, script, shape_with_plan};

use super::TraceError;
pub(crate) use fit::fitted;
use outline::Outline;
pub(crate) use outline::{Coverage, Placement};
pub(crate) use place::Fitted;

/// A family a page may be set in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Family {
    Arial,
    Roboto,
    Inter,
    OpenSans,
    NotoSans,
    Times,
    Mono,
    DejaVu,
    Condensed,
    CondensedLight,
}

impl Family {
    pub(crate) const ALL: [Self; 10] = [
        Self::Arial,
        Self::Roboto,
        Self::Inter,
        Self::OpenSans,
        Self::NotoSans,
        Self::Times,
        Self::Mono,
        Self::DejaVu,
        Self::Condensed,
        Self::CondensedLight,
    ];

    /// The family as a CSS list that ends in a generic name.
    pub(crate) fn css(self) -> &'static str {
        match self {
            Self::Arial => "Arial, \"Liberation Sans\", Helvetica, sans-serif",
            Self::Roboto => "Roboto, sans-serif",
            Self::Inter => "Inter, sans-serif",
            Self::OpenSans => "\"Open Sans\", sans-serif",
            Self::NotoSans => "\"Noto Sans\", sans-serif",
            Self::Times => "\"Times New Roman\", \"Liberation Serif\", serif",
            Self::Mono => "\"Liberation Mono\", Menlo, Consolas, monospace",
            Self::DejaVu => "\"DejaVu Sans\", Verdana, sans-serif",
            Self::Condensed => "\"Open Sans Condensed\", \"Arial Narrow\", sans-serif",
            Self::CondensedLight => "\"Open Sans Condensed Light\", \"Arial Narrow\", sans-serif",
        }
    }
}

macro_rules! faces {
    ($($family:ident $weight:literal $slant:ident $file:literal),* $(,)?) => {
        &[$(Source {
            family: Family::$family,
            weight: $weight,
            slant: Slant::$slant,
            bytes: include_bytes!(concat!("../../fonts/", $file)),
        }),*]
    };
}

static SOURCES: &[Source] = faces![
    Arial 400 Upright "liberation-sans-400.ttf",
    Arial 700 Upright "liberation-sans-700.ttf",
    Roboto 400 Upright "roboto-400.ttf",
    Roboto 500 Upright "roboto-500.ttf",
    Roboto 700 Upright "roboto-700.ttf",
    Inter 400 Upright "inter-400.otf",
    Inter 500 Upright "inter-500.otf",
    Inter 600 Upright "inter-600.otf",
    Inter 700 Upright "inter-700.otf",
    OpenSans 400 Upright "open-sans-400.ttf",
    OpenSans 600 Upright "open-sans-600.ttf",
    OpenSans 700 Upright "open-sans-700.ttf",
    NotoSans 400 Upright "noto-sans-400.ttf",
    NotoSans 700 Upright "noto-sans-700.ttf",
    Times 400 Upright "liberation-serif-400.ttf",
    Times 400 Italic "liberation-serif-400-italic.ttf",
    Times 700 Upright "liberation-serif-700.ttf",
    Mono 400 Upright "liberation-mono-400.ttf",
    Mono 700 Upright "liberation-mono-700.ttf",
    DejaVu 400 Upright "dejavu-sans-400.ttf",
    DejaVu 700 Upright "dejavu-sans-700.ttf",
    Condensed 700 Upright "open-sans-condensed-700.ttf",
    CondensedLight 300 Upright "open-sans-condensed-300.ttf",
];

struct Source {
    family: Family,
    weight: u16,
    slant: Slant,
    bytes: &'static [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slant {
    Upright,
    Italic,
}

/// One face: its metrics and, once asked for, its outlines. Lengths are in em.
pub(crate) struct Typeface {
    pub(crate) family: Family,
    pub(crate) weight: u16,
    pub(crate) slant: Slant,
    /// Height of the content area above the baseline.
    pub(crate) ascent: f32,
    /// Depth of the content area below the baseline, positive.
    pub(crate) descent: f32,
    face: Face<'static>,
    plan: ShapePlan,
    outlines: Vec<OnceLock<Outline>>,
}

/// A string set in a face at one em: where its glyphs stand and what they cover.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    glyphs: Vec<(u16, f32)>,
    /// Ink edges relative to the pen's start; y grows downwards from the baseline.
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
    /// Width the pen moves.
    pub(crate) advance: f32,
    /// Covered area in square em.
    pub(crate) area: f32,
}

impl Setting {
    pub(crate) fn width(&self) -> f32 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f32 {
        self.bottom - self.top
    }
}

/// The file of an upright face that comes with the program.
pub(crate) fn file(family: Family, weight: u16) -> Option<&'static [u8]> {
    source(family, weight).map(|source| source.bytes)
}

fn source(family: Family, weight: u16) -> Option<&'static Source> {
    let is_asked =
        |source: &&Source| (source.family, source.weight, source.slant) == (family, weight, Slant::Upright);
    SOURCES.iter().find(is_asked)
}

/// All embedded faces.
pub(crate) struct Typefaces {
    pub(crate) faces: Vec<Typeface>,
}

impl Typefaces {
    pub(crate) fn embedded() -> Result<Self, TraceError> {
        let faces: Option<Vec<Typeface>> = SOURCES.iter().map(Typeface::load).collect();
        faces.map(|faces| Self { faces }).ok_or(TraceError::Font)
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Typeface> {
        self.faces.get(index)
    }
}

impl Typeface {
    /// One upright face to draw with.
    pub(crate) fn embedded(family: Family, weight: u16) -> Option<Self> {
        source(family, weight).and_then(Self::load)
    }

    fn load(source: &Source) -> Option<Self> {
        let face = Face::from_slice(source.bytes, 0)?;
        let plan = ShapePlan::new(&face, Direction::LeftToRight, Some(script::LATIN), None, &[]);
        let em = face.units_per_em() as f32;
        let outlines = (0..face.number_of_glyphs()).map(|_| OnceLock::new()).collect();
        Some(Self {
            family: source.family,
            weight: source.weight,
            slant: source.slant,
            ascent: f32::from(face.ascender()) / em,
            descent: -f32::from(face.descender()) / em,
            face,
            plan,
            outlines,
        })
    }

    fn outline(&self, glyph: u16) -> Option<&Outline> {
        let slot = self.outlines.get(usize::from(glyph))?;
        Some(slot.get_or_init(|| Outline::of(&self.face, GlyphId(glyph))))
    }

    /// The string set in this face; `None` when it leaves no ink or misses a glyph.
    pub(crate) fn set(&self, text: &str) -> Option<Setting> {
        let em = self.face.units_per_em() as f32;
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.set_direction(Direction::LeftToRight);
        buffer.set_script(script::LATIN);
        let shaped = shape_with_plan(&self.face, &self.plan, buffer);
        let mut setting = Setting {
            glyphs: Vec::with_capacity(text.len()),
            left: f32::MAX,
            top: f32::MAX,
            right: f32::MIN,
            bottom: f32::MIN,
            advance: 0.0,
            area: 0.0,
        };
        for (info, position) in shaped.glyph_infos().iter().zip(shaped.glyph_positions()) {
            let glyph = u16::try_from(info.glyph_id).ok().filter(|&glyph| glyph != 0)?;
            let outline = self.outline(glyph)?;
            let x = setting.advance + position.x_offset as f32 / em;
            if outline.area > 0.0 {
                setting.left = setting.left.min(x + outline.left);
                setting.right = setting.right.max(x + outline.right);
                setting.top = setting.top.min(outline.top);
                setting.bottom = setting.bottom.max(outline.bottom);
                setting.area += outline.area;
                setting.glyphs.push((glyph, x));
            }
            setting.advance += position.x_advance as f32 / em;
        }
        (setting.width() > 0.0 && setting.height() > 0.0).then_some(setting)
    }

    /// What the string covers when drawn at a place and size.
    pub(crate) fn draw(&self, setting: &Setting, placement: Placement) -> Coverage {
        outline::draw(
            setting.glyphs.iter().filter_map(|&(glyph, x)| Some((self.outline(glyph)?, x))),
            setting,
            placement,
        )
    }
}
