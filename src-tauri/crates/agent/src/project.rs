//! The files of one variant: paths that cannot escape and the texts they name.




mod path;

use std::collections::BTreeMap;

pub use path::{PathRefused, ProjectPath};

/// The text files of a project, by path. Pictures and fonts live in the asset store and are named by hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFiles {
    files: BTreeMap<ProjectPath, String>,
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
        self.files.get(path).map(String::as_str)
    }

    /// Puts a file in place, whole.
    pub fn write(&mut self, path: ProjectPath, text: String) {
        self.files.insert(path, text);
    }

    /// Every file in path order.
    pub fn iter(&self) -> impl Iterator<Item = (&ProjectPath, &str)> {
        self.files.iter().map(|(path, text)| (path, text.as_str()))
    }

    /// Whether there is no file at all.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// The page to show: `index.html`, else the first HTML file, else the first file.
    pub fn main_page(&self) -> Option<(&ProjectPath, &str)> {
        let entry = ProjectPath::index();
        self.files
            .get_key_value(&entry)
            .or_else(|| self.files.iter().find(|(path, _)| path.extension() == Some("html")))
            .or_else(|| self.files.iter().next())
            .map(|(path, text)| (path, text.as_str()))
    }
}

impl FromIterator<(ProjectPath, String)> for ProjectFiles {
    fn from_iter<I: IntoIterator<Item = (ProjectPath, String)>>(files: I) -> Self {
        Self { files: files.into_iter().collect() }
    }
}
