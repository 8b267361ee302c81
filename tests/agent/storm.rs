//! Whatever a session sends, a run ends, and what is shown is what is stored.

use facsimile_agent::{
    EngineNote, ErrorKind, Failure, Limits, RunStatus, SessionError, SpendCap, StopReason, TokenUsage,
    ToolContext, VariantIndex,
};
use facsimile_testkit::{Reply, ScriptedSession};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{engine, files, play_with};

/// One thing a reply does.
#[derive(Debug, Clone)]
enum Act {
    Say(&'static str),
    Call { name: &'static str, raw: String, size: usize },
    Begin { id: &'static str, name: &'static str, json: &'static str },
    TypeOn(&'static str),
    Live,
}

fn arguments() -> impl Strategy<Value = Value> {
    let path = prop::sample::select(vec!["index.html", "a.css", "../x", "", "INDEX.html"]);
    let text = prop::sample::select(vec![
        "<!doctype html>\n<html>\n<p>one</p>\n",
        "<p>one</p>\n<p>two</p>\n</html>\n",
        "```html\n<p>fenced</p>\n```",
        "<file path=\"a\">x</file>",
        "",
        "é😀\n",
        "p",
    ]);
    (path, text.clone(), text, 0..7_u8).prop_map(|(path, one, two, shape)| match shape {
        0 => json!({ "path": path, "content": one.repeat(9) }),
        1 => json!({ "content": one, "path": path, "thought": two }),
        2 => json!({ "path": path, "old_text": one, "new_text": two, "count": -1 }),
        3 => json!({ "path": path, "edits": [{ "old_text": "p", "new_text": one }, { "old_text": two, "new_text": one }] }),
        4 => json!({ "edits": [{ "old_text": "one", "new_text": two }, { "old_text": "o", "new_text": "p" }], "path": path }),
        5 => json!({ "pattern": one, "content": 7 }),
        _ => json!([one, path]),
    })
}

fn act() -> impl Strategy<Value = Act> {
    let names = ["create_file", "append_file", "edit_file", "read_file", "search_files", "think", "nonsense"];
    let call = (
        prop::sample::select(names.to_vec()),
        arguments(),
        1..40_usize,
        any::<prop::sample::Index>(),
        0..3_u8,
    );
    prop_oneof![
        1 => prop::sample::select(vec!["Hm.", "<!doctype html><html><p>text</p>", ""]).prop_map(Act::Say),
        5 => call.prop_map(|(name, arguments, size, cut, is_cut)| {
            let raw = arguments.to_string();
            let cut = (cut.index(raw.len())..=raw.len()).find(|at| raw.is_char_boundary(*at)).unwrap_or(0);
            let raw = if is_cut == 0 { raw[..cut].to_owned() } else { raw };
            Act::Call { name, raw, size }
        }),
        1 => begin(),
        1 => prop::sample::select(vec!["\"", "}", "more", "\\"]).prop_map(Act::TypeOn),
        1 => Just(Act::Live),
    ]
}

/// A call that is begun under an id of its own, or one that is taken, and is not made.
fn begin() -> impl Strategy<Value = Act> {
    let names = prop::sample::select(vec!["create_file", "think", "edit_file"]);
    let json = "{\"path\": \"index.html\", \"content\": \"<p>ghost";
    (prop::sample::select(vec!["ghost", "call-1", "call-2"]), names).prop_map(move |(id, name)| Act::Begin {
        id,
        name,
        json,
    })
}

fn reply() -> impl Strategy<Value = Reply> {
    let stop = prop::sample::select(vec![
        None,
        None,
        Some(StopReason::Truncated),
        Some(StopReason::Truncated),
        Some(StopReason::MalformedCall),
        Some(StopReason::Refused),
        Some(StopReason::Blocked),
    ]);
    (prop::collection::vec(act(), 0..4), stop, 0..8_u8).prop_map(|(acts, stop, end)| {
        let mut reply = Reply::new().using(TokenUsage { input: 1_000, output: 500, ..TokenUsage::default() });
        for act in acts {
            reply = match act {
                Act::Say(text) => reply.saying(text),
                Act::Call { name, raw, size } => reply.calling_with(name, &raw, size),
                Act::Begin { id, name, json } => reply.beginning(id, name, json),
                Act::TypeOn(piece) => reply.typing_on(piece),
                Act::Live => reply.living(),
            };
        }
        let lost = Failure::new(ErrorKind::Network, "gone");
        let reply = match end {
            0 => reply.failing(SessionError::retryable(lost)),
            1 => reply.breaking_off(),
            _ => reply,
        };
        // A turn that is cut has no calls: they must not run.
        match stop {
            Some(stop) => reply.without_calls().stopping(stop),
            None => reply,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_ends_and_shows_what_it_stores(
        replies in prop::collection::vec(reply(), 1..8),
        can_double in any::<bool>(),
        cap_cents in 0..3_u32,
        has_page in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let before = if has_page { files([("index.html", "<p>one</p>\n")]) } else { files([]) };
        let mut session = ScriptedSession::new(replies).priced((1_000, 500), (1.0, 2.0));
        if can_double {
            session = session.doubling();
        }
        let cap = SpendCap::of_usd(f64::from(cap_cents) / 100.0);
        let cx = ToolContext::new(VariantIndex(0), before.clone(), CancellationToken::new()).spending(cap.clone());
        let run = runtime.block_on(play_with(&engine(Limits { max_rounds: 12, ..Limits::of_create() }), session, cx));
        prop_assert!(run.outcome.status.is_terminal() && run.outcome.rounds <= 12);
        prop_assert_eq!(cap.reserved_usd(), 0.0);
        prop_assert!(cap_cents == 0 || cap.settled_usd() <= f64::from(cap_cents) / 100.0 + 1e-9);
        run.assert_shown_is_stored(&before);
        // Nothing ends twice, and what is left open was given up with its reply or its run.
        let given_up = run.recording.notes.iter().any(|note| matches!(note, EngineNote::AttemptReplaced { .. }))
            || matches!(run.outcome.status, RunStatus::Failed | RunStatus::BudgetExceeded);
        let lives = run.lives();
        prop_assert!(lives.iter().all(|life| *life == (1, 1) || (given_up && *life == (1, 0))), "{:?}", lives);
        // One result for each call of each turn that went back.
        prop_assert!(run.told.requests.len() >= run.told.turns.len());
    }
}
