//! Files the program was started with. They wait until the window listens.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tauri::{AppHandle, Manager};

use super::drop;

/// What waits for the window.
#[derive(Debug)]
pub struct Opened {
    waiting: Mutex<Option<Vec<PathBuf>>>,
}

impl Opened {
    /// These files wait.
    pub fn with(files: Vec<PathBuf>) -> Self {
        Self { waiting: Mutex::new(Some(files)) }
    }

    /// The window listens from now on: takes in what has waited.
    pub fn window_listens(app: &AppHandle) {
        let waiting = app.state::<Self>().waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(files) = waiting.filter(|files| !files.is_empty()) {
            drop::take(app, files, "filesOpened");
        }
    }
}

/// Files of another start: taken in now, or with the others once the window listens.
pub fn hand_over(app: &AppHandle, files: Vec<PathBuf>) {
    let mut waiting = app.state::<Opened>().inner().waiting.lock().unwrap_or_else(PoisonError::into_inner);
    match waiting.as_mut() {
        Some(waiting) => waiting.extend(files),
        None if files.is_empty() => {}
        None => drop::take(app, files, "filesOpened"),
    }
}
