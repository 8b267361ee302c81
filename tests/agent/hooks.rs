//! What may keep a model from stopping.

use std::sync::{Arc, Mutex};

use facsimile_agent::{
    EngineNote, Limits, LoopState, RunStatus, StopHook, ToolChoice, ToolContext, UserMessage, VariantIndex,
};
use facsimile_testkit::{Reply, ScriptedSession, calls, says};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Run, engine, files, play_with};

/// Wants an edit, and remembers how often it said so.
#[derive(Default)]
struct WantsAnEdit {
    seen: Mutex<Vec<(bool, bool, u32)>>,
}

impl StopHook for WantsAnEdit {
    fn instruction<'a>(&'a self, state: LoopState<'a>) -> BoxFuture<'a, Option<String>> {
        self.seen.lock().unwrap().push((state.has_read(), state.has_edited(), state.in_a_row));
        let words = if state.has_read() { "make the edit" } else { "explore, then edit" };
        let instruction = (!state.has_edited()).then(|| words.to_owned());
        async move { instruction }.boxed()
    }
}

async fn play(hook: &Arc<WantsAnEdit>, replies: impl IntoIterator<Item = Reply>) -> Run {
    let cancel = CancellationToken::new();
    let cx = ToolContext::new(VariantIndex(0), files([("index.html", "<h1>One</h1>")]), cancel);
    let mut engine = engine(Limits::of_modify()).hooked(Arc::<WantsAnEdit>::clone(hook));
    engine.first_choice = ToolChoice::Required;
    play_with(&engine, ScriptedSession::new(replies), cx).await
}

#[tokio::test(start_paused = true)]
async fn a_hook_sends_the_model_back_to_work_by_the_state_of_the_loop() {
    let hook = Arc::default();
    let run = play(
        &hook,
        [
            says("All good."),
            calls("read_file", json!({})),
            says("I see."),
            calls("edit_file", json!({"old_text": "One", "new_text": "Two"})),
            says("Done."),
        ],
    )
    .await;
    let told: Vec<_> = ["explore, then edit", "make the edit"].map(UserMessage::text).into();
    assert_eq!(run.told.messages, told);
    let choices: Vec<_> = run.told.requests.iter().map(|request| request.0).collect();
    use ToolChoice::{Auto, Required};
    assert_eq!(choices, [Required, Required, Auto, Required, Auto]);
    assert_eq!((run.outcome.status, run.outcome.message.as_str()), (RunStatus::Succeeded, "Done."));
    let seen = [(false, false, 0), (true, false, 0), (true, true, 0)];
    assert_eq!(*hook.seen.lock().unwrap(), seen);
    let sent_back = |note: &EngineNote| match note {
        EngineNote::SentBack { instruction } => Some(instruction.clone()),
        _ => None,
    };
    let notes: Vec<_> = run.recording.notes.iter().filter_map(sent_back).collect();
    assert_eq!(notes, ["explore, then edit", "make the edit"]);
}

#[tokio::test(start_paused = true)]
async fn after_five_instructions_in_a_row_the_model_may_stop() {
    let hook = Arc::default();
    let run = play(&hook, (0..20).map(|_| says("No."))).await;
    assert_eq!((run.told.requests.len(), run.told.messages.len()), (6, 5));
    let counted: Vec<_> = hook.seen.lock().unwrap().iter().map(|seen| seen.2).collect();
    assert_eq!(counted, [0, 1, 2, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_a_hook_refused_to_end_stays_in_the_history() {
    let run = play(&Arc::default(), [says("All good."), says("Still.")]).await;
    assert_eq!(run.told.turns[..2], [json!({"turn": 1}), json!({"turn": 2})]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_not_argued_with() {
    let refused = says("I will not.").stopping(facsimile_agent::StopReason::Refused);
    let run = play(&Arc::default(), [refused]).await;
    assert_eq!((run.told.requests.len(), run.told.messages.len()), (1, 0));
}

struct NeverAnswers;

impl StopHook for NeverAnswers {
    fn instruction<'a>(&'a self, _: LoopState<'a>) -> BoxFuture<'a, Option<String>> {
        std::future::pending().boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_hangs_can_be_stopped() {
    let cancel = CancellationToken::new();
    let cx = ToolContext::new(VariantIndex(0), files([]), cancel.clone());
    let engine = engine(Limits::of_modify()).hooked(Arc::new(NeverAnswers));
    let (run, ()) = tokio::join!(play_with(&engine, ScriptedSession::new([says("Hm.")]), cx), async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        cancel.cancel();
    });
    assert_eq!(run.outcome.status, RunStatus::Cancelled);
}
