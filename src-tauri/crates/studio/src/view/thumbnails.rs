//! Small pictures as `data:` addresses, made once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use facsimile_agent::AssetId;
use facsimile_store::HistoryStore;
use facsimile_vision::Raster;

/// Twice the largest side at which the window draws one.
const MAX_SIDE_PX: u32 = 480;
/// More than this many are not worth their memory.
const MAX_KEPT: usize = 500;

/// The thumbnails made so far.
#[derive(Debug, Default)]
pub(crate) struct Thumbnails {
    made: Mutex<HashMap<String, String>>,
}

impl Thumbnails {
    /// The thumbnail of an asset; empty if it is no picture any more.
    pub(crate) fn of_asset(&self, store: &HistoryStore, asset: &AssetId) -> String {
        self.made_once(asset.as_str(), || {
            let bytes = store.assets().read(asset).ok()?;
            thumbnail(&bytes)
        })
    }

    /// The thumbnail of a picture that has a name of its own.
    pub(crate) fn of_bytes(&self, name: &str, bytes: &[u8]) -> String {
        self.made_once(name, || thumbnail(bytes))
    }

    fn made_once(&self, key: &str, make: impl FnOnce() -> Option<String>) -> String {
        if let Some(made) = self.made.lock().unwrap_or_else(PoisonError::into_inner).get(key) {
            return made.clone();
        }
        // Made outside the lock: decoding a large picture must not hold up the others.
        let made = make().unwrap_or_default();
        let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_KEPT {
            all.clear();
        }
        all.insert(key.to_owned(), made.clone());
        made
    }
}

/// The part of a page that a card shows, at the size of thumbnails.
pub(super) fn top_of(page: &Raster) -> Raster {
    let height = page.height().min(page.width().saturating_mul(2)).max(1);
    let row_bytes = page.width() as usize * 3;
    let top = page.rgb().get(..row_bytes * height as usize).unwrap_or(page.rgb()).to_vec();
    Raster::from_rgb(page.width(), height, top).unwrap_or_else(|| page.clone()).thumbnail(MAX_SIDE_PX)
}

fn thumbnail(bytes: &[u8]) -> Option<String> {
    let png = Raster::decode(bytes).ok()?.thumbnail(MAX_SIDE_PX).to_png().ok()?;
    Some(format!("data:image/png;base64,{}", STANDARD.encode(png)))
}
