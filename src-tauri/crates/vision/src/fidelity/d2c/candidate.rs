//! What Design2Code does to a candidate's HTML before it is drawn: text and elements that are repeated without end, as
//! models that went astray write them, are cut, and a fragment becomes a document.
//!
//! An element's form is its own source here, which is the same for elements that are written alike. One whose end is
//! left to the browser has no end in the source, and stays.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use lol_html::html_content::Element;
use lol_html::{HtmlRewriter, Settings, doc_text, element};

use super::sequence::{Alphabet, Comparer, Text};

/// The length of a piece of text that is looked for again.
const CHUNK_CHARS: usize = 100;
/// Pieces as alike as this are one family.
const LEAST_LIKENESS: f64 = 0.8;
/// So large a family is a repetition.
const MOST_RELATIVES: usize = 5;
/// An element may have stood there so often before.
const MOST_EARLIER: usize = 50;
/// So many pieces are looked at; time grows with their square.
const MOST_CHUNKS: usize = 2000;

/// A candidate's HTML as Design2Code draws it; the same text where there is nothing to be cut.
pub fn design2code_candidate(html: &str) -> Cow<'_, str> {
    let cut = &html[..repetition_start(html)];
    let whole = as_document(cut);
    let repeated = repeated_elements(&whole);
    if repeated.is_empty() {
        return whole;
    }
    let mut thinned = String::with_capacity(whole.len());
    let mut at = 0;
    for element in repeated {
        thinned.push_str(&whole[at..element.start]);
        at = element.end;
    }
    thinned.push_str(&whole[at..]);
    Cow::Owned(thinned)
}

/// Where the first of a family of texts stands that comes again and again; the end where there is none.
fn repetition_start(html: &str) -> usize {
    let letters = visible_letters(html);
    let mut alphabet = Alphabet::default();
    let mut comparer = Comparer::default();
    let mut families: Vec<(Text, usize, usize)> = Vec::new();
    for chunk in letters.chunks(CHUNK_CHARS).take(MOST_CHUNKS) {
        let text: Vec<char> = chunk.iter().map(|(_, letter)| *letter).collect();
        let text = alphabet.text(&text);
        let is_related = |comparer: &mut Comparer, first: &Text| {
            text.most_similarity(first) >= LEAST_LIKENESS
                && comparer.similarity(first, &text) >= LEAST_LIKENESS
        };
        match families.iter_mut().find(|(first, ..)| is_related(&mut comparer, first)) {
            Some((_, start, size)) => {
                *size += 1;
                if *size >= MOST_RELATIVES {
                    return *start;
                }
            }
            None => families.push((text, chunk[0].0, 1)),
        }
    }
    html.len()
}

/// The letters outside of tags, scripts and sheets with their places; blanks in a row are one.
fn visible_letters(html: &str) -> Vec<(usize, char)> {
    let letters = Rc::new(RefCell::new(Vec::<(usize, char)>::new()));
    let depth = Rc::new(RefCell::new(0_usize));
    let (found, hidden) = (Rc::clone(&letters), Rc::clone(&depth));
    let text = doc_text!(move |text| {
        if *hidden.borrow() == 0 {
            let start = text.source_location().bytes().start;
            let mut found = found.borrow_mut();
            for (at, letter) in text.as_str().char_indices() {
                let letter = if letter.is_whitespace() { ' ' } else { letter };
                if letter != ' ' || found.last().is_some_and(|(_, last)| *last != ' ') {
                    found.push((start + at, letter));
                }
            }
        }
        Ok(())
    });
    let unseen = element!("script, style, template, title", move |element: &mut Element| {
        *depth.borrow_mut() += 1;
        let depth = Rc::clone(&depth);
        element.on_end_tag(Box::new(move |_| {
            *depth.borrow_mut() -= 1;
            Ok(())
        }))
    });
    read(html, Settings::new().append_document_content_handler(text).append_element_content_handler(unseen));
    letters.take()
}

/// A fragment within the elements that every document has.
fn as_document(html: &str) -> Cow<'_, str> {
    let is_document = Rc::new(RefCell::new(false));
    let seen = Rc::clone(&is_document);
    let root = element!("html", move |_: &mut Element| {
        seen.replace(true);
        Ok(())
    });
    read(html, Settings::new().append_element_content_handler(root));
    if is_document.take() {
        return Cow::Borrowed(html);
    }
    Cow::Owned(format!("<html><body><p>{html}</p></body></html>"))
}

