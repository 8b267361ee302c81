//! Pages of template packages as the camera draws them, as they are and with a defect.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use facsimile_agent::{ProjectPath, RunId, VariantIndex};
use facsimile_studio::camera::{Camera, Detail, ShotRequest, page_address};
use facsimile_studio::preview::{PreviewFiles, PreviewSource, Shown};
use facsimile_testkit::templates::{TemplateDocument, installed};
use facsimile_vision::fidelity::Geometry;

use super::page::Page;

/// The width at which pages are drawn.
const WIDTH_PX: u32 = 1280;
const TRIES: usize = 3;
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

/// Draws a document; `script` runs when it has loaded.
pub fn drawn(camera: &dyn Camera, document: &TemplateDocument, script: &str) -> io::Result<Page> {
    let package = installed().join(&document.package);
    let within = document.path.strip_prefix(&package).unwrap_or(Path::new("index.html"));
    let page = ProjectPath::parse(&within.display().to_string()).map_err(io::Error::other)?;
    let source = String::from_utf8_lossy(&document.bytes);
    let html = format!("{source}\n{BASE}<script>addEventListener('load', () => {{ {script} }})</script>");
    let run = RunId::fresh();
    let path = page_address(run, VariantIndex(0), &page);
    let source = PreviewSource::new(Arc::new(Served { package, page, html, run }));
    let serve = Arc::new(move |path: &str| source.respond(path));
    let request = ShotRequest { serve, path, width_px: WIDTH_PX, detail: Detail::Geometry };
    // The reader gives up after a while, and on a busy machine too soon.
    let whole = (0..TRIES).find_map(|_| {
        let shot = camera.shoot(request.clone()).ok()?;
        let geometry: serde_json::Value = serde_json::from_str(shot.geometry.as_deref()?).ok()?;
        (geometry["cut"] == false).then_some((shot, geometry))
    });
    let (shot, geometry) = whole.ok_or_else(|| io::Error::other("the page was never read whole"))?;
    let geometry: Geometry = serde_json::from_value(geometry)?;
    let pixels = image::load_from_memory(&shot.png).map_err(io::Error::other)?.into_rgb8();
    Ok(Page { geometry, pixels, textless: None })
}
