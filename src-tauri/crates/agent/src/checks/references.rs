//! Addresses within a project: where they lead, if they lead to a file of it at all.

use percent_encoding::percent_decode_str;

use super::Mistake;
use crate::project::ProjectPath;

/// An address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// Where it stands, counted from 1.
    pub(super) line: u64,
    /// As it is written.
    pub(super) address: String,
}

impl Reference {
    /// What is to be said where it leads to a file of the project that is not there.
    pub(super) fn missing(
        &self,
        from: &ProjectPath,
        is_there: &dyn Fn(&ProjectPath) -> bool,
    ) -> Option<Mistake> {
        let path = resolved(&self.address, from)?;
        let what = match ProjectPath::parse(&path) {
            Ok(path) if is_there(&path) => return None,
            Ok(path) => format!("{path} is not there"),
            Err(_) => format!("{:?} leads to no file of the project", self.address),
        };
        Some(Mistake { line: self.line, what })
    }
}

/// The addresses of a `srcset`, split as browsers do: a comma within an address belongs to it.
pub(super) fn candidates(set: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_ascii_whitespace() || c == ',';
    let mut rest = set;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(is_between);
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let address = word.trim_end_matches(',');
        // What follows says for which screens the address is, unless a comma ended it.
        rest = if address.len() < word.len() { behind } else { &behind[descriptors_len(behind)..] };
        (!address.is_empty()).then_some(address)
    })
}

/// The bytes up to the comma that ends what is said of an address; commas in parentheses do not.
fn descriptors_len(text: &str) -> usize {
    let mut is_within = false;
    let ends = |(_, c): &(usize, char)| {
        is_within = (is_within || *c == '(') && *c != ')';
        *c == ',' && !is_within
    };
    text.char_indices().find(ends).map_or(text.len(), |(at, _)| at)
}

/// The path an address means, where it means a file of the project.
fn resolved(address: &str, from: &ProjectPath) -> Option<String> {
    let address = address.trim();
    let is_elsewhere = address.starts_with("//") || address.starts_with('#') || has_scheme(address);
    // Braces are filled in by a script.
    if address.is_empty() || is_elsewhere || address.contains(['{', '}', '<', '$']) {
        return None;
    }
    let path = address.split(['?', '#']).next().filter(|path| !path.is_empty())?;
    let mut parts: Vec<&str> = match path.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => from.as_str().split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect(),
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            // Browsers stop at the root as well.
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(percent_decode_str(&parts.join("/")).decode_utf8_lossy().into_owned())
}

fn has_scheme(address: &str) -> bool {
    address.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}
