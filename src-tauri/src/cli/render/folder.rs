//! A page on disk, served as a preview: its own folder and nothing beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use facsimile_agent::{ProjectPath, RunId, VariantIndex};
use facsimile_studio::camera::page_address;
use facsimile_studio::measuring::design2code_candidate;
use facsimile_studio::preview::{PreviewFiles, PreviewSource, Shown};

use crate::cli::Exit;

/// What counts as text; everything else is served as it is.
const TEXTS: [&str; 8] = ["html", "htm", "css", "js", "mjs", "svg", "json", "txt"];

/// A page and the folder it lies in.
#[derive(Debug)]
pub struct Page {
    folder: PathBuf,
    file: ProjectPath,
    /// Stands in for what the file holds.
    text: Option<Arc<str>>,
    run: RunId,
}

impl Page {
    /// An HTML file, or the index.html of a folder.
    pub fn open(path: &Path) -> Result<Self, Exit> {
        let shown = path.display();
        let real = fs::canonicalize(path).map_err(|error| {
            Exit::refused_input(format!("{shown}: it cannot be read ({error}). Check the name"))
        })?;
        let file = if real.is_dir() { real.join("index.html") } else { real };
        if !file.is_file() {
            return Err(Exit::refused_input(format!(
                "{shown}: there is no index.html in this folder. Name the page"
            )));
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = ProjectPath::parse(&name)
            .ok()
            .filter(|name| matches!(name.extension(), Some("html" | "htm")))
            .ok_or_else(|| {
                Exit::refused_input(format!("{shown}: this is no HTML file. Give a page ending in .html"))
            })?;
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(Self { folder, file: name, text: None, run: RunId::fresh() })
    }

    /// The page as Design2Code would draw it, where that is another.
    pub fn as_candidate(&self) -> Option<Self> {
        let bytes = self.read(&self.file)?;
        let html = String::from_utf8_lossy(&bytes);
        let drawn = design2code_candidate(&html);
        let text = (*drawn != *html).then(|| Arc::from(drawn.as_ref()))?;
        let (folder, file) = (self.folder.clone(), self.file.clone());
        Some(Self { folder, file, text: Some(text), run: RunId::fresh() })
    }

    /// The page's address in the preview scheme.
    pub fn address(&self) -> String {
        page_address(self.run, VariantIndex(0), &self.file)
    }

    /// The page and its neighbours as a preview source.
    pub fn into_source(self) -> PreviewSource {
        PreviewSource::new(Arc::new(self))
    }

    /// The bytes of a file that really lies in the folder: links that lead out of it lead nowhere.
    fn read(&self, path: &ProjectPath) -> Option<Vec<u8>> {
        let real = fs::canonicalize(self.folder.join(path.as_str())).ok()?;
        (real.starts_with(&self.folder) && real.is_file()).then(|| fs::read(real).ok()).flatten()
    }
}

impl PreviewFiles for Page {
    fn has(&self, shown: Shown) -> bool {
        shown == Shown::Variant(self.run, VariantIndex(0))
    }

    fn file(&self, shown: Shown, path: &ProjectPath) -> Option<Arc<str>> {
        if let Some(text) = self.text.as_ref().filter(|_| *path == self.file && self.has(shown)) {
            return Some(Arc::clone(text));
        }
        let is_text = path.extension().is_some_and(|extension| TEXTS.contains(&extension));
        let bytes = self.read(path).filter(|_| is_text && self.has(shown))?;
        Some(String::from_utf8_lossy(&bytes).into())
    }

    fn asset(&self, _shown: Shown, _digits: &str, _extension: &str) -> Option<Vec<u8>> {
        None
    }

    fn bytes(&self, shown: Shown, path: &ProjectPath) -> Option<Vec<u8>> {
        self.read(path).filter(|_| self.has(shown))
    }
}
