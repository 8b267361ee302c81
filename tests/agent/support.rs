//! Running a script to its end.

use std::sync::Arc;

use facsimile_agent::{
    AgentEngine, AgentEvent, Limits, Outcome, ProjectFiles, ProjectPath, ProviderSession, ToolContext,
    VariantIndex, tools,
};
use facsimile_testkit::script::Told;
use facsimile_testkit::{Recording, Reply, ScriptedSession, fold_code};
use tokio_util::sync::CancellationToken;

/// A finished run with all that can be asked about it.
pub struct Run {
    pub outcome: Outcome,
    pub files: ProjectFiles,
    pub recording: Recording,
    pub told: Told,
}

impl Run {
    /// The text of a file.
    pub fn file(&self, path: &str) -> Option<&str> {
        self.files.read(&ProjectPath::parse(path).unwrap())
    }

    /// The events as `type` with the tool's name, repetitions folded.
    pub fn order(&self) -> Vec<String> {
        let mut order: Vec<String> = self.recording.events.iter().map(label).collect();
        order.dedup();
        order
    }

    /// How often each call started and ended on the screen, in the order of the starts.
    pub fn lives(&self) -> Vec<(usize, usize)> {
        let mut lives: Vec<(&str, (usize, usize))> = Vec::new();
        for event in &self.recording.events {
            let (id, starts, ends) = match event {
                AgentEvent::ToolStart { event_id, .. } => (event_id.as_str(), 1, 0),
                AgentEvent::ToolResult { event_id, .. } => (event_id.as_str(), 0, 1),
                _ => continue,
            };
            match lives.iter_mut().find(|(known, _)| *known == id) {
                Some((_, life)) => *life = (life.0 + starts, life.1 + ends),
                None => {
                    assert_eq!(starts, 1, "{id} ends before it starts");
                    lives.push((id, (starts, ends)));
                }
            }
        }
        lives.into_iter().map(|(_, life)| life).collect()
    }

    /// Checks the rule that what was shown equals what was stored.
    pub fn assert_shown_is_stored(&self, before: &ProjectFiles) {
        let mut shown: std::collections::BTreeMap<String, String> =
            before.iter().map(|(path, text)| (path.to_string(), text.to_owned())).collect();
        shown.extend(fold_code(&self.recording.events));
        shown.retain(|_, text| !text.is_empty());
        let stored = self.files.iter().map(|(path, text)| (path.to_string(), text.to_owned())).collect();
        assert_eq!(shown, stored);
    }
}

fn label(event: &AgentEvent) -> String {
    match event {
        AgentEvent::SetCode { path, .. } => format!("setCode {path}"),
        AgentEvent::Assistant { .. } => "assistant".to_owned(),
        AgentEvent::Thinking { .. } => "thinking".to_owned(),
        AgentEvent::ToolStart { name, .. } => format!("toolStart {name}"),
        AgentEvent::ToolResult { name, ok, .. } => format!("toolResult {name} {ok}"),
    }
}

/// An engine over the real tools.
pub fn engine(limits: Limits) -> AgentEngine {
    AgentEngine::new(Arc::new(tools::registry().unwrap()), limits)
}

/// Plays the replies over no files.
pub async fn play(replies: impl IntoIterator<Item = Reply>) -> Run {
    play_on(ProjectFiles::new(), replies, &CancellationToken::new()).await
}

/// Plays the replies over these files.
pub async fn play_on(
    files: ProjectFiles,
    replies: impl IntoIterator<Item = Reply>,
    cancel: &CancellationToken,
) -> Run {
    let session = ScriptedSession::new(replies);
    play_session(files, session, Limits::of_create(), cancel).await
}

/// Plays a session within limits.
pub async fn play_session(
    files: ProjectFiles,
    session: ScriptedSession,
    limits: Limits,
    cancel: &CancellationToken,
) -> Run {
    let cx = ToolContext::new(VariantIndex(0), files, cancel.clone());
    play_with(&engine(limits), session, cx).await
}

/// Has an engine play a session on a context.
pub async fn play_with(engine: &AgentEngine, mut session: ScriptedSession, mut cx: ToolContext) -> Run {
    let told = session.told();
    let mut recording = Recording::default();
    let session: &mut dyn ProviderSession = &mut session;
    let outcome = engine.run(session, &mut cx, &mut recording).await;
    let told = told.lock().unwrap().clone();
    Run { outcome, files: cx.files, recording, told }
}

/// Files from pairs.
pub fn files<const N: usize>(pairs: [(&str, &str); N]) -> ProjectFiles {
    pairs.into_iter().map(|(path, text)| (ProjectPath::parse(path).unwrap(), text.to_owned())).collect()
}
