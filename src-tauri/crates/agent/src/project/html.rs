//! Finding the page in what a model wrote around it.

/// The file inside a reply that wraps it in a code fence or a `<file path=…>` element; the text itself if
/// nothing is wrapped around it.
pub fn strip_wrapping(text: &str) -> &str {
    let inner = without_file_element(text.trim());
    without_fence(inner).unwrap_or(if inner.len() == text.trim().len() { text } else { inner })
}

/// The page in a reply, if there is one: a wrapped file, a fenced block, from the doctype (or `<html`) to the
/// last `</html>`, or the whole text when it starts with a tag. Prose is never a page.
pub fn page_in_reply(reply: &str) -> Option<&str> {
    let text = without_file_element(reply.trim());
    let fenced = fenced_blocks(text).filter(|block| starts_with_tag(block)).max_by_key(|block| block.len());
    let text = fenced.unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    let start = lower.find("<!doctype html").or_else(|| lower.find("<html"));
    match (start, lower.rfind("</html>")) {
        (Some(start), Some(end)) if end > start => Some(&text[start..end + "</html>".len()]),
        (Some(start), _) => Some(&text[start..]),
        _ => starts_with_tag(text).then_some(text),
    }
}

fn starts_with_tag(text: &str) -> bool {
    let mut chars = text.trim_start().chars();
    chars.next() == Some('<') && chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '!')
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
    let body = text.strip_prefix("```")?;
    let (_language, body) = body.split_once('\n')?;
    Some(body.trim_end().strip_suffix("```").map_or(body, |body| body.strip_suffix('\n').unwrap_or(body)))
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
        for reply in ["I can't help with that.", "Which of the two, 3 < 4 or <?", "", "```css\nbody{}\n```"] {
            assert_eq!(page_in_reply(reply), None, "{reply}");
        }
    }
}
