//! Changes by hand: one element of the open page, or all alike, without a model and without touching any other byte.

use std::sync::{Mutex, PoisonError};

use facsimile_agent::project::address::{Change, ChangeRefused, Description, Element, Outline, Pick};
use facsimile_agent::{ErrorKind, ProjectFiles, ProjectId, ProjectPath, VersionId};
use facsimile_store::{NewVersion, VersionKind};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::StudioError;
use crate::studio::Studio;

/// Held while a page is changed.
static TURN: Mutex<()> = Mutex::new(());

/// So many elements that are alike are named by their places; a page with more has no use for outlines of all.
const NAMED_ALIKE: usize = 500;

/// Which elements a change is made to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Reach {
    /// The one that was picked.
    One,
    /// All with its name and its classes.
    Alike,
}

/// An element of a page, as the window shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ElementView {
    /// What there is to say about it.
    #[serde(flatten)]
    pub description: Description,
    /// The line of the file its start tag begins on, counted from 1.
    pub line: usize,
    /// The elements around it that somebody wrote, the outermost first, itself last.
    pub ancestors: Vec<AncestorView>,
    /// Where its first child begins, and its neighbours in the same element.
    pub first_child: Option<usize>,
    /// Where the element before it begins.
    pub previous: Option<usize>,
    /// Where the element behind it begins.
    pub next: Option<usize>,
    /// Where the elements begin that are alike; the first of many.
    pub alike_at: Vec<usize>,
    /// How many different texts those have of their own.
    pub alike_texts: usize,
}

/// An element that others are in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AncestorView {
    /// Its name with its id or its first class.
    pub name: String,
    /// The byte its start tag begins at.
    pub at: usize,
}

/// What a change by hand gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The version that holds it, open now.
    pub version: VersionId,
    /// The element as it is named in that version.
    pub pick: Pick,
    /// How many elements are different.
    pub changed: usize,
}

/// Why a page is not changed by hand. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditRefused {
    /// There is nothing to change.
    #[error("this project has no page yet; make one first")]
    NoPage,
    /// The file is no page of the open version.
    #[error("{0} is no page of the version that is open; pick an element of one that is")]
    NoSuchPage(ProjectPath),
    /// The element cannot be changed so.
    #[error(transparent)]
    Change(#[from] ChangeRefused),
}

impl EditRefused {
    /// To branch on: whether another pick would do.
    pub fn code(&self) -> &'static str {
        match self {
            EditRefused::Change(ChangeRefused::OtherVersion | ChangeRefused::NoElement { .. })
            | EditRefused::NoPage
            | EditRefused::NoSuchPage(_) => "stale_pick",
            EditRefused::Change(_) => ErrorKind::BadRequest.as_str(),
        }
    }
}

impl Studio {
    /// What there is to say about an element of a version's page.
    pub fn element(
        &self,
        project: ProjectId,
        version: VersionId,
        path: &ProjectPath,
        pick: &Pick,
    ) -> Result<ElementView, StudioError> {
        let files = self.version_files(project, version)?;
        let source = page(&files, path)?;
        let outline = Outline::of(source);
        let element = outline.element(pick).map_err(EditRefused::from)?;
        Ok(ElementView::of(&outline, &element, source))
    }

    /// Changes an element of the open version's page, and keeps the page as a new version, which is opened as a step
    /// that can be undone. An element that was picked from another version of the page is refused.
    pub fn change_element(
        &self,
        project: ProjectId,
        path: &ProjectPath,
        pick: &Pick,
        change: &Change,
        reach: Reach,
    ) -> Result<Edited, StudioError> {
        // One after the other: the second of two changes is made to what the first one left, or refused.
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (open, mut files) = self.open_version(project)?.ok_or(EditRefused::NoPage)?;
        let outline = Outline::of(page(&files, path)?);
        let rewritten = match reach {
            Reach::One => outline.changed(pick, change),
            Reach::Alike => outline.changed_alike(pick, change),
        };
        let rewritten = rewritten.map_err(EditRefused::from)?;
        files.write(path.clone(), rewritten.source);
        let version = self.store().versions().add_open(NewVersion {
            project,
            parent: Some(open.id),
            made_by: None,
            label: String::new(),
            kind: VersionKind::Result,
            files: files.iter().map(|(path, text)| (path.clone(), text.to_owned())).collect(),
        })?;
        Ok(Edited { version, pick: rewritten.pick, changed: rewritten.changed })
    }
}

pub(crate) fn page<'f>(files: &'f ProjectFiles, path: &ProjectPath) -> Result<&'f str, EditRefused> {
    let text = files.read(path).filter(|_| path.is_page());
    text.ok_or_else(|| EditRefused::NoSuchPage(path.clone()))
}

impl ElementView {
    fn of(outline: &Outline<'_>, element: &Element<'_>, source: &str) -> Self {
        let alike = element.alike();
        let mut texts: Vec<_> =
            alike.iter().map(|other| other.texts().map(|text| &source[text]).collect::<Vec<_>>()).collect();
        texts.sort_unstable();
        texts.dedup();
        let start = |element: &Element<'_>| element.start_tag().start;
        let mut ancestors: Vec<_> = std::iter::successors(Some(*element), Element::parent)
            .map(|element| AncestorView { name: element.name(), at: start(&element) })
            .collect();
        ancestors.reverse();
        let inside = |of: Option<&Element<'_>>| {
            let of = of.map(start);
            outline
                .elements()
                .filter(move |other| other.parent().as_ref().map(start) == of)
                .collect::<Vec<_>>()
        };
        let siblings = inside(element.parent().as_ref());
        let place = siblings.iter().position(|other| start(other) == start(element));
        let beside =
            |by: isize| place.and_then(|place| siblings.get(place.checked_add_signed(by)?)).map(start);
        Self {
            description: element.describe(),
            line: 1 + source[..start(element)].matches('\n').count(),
            ancestors,
            first_child: inside(Some(element)).first().map(start),
            previous: beside(-1),
            next: beside(1),
            alike_at: alike.iter().take(NAMED_ALIKE).map(start).collect(),
            alike_texts: texts.len(),
        }
    }
}
