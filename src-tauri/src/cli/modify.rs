//! `facsimile modify`: changes the page of a project, of a file or of a folder.

use std::path::{Path, PathBuf};

use clap::Args;
use facsimile_agent::ProjectId;
use facsimile_studio::{RunRequest, Studio};

use super::Exit;
use super::create::{Asked, RunOptions, carried_out};

/// The arguments of `modify`.
#[derive(Debug, Args)]
pub struct Modify {
    /// What is changed: the id of a project, an HTML file, or a folder with a page.
    #[arg(value_name = "PROJECT|FILE.html|DIR")]
    pub page: PathBuf,
    /// What is to change, in words.
    #[arg(long)]
    pub text: Option<String>,
    /// A picture that belongs to the wish; repeat it for several.
    #[arg(long, value_name = "IMAGE")]
    pub image: Vec<PathBuf>,
    #[command(flatten)]
    pub run: RunOptions,
}

/// Runs it.
pub fn run(modify: Modify) -> Result<Exit, Exit> {
    let Modify { page, text, image, run } = modify;
    let text = text.unwrap_or_default();
    if text.trim().is_empty() && image.is_empty() {
        return Err(Exit::wrong_usage("say with --text what is to change, or give a picture with --image"));
    }
    carried_out(run, move |studio| {
        let inputs = image.iter().map(|image| studio.add_file(image)).collect::<Result<Vec<_>, _>>()?;
        let (project, made) = project_of(studio, &page)?;
        let input_ids = inputs.iter().map(|input| input.id).collect();
        let request = RunRequest { project_id: Some(project), input_ids, text, ..RunRequest::default() };
        Ok(Asked { request, made })
    })
}

/// The project that is named, or one that is made with the page that is.
fn project_of(studio: &Studio, page: &Path) -> Result<(ProjectId, Option<ProjectId>), Exit> {
    let id = page.to_str().and_then(|text| text.parse::<ProjectId>().ok()).filter(|_| !page.exists());
    let Some(project) = id else {
        let made = studio.take_page(page)?;
        return Ok((made, Some(made)));
    };
    match studio.open_version(project)? {
        Some(_) => Ok((project, None)),
        None => Err(Exit::refused_input(format!("the project {project} has no page yet; make one first"))),
    }
}
