//! Going on after the output limit cut a reply.

use super::finish::keep_page;
use super::late::News;
use super::limits::MAX_CONTINUATIONS;
use super::{Ending, Progress};
use crate::message::UserMessage;
use crate::project::overlap;
use crate::session::{Continuation, ProviderSession, ProviderTurn, SessionError, ToolChoice};
use crate::tool::Tool;
use crate::tools::AppendFile;

/// Asks for the rest of what a cut reply left unfinished; the reply itself is left out of the history.
pub(super) async fn ask_for_rest(
    turn: &ProviderTurn,
    session: &mut dyn ProviderSession,
    run: &mut Progress<'_>,
) -> Result<(), Ending> {
    // A model that writes its page into the reply is cut there.
    if let Some(path) = keep_page(&turn.text, run)
        && run.cx.files.read(&path).is_some_and(|page| !page.trim_end().ends_with("</html>"))
    {
        run.cx.leave_unfinished(path);
    }
    let message = News::of(run.cx).await.told_after(begin(session, run)?);
    session.append_user(message).map_err(failed)
}

/// Asks for the rest after a reply that was whole but left a file unfinished.
pub(super) async fn insist(
    turn: ProviderTurn,
    session: &mut dyn ProviderSession,
    run: &mut Progress<'_>,
) -> Result<(), Ending> {
    let message = News::of(run.cx).await.told_after(begin(session, run)?);
    session.append_tool_results(turn.native, Vec::new(), Some(message)).map_err(failed)
}

/// Ends a continuation whose file is whole.
pub(super) fn end_if_whole(session: &mut dyn ProviderSession, run: &mut Progress<'_>) {
    if run.cx.unfinished.is_empty() {
        run.continuations = 0;
        if std::mem::take(&mut run.cx.capabilities.is_continuation) {
            session.set_continuation(Continuation::Over);
        }
    }
}

/// Begins another continuation and words the request for it, unless there were enough of them.
fn begin(session: &mut dyn ProviderSession, run: &mut Progress<'_>) -> Result<UserMessage, Ending> {
    if run.continuations >= MAX_CONTINUATIONS {
        return Err(Ending::truncated());
    }
    run.continuations += 1;
    let Some(path) = run.cx.unfinished.last() else {
        // Nothing of a file had come: it was thought or said too much, or the vendor sends calls whole.
        let words = "Your last reply was cut at its output limit and nothing of it was kept. Go on with less at \
            once: think briefly, and write large pages as several smaller files.";
        return Ok(UserMessage::text(words));
    };
    let tail = overlap::tail(run.cx.files.read(path).unwrap_or_default());
    let tool = AppendFile::NAME;
    let words = format!(
        "Your last reply was cut at its output limit. {path} is kept as far as you wrote it. It ends with:\n\n\
         {tail}\n\nGo on with {tool} and the path {path}. Begin exactly behind the last character, repeat \
         nothing, and write until the file is complete."
    );
    run.choice = ToolChoice::Required;
    if !std::mem::replace(&mut run.cx.capabilities.is_continuation, true) {
        session.set_continuation(Continuation::Begun);
    }
    Ok(UserMessage::text(words))
}

fn failed(error: SessionError) -> Ending {
    Ending::failed(error.failure)
}
