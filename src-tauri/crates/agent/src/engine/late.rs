//! Tasks that go on beside the conversation: what came of them is told before the next request, and none is left
//! behind in silence.

use super::Progress;
use crate::event::EngineNote;
use crate::message::UserMessage;
use crate::ports::TaskNews;
use crate::status::RunStatus;
use crate::tool::ToolContext;
use crate::tools::jobs::{self, Account};

/// The tasks that ended since the model was last told. Whoever asks for them has to tell them: they come once.
pub(super) struct News {
    accounts: Vec<Account>,
}

impl News {
    pub(super) async fn of(cx: &mut ToolContext) -> Self {
        let untold = untold(cx).await;
        let ended = untold.iter().filter(|news| news.standing.is_final());
        Self { accounts: ended.map(|news| jobs::account(news, &[], &mut cx.media)).collect() }
    }

    /// Whether pictures that the page may count on are missing.
    pub(super) fn have_failures(&self) -> bool {
        self.accounts.iter().any(|account| account.has_failures)
    }

    /// All of it for the model, with the pictures it is to look at.
    pub(super) fn told(mut self) -> Option<UserMessage> {
        let mut images: Vec<_> =
            self.accounts.iter_mut().flat_map(|account| std::mem::take(&mut account.pictures)).collect();
        images.truncate(jobs::MAX_SHOWN);
        let (failed, made): (Vec<_>, Vec<_>) =
            self.accounts.into_iter().partition(|account| account.has_failures);
        let went_wrong = worded(
            "Tasks that went on while you worked went wrong, so pictures the page uses are missing: take them out or \
             replace them",
            failed,
        );
        let have_ended = worded("Tasks that went on while you worked have ended", made);
        let texts: Vec<String> = went_wrong.into_iter().chain(have_ended).collect();
        (!texts.is_empty()).then(|| UserMessage { images, text: texts.join("\n\n") })
    }

    /// All of it behind what else the model is told.
    pub(super) fn told_after(self, mut message: UserMessage) -> UserMessage {
        if let Some(news) = self.told() {
            message.text = format!("{}\n\n{}", message.text, news.text);
            message.images.extend(news.images);
        }
        message
    }
}

async fn untold(cx: &ToolContext) -> Vec<TaskNews> {
    match &cx.ports.tasks {
        Some(board) => board.untold().await,
        None => Vec::new(),
    }
}

fn worded(heading: &str, accounts: Vec<Account>) -> Option<String> {
    let lines: Vec<String> = accounts.into_iter().map(|account| account.words.to_string()).collect();
    let text = || format!("{heading} (told by the program, not by the person):\n\n{}", lines.join("\n"));
    (!lines.is_empty()).then(text)
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
