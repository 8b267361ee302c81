//! The pieces of a page's source, in order, each with its bytes.

use std::cell::RefCell;
use std::ops::Range;

use lol_html::html_content::{Element, TextType};
use lol_html::{HtmlRewriter, Settings, doc_comments, doc_text, doctype, element};

/// How an attribute's value is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quote {
    /// `name="value"`
    Double,
    /// `name='value'`
    Single,
    /// `name=value`, or `name` alone.
    Bare,
}

/// One attribute as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// The bytes of its name.
    pub name: Range<usize>,
    /// The bytes behind the `=`, without quotes, if there is a `=`.
    pub value: Option<Range<usize>>,
    /// How the value is quoted.
    pub quote: Quote,
}

impl Attribute {
    /// Everything that belongs to the attribute.
    pub fn range(&self) -> Range<usize> {
        let quote = usize::from(self.quote != Quote::Bare);
        self.name.start..self.value.as_ref().map_or(self.name.end, |value| value.end + quote)
    }
}

/// One start tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StartTag {
    pub(crate) range: Range<usize>,
    /// In lower case.
    pub(crate) name: String,
    pub(crate) is_self_closing: bool,
    pub(crate) attributes: Vec<Attribute>,
}

/// How a text is read by a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// With character references.
    Markup,
    /// Letter by letter, up to the element's end tag.
    Raw,
    /// Letter by letter, to the end of the page.
    Endless,
    /// Letter by letter, up to `]]>`.
    Cdata,
}

/// One piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Doctype(Range<usize>),
    Start(StartTag),
    /// An end tag with its name in lower case.
    End {
        range: Range<usize>,
        name: String,
    },
    Text {
        range: Range<usize>,
        kind: TextKind,
    },
    Comment(Range<usize>),
}

impl Token {
    fn range(&self) -> Range<usize> {
        match self {
            Token::Start(tag) => tag.range.clone(),
            Token::End { range, .. } | Token::Text { range, .. } => range.clone(),
            Token::Doctype(range) | Token::Comment(range) => range.clone(),
        }
    }
}

/// Reads a source once, from its beginning to its end.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let found = Found { source, tokens: RefCell::default() };
    let settings = Settings::new()
        .with_strict(false)
        .with_adjust_charset_on_meta_tag(false)
        .append_document_content_handler(doctype!(|doctype| {
            found.add(Token::Doctype(doctype.source_location().bytes()));
            Ok(())
        }))
        .append_element_content_handler(element!("*", |element| {
            let tag = start_tag(source, element);
            found.add(Token::Start(tag));
            Ok(())
        }))
        .append_document_content_handler(doc_text!(|text| {
            let kind = match text.text_type() {
                TextType::Data | TextType::RCData => TextKind::Markup,
                TextType::RawText | TextType::ScriptData => TextKind::Raw,
                TextType::PlainText => TextKind::Endless,
                TextType::CDataSection => TextKind::Cdata,
            };
            found.add(Token::Text { range: text.source_location().bytes(), kind });
            Ok(())
        }))
        .append_document_content_handler(doc_comments!(|comment| {
            found.add(Token::Comment(comment.source_location().bytes()));
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // No handler fails and nothing limits the memory; should it stop all the same, the rest has no addresses.
    match rewriter.write(source.as_bytes()) {
        Ok(()) => rewriter.end().unwrap_or_default(),
        Err(_) => drop(rewriter),
    }
    found.rest();
    found.tokens.into_inner()
}

struct Found<'s> {
    source: &'s str,
    tokens: RefCell<Vec<Token>>,
}

impl Found<'_> {
    fn add(&self, token: Token) {
        let range = token.range();
        if range.is_empty() {
            return;
        }
        let mut tokens = self.tokens.borrow_mut();
        let from = tokens.last().map_or(0, |last| last.range().end);
        end_tags(self.source, from..range.start, &mut tokens);
        // A long text arrives in pieces.
        if let (Some(Token::Text { range: held, kind: before }), Token::Text { range: more, kind }) =
            (tokens.last_mut(), &token)
            && held.end == more.start
            && before == kind
        {
            held.end = more.end;
            return;
        }
        tokens.push(token);
    }

    /// Adds what stands behind the last piece.
    fn rest(&self) {
        let mut tokens = self.tokens.borrow_mut();
        let from = tokens.last().map_or(0, |last| last.range().end);
        end_tags(self.source, from..self.source.len(), &mut tokens);
    }
}

/// The end tags between two other pieces. The library tells an end tag only to the element it takes it for.
fn end_tags(source: &str, between: Range<usize>, into: &mut Vec<Token>) {
    let bytes = source.as_bytes();
    let mut at = between.start;
    while at < between.end {
        let is_end_tag = bytes[at] == b'<'
            && bytes.get(at + 1) == Some(&b'/')
            && bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic);
        if !is_end_tag {
            at += 1;
            continue;
        }
        // An end tag without an end takes the rest with it, as in a browser.
        let Some((name, end)) = tag_end(&bytes[..between.end], at) else { return };
        into.push(Token::End { range: at..end, name: source[name].to_ascii_lowercase() });
        at = end;
    }
}

/// The name of the end tag that begins here and where the tag ends. It may carry attributes, which mean nothing.
fn tag_end(bytes: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c');
    let name_start = at + 2;
    let ends_name = |byte: &u8| is_blank(*byte) || matches!(byte, b'/' | b'>');
    let name_end = name_start + bytes[name_start..].iter().position(ends_name)?;
    let mut at = name_end;
    let mut may_quote = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return Some((name_start..name_end, at + 1)),
            b'=' => may_quote = true,
            b'"' | b'\'' if may_quote => {
                at += 1 + bytes[at + 1..].iter().position(|other| *other == byte)?;
                may_quote = false;
            }
            _ => may_quote &= is_blank(byte),
        }
        at += 1;
    }
    None
}

fn start_tag(source: &str, element: &Element<'_, '_>) -> StartTag {
    let attributes = element.attributes().iter().filter_map(|attribute| {
        let name = attribute.name_source_location()?.bytes();
        let value = attribute.value_source_location().map(|value| value.bytes());
        let value = value.or_else(|| empty_value(source, name.end));
        let before = value.as_ref().and_then(|value| value.start.checked_sub(1));
        let quote = match before.map(|at| source.as_bytes()[at]) {
            Some(b'"') => Quote::Double,
            Some(b'\'') => Quote::Single,
            _ => Quote::Bare,
        };
        Some(Attribute { name, value, quote })
    });
    StartTag {
        range: element.source_location().bytes(),
        name: element.tag_name(),
        is_self_closing: element.is_self_closing(),
        attributes: attributes.collect(),
    }
}

/// Where the value would stand of an attribute that ends with its `=`, which the library takes for none.
fn empty_value(source: &str, name_end: usize) -> Option<Range<usize>> {
    let rest = source.get(name_end..)?;
    let after = rest.trim_ascii_start().strip_prefix('=')?;
    let at = source.len() - after.len();
    Some(at..at)
}
