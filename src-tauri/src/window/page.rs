//! The page in a window of its own: what the main window shows, without the studio around it.
//!
//! The window follows the main one. It can ask for nothing but the text of the page it shows, and what it shows comes
//! to it over a channel of its own, so that it hears nothing else of the program.

use std::sync::{Mutex, MutexGuard, PoisonError};

use facsimile_agent::{ProjectPath, RunId, VariantIndex, VersionId};
use facsimile_studio::preview::{PreviewText, Shown};
use facsimile_studio::view::{Language, Theme};
use serde::{Deserialize, Serialize};
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use ts_rs::TS;

use super::walls;
use crate::preview::Served;

/// The label of the window.
pub const PAGE: &str = "page";

const USUAL_SIZE: (f64, f64) = (1280.0, 760.0);
const LEAST_SIZE: (f64, f64) = (340.0, 320.0);

/// Whose page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum PageOf {
    /// An option of a run.
    Option { run_id: RunId, variant_index: VariantIndex },
    /// A version, whatever made it.
    Version { version_id: VersionId },
}

/// The page that the main window shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OpenPage {
    of: PageOf,
    /// Not known while nothing of a first page is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    path: Option<ProjectPath>,
    is_writing: bool,
    /// How often it was loaded anew.
    loads: u32,
}

/// What the main window shows, told to the window of the page whenever it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PageView {
    /// The name of the open project.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    project: Option<String>,
    /// The name of the version or option that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    page: Option<OpenPage>,
    theme: Theme,
    language: Language,
}

/// What the window of the page hears.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "kind", content = "body", rename_all = "camelCase")]
pub enum PageNews {
    /// The main window shows this.
    View(FollowedView),
    /// More of the page is written.
    Piece(PreviewText),
}

/// A view, and what became of its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FollowedView {
    view: PageView,
    /// The page froze a window and is shown without its scripts since.
    has_scripts_off: bool,
}

/// What the window of the page follows, and how it is told.
#[derive(Default)]
pub struct Following(Mutex<FollowingState>);

#[derive(Default)]
struct FollowingState {
    view: Option<PageView>,
    ear: Option<Channel<PageNews>>,
}

impl PageView {
    /// The project and its version, for the frame of the window.
    fn title(&self) -> String {
        let names: Vec<_> =
            [&self.project, &self.version].into_iter().flatten().map(String::as_str).collect();
        if names.is_empty() { "Facsimile".to_owned() } else { names.join(", ") }
    }

    fn shows(&self, of: PageOf) -> bool {
        self.page.as_ref().is_some_and(|page| page.of == of)
    }

    fn followed(self, served: &Served) -> FollowedView {
        let has_scripts_off = self.page.as_ref().is_some_and(|page| served.is_frozen(page.of.into()));
        FollowedView { view: self, has_scripts_off }
    }
}

impl From<PageOf> for Shown {
    fn from(of: PageOf) -> Self {
        match of {
            PageOf::Option { run_id, variant_index } => Self::Variant(run_id, variant_index),
            PageOf::Version { version_id } => Self::Version(version_id),
        }
    }
}

impl Following {
    /// Whether the page of an option is the one that is followed.
    pub fn shows(&self, run_id: RunId, variant_index: VariantIndex) -> bool {
        let of = PageOf::Option { run_id, variant_index };
        self.lock().view.as_ref().is_some_and(|view| view.shows(of))
    }

    /// The window listens from now on; it hears first what there is to show.
    fn listen(&self, ear: Channel<PageNews>, served: &Served) {
        let mut state = self.lock();
        if let Some(view) = state.view.clone() {
            tell(&ear, PageNews::View(view.followed(served)));
        }
        state.ear = Some(ear);
    }

    /// More of some option's page is written.
    pub fn take_piece(&self, text: &PreviewText) {
        if self.shows(text.run_id, text.variant_index) {
            self.tell(PageNews::Piece(text.clone()));
        }
    }

    fn show(&self, view: PageView, served: &Served) {
        let mut state = self.lock();
        if let Some(ear) = &state.ear {
            tell(ear, PageNews::View(view.clone().followed(served)));
        }
        state.view = Some(view);
    }

    fn tell(&self, news: PageNews) {
        if let Some(ear) = &self.lock().ear {
            tell(ear, news);
        }
    }

    fn lock(&self) -> MutexGuard<'_, FollowingState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tell(ear: &Channel<PageNews>, news: PageNews) {
    // A window that is closing hears nothing more.
    let _ = ear.send(news);
}

