//! What the window is given to show: plain data, made from what is kept. Pictures come as thumbnails, files
//! and keys never.

mod pictures;
mod thumbnails;

use std::collections::{BTreeMap, HashMap};

use facsimile_agent::{Failure, InputId, ProjectId, RunId, RunStatus, VariantIndex, VersionId};
use facsimile_store::{Input, NewTurn, Run, TurnKind};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::StudioError;
use crate::inputs::TakenInput;
use crate::samples::{SAMPLES, Sample};
use crate::studio::Studio;
pub(crate) use pictures::thumbnail_path;
pub(crate) use thumbnails::Thumbnails;

/// The key under which the window's settings are kept.
const SETTINGS: &str = "window";
/// The key of the words that were typed and not sent.
const DRAFT: &str = "draft";
/// Projects offered on the start screen.
const MAX_RECENT: usize = 12;

/// What the start screen shows.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StartView {
    /// What can do the work.
    pub engines: Vec<EngineView>,
    /// The bundled screenshots.
    pub samples: Vec<SampleView>,
    /// The projects touched last.
    pub recent: Vec<ProjectCard>,
    /// How many projects there are.
    pub project_count: usize,
    /// The run that is going on, for a window that was reloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub open_run: Option<RunId>,
    /// Who makes pictures for a run with a model; none while no service is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub image_vendor: Option<String>,
    /// Words that were typed and not sent.
    pub draft: String,
    /// The window's settings.
    pub settings: WindowSettings,
}

/// An engine to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "EngineChoice")]
pub struct EngineView {
    /// Its name in a request.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// Whether it can be used now.
    pub ready: bool,
    /// Whether it works without a network.
    pub local: bool,
}

/// A bundled screenshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "Sample")]
pub struct SampleView {
    /// Its id.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// A `data:` address.
    pub thumbnail: String,
}

/// A project in a list.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "ProjectSummary")]
pub struct ProjectCard {
    /// Its id.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// When it was touched last, in Unix milliseconds.
    pub updated_at_ms: i64,
    /// The path of its picture in the preview scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub thumbnail: Option<String>,
    /// The state of its latest run.
    pub state: RunStatus,
}

/// An input to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "InputSummary")]
pub struct InputView {
    /// Its id.
    pub id: InputId,
    /// The file's name.
    pub name: String,
    /// Upright width in pixels.
    pub width: u32,
    /// Upright height in pixels.
    pub height: u32,
    /// The size of the file.
    pub bytes: u64,
    /// A `data:` address.
    pub thumbnail: String,
}

/// An input that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "RefusedInput")]
pub struct RefusedView {
    /// The file's name.
    pub name: String,
    /// To branch on.
    pub code: String,
    /// What, why and what to do.
    pub message: String,
}

/// What came of offering files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
pub struct AddedInputs {
    /// Taken in.
    pub inputs: Vec<InputView>,
    /// Not taken in.
    pub refused: Vec<RefusedView>,
}

/// A project with all its runs.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct ProjectView {
    /// Its id.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// What its latest run was to be written in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub stack: Option<String>,
    /// Oldest first.
    pub runs: Vec<RunView>,
}

/// A run in its project.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "RunSummary")]
pub struct RunView {
    /// Its id.
    pub id: RunId,
    /// Where it stands.
    pub state: RunStatus,
    /// When it began, in Unix milliseconds.
    pub started_at_ms: i64,
    /// The words it began with.
    pub text: String,
    /// Whether it changes a page that was there.
    pub changes: bool,
    /// The pictures it was given.
    pub inputs: Vec<InputView>,
    /// Its variants.
    pub variants: Vec<VariantView>,
}

/// A variant in its run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct VariantView {
    /// Which one.
    pub index: VariantIndex,
    /// What does the work.
    pub engine: String,
    /// Where it stands.
    pub state: RunStatus,
    /// Whether it left a version.
    pub kept: bool,
    /// How close its page came to the screenshot, 0 to 100; absent where it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub score: Option<f64>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Failure>,
}

