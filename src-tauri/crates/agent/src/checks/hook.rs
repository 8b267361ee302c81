//! The stop hook that looks a page over before the model may stop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::{Checks, PageFindings};
use crate::engine::hooks::{LoopState, StopHook};
use crate::ports::PageCheck;
use crate::project::ProjectFiles;

/// The score that is good enough.
const TARGET_SCORE: f64 = 90.0;
/// A round that gains less than this shows that no more can be had.
const LEAST_GAIN: f64 = 0.5;
/// So many mistakes are told at once.
const MOST_TOLD: usize = 12;
/// So many differences are told at once.
const MOST_REGIONS: usize = 6;
/// So often a model is sent back in a run.
const MOST_INSTRUCTIONS: u32 = 5;

/// Sends a model back while its page has mistakes it was not told of yet, or while its score is low and rises.
pub struct PageChecks {
    checks: Checks,
    page: Arc<dyn PageCheck>,
    told: Mutex<Told>,
}

/// What the model was told in this run.
#[derive(Default)]
struct Told {
    instructions: u32,
    mistakes: Vec<String>,
    score: Option<f64>,
    /// What was wrong before a turn changed the page, without lines.
    before: Option<Vec<String>>,
    /// What was found when the model was let go.
    outcome: Option<String>,
}

impl PageChecks {
    /// A hook for one variant of a run.
    pub fn new(checks: Checks, page: Arc<dyn PageCheck>) -> Self {
        Self { checks, page, told: Mutex::default() }
    }

    async fn asked(&self, state: LoopState<'_>) -> Option<String> {
        let (page, _) = state.files.main_page()?;
        // A picture in a file of its own is no page.
        if self.checks == Checks::None || !page.is_page() {
            return None;
        }
        // A page that is left as it was has nobody who could have broken it.
        if !state.before.is_empty() && !state.has_edited() {
            return None;
        }
        let findings = self.page.check(state.files.clone(), page.clone(), self.checks).await;
        let has_mistakes = findings.as_ref().is_ok_and(|findings| !findings.mistakes().is_empty());
        let known = if has_mistakes { self.wrong_before(state.before).await } else { Vec::new() };
        let mut told = self.told();
        match findings {
            Ok(findings) => {
                let said = told.next(&findings, &known);
                told.outcome = said.is_none().then(|| outcome(&findings));
                said
            }
            // What cannot be looked at is no reason to keep a model at work.
            Err(failure) => {
                told.outcome = Some(format!("The page could not be checked: {}", failure.message));
                None
            }
        }
    }

