//! Remarks that stand for code somebody left out: "the rest stays the same".

use std::sync::LazyLock;

use regex::Regex;

/// Comments of HTML, style sheets and scripts. Two slashes begin one only where no address goes on.
const COMMENTS: &str = r"(?s)<!--(.*?)-->|/\*(.*?)\*/|(?m:(?:^|[\s;{}(),>])//([^\r\n]*))";

/// What such a remark says, in any of the spellings that models use.
const SAYS_LEFT_OUT: &str = r"(?ix)
    ^ \W* (\.{2,} | (\.\s+){2,}\. | …) \W* $
    | \b (the\s+)? (rest|remainder) \s+ (of\s+ .{0,60}\s+)? (is\s+|are\s+)? (stays?|remains?|unchanged|same|continues?|here|goes|as\s+(is|before))
    | \b rest \s+ of \s+ (the|your|this|my|our) \s+ (\w+\s+){0,3} (code|page|file|content|contents|html|css|js|markup|styles?|scripts?|sections?|components?|functions?|document|body|template|layout|rules?)
    | \b (existing|previous|original|old|other|remaining|current|same) \s+ (\w+\s+){0,2} (code|content|contents|html|css|js|markup|styles?|scripts?|sections?|rules?|functions?|elements?|imports?|body|head) \s* (here|above|below|stays?|remains?|unchanged|goes?|continues?|as\s+(is|before)|the\s+same|…|\.{3}|\(?unchanged\)?|$)
    | \b (stays?|remains?|kept|keeps?|left|is|are) \s+ (exactly\s+)? (the\s+)? (same|unchanged|untouched|as\s+(it\s+)?(is|was|before))
    | \b unchanged \W* $
    | ^ \W* unchanged \b
    | ^ \W* (no|nothing) \s+ (changes?|changed|else\s+changes?) \b ( \W* $ | \s+ (here|below|above|after\s+this) \b )
    | \b everything \s+ else \b
    | \b (rest|remainder) \s+ of \s+ (the\s+)? \w+ (\s+ (here|below|goes|follows))? \W* $
    | \b (remaining|other|existing|previous) \s+ (\w+\s+){0,3} (go|goes|follows?|belongs?) \s* (here|below)? \W* $
    | \b (add|insert|put|paste|place|include|copy) \s+ (\w+\s+){0,4} (others?|more|rest|remaining|existing|additional|similar|original|previous) \b .{0,40} \b (here|as\s+needed|if\s+needed) \W* $
    | ^ \W* (insert|paste) \s+ (the\s+|your\s+)? (rest|remaining|existing|original|previous) \b
    | \b (repeat|repeats|repeated|add\s+more|and\s+so\s+on|continue|continues) \W+ (as\s+needed|for\s+(the\s+)?(other|others|remaining|rest|each|all))
    | ^ \W* (and\s+so\s+(on|forth)|continue[ds]?\s+(as|like|with)\s+(before|above)|same\s+here) \W* $
    | \b (same|as) \s+ (as\s+)? (before|above|in\s+the\s+original|the\s+original|previously) \W* $
    | \b (code|content|markup|rest|omitted|truncated|shortened|elided|abbreviated|trimmed|snipped) \W* (omitted|truncated|elided|for\s+brevity)
    | \b (no|without\s+any|without) \s+ changes? \s+ (here|below|above|needed|to\s+the\s+rest)
    | \b keep \s+ (the\s+|all\s+(the\s+)?|your\s+)? (existing|rest|other|others|everything|remaining|original|previous)
    | (\.{3,} | …) \s* (\(?\s*)? (rest|existing|unchanged|same|remaining|previous|other|more|continued?|etc|and\s+so\s+on|snip) \b
    | \b (rest|existing|unchanged|remaining|previous|others?|continued?|etc|as\s+before) \b [^.…]{0,40} (\.{3,} | …) \W* $
    | ^ \W* (snip|etc|continued?) \W* $
";

static COMMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(COMMENTS).ok());
static LEFT_OUT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SAYS_LEFT_OUT).ok());

/// The first remark in the new text that stands for something left out and was not in the old one.
pub fn elision(old: &str, new: &str) -> Option<String> {
    let mut had = remarks(old);
    remarks(new).into_iter().find(|remark| match had.iter().position(|held| held == remark) {
        Some(place) => {
            had.swap_remove(place);
            false
        }
        None => true,
    })
}

