//! Which files an export consists of.

use std::collections::BTreeSet;

use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath};
use facsimile_store::HistoryStore;

use super::ExportError;
use super::libraries::{self, Placed};
use crate::tasks;

/// The files of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportPlan {
    /// In path order.
    pub files: Vec<PlannedFile>,
    /// What is not as it should be, one sentence each.
    pub warnings: Vec<String>,
}

/// One file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Where it goes, relative to the target.
    pub path: ProjectPath,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// The hexadecimal digits of an asset's name in pages.
const NAME_DIGITS: usize = 16;

pub(super) fn plan(
    store: &HistoryStore,
    project: ProjectId,
    files: &ProjectFiles,
) -> Result<ExportPlan, ExportError> {
    let mut plan = ExportPlan::default();
    let mut wanted = BTreeSet::new();
    let mut named = BTreeSet::new();
    let mut made = BTreeSet::new();
    for (path, text) in files.iter() {
        wanted.extend(asset_paths(text));
        made.extend(tasks::result_paths(text));
        let Placed { text, libraries, remote } = libraries::placed(path, text);
        named.extend(libraries);
        plan.warnings.extend(
            remote.into_iter().map(|address| {
                format!("{path} loads {address} from the network; without one it is missing.")
            }),
        );
        plan.files.push(PlannedFile { path: path.clone(), bytes: text.into_owned().into_bytes() });
    }
    // A file of the project's own keeps its place.
    let libraries = libraries::files_of(&named);
    plan.files.extend(libraries.into_iter().filter(|file| files.read(&file.path).is_none()));
    for asset_path in wanted {
        let name = &asset_path["assets/".len()..][..NAME_DIGITS];
        // Only what belongs to the project: a page must not pull in pictures of another one by their names.
        let found = store.assets().find_in_project(project, name)?;
        match (found, ProjectPath::parse(asset_path)) {
            (Some(asset), Ok(path)) => {
                let bytes = store.assets().read(&asset.id)?;
                plan.files.push(PlannedFile { path, bytes });
            }
            _ => plan.warnings.push(format!("{asset_path} is named by the page but is not in the project.")),
        }
    }
    for path in made {
        match (tasks::result_at(store, project, path)?, ProjectPath::parse(path)) {
            (Some(bytes), Ok(path)) => plan.files.push(PlannedFile { path, bytes }),
            _ => plan
                .warnings
                .push(format!("{path} is named by the page but no task of the project makes it.")),
        }
    }
    plan.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(plan)
}

/// Every `assets/<16 hex>.<extension>` in a text.
fn asset_paths(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("assets/").filter_map(|(at, prefix)| {
        let rest = &text[at + prefix.len()..];
        let name = rest.get(..NAME_DIGITS)?;
        let is_hash = name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let extension = rest[NAME_DIGITS..].strip_prefix('.')?;
        let length = extension.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let end = at + prefix.len() + NAME_DIGITS + 1 + length;
        (is_hash && length > 0).then(|| &text[at..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asset_names_are_found_in_markup_and_styles_and_nothing_else_is() {
        let text = r#"<img src="assets/0123456789abcdef.png"> url(assets/fedcba9876543210.jpg) url('assets/logo.png')
            assets/0123456789abcde assets/0123456789abcdeg.png assets/0123456789abcdef."#;
        assert_eq!(
            asset_paths(text).collect::<Vec<_>>(),
            ["assets/0123456789abcdef.png", "assets/fedcba9876543210.jpg"]
        );
    }
}
