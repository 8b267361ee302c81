//! Templates of Vue that stand in a page: the script in their attributes and braces.

use html5ever::Attribute;

use super::Mistake;
use super::script::{Dialect, Script};

/// An application is mounted on one of the outermost elements.
const OUTERMOST: usize = 8;
/// So much of a script in a template is quoted.
const QUOTED_CHARS: usize = 40;

/// The templates of a page while it is read. Whether they are any shows only at its end.
#[derive(Default)]
pub(super) struct Templates {
    parts: Vec<Part>,
    /// Whether the page loads Vue.
    pub(super) is_loaded: bool,
    /// Somewhere in the page nothing is to be compiled; where exactly is not followed up.
    has_verbatim: bool,
}

/// Something of a page that Vue would compile.
struct Part {
    name: String,
    line: u64,
    /// The ids of the elements it stands in.
    within: Vec<String>,
    made: Made,
}

impl Templates {
    /// Takes the attributes of an element that stands within elements of these ids.
    pub(super) fn take_attributes(
        &mut self,
        tag: &str,
        attributes: &[Attribute],
        line: u64,
        within: &[String],
    ) {
        for attribute in attributes {
            let (name, value) = (&*attribute.name.local, attribute.value.trim());
            self.has_verbatim |= name == "v-pre";
            if let Some(made) = made(name, value) {
                let name = format!("{name}=\"{}\" of <{tag}>", quoted(value));
                self.parts.push(Part { name, line, within: outermost(within), made });
            }
        }
    }

    /// Takes the words between two tags, which begin in this line.
    pub(super) fn take_words(&mut self, words: &str, mut line: u64, within: &[String]) {
        let mut rest = words;
        while let Some((before, after)) = rest.split_once("{{") {
            line += lines(before);
            let Some((script, after)) = after.split_once("}}") else { return };
            let name = format!("{{{{ {} }}}}", quoted(script));
            let made = Made::Script(format!("({script}\n)"));
            self.parts.push(Part { name, line, within: outermost(within), made });
            line += lines(script);
            rest = after;
        }
    }

    /// What has to parse, given the page's scripts; tells what is wrong beside that.
    pub(super) fn into_scripts(self, scripts: &[Script], mistakes: &mut Vec<Mistake>) -> Vec<Script> {
        let is_used = self.is_loaded && !self.has_verbatim;
        let roots: Vec<_> = scripts.iter().flat_map(|script| mounted(&script.text)).collect();
        let is_compiled = |part: &Part| part.within.iter().any(|id| roots.contains(&id.as_str()));
        let mut compiled = Vec::new();
        for Part { name, line, made, .. } in
            self.parts.into_iter().filter(|part| is_used && is_compiled(part))
        {
            match made {
                Made::Nothing(why) => mistakes.push(Mistake { line, what: format!("{name} {why}") }),
                Made::Script(text) => {
                    compiled.push(Script {
                        text,
                        dialect: Dialect::Plain,
                        lines_before: line - 1,
                        name: Some(name),
                    });
                }
            }
        }
        compiled
    }
}

fn outermost(ids: &[String]) -> Vec<String> {
    ids.iter().take(OUTERMOST).cloned().collect()
}

fn lines(text: &str) -> u64 {
    text.matches('\n').count() as u64
}

/// The ids that applications are mounted on.
fn mounted(script: &str) -> impl Iterator<Item = &str> {
    script.split(".mount(").skip(1).filter_map(|after| {
        let after = after.trim_start().strip_prefix(['"', '\'', '`'])?.strip_prefix('#')?;
        after.split(['"', '\'', '`']).next()
    })
}

/// What Vue makes of an attribute: a script, or one that cannot be made.
enum Made {
    Script(String),
    Nothing(&'static str),
}

fn made(name: &str, value: &str) -> Option<Made> {
    let directive = match name.chars().next()? {
        ':' | '.' => "v-bind",
        '@' => "v-on:",
        '#' => "v-slot",
        _ if name.starts_with("v-on:") => "v-on:",
        _ => name.split([':', '.']).next()?,
    };
    let is_function = value.starts_with("function") || value.starts_with("async function");
    let script = match directive {
        _ if value.is_empty() => return None,
        "v-on:" if !is_function => format!("async ($event) => {{{value}\n}}"),
        "v-bind" | "v-on" | "v-on:" | "v-if" | "v-else-if" | "v-show" | "v-model" | "v-text" | "v-html"
        | "v-memo" => format!("({value}\n)"),
        "v-slot" => format!("(({value}\n) => {{}})"),
        "v-for" => match looped(value) {
            Some(script) => script,
            None => return Some(Made::Nothing("has to read \"item in items\"")),
        },
        _ => return None,
    };
    Some(Made::Script(script))
}

/// `(item, index) in items` as a script.
fn looped(value: &str) -> Option<String> {
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    let (alias, list) = value.split_once(" in ").or_else(|| value.split_once(" of "))?;
    let alias = alias.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(alias);
    Some(format!("(({alias}) => {{}}), ({list}\n)"))
}

fn quoted(script: &str) -> String {
    let script = script.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut start: String = script.chars().take(QUOTED_CHARS).collect();
    if start.len() < script.len() {
        start.push('…');
    }
    start
}
