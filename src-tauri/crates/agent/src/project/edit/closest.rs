//! The part of a file that is most like a text that is not in it.

use std::collections::HashMap;

/// Below this similarity the lines would only mislead.
const LEAST_SIMILARITY: f64 = 0.5;
/// A needle longer than this is looked for by its first lines.
const MAX_NEEDLE_LINES: usize = 60;
/// Lines that are longer together are looked through for the part that is meant.
const MAX_SHOWN_BYTES: usize = 8_000;
/// A part of a line is shown up to the next tag or blank, if there is one so near.
const MAX_ROUNDING_BYTES: usize = 120;

/// Lines of a file, or a part of them, word for word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closest {
    /// The first line, counted from 1.
    pub first_line: usize,
    /// The last line.
    pub last_line: usize,
    /// Whether the text is only a part of these lines, which are very long.
    pub is_part: bool,
    /// Their exact text, without the last line's ending.
    pub text: String,
}

/// The text most similar to the needle, if any is at all: a run of lines, or a part of lines that nobody could read.
pub fn closest_lines(text: &str, needle: &str) -> Option<Closest> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = needle.trim_matches('\n').lines().take(MAX_NEEDLE_LINES).collect();
    let window = wanted.len().clamp(1, lines.len().max(1));
    let each_line: Vec<Vec<Counted>> =
        lines.iter().map(|line| pairs([*line]).into_iter().collect()).collect();
    let start = most_similar(&each_line, &pairs(wanted.iter().copied()), window);
    let size = |start: usize| lines[start..start + window].iter().map(|line| line.len()).sum::<usize>();
    match start.filter(|start| size(*start) <= MAX_SHOWN_BYTES) {
        Some(start) => Some(Closest {
            first_line: start + 1,
            last_line: start + window,
            is_part: false,
            text: lines[start..start + window].join("\n"),
        }),
        // What is meant can be a small part of a line.
        None => closest_part(text, &wanted),
    }
}

/// The same among the characters of a text, where lines mean nothing.
fn closest_part(text: &str, wanted: &[&str]) -> Option<Closest> {
    let seen: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| !c.is_whitespace()).collect();
    let needle = pairs(wanted.iter().copied());
    let window = needle.values().sum::<usize>().clamp(1, MAX_SHOWN_BYTES);
    let each_pair: Vec<[Counted; 1]> = seen.windows(2).map(|pair| [((pair[0].1, pair[1].1), 1)]).collect();
    let start = most_similar(&each_pair, &needle, window)?;
    let (from, last) = (seen.get(start)?.0, seen.get(start + window)?.0);
    let (before, behind) = (&text[..from], &text[last..]);
    let from = match before.rfind(['<', '\n', ' ']) {
        Some(at) if from - at <= MAX_ROUNDING_BYTES => at + usize::from(!before[at..].starts_with('<')),
        _ => from,
    };
    let to = match behind.find(['>', '\n', ' ']) {
        Some(at) if at <= MAX_ROUNDING_BYTES => last + at + usize::from(behind[at..].starts_with('>')),
        _ => last + behind.chars().next().map_or(0, char::len_utf8),
    };
    let line_at = |at: usize| 1 + text[..at].matches('\n').count();
    let (first_line, last_line) = (line_at(from), line_at(to));
    Some(Closest { first_line, last_line, is_part: true, text: text[from..to].to_owned() })
}

type Pair = (char, char);
type Counted = (Pair, usize);

/// Where the run of so many pieces begins that is most similar to the needle, if it is similar at all.
fn most_similar(
    pieces: &[impl AsRef<[Counted]>],
    needle: &HashMap<Pair, usize>,
    window: usize,
) -> Option<usize> {
    let needle_count: usize = needle.values().sum();
    // The pairs of the window are kept up to date piece by piece, so the whole file is read once.
    let mut held: HashMap<Pair, usize> = HashMap::new();
    let mut held_count = 0;
    let mut shared = 0;
    let mut best: Option<(f64, usize)> = None;
    for end in 0..pieces.len() {
        for (pair, count) in pieces[end].as_ref() {
            let (have, want) = (held.entry(*pair).or_default(), needle.get(pair).copied().unwrap_or(0));
            shared += (*have + count).min(want) - (*have).min(want);
            *have += count;
            held_count += count;
        }
        if let Some(gone) = end.checked_sub(window) {
            for (pair, count) in pieces[gone].as_ref() {
                let (have, want) = (held.entry(*pair).or_default(), needle.get(pair).copied().unwrap_or(0));
                shared -= (*have).min(want) - (*have - count).min(want);
                *have -= count;
                held_count -= count;
            }
        }
        if end + 1 >= window {
            let likeness = 2.0 * shared as f64 / (needle_count + held_count).max(1) as f64;
            if best.is_none_or(|(so_far, _)| likeness > so_far) {
                best = Some((likeness, end + 1 - window));
            }
        }
    }
    best.filter(|(likeness, _)| *likeness >= LEAST_SIMILARITY).map(|(_, start)| start)
}

/// Neighbouring characters with their counts, blanks left out.
fn pairs<'a>(lines: impl IntoIterator<Item = &'a str>) -> HashMap<Pair, usize> {
    let mut counts = HashMap::new();
    for line in lines {
        let mut last = None;
        for c in line.chars().filter(|c| !c.is_whitespace()) {
            if let Some(before) = last.replace(c) {
                *counts.entry((before, c)).or_default() += 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_page_on_one_line_the_part_is_shown_that_is_meant() {
        let filler: String = (0..2_000).map(|at| format!("<i>{at}</i> ")).collect();
        let meant = "<a class=\"nav\" href=\"/\">Home page</a>";
        let page = format!("<title>x</title>\n{filler}{meant}{filler}\n");
        let found = closest_lines(&page, "<a href='/' class='nav'>Home page</a>").unwrap();
        assert_eq!((found.first_line, found.last_line, found.is_part), (2, 2, true));
        assert!(found.text.contains(meant) && found.text.len() < 200, "{}", found.text);
        assert!(page.contains(&found.text));
        assert_eq!(closest_lines(&page, "nothing of the kind, ÄÖÜ"), None);
    }

    #[test]
    fn in_a_line_that_holds_more_than_is_meant_the_part_is_shown() {
        let page =
            "<title>S</title><h1>Shop</h1><p>Open daily from nine to five, closed on public holidays</p>";
        let found = closest_lines(page, "<h1>Shoop</h1>").unwrap();
        assert_eq!((found.is_part, found.text.contains("<h1>Shop</h1>")), (true, true), "{}", found.text);
    }

    #[test]
    fn a_page_without_lines_has_nothing_similar() {
        assert_eq!((closest_lines("", "a needle"), closest_lines("\n", "a needle")), (None, None));
    }
}
