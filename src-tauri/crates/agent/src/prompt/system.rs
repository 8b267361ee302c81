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
        let ending = if is_read_only(terms.tools) { text::ENDING_READ_ONLY } else { text::ENDING };
        parts.push(filled(ending, &[]));
    }
    parts.join("\n\n")
}

/// Whether there are tools and none of them writes a page.
pub(super) fn is_read_only(tools: &[ToolSpec]) -> bool {
    !tools.is_empty() && !offers(tools, "create_file") && !offers(tools, "edit_file")
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
    let names: Vec<String> = tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    let advice = [
        ("create_file", text::TOOLS_CREATE),
        ("edit_file", text::TOOLS_EDIT),
        ("save_assets", text::TOOLS_SAVE),
        ("screenshot_preview", text::TOOLS_LOOK),
        ("check_page", text::TOOLS_CHECK),
        ("retrieve_option", text::TOOLS_OPTION),
    ];
    let mut section = filled(text::TOOLS, &[("tools", &names.join(", "))]);
    let advice: Vec<&str> =
        advice.iter().filter(|(name, _)| offers(tools, name)).map(|(_, advice)| advice.trim_end()).collect();
    if !advice.is_empty() {
        section.push_str("\n\n");
        section.push_str(&advice.join("\n"));
    }
    section
}
