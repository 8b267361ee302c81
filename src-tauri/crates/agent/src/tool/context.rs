//! What tools work on.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::ids::VariantIndex;
use crate::ports::{ImageOrigin, Ports, VisibleMedia};
use crate::project::{ProjectFiles, ProjectPath};
use crate::spend::SpendCap;

/// What a run can do, which decides the tools it is offered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Capabilities {
    /// Whether the turn may change nothing.
    pub is_read_only: bool,
    /// Whether a truncated file is being continued.
    pub is_continuation: bool,
    /// Whether other variants of the turn's parent can be looked at.
    pub has_options: bool,
    /// Whether the conversation has pictures of the designer's.
    pub has_uploads: bool,
    /// Whether the conversation has a picture that does not move.
    pub has_stills: bool,
    /// Whether pictures can be kept as files of the project.
    pub keeps_assets: bool,
    /// Whether pictures can be cut out of others.
    pub cuts_pictures: bool,
    /// How new pictures are made; `None` where the settings say no, or nobody does such work.
    pub generation: Option<Making>,
    /// How pictures are changed.
    pub editing: Option<Making>,
    /// How backgrounds are removed.
    pub cutting_out: Option<Making>,
    /// Whether pages can be photographed.
    pub takes_pictures: bool,
    /// Whether pages can be looked over.
    pub checks_pages: bool,
}

/// Who makes a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Making {
    /// This machine, for nothing; what it generates are placeholders.
    Local,
    /// A service, with the designer's key.
    Service {
        /// What one picture costs; `None` where nobody knows.
        usd_each: Option<f64>,
    },
}

impl Capabilities {
    /// Adds what ports, pictures and options make possible.
    pub fn with(mut self, ports: &Ports, media: &VisibleMedia, options: &[OptionFiles]) -> Self {
        self.has_options = !options.is_empty();
        self.has_stills = media.numbered().any(|(_, image)| !image.is_animated);
        self.has_uploads = media.numbered().any(|(_, image)| image.origin == ImageOrigin::Uploaded);
        self.keeps_assets = ports.shelf.is_some();
        self.cuts_pictures = ports.shelf.is_some() && ports.segmenter.is_some();
        self.takes_pictures = ports.camera.is_some();
        self.checks_pages = ports.page_check.is_some();
        if ports.tasks.is_none() {
            (self.generation, self.editing, self.cutting_out) = (None, None, None);
        }
        self
    }
}

/// Another variant of the turn's parent, to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionFiles {
    /// Its number as the designer sees it, counted from 1.
    pub number: u32,
    /// What it was made with.
    pub engine: String,
    /// Its files.
    pub files: ProjectFiles,
}

/// The state of one variant that tools read and change.
#[derive(Debug)]
pub struct ToolContext {
    /// Which variant of its run this is.
    pub variant: VariantIndex,
    /// The project's text files.
    pub files: ProjectFiles,
    /// Says that the variant is to stop.
    pub cancel: CancellationToken,
    /// What the run can do.
    pub capabilities: Capabilities,
    /// The files whose writing was cut by an output limit and is not finished.
    pub unfinished: Vec<ProjectPath>,
    /// Calls that were refused once with a warning; made again, they go through.
    pub warned: Vec<String>,
    /// The money of the run, shared by its variants.
    pub spend: SpendCap,
    /// The pictures of the conversation.
    pub media: VisibleMedia,
    /// The other variants that can be looked at.
    pub options: Arc<[OptionFiles]>,
    /// What other rooms do for the tools.
    pub ports: Ports,
}

impl ToolContext {
    /// A context over these files that is cancelled with the token. It may spend the usual amount, on its own.
    pub fn new(variant: VariantIndex, files: ProjectFiles, cancel: CancellationToken) -> Self {
        Self {
            variant,
            files,
            cancel,
            capabilities: Capabilities::default(),
            unfinished: Vec::new(),
            warned: Vec::new(),
            spend: SpendCap::default(),
            media: VisibleMedia::default(),
            options: Arc::default(),
            ports: Ports::default(),
        }
    }

    /// Shares this money with the other variants of the run.
    pub fn spending(mut self, spend: SpendCap) -> Self {
        self.spend = spend;
        self
    }

    /// Notes that a file is cut.
    pub fn leave_unfinished(&mut self, path: ProjectPath) {
        self.finish_file(&path);
        self.unfinished.push(path);
    }

    /// Whether a call is made for the first time; from then on it is known.
    pub fn warns_of(&mut self, call: String) -> bool {
        let is_new = !self.warned.contains(&call);
        if is_new {
            self.warned.push(call);
        }
        is_new
    }

    /// Notes that a file is whole.
    pub fn finish_file(&mut self, path: &ProjectPath) {
        self.unfinished.retain(|held| held != path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_board_for_tasks_no_picture_is_made() {
        let wished = Capabilities { generation: Some(Making::Local), ..Capabilities::default() };
        let found = wished.with(&Ports::default(), &VisibleMedia::default(), &[]);
        assert_eq!(found, Capabilities::default());
    }
}
