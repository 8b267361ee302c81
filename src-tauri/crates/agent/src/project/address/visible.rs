//! The text of a page that a reader can see.

use std::ops::Range;

use super::{token, tree};

/// Elements whose text is not shown, and with it everything in them.
const UNSEEN: [&str; 10] =
    ["head", "title", "script", "style", "template", "noscript", "iframe", "noembed", "noframes", "datalist"];

/// Where in a source the text stands that is shown, blanks around it included.
pub(crate) fn visible_texts(source: &str) -> Vec<Range<usize>> {
    let nodes = tree::nodes(token::tokens(source), source);
    let mut is_seen: Vec<bool> = Vec::with_capacity(nodes.len());
    let mut texts = Vec::new();
    for node in &nodes {
        // An element comes before what it holds.
        let around = node.parent.and_then(|parent| is_seen.get(parent)).copied().unwrap_or(true);
        let is_here = around && !UNSEEN.contains(&node.name.as_str());
        is_seen.push(is_here);
        if is_here {
            texts.extend(node.runs.iter().map(|run| run.range.clone()));
        }
    }
    texts
}
