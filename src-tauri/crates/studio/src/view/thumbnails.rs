//! Small pictures, made once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use facsimile_agent::AssetId;
use facsimile_store::HistoryStore;
use facsimile_vision::Raster;

/// Twice the largest side at which a card is drawn.
const CARD_SIDE_PX: u32 = 480;
/// Enough to lie faintly under a growing page without looking blurred.
const SHEET_SIDE_PX: u32 = 1600;
/// More than this many are not worth their memory.
const MAX_KEPT: usize = 200;

/// The thumbnails made so far, as PNG.
#[derive(Debug, Default)]
pub(crate) struct Thumbnails {
    made: Mutex<HashMap<String, Arc<[u8]>>>,
}

impl Thumbnails {
    /// An asset as a card shows it; empty if it is no picture any more.
    pub(crate) fn card(&self, store: &HistoryStore, asset: &AssetId) -> Arc<[u8]> {
        self.made_once(asset.as_str(), || thumbnail(&store.assets().read(asset).ok()?, CARD_SIDE_PX))
    }

    /// An asset as a card shows it, as a `data:` address; empty if it is no picture any more.
    pub(crate) fn card_address(&self, store: &HistoryStore, asset: &AssetId) -> String {
        match self.card(store, asset) {
            none if none.is_empty() => String::new(),
            made => as_address(&made),
        }
    }

    /// An asset large enough to be looked at, as a `data:` address; empty if it is no picture any more.
    pub(crate) fn sheet(&self, store: &HistoryStore, asset: &AssetId) -> String {
        let key = format!("{}/sheet", asset.as_str());
        as_address(&self.made_once(&key, || thumbnail(&store.assets().read(asset).ok()?, SHEET_SIDE_PX)))
    }

    /// Lets go of all of them: one may show what was just deleted.
    pub(crate) fn forget(&self) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A picture that has a name of its own, as a card shows it, as a `data:` address.
    pub(crate) fn named(&self, name: &str, bytes: &[u8]) -> String {
        as_address(&self.made_once(name, || thumbnail(bytes, CARD_SIDE_PX)))
    }

    fn made_once(&self, key: &str, make: impl FnOnce() -> Option<Vec<u8>>) -> Arc<[u8]> {
        if let Some(made) = self.made.lock().unwrap_or_else(PoisonError::into_inner).get(key) {
            return Arc::clone(made);
        }
        // Made outside the lock: decoding a large picture must not hold up the others.
        let made: Arc<[u8]> = make().unwrap_or_default().into();
        let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_KEPT {
            all.clear();
        }
        all.insert(key.to_owned(), Arc::clone(&made));
        made
    }
}

/// The part of a page that a card shows, at the size of thumbnails.
pub(super) fn top_of(page: &Raster) -> Raster {
    let height = page.height().min(page.width().saturating_mul(2)).max(1);
    let row_bytes = page.width() as usize * 3;
    let top = page.rgb().get(..row_bytes * height as usize).unwrap_or(page.rgb()).to_vec();
    Raster::from_rgb(page.width(), height, top).unwrap_or_else(|| page.clone()).thumbnail(CARD_SIDE_PX)
}

fn thumbnail(bytes: &[u8], side_px: u32) -> Option<Vec<u8>> {
    Raster::decode(bytes).ok()?.thumbnail(side_px).to_png().ok()
}

fn as_address(png: &[u8]) -> String {
    match png {
        [] => String::new(),
        png => format!("data:image/png;base64,{}", STANDARD.encode(png)),
    }
}
