//! `facsimile trace`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use facsimile_studio::trace::TracedPicture;
use serde_json::json;

use super::Exit;
use super::exit::{print_line, say};
use crate::place;

/// The arguments of `trace`.
#[derive(Debug, Args)]
pub struct Trace {
    /// The screenshot.
    image: PathBuf,
    /// Where the facts go; without it and without --out they are printed.
    #[arg(long, value_name = "FILE.json")]
    facts: Option<PathBuf>,
    /// Where the page goes.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub fn run(trace: &Trace) -> Result<Exit, Exit> {
    let traced = TracedPicture::of_file(&trace.image)?;
    let facts = traced.facts_json();
    if let Some(file) = &trace.facts {
        place::create_file(file).and_then(|mut out| out.write_all(facts.as_bytes())).map_err(|error| {
            let file = file.display();
            Exit::failed(format!("{file} could not be written ({error}). Choose another place with --facts"))
        })?;
    }
    let exported = trace.out.as_deref().map(|folder| traced.write(folder)).transpose()?;
    if trace.facts.is_none() && trace.out.is_none() {
        print_line(&facts)?;
        return Ok(Exit::DONE);
    }
    if trace.json {
        let result = json!({
            "width": traced.facts().width,
            "height": traced.facts().height,
            "texts": traced.facts().texts.len(),
            "boxes": traced.facts().boxes.len(),
            "images": traced.facts().images.len(),
            "facts": trace.facts.as_deref().map(Path::to_string_lossy),
            "out": trace.out.as_deref().map(Path::to_string_lossy),
            "files": exported.map(|exported| exported.files),
        });
        print_line(&result.to_string())?;
    } else {
        say(&traced.finding());
    }
    Ok(Exit::DONE)
}
