//! The preview scheme: from an address to a page, its policy and its files.

mod addresses;
mod answers;
mod growing;
mod libraries;
mod own_libraries;
mod pages;
mod policies;
mod projects;

use std::collections::HashMap;
use std::sync::Arc;

use facsimile_agent::{ProjectPath, RunId, VariantIndex};
use facsimile_studio::preview::{PreviewFiles, PreviewResponse, PreviewSource, Shown};

/// One variant of one run, with its files.
pub struct Shelf {
    run: RunId,
    texts: HashMap<String, Arc<str>>,
}

impl Shelf {
    pub fn of(texts: &[(&str, &str)]) -> Self {
        let texts = texts.iter().map(|(path, text)| ((*path).to_owned(), Arc::from(*text))).collect();
        Self { run: RunId::fresh(), texts }
    }

    /// A source of these files and the run they belong to.
    pub fn source(self) -> (PreviewSource, RunId) {
        let run = self.run;
        (PreviewSource::new(Arc::new(self)), run)
    }
}

impl PreviewFiles for Shelf {
    fn has(&self, shown: Shown) -> bool {
        shown == Shown::Variant(self.run, VariantIndex(0))
    }

    fn file(&self, shown: Shown, path: &ProjectPath) -> Option<Arc<str>> {
        self.texts.get(path.as_str()).filter(|_| self.has(shown)).cloned()
    }

    fn asset(&self, shown: Shown, digits: &str, extension: &str) -> Option<Vec<u8>> {
        let is_mine = self.has(shown) && digits == "0123456789abcdef" && extension == "png";
        is_mine.then(|| b"pixels".to_vec())
    }
}

pub fn body(response: &PreviewResponse) -> &str {
    std::str::from_utf8(&response.bytes).unwrap()
}

/// The page without what the pass has added to its tags.
pub fn without_addresses(page: &str) -> String {
    let mut parts = page.split(" data-fx=\"");
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        plain.push_str(part.split_once('"').unwrap().1);
    }
    plain
}

/// What stands between two texts.
pub fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}
