//! Conversations with models, message by message, in the form their vendors want them back in.

use std::str::FromStr;

use facsimile_agent::{AssetId, RunId, VariantIndex};
use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, Row, Transaction};
use serde_json::Value;

use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::rows::{all, as_column, asset_id, change, count, found, json, parsed};
use crate::turns::UnknownKind;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageRole {
    /// The instructions that the conversation begins with.
    System,
    /// The user, or the engine in the user's place.
    User,
    /// The model; the body is the vendor's own form.
    Vendor,
}

impl MessageRole {
    /// The storage name.
    pub fn as_str(self) -> &'static str {
        match self {
            MessageRole::System => "system",
            MessageRole::User => "user",
            MessageRole::Vendor => "vendor",
        }
    }
}

impl FromStr for MessageRole {
    type Err = UnknownKind;
    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        let roles = [MessageRole::System, MessageRole::User, MessageRole::Vendor];
        roles.into_iter().find(|role| role.as_str() == name).ok_or_else(|| UnknownKind(name.to_owned()))
    }
}

impl ToSql for MessageRole {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

/// A picture of a message, or of the result of one of its calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageImage {
    /// Which of the message's calls showed it; `None` for the message itself.
    pub call: Option<usize>,
    /// Its bytes, a stored asset.
    pub asset: AssetId,
    /// What the model calls it.
    pub label: String,
}

/// A tool call of a vendor's turn with its result.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredCall {
    /// The vendor's name for it.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// Its arguments: JSON, or what came in its place.
    pub arguments: Value,
    /// Whether the tool did what was asked.
    pub ok: bool,
    /// What the model was told.
    pub result: Value,
}

/// A message to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// The round it belongs to; 0 before the first.
    pub round: u32,
    /// Who speaks.
    pub role: MessageRole,
    /// In whose form the body is, such as `anthropic`; empty for plain words.
    pub dialect: String,
    /// What is said.
    pub body: Value,
    /// The calls of a vendor's turn, in order.
    pub calls: Vec<StoredCall>,
    /// Pictures of it and of its calls, in order.
    pub images: Vec<MessageImage>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its place in the conversation of its variant, counted from 1.
    pub nth: u64,
    /// The message.
    pub message: NewMessage,
}

/// The messages of variants. What was appended is never changed.
#[derive(Debug)]
pub struct Messages<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Messages<'_> {
    /// Keeps the next message of a variant's conversation and gives its place.
    pub fn append(&self, run: RunId, variant: VariantIndex, new: NewMessage) -> Result<u64, StoreError> {
        self.store.write("save a message", move |rows| append(rows, run, variant, &new))
    }

    /// The conversation of a variant, in order.
    pub fn of_variant(&self, run: RunId, variant: VariantIndex) -> Result<Vec<Message>, StoreError> {
        self.first_of_variant(run, variant, u64::MAX)
    }

    /// The first messages of a variant's conversation, such as those that a version pins.
    pub fn first_of_variant(
        &self,
        run: RunId,
        variant: VariantIndex,
        messages: u64,
    ) -> Result<Vec<Message>, StoreError> {
        self.store.read("read a conversation", move |connection| {
            let sql = "SELECT nth, round, role, dialect, body FROM messages
                       WHERE run = ?1 AND idx = ?2 AND nth <= ?3 ORDER BY nth";
            let key = (run.to_string(), variant.0, as_column(messages));
            let mut found = all(connection, sql, key, message)?;
            for message in &mut found {
                let key = (run.to_string(), variant.0, as_column(message.nth));
                let sql = "SELECT call_id, name, arguments, ok, result FROM tool_calls
                           WHERE run = ?1 AND idx = ?2 AND message = ?3 ORDER BY position";
                message.message.calls = all(connection, sql, key.clone(), call)?;
                let sql = "SELECT call, asset, label FROM message_images
                           WHERE run = ?1 AND idx = ?2 AND message = ?3 ORDER BY position";
                message.message.images = all(connection, sql, key, image)?;
            }
            Ok(found)
        })
    }
}

/// How many messages the conversation of a variant has.
pub(crate) fn count_of(connection: &Connection, run: &str, variant: u8) -> Worked<u64> {
    let sql = "SELECT coalesce(max(nth), 0) FROM messages WHERE run = ?1 AND idx = ?2";
    Ok(connection.prepare_cached(sql)?.query_row((run, variant), |row| count(row, 0))?)
}

fn append(rows: &Transaction<'_>, run: RunId, variant: VariantIndex, new: &NewMessage) -> Worked<u64> {
    let run = run.to_string();
    let sql = "SELECT 1 FROM variants WHERE run = ?1 AND idx = ?2";
    found(rows, "variant", &run, sql, (&run, variant.0), |_| Ok(()))?;
    let nth = count_of(rows, &run, variant.0)? + 1;
    let sql = "INSERT INTO messages (run, idx, nth, round, role, dialect, body)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let row = (&run, variant.0, as_column(nth), new.round, new.role, &new.dialect, new.body.to_string());
    change(rows, sql, row)?;
    for (position, call) in new.calls.iter().enumerate() {
        let sql = "INSERT INTO tool_calls (run, idx, message, position, call_id, name, arguments, ok, result)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let StoredCall { call_id, name, arguments, ok, result } = call;
        let (arguments, result) = (arguments.to_string(), result.to_string());
        let position = as_column(position as u64);
        let row = (&run, variant.0, as_column(nth), position, call_id, name, arguments, ok, result);
        change(rows, sql, row)?;
    }
    for (position, image) in new.images.iter().enumerate() {
        let hash = image.asset.as_str();
        found(rows, "asset", hash, "SELECT 1 FROM assets WHERE sha256 = ?1", [hash], |_| Ok(()))?;
        let sql = "INSERT INTO message_images (run, idx, message, position, call, asset, label)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let call = image.call.map(|call| as_column(call as u64));
        let position = as_column(position as u64);
        change(rows, sql, (&run, variant.0, as_column(nth), position, call, hash, &image.label))?;
    }
    Ok(nth)
}

fn message(row: &Row<'_>) -> rusqlite::Result<Message> {
    Ok(Message {
        nth: count(row, "nth")?,
        message: NewMessage {
            round: row.get("round")?,
            role: parsed(row, "role")?,
            dialect: row.get("dialect")?,
            body: json(row, "body")?,
            calls: Vec::new(),
            images: Vec::new(),
        },
    })
}

fn call(row: &Row<'_>) -> rusqlite::Result<StoredCall> {
    Ok(StoredCall {
        call_id: row.get("call_id")?,
        name: row.get("name")?,
        arguments: json(row, "arguments")?,
        ok: row.get("ok")?,
        result: json(row, "result")?,
    })
}

fn image(row: &Row<'_>) -> rusqlite::Result<MessageImage> {
    let call: Option<u32> = row.get("call")?;
    Ok(MessageImage {
        call: call.map(|call| call as usize),
        asset: asset_id(row, "asset")?,
        label: row.get("label")?,
    })
}
