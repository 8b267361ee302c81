//! Addresses within a project: where they lead, if they lead to a file of it at all.

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
    Some(decoded(&parts.join("/")))
}

fn has_scheme(address: &str) -> bool {
    address.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
