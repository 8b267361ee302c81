//! What may be misread without being wrong: case, blanks and characters that look alike.

/// A line as it looks to a reader of pixels: without case, blanks and the differences between look-alikes.
pub(super) fn folded(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).filter_map(looks_like).collect()
}

fn looks_like(char: char) -> Option<char> {
    Some(match char {
        blank if blank.is_whitespace() => return None,
        '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{ad}' => return None,
        'i' | 'l' | '|' | '1' | '!' | 'ı' | 'í' | 'ì' => 'l',
        '0' | 'o' | 'ö' | 'ó' | '○' => 'o',
        '5' | 's' | '$' | '§' => 's',
        '8' | 'b' => 'b',
        '2' | 'z' => 'z',
        '‘' | '’' | '`' | '´' | '“' | '”' | '"' | '\'' => '\'',
        '–' | '—' | '−' | '‐' | '‑' | '_' | '~' => '-',
        '×' | '✕' | '✖' => 'x',
        '•' | '·' | '∙' | '.' | ',' => '.',
        ';' | ':' => ':',
        '[' | '{' | '(' | '«' | '‹' | '<' => '(',
        ']' | '}' | ')' | '»' | '›' | '>' => ')',
        '©' => 'c',
        '®' => 'r',
        '…' => '.',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'á' | 'à' | 'â' | 'ä' | 'å' => 'a',
        'ú' | 'ù' | 'ü' => 'u',
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_fold_to_the_same() {
        assert_eq!(folded("Il1 O0 – “x”"), folded("lll o o - 'X'"));
    }
}
