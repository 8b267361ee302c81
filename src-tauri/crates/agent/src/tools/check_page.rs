//! `check_page`: what is wrong with the page, as facts.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::missing;
use crate::checks::{Checks, PageFindings};
use crate::tool::{Capabilities, Effect, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Looks the page over.
pub struct CheckPage;

/// The arguments of `check_page`: there are none.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {}

impl Tool for CheckPage {
    const NAME: &'static str = "check_page";
    const DESCRIPTION: &'static str = "Looks the current page over and returns facts: HTML, CSS and scripts that do \
        not parse, files that are not there, console errors, what did not load, what is wider than a phone, text that \
        is hard to read, and where there is a screenshot the score from 0 to 100 with the places that differ most. \
        Use it after writing or changing a page, before you end; it takes no arguments and looks at the page the \
        project opens with. Empty lists mean that nothing was found. On failure the message says why the page could \
        not be looked at; go on without it. Costs the tokens of what it returns.";
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;

    fn offered(&self, to: &Capabilities) -> bool {
        to.checks_pages
    }

    async fn run(&self, _: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let no_page = || ToolFailure::new("there is no page yet; write index.html first");
        let (page, _) = cx.files.main_page().ok_or_else(no_page)?;
        let page = page.clone();
        let check = cx.ports.page_check.clone().ok_or_else(|| missing(Self::NAME))?;
        let findings = check.check(cx.files.clone(), page.clone(), Checks::Fidelity).await?;
        let mut answer = json!(findings);
        answer["page"] = json!(page);
        Ok(ToolExecutionResult::done(answer, summary(&findings)))
    }
}

/// What the list of steps tells.
fn summary(findings: &PageFindings) -> serde_json::Value {
    let mut summary = json!({ "problems": findings.mistakes().len(), "contrast": findings.contrast.len() });
    if let Some(score) = findings.score {
        summary["score"] = json!((score * 10.0).round() / 10.0);
    }
    summary
}
