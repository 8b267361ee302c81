//! Folding `setCode` events by their rule.

use std::collections::BTreeMap;

use facsimile_agent::AgentEvent;

/// The text of every path after these events.
///
/// # Panics
/// When a `base` is neither 0 nor exactly the length held: that breaks the rule the window relies on.
#[allow(clippy::panic)]
pub fn fold_code<'a>(events: impl IntoIterator<Item = &'a AgentEvent>) -> BTreeMap<String, String> {
    let mut held: BTreeMap<String, String> = BTreeMap::new();
    for event in events {
        let AgentEvent::SetCode { path, base, text, .. } = event else { continue };
        let file = held.entry(path.to_string()).or_default();
        match *base {
            0 => file.clone_from(text),
            base if base == file.len() => file.push_str(text),
            base => panic!("base {base} of {path} fits neither 0 nor the {} bytes held", file.len()),
        }
    }
    held
}
