//! Running the real engine with the real tools against a replayed provider.

use std::sync::Arc;

use facsimile_agent::{
    AgentEngine, AgentEvent, EngineNote, EventSink, Limits, Outcome, ProjectFiles, ProjectPath,
    ProviderSession, ToolContext, UserMessage, VariantIndex, tools,
};
use facsimile_providers::{ConnectSpec, Connector, Endpoint, Family, ModelFacts, Secret};
use facsimile_testkit::Recording;
use facsimile_testkit::replay::{KEY, ReplayServer, Spoken};
use tokio_util::sync::CancellationToken;

pub fn family_of(dialect: Spoken) -> Family {
    match dialect {
        Spoken::OpenAiResponses => Family::OpenAiResponses,
        Spoken::Anthropic => Family::Anthropic,
        Spoken::Gemini => Family::Gemini,
        Spoken::OpenAiChat => Family::OpenAiChat,
    }
}

/// What a conversation with the server needs.
pub fn spec(dialect: Spoken, address: &str) -> ConnectSpec {
    let family = family_of(dialect);
    let (registry, usual) = (tools::registry().unwrap(), facsimile_agent::tool::Capabilities::default());
    ConnectSpec {
        endpoint: Endpoint::custom(family, address).unwrap(),
        key: Secret::new(KEY),
        model: ModelFacts::unlisted(family, "model-1"),
        effort: None,
        system: "You build pages.".to_owned(),
        tools: registry.specs(&usual),
        continuation_tools: registry.continuation_specs(&usual),
        cache_key: "project-1".to_owned(),
    }
}

/// A session in which the user has asked for a page.
pub fn session(connector: &Connector, spec: ConnectSpec) -> Box<dyn ProviderSession> {
    let mut session = connector.connect(spec).unwrap();
    session.append_user(UserMessage::text("Build the page.")).unwrap();
    session
}

/// A finished run.
pub struct Run {
    pub outcome: Outcome,
    pub files: ProjectFiles,
    pub recording: Recording,
}

impl Run {
    pub fn file(&self, path: &str) -> Option<&str> {
        self.files.read(&ProjectPath::parse(path).unwrap())
    }

    pub fn said(&self) -> String {
        self.recording
            .events
            .iter()
            .map(|event| match event {
                AgentEvent::Assistant { text, .. } => text.as_str(),
                _ => "",
            })
            .collect()
    }

    pub fn thought(&self) -> String {
        self.recording
            .events
            .iter()
            .map(|event| match event {
                AgentEvent::Thinking { text, .. } => text.as_str(),
                _ => "",
            })
            .collect()
    }

    /// The messages of the failures that were waited for.
    pub fn waits(&self) -> Vec<facsimile_agent::ErrorKind> {
        let notes = self.recording.notes.iter();
        notes
            .filter_map(|note| match note {
                EngineNote::Waiting { failure, .. } => Some(failure.kind),
                _ => None,
            })
            .collect()
    }
}

pub fn engine() -> AgentEngine {
    AgentEngine::new(Arc::new(tools::registry().unwrap()), Limits::of_create())
}

/// Runs a session to its end.
pub async fn run_session(session: &mut dyn ProviderSession) -> Run {
    let mut recording = Recording::default();
    let (outcome, files) = run_into(session, &CancellationToken::new(), &mut recording).await;
    Run { outcome, files, recording }
}

/// Runs a session to its end with this sink.
pub async fn run_into(
    session: &mut dyn ProviderSession,
    cancel: &CancellationToken,
    sink: &mut dyn EventSink,
) -> (Outcome, ProjectFiles) {
    let mut cx = ToolContext::new(VariantIndex(0), ProjectFiles::new(), cancel.clone());
    let outcome = engine().run(session, &mut cx, sink).await;
    (outcome, cx.files)
}

/// Runs against the server with a connector of its own.
pub async fn run(dialect: Spoken, server: &ReplayServer) -> Run {
    let mut session = session(&Connector::new(), spec(dialect, server.address()));
    run_session(session.as_mut()).await
}
