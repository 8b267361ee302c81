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
        let mut room = MAX_ANSWER_BYTES;
        let mut left_out = Vec::new();
        let mut files: Vec<Value> = Vec::new();
        for (path, text) in option.files.iter() {
            if text.len() > room {
                left_out.push(path.as_str());
                continue;
            }
            room -= text.len();
            files.push(json!({ "path": path, "content": text }));
        }
        let mut answer = json!({ "option": number, "count": option.files.len(), "files": files });
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            answer["cut"] =
                json!(format!("{} of {} files shown; too long: {names}", files.len(), option.files.len()));
        }
        Ok(ToolExecutionResult::done(answer, json!({ "option": number, "count": option.files.len() })))
    }
}
