//! A conversation that is kept as it grows, in the form its vendor wants it back in.

use facsimile_agent::{
    Continuation, ErrorKind, ExecutedToolCall, Failure, ImageBytes, NativeTurn, OutputBudget,
    ProviderSession, ProviderTurn, RunId, SessionError, StopReason, StreamEvent, ToolArguments, ToolChoice,
    ToolImage, TurnEstimate, TurnStream, UserMessage, VariantIndex,
};
use facsimile_store::{
    HistoryStore, MessageImage, MessageRole, NewAsset, NewMessage, StoreError, StoredCall,
};
use futures::StreamExt;
use serde_json::{Value, json};

/// The type of an asset that is the address of a picture.
pub(crate) const ADDRESS: &str = "text/uri-list";
/// The name of a user's words that went out in one message with the results before them.
pub(crate) const BEHIND_RESULTS: &str = "behindResults";

/// Where a user's words stand.
#[derive(Clone, Copy)]
enum Place {
    Alone,
    BehindResults,
}

/// Where the messages of one variant are kept.
pub(crate) struct Record {
    pub(crate) store: HistoryStore,
    pub(crate) run: RunId,
    pub(crate) variant: VariantIndex,
}

impl Record {
    fn append(&self, message: NewMessage) -> Result<(), StoreError> {
        self.store.messages().append(self.run, self.variant, message).map(drop)
    }

    fn image(
        &self,
        call: Option<usize>,
        mime: &str,
        bytes: &[u8],
        label: &str,
    ) -> Result<MessageImage, StoreError> {
        let extension = if mime == ADDRESS { "url" } else { mime.strip_prefix("image/").unwrap_or("bin") };
        let asset = NewAsset::new(bytes.to_vec(), mime, extension);
        let asset = self.store.assets().put(asset)?.id;
        Ok(MessageImage { call, asset, label: label.to_owned() })
    }
}

/// A session whose messages are kept before it goes on.
pub(crate) struct KeptSession {
    inner: Box<dyn ProviderSession>,
    record: Record,
    dialect: String,
    round: u32,
    /// The last reply, until it is appended or the session closes.
    last: Option<ProviderTurn>,
}

impl KeptSession {
    /// A session that has not begun, with the instructions it was given.
    pub(crate) fn new(
        inner: Box<dyn ProviderSession>,
        record: Record,
        dialect: String,
        system: &str,
    ) -> Result<Self, SessionError> {
        let kept = Self { inner, record, dialect, round: 0, last: None };
        kept.keep(MessageRole::System, Value::from(system), Vec::new(), Vec::new())?;
        Ok(kept)
    }

    fn keep(
        &self,
        role: MessageRole,
        body: Value,
        calls: Vec<StoredCall>,
        images: Vec<MessageImage>,
    ) -> Result<(), SessionError> {
        let dialect = if role == MessageRole::Vendor { self.dialect.clone() } else { String::new() };
        let message = NewMessage { round: self.round, role, dialect, body, calls, images };
        self.record.append(message).map_err(unkept)
    }

    fn keep_user(&self, message: &UserMessage, place: Place) -> Result<(), SessionError> {
        let image = |ImageBytes { mime, bytes, label }: &ImageBytes| {
            self.record.image(None, mime, bytes, label).map_err(unkept)
        };
        let images = message.images.iter().map(image).collect::<Result<_, _>>()?;
        let body = match place {
            Place::Alone => Value::from(message.text.as_str()),
            Place::BehindResults => json!({ BEHIND_RESULTS: message.text }),
        };
        self.keep(MessageRole::User, body, Vec::new(), images)
    }

    fn keep_turn(&mut self, turn: &NativeTurn, results: &[ExecutedToolCall]) -> Result<(), SessionError> {
        self.last = None;
        self.round += 1;
        let mut images = Vec::new();
        for (index, executed) in results.iter().enumerate() {
            for image in &executed.result.images {
                let kept = match image {
                    ToolImage::Bytes { mime, data, label } => {
                        self.record.image(Some(index), mime, data, label)
                    }
                    // What has an address is kept as its address.
                    ToolImage::Url { url, label } => {
                        self.record.image(Some(index), ADDRESS, url.as_str().as_bytes(), label)
                    }
                };
                images.push(kept.map_err(unkept)?);
            }
        }
        let calls = results.iter().map(stored).collect();
        self.keep(MessageRole::Vendor, turn.0.clone(), calls, images)
    }
}

impl ProviderSession for KeptSession {
    fn stream_turn(&mut self, choice: ToolChoice, budget: OutputBudget) -> TurnStream<'_> {
        let Self { inner, last, .. } = self;
        *last = None;
        Box::pin(inner.stream_turn(choice, budget).inspect(move |item| {
            if let Ok(StreamEvent::TurnEnded(turn)) = item {
                *last = Some(turn.clone());
            }
        }))
    }

    fn append_tool_results(
        &mut self,
        turn: NativeTurn,
        results: Vec<ExecutedToolCall>,
        then: Option<UserMessage>,
    ) -> Result<(), SessionError> {
        let turn = NativeTurn(as_kept(turn.0));
        let mut results = results;
        for executed in &mut results {
            executed.result.result = as_kept(std::mem::take(&mut executed.result.result));
        }
        self.keep_turn(&turn, &results)?;
        if let Some(message) = &then {
            self.keep_user(message, Place::BehindResults)?;
        }
        self.inner.append_tool_results(turn, results, then)
    }

    fn append_user(&mut self, message: UserMessage) -> Result<(), SessionError> {
        self.keep_user(&message, Place::Alone)?;
        self.inner.append_user(message)
    }

    fn estimate(&self, budget: OutputBudget) -> TurnEstimate {
        self.inner.estimate(budget)
    }

    fn can_double_output(&self) -> bool {
        self.inner.can_double_output()
    }

    fn set_continuation(&mut self, continuation: Continuation) {
        self.inner.set_continuation(continuation);
    }

    fn total_cost_usd(&self) -> Option<f64> {
        self.inner.total_cost_usd()
    }
}

impl Drop for KeptSession {
    /// The last words are appended to no request; they are kept when the conversation closes. A reply that was cut
    /// or cannot be read was dropped from it.
    fn drop(&mut self) {
        let is_whole =
            |turn: &ProviderTurn| !matches!(turn.stop, StopReason::Truncated | StopReason::MalformedCall);
        let Some(turn) = self.last.take().filter(is_whole).filter(|turn| turn.tool_calls.is_empty()) else {
            return;
        };
        if let Err(error) = self.keep_turn(&turn.native, &[]) {
            tracing::warn!(%error, "the last message of a conversation was not kept");
        }
    }
}

/// A value as it is read back: the last digit of a long fraction may differ, and what is sent now has to be what is
/// sent when the conversation is taken up again.
fn as_kept(value: Value) -> Value {
    serde_json::from_str(&value.to_string()).unwrap_or(value)
}

fn stored(executed: &ExecutedToolCall) -> StoredCall {
    let arguments = match &executed.call.arguments {
        ToolArguments::Json(object) => Value::Object(object.clone()),
        ToolArguments::Malformed { raw, position } => json!({ "INVALID_JSON": raw, "position": position }),
    };
    StoredCall {
        call_id: executed.call.id.clone(),
        name: executed.call.name.clone(),
        arguments,
        ok: executed.result.ok,
        result: executed.result.result.clone(),
    }
}

fn unkept(error: StoreError) -> SessionError {
    SessionError::fatal(Failure::new(ErrorKind::Storage, error.to_string()))
}
