//! Tasks that go on beside the conversation: what came of them is told before the next request, and none is left
//! behind in silence.

use serde_json::Value;

use super::Progress;
use crate::event::EngineNote;
use crate::message::UserMessage;
use crate::ports::TaskNews;
use crate::status::RunStatus;
use crate::tool::ToolContext;
use crate::tools::jobs::{self, Account};

/// What the model is told of tasks that ended since it was last told.
pub(super) async fn news(cx: &mut ToolContext) -> Option<UserMessage> {
    let mut accounts = ended(cx).await;
    let mut images: Vec<_> =
        accounts.iter_mut().flat_map(|account| std::mem::take(&mut account.pictures)).collect();
    images.truncate(jobs::MAX_SHOWN);
    let words = accounts.into_iter().map(|account| account.words);
    let message = worded("Tasks that went on while you worked have ended", words)?;
    Some(UserMessage { images, ..message })
}

/// What the model is told of tasks that went wrong since it was last told: its page may count on their pictures.
pub(super) async fn failures(cx: &mut ToolContext) -> Option<String> {
    let accounts = ended(cx).await;
    let failed = accounts.into_iter().filter(|account| account.has_failures);
    let heading = "Tasks that went on while you worked went wrong, so pictures the page uses are missing: take them \
                   out or replace them";
    worded(heading, failed.map(|account| account.words)).map(|message| message.text)
}

async fn ended(cx: &mut ToolContext) -> Vec<Account> {
    let untold = untold(cx).await;
    let ended = untold.iter().filter(|news| news.standing.is_final());
    ended.map(|news| jobs::account(news, &[], &mut cx.media)).collect()
}

async fn untold(cx: &ToolContext) -> Vec<TaskNews> {
    match &cx.ports.tasks {
        Some(board) => board.untold().await,
        None => Vec::new(),
    }
}

fn worded(heading: &str, accounts: impl Iterator<Item = Value>) -> Option<UserMessage> {
    let lines: Vec<String> = accounts.map(|account| account.to_string()).collect();
    let text = || format!("{heading} (told by the program, not by the person):\n\n{}", lines.join("\n"));
    (!lines.is_empty()).then(|| UserMessage::text(text()))
}

/// Stops the tasks of a variant that was stopped; of those that go on it is said that they do.
pub(super) async fn leave(run: &mut Progress<'_>, status: RunStatus) {
    let untold = untold(run.cx).await;
    let open: Vec<&TaskNews> = untold.iter().filter(|news| !news.standing.is_final()).collect();
    if open.is_empty() {
        return;
    }
    if status == RunStatus::Cancelled {
        if let Some(board) = &run.cx.ports.tasks {
            open.iter().for_each(|news| board.cancel(news.id));
        }
        return;
    }
    let titles = open.iter().map(|news| news.title.clone()).collect();
    run.sink.note(EngineNote::TasksLeftOpen { titles });
}
