//! Finding the page in what a model wrote around it.

/// The file inside a reply that wraps it in a code fence or a `<file path=…>` element; the text itself if
/// nothing is wrapped around it.
pub fn strip_wrapping(text: &str) -> &str {
    let inner = without_file_element(text.trim());
    without_fence(inner).unwrap_or(if inner.len() == text.trim().len() { text } else { inner })
}

/// The page in a reply, if there is one: a wrapped file, a fenced block, from the doctype (or `<html`) to the
/// last `</html>`, or the whole text when it starts with a tag. Prose is never a page, and neither is markup that
/// prose only talks about.
pub fn page_in_reply(reply: &str) -> Option<&str> {
    let reply = reply.trim();
    let wrapped = file_elements(reply).filter(|file| starts_with_tag(file)).max_by_key(|file| file.len());
    let text = wrapped.unwrap_or(reply);
    let fenced = fenced_blocks(text).filter(|block| starts_with_tag(block)).max_by_key(|block| block.len());
    // Backticks inside a page end its block too early: then the page goes on to its own end.
    let is_cut_by_a_fence =
        |block: &&str| page_start(block).is_some() && page_end(block).is_none() && page_end(text).is_some();
    let text = fenced.filter(|block| !is_cut_by_a_fence(block)).unwrap_or(text).trim();
    if let Some(start) = page_start(text) {
        let rest = &text[start..];
        let end = page_end(rest);
        // Without its end a page is one only from the beginning of a line: in a sentence it is a word.
        let is_at_line_start = text[..start].trim_end_matches([' ', '\t']).ends_with('\n') || start == 0;
        return match end {
            Some(end) if is_document(&rest[..end]) => Some(&rest[..end]),
            None if is_at_line_start && is_document(rest) => Some(rest),
            _ => None,
        };
    }
    starts_with_tag(text).then_some(text)
}

/// Where a document begins: at its doctype, else at `<html`. What stands in backticks is only mentioned.
fn page_start(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let is_said = |at: &usize| !text[..*at].ends_with('`');
    let first = |tag: &str| lower.match_indices(tag).map(|(at, _)| at).find(is_said);
    first("<!doctype html").or_else(|| first("<html"))
}

/// Where a document ends: behind its last `</html>`. What stands in backticks is only mentioned.
fn page_end(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let is_said = |at: &usize| !lower[..*at].ends_with('`');
    lower.rmatch_indices("</html>").map(|(at, _)| at).find(is_said).map(|at| at + "</html>".len())
}

/// Whether something stands between the first tag and the last.
fn is_document(text: &str) -> bool {
    let inner = text.split_once('>').map_or("", |(_, inner)| inner);
    let lower = inner.to_ascii_lowercase();
    let inner = lower.trim().trim_start_matches("<html>").trim_end_matches("</html>");
    inner.contains('<')
}

/// The elements a page or a part of one may begin with.
const ELEMENTS: [&str; 44] = [
    "a", "article", "aside", "b", "body", "button", "canvas", "center", "dialog", "div", "dl", "em",
    "fieldset", "figure", "footer", "form", "h1", "h2", "h3", "h4", "head", "header", "hr", "html", "img",
    "input", "label", "link", "main", "meta", "nav", "ol", "p", "picture", "script", "section", "span",
    "strong", "style", "svg", "table", "template", "title", "ul",
];

/// Whether markup begins here: HTML, not the marks that some models put around a thought or a call.
fn starts_with_tag(text: &str) -> bool {
    let Some(rest) = text.trim_start().strip_prefix('<') else { return false };
    let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let lower = name.to_ascii_lowercase();
    let is_closed = rest[name.len()..].starts_with(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
    let is_element = ELEMENTS.contains(&lower.as_str()) && is_closed;
    is_element
        || rest.starts_with("!--")
        || rest.get(..8).is_some_and(|word| word.eq_ignore_ascii_case("!doctype"))
}

/// The files that a reply wraps in `<file path=…>`, wherever they stand in it.
fn file_elements(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let open = rest.find("<file path=")?;
        let (_, body) = rest[open..].split_once('>')?;
        let end = body.find("</file>").unwrap_or(body.len());
        rest = &body[end..];
        Some(body[..end].trim())
    })
}

fn without_file_element(text: &str) -> &str {
    let inner = text.strip_prefix("<file").and_then(|rest| {
        let (attributes, body) = rest.split_once('>')?;
        let is_file = attributes.trim_start().starts_with("path=");
        is_file.then(|| body.trim_end().strip_suffix("</file>").unwrap_or(body).trim())
    });
    inner.unwrap_or(text)
}

/// The body of a fence that encloses the whole text. A fence that was opened and never closed counts: the
/// closing line is what a cut reply loses first.
fn without_fence(text: &str) -> Option<&str> {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    if ticks < 3 {
        return None;
    }
    let (fence, body) = text.split_at(ticks);
    let (_language, body) = body.split_once('\n')?;
    let without_line_end =
        |body: &'_ str| body.strip_suffix("\r\n").or(body.strip_suffix('\n')).map_or(body.len(), str::len);
    Some(body.trim_end().strip_suffix(fence).map_or(body, |inner| &inner[..without_line_end(inner)]))
}

