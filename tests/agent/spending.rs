//! What a run may spend.

use facsimile_agent::{
    ErrorKind, Failure, Limits, RunStatus, SessionError, SpendCap, TokenUsage, ToolContext, VariantIndex,
};
use facsimile_testkit::{Reply, ScriptedSession, calls, says};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Run, engine, files, play_with};

const PAGE: &str = "<!doctype html><html><body><h1>Hello</h1></body></html>";

/// A dollar for a million tokens of input, ten for output: the request reserves 10 and 160 millionths more.
fn priced(replies: impl IntoIterator<Item = Reply>) -> ScriptedSession {
    ScriptedSession::new(replies).priced((100_000, 16_000), (1.0, 10.0))
}

async fn spend(session: ScriptedSession, cap: &SpendCap) -> Run {
    let cx = ToolContext::new(VariantIndex(0), files([]), CancellationToken::new()).spending(cap.clone());
    play_with(&engine(Limits::of_create()), session, cx).await
}

fn usage(input: u64, output: u64) -> TokenUsage {
    TokenUsage { input, output, ..TokenUsage::default() }
}

fn page(arguments: Value) -> Reply {
    calls("create_file", arguments)
}

// S-61
#[tokio::test(start_paused = true)]
async fn the_request_that_would_cross_the_cap_is_not_sent_and_files_are_kept() {
    let cap = SpendCap::of_usd(0.5);
    let replies = (0..9).map(|_| page(json!({"content": PAGE})).using(usage(100_000, 5_000)));
    let run = spend(priced(replies), &cap).await;
    // Each costs 0.15; with two spent, the third would reserve 0.26 more than there is.
    assert_eq!((run.outcome.status, run.told.requests.len()), (RunStatus::BudgetExceeded, 2));
    assert_eq!((run.file("index.html"), cap.settled_usd(), cap.reserved_usd()), (Some(PAGE), 0.3, 0.0));
}

// S-61
#[tokio::test(start_paused = true)]
async fn a_stream_is_closed_where_it_crosses_the_cap_and_what_it_typed_is_kept() {
    let cap = SpendCap::of_usd(0.3);
    let long = PAGE.repeat(2_000);
    let raw = json!({"content": long}).to_string();
    let reply = Reply::new().calling_with("create_file", &raw, 500).using(usage(100_000, 40_000));
    let run = spend(priced([reply]), &cap).await;
    assert_eq!(run.outcome.status, RunStatus::BudgetExceeded);
    let kept = run.file("index.html").unwrap();
    // 0.1 for the input leaves 20,000 tokens of output: 60,000 characters.
    assert!(long.starts_with(kept) && (59_500..=60_500).contains(&kept.len()), "{}", kept.len());
    assert!(cap.reserved_usd() == 0.0 && (0.29..0.31).contains(&cap.settled_usd()), "{cap:?}");
    run.assert_shown_is_stored(&files([]));
}

#[tokio::test(start_paused = true)]
async fn variants_share_the_money_of_their_run() {
    let cap = SpendCap::of_usd(0.6);
    let replies = || (0..9).map(|_| page(json!({"content": PAGE})).using(usage(100_000, 5_000)));
    let runs = [spend(priced(replies()), &cap).await, spend(priced(replies()), &cap).await];
    assert_eq!(runs.map(|run| run.told.requests.len()), [3, 0]);
}

#[tokio::test(start_paused = true)]
async fn what_runs_at_once_cannot_reserve_the_same_money() {
    let cap = SpendCap::of_usd(0.4);
    let slow = || page(json!({"content": PAGE})).pausing(std::time::Duration::from_secs(1));
    let (one, two) = tokio::join!(
        spend(priced([slow(), says("Done")]), &cap),
        spend(priced([slow(), says("Done")]), &cap)
    );
    assert_eq!([one.outcome.status, two.outcome.status], [RunStatus::Succeeded, RunStatus::BudgetExceeded]);
}

#[tokio::test(start_paused = true)]
async fn a_model_without_a_price_is_not_bound_and_its_cost_is_unknown() {
    let cap = SpendCap::of_usd(0.000_001);
    let run = spend(ScriptedSession::new([page(json!({"content": PAGE})), says("Done")]), &cap).await;
    assert_eq!((run.outcome.status, run.outcome.cost_usd), (RunStatus::Succeeded, None));
}

#[tokio::test(start_paused = true)]
async fn what_costs_nothing_goes_on_behind_the_cap() {
    let cap = SpendCap::of_usd(1.0);
    cap.reserve(1.0).unwrap().settle(1.0);
    let free = ScriptedSession::new([page(json!({"content": PAGE})), says("Done")])
        .priced((1_000, 1_000), (0.0, 0.0));
    let run = spend(free, &cap).await;
    assert_eq!((run.outcome.status, run.outcome.cost_usd), (RunStatus::Succeeded, Some(0.0)));
}

#[tokio::test(start_paused = true)]
async fn a_cap_of_zero_is_none() {
    let replies = [page(json!({"content": PAGE})).using(usage(900_000_000, 0)), says("Done")];
    let run = spend(priced(replies), &SpendCap::of_usd(0.0)).await;
    assert_eq!((run.outcome.status, run.outcome.cost_usd), (RunStatus::Succeeded, Some(900.0)));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_failed_at_once_costs_nothing_and_one_that_broke_off_what_was_streamed() {
    let cap = SpendCap::of_usd(5.0);
    let busy = SessionError::retryable(Failure::new(ErrorKind::Overloaded, "busy"));
    let failed = Reply::new().failing(busy.clone());
    spend(priced([failed, says("Hello").using(usage(100_000, 0))]), &cap).await;
    assert_eq!((cap.settled_usd(), cap.reserved_usd()), (0.1, 0.0));
    let broken = Reply::new().saying(&"x".repeat(3_000)).failing(busy);
    spend(priced([broken, says("Hello").using(usage(100_000, 0))]), &cap).await;
    // A second time 0.1 of input, this time with a thousand tokens of output, and 0.1 of input.
    assert_eq!((cap.settled_usd(), cap.reserved_usd()), (0.31, 0.0));
}
