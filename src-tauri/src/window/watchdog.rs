//! A page that never yields freezes the window it is shown in: the two share a process. The watchdog ends that
//! process and loads the window again, with the page's scripts off.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tauri::{Manager, WebviewWindow};
use webkit2gtk::{WebViewExt, gio, glib};

use crate::preview::Served;

const PING_SECONDS: u32 = 1;
/// Longer than any layout of a large page; shorter than patience.
const SILENCE: Duration = Duration::from_secs(3);

/// Watches the window for as long as it is there.
pub fn watch(window: &WebviewWindow) {
    let app = window.app_handle().clone();
    let watched = window.with_webview(move |platform| {
        let view = platform.inner();
        let answered = Rc::new(Cell::new(Instant::now()));
        let is_waiting = Rc::new(Cell::new(false));
        glib::timeout_add_seconds_local(PING_SECONDS, move || {
            if !is_waiting.replace(true) {
                answered.set(Instant::now());
                let (answered, is_waiting) = (Rc::clone(&answered), Rc::clone(&is_waiting));
                view.evaluate_javascript("1", None, None, gio::Cancellable::NONE, move |_| {
                    answered.set(Instant::now());
                    is_waiting.set(false);
                });
            }
            let served = app.state::<Served>();
            if answered.get().elapsed() > SILENCE && served.turn_scripts_off() {
                is_waiting.set(false);
                answered.set(Instant::now());
                view.terminate_web_process();
                view.reload();
                // The reloaded window is told when it listens again: see `start_view`.
            }
            glib::ControlFlow::Continue
        });
    });
    if let Err(error) = watched {
        eprintln!("facsimile: pages that hang cannot be stopped here ({error})");
    }
}
