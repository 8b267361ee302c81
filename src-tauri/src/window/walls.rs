//! What keeps a window in: every window that shows a page has the same walls.

use tauri::{AppHandle, Url, WebviewWindow, WebviewWindowBuilder, Wry};

#[cfg(target_os = "linux")]
use super::{refused, watchdog};
#[cfg(target_os = "linux")]
use crate::lookups;
use crate::preview;

/// Nothing listens there: no window needs a network, and this keeps even look-ups of names in.
const DEAD_PROXY: &str = "http://127.0.0.1:9";
#[cfg(windows)]
const BROWSER_ARGUMENTS: &str = "--disable-features=msWebOOUI,msPdfOOUI,msSmartScreenProtection \
    --proxy-server=http://127.0.0.1:9 --proxy-bypass-list=<-loopback>";

type Builder<'a> = WebviewWindowBuilder<'a, Wry, AppHandle>;

/// The window goes nowhere but to itself and to pages, and reaches no network.
pub fn around(window: Builder<'_>) -> tauri::Result<Builder<'_>> {
    let window = window.on_navigation(is_ours);
    // The development server is the one thing a window may fetch, and only in development.
    let window = if tauri::is_dev() {
        window
    } else {
        window.proxy_url(Url::parse(DEAD_PROXY).map_err(tauri::Error::InvalidUrl)?)
    };
    // Loopback needs to be named there: it is left out of every proxy otherwise.
    #[cfg(windows)]
    let window = window.additional_browser_args(BROWSER_ARGUMENTS);
    Ok(window)
}

/// Looks after an open window: pages that hang are ended, and calls of pages are counted.
pub fn watch(window: &WebviewWindow) {
    #[cfg(target_os = "linux")]
    {
        // A window that is gone already shows no page.
        let _ = window.with_webview(|platform| lookups::none_ahead_of_time(&platform.inner()));
        watchdog::watch(window);
        refused::count(window);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = window;
}

/// Where a window and its frames may go.
fn is_ours(url: &Url) -> bool {
    let is_dev_server = tauri::is_dev() && url.host_str() == Some("localhost");
    // Windows spells a custom scheme as a host; elsewhere that host is a stranger.
    let is_spelt_as_host =
        cfg!(windows) && matches!(url.host_str(), Some("tauri.localhost" | "preview.localhost"));
    let is_the_window = url.scheme() == "tauri" && url.host_str() == Some("localhost");
    is_the_window
        || preview::path_of(url.as_str()).is_some()
        || url.as_str() == "about:blank"
        || is_dev_server
        || is_spelt_as_host
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_goes_to_itself_and_to_pages_of_the_one_host() {
        let ours = ["tauri://localhost", "preview://localhost/page/a?v=1", "about:blank"];
        let strangers = [
            "tauri://elsewhere/",
            "preview://elsewhere/page/a",
            "preview://localhost:80/page/a",
            "https://example.test/",
            "file:///etc/passwd",
            "data:text/html,x",
        ];
        let goes = |address: &str| is_ours(&Url::parse(address).unwrap());
        assert_eq!((ours.map(goes), strangers.map(goes)), ([true; 3], [false; 6]));
    }
}
