//! The `preview:` scheme: generated pages, served from the studio.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use facsimile_studio::Studio;
use facsimile_studio::preview::{PreviewResponse, PreviewSource, Shown};
use tauri::http::{Method, Request, Response};
use tauri::{Manager, UriSchemeContext, UriSchemeResponder, Wry};

/// The scheme's name.
pub const SCHEME: &str = "preview";

/// The one host of the scheme. Everything else that is written like an address of ours is a stranger's.
const HOST: &str = "localhost";

/// The address of a path in the scheme.
pub fn address(path: &str) -> String {
    format!("{SCHEME}://{HOST}{path}")
}

/// The path and query of an address, if it is one of ours: no other host, no port, no user.
pub fn path_of(address: &str) -> Option<&str> {
    let rest = address.strip_prefix(SCHEME)?.strip_prefix("://")?.strip_prefix(HOST)?;
    rest.starts_with('/').then_some(rest)
}

/// What the scheme answers from.
pub fn source(studio: &Studio) -> PreviewSource {
    PreviewSource::new(Arc::new(studio.clone()))
}

/// Answers a request of a window's frames.
pub fn serve(context: UriSchemeContext<'_, Wry>, request: Request<Vec<u8>>, responder: UriSchemeResponder) {
    let app = context.app_handle().clone();
    let window = context.webview_label().to_owned();
    tauri::async_runtime::spawn_blocking(move || {
        let source = app.state::<PreviewSource>();
        let asked = request.uri().to_string();
        let answer = match path_of(&asked) {
            _ if request.method() != Method::GET => PreviewResponse::wrong_method(),
            Some(path) => source.respond(&app.state::<Served>().address_of(&window, path)),
            // No address at all leads nowhere.
            None => source.respond(""),
        };
        responder.respond(response_of(answer));
    });
}

/// An answer with all its headers.
pub fn response_of(answer: PreviewResponse) -> Response<Cow<'static, [u8]>> {
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers() {
        response = response.header(name, value);
    }
    response.body(Cow::Owned(answer.bytes)).unwrap_or_default()
}

/// Which finished pages were shown in which window, and which of them froze one and are shown without scripts since.
#[derive(Debug, Default)]
pub struct Served {
    state: Mutex<ServedState>,
}

#[derive(Debug, Default)]
struct ServedState {
    /// The page that was served last to a window, if its scripts may run.
    scripted: HashMap<String, Shown>,
    frozen: HashSet<Shown>,
    /// The page that froze a window, until that window is told.
    untold: HashMap<String, Shown>,
}

impl Served {
    /// The address as a window is answered: without scripts for a page that froze one.
    fn address_of(&self, window: &str, address: &str) -> String {
        let Some(page) = Shown::of_finished_page(address) else { return address.to_owned() };
        let mut state = self.lock();
        if !state.frozen.contains(&page) {
            state.scripted.insert(window.to_owned(), page);
            return address.to_owned();
        }
        let joint = if address.contains('?') { '&' } else { '?' };
        format!("{address}{joint}scripts=off")
    }

    /// Turns off the scripts of the page that was shown last in a window; `false` if there is none to blame.
    #[cfg(any(target_os = "linux", test))]
    pub fn turn_scripts_off(&self, window: &str) -> bool {
        let mut state = self.lock();
        let Some(page) = state.scripted.remove(window) else { return false };
        state.frozen.insert(page);
        state.untold.insert(window.to_owned(), page);
        true
    }

    /// Whether a page froze a window and is shown without its scripts since.
    pub fn is_frozen(&self, page: Shown) -> bool {
        self.lock().frozen.contains(&page)
    }

    /// Whether a window shows a page whose scripts may run.
    #[cfg(any(target_os = "linux", test))]
    pub fn has_scripts(&self, window: &str) -> bool {
        self.lock().scripted.contains_key(window)
    }

    /// The page that lost its scripts, if its window has yet to be told; asking makes it told.
    pub fn take_untold(&self, window: &str) -> Option<Shown> {
        self.lock().untold.remove(window)
    }

    /// A window is gone, and what it showed with it.
    pub fn forget(&self, window: &str) {
        let mut state = self.lock();
        state.scripted.remove(window);
        state.untold.remove(window);
    }

    fn lock(&self) -> MutexGuard<'_, ServedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use facsimile_agent::{RunId, VariantIndex, VersionId};

    use super::*;

    #[test]
    fn only_addresses_of_the_one_host_are_ours() {
        let ours = "preview://localhost/page/a?v=1";
        let strangers = [
            "preview://localhost",
            "preview://localhost:80/page/a",
            "preview://localhost.example/page/a",
            "preview://user@localhost/page/a",
            "preview://LOCALHOST/page/a",
            "preview://127.0.0.1/page/a",
            "preview:///page/a",
            "preview:/page/a",
            "http://localhost/page/a",
            "/page/a",
        ];
        assert_eq!((path_of(ours), strangers.map(path_of)), (Some("/page/a?v=1"), [None; 10]));
        assert_eq!(path_of(&address("/x")), Some("/x"));
    }

    #[test]
    fn only_the_page_that_froze_the_window_loses_its_scripts() {
        let served = Served::default();
        let run = RunId::fresh();
        let page = |variant: u8, query: &str| format!("/page/{run}/{variant}/index.html{query}");
        assert!(!served.turn_scripts_off("main"), "nothing was shown yet");
        served.address_of("main", &format!("/stream/{run}/0/stream.html"));
        assert!(!served.turn_scripts_off("main"), "a growing page runs no scripts");
        assert_eq!(served.address_of("main", &page(0, "?v=1&y=0")), page(0, "?v=1&y=0"));
        assert!(served.turn_scripts_off("main"));
        assert_eq!(served.address_of("main", &page(0, "?v=1&y=0")), page(0, "?v=1&y=0&scripts=off"));
        assert_eq!(served.address_of("main", &page(1, "")), page(1, ""));
        let frozen = Shown::Variant(run, VariantIndex(0));
        assert_eq!((served.take_untold("main"), served.take_untold("main")), (Some(frozen), None));
        let version = VersionId::fresh();
        served.address_of("main", &format!("/version/{version}/css/a.css"));
        served.address_of("main", &format!("/version/{version}/index.html?v=1"));
        assert!(served.turn_scripts_off("main"));
        assert_eq!(served.take_untold("main"), Some(Shown::Version(version)));
        let other = VersionId::fresh();
        served.address_of("main", &format!("/version/{other}/Home.HTM?v=1"));
        assert!(served.turn_scripts_off("main"), "pages have more than one ending");
        assert_eq!(served.take_untold("main"), Some(Shown::Version(other)));
    }

    #[test]
    fn a_page_that_freezes_two_windows_is_ended_in_both() {
        let served = Served::default();
        let version = VersionId::fresh();
        let address = format!("/version/{version}/index.html?v=1");
        let windows = ["main", "page"];
        let served_at = windows.map(|window| served.address_of(window, &address));
        assert_eq!(served_at, [address.clone(), address.clone()]);
        assert_eq!(windows.map(|window| served.has_scripts(window)), [true, true]);
        let frozen = || served.is_frozen(Shown::Version(version));
        assert!(!frozen());
        assert_eq!((windows.map(|window| served.turn_scripts_off(window)), frozen()), ([true, true], true));
        assert_eq!(windows.map(|window| served.take_untold(window)), [Some(Shown::Version(version)); 2]);
        served.address_of("page", &address);
        assert!(!served.turn_scripts_off("page"), "without scripts there is none to blame");
    }
}
