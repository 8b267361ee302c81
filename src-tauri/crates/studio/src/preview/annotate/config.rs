//! Settings that a page gives to Tailwind: the one script of a page that runs while the page is written.
//!
//! It may only assign plain values. Whatever could do more — a call, a function, a template — is left for the
//! finished page.

/// Whether a script is `tailwind.config = ` and one object of plain values, and nothing else.
pub(super) fn is_settings(script: &str) -> bool {
    let mut reader = Reader { rest: script };
    let is_assignment = ["tailwind", ".", "config", "="].iter().all(|token| reader.takes(token));
    if !is_assignment || !reader.skips_to('{') {
        return false;
    }
    // Values nest as deep as brackets do; a stack on the heap holds what a page may exaggerate.
    let mut open = Vec::new();
    loop {
        reader.skip_blank();
        let Some(next) = reader.rest.chars().next() else { return false };
        match next {
            '{' | '[' => {
                open.push(if next == '{' { '}' } else { ']' });
                reader.advance(1);
            }
            '}' | ']' => {
                if open.pop() != Some(next) {
                    return false;
                }
                reader.advance(1);
                if open.is_empty() {
                    reader.takes(";");
                    reader.skip_blank();
                    return reader.rest.is_empty();
                }
            }
            ',' | ':' => reader.advance(1),
            '"' | '\'' => {
                if !reader.skips_string(next) {
                    return false;
                }
            }
            '-' | '+' | '.' | '0'..='9' | 'a'..='z' | 'A'..='Z' | '_' | '$' => reader.skip_word(),
            _ => return false,
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let comment = if self.rest.starts_with("//") {
                self.rest.find('\n')
            } else if self.rest.starts_with("/*") {
                self.rest.find("*/").map(|at| at + 2)
            } else {
                return;
            };
            self.advance(comment.unwrap_or(self.rest.len()));
        }
    }

    fn takes(&mut self, token: &str) -> bool {
        self.skip_blank();
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn skips_to(&mut self, next: char) -> bool {
        self.skip_blank();
        self.rest.starts_with(next)
    }

    /// Skips a string that ends on its own line.
    fn skips_string(&mut self, quote: char) -> bool {
        let mut is_escaped = false;
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                '\n' | '\r' => return false,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if c == quote => {
                    self.advance(at + 1);
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// Skips a number, a name or a word such as `true`.
    fn skip_word(&mut self) {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_' | '$');
        self.rest = self.rest.trim_start_matches(is_part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values_are_settings() {
        let settings = [
            "tailwind.config = {}",
            "\n  tailwind.config={ darkMode: 'class', theme: { extend: { colors: { ink: \"#123\", 50: '}' } } } };\n",
            "/* ours */ tailwind . config = { a: [1, -2.5e3, true, null], // done\n b: 'it\\'s' }",
        ];
        assert_eq!(settings.map(is_settings), [true; 3]);
    }

    #[test]
    fn whatever_could_do_more_is_not() {
        let others = [
            "",
            "tailwind.config",
            "tailwind.config = {",
            "tailwind.config = fetch('x')",
            "tailwind.config = {} ; alert(1)",
            "tailwind.config = { a: alert(1) }",
            "tailwind.config = { a: `${alert(1)}` }",
            "tailwind.config = { a() {} }",
            "tailwind.config = { plugins: [require('x')] }",
            "tailwind.config = { set a(b) {} }",
            "tailwind.config = { a: 1 }, alert",
            "tailwind.config = { a: 'x\n' }",
            "tailwind.config = { a: b = c }",
            "tailwind.config = [}",
            "tailwind.configure = {}",
            "let x; tailwind.config = {}",
        ];
        assert_eq!(others.map(is_settings), [false; 16]);
    }
}
