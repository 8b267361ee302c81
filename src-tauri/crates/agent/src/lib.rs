//! The room that thinks: a model's replies become files.
//!
//! [`AgentEngine`] runs the round loop over a [`ProviderSession`]: it forwards what the model says as
//! [`AgentEvent`]s, previews files while their arguments are still being typed, executes tool calls through
//! the [`ToolRegistry`] and ends with an [`Outcome`] that keeps whatever was built. The `studio` room starts
//! it, once per variant; the `providers` room and the offline tracer implement the session contract.
//! Nothing here opens a connection, touches a disk or knows a window.

pub mod checks;
pub mod engine;
pub mod error;
pub mod event;
pub mod ids;
pub mod message;
pub mod modify;
pub mod partial_json;
pub mod ports;
pub mod project;
pub mod prompt;
pub mod question;
pub mod secret;
pub mod session;
pub mod spend;
pub mod status;
pub mod tool;
pub mod tools;

pub use checks::{Checks, PageChecks, PageFindings};
pub use engine::hooks::{LoopState, StopHook, ToolUse};
pub use engine::limits::Limits;
pub use engine::{AgentEngine, Meter, Outcome};
pub use error::{ErrorKind, Failure};
pub use event::{AgentEvent, EngineNote, EventSink, RoundReport};
pub use ids::{AssetId, EventId, InputId, ProjectId, RunId, TaskId, TurnId, VariantIndex, VersionId};
pub use message::{ImageBytes, PublicUrl, ToolImage, UrlRefused, UserMessage};
pub use ports::{Ports, VisibleMedia};
pub use project::{ProjectFiles, ProjectPath};
pub use prompt::{Prompt, PromptVersion, Stack};
pub use secret::Secret;
pub use session::{
    Continuation, ExecutedToolCall, NativeTurn, OutputBudget, ProviderSession, ProviderTurn, SessionError,
    StopReason, StreamEvent, TokenUsage, ToolArguments, ToolCall, ToolChoice, TurnStream,
};
pub use spend::{CapReached, DEFAULT_CAP_USD, Reservation, SpendBook, SpendCap, TurnEstimate, UsdPerMillion};
pub use status::RunStatus;
pub use tool::{Effect, Tool, ToolContext, ToolExecutionResult, ToolFailure, ToolRegistry, ToolSpec};