/// What the window remembers of how it looks. Unknown and mistyped fields fall back, each alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(rename = "Settings")]
pub struct WindowSettings {
    /// Light, dark or as the system.
    #[serde(deserialize_with = "or_default")]
    pub theme: Theme,
    /// English, Chinese or as the system.
    #[serde(deserialize_with = "or_default")]
    pub language: Language,
    /// Widths of panes in CSS pixels, by name.
    #[serde(deserialize_with = "numbers")]
    #[ts(type = "Record<string, number>")]
    pub panes: BTreeMap<String, f64>,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// The window's language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[allow(missing_docs)]
#[ts(rename = "LanguageChoice")]
pub enum Language {
    #[default]
    #[serde(rename = "system")]
    System,
    #[serde(rename = "en")]
    English,
    #[serde(rename = "zh-CN")]
    Chinese,
}

fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned + Default,
{
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// The entries that are numbers.
fn numbers<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let entries: BTreeMap<String, serde_json::Value> = or_default(deserializer)?;
    Ok(entries.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect())
}

impl Studio {
    /// What the start screen shows.
    pub fn start_view(&self) -> Result<StartView, StudioError> {
        let projects = self.projects()?;
        let cards = projects.iter().take(MAX_RECENT).map(|summary| self.project_card(summary));
        Ok(StartView {
            engines: self.engine_views()?,
            samples: SAMPLES.iter().map(|sample| self.sample_view(sample)).collect(),
            recent: cards.collect::<Result<_, _>>()?,
            project_count: projects.len(),
            open_run: self.open_run(),
            image_vendor: self.image_vendor().map(str::to_owned),
            draft: self.store().settings().get(DRAFT)?.unwrap_or_default(),
            settings: self.store().settings().get(SETTINGS)?.unwrap_or_default(),
        })
    }

    /// Every project, the latest first.
    pub fn project_cards(&self) -> Result<Vec<ProjectCard>, StudioError> {
        self.projects()?.iter().map(|summary| self.project_card(summary)).collect()
    }

    /// A project with its runs.
    pub fn project_view(&self, id: ProjectId) -> Result<ProjectView, StudioError> {
        let project = self.store().projects().get(id)?;
        let inputs = self.store().inputs().of_project(id)?;
        let inputs: Vec<_> = inputs.iter().map(|input| self.input_view(input)).collect();
        let runs = self.runs_of(id)?;
        let stack = runs.last().and_then(|run| run.request.get("stack")?.as_str()).map(str::to_owned);
        let scores = self.store().scores().of_project(id)?;
        let scores = scores.into_iter().map(|(version, score)| (version, score.score)).collect();
        let runs =
            runs.into_iter().map(|run| self.run_view(run, &inputs, &scores)).collect::<Result<_, _>>()?;
        Ok(ProjectView { id, name: project.name, stack, runs })
    }

    /// Keeps the window's settings.
    pub fn save_settings(&self, settings: &WindowSettings) -> Result<(), StudioError> {
        // Fields of another program version are kept for it.
        let mut kept: serde_json::Map<_, _> = self.store().settings().get(SETTINGS)?.unwrap_or_default();
        if let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(settings) {
            kept.extend(fields);
        }
        Ok(self.store().settings().set(SETTINGS, &kept)?)
    }

    /// Keeps the words that were typed and not sent.
    pub fn save_draft(&self, text: &str) -> Result<(), StudioError> {
        Ok(self.store().settings().set(DRAFT, &text)?)
    }

    /// The view of an input that was just taken in.
    pub fn taken_view(&self, taken: &TakenInput) -> Result<InputView, StudioError> {
        Ok(self.input_view(&self.store().inputs().get(taken.id)?))
    }

    fn sample_view(&self, sample: &Sample) -> SampleView {
        let thumbnail = self.thumbnails().named(sample.id, sample.png);
        SampleView { id: sample.id, title: sample.title, thumbnail }
    }

    fn input_view(&self, input: &Input) -> InputView {
        InputView {
            id: input.id,
            name: input.name.clone(),
            width: input.width_px,
            height: input.height_px,
            bytes: input.bytes,
            thumbnail: self.thumbnails().sheet(self.store(), &input.asset),
        }
    }

    fn run_view(
        &self,
        run: Run,
        inputs: &[InputView],
        scores: &HashMap<VersionId, f64>,
    ) -> Result<RunView, StudioError> {
        let NewTurn { kind, instruction: text, .. } = self.store().turns().get(run.turn)?.request;
        let given: Vec<InputId> = serde_json::from_value(run.request["inputIds"].clone()).unwrap_or_default();
        let of_run = |id: &InputId| inputs.iter().find(|input| input.id == *id).cloned();
        let variants = run.variants.into_iter().map(|variant| VariantView {
            index: variant.index,
            engine: variant.engine,
            state: variant.state,
            kept: variant.version.is_some(),
            score: variant.version.and_then(|version| scores.get(&version).copied()),
            error: variant.error,
        });
        Ok(RunView {
            id: run.id,
            state: run.state,
            started_at_ms: run.started_at_ms,
            text,
            changes: kind == TurnKind::Modify,
            inputs: given.iter().filter_map(of_run).collect(),
            variants: variants.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_survive_unknown_and_mistyped_fields() {
        let kept = json!({"theme": "dark", "language": 7, "panes": {"talk": 344}, "future": true});
        let settings: WindowSettings = serde_json::from_value(kept).unwrap();
        assert_eq!(
            settings,
            WindowSettings {
                theme: Theme::Dark,
                language: Language::System,
                panes: BTreeMap::from([("talk".to_owned(), 344.0)])
            }
        );
    }
}
