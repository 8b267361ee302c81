//! HTML as a tokenizer sees it: which elements close, which do not, what they refer to, and the scripts in them.

use std::cell::RefCell;

use html5ever::Attribute;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::references::{Reference, candidates};
use super::script::{self, Dialect, Script};
use super::vue::Templates;
use super::{Mistake, Read, sheet};
use crate::project::address::is_void;

/// Their end tags may be left out.
const IMPLIED: [&str; 20] = [
    "html", "head", "body", "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead", "tbody",
    "tfoot", "colgroup", "caption", "rt", "rp", "menuitem",
];

/// Browsers nest no deeper. Behind it nothing more is said of what closes: every end tag looks through all that is open.
const MOST_OPEN: usize = 512;

/// What is wrong with a page's text and what it refers to.
pub(super) fn read(html: &str) -> Read {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
    // The reader runs no scripts, so nothing interrupts.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let mut state = tokenizer.sink.state.into_inner();
    state.close_all();
    state.read_scripts();
    state.read
}

#[derive(Default)]
struct Reader {
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    open: Vec<Open>,
    /// Whether more was open than is followed.
    is_too_deep: bool,
    /// The ids of the open elements.
    ids: Vec<String>,
    /// The sheet or script that is being read, and the line it begins in.
    raw: Option<(Raw, String, u64)>,
    /// The words since the last tag, and the line they begin in.
    words: (String, u64),
    scripts: Vec<Script>,
    templates: Templates,
    read: Read,
}

/// What is read to its end as it stands.
#[derive(Clone, Copy)]
enum Raw {
    Style,
    Script(Dialect),
}

