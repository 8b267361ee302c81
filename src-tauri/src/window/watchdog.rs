//! A page that never yields freezes the window it is shown in: the two share a process. The watchdog ends that
//! process and loads the window again, with the page's scripts off. It does the same where the process grows
//! beyond measure or dies by itself.

mod memory;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use tauri::{AppHandle, Manager, WebviewWindow};
use webkit2gtk::glib::object::ObjectExt;
use webkit2gtk::{WebProcessTerminationReason, WebView, WebViewExt, gio, glib};

use super::page::PAGE;
use crate::preview::Served;

const PING_SECONDS: u32 = 1;
/// Longer than any layout of a large page; shorter than patience.
const SILENCE: Duration = Duration::from_secs(3);
/// A process that is too large is ended at the first look.
const ONE_LOOK: Duration = Duration::from_millis(500);
/// Beside the window of the page at the second: what was ended there takes a while to be gone.
const TWO_LOOKS: Duration = Duration::from_millis(1500);
/// A process that died so often within [`DEATHS_WITHIN`] dies of the window itself: loading it again helps nobody.
const MOST_DEATHS: usize = 5;
const DEATHS_WITHIN: Duration = Duration::from_secs(60);

/// Watches the window for as long as it is there.
pub fn watch(window: &WebviewWindow) {
    let (app, label) = (window.app_handle().clone(), window.label().to_owned());
    let watched = window.with_webview(move |platform| {
        let view = platform.inner();
        reload_after_death(&view, app.clone(), label.clone());
        let view = view.downgrade();
        let answered = Rc::new(Cell::new(Instant::now()));
        let is_waiting = Rc::new(Cell::new(false));
        // When its process was last seen to be of a reasonable size.
        let fits = Cell::new(Instant::now());
        glib::timeout_add_seconds_local(PING_SECONDS, move || {
            let Some(view) = view.upgrade() else { return glib::ControlFlow::Break };
            if !is_waiting.replace(true) {
                answered.set(Instant::now());
                let (answered, is_waiting) = (Rc::clone(&answered), Rc::clone(&is_waiting));
                view.evaluate_javascript("1", None, None, gio::Cancellable::NONE, move |_| {
                    answered.set(Instant::now());
                    is_waiting.set(false);
                });
            }
            let served = app.state::<Served>();
            // Whose process it is nobody tells. The window of the page goes first: nothing is lost with it.
            let has_turn = label == PAGE || !served.has_scripts(PAGE);
            if !(has_turn && memory::is_beyond_measure()) {
                fits.set(Instant::now());
            }
            let is_behind = label != PAGE && app.get_webview_window(PAGE).is_some();
            let patience = if is_behind { TWO_LOOKS } else { ONE_LOOK };
            let is_lost = answered.get().elapsed() > SILENCE || fits.get().elapsed() > patience;
            if is_lost && served.turn_scripts_off(&label) {
                tracing::warn!(
                    label,
                    "a page hung or grew beyond measure; the window is loaded again without scripts"
                );
                is_waiting.set(false);
                answered.set(Instant::now());
                fits.set(Instant::now());
                view.terminate_web_process();
                view.reload();
                // The reloaded window is told when it listens again: see `start_view` and `follow_page`.
            }
            glib::ControlFlow::Continue
        });
    });
    if let Err(error) = watched {
        tracing::warn!(%error, "pages that hang cannot be stopped here");
        eprintln!("facsimile: pages that hang cannot be stopped here ({error})");
    }
}

/// A process that dies by itself leaves an empty window.
fn reload_after_death(view: &WebView, app: AppHandle, label: String) {
    let deaths: RefCell<Vec<Instant>> = RefCell::default();
    view.connect_web_process_terminated(move |view, reason| {
        if reason == WebProcessTerminationReason::TerminatedByApi {
            return;
        }
        let mut deaths = deaths.borrow_mut();
        deaths.retain(|death| death.elapsed() < DEATHS_WITHIN);
        deaths.push(Instant::now());
        tracing::error!(label, ?reason, deaths = deaths.len(), "the process of the window ended");
        eprintln!("facsimile: the process of the window ended ({reason:?})");
        if deaths.len() <= MOST_DEATHS {
            // Where a page was shown, it is the first to blame.
            app.state::<Served>().turn_scripts_off(&label);
            view.reload();
        }
    });
}
