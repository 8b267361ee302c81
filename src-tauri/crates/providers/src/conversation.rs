//! What was said so far, in no vendor's form: the input of every `request.rs`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use facsimile_agent::{
    ErrorKind, ExecutedToolCall, ImageBytes, NativeTurn, OutputBudget, ToolChoice, ToolSpec, UserMessage,
};
use serde_json::Value;

use crate::catalog::{Effort, ModelFacts};
use crate::error::Rejection;
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
    pub images: Vec<ImageBytes>,
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
        Self { system: system.into(), entries: Vec::new(), image_chars: 0 }
    }

    /// What was said, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Appends a message of the user.
    pub fn append_user(&mut self, message: UserMessage) -> Result<(), Rejection> {
        self.admit(&message.images)?;
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
            let (ok, result) = match found {
                Some(executed) => (executed.result.ok, executed.result.result),
                None => (false, serde_json::json!({ "error": "not run: no result was given" })),
            };
            answers.push(Answer {
                call_id: call.id.clone(),
                name: call.name.clone(),
                ok,
                result,
                images: Vec::new(),
            });
        }
        if let Some(stray) = results.into_iter().flatten().next() {
            return Err(Rejection::protocol(format!(
                "a result for {}, which no call asked for",
                stray.call.id
            )));
        }
        self.entries.push(Entry::Turn { native, answers, then });
        Ok(())
    }

    /// Counts images in, or says that they are too many: what was sent is never taken out again.
    fn admit(&mut self, images: &[ImageBytes]) -> Result<(), Rejection> {
        let sizes = images.iter().map(|image| image.bytes.len().div_ceil(3) * 4);
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
        let total = self.image_chars + sizes.sum::<usize>();
        if total > MAX_IMAGE_CHARS {
            let words = "the images of the conversation would be more than 20 MB";
            return Err(Rejection::without_answer(ErrorKind::TooLong, words));
        }
        self.image_chars = total;
        Ok(())
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
        self.model.output_tokens(match self.budget {
            OutputBudget::Usual => 1,
            OutputBudget::Doubled => 2,
        })
    }
}

/// An image's bytes as base64.
pub(crate) fn base64_of(image: &ImageBytes) -> String {
    STANDARD.encode(&image.bytes)
}

/// An image as a data URL.
pub(crate) fn data_url(image: &ImageBytes) -> String {
    format!("data:{};base64,{}", image.mime, base64_of(image))
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
