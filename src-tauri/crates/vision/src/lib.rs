//! Sees: turns the bytes of a screenshot into a [`Raster`], a raster into measured [`Facts`] by a [`Tracer`],
//! and facts into an editable page with [`emit`]. Pure and synchronous, without network or files: weights and
//! measuring fonts are compiled in. `studio` calls it for inputs, for the offline engine and for grounding models.

pub mod cutting;
pub mod fidelity;
pub mod matte;
pub mod placeholder;
pub mod raster;
pub mod trace;

pub use raster::{ImageRefused, PictureFormat, Raster};
pub use trace::emit::{Layout, TracedAsset, TracedPage, emit};
pub use trace::facts::Facts;
pub use trace::{Progress, Stage, TextLines, TraceError, Tracer, Watch};
