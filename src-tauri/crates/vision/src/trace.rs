//! From pixels to facts: text by recognition, everything else by measuring.

pub mod emit;
pub mod facts;

mod assemble;
pub(crate) mod borders;
mod clean;
pub(crate) mod color;
mod density;
pub(crate) mod font;
mod gaps;
pub(crate) mod geometry;
mod layout;
pub(crate) mod mask;
mod ocr;
pub(crate) mod palette;
pub(crate) mod pictures;
pub(crate) mod regions;
mod shadows;
mod text;

use crate::raster::Raster;
use facts::Facts;
use font::Typefaces;
use geometry::Rect;
use ocr::{ReadLine, Reader};

/// Reads screenshots. Loading takes a moment and some 100 MB: make one and keep it.
pub struct Tracer {
    reader: Reader,
    faces: Typefaces,
}

impl Tracer {
    /// A tracer that uses all cores.
    pub fn new() -> Result<Self, TraceError> {
        Self::with_threads(std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
    }

    /// A tracer that reads text on a number of threads; at least one.
    pub fn with_threads(threads: usize) -> Result<Self, TraceError> {
        Ok(Self { reader: Reader::new(threads)?, faces: Typefaces::embedded()? })
    }

    /// Everything that can be measured in a screenshot. The same pixels give the same facts.
    pub fn trace(&self, raster: &Raster, watch: &mut Watch) -> Result<Facts, TraceError> {
        let lines = self.read(raster, watch)?;
        self.measure(raster, &lines, watch)
    }

    /// The first and longest part of a trace: where text is and what it says.
    pub fn read(&self, raster: &Raster, watch: &mut Watch) -> Result<TextLines, TraceError> {
        self.reader.lines(raster.pixels(), watch).map(TextLines)
    }

    /// The second part: everything that is measured once the text is known.
    pub fn measure(
        &self,
        raster: &Raster,
        lines: &TextLines,
        watch: &mut Watch,
    ) -> Result<Facts, TraceError> {
        watch.report(Stage::Measuring, 0, 3)?;
        let density::Paged { picture, lines, scale } = density::in_page_pixels(raster.pixels(), &lines.0);
        let picture = picture.as_ref();
        let texts = text::measured(picture, &lines);
        let texts = font::fitted(&self.faces, picture, texts);
        watch.report(Stage::Measuring, 1, 3)?;
        let inks = texts.iter().map(|(text, _)| (text.ink, text.plain_background()));
        let clean = clean::without_text(picture, inks);
        let regions = regions::regions(&clean);
        watch.report(Stage::Measuring, 2, 3)?;
        let mut boxes = borders::with_borders(&clean, regions.boxes);
        for painted in &mut boxes {
            painted.shadow = shadows::shadow(&clean, painted);
        }
        let boxes = shadows::without_strips(boxes);
        let inks: Vec<Rect> = texts.iter().map(|(text, _)| text.ink).collect();
        let detail = borders::without_pill_ends(regions.detail, &boxes);
        let (pictures, boxes) = pictures::pictures(&clean, &detail, boxes, &inks);
        let facts = assemble::facts(&self.faces, &clean, scale, texts, boxes, pictures);
        watch.report(Stage::Measuring, 3, 3)?;
        Ok(facts)
    }
}

/// Recognised lines of one picture; can be kept to measure it again without reading.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TextLines(Vec<ReadLine>);

impl TextLines {
    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no text was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a trace is busy with, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Looking for lines of text, tile by tile.
    Finding,
    /// Reading them, line by line.
    Reading,
    /// Fitting fonts, boxes and pictures.
    Measuring,
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// Steps done.
    pub done: usize,
    /// Steps in all.
    pub total: usize,
}

/// Who is told about progress and who may stop the work; both are called on the tracing thread.
pub struct Watch<'a> {
    progress: Option<&'a mut dyn FnMut(Progress)>,
    is_cancelled: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Watch<'a> {
    /// Nobody looks and nobody stops.
    pub fn silent() -> Self {
        Self { progress: None, is_cancelled: None }
    }

    /// Progress goes to `progress`; the work ends soon after `is_cancelled` says so.
    pub fn new(progress: &'a mut dyn FnMut(Progress), is_cancelled: &'a dyn Fn() -> bool) -> Self {
        Self { progress: Some(progress), is_cancelled: Some(is_cancelled) }
    }

    fn report(&mut self, stage: Stage, done: usize, total: usize) -> Result<(), TraceError> {
        self.check()?;
        if let Some(progress) = &mut self.progress {
            progress(Progress { stage, done, total });
        }
        Ok(())
    }

    fn check(&self) -> Result<(), TraceError> {
        match self.is_cancelled {
            Some(is_cancelled) if is_cancelled() => Err(TraceError::Cancelled),
            _ => Ok(()),
        }
    }
}

/// Why there is no trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The caller asked to stop.
    #[error("The trace was cancelled.")]
    Cancelled,
    /// A built-in model does not run here.
    #[error("The text reader failed ({reason}). Start Facsimile again; if it stays, install it anew.")]
    Model {
        /// The runtime's words.
        reason: String,
    },
    /// A built-in model answered in a shape nobody expects.
    #[error("The text reader answered in an unknown form. Install Facsimile anew.")]
    ModelShape,
    /// A built-in font cannot be read.
    #[error("A built-in font is damaged. Install Facsimile anew.")]
    Font,
}

impl TraceError {
    /// A stable word to branch on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Cancelled => "trace_cancelled",
            Self::Model { .. } => "trace_model_failed",
            Self::ModelShape => "trace_model_shape",
            Self::Font => "trace_font",
        }
    }

    fn model(source: &impl std::fmt::Display) -> Self {
        Self::Model { reason: source.to_string() }
    }
}
