//! `facsimile render`.

mod folder;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::exit::print_line;
use super::{Exit, later};
use crate::camera::{Shot, ShotRequest, shoot_alone};
use crate::place;

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
    if render.geometry.is_some() {
        return Err(later::refuse_option("--geometry", "leave it out"));
    }
    let page = folder::Page::open(&render.page)?;
    let shot = picture(page, render.width)?;
    let written = place::create_file(&render.out).and_then(|mut out| out.write_all(&shot.png));
    written.map_err(|error| {
        let out = render.out.display();
        Exit::failed(format!("{out} could not be written ({error}). Choose another place with --out"))
    })?;
    if render.json {
        let result = json!({ "out": render.out, "width": shot.width_px, "height": shot.height_px });
        print_line(&result.to_string())?;
    } else {
        eprintln!("{} × {} pixels in {}", shot.width_px, shot.height_px, render.out.display());
    }
    Ok(Exit::DONE)
}

fn picture(page: folder::Page, width_px: u32) -> Result<Shot, Exit> {
    let path = page.address();
    let source = page.into_source();
    let request = ShotRequest { serve: Arc::new(move |path| source.respond(path)), path, width_px };
    shoot_alone(request).map_err(|error| Exit::failed(error.to_string()))
}
