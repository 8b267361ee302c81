//! What can be handed on when something goes wrong. What is saved is what was shown.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use facsimile_studio::{Diagnostics, DiagnosticsChoice, DiagnosticsFile, Studio};
use tauri::{AppHandle, Manager, State};
use tauri_plugin_dialog::DialogExt;

use super::with_studio;
use crate::error::CommandError;

/// The bundle that is shown.
#[derive(Debug, Default)]
pub struct Gathered {
    asked: AtomicU64,
    shown: Mutex<Diagnostics>,
}

/// The place of a question among all that were asked.
#[derive(Clone, Copy)]
struct Ticket(u64);

impl Gathered {
    fn asks(&self) -> Ticket {
        Ticket(self.asked.fetch_add(1, Ordering::SeqCst) + 1)
    }

    /// Keeps the answer to the latest question: the window shows no other.
    fn keep(&self, ticket: Ticket, bundle: Diagnostics) {
        let mut shown = self.lock();
        if ticket.0 == self.asked.load(Ordering::SeqCst) {
            *shown = bundle;
        }
    }

    fn bundle(&self) -> Diagnostics {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Diagnostics> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gathers a bundle and shows everything in it.
#[tauri::command]
pub async fn gather_diagnostics(
    studio: State<'_, Studio>,
    gathered: State<'_, Gathered>,
    choice: DiagnosticsChoice,
) -> Result<Vec<DiagnosticsFile>, CommandError> {
    let ticket = gathered.asks();
    let bundle = with_studio(&studio, move |studio| studio.diagnostics(choice, &surroundings())).await?;
    let files = bundle.files();
    gathered.keep(ticket, bundle);
    Ok(files)
}

/// Asks where, and saves the bundle that is shown. Nothing chosen, nothing written.
#[tauri::command]
pub async fn save_diagnostics(
    app: AppHandle,
    studio: State<'_, Studio>,
) -> Result<Option<PathBuf>, CommandError> {
    with_studio(&studio, move |_| {
        let dialog = app.dialog().file().set_title("Save diagnostics").add_filter("Zip", &["zip"]);
        let chosen = dialog.set_file_name("facsimile-diagnostics.zip").blocking_save_file();
        let Some(mut file) = chosen.and_then(|file| file.into_path().ok()) else { return Ok(None) };
        if file.extension().is_none() {
            file.set_extension("zip");
        }
        app.state::<Gathered>().bundle().write(&file)?;
        Ok(Some(file))
    })
    .await
}

/// What the program runs in: words of the system, none of the person.
fn surroundings() -> BTreeMap<String, String> {
    let variables = ["XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "GDK_BACKEND", "LANG"];
    let mut found: BTreeMap<_, _> =
        variables.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect();
    if let Ok(version) = tauri::webview_version() {
        found.insert("webView".to_owned(), version);
    }
    found
}

#[cfg(test)]
mod tests {
    use facsimile_store::HistoryStore;

    use super::*;

    // S-48
    #[test]
    fn what_is_saved_is_the_answer_to_the_latest_question() {
        let runtime = tauri::async_runtime::handle().inner().clone();
        let studio = Studio::over(HistoryStore::in_memory().unwrap(), runtime).unwrap();
        let answer = studio.diagnostics(DiagnosticsChoice::default(), &BTreeMap::new()).unwrap();
        let gathered = Gathered::default();
        let (earlier, later) = (gathered.asks(), gathered.asks());
        gathered.keep(later, answer.clone());
        gathered.keep(earlier, Diagnostics::default());
        assert_eq!(gathered.bundle(), answer);
    }
}
