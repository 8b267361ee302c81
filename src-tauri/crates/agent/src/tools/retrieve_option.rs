//! `retrieve_option`: the files of another variant.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Capabilities, Effect, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Fetches another variant of what the turn started from.
pub struct RetrieveOption;

/// The arguments of `retrieve_option`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the option as the person counts them, from 1.
    option_number: u32,
}

/// Longer answers would crowd everything else out of the conversation.
const MAX_ANSWER_BYTES: usize = 100_000;

impl Tool for RetrieveOption {
    const NAME: &'static str = "retrieve_option";
    const DESCRIPTION: &'static str = "Gives the files of another option that was made beside the one you work on. \
        Use it when the person speaks of another option, or wants a part of it here; the number is the one the \
        person uses. It changes nothing: take over what is wanted with edit_file or create_file. On failure the \
        message lists the options there are. Costs the tokens of what it returns.";
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;

    fn offered(&self, to: &Capabilities) -> bool {
        to.has_options
    }

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let number = input.option_number;
        let Some(option) = cx.options.iter().find(|option| option.number == number) else {
            let known: Vec<_> = cx.options.iter().map(|option| option.number).collect();
            return Err(ToolFailure::new(format!("there is no other option {number}"))
                .with_detail(json!({ "options": known })));
        };
        let mut by_size: Vec<_> = option.files.iter().collect();
        by_size.sort_by_key(|(_, text)| text.len());
        let mut room = MAX_ANSWER_BYTES;
        let (mut cut, mut shown) = (Vec::new(), Vec::new());
        // Small files first: one that is too long is not to push out the others.
        for (path, text) in by_size {
            let part = &text[..text.floor_char_boundary(room)];
            room -= part.len();
            if part.len() < text.len() {
                cut.push(format!("{} of {} bytes of {path}", part.len(), text.len()));
            }
            shown.push((path, part));
        }
        shown.sort();
        let files: Vec<Value> =
            shown.iter().map(|(path, part)| json!({ "path": path, "content": part })).collect();
        let mut answer = json!({ "option": number, "count": option.files.len(), "files": files });
        if !cut.is_empty() {
            answer["cut"] = json!(format!("too long to show whole: {}", cut.join(", ")));
        }
        Ok(ToolExecutionResult::done(answer, json!({ "option": number, "count": option.files.len() })))
    }
}
