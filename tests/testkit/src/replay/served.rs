//! What the server answers.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::check::Asked;
use super::dialect::Spoken;

/// One prepared answer.
#[derive(Debug, Clone)]
pub struct Served {
    status: u16,
    headers: Vec<(String, String)>,
    content: Content,
    chunk_size: usize,
    end: End,
    /// Whether it belongs to a conversation of its own.
    is_aside: bool,
}

#[derive(Debug, Clone)]
enum Content {
    Turn(ServedTurn),
    Reply(Reply),
    Raw(Vec<u8>),
    Whole(String),
}

/// Makes a turn of the request that it answers.
#[derive(Clone)]
struct Reply(Arc<dyn Fn(&Asked) -> ServedTurn + Send + Sync>);

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Whole,
    DropAfter(usize),
    HoldAfter(usize),
}

/// A reply in no dialect.
#[derive(Debug, Clone, Default)]
pub struct ServedTurn {
    /// What is thought.
    pub thinking: String,
    /// What is said.
    pub text: String,
    /// Id, tool and arguments of each call; a text instead of arguments is sent as it is, whatever it says.
    pub calls: Vec<(String, String, Value)>,
    /// Characters per delta.
    pub piece: usize,
    /// The characters of the last call's arguments that the output limit left.
    pub cut: Option<usize>,
    /// What the server says that it costs; only Chat Completions has a place for it.
    pub cost_usd: Option<f64>,
}

pub(super) enum Body {
    Whole(String),
    Chunks { chunks: Vec<Vec<u8>>, then_drop: bool, then_hold: bool },
}

impl ServedTurn {
    /// A reply of nothing.
    pub fn new() -> Self {
        Self { piece: 9, ..Self::default() }
    }

    /// Thinks.
    pub fn thinking(mut self, thinking: &str) -> Self {
        self.thinking = thinking.to_owned();
        self
    }

    /// Says.
    pub fn saying(mut self, text: &str) -> Self {
        self.text = text.to_owned();
        self
    }

    /// Calls a tool.
    pub fn calling(mut self, id: &str, name: &str, arguments: Value) -> Self {
        self.calls.push((id.to_owned(), name.to_owned(), arguments));
        self
    }

    /// Calls a tool with arguments that nobody may be able to read. Gemini has no way to send such.
    pub fn calling_with(mut self, id: &str, name: &str, raw: &str) -> Self {
        self.calls.push((id.to_owned(), name.to_owned(), Value::from(raw)));
        self
    }

    /// Is cut by the output limit after so many characters of its last call's arguments.
    pub fn cut_after(mut self, chars: usize) -> Self {
        self.cut = Some(chars);
        self
    }

    /// Costs so much, by the server's own word.
    pub fn costing(mut self, cost_usd: f64) -> Self {
        self.cost_usd = Some(cost_usd);
        self
    }

    /// The arguments of a call as far as they are sent, and whether they are cut.
    pub(super) fn sent(&self, call: usize) -> (String, bool) {
        let typed =
            |arguments: &Value| arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
        let raw = self.calls.get(call).map(|(_, _, arguments)| typed(arguments)).unwrap_or_default();
        match self.cut {
            Some(chars) if call + 1 == self.calls.len() => (raw.chars().take(chars).collect(), true),
            _ => (raw, false),
        }
    }

    /// Types so many characters per delta.
    pub fn typing(mut self, piece: usize) -> Self {
        self.piece = piece;
        self
    }
}

impl From<ServedTurn> for Served {
    fn from(turn: ServedTurn) -> Self {
        Self::with(200, Content::Turn(turn)).header("content-type", "text/event-stream")
    }
}

impl Served {
    fn with(status: u16, content: Content) -> Self {
        Self { status, headers: Vec::new(), content, chunk_size: 61, end: End::Whole, is_aside: false }
    }

    /// An answer with this status and body.
    pub fn status(status: u16, body: &str) -> Self {
        Self::with(status, Content::Whole(body.to_owned())).header("content-type", "application/json")
    }

    /// A turn that depends on the request: what a model writes after it was told something.
    pub fn replying(reply: impl Fn(&Asked) -> ServedTurn + Send + Sync + 'static) -> Self {
        let content = Content::Reply(Reply(Arc::new(reply)));
        Self::with(200, content).header("content-type", "text/event-stream")
    }

    /// The same once it is known what is asked.
    pub(super) fn to(mut self, asked: &Asked) -> Self {
        if let Content::Reply(Reply(reply)) = &self.content {
            self.content = Content::Turn(reply(asked));
        }
        self
    }

    /// A stream of these bytes; its reply is not asked to come back.
    pub fn stream(bytes: impl Into<Vec<u8>>) -> Self {
        Self::with(200, Content::Raw(bytes.into())).header("content-type", "text/event-stream")
    }

    /// Adds a header, or replaces it.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(held, _)| held != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends chunks of this many bytes.
    pub fn in_chunks_of(mut self, bytes: usize) -> Self {
        self.chunk_size = bytes;
        self
    }

    /// Drops the connection after so many chunks.
    pub fn dropping_after(mut self, chunks: usize) -> Self {
        self.end = End::DropAfter(chunks);
        self
    }

    /// Sends nothing more after so many chunks and waits for the client to close.
    pub fn holding_after(mut self, chunks: usize) -> Self {
        self.end = End::HoldAfter(chunks);
        self
    }

    /// Answers a question that is asked beside the conversation: neither knows of the other.
    pub fn aside(mut self) -> Self {
        self.is_aside = true;
        self
    }

    pub(super) fn is_aside(&self) -> bool {
        self.is_aside
    }

    pub(super) fn echo(&self, dialect: Spoken) -> Option<Value> {
        match &self.content {
            _ if self.is_aside => None,
            Content::Turn(turn) if self.end == End::Whole && turn.cut.is_none() => Some(dialect.echo(turn)),
            _ => None,
        }
    }

    pub(super) fn is_raw(&self) -> bool {
        matches!(self.content, Content::Raw(_))
    }

    pub(super) fn head(&self) -> String {
        let mut head = format!("HTTP/1.1 {} Replayed\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        match &self.content {
            Content::Whole(body) => head.push_str(&format!("content-length: {}\r\n\r\n", body.len())),
            _ => head.push_str("transfer-encoding: chunked\r\n\r\n"),
        }
        head
    }

    pub(super) fn body(self, dialect: Spoken) -> Body {
        let bytes = match self.content {
            Content::Whole(body) => return Body::Whole(body),
            Content::Raw(bytes) => bytes,
            Content::Turn(turn) => dialect.events(&turn).into_bytes(),
            // It is made a turn before it is sent.
            Content::Reply(_) => Vec::new(),
        };
        let most = match self.end {
            End::Whole => usize::MAX,
            End::DropAfter(chunks) | End::HoldAfter(chunks) => chunks,
        };
        let chunks = bytes.chunks(self.chunk_size.max(1)).take(most).map(<[u8]>::to_vec).collect();
        Body::Chunks {
            chunks,
            then_drop: matches!(self.end, End::DropAfter(_)),
            then_hold: matches!(self.end, End::HoldAfter(_)),
        }
    }
}
