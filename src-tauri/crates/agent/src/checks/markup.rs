//! HTML as a tokenizer sees it: which elements close, which do not, and what they refer to.

use std::cell::RefCell;

use html5ever::Attribute;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::references::{Reference, candidates};
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
    /// The style sheet that is being read, and the line it begins in.
    style: Option<(String, u64)>,
    read: Read,
}

/// An element that waits for its end.
struct Open {
    name: String,
    line: u64,
    /// Spelt as if it closed itself.
    is_slashed: bool,
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let mut state = self.state.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.start(&tag, line),
            Token::TagToken(tag) => state.end(&tag.name, line),
            Token::CharacterTokens(text) => {
                if let Some((style, _)) = &mut state.style {
                    style.push_str(&text);
                }
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

    fn start(&mut self, tag: &Tag, line: u64) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        if tag.had_duplicate_attributes {
            self.tell(line, format!("<{name}> has an attribute twice; only the first counts"));
        }
        self.refer(name, &tag.attrs, line);
        let is_foreign = self.is_within_foreign() || matches!(name, "svg" | "math");
        if is_void(name) && !is_foreign || (is_foreign && tag.self_closing) {
            return TokenSinkResult::Continue;
        }
        self.open(Open { name: name.to_owned(), line, is_slashed: tag.self_closing });
        if is_foreign {
            return TokenSinkResult::Continue;
        }
        match name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => {
                let is_css =
                    attribute(&tag.attrs, "type").is_none_or(|kind| kind.is_empty() || kind == "text/css");
                self.style = is_css.then(|| (String::new(), line));
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
            return;
        }
        if self.open.len() == MOST_OPEN {
            self.is_too_deep = true;
            self.open.clear();
            let what = format!("more than {MOST_OPEN} elements are open here; what closes was not looked at");
            return self.tell(element.line, what);
        }
        self.open.push(element);
    }

    fn end(&mut self, name: &str, line: u64) {
        if let Some((style, first_line)) = self.style.take() {
            let Read { mistakes, references } = sheet::read(&style, first_line - 1);
            self.read.mistakes.extend(mistakes);
            self.read.references.extend(references);
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
        for open in self.open.split_off(at).into_iter().skip(1).filter(Open::has_to_close) {
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
