//! The results of tasks as pages find them: the picture once it is there, a plain tile until then.

use facsimile_agent::ProjectId;
use facsimile_store::{HistoryStore, StoreError};

const PREFIX: &str = "assets/task-";
const EXTENSION: &str = ".png";

/// A light grey square of 8 px, so that a page has something to show where a picture will be.
const PLACEHOLDER: &[u8] = include_bytes!("placeholder.png");

/// The bytes at a result path of the project: the result, or a placeholder until it is there; `None` where no task of
/// the project has such a path.
pub(crate) fn result_at(
    store: &HistoryStore,
    project: ProjectId,
    path: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    if !path.starts_with(PREFIX) {
        return Ok(None);
    }
    match store.tasks().at_path(project, path)? {
        Some((_, Some(asset))) => store.assets().read(&asset).map(Some),
        Some((_, None)) => Ok(Some(PLACEHOLDER.to_vec())),
        None => Ok(None),
    }
}

/// Every `assets/task-<id>-<n>.png` in a text.
pub(crate) fn result_paths(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(PREFIX).filter_map(|(at, prefix)| {
        let name = text.get(at + prefix.len()..)?;
        let length = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
        let is_png = length > 0 && name.get(length..)?.starts_with(EXTENSION);
        is_png.then(|| &text[at..at + prefix.len() + length + EXTENSION.len()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_paths_are_found_in_markup_and_styles_and_nothing_else_is() {
        let text = "<img src=\"assets/task-1a-2b-1.png\"> url(assets/task-7-2.png) assets/task-.png \
                    assets/task-x/../y.png assets/task-1.jpg assets/tasks-1.png";
        assert_eq!(
            result_paths(text).collect::<Vec<_>>(),
            ["assets/task-1a-2b-1.png", "assets/task-7-2.png"]
        );
    }
}