    /// What was wrong before the turn: it is not for the model to correct.
    async fn wrong_before(&self, files: &ProjectFiles) -> Vec<String> {
        let Some((page, _)) = files.main_page() else { return Vec::new() };
        if let Some(known) = self.told().before.clone() {
            return known;
        }
        let found = self.page.check(files.clone(), page.clone(), self.checks.min(Checks::Rendered)).await;
        let known = found.map(|found| found.mistakes()).unwrap_or_default();
        let known: Vec<_> = known.iter().map(|mistake| without_line(mistake)).collect();
        self.told().before = Some(known.clone());
        known
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StopHook for PageChecks {
    fn instruction<'a>(&'a self, state: LoopState<'a>) -> BoxFuture<'a, Option<String>> {
        self.asked(state).boxed()
    }

    fn outcome(&self) -> Option<String> {
        self.told().outcome.clone()
    }
}

impl Told {
    /// What is to be said now; nothing where it was said before and did not help.
    fn next(&mut self, findings: &PageFindings, known: &[String]) -> Option<String> {
        if self.instructions >= MOST_INSTRUCTIONS {
            return None;
        }
        let mut mistakes = findings.mistakes();
        mistakes.retain(|mistake| !known.contains(&without_line(mistake)));
        let is_new = !mistakes.is_empty() && mistakes != self.mistakes;
        self.mistakes = mistakes;
        let said = if is_new { Some(about_mistakes(&self.mistakes)) } else { self.about_score(findings) };
        if said.is_some() {
            self.instructions += 1;
        }
        said
    }

    fn about_score(&mut self, findings: &PageFindings) -> Option<String> {
        let score = findings.score.filter(|score| *score < TARGET_SCORE && !findings.worst.is_empty())?;
        let before = self.score.replace(score);
        if before.is_some_and(|before| score - before < LEAST_GAIN) {
            return None;
        }
        let worst: Vec<_> =
            findings.worst.iter().take(MOST_REGIONS).map(|line| format!("- {line}")).collect();
        Some(format!(
            "Measured against the screenshot, the page scores {score:.1} of 100; {TARGET_SCORE:.0} is the aim. It \
             differs most here:\n{}\nCorrect these in the files, then end.",
            worst.join("\n")
        ))
    }
}

/// A mistake without its place: what was changed above it moves it.
fn without_line(mistake: &str) -> String {
    let mut parts = mistake.split("line ");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        told.push_str("line ");
        told.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    told
}

fn about_mistakes(mistakes: &[String]) -> String {
    let lines = listed(mistakes);
    format!("The page was checked and has problems:\n{lines}\nCorrect them in the files, then end.")
}

fn listed(mistakes: &[String]) -> String {
    let mut lines: Vec<_> = mistakes.iter().take(MOST_TOLD).map(|line| format!("- {line}")).collect();
    if let Some(more) = mistakes.len().checked_sub(MOST_TOLD).filter(|more| *more > 0) {
        lines.push(format!("- and {more} more"));
    }
    lines.join("\n")
}

/// What is told of a page that the model leaves as it is.
fn outcome(findings: &PageFindings) -> String {
    let mistakes = findings.mistakes();
    let score = findings.score.map(|score| format!("It scores {score:.1} of 100."));
    let lines = match mistakes.is_empty() {
        true => vec!["The page was checked and nothing is wrong.".to_owned()],
        false => vec!["The page was checked and still has problems:".to_owned(), listed(&mistakes)],
    };
    lines.into_iter().chain(score).chain(findings.notes.iter().cloned()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(score: f64) -> PageFindings {
        let worst = vec!["heading is 18 px low".to_owned()];
        PageFindings { score: Some(score), worst, ..PageFindings::default() }
    }

    fn wrong(problems: &[&str]) -> PageFindings {
        let problems = problems.iter().map(|problem| (*problem).to_owned()).collect();
        PageFindings { problems, ..PageFindings::default() }
    }

    #[test]
    fn what_a_page_is_left_with_is_told() {
        assert_eq!(outcome(&PageFindings::default()), "The page was checked and nothing is wrong.");
        let left = PageFindings { problems: vec!["a".to_owned()], ..scored(50.0) };
        let told = "The page was checked and still has problems:\n- a\nIt scores 50.0 of 100.";
        assert_eq!(outcome(&left), told);
    }

    fn kinds(findings: &[PageFindings]) -> Vec<&'static str> {
        let mut told = Told::default();
        let kind = |said: Option<String>| match said {
            None => "",
            Some(said) if said.contains("scores") => "score",
            Some(_) => "mistakes",
        };
        findings.iter().map(|findings| kind(told.next(findings, &[]))).collect()
    }

    #[test]
    fn a_score_is_told_while_it_is_low_and_rises() {
        let scores = [50.0, 50.5, 50.9, 70.0].map(scored);
        assert_eq!(kinds(&scores), ["score", "score", "", "score"]);
        assert_eq!(kinds(&[scored(90.0)]), [""]);
    }

    #[test]
    fn mistakes_come_before_the_score_and_are_told_once() {
        let both = PageFindings { problems: vec!["a".to_owned()], ..scored(50.0) };
        assert_eq!(kinds(&[both.clone(), both.clone(), both]), ["mistakes", "score", ""]);
        assert_eq!(kinds(&[wrong(&["a"]), wrong(&["b"]), wrong(&[])]), ["mistakes", "mistakes", ""]);
    }

    #[test]
    fn what_was_wrong_before_is_not_told_wherever_it_stands_now() {
        let known = vec![without_line("a.html, line 3: <p> is not closed before </b> in line 12")];
        let now = wrong(&["a.html, line 40: <p> is not closed before </b> in line 50", "a.html, line 1: x"]);
        let said = Told::default().next(&now, &known).unwrap();
        assert!(said.contains("line 1: x") && !said.contains("<p>"), "{said}");
        assert_eq!(
            Told::default()
                .next(&wrong(&["a.html, line 9: <p> is not closed before </b> in line 10"]), &known),
            None
        );
    }

    #[test]
    fn a_model_is_sent_back_five_times_at_most() {
        let turns: Vec<_> = (0..8).map(|at| wrong(&[["a", "b"][at % 2]])).collect();
        assert_eq!(kinds(&turns).iter().filter(|kind| !kind.is_empty()).count(), 5);
    }
}
