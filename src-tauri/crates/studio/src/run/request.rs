//! A raw request and the plan it becomes.

use std::time::Duration;

use facsimile_agent::{InputId, ProjectId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::StudioError;
use crate::models::EngineChoice;

/// The most variants of one run.
pub const MAX_VARIANTS: usize = 4;
/// The most pictures of one project.
pub const MAX_INPUTS: usize = 10;

/// How fast the offline engine types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Typing {
    /// As fast as it can: nobody watches.
    #[default]
    AtOnce,
    /// Within about a second, so that the page is seen to grow.
    Watchable,
}

/// What a person asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(optional_fields)]
pub struct RunRequest {
    /// The project to go on with; without one a new project begins.
    pub project_id: Option<ProjectId>,
    /// The pictures, in order.
    pub input_ids: Vec<InputId>,
    /// The words.
    pub text: String,
    /// One engine name per variant; none means the best there is.
    pub engines: Vec<String>,
    /// What the page is written in; none means the engine's own.
    pub stack: Option<String>,
    /// How many rounds a variant may take.
    pub max_rounds: Option<u32>,
    /// How long the run may take.
    pub timeout_ms: Option<u64>,
    /// How fast the offline engine types.
    #[ts(skip)]
    pub typing: Typing,
}

/// A request that can be carried out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunPlan {
    pub(crate) project: Option<ProjectId>,
    pub(crate) inputs: Vec<InputId>,
    pub(crate) text: String,
    pub(crate) engines: Vec<EngineChoice>,
    pub(crate) max_rounds: Option<u32>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) typing: Typing,
}

/// Why a request makes no sense as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestRefused {
    /// There is nothing to start from.
    #[error("there is nothing to start from; give a screenshot")]
    NothingGiven,
    /// Words alone need a model.
    #[error(
        "making a page from words alone needs a model; the offline engine works from a screenshot, so add one"
    )]
    WordsNeedModel,
    /// Too many pictures.
    #[error("{0} pictures are too many; a project takes up to 10, so leave some out")]
    TooManyInputs(usize),
    /// Too many engines.
    #[error("{0} options are too many; a run makes up to 4, so name fewer engines")]
    TooManyVariants(usize),
    /// A stack that the engine does not write.
    #[error("the offline engine writes html-css, not {0}; leave the stack out")]
    StackNotOffline(String),
    /// A stack that does not exist.
    #[error(
        "{0:?} is no stack; there are html-tailwind, html-css, bootstrap, react-tailwind, vue-tailwind, \
         ionic-tailwind and svg, and the offline engine writes html-css"
    )]
    UnknownStack(String),
    /// A limit that allows nothing.
    #[error("a limit of 0 rounds or 0 seconds allows nothing; give at least 1")]
    NoRoom,
}

const STACKS: [&str; 7] =
    ["html-tailwind", "html-css", "bootstrap", "react-tailwind", "vue-tailwind", "ionic-tailwind", "svg"];

impl RunPlan {
    /// Checks a request; behind this nothing checks again.
    pub(crate) fn of(request: &RunRequest) -> Result<Self, StudioError> {
        let names: Vec<&str> = match request.engines.as_slice() {
            [] => vec!["offline"],
            names => names.iter().map(String::as_str).collect(),
        };
        if names.len() > MAX_VARIANTS {
            return Err(RequestRefused::TooManyVariants(names.len()).into());
        }
        let engines = names.into_iter().map(EngineChoice::parse).collect::<Result<Vec<_>, _>>()?;
        match request.stack.as_deref() {
            None | Some("html-css") => {}
            Some(stack) if STACKS.contains(&stack) => {
                return Err(RequestRefused::StackNotOffline(stack.to_owned()).into());
            }
            Some(stack) => return Err(RequestRefused::UnknownStack(stack.to_owned()).into()),
        }
        if request.max_rounds == Some(0) || request.timeout_ms == Some(0) {
            return Err(RequestRefused::NoRoom.into());
        }
        match request.input_ids.len() {
            0 if request.text.trim().is_empty() => return Err(RequestRefused::NothingGiven.into()),
            0 => return Err(RequestRefused::WordsNeedModel.into()),
            count if count > MAX_INPUTS => return Err(RequestRefused::TooManyInputs(count).into()),
            _ => {}
        }
        Ok(Self {
            project: request.project_id,
            inputs: request.input_ids.clone(),
            text: request.text.clone(),
            engines,
            max_rounds: request.max_rounds,
            timeout: request.timeout_ms.map(Duration::from_millis),
            typing: request.typing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut RunRequest)) -> String {
        let mut request = RunRequest { input_ids: vec![InputId::fresh()], ..RunRequest::default() };
        change(&mut request);
        RunPlan::of(&request).map(|_| String::new()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn a_picture_alone_is_traced_offline() {
        let id = InputId::fresh();
        let plan = RunPlan::of(&RunRequest { input_ids: vec![id], ..RunRequest::default() }).unwrap();
        assert_eq!((plan.inputs, plan.engines), (vec![id], vec![EngineChoice::Offline]));
    }

    #[test]
    fn what_cannot_be_done_is_named_with_the_way_out() {
        let refusals = [
            refusal(|request| request.input_ids.clear()),
            refusal(|request| {
                request.input_ids.clear();
                request.text = "a shop".into();
            }),
            refusal(|request| request.input_ids = (0..11).map(|_| InputId::fresh()).collect()),
            refusal(|request| request.engines = vec!["offline".into(); 5]),
            refusal(|request| request.stack = Some("bootstrap".into())),
            refusal(|request| request.stack = Some("cobol".into())),
            refusal(|request| request.max_rounds = Some(0)),
        ];
        let words = [
            "give a screenshot",
            "add one",
            "leave some out",
            "name fewer",
            "leave the stack out",
            "is no stack",
            "at least 1",
        ];
        for (refusal, word) in refusals.iter().zip(words) {
            assert!(refusal.contains(word), "{refusal}");
        }
    }
}
