//! The page in a window of its own.

use tauri::AppHandle;
use tauri::ipc::Channel;

use crate::error::CommandError;
use crate::window::page::{self, PageNews, PageView};

/// Opens the window of the page with this view; one that is there comes to the front.
#[tauri::command]
pub async fn open_page_window(app: AppHandle, view: PageView) -> Result<(), CommandError> {
    page::open(&app, view)
        .map_err(|error| CommandError::new("unknown", format!("The window did not open ({error}).")))
}

/// Shows a view in the window of the page; `false` if there is none.
#[tauri::command]
pub async fn show_page(app: AppHandle, view: PageView) -> bool {
    page::show(&app, view)
}

/// What the window of the page follows from now on. It is the one window that may ask for that.
#[tauri::command]
pub async fn follow_page(app: AppHandle, ear: Channel<PageNews>) {
    page::listen(&app, ear);
}
