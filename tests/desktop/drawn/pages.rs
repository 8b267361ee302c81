//! Pages of template packages as the camera draws them, as they are and with a defect.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use facsimile_agent::{ProjectPath, RunId, VariantIndex};
use facsimile_studio::camera::{Camera, Detail, ShotRequest, page_address};
use facsimile_studio::preview::{PreviewFiles, PreviewSource, Shown};
use facsimile_testkit::templates::{TemplateDocument, installed};

use super::page::Page;

/// The width at which pages are drawn.
const WIDTH_PX: u32 = 1280;
const TRIES: usize = 5;
/// On a busy machine many drawings in a row can differ.
const DRAWINGS: usize = 12;
/// Stands for pictures from hosts that are out of reach: those are laid out anew whenever one gives up.
const PICTURE: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='600' height='400'%3E\
    %3Crect width='600' height='400' fill='%23338866'/%3E%3Ccircle cx='200' cy='160' r='120' fill='%23ffcc44'/%3E\
    %3C/svg%3E";
/// What the pages have in common: a font in which every weight looks different, and nothing that moves. Their own fonts
/// come from hosts that are out of reach here.
const BASE: &str = "<style>
  @font-face { font-family: Every; font-weight: 100 900;
    src: url(/lib/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2) format('woff2') }
  *:not(i):not([class*='fa-']):not([class*='icon']) { font-family: Every, sans-serif !important }
  *, *::before, *::after { animation: none !important; transition: none !important; scroll-behavior: auto !important }
</style>";

/// A document with what lies around it, and a script at its end.
struct Served {
    package: PathBuf,
    page: ProjectPath,
    html: String,
    run: RunId,
}

impl PreviewFiles for Served {
    fn has(&self, shown: Shown) -> bool {
        shown == Shown::Variant(self.run, VariantIndex(0))
    }

    fn file(&self, shown: Shown, path: &ProjectPath) -> Option<Arc<str>> {
        (self.has(shown) && *path == self.page).then(|| self.html.as_str().into())
    }

    fn asset(&self, _shown: Shown, _digits: &str, _extension: &str) -> Option<Vec<u8>> {
        None
    }

    fn bytes(&self, shown: Shown, path: &ProjectPath) -> Option<Vec<u8>> {
        self.has(shown).then(|| fs::read(self.package.join(path.as_str())).ok()).flatten()
    }
}

/// Set to a folder where drawn pages are kept, so that they need not be drawn again.
const KEPT: &str = "FACSIMILE_DRAWN_KEPT";

/// The folder where drawn pages are kept, if they are.
pub fn kept_in() -> Option<PathBuf> {
    std::env::var_os(KEPT).map(PathBuf::from)
}

/// The name under which a drawn page is kept.
pub fn kept_as(document: &TemplateDocument, script: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (document.name(), BASE, PICTURE, script).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Draws a document, or finds it where drawn pages are kept.
pub fn drawn(camera: &dyn Camera, document: &TemplateDocument, script: &str) -> io::Result<Page> {
    let Some(folder) = kept_in() else {
        let (geometry, png) = steady(camera, document, script)?;
        return page(geometry.as_bytes(), &png);
    };
    let place = folder.join(kept_as(document, script));
    if !place.with_extension("json").exists() {
        let (geometry, png) = steady(camera, document, script)?;
        fs::write(place.with_extension("png"), png)?;
        fs::write(place.with_extension("json"), geometry)?;
    }
    page(&fs::read(place.with_extension("json"))?, &fs::read(place.with_extension("png"))?)
}

/// Draws a document until it looks the same twice: what comes out otherwise the next time was not drawn whole.
fn steady(camera: &dyn Camera, document: &TemplateDocument, script: &str) -> io::Result<(String, Vec<u8>)> {
    let mut last = shot(camera, document, script)?;
    for _ in 1..DRAWINGS {
        let next = shot(camera, document, script)?;
        if next == last {
            return Ok(next);
        }
        last = next;
    }
    Err(io::Error::other(format!("{} never looks the same twice", document.name())))
}

/// A document whose pictures are all within reach.
fn with_pictures(source: &str) -> String {
    let mut pieces = source.split("<img");
    let mut html = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (tag, rest) = piece.split_at(piece.find('>').unwrap_or(piece.len()));
        let far =
            tag.split_once("src=\"http").and_then(|(before, after)| Some((before, after.split_once('"')?.1)));
        let tag = match far {
            Some((before, after)) => format!("{before}src=\"{PICTURE}\"{after}"),
            None => tag.to_owned(),
        };
        html.push_str(&format!("<img{tag}{rest}"));
    }
    html
}

fn page(geometry: &[u8], png: &[u8]) -> io::Result<Page> {
    let pixels = image::load_from_memory(png).map_err(io::Error::other)?.into_rgb8();
    Ok(Page { geometry: serde_json::from_slice(geometry)?, pixels, textless: None })
}

/// Draws a document; `script` runs when it has loaded. Gives its geometry and its picture.
fn shot(camera: &dyn Camera, document: &TemplateDocument, script: &str) -> io::Result<(String, Vec<u8>)> {
    let package = installed().join(&document.package);
    let within = document.path.strip_prefix(&package).unwrap_or(Path::new("index.html"));
    let page = ProjectPath::parse(&within.display().to_string()).map_err(io::Error::other)?;
    let source = with_pictures(&String::from_utf8_lossy(&document.bytes));
    let html = format!("{source}\n{BASE}<script>addEventListener('load', () => {{ {script} }})</script>");
    let run = RunId::fresh();
    let path = page_address(run, VariantIndex(0), &page);
    let source = PreviewSource::new(Arc::new(Served { package, page, html, run }));
    let serve = Arc::new(move |path: &str| source.respond(path));
    let request = ShotRequest { serve, path, width_px: WIDTH_PX, detail: Detail::Geometry };
    // The reader gives up after a while, and on a busy machine too soon.
    let whole = (0..TRIES).find_map(|_| {
        let shot = camera.shoot(request.clone()).ok()?;
        let geometry = shot.geometry?;
        let parsed: serde_json::Value = serde_json::from_str(&geometry).ok()?;
        (parsed["cut"] == false).then_some((geometry, shot.png))
    });
    whole.ok_or_else(|| io::Error::other("the page was never read whole"))
}