/// Opens the window with this view; one that is there comes to the front and shows it.
pub fn open(app: &AppHandle, view: PageView) -> tauri::Result<()> {
    if show(app, view.clone()) {
        if let Some(window) = app.get_webview_window(PAGE) {
            // A window manager that refuses to raise a window leaves it where it is.
            let _ = window.unminimize();
            let _ = window.set_focus();
        }
        return Ok(());
    }
    let title = view.title();
    app.state::<Following>().show(view, &app.state::<Served>());
    let window = WebviewWindowBuilder::new(app, PAGE, WebviewUrl::App("page.html".into()))
        .title(title)
        .inner_size(USUAL_SIZE.0, USUAL_SIZE.1)
        .min_inner_size(LEAST_SIZE.0, LEAST_SIZE.1);
    walls::around(window)?.build().map(|window| walls::watch(&window))
}

/// Shows a view in the window of the page; `false` if there is none.
pub fn show(app: &AppHandle, view: PageView) -> bool {
    let Some(window) = app.get_webview_window(PAGE) else { return false };
    set_title(&window, &view);
    app.state::<Following>().show(view, &app.state::<Served>());
    true
}

fn set_title(window: &WebviewWindow, view: &PageView) {
    // A window that is closing keeps its title.
    let _ = window.set_title(&view.title());
}

/// The window of the page listens from now on.
pub fn listen(app: &AppHandle, ear: Channel<PageNews>) {
    app.state::<Following>().listen(ear, &app.state::<Served>());
}

/// The window is gone.
pub fn forget(app: &AppHandle) {
    app.state::<Served>().forget(PAGE);
    *app.state::<Following>().lock() = FollowingState::default();
}

/// Closes the window, if it is there.
pub fn close(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(PAGE) {
        // One that is closing already needs no more.
        let _ = window.destroy();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn view(project: Option<&str>, version: Option<&str>, page: Option<Value>) -> PageView {
        let view =
            json!({"project": project, "version": version, "page": page, "theme": "dark", "language": "en"});
        serde_json::from_value(view).unwrap()
    }

    #[test]
    fn the_title_names_the_project_and_its_version() {
        let titles = [
            view(Some("Kiln"), Some("Version 3"), None),
            view(Some("Kiln"), None, None),
            view(None, None, None),
        ]
        .map(|view| view.title());
        assert_eq!(titles, ["Kiln, Version 3", "Kiln", "Facsimile"]);
    }

    #[test]
    fn only_the_option_that_is_shown_is_followed() {
        let (run, other) = (RunId::fresh(), RunId::fresh());
        let page = json!({"of": {"runId": run, "variantIndex": 1}, "isWriting": true, "loads": 0});
        let following = Following::default();
        let before = following.shows(run, VariantIndex(1));
        let served = Served::default();
        following.show(view(Some("Kiln"), None, Some(page)), &served);
        let shows = [(run, 1), (run, 0), (other, 1)].map(|(run, at)| following.shows(run, VariantIndex(at)));
        following.show(view(None, None, None), &served);
        assert_eq!(
            (before, shows, following.shows(run, VariantIndex(1))),
            (false, [true, false, false], false)
        );
    }

    #[test]
    fn a_window_that_listens_hears_first_what_there_is_to_show_and_pieces_of_that_page_alone() {
        let (run, other) = (RunId::fresh(), RunId::fresh());
        let page = json!({"of": {"runId": run, "variantIndex": 0}, "isWriting": true, "loads": 0});
        let shown = view(Some("Kiln"), Some("Option 1"), Some(page));
        let piece = |run_id| PreviewText {
            run_id,
            variant_index: VariantIndex(0),
            path: ProjectPath::index(),
            base: 0,
            text: "<h1>".to_owned(),
        };
        let (following, served) = (Following::default(), Served::default());
        following.show(shown.clone(), &served);
        let heard = std::sync::Arc::new(Mutex::new(Vec::new()));
        let hears = std::sync::Arc::clone(&heard);
        let ear = Channel::new(move |body| {
            hears.lock().unwrap().push(body.deserialize::<Value>().unwrap());
            Ok(())
        });
        following.listen(ear, &served);
        following.take_piece(&piece(other));
        following.take_piece(&piece(run));
        let told = [PageNews::View(shown.followed(&served)), PageNews::Piece(piece(run))];
        let told = told.map(|news| serde_json::to_value(news).unwrap());
        assert_eq!(*heard.lock().unwrap(), told);
    }
}
