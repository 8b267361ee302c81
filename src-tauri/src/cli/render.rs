//! `facsimile render`.

mod folder;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use facsimile_studio::camera::{Detail, Shot, ShotRequest};
use serde_json::json;

use super::Exit;
use super::exit::{print_line, say};
use crate::camera::shoot_alone;
use crate::place;
pub use folder::Page;

/// The arguments of `render`.
#[derive(Debug, Args)]
pub struct Render {
    /// The page: an HTML file, or a folder with an index.html.
    page: PathBuf,
    /// The width of the view in pixels.
    #[arg(long, value_name = "N", default_value_t = 1280, value_parser = clap::value_parser!(u32).range(50..=8000))]
    width: u32,
    /// Where the picture goes.
    #[arg(long, value_name = "FILE.png")]
    out: PathBuf,
    /// Where the page's geometry goes.
    #[arg(long, value_name = "FILE.json")]
    geometry: Option<PathBuf>,
    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub fn run(render: &Render) -> Result<Exit, Exit> {
    let detail = render.geometry.as_ref().map_or(Detail::Picture, |_| Detail::Geometry);
    let page = Page::open(&render.page)?;
    let shot = picture(page, render.width, detail)?;
    write(&render.out, &shot.png, "--out")?;
    if let (Some(file), Some(geometry)) = (&render.geometry, &shot.geometry) {
        write(file, geometry.as_bytes(), "--geometry")?;
    }
    if render.json {
        let result = json!({
            "out": render.out,
            "width": shot.width_px,
            "height": shot.height_px,
            "cutFrom": shot.cut_from_px,
            "geometry": render.geometry,
        });
        print_line(&result.to_string())?;
    } else {
        eprintln!("{} × {} pixels in {}", shot.width_px, shot.height_px, render.out.display());
    }
    Ok(Exit::DONE)
}

/// Takes a page's picture, and says so where it ends before the page.
pub fn picture(page: Page, width_px: u32, detail: Detail) -> Result<Shot, Exit> {
    let path = page.address();
    let source = page.into_source();
    let request = ShotRequest { serve: Arc::new(move |path| source.respond(path)), path, width_px, detail };
    let shot = shoot_alone(request).map_err(|error| Exit::failed(error.to_string()))?;
    if let Some(notice) = shot.cut_notice() {
        say(&notice);
    }
    Ok(shot)
}

/// Writes a result whole.
pub fn write(file: &Path, bytes: &[u8], option: &str) -> Result<(), Exit> {
    place::create_file(file).and_then(|mut out| out.write_all(bytes)).map_err(|error| {
        let file = file.display();
        Exit::failed(format!("{file} could not be written ({error}). Choose another place with {option}"))
    })
}
