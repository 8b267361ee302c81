//! The tools, one file each. A new one is a new file and a line in [`registry`].

mod create_file;
mod edit_file;
mod list_files;
mod read_file;

pub use create_file::CreateFile;
pub use edit_file::{EditFile, OneEdit};
pub use list_files::ListFiles;
pub use read_file::ReadFile;

use crate::project::ProjectPath;
use crate::tool::{DuplicateTool, ToolFailure, ToolRegistry};

/// Every tool of the program.
pub fn registry() -> Result<ToolRegistry, DuplicateTool> {
    ToolRegistry::new().with(CreateFile)?.with(EditFile)?.with(ReadFile)?.with(ListFiles)
}

/// The path of a call, `index.html` where the model named none.
fn path_or_index(path: Option<&str>) -> Result<ProjectPath, ToolFailure> {
    match path {
        None | Some("") => Ok(ProjectPath::index()),
        Some(path) => ProjectPath::parse(path).map_err(|refused| ToolFailure::new(refused.to_string())),
    }
}
