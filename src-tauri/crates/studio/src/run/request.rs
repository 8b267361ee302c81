//! A raw request and the plan it becomes.

use std::time::Duration;

use facsimile_agent::project::address::Pick;
use facsimile_agent::{Checks, InputId, ProjectId, ProjectPath, RunId, Stack};
use facsimile_store::TurnKind;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::connect::GivenAddress;
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

/// An element that was picked from a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PickedElement {
    /// The page.
    pub path: ProjectPath,
    /// The element.
    pub pick: Pick,
}

/// What a person asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(optional_fields)]
pub struct RunRequest {
    /// The project to go on with; without one a new project begins.
    pub project_id: Option<ProjectId>,
    /// The run whose turn is done again; without one a new turn begins at the open version.
    pub retry_of: Option<RunId>,
    /// The pictures, in order.
    pub input_ids: Vec<InputId>,
    /// The words.
    pub text: String,
    /// The element of the open page that the words are about.
    pub selected: Option<PickedElement>,
    /// One engine name per variant; none means the best there is.
    pub engines: Vec<String>,
    /// What the page is written in; none means the engine's own.
    pub stack: Option<String>,
    /// How many rounds a variant may take.
    pub max_rounds: Option<u32>,
    /// How long the run may take.
    pub timeout_ms: Option<u64>,
    /// What the run may cost in dollars, 0 for no cap; none means the usual cap.
    pub max_cost_usd: Option<f64>,
    /// What is checked before a model may stop: `none`, `static`, `rendered` or `fidelity`; none given means as much as
    /// can be seen, without the score.
    pub checks: Option<String>,
    /// Addresses for this run only. They cannot be given from a window: it names endpoints that were added.
    #[ts(skip)]
    #[serde(skip_deserializing)]
    pub addresses: Vec<GivenAddress>,
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
    pub(crate) stack: Stack,
    pub(crate) max_rounds: Option<u32>,
    pub(crate) max_cost_usd: Option<f64>,
    pub(crate) checks: Option<Checks>,
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
    /// Words alone change nothing without a model.
    #[error("Changing a page by words needs a model; the inspector and Improve work offline")]
    ChangeNeedsModel,
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
    /// A profile of checks that does not exist.
    #[error("{0:?} is no profile of checks; there are none, static, rendered and fidelity")]
    UnknownChecks(String),
    /// Pages are to be looked at where there is nothing to draw them on.
    #[error("there is no display to draw pages on; use the checks static, or run this under xvfb-run")]
    NothingSeen,
    /// A model that makes no pictures.
    #[error("{0:?} is no image model; choose one from the list")]
    NoImageModel(String),
    /// A cap that is no amount.
    #[error("the spend cap is an amount in US dollars, 0 for no cap")]
    NoAmount,
}

impl RunPlan {
    /// Checks a request; behind this nothing checks again. `usual` gives the engines where none are named, `kind` says
    /// whether there is a page to change.
    pub(crate) fn of(
        request: &RunRequest,
        kind: TurnKind,
        usual: impl FnOnce() -> Vec<EngineChoice>,
    ) -> Result<Self, StudioError> {
        let names = &request.engines;
        if names.len() > MAX_VARIANTS {
            return Err(RequestRefused::TooManyVariants(names.len()).into());
        }
        let engines = match names.as_slice() {
            [] => usual(),
            names => names.iter().map(|name| EngineChoice::parse(name)).collect::<Result<_, _>>()?,
        };
        let has_offline = engines.iter().any(EngineChoice::is_offline);
        let stack = match request.stack.as_deref() {
            None => Stack::default(),
            Some(name) => Stack::parse(name).ok_or_else(|| RequestRefused::UnknownStack(name.to_owned()))?,
        };
        let is_all_offline = engines.iter().all(EngineChoice::is_offline);
        if is_all_offline && request.stack.is_some() && stack != Stack::HtmlCss {
            return Err(RequestRefused::StackNotOffline(stack.as_str().to_owned()).into());
        }
        if request.max_rounds == Some(0) || request.timeout_ms == Some(0) {
            return Err(RequestRefused::NoRoom.into());
        }
        if request.max_cost_usd.is_some_and(|cap| !cap.is_finite() || cap < 0.0) {
            return Err(RequestRefused::NoAmount.into());
        }
        let checks = request
            .checks
            .as_deref()
            .map(|name| Checks::parse(name).ok_or_else(|| RequestRefused::UnknownChecks(name.to_owned())));
        let checks = checks.transpose()?;
        match request.input_ids.len() {
            0 if request.text.trim().is_empty() => return Err(RequestRefused::NothingGiven.into()),
            0 if has_offline && kind == TurnKind::Modify => {
                return Err(RequestRefused::ChangeNeedsModel.into());
            }
            0 if has_offline => return Err(RequestRefused::WordsNeedModel.into()),
            count if count > MAX_INPUTS => return Err(RequestRefused::TooManyInputs(count).into()),
            _ => {}
        }
        Ok(Self {
            project: request.project_id,
            inputs: request.input_ids.clone(),
            text: request.text.clone(),
            engines,
            stack,
            max_rounds: request.max_rounds,
            max_cost_usd: request.max_cost_usd,
            checks,
            timeout: request.timeout_ms.map(Duration::from_millis),
            typing: request.typing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offline() -> Vec<EngineChoice> {
        vec![EngineChoice::OFFLINE]
    }

    fn refusal(change: impl FnOnce(&mut RunRequest)) -> String {
        let mut request = RunRequest { input_ids: vec![InputId::fresh()], ..RunRequest::default() };
        change(&mut request);
        RunPlan::of(&request, TurnKind::Create, offline)
            .map(|_| String::new())
            .unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn a_picture_alone_is_traced_offline() {
        let id = InputId::fresh();
        let plan = RunPlan::of(
            &RunRequest { input_ids: vec![id], ..RunRequest::default() },
            TurnKind::Create,
            offline,
        )
        .unwrap();
        assert_eq!((plan.inputs, plan.engines), (vec![id], vec![EngineChoice::OFFLINE]));
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
            refusal(|request| request.max_cost_usd = Some(-1.0)),
        ];
        let words = [
            "give a screenshot",
            "add one",
            "leave some out",
            "name fewer",
            "leave the stack out",
            "is no stack",
            "at least 1",
            "0 for no cap",
        ];
        for (refusal, word) in refusals.iter().zip(words) {
            assert!(refusal.contains(word), "{refusal}");
        }
    }
}
