//! `facsimile projects`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use facsimile_studio::Studio;
use serde_json::json;

use super::exit::{print_line, say};
use super::{Common, Exit, later};
use crate::place;

/// The arguments of `projects`.
#[derive(Debug, Args)]
pub struct Projects {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the projects, the latest first.
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Save a project as one file.
    Export {
        /// The project's id.
        id: String,
        /// The file.
        file: PathBuf,
        #[command(flatten)]
        common: Common,
    },
    /// Take a project from a file.
    Import {
        /// The file.
        file: PathBuf,
        #[command(flatten)]
        common: Common,
    },
}

/// Runs it.
pub fn run(projects: Projects) -> Result<Exit, Exit> {
    match projects.action {
        Action::List { common } => list(common),
        Action::Export { .. } => {
            Err(later::refuse_option("`projects export`", "export pages with `create --out`"))
        }
        Action::Import { .. } => {
            Err(later::refuse_option("`projects import`", "make projects with `create`"))
        }
    }
}

fn list(common: Common) -> Result<Exit, Exit> {
    let runtime = super::create::runtime()?;
    let studio = Studio::open(&place::data_folder(common.data_dir), runtime.handle().clone())?;
    if let Some(notice) = studio.opening_notice()? {
        say(&format!("facsimile: {notice}"));
    }
    let projects = studio.projects()?;
    if common.json {
        let projects: Vec<_> = projects
            .iter()
            .map(|summary| {
                let runs: Vec<_> =
                    summary.runs.iter().map(|run| json!({ "id": run.id, "state": run.state })).collect();
                let project = &summary.project;
                json!({ "id": project.id, "name": project.name, "updatedAt": project.updated_at_ms, "runs": runs })
            })
            .collect();
        print_line(&json!({ "projects": projects }).to_string())?;
        return Ok(Exit::DONE);
    }
    if projects.is_empty() {
        print_line("No projects yet. Make one with `facsimile create screenshot.png --out page`.")?;
    }
    for summary in projects {
        let state = summary.latest_state().map_or("no runs", |state| state.as_str());
        print_line(&format!("{}  {}  {state}", summary.project.id, summary.project.name))?;
    }
    Ok(Exit::DONE)
}