/// What remarks of that kind a text holds, blanks evened out.
fn remarks(text: &str) -> Vec<String> {
    let (Some(comment), Some(left_out)) = (&*COMMENT, &*LEFT_OUT) else { return Vec::new() };
    comment
        .captures_iter(text)
        .filter_map(|found| found.iter().skip(1).flatten().next().map(|body| body.as_str().to_owned()))
        .map(|body| body.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|body| {
            left_out.is_match(body.trim_matches(|c: char| c.is_whitespace() || "-=*/#()[]".contains(c)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_the_rest_stays_the_same_is_noticed() {
        let said = [
            "<!-- rest stays the same -->",
            "<!-- The rest of the page remains unchanged -->",
            "<!-- ... rest of the content ... -->",
            "<!-- … unchanged -->",
            "<!-- existing code -->",
            "<!-- Existing sections here -->",
            "<!-- ... -->",
            "<!--\n  remaining sections stay the same\n-->",
            "/* rest of your styles */",
            "/* ... existing styles ... */",
            "/* unchanged */",
            "/* same as before */",
            "/* other rules stay as they were: keep the existing */",
            "// ... existing code ...",
            "  // rest of the code remains the same",
            "foo(); // … unchanged",
            "{/* existing code */}",
            "{/* … rest of the component unchanged … */}",
            "// code omitted for brevity",
            "/* previous code here */",
            "<!-- keep everything else -->",
            "<!-- footer is unchanged -->",
            "// no changes below",
            "/*…*/",
            "<!-- other sections as before -->",
            "// etc.",
            "<!-- [...] -->",
            "/* (...) */",
            "<!-- . . . -->",
            "// ..",
            "<!-- [Previous content remains unchanged] -->",
            "<!-- (existing code) -->",
            "<!-- [existing navigation code here] -->",
            "{/* Rest of the sections remain the same */}",
            "{/* ...rest of the JSX stays as it was... */}",
            "{\n  /* … */\n}",
            "/* ===== existing styles ===== */",
            "/* No changes */",
            "// nothing changed below",
            "// Everything else stays",
            "<!-- rest of cards -->",
            "<!-- rest of page -->",
            "<!-- remaining product cards go here -->",
            "<!-- Add other navigation links as needed -->",
            "<!-- Repeat for the other products -->",
            "<!-- repeat as needed -->",
            "<!-- insert the original footer -->",
            "<!-- ... other news items ... -->",
            "<!-- and so on -->",
            "// (code omitted)",
            "// [snip]",
            "<!-- continued -->",
            "<!-- same as above -->",
            "<!-- the navigation stays as is -->",
            "/*\n * ... existing rules ...\n */",
            "// UNCHANGED",
            "<!--rest stays the same-->",
            "foo() // rest unchanged",
        ];
        let missed: Vec<_> = said.into_iter().filter(|text| elision("", text).is_none()).collect();
        assert_eq!(missed, Vec::<&str>::new());
    }

    #[test]
    fn remarks_about_what_is_there_are_left_alone() {
        let said = [
            "<!-- Hero section -->",
            "<!-- The rest area: a place to rest -->",
            "<!-- Existing customers -->",
            "<p>The rest stays the same.</p>",
            "<p>existing code</p>",
            "<a href=\"https://example.com/rest-stays-the-same\">x</a>",
            "/* Reset */",
            "/* Same height for all cards */",
            "// keep the header above the fold",
            "const url = 'http://unchanged';",
            "/* Colours of the original design */",
            "// returns the same array",
            "<!-- Other projects -->",
            "/* Remaining space goes to the sidebar */",
            "<!-- Loading... -->",
            "/* = Typography = */",
            "<!-- Add to cart -->",
            "<!-- More products -->",
            "<!-- Other services we offer -->",
            "<!-- Keep in touch -->",
            "<!-- Nothing to see: an empty state -->",
            "<!-- Include partners -->",
            "/* repeat the pattern in both directions */",
            "/* no change of colour on hover */",
            "/* the rest of the row is empty */",
            "// copy the text to the clipboard",
            "// insert the row before the last one",
            "// add the other listeners",
            "/* insert more space between the cards */",
            "<!-- Continue button -->",
            "<!-- Previous / next -->",
            "<!-- Everything you need -->",
            "/* Unchanging */",
            "// returns undefined if nothing changed",
            "const more = '<p>... existing code ...</p>';",
            "<p>Add other links as needed</p>",
        ];
        let wrong: Vec<_> = said.into_iter().filter_map(|text| elision("", text)).collect();
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn a_remark_that_was_there_may_stay_but_not_multiply() {
        let old = "<p>a</p><!-- rest of the code -->";
        assert_eq!(elision(old, "<p>b</p><!--  rest of the code  -->"), None);
        let twice = format!("{old}{old}");
        assert_eq!(elision(old, &twice).as_deref(), Some("rest of the code"));
    }
}
