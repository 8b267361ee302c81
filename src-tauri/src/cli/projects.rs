//! `facsimile projects`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use facsimile_agent::ProjectId;
use facsimile_studio::StudioError;
use serde_json::json;

use super::exit::{print_line, say};
use super::{Common, Exit};
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
        Action::Export { id, file, common } => export(&id, &file, common),
        Action::Import { file, common } => import(&file, common),
    }
}

fn export(id: &str, file: &Path, common: Common) -> Result<Exit, Exit> {
    let id: ProjectId = id.parse().map_err(|_| {
        Exit::wrong_usage(format!("{id:?} is no project's id; `facsimile projects list` shows them"))
    })?;
    let runtime = super::create::runtime()?;
    let studio = place::open_studio(common.data_dir, runtime.handle().clone())?;
    let bytes = studio.export_project(id, file)?;
    match common.json {
        true => print_line(&json!({ "project": id, "file": file, "bytes": bytes }).to_string())?,
        false => print_line(&format!("{}  {bytes} bytes", file.display()))?,
    }
    Ok(Exit::DONE)
}

fn import(file: &Path, common: Common) -> Result<Exit, Exit> {
    let runtime = super::create::runtime()?;
    let studio = place::open_studio(common.data_dir, runtime.handle().clone())?;
    let id = studio.import_project(file)?;
    let name = studio.store().projects().get(id).map_err(StudioError::from)?.name;
    match common.json {
        true => print_line(&json!({ "project": id, "name": name }).to_string())?,
        false => print_line(&format!("{id}  {name}"))?,
    }
    Ok(Exit::DONE)
}

fn list(common: Common) -> Result<Exit, Exit> {
    let runtime = super::create::runtime()?;
    let studio = place::open_studio(common.data_dir, runtime.handle().clone())?;
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
