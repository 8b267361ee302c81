//! What tools need from other rooms. The studio implements the ports; a tool whose port is missing is not offered.
//!
//! Every port takes and gives plain values, so that a tool can be tested without the room behind it. What a port cannot
//! do it tells as a [`ToolFailure`], in words for the model. Slow work comes as a future that stops when it is dropped.

mod media;
mod orders;
mod tasks;

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
pub use media::{ImageOrigin, NoSuchImage, VisibleImage, VisibleMedia};
pub use orders::{CutOutOrder, EditOrder, GenerateOrder, WishedPicture};
pub use tasks::{PieceState, TaskBoard, TaskNews, TaskOrder, TaskPiece, TaskStage, TaskStanding};

use crate::checks::{Checks, PageFindings};
use crate::ids::AssetId;
use crate::message::ImageBytes;
use crate::project::{ProjectFiles, ProjectPath};
use crate::tool::ToolFailure;

/// The ports of a run. One that is missing takes its tools with it.
#[derive(Clone, Default)]
pub struct Ports {
    /// Keeps pictures as files of the project.
    pub shelf: Option<Arc<dyn AssetShelf>>,
    /// Has long jobs done beside the conversation.
    pub tasks: Option<Arc<dyn TaskBoard>>,
    /// Finds pictures in a screenshot and cuts them out.
    pub segmenter: Option<Arc<dyn Segmenter>>,
    /// Finds by sight what words describe; needs a model that sees.
    pub box_finder: Option<Arc<dyn BoxFinder>>,
    /// Takes pictures of pages.
    pub camera: Option<Arc<dyn PreviewCamera>>,
    /// Looks a page over.
    pub page_check: Option<Arc<dyn PageCheck>>,
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let there = [
            ("shelf", self.shelf.is_some()),
            ("tasks", self.tasks.is_some()),
            ("segmenter", self.segmenter.is_some()),
            ("box_finder", self.box_finder.is_some()),
            ("camera", self.camera.is_some()),
            ("page_check", self.page_check.is_some()),
        ];
        f.debug_set().entries(there.iter().filter(|(_, is)| *is).map(|(name, _)| name)).finish()
    }
}

/// A picture as it stands among the files of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAsset {
    /// Its content's name.
    pub id: AssetId,
    /// Where pages find it, such as `assets/0123456789abcdef.png`.
    pub path: ProjectPath,
}

/// Keeps pictures as files of the project: the same bytes once, under a name made of their content.
pub trait AssetShelf: Send + Sync {
    /// Keeps encoded bytes of this type. The label is what the designer reads.
    fn keep(
        &self,
        label: &str,
        mime: &str,
        bytes: Arc<[u8]>,
    ) -> BoxFuture<'_, Result<KeptAsset, ToolFailure>>;
}

/// A rectangle of an upright picture in thousandths of its height and width: `[ymin, xmin, ymax, xmax]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxInThousandths(pub [f64; 4]);

/// A rectangle of an upright picture in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct BoxPx {
    /// From the left edge.
    pub x: u32,
    /// From the top edge.
    pub y: u32,
    /// Its width, at least 1.
    pub width: u32,
    /// Its height, at least 1.
    pub height: u32,
}

/// Something in a screenshot that looks like a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Where.
    pub place: BoxPx,
    /// What it looks like, such as `photo` or `icon`.
    pub kind: &'static str,
}

/// A picture cut out of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cutting {
    /// Where it stood.
    pub place: BoxPx,
    /// The PNG, with alpha where the ground was flat.
    pub png: Arc<[u8]>,
    /// Whether parts of it can be seen through.
    pub has_alpha: bool,
}

/// Finds pictures in a screenshot and cuts them out, on this machine.
pub trait Segmenter: Send + Sync {
    /// What looks like a picture, in reading order.
    fn candidates(&self, image: &VisibleImage) -> BoxFuture<'_, Result<Vec<Candidate>, ToolFailure>>;

    /// What stands in each rough box, its edges found, in their order; `None` where nothing does.
    fn cut(
        &self,
        image: &VisibleImage,
        rough: Vec<BoxInThousandths>,
    ) -> BoxFuture<'_, Result<Vec<Option<Cutting>>, ToolFailure>>;
}

/// Finds by sight what words describe.
pub trait BoxFinder: Send + Sync {
    /// A box for each description, in their order; `None` where it sees no such thing.
    fn find(
        &self,
        image: &VisibleImage,
        descriptions: &[String],
    ) -> BoxFuture<'_, Result<Vec<Option<BoxInThousandths>>, ToolFailure>>;
}

/// A picture of a whole page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagePicture {
    /// The PNG.
    pub png: Arc<[u8]>,
    /// Its width.
    pub width_px: u32,
    /// Its height.
    pub height_px: u32,
    /// The same as models can look at it: one part or several, from the top.
    pub parts: Vec<ImageBytes>,
    /// Something to know about it, such as that it ends before the page.
    pub notice: Option<String>,
}

/// Takes pictures of pages, as isolated as the preview.
pub trait PreviewCamera: Send + Sync {
    /// The page among these files, at this width, from top to bottom.
    fn picture(
        &self,
        files: ProjectFiles,
        page: ProjectPath,
        width_px: u32,
    ) -> BoxFuture<'_, Result<PagePicture, ToolFailure>>;
}

/// Looks a page over.
pub trait PageCheck: Send + Sync {
    /// What these checks find wrong with the page among these files.
    fn check(
        &self,
        files: ProjectFiles,
        page: ProjectPath,
        checks: Checks,
    ) -> BoxFuture<'_, Result<PageFindings, ToolFailure>>;
}
