//! The subcommands: the program without a window, over the same studio.

mod create;
mod exit;
mod keys;
mod later;
mod measure;
mod models;
mod modify;
mod projects;
mod render;
mod trace;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use create::Create;
use exit::Exit;
use keys::Keys;
use measure::Measure;
use models::Models;
use modify::Modify;
use projects::Projects;
use render::Render;
use trace::Trace;

/// Turns a screenshot into an editable web page.
///
/// Without a subcommand it opens the window, with FILE… as inputs.
#[derive(Debug, Parser)]
#[command(name = "facsimile", version, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// Pictures to start from in the window.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What to do without a window.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What can be done without a window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a page from screenshots.
    Create(Create),
    /// Measure a screenshot: texts, boxes, colours, pictures.
    Trace(Trace),
    /// The projects that are kept.
    Projects(Projects),
    /// Change a page.
    Modify(Modify),
    /// Score a page against its screenshot.
    Measure(Measure),
    /// Take a picture of a page.
    Render(Render),
    /// Compare engines over a folder of screenshots.
    Eval(Later),
    /// Keys of model providers.
    Keys(Keys),
    /// Models of a provider.
    Models(Models),
}

/// Arguments that are not looked at.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct Later {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _rest: Vec<OsString>,
}

/// Where data lies and how results are printed; the same for every subcommand.
#[derive(Debug, Args)]
pub struct Common {
    /// Where the program keeps its data (also FACSIMILE_DATA_DIR).
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs a subcommand to its exit status.
pub fn run(command: Command) -> ExitCode {
    let ended = match command {
        Command::Create(create) => create::run(create),
        Command::Trace(trace) => trace::run(&trace),
        Command::Projects(projects) => projects::run(projects),
        Command::Modify(modify) => modify::run(modify),
        Command::Measure(measure) => measure::run(&measure),
        Command::Render(render) => render::run(&render),
        Command::Eval(_) => later::refuse("eval"),
        Command::Keys(keys) => keys::run(keys),
        Command::Models(models) => models::run(&models),
    };
    let exit = ended.unwrap_or_else(|exit| exit);
    exit.tell();
    exit.code()
}
