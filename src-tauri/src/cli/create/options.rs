//! The options of `create` and `modify`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use facsimile_agent::Checks;

use crate::cli::{Common, Exit, later};

/// The arguments of `create`.
#[derive(Debug, Args)]
pub struct Create {
    /// The screenshots: the first becomes index.html.
    pub images: Vec<PathBuf>,
    /// What the page is to be, in words.
    #[arg(long)]
    pub text: Option<String>,
    #[command(flatten)]
    pub run: RunOptions,
}

/// The options of a run, whatever it starts from.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// Where the result goes.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// What does the work: offline, offline:exact, openai:MODEL, anthropic:MODEL, gemini:MODEL or chat:MODEL. Repeat it for
    /// several options. Without it, the best model that there is a key for, else offline.
    #[arg(long, value_name = "ENGINE")]
    pub engine: Vec<String>,
    /// The address of an endpoint for this call; repeat it for several providers.
    #[arg(long, value_name = "[PROVIDER=]URL")]
    pub base_url: Vec<String>,
    /// What the page is written in: html-tailwind, html-css, bootstrap, react-tailwind, vue-tailwind,
    /// ionic-tailwind or svg. Models write html-tailwind unless told; the offline engine always html-css.
    #[arg(long)]
    pub stack: Option<String>,
    /// The spend cap of the run in US dollars; the offline engine spends nothing.
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<f64>,
    /// The most rounds an option may take.
    #[arg(long, value_name = "N")]
    pub max_rounds: Option<u32>,
    /// What is checked before a model's option counts as done; rendered where there is a display, else static.
    #[arg(long, value_name = "CHECKS", value_parser = checks())]
    pub checks: Option<Checks>,
    /// Every event as one JSON line into a file, or to standard output as `-`.
    #[arg(long, value_name = "FILE|-")]
    pub events: Option<PathBuf>,
    /// The form of the result.
    #[arg(long, value_enum, default_value_t = Form::Folder)]
    pub export: Form,
    /// Repair after the answer.
    #[arg(long)]
    pub improve: bool,
    /// Any failed option fails the run.
    #[arg(long)]
    pub strict: bool,
    /// Seconds for the whole run; over it the run stops with what it has.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    #[command(flatten)]
    pub common: Common,
}

/// The profiles of checks by name.
fn checks() -> impl TypedValueParser<Value = Checks> {
    let told = |checks: Checks| PossibleValue::new(checks.as_str()).help(checks.about());
    PossibleValuesParser::new(Checks::ALL.map(told))
        .try_map(|name| Checks::parse(&name).ok_or_else(|| format!("{name} is no profile of checks")))
}

/// The form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// One HTML file.
    File,
    /// A folder with pages, styles and assets.
    Folder,
    /// A Vite project.
    Project,
    /// An archive.
    Zip,
}

impl RunOptions {
    /// Refuses what this version cannot do, before anything is begun.
    pub fn refuse_what_is_not_there(&self) -> Result<(), Exit> {
        if self.improve {
            return Err(later::refuse_option("--improve", "leave it out"));
        }
        if self.export != Form::Folder {
            return Err(later::refuse_option(
                "--export other than folder",
                "the folder works offline as it is",
            ));
        }
        if self.max_cost.is_some_and(|cap| !cap.is_finite() || cap < 0.0) {
            return Err(Exit::wrong_usage("--max-cost is an amount in US dollars, 0 for no cap"));
        }
        Ok(())
    }
}