/// Every fenced block of a reply.
fn fenced_blocks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let open = rest.find("```")?;
        let body = &rest[open + 3..];
        let body = body.split_once('\n')?.1;
        let end = body.find("\n```").unwrap_or(body.len());
        rest = body.get(end + 4..).unwrap_or_default();
        Some(&body[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<!DOCTYPE html>\n<html><body>Hi</body></html>";

    #[test]
    fn a_fence_or_file_element_around_a_file_is_taken_off() {
        for wrapped in [
            format!("```html\n{PAGE}\n```"),
            format!("\n```\n{PAGE}\n```\n"),
            format!("<file path=\"index.html\">\n{PAGE}\n</file>"),
            format!("```html\n{PAGE}"),
            format!("````html\n{PAGE}\n````"),
            format!("```html\r\n{PAGE}\r\n```"),
        ] {
            assert_eq!(strip_wrapping(&wrapped), PAGE, "{wrapped}");
        }
    }

    #[test]
    fn a_file_without_wrapping_keeps_every_byte() {
        let file = "  body { margin: 0 }\n\n";
        assert_eq!(strip_wrapping(file), file);
    }

    #[test]
    fn a_page_is_found_inside_prose_and_fences() {
        let reply = format!("Here it is:\n\n```html\n{PAGE}\n```\nEnjoy. Use `</html>` wisely.");
        assert_eq!(page_in_reply(&reply), Some(PAGE));
        assert_eq!(page_in_reply(&format!("Sure! {PAGE} done")), Some(PAGE));
        assert_eq!(page_in_reply("<div>part</div>"), Some("<div>part</div>"));
    }

    #[test]
    fn the_last_end_tag_ends_the_page_even_behind_one_in_a_string() {
        let page = "<!doctype html><script>const s = '</html>';</script><p>end</p></html>";
        assert_eq!(page_in_reply(&format!("x {page} y")), Some(page));
    }

    #[test]
    fn a_refusal_or_a_question_is_no_page() {
        for reply in [
            "I can't help with that.",
            "Which of the two, 3 < 4 or <?",
            "",
            "```css\nbody{}\n```",
            "Should the <html> element have a lang?",
            "Should I write `<!doctype html>` or `<html>` first, and where is `</html>`?",
            "I will not write <html></html> for you.",
            "<tool_call>{\"name\":\"create_file\"}</tool_call>",
            "<think>A plan</think>",
            "<file path=\"notes.md\">Nothing</file>",
        ] {
            assert_eq!(page_in_reply(reply), None, "{reply}");
        }
    }

    #[test]
    fn a_wrapped_file_is_found_behind_prose_and_may_be_fenced_inside() {
        for reply in [
            format!("Here:\n<file path=\"index.html\">\n{PAGE}\n</file>\nDone."),
            format!("<file path='index.html'>\n```html\n{PAGE}\n```\n</file>"),
            format!("<file path=\"a.css\">p {{}}</file>\n<file path=\"index.html\">{PAGE}</file>"),
        ] {
            assert_eq!(page_in_reply(&reply), Some(PAGE), "{reply}");
        }
    }

    #[test]
    fn of_several_fences_the_longest_with_markup_is_the_page() {
        let reply =
            format!("```css\nbody {{ color: red }}\n```\n```html\n<p>a</p>\n```\n```html\n{PAGE}\n```");
        assert_eq!(page_in_reply(&reply), Some(PAGE));
    }

    // S-68
    #[test]
    fn backticks_inside_a_page_do_not_end_it() {
        let page = "<!doctype html>\n<html><body><pre>\n```js\nlet a = `</p>`;\n```\n</pre>\n<p>end</p></body></html>";
        for reply in [
            page.to_owned(),
            format!("```html\n{page}\n```"),
            format!("Here:\n\n```html\n{page}\n```\nEnjoy `</html>`."),
            format!("````html\n{page}\n````\n"),
        ] {
            assert_eq!(page_in_reply(&reply), Some(page), "{reply}");
        }
        assert_eq!(strip_wrapping(&format!("```html\n{page}\n```")), page);
    }

    // S-68
    #[test]
    fn a_page_without_doctype_or_cut_inside_a_tag_is_kept_as_far_as_it_goes() {
        let bare = "<html lang=\"en\"><body><p>Hi</p></body></html>";
        assert_eq!(page_in_reply(&format!("Sure:\n```\n{bare}\n```")), Some(bare));
        for cut in
            ["<!doctype html>\n<html><body><img src=\"a.p", "<html>\n<body><h1 cla", "<div class=\"hero"]
        {
            assert_eq!(page_in_reply(&format!("```html\n{cut}")), Some(cut));
        }
    }

    #[test]
    fn a_page_that_was_cut_is_one_if_it_begins_a_line() {
        let cut = "<!DOCTYPE html>\n<html><body><h1>Hel";
        assert_eq!(page_in_reply(&format!("Here it is:\n{cut}")), Some(cut));
        assert_eq!(page_in_reply(&format!("```html\n{cut}")), Some(cut));
    }
}
