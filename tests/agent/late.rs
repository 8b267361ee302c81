//! Tasks that go on while the conversation does.

use std::sync::Arc;

use facsimile_agent::ports::{Ports, VisibleMedia};
use facsimile_agent::tool::{Capabilities, Making};
use facsimile_agent::{
    AgentEngine, EngineNote, Limits, LoopState, ProjectFiles, RunStatus, StopHook, StopReason, ToolContext,
    VariantIndex,
};
use facsimile_testkit::rooms::{Board, Fate, upload};
use facsimile_testkit::{Reply, ScriptedSession, calls, says};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Run, engine, play_with};

/// Plays the replies where pictures have these fates.
async fn play(board: &Arc<Board>, replies: Vec<Reply>, cancel: &CancellationToken) -> Run {
    play_by(&engine(Limits::of_create()), board, replies, cancel).await
}

async fn play_by(
    engine: &AgentEngine,
    board: &Arc<Board>,
    replies: Vec<Reply>,
    cancel: &CancellationToken,
) -> Run {
    let mut cx = ToolContext::new(VariantIndex(0), ProjectFiles::new(), cancel.clone());
    cx.ports = Ports { tasks: Some(board.clone()), ..Ports::default() };
    cx.media = VisibleMedia::of(vec![upload("shop.png", 1)]);
    let making = Some(Making::Local);
    let wished = Capabilities { generation: making, cutting_out: making, ..Capabilities::default() };
    cx.capabilities = wished.with(&cx.ports, &cx.media, &[]);
    play_with(engine, ScriptedSession::new(replies), cx).await
}

fn draws() -> Reply {
    calls("generate_images", json!({"prompts": [{"prompt": "a lamp"}]}))
}

fn writes() -> Reply {
    calls("create_file", json!({"content": "<img src=\"assets/task-0-1.png\" alt=\"\">"}))
}

fn notices(run: &Run) -> Vec<&EngineNote> {
    run.recording.notes.iter().filter(|note| matches!(note, EngineNote::TasksLeftOpen { .. })).collect()
}

#[tokio::test(start_paused = true)]
async fn what_ended_meanwhile_is_told_once_with_the_next_results() {
    let board = Board::with([Fate::MadeLater]);
    let replies = vec![draws(), writes(), says("done")];
    let run = play(&board, replies, &CancellationToken::new()).await;
    let told: Vec<&str> = run.told.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(told.len(), 1);
    let heading =
        "Tasks that went on while you worked have ended (told by the program, not by the person):\n\n";
    let news: serde_json::Value = serde_json::from_str(told[0].strip_prefix(heading).unwrap()).unwrap();
    let image =
        json!({"path": "assets/task-0-1.png", "image": 2, "width": 400, "height": 200, "state": "done"});
    assert_eq!((&news["status"], &news["images"]), (&json!("succeeded"), &json!([image])));
    assert_eq!((run.outcome.status, notices(&run).len()), (RunStatus::Succeeded, 0));
}

