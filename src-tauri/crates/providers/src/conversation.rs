//! What was said so far, in no vendor's form: the input of every `request.rs`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use facsimile_agent::{
    ErrorKind, ExecutedToolCall, ImageBytes, NativeTurn, OutputBudget, ToolChoice, ToolImage, ToolSpec,
    UserMessage,
};
use serde_json::Value;

use crate::catalog::{Effort, ModelFacts};
use crate::error::Rejection;
use crate::image_tokens::Sighted;
use crate::optional::Omitted;

/// All images of a conversation together may hold this much as base64: what every vendor takes in a request.
pub const MAX_IMAGE_CHARS: usize = 20 * 1024 * 1024;
/// One image may hold this much as base64.
pub const MAX_ONE_IMAGE_CHARS: usize = 4_718_592;

/// A conversation: only ever appended to.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// The system prompt.
    pub system: String,
    entries: Vec<Entry>,
    image_chars: usize,
    size: Size,
}

/// How much was said, for an estimate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes of text, the vendor's own JSON included.
    pub text_bytes: u64,
    /// Pictures.
    pub images: Sighted,
}

/// One step of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// The user spoke.
    User(UserMessage),
    /// The model replied, and its calls were answered.
    Turn {
        /// The vendor's own form of the reply.
        native: NativeTurn,
        /// One answer per call, in the order of the calls.
        answers: Vec<Answer>,
        /// What the user said behind the answers.
        then: Option<UserMessage>,
    },
}

/// The answer to one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// Whether the tool did what was asked.
    pub ok: bool,
    /// What it gave.
    pub result: Value,
    /// What the model is to see.
    pub images: Vec<ToolImage>,
}

impl Answer {
    /// The result as text.
    pub fn text(&self) -> String {
        match &self.result {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// A call as a native turn names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRef {
    /// Its id, made by us where the vendor gave none.
    pub id: String,
    /// The tool.
    pub name: String,
}

impl Conversation {
    /// A conversation in which nothing was said yet.
    pub fn new(system: impl Into<String>) -> Self {
        let system = system.into();
        let size = Size { text_bytes: system.len() as u64, ..Size::default() };
        Self { system, entries: Vec::new(), image_chars: 0, size }
    }

    /// What was said, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How much was said.
    pub fn size(&self) -> Size {
        self.size
    }

    fn count_text(&mut self, text: &str) {
        self.size.text_bytes += text.len() as u64;
    }

    /// Appends a message of the user.
    pub fn append_user(&mut self, message: UserMessage) -> Result<(), Rejection> {
        self.admit(&message.images)?;
        self.count_text(&message.text);
        self.entries.push(Entry::User(message));
        Ok(())
    }

    /// Appends a reply whose calls are these, with their results.
    pub fn append_turn(
        &mut self,
        native: NativeTurn,
        calls: &[CallRef],
        results: Vec<ExecutedToolCall>,
        then: Option<UserMessage>,
    ) -> Result<(), Rejection> {
        if results.len() > calls.len() {
            let words = format!("{} results for the {} calls of a reply", results.len(), calls.len());
            return Err(Rejection::protocol(words));
        }
        if let Some(message) = &then {
            self.admit(&message.images)?;
        }
        let mut results: Vec<Option<ExecutedToolCall>> = results.into_iter().map(Some).collect();
        let mut answers = Vec::with_capacity(calls.len());
        for call in calls {
            let found = results
                .iter_mut()
                .find(|result| result.as_ref().is_some_and(|executed| executed.call.id == call.id))
                .and_then(Option::take);
            answers.push(match found {
                Some(executed) => self.answer(call, executed),
                None => Answer {
                    call_id: call.id.clone(),
                    name: call.name.clone(),
                    ok: false,
                    result: serde_json::json!({ "error": "not run: no result was given" }),
                    images: Vec::new(),
                },
            });
        }
        if let Some(stray) = results.into_iter().flatten().next() {
            return Err(Rejection::protocol(format!(
                "a result for {}, which no call asked for",
                stray.call.id
            )));
        }
        self.count_text(&native.0.to_string());
        answers.iter().for_each(|answer| self.count_text(&answer.text()));
        then.iter().for_each(|message| self.count_text(&message.text));
        self.entries.push(Entry::Turn { native, answers, then });
        Ok(())
    }

    /// The answer to a call, without the pictures there is no room for: what was sent before must stay, and a
    /// run must not end because of a screenshot.
    fn answer(&mut self, call: &CallRef, executed: ExecutedToolCall) -> Answer {
        let mut result = executed.result.result;
        let mut left_out = Vec::new();
        let mut images = executed.result.images;
        images.retain(|image| {
            let is_admitted = match image {
                ToolImage::Bytes { data, .. } => self.admit_sizes([data.len()].map(base64_len)),
                ToolImage::Url { .. } => true,
            };
            if !is_admitted {
                left_out.push(image.label().to_owned());
            }
            is_admitted
        });
        for image in &images {
            self.size.images += match image {
                ToolImage::Bytes { data, .. } => Sighted::encoded(data),
                ToolImage::Url { .. } => Sighted::unknown(),
            };
        }
        if let (false, Some(object)) = (left_out.is_empty(), result.as_object_mut()) {
            let notice = format!("left out, there is no room for more pictures: {}", left_out.join(", "));
            object.insert("images".to_owned(), notice.into());
        }
        Answer { call_id: call.id.clone(), name: call.name.clone(), ok: executed.result.ok, result, images }
    }

    /// Counts images in, or says that they are too many: what was sent is never taken out again.
    fn admit(&mut self, images: &[ImageBytes]) -> Result<(), Rejection> {
        let sizes = images.iter().map(|image| base64_len(image.bytes.len()));
        if let Some((image, size)) =
            images.iter().zip(sizes.clone()).find(|(_, size)| *size > MAX_ONE_IMAGE_CHARS)
        {
            let words = format!(
                "{} is {:.1} MB as it is sent; an image may have 4.5 MB",
                image.label,
                size as f64 / 1_048_576.0
            );
            return Err(Rejection::without_answer(ErrorKind::BadImage, words));
        }
        if !self.admit_sizes(sizes) {
            let words = "the images of the conversation would be more than 20 MB";
            return Err(Rejection::without_answer(ErrorKind::TooLong, words));
        }
        for image in images {
            self.size.images += Sighted::encoded(&image.bytes);
        }
        Ok(())
    }

    /// Counts pictures of these sizes in, all or none.
    fn admit_sizes(&mut self, sizes: impl IntoIterator<Item = usize> + Clone) -> bool {
        let total = self.image_chars + sizes.clone().into_iter().sum::<usize>();
        let are_small = sizes.clone().into_iter().all(|size| size <= MAX_ONE_IMAGE_CHARS);
        if total > MAX_IMAGE_CHARS || !are_small {
            return false;
        }
        self.image_chars = total;
        true
    }
}

/// What a request asks for beside the conversation.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The model.
    pub model: &'a ModelFacts,
    /// The tools on offer.
    pub tools: &'a [ToolSpec],
    /// Whether one must be called.
    pub choice: ToolChoice,
    /// How long the reply may be.
    pub budget: OutputBudget,
    /// How much the model is to think, if the user said so.
    pub effort: Option<Effort>,
    /// Names the conversation for the vendor's cache.
    pub cache_key: &'a str,
    /// The optional fields that the endpoint refused.
    pub omitted: &'a Omitted,
}

impl Ask<'_> {
    /// The limit of the reply in tokens.
    pub fn output_tokens(&self) -> u64 {
        self.model.output_tokens(self.budget.times())
    }
}

