//! Conversations out of the store, ready to be taken up again.

use std::sync::Arc;

use facsimile_agent::{
    ExecutedToolCall, ImageBytes, NativeTurn, ProjectId, ProviderSession, PublicUrl, RunId, SessionError,
    ToolArguments, ToolCall, ToolExecutionResult, ToolImage, UserMessage, VariantIndex, VersionId,
};
use facsimile_providers::{Family, Past};
use facsimile_store::{HistoryStore, Message, MessageImage, MessageRole, NewMessage, StoredCall, TurnResult};
use serde_json::{Map, Value};

use crate::error::StudioError;
use crate::run::conversation::{ADDRESS, BEHIND_RESULTS, KeptSession, Record};
use crate::studio::Studio;

/// What was said before, oldest first.
#[derive(Debug, Default)]
pub struct StoredConversation {
    /// The latest instructions that the model was given; none where no model was asked.
    pub system: Option<String>,
    /// The steps, for [`facsimile_providers::Connector::resume`].
    pub past: Vec<Past>,
}

/// A session whose messages are kept with a variant before it goes on; `family` says whose form its replies have,
/// `system` which instructions it was given.
pub fn kept_with(
    store: &HistoryStore,
    (run, variant): (RunId, VariantIndex),
    session: Box<dyn ProviderSession>,
    family: Family,
    system: &str,
) -> Result<Box<dyn ProviderSession>, SessionError> {
    let record = Record { store: store.clone(), run, variant };
    Ok(Box::new(KeptSession::new(session, record, family.as_str().to_owned(), system)?))
}

/// The types of pictures that models are sent.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

impl Studio {
    /// What was said on the way to a version: the turns that led to it, each with the conversation of the variant
    /// that was gone on from. A turn whose messages were not kept is told in its words.
    pub fn conversation_behind(
        &self,
        project: ProjectId,
        version: VersionId,
    ) -> Result<StoredConversation, StudioError> {
        self.version_files(project, version)?;
        let store = self.store();
        let mut turns = Vec::new();
        let mut at = Some(version);
        while let Some(version) = at {
            let pins = store.versions().pins(version)?;
            let Some((run, variant)) = pins.conversation else { break };
            let turn = store.turns().get(store.runs().get(run)?.turn)?;
            let mut said = self.conversation_in(run, variant, pins.messages)?;
            if said.past.is_empty() {
                let TurnResult { assistant_text, .. } = turn.result;
                let words = [
                    Past::User(UserMessage::text(turn.request.instruction.clone())),
                    Past::Words(assistant_text),
                ];
                // A picture alone was asked for without words.
                said.past.extend(words.into_iter().filter(|_| !turn.request.instruction.is_empty()));
            }
            turns.push(said);
            at = turn.request.parent_version;
        }
        let mut whole = StoredConversation::default();
        for turn in turns.into_iter().rev() {
            whole.system = turn.system.or(whole.system);
            whole.past.extend(turn.past);
        }
        Ok(whole)
    }

    /// The first messages of a variant's conversation, such as those that a version knows of.
    pub fn conversation_in(
        &self,
        run: RunId,
        variant: VariantIndex,
        messages: u64,
    ) -> Result<StoredConversation, StudioError> {
        let mut said = StoredConversation::default();
        for Message { message, .. } in self.store().messages().first_of_variant(run, variant, messages)? {
            self.retell(message, &mut said)?;
        }
        Ok(said)
    }

    fn retell(&self, message: NewMessage, said: &mut StoredConversation) -> Result<(), StudioError> {
        let NewMessage { role, dialect, body, calls, images, .. } = message;
        match role {
            MessageRole::System => said.system = body.as_str().map(str::to_owned),
            MessageRole::User => {
                let behind = body.get(BEHIND_RESULTS).and_then(Value::as_str);
                let text = behind.or(body.as_str()).unwrap_or_default().to_owned();
                let images = images.iter().map(|image| self.sent_picture(image)).collect::<Result<_, _>>()?;
                let message = UserMessage { images, text };
                match said.past.last_mut() {
                    Some(Past::Reply { then, .. }) if behind.is_some() => *then = Some(message),
                    _ => said.past.push(Past::User(message)),
                }
            }
            MessageRole::Vendor => {
                let mut results: Vec<_> = calls.into_iter().map(executed).collect();
                for image in &images {
                    if let Some(executed) = image.call.and_then(|call| results.get_mut(call)) {
                        executed.result.images.push(self.shown(image)?);
                    }
                }
                // A dialect of a later program has no words that this one could read.
                if let Some(family) = Family::parse(&dialect) {
                    said.past.push(Past::Reply { family, turn: NativeTurn(body), results, then: None });
                }
            }
        }
        Ok(())
    }

    fn sent_picture(&self, image: &MessageImage) -> Result<ImageBytes, StudioError> {
        let assets = self.store().assets();
        let kind = assets.get(&image.asset)?.mime;
        let mime = PICTURES.into_iter().find(|mime| *mime == kind).unwrap_or("application/octet-stream");
        let bytes: Arc<[u8]> = assets.read(&image.asset)?.into();
        Ok(ImageBytes { mime, bytes, label: image.label.clone() })
    }

    fn shown(&self, image: &MessageImage) -> Result<ToolImage, StudioError> {
        let ImageBytes { mime, bytes, label } = self.sent_picture(image)?;
        if self.store().assets().get(&image.asset)?.mime == ADDRESS
            && let Ok(url) = PublicUrl::parse(&String::from_utf8_lossy(&bytes))
        {
            return Ok(ToolImage::Url { url, label });
        }
        Ok(ToolImage::Bytes { mime, data: bytes, label })
    }
}

/// A call with its result, as they were appended.
fn executed(stored: StoredCall) -> ExecutedToolCall {
    let StoredCall { call_id, name, arguments, ok, result } = stored;
    let arguments = match arguments {
        Value::Object(object) => read_arguments(object),
        other => ToolArguments::Malformed { raw: other.to_string(), position: 0 },
    };
    let call = ToolCall { id: call_id, name, arguments };
    let result =
        ToolExecutionResult { ok, result, summary: Value::Null, images: Vec::new(), changed: Vec::new() };
    ExecutedToolCall { call, result }
}

fn read_arguments(object: Map<String, Value>) -> ToolArguments {
    let raw = object.get("INVALID_JSON").and_then(Value::as_str);
    let position = object.get("position").and_then(Value::as_u64);
    match raw.zip(position) {
        Some((raw, position)) => {
            ToolArguments::Malformed { raw: raw.to_owned(), position: position as usize }
        }
        None => ToolArguments::Json(object),
    }
}