/// An element that waits for its end.
struct Open {
    name: String,
    line: u64,
    /// Spelt as if it closed itself.
    is_slashed: bool,
    has_id: bool,
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let mut state = self.state.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                state.end_words(line);
                return state.start(&tag, line);
            }
            Token::TagToken(tag) => {
                state.end_words(line);
                state.end(&tag.name, line);
            }
            Token::CommentToken(_) => state.end_words(line),
            Token::CharacterTokens(text) => {
                let State { raw, words, .. } = &mut *state;
                raw.as_mut().map_or(&mut words.0, |(_, raw, _)| raw).push_str(&text);
            }
            Token::ParseError(words) if words.contains("EOF") => {
                state.tell(line, "the file ends within a tag".to_owned());
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl State {
    fn tell(&mut self, line: u64, what: String) {
        self.read.mistakes.push(Mistake { line, what });
    }

    /// The next words begin in this line.
    fn end_words(&mut self, line: u64) {
        let (words, first_line) = std::mem::replace(&mut self.words, (String::new(), line));
        self.templates.take_words(&words, first_line, &self.ids);
    }

    /// Reads the scripts that were met on the way.
    fn read_scripts(&mut self) {
        let scripts = std::mem::take(&mut self.scripts);
        let templates = std::mem::take(&mut self.templates);
        let compiled = templates.into_scripts(&scripts, &mut self.read.mistakes);
        self.read.mistakes.extend(script::mistakes(scripts.into_iter().chain(compiled).collect()));
    }

    fn start(&mut self, tag: &Tag, line: u64) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        if tag.had_duplicate_attributes {
            self.tell(line, format!("<{name}> has an attribute twice; only the first counts"));
        }
        self.refer(name, &tag.attrs, line);
        self.templates.take_attributes(name, &tag.attrs, line, &self.ids);
        let is_foreign = self.is_within_foreign() || matches!(name, "svg" | "math");
        if is_void(name) && !is_foreign || (is_foreign && tag.self_closing) {
            return TokenSinkResult::Continue;
        }
        let id = attribute(&tag.attrs, "id");
        let (has_id, is_slashed) = (id.is_some(), tag.self_closing);
        self.ids.extend(id.map(str::to_owned));
        self.open(Open { name: name.to_owned(), line, is_slashed, has_id });
        if is_foreign {
            return TokenSinkResult::Continue;
        }
        let kind = attribute(&tag.attrs, "type").unwrap_or_default();
        match name {
            "script" => {
                let presets = attribute(&tag.attrs, "data-presets").unwrap_or_default();
                let source = attribute(&tag.attrs, "src");
                self.templates.is_loaded |= source.is_some_and(|source| source.contains("vue"));
                let dialect = Dialect::of_type(kind, presets).filter(|_| source.is_none());
                self.raw = dialect.map(|dialect| (Raw::Script(dialect), String::new(), line));
                TokenSinkResult::RawData(RawKind::ScriptData)
            }
            "style" => {
                let is_css = kind.is_empty() || kind == "text/css";
                self.raw = is_css.then(|| (Raw::Style, String::new(), line));
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
            "textarea" | "title" => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }

    fn is_within_foreign(&self) -> bool {
        let decides = |open: &&Open| matches!(open.name.as_str(), "svg" | "math" | "foreignobject");
        self.open.iter().rev().find(decides).is_some_and(|open| open.name != "foreignobject")
    }

    fn open(&mut self, element: Open) {
        if self.is_too_deep {
            self.ids.clear();
            return;
        }
        if self.open.len() == MOST_OPEN {
            self.is_too_deep = true;
            self.open.clear();
            self.ids.clear();
            let what = format!("more than {MOST_OPEN} elements are open here; what closes was not looked at");
            return self.tell(element.line, what);
        }
        self.open.push(element);
    }

    fn end(&mut self, name: &str, line: u64) {
        if let Some((raw, text, first_line)) = self.raw.take() {
            let lines_before = first_line - 1;
            match raw {
                Raw::Style => {
                    let Read { mistakes, references } = sheet::read(&text, lines_before);
                    self.read.mistakes.extend(mistakes);
                    self.read.references.extend(references);
                }
                Raw::Script(dialect) => self.scripts.push(Script { text, dialect, lines_before, name: None }),
            }
        }
        if self.is_too_deep {
            return;
        }
        let Some(at) = self.open.iter().rposition(|open| open.name == name) else {
            // The end tag of an element that has no end does no harm.
            if !is_void(name) {
                self.tell(line, format!("</{name}> closes nothing"));
            }
            return;
        };
        let ended = self.open.split_off(at);
        self.ids.truncate(self.ids.len() - ended.iter().filter(|open| open.has_id).count());
        for open in ended.into_iter().skip(1).filter(Open::has_to_close) {
            let slash = if open.is_slashed { "; \"/>\" does not close it" } else { "" };
            self.tell(
                open.line,
                format!("<{}> is not closed before </{name}> in line {line}{slash}", open.name),
            );
        }
    }

    fn close_all(&mut self) {
        for open in std::mem::take(&mut self.open).into_iter().filter(Open::has_to_close) {
            let slash = if open.is_slashed { "; \"/>\" does not close it" } else { "" };
            self.tell(open.line, format!("<{}> is never closed{slash}", open.name));
        }
    }

    fn refer(&mut self, name: &str, attributes: &[Attribute], line: u64) {
        let mut refer = |address: &str| {
            self.read.references.push(Reference { line, address: address.to_owned() });
        };
        let value = |name| attribute(attributes, name);
        let sets = [value("srcset"), value("imagesrcset")];
        sets.into_iter().flatten().flat_map(candidates).for_each(&mut refer);
        let single = match name {
            "img" | "script" | "source" | "video" | "audio" | "track" | "embed" | "input" => value("src"),
            "link" => value("href").filter(|_| {
                let loads = |rel: &str| {
                    rel.split_whitespace().any(|word| matches!(word, "stylesheet" | "icon" | "modulepreload"))
                };
                value("rel").is_some_and(loads)
            }),
            "object" => value("data"),
            "image" | "use" => value("href"),
            _ => None,
        };
        single.into_iter().chain(value("poster")).for_each(refer);
    }
}

impl Open {
    fn has_to_close(&self) -> bool {
        !IMPLIED.contains(&self.name.as_str())
    }
}

fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    attributes.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
}
