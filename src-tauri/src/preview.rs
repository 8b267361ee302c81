//! The `preview:` scheme: generated pages, served from the studio.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use tauri::http::{Request, Response, StatusCode, header};
use tauri::{Manager, UriSchemeContext, UriSchemeResponder, Wry};
use facsimile_studio::Studio;
use facsimile_studio::preview::PreviewSource;

/// The scheme's name.
pub const SCHEME: &str = "preview";

/// What the scheme answers from.
pub fn source(studio: &Studio) -> PreviewSource {
    PreviewSource::of(studio)
}
