//! `facsimile measure`.

use std::path::PathBuf;

use clap::Args;
use facsimile_studio::camera::{CameraError, Detail};
use facsimile_studio::measuring::{Design2Code, Measurement, SeenPage, Unread};
use serde_json::{Value, json};

use super::Exit;
use super::exit::{print_line, say};
use super::render::{Page, picture, write};
use crate::camera::has_display;

/// So many reasons are told to people.
const TOLD: usize = 8;

/// The arguments of `measure`.
#[derive(Debug, Args)]
pub struct Measure {
    /// The screenshot.
    screenshot: PathBuf,
    /// The page: an HTML file, or a folder with an index.html.
    page: PathBuf,
    /// The width of the page in pixels; the screenshot's own without it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(50..=8000))]
    width: Option<u32>,
    /// Where a picture of the differences goes.
    #[arg(long, value_name = "FILE.png")]
    map: Option<PathBuf>,
    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub fn run(measure: &Measure) -> Result<Exit, Exit> {
    let page = Page::open(&measure.page)?;
    let screenshot = Unread::of_file(&measure.screenshot)?;
    // Reading takes seconds, and would be for nothing.
    if !has_display() {
        return Err(Exit::failed(CameraError::NoDisplay.to_string()));
    }
    let reference = screenshot.read()?;
    // What a view cannot be made as wide as is measured at the nearest width.
    let width_px = measure.width.unwrap_or_else(|| reference.width_px().clamp(50, 8000));
    let failed = |error: &dyn std::fmt::Display| Exit::failed(error.to_string());
    let candidate = page.as_candidate();
    let shot = picture(page, width_px, Detail::Textless)?;
    let compared = reference.compared(SeenPage::of(&shot)).map_err(|error| failed(&error))?;
    let d2c = match candidate {
        Some(candidate) => {
            let shot = picture(candidate, width_px, Detail::Geometry)?;
            reference.design2code(SeenPage::of(&shot)).map_err(|error| failed(&error))?
        }
        None => compared.measurement.d2c,
    };
    if let Some(file) = &measure.map {
        write(file, &compared.map_png().map_err(|error| failed(&error))?, "--map")?;
    }
    if measure.json {
        print_line(&as_json(&compared.measurement, d2c).to_string())?;
    } else {
        tell(&compared.measurement);
    }
    Ok(Exit::DONE)
}

fn as_json(measured: &Measurement, d2c: Design2Code) -> Value {
    let reasons: Vec<Value> = measured
        .reasons
        .iter()
        .map(|reason| {
            json!({
                "kind": reason.kind,
                "selector": reason.selector,
                "box": reason.area,
                "amount": reason.amount,
                "unit": reason.unit,
                "message": reason.message,
            })
        })
        .collect();
    json!({
        "score": measured.score,
        "parts": measured.parts,
        "total": measured.total,
        "d2c": d2c,
        "ssim": measured.pixels.ssim,
        "deltaE": measured.pixels.delta_e,
        "reasons": reasons,
    })
}

fn tell(measured: &Measurement) {
    let parts = &measured.parts;
    say(&format!("Score {:.1} of 100", measured.score));
    say(&format!(
        "text {:.3}, place {:.3}, style {:.3}, visual {:.3}, text in pictures {:.3}",
        parts.text_f, parts.place, parts.style, parts.visual, parts.ghost
    ));
    for reason in measured.reasons.iter().take(TOLD) {
        say(&format!("- {}", reason.message));
    }
}
