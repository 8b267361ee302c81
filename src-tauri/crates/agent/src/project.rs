//! The files of one variant: paths that cannot escape and the texts they name.

pub mod address;
pub mod diff;
pub mod edit;
pub mod html;
pub mod overlap;
mod path;
mod reading;
mod reference;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use path::{PathRefused, ProjectPath};

/// The text files of a project, by path. Pictures and fonts live in the asset store and are named by hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFiles {
    // Shared, because a set of files is copied before every tool call.
    files: BTreeMap<ProjectPath, Arc<str>>,
}

impl ProjectFiles {
    /// The largest text file a tool may write, in bytes.
    pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text of a file.
    pub fn read(&self, path: &ProjectPath) -> Option<&str> {
        self.files.get(path).map(AsRef::as_ref)
    }

    /// Puts a file in place, whole.
    pub fn write(&mut self, path: ProjectPath, text: String) {
        self.files.insert(path, text.into());
    }

    /// A path in the one spelling it has in this project, whatever case it was written in.
    pub fn settled(&self, path: ProjectPath) -> Result<ProjectPath, PathRefused> {
        if self.files.contains_key(&path) { Ok(path) } else { path.among(self.files.keys()) }
    }

    /// Every file in path order.
    pub fn iter(&self) -> impl Iterator<Item = (&ProjectPath, &str)> {
        self.files.iter().map(|(path, text)| (path, text.as_ref()))
    }

    /// Whether there is no file at all.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// The page to show: `index.html`, else the first page, else the first file.
    pub fn main_page(&self) -> Option<(&ProjectPath, &str)> {
        let entry = ProjectPath::index();
        self.files
            .get_key_value(&entry)
            .or_else(|| self.files.iter().find(|(path, _)| path.is_page()))
            .or_else(|| self.files.iter().next())
            .map(|(path, text)| (path, text.as_ref()))
    }
}

impl FromIterator<(ProjectPath, String)> for ProjectFiles {
    fn from_iter<I: IntoIterator<Item = (ProjectPath, String)>>(files: I) -> Self {
        Self { files: files.into_iter().map(|(path, text)| (path, text.into())).collect() }
    }
}
