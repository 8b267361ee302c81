//! `facsimile models`.

use clap::Args;
use serde_json::{Value, json};

use super::exit::print_line;
use super::{Common, Exit, create};
use crate::place;

/// The arguments of `models`.
#[derive(Debug, Args)]
pub struct Models {
    /// openai, anthropic, gemini, chat or endpoint:ID.
    provider: String,
    /// The address of the endpoint.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Runs it.
pub fn run(models: &Models) -> Result<Exit, Exit> {
    let runtime = create::runtime()?;
    let studio = place::open_studio(models.common.data_dir.clone(), runtime.handle().clone())?;
    let listed = runtime.block_on(studio.models_of(&models.provider, models.base_url.as_deref()))?;
    if !models.common.json {
        for model in listed {
            let price = match (model.input_price, model.output_price) {
                (Some(input), Some(output)) => format!("  ${input} in, ${output} out per million tokens"),
                _ => String::new(),
            };
            print_line(&format!("{}{price}", model.id))?;
        }
        return Ok(Exit::DONE);
    }
    let listed: Vec<_> = listed
        .into_iter()
        .map(|model| {
            // Every model that is asked gets pictures and tools; what a server says of neither is unknown.
            let mut value = json!({ "id": model.id, "engine": model.engine, "vision": Value::Null, "tools": Value::Null });
            if let (Some(input), Some(output)) = (model.input_price, model.output_price) {
                value["price"] = json!({ "input": input, "output": output });
            }
            value
        })
        .collect();
    print_line(&json!({ "models": listed }).to_string())?;
    Ok(Exit::DONE)
}