/// A picture as requests name it, whoever gave it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Picture<'a> {
    /// Encoded bytes and their type.
    Bytes { mime: &'a str, data: &'a [u8] },
    /// Where the vendor can load it.
    Url(&'a str),
}

impl Picture<'_> {
    /// The picture as an address: its own, or one that holds it.
    pub(crate) fn url(&self) -> String {
        match self {
            Picture::Bytes { mime, data } => format!("data:{mime};base64,{}", STANDARD.encode(data)),
            Picture::Url(url) => (*url).to_owned(),
        }
    }
}

impl<'a> From<&'a ImageBytes> for Picture<'a> {
    fn from(image: &'a ImageBytes) -> Self {
        Self::Bytes { mime: image.mime, data: &image.bytes }
    }
}

impl<'a> From<&'a ToolImage> for Picture<'a> {
    fn from(image: &'a ToolImage) -> Self {
        match image {
            ToolImage::Bytes { mime, data, .. } => Self::Bytes { mime, data },
            ToolImage::Url { url, .. } => Self::Url(url.as_str()),
        }
    }
}

/// Bytes as base64.
pub(crate) fn base64_of(data: &[u8]) -> String {
    STANDARD.encode(data)
}

fn base64_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

#[cfg(test)]
mod tests {
    use facsimile_agent::{ToolArguments, ToolCall, ToolExecutionResult};
    use serde_json::json;

    use super::*;

    fn executed(id: &str) -> ExecutedToolCall {
        let call = ToolCall {
            id: id.to_owned(),
            name: "read_file".to_owned(),
            arguments: ToolArguments::parse("{}"),
        };
        ExecutedToolCall { call, result: ToolExecutionResult::done(json!(id), json!(id)) }
    }

    fn call(id: &str) -> CallRef {
        CallRef { id: id.to_owned(), name: "read_file".to_owned() }
    }

    fn image(bytes: usize) -> UserMessage {
        let image =
            ImageBytes { mime: "image/png", bytes: vec![0; bytes].into(), label: "image 1".to_owned() };
        UserMessage { images: vec![image], text: String::new() }
    }

    #[test]
    fn answers_stand_in_the_order_of_the_calls_and_none_is_missing() {
        let mut conversation = Conversation::new("");
        let calls = [call("a"), call("b"), call("c")];
        conversation
            .append_turn(NativeTurn::default(), &calls, vec![executed("c"), executed("a")], None)
            .unwrap();
        let Some(Entry::Turn { answers, .. }) = conversation.entries().first() else { unreachable!() };
        let told: Vec<_> =
            answers.iter().map(|answer| (answer.call_id.as_str(), answer.ok, answer.text())).collect();
        let not_run = json!({ "error": "not run: no result was given" }).to_string();
        assert_eq!(told, [("a", true, "a".to_owned()), ("b", false, not_run), ("c", true, "c".to_owned())]);
    }

    #[test]
    fn a_result_that_no_call_asked_for_is_refused() {
        let mut conversation = Conversation::new("");
        let refused =
            conversation.append_turn(NativeTurn::default(), &[call("a")], vec![executed("x")], None);
        assert_eq!(refused.unwrap_err().words, "a result for x, which no call asked for");
        assert_eq!(conversation.entries(), []);
    }

    #[test]
    fn images_beyond_a_requests_limit_are_refused_before_they_enter() {
        let mut conversation = Conversation::new("");
        let megabytes = 1024 * 1024;
        assert_eq!(conversation.append_user(image(4 * megabytes)).unwrap_err().kind, ErrorKind::BadImage);
        let admitted = (0..10).take_while(|_| conversation.append_user(image(3 * megabytes)).is_ok()).count();
        assert_eq!((admitted, conversation.entries().len()), (5, 5));
    }
}
