//! The system prompt: rules, stack, pictures, tools.

use super::request::{ImagePolicy, Terms};
use super::text::{self, filled};
use crate::tool::ToolSpec;

/// The system prompt of a conversation.
pub(super) fn system(terms: &Terms<'_>) -> String {
    let mut parts = vec![filled(text::SYSTEM, &[]), filled(terms.stack.text(), &[]), pictures(terms)];
    if terms.tools.is_empty() {
        parts.push(filled(text::NO_TOOLS, &[]));
    } else {
        parts.push(tools(terms.tools));
        parts.push(filled(text::ENDING, &[]));
    }
    parts.join("\n\n")
}

fn offers(tools: &[ToolSpec], name: &str) -> bool {
    tools.iter().any(|tool| tool.name == name)
}

fn pictures(terms: &Terms<'_>) -> String {
    let extract = if offers(terms.tools, "extract_assets") { text::CROPS_EXTRACT.trim_end() } else { "" };
    let policy = match terms.image_policy {
        ImagePolicy::Placeholders => text::PLACEHOLDERS,
        ImagePolicy::Generate if offers(terms.tools, "generate_images") => text::GENERATE,
        ImagePolicy::Crops | ImagePolicy::Generate => text::CROPS,
    };
    filled(policy, &[("extract", extract)])
}

fn tools(tools: &[ToolSpec]) -> String {
    let list: Vec<String> =
        tools.iter().map(|tool| format!("- `{}`: {}", tool.name, first_sentence(tool.description))).collect();
    let advice = [
        ("create_file", text::TOOLS_CREATE),
        ("edit_file", text::TOOLS_EDIT),
        ("save_assets", text::TOOLS_SAVE),
        ("screenshot_preview", text::TOOLS_LOOK),
        ("check_page", text::TOOLS_CHECK),
        ("retrieve_option", text::TOOLS_OPTION),
    ];
    let mut section = filled(text::TOOLS, &[("tools", &list.join("\n"))]);
    section.push('\n');
    for (_, advice) in advice.iter().filter(|(name, _)| offers(tools, name)) {
        section.push('\n');
        section.push_str(advice.trim_end());
    }
    if !offers(tools, "create_file") && !offers(tools, "edit_file") {
        section.push('\n');
        section.push_str(text::TOOLS_READ_ONLY.trim_end());
    }
    section
}

/// What a tool does, without the details that its own description gives.
fn first_sentence(description: &str) -> &str {
    description.find(". ").map_or(description, |end| &description[..=end])
}
