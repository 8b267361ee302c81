//! The element that a request is about, as the prompt tells of it.

use facsimile_agent::ProjectPath;
use facsimile_agent::project::address::{Element, Outline};
use facsimile_agent::prompt::{ElementOrigin, SelectedElement};
use facsimile_store::TurnKind;

use super::origin::Origin;
use super::request::{PickedElement, RunRequest};
use crate::editing::{EditRefused, page};
use crate::error::StudioError;
use crate::studio::Studio;

/// An element of the page that is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selected {
    html: String,
    path: String,
    file: ProjectPath,
    line: usize,
    number: usize,
    alike: usize,
}

impl Selected {
    pub(crate) fn element(&self) -> SelectedElement<'_> {
        SelectedElement {
            html: &self.html,
            path: &self.path,
            origin: ElementOrigin::Source { file: &self.file, line: self.line },
            kth: self.number,
            of: self.alike,
        }
    }

    fn of(element: &Element<'_>, source: &str, file: &ProjectPath) -> Self {
        let start = element.start_tag().start;
        let end = element.end_tag().map_or(element.content().end, |tag| tag.end);
        let mut names: Vec<_> =
            std::iter::successors(Some(*element), Element::parent).map(|element| element.name()).collect();
        names.reverse();
        let said = element.describe();
        Self {
            html: source[start..end].to_owned(),
            path: names.join(" > "),
            file: file.clone(),
            line: 1 + source[..start].matches('\n').count(),
            number: said.number,
            alike: said.alike,
        }
    }
}

impl Studio {
    /// The element that a request is about, in the page it changes; what is tried again is about the same one. An
    /// element of another version of the page is refused.
    pub(crate) fn selected_in(
        &self,
        origin: &Origin,
        request: &RunRequest,
    ) -> Result<Option<Selected>, StudioError> {
        if origin.kind != TurnKind::Modify {
            return Ok(None);
        }
        let again = request.retry_of.filter(|_| request.selected.is_none());
        let again = again.map(|run| self.store().runs().get(run)).transpose()?;
        let again = again.and_then(|run| serde_json::from_value(run.request["selected"].clone()).ok());
        let Some(PickedElement { path, pick }) = request.selected.clone().or(again) else { return Ok(None) };
        let source = page(&origin.files, &path)?;
        let outline = Outline::of(source);
        let element = outline.element(&pick).map_err(EditRefused::from)?;
        Ok(Some(Selected::of(&element, source, &path)))
    }
}