#[tokio::test(start_paused = true)]
async fn a_picture_that_was_changed_meanwhile_is_shown_with_its_news_and_a_new_one_is_only_named() {
    let cut = calls("remove_background", json!({"images": [1]}));
    let mut shown = Vec::new();
    for order in [cut, draws()] {
        let board = Board::with([Fate::MadeLater]);
        let run = play(&board, vec![order, writes(), says("done")], &CancellationToken::new()).await;
        let news = &run.told.messages[0];
        assert!(news.text.contains("\"image\":2"), "{}", news.text);
        shown.push(news.images.iter().map(|image| (image.mime, image.label.clone())).collect::<Vec<_>>());
    }
    assert_eq!(shown, [vec![("image/png", "image 2".to_owned())], vec![]]);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_before_its_tasks_says_so() {
    let run =
        play(&Board::with([Fate::Open]), vec![draws(), writes(), says("done")], &CancellationToken::new())
            .await;
    let open = EngineNote::TasksLeftOpen { titles: vec!["a lamp".to_owned()] };
    assert_eq!(
        (run.outcome.status, notices(&run), run.told.messages.len()),
        (RunStatus::Succeeded, vec![&open], 0)
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_at_its_limit_says_so_too() {
    let board = Board::with([Fate::Open]);
    let replies = (0..40).map(|_| draws()).collect();
    let run = play(&board, replies, &CancellationToken::new()).await;
    assert_eq!((run.outcome.status, notices(&run).len()), (RunStatus::StoppedAtLimit, 1));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_went_wrong_sends_the_model_back_before_it_may_stop() {
    let board = Board::with([Fate::FailedLater]);
    let arguments = json!({"prompts": [{"prompt": "a lamp"}]});
    let replies = vec![writes().calling("generate_images", arguments, 9), says("done"), says("repaired")];
    let mut run = play(&board, replies, &CancellationToken::new()).await;
    let told = run.told.messages.pop().unwrap().text;
    assert!(told.starts_with("Tasks that went on while you worked went wrong"), "{told}");
    assert!(told.contains("\"error\":\"the service has too much to do. Try again\""), "{told}");
    let end = (run.outcome.status, run.outcome.message.as_str(), run.outcome.rounds, run.told.messages.len());
    assert_eq!(end, (RunStatus::Succeeded, "repaired", 3, 0));
}

/// How many tasks each message to the model tells of as made and as failed.
fn told_of(run: &Run) -> Vec<(usize, usize)> {
    let count = |text: &str, status: &str| text.matches(&format!("\"status\":\"{status}\"")).count();
    let messages = run.told.messages.iter().map(|message| message.text.as_str());
    messages.map(|text| (count(text, "succeeded"), count(text, "failed"))).collect()
}

#[tokio::test(start_paused = true)]
async fn what_was_made_is_told_with_what_went_wrong() {
    let board = Board::with([Fate::FailedLater, Fate::MadeLast]);
    let prompt = |words: &str| json!({"prompts": [{"prompt": words}]});
    let draws = writes().calling("generate_images", prompt("a lamp"), 9);
    let draws = draws.calling("generate_images", prompt("a chair"), 9);
    let run = play(&board, vec![draws, says("done"), says("repaired")], &CancellationToken::new()).await;
    assert_eq!((told_of(&run), run.outcome.rounds), (vec![(1, 1)], 3));
}

/// Wants more once.
#[derive(Default)]
struct WantsMore(std::sync::atomic::AtomicBool);

impl StopHook for WantsMore {
    fn instruction<'a>(&'a self, _state: LoopState<'a>) -> BoxFuture<'a, Option<String>> {
        let is_first = !self.0.swap(true, std::sync::atomic::Ordering::Relaxed);
        std::future::ready(is_first.then(|| "more, please".to_owned())).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn what_ended_meanwhile_is_told_with_the_instruction_of_a_hook() {
    let board = Board::with([Fate::MadeLast]);
    let engine = engine(Limits::of_create()).hooked(Arc::new(WantsMore::default()));
    let replies = vec![draws(), says("done"), says("more")];
    let run = play_by(&engine, &board, replies, &CancellationToken::new()).await;
    assert!(run.told.messages[0].text.starts_with("more, please\n\nTasks that went on"));
    assert_eq!(told_of(&run), [(1, 0)]);
}

#[tokio::test(start_paused = true)]
async fn what_ended_meanwhile_is_told_with_the_request_for_the_rest_of_a_file() {
    let board = Board::with([Fate::MadeLast]);
    let half = Reply::new().calling_with("create_file", "{\"content\": \"<p>half a page", 9);
    let replies = vec![draws(), half.stopping(StopReason::Truncated), says("done")];
    let run = play(&board, replies, &CancellationToken::new()).await;
    assert!(run.told.messages[0].text.starts_with("Your last reply was cut"));
    assert_eq!(told_of(&run)[0], (1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_tasks_of_a_stopped_variant_are_stopped() {
    let (board, cancel) = (Board::with([Fate::Open]), CancellationToken::new());
    let stop = cancel.clone();
    let script = vec![draws(), Reply::new().saying("…").pausing(std::time::Duration::from_secs(5)).hanging()];
    let stopper = async move {
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        stop.cancel();
    };
    let (run, ()) = tokio::join!(play(&board, script, &cancel), stopper);
    assert_eq!((run.outcome.status, board.cancelled(), notices(&run).len()), (RunStatus::Cancelled, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_same_order_twice_in_a_reply_is_one_task() {
    let board = Board::with([Fate::Open]);
    let arguments = json!({"prompts": [{"prompt": "a lamp"}]});
    let reply = Reply::new().calling("generate_images", arguments.clone(), 9).calling(
        "generate_images",
        arguments,
        9,
    );
    play(&board, vec![reply, says("done")], &CancellationToken::new()).await;
    assert_eq!(board.orders().len(), 1);
}