/// The elements that stood there too often before, in order and none within another.
fn repeated_elements(html: &str) -> Vec<Range<usize>> {
    let spans = Rc::new(RefCell::new(Vec::<Range<usize>>::new()));
    let found = Rc::clone(&spans);
    let every = element!("*", move |element: &mut Element| {
        let start = element.source_location().bytes();
        let nth = found.borrow().len();
        found.borrow_mut().push(start.clone());
        let ended = Rc::clone(&found);
        if let Some(handlers) = element.end_tag_handlers() {
            // Without an end in the source it has no form.
            found.borrow_mut()[nth].end = start.start;
            handlers.push(Box::new(move |end| {
                ended.borrow_mut()[nth].end = end.source_location().bytes().end;
                Ok(())
            }));
        }
        Ok(())
    });
    read(html, Settings::new().append_element_content_handler(every));
    let mut earlier: HashMap<&str, usize> = HashMap::new();
    let mut repeated: Vec<Range<usize>> = Vec::new();
    for span in spans.take() {
        let is_gone = repeated.last().is_some_and(|last| span.start < last.end);
        let form = html.get(span.clone()).filter(|form| !form.is_empty() && !is_gone);
        let Some(form) = form else { continue };
        let count = earlier.entry(form).or_default();
        if *count > MOST_EARLIER {
            repeated.push(span);
        }
        *count += 1;
    }
    repeated
}

/// Reads a text to its end, or as far as it can be read.
fn read(html: &str, settings: Settings<'_, '_>) {
    let mut rewriter = HtmlRewriter::new(settings.with_strict(false), |_: &[u8]| {});
    // What cannot be read any further has no more to be cut.
    if rewriter.write(html.as_bytes()).is_ok() {
        let _ = rewriter.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &str) -> String {
        format!("<!doctype html><html><head><title>Prices</title></head><body>{body}</body></html>")
    }

    /// Rows that say something else each.
    fn rows(count: usize) -> String {
        let word = |at: usize| {
            "kiln jug tile glaze yard quay lamp rope".split(' ').cycle().nth(at * at + at / 3).unwrap_or("")
        };
        (0..count)
            .map(|at| format!("<li>{} {at} {} costs {}</li>", word(at), word(at + 5), at * 7919 % 977))
            .collect()
    }

    #[test]
    fn a_page_that_repeats_nothing_is_drawn_as_it_is() {
        let page = page(&format!("<style>{}</style><ul>{}</ul>", "a{color:red}".repeat(200), rows(40)));
        assert!(matches!(design2code_candidate(&page), Cow::Borrowed(same) if same == page));
    }

    #[test]
    fn a_fragment_becomes_a_document() {
        assert_eq!(design2code_candidate("<b>Hi</b>"), "<html><body><p><b>Hi</b></p></body></html>");
        assert_eq!(design2code_candidate(""), "<html><body><p></p></body></html>");
    }

    #[test]
    fn text_repeated_without_end_is_cut_from_its_first_occurrence_on() {
        let repeated = "<p>We are a small pottery by the quay</p>".repeat(60);
        let page = page(&format!("<h1>{}</h1>{repeated}", "Kiln, jug, tile and glaze: ".repeat(2).trim()));
        let drawn = design2code_candidate(&page);
        // The first piece of a hundred letters begins before the rows; the second belongs to them.
        let kept = drawn.matches("by the quay").count();
        assert!(page.starts_with(&*drawn) && (1..=2).contains(&kept), "{kept} {drawn}");
    }

    #[test]
    fn an_element_that_stood_there_more_than_fifty_times_is_deleted() {
        let dots =
            |count: usize| page(&format!("<h1>Dots</h1>{}<p>End</p>", "<i class=dot></i><br>".repeat(count)));
        assert_eq!(design2code_candidate(&dots(51)), dots(51));
        assert_eq!(design2code_candidate(&dots(60)), dots(51));
        let nested = page(&"<div><i></i></div>".repeat(60));
        assert_eq!(design2code_candidate(&nested), page(&"<div><i></i></div>".repeat(51)));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn any_text_is_prepared(text in "(<|</|>|p|b|br|script| |html|a=|\"|--|!|ä|\\PC){0,80}", times in 1_usize..70) {
            let once = design2code_candidate(&text.repeat(times)).into_owned();
            proptest::prop_assert!(once.len() <= text.len() * times + 40);
        }
    }
}
