//! What the preview frame is fed with.

use facsimile_studio::Studio;
use tauri::State;
