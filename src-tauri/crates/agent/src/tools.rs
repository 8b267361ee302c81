//! The tools, one file each. A new one is a new file and a line in [`registry`].

mod append_file;
mod create_file;
mod edit_file;
mod list_files;
mod read_file;
mod search_files;
mod think;

pub use append_file::AppendFile;
pub use create_file::CreateFile;
pub use edit_file::{EditFile, OneEdit};
pub use list_files::ListFiles;
pub use read_file::ReadFile;
pub use search_files::SearchFiles;
pub use think::Think;

use serde_json::json;

use crate::project::{ProjectFiles, ProjectPath};
use crate::tool::{DuplicateTool, ToolContext, ToolFailure, ToolRegistry};

/// Every tool of the program.
pub fn registry() -> Result<ToolRegistry, DuplicateTool> {
    ToolRegistry::new()
        .with(CreateFile)?
        .with(EditFile)?
        .with(ReadFile)?
        .with(ListFiles)?
        .with(SearchFiles)?
        .with(Think)?
        .with(AppendFile)
}

/// The path of a call as the project spells it, `index.html` where the model named none.
fn path_or_index(path: Option<&str>, cx: &ToolContext) -> Result<ProjectPath, ToolFailure> {
    let path = match path {
        None | Some("") => Ok(ProjectPath::index()),
        Some(path) => ProjectPath::parse(path),
    };
    path.and_then(|path| cx.files.settled(path)).map_err(|refused| ToolFailure::new(refused.to_string()))
}

/// Says that a file is not there and which are.
fn no_such_file(path: &ProjectPath, cx: &ToolContext) -> ToolFailure {
    let files: Vec<_> = cx.files.iter().map(|(path, _)| path.as_str()).collect();
    ToolFailure::new(format!("there is no file {path}")).with_detail(json!({ "files": files }))
}

/// The files below a folder; all of them where none is named.
fn files_below<'a>(
    files: &'a ProjectFiles,
    dir: Option<&str>,
) -> impl Iterator<Item = (&'a ProjectPath, &'a str)> {
    let dir = dir.unwrap_or_default().trim_start_matches("./").trim_matches('/').to_owned();
    files.iter().filter(move |(path, _)| {
        let is_below = || path.as_str().strip_prefix(&dir).is_some_and(|rest| rest.starts_with('/'));
        dir.is_empty() || dir == "." || is_below()
    })
}
