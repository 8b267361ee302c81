//! Joining a file that was cut with what was written behind it.

/// A model that goes on with a cut file is shown this many of its last lines, and may repeat them.
pub const MAX_TAIL_LINES: usize = 20;
/// Lines can be as long as the file: more than this is not shown of it.
const MAX_TAIL_BYTES: usize = 4_000;
/// Whole lines count as repeated only with this much in them: `</div>` may well follow itself.
const MIN_REPEATED_CHARS: usize = 16;
/// The line that was cut counts as repeated from here on.
const MIN_REPEATED_CUT_CHARS: usize = 2;

/// The last lines of a file.
pub fn tail(file: &str) -> &str {
    let least = file.len().saturating_sub(MAX_TAIL_BYTES);
    let window = &file[(least..file.len()).find(|at| file.is_char_boundary(*at)).unwrap_or(0)..];
    let body = window.strip_suffix('\n').unwrap_or(window);
    match body.rmatch_indices('\n').nth(MAX_TAIL_LINES - 1) {
        Some((at, _)) => &window[at + 1..],
        None => window,
    }
}

/// How many bytes at the beginning of `more` only repeat the end of `file`; `None` while more of it has to be
/// known. Indentation in front of the repetition does not matter.
pub fn repeated(file: &str, more: &str, is_whole: bool) -> Option<usize> {
    let text = more.trim_start();
    let indent = more.len() - text.len();
    if text.is_empty() {
        return is_whole.then_some(0);
    }
    let tail = tail(file);
    let starts = std::iter::once(0).chain(tail.match_indices('\n').map(|(at, _)| at + 1));
    for start in starts {
        let end = tail[start..].trim_start();
        let weight = end.chars().filter(|c| !c.is_whitespace()).count();
        let least = if end.contains('\n') { MIN_REPEATED_CHARS } else { MIN_REPEATED_CUT_CHARS };
        if weight < least {
            continue;
        }
        if text.starts_with(end) {
            return Some(indent + end.len());
        }
        if !is_whole && end.starts_with(text) {
            return None;
        }
    }
    Some(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = "<main>\n  <section class=\"hero\">\n    <h1>Hello</h1>\n    <p class=\"le";

    fn joined(file: &str, more: &str) -> String {
        format!("{file}{}", &more[repeated(file, more, true).unwrap()..])
    }

    #[test]
    fn what_goes_on_without_repeating_is_kept_whole() {
        assert_eq!(repeated(FILE, "ad\">One</p>\n", true), Some(0));
        assert_eq!(repeated("<ul>\n</ul>\n", "</ul>\n</main>\n", true), Some(0));
    }

    #[test]
    fn the_cut_line_and_whole_lines_are_not_written_twice() {
        let whole = format!("{FILE}ad\">One</p>\n");
        for more in [
            "<p class=\"lead\">One</p>\n",
            "    <p class=\"lead\">One</p>\n",
            "\n    <h1>Hello</h1>\n    <p class=\"lead\">One</p>\n",
            "<section class=\"hero\">\n    <h1>Hello</h1>\n    <p class=\"lead\">One</p>\n",
        ] {
            assert_eq!(joined(FILE, more), whole, "{more}");
        }
    }

    #[test]
    fn the_tail_has_at_most_twenty_lines_and_four_thousand_bytes() {
        let file: String = (0..50).map(|line| format!("line {line}\n")).collect();
        assert!(tail(&file).starts_with("line 30\n") && tail(&file).lines().count() == MAX_TAIL_LINES);
        assert_eq!(tail("a\nb"), "a\nb");
        let long = "é".repeat(10_000);
        assert_eq!(tail(&long).len(), MAX_TAIL_BYTES);
    }

    proptest! {
        #[test]
        fn a_repetition_of_up_to_twenty_lines_is_found_whatever_was_cut(
            lines in proptest::collection::vec("[a-z<>\"= é]{4,30}", 1..40),
            cut in any::<prop::sample::Index>(),
            back in 0..MAX_TAIL_LINES,
        ) {
            let numbered = lines.iter().enumerate().map(|(at, line)| format!("<i{at}>{line}|\n"));
            let whole: String = numbered.collect();
            let cut = (cut.index(whole.len())..whole.len()).find(|at| whole.is_char_boundary(*at)).unwrap_or(0);
            let file = &whole[..cut];
            let starts: Vec<usize> = file.match_indices('\n').map(|(at, _)| at + 1).collect();
            let begins = starts.iter().rev().nth(back).copied().unwrap_or(0);
            let weight = file[begins..].chars().filter(|c| !c.is_whitespace()).count();
            let is_far = file[begins..].lines().count() > MAX_TAIL_LINES || cut - begins > MAX_TAIL_BYTES;
            prop_assume!(weight >= MIN_REPEATED_CHARS && !is_far);
            prop_assert_eq!(joined(file, &whole[begins..]), whole);
        }

        #[test]
        fn what_is_decided_early_stays_decided(more in "[a-c<> \n]{0,40}", file in "[a-c<> \n]{0,60}") {
            let at_the_end = repeated(&file, &more, true);
            for cut in 0..more.len() {
                if let Some(early) = repeated(&file, &more[..cut], false) {
                    prop_assert_eq!(Some(early), at_the_end, "cut at {} of {:?} behind {:?}", cut, more, file);
                }
            }
        }
    }
}
