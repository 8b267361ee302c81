//! The tools, one file each. A new one is a new file and a line in [`registry`].

mod append_file;
mod check_page;
mod create_file;
mod edit_file;
mod edit_image;
mod extract_assets;
mod generate_images;
pub(crate) mod jobs;
mod list_files;
mod naming;
mod read_file;
mod remove_background;
mod retrieve_option;
mod save_assets;
mod screenshot_preview;
mod search_files;
mod think;

pub use append_file::AppendFile;
pub use check_page::CheckPage;
pub use create_file::CreateFile;
pub use edit_file::{EditFile, OneEdit};
pub use edit_image::EditImage;
pub use extract_assets::ExtractAssets;
pub use generate_images::GenerateImages;
pub use list_files::ListFiles;
pub use read_file::ReadFile;
pub use remove_background::RemoveBackground;
pub use retrieve_option::RetrieveOption;
pub use save_assets::SaveAssets;
pub use screenshot_preview::ScreenshotPreview;
pub use search_files::SearchFiles;
pub use think::Think;

use serde_json::{Value, json};

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
        .with(AppendFile)?
        .with(RetrieveOption)?
        .with(SaveAssets)?
        .with(ExtractAssets)?
        .with(GenerateImages)?
        .with(EditImage)?
        .with(RemoveBackground)?
        .with(ScreenshotPreview)?
        .with(CheckPage)
}

/// The path of a call as the project spells it, `index.html` where the model named none.
fn path_or_index(path: Option<&str>, cx: &ToolContext) -> Result<ProjectPath, ToolFailure> {
    let path = match path {
        None | Some("") => Ok(ProjectPath::index()),
        Some(path) => ProjectPath::parse(path),
    };
    path.and_then(|path| cx.files.settled(path)).map_err(|refused| ToolFailure::new(refused.to_string()))
}

/// A picture as the window shows it beside a call.
fn artifact(path: &ProjectPath, label: &str, (width_px, height_px): (u32, u32)) -> Value {
    json!({ "kind": "image", "asset": path, "label": label, "width": width_px, "height": height_px })
}

/// Says that nobody does a tool's work. A tool whose port is missing is not offered, so this is hardly ever heard.
fn missing(tool: &str) -> ToolFailure {
    ToolFailure::new(format!("{tool} is not available now; go on without it"))
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
