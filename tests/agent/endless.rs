//! S-62: a model that never stops is stopped by whichever limit comes first, and the reason is told.

use std::time::Duration;

use facsimile_agent::{Limits, RunStatus, SpendCap, TokenUsage, ToolContext, VariantIndex};
use facsimile_testkit::{Reply, ScriptedSession, calls};
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::support::{Run, engine, files, play_with};

/// What the one more round costs, and how long it takes.
const ROUND_USD: f64 = 0.1;
const ROUND: Duration = Duration::from_secs(10);

/// More rounds than any limit allows; each writes another page, or the same.
fn endless(page: impl Fn(usize) -> String) -> ScriptedSession {
    let usage = TokenUsage { input: 100_000, ..TokenUsage::default() };
    let replies: Vec<Reply> = (0..200)
        .map(|n| calls("create_file", json!({ "content": page(n) })).pausing(ROUND).using(usage))
        .collect();
    ScriptedSession::new(replies).priced((100_000, 0), (1.0, 0.0))
}

async fn stopped(page: impl Fn(usize) -> String, limits: Limits, cap: f64) -> (Run, String) {
    let cx = ToolContext::new(VariantIndex(0), files([]), CancellationToken::new());
    let run = play_with(&engine(limits), endless(page), cx.spending(SpendCap::of_usd(cap))).await;
    let failure = run.outcome.failure.as_ref();
    let why = failure.map(|failure| failure.message.clone()).unwrap_or_default();
    assert!(failure.is_none_or(|failure| failure.next_step.is_some()), "{why}");
    assert!(run.file("index.html").is_some_and(|page| page.starts_with("<p>")), "what was built is kept");
    (run, why)
}

fn limits(rounds: u32, seconds: u64) -> Limits {
    Limits { max_rounds: rounds, deadline: Some(Instant::now() + Duration::from_secs(seconds)) }
}

#[tokio::test(start_paused = true)]
async fn whichever_limit_comes_first_ends_a_model_that_never_stops_and_is_named() {
    let other = |n: usize| format!("<p>{n}");
    let same = |_: usize| "<p>".to_owned();
    let money = |rounds: f64| rounds * ROUND_USD + ROUND_USD / 2.0;
    let outcomes = [
        stopped(other, limits(7, 1_000), money(50.0)).await,
        stopped(other, limits(50, 1_000), money(6.0)).await,
        stopped(other, limits(50, 45), money(50.0)).await,
        stopped(same, limits(50, 1_000), money(50.0)).await,
        stopped(same, limits(4, 1_000), money(50.0)).await,
    ];
    let told: Vec<_> = outcomes
        .iter()
        .map(|(run, why)| (run.outcome.status, run.told.requests.len(), why.as_str()))
        .collect();
    use RunStatus::{BudgetExceeded, StoppedAtLimit};
    assert_eq!(
        told,
        [
            (StoppedAtLimit, 7, "the model has taken all 7 rounds that it may take"),
            // The state names the money.
            (BudgetExceeded, 6, ""),
            (StoppedAtLimit, 5, "the time that the run may take is over"),
            // The first round made the page, the others only wrote it again.
            (StoppedAtLimit, 9, "the model did the same 8 times in a row, and nothing changed"),
            (StoppedAtLimit, 4, "the model has taken all 4 rounds that it may take"),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_round_that_changes_something_starts_the_count_again() {
    let mostly_same = |n: usize| if n == 3 { "<p>other".to_owned() } else { "<p>".to_owned() };
    let (run, _) = stopped(mostly_same, limits(50, 1_000), 5.0).await;
    assert_eq!((run.outcome.status, run.told.requests.len()), (RunStatus::StoppedAtLimit, 12));
}
