//! Scripts as their grammar sees them: whether they parse, and where they stop making sense.

use std::thread;

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;

use super::{Mistake, Read};

/// The parser goes down once for every level, and a script can be one level after the other: what a script of the
/// most characters takes at worst. Only what is used of it is taken.
const STACK_BYTES: usize = 256 << 20;
/// Longer scripts are made by programs, for programs.
const MOST_BYTES: usize = 200_000;
/// Nobody writes brackets deeper than that; the parser's time grows with the cube of it.
const MOST_DEPTH: usize = 60;

/// What a script is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// What pages run by themselves.
    Plain,
    /// The same as a module.
    Module,
    /// What a page's own compiler makes scripts of: elements among the words, and imports.
    Jsx,
    /// That with types.
    Tsx,
    /// A file whose use is not known.
    Any,
}

impl Dialect {
    /// The dialect of a file of this ending.
    fn of_file(extension: &str) -> Option<Self> {
        match extension {
            "js" | "jsx" => Some(Self::Any),
            "mjs" => Some(Self::Module),
            "ts" | "tsx" => Some(Self::Tsx),
            _ => None,
        }
    }

    /// The dialect of a page's script of this type; `None` where it holds something else.
    pub(super) fn of_type(kind: &str, presets: &str) -> Option<Self> {
        match kind.trim().to_ascii_lowercase().as_str() {
            "" | "text/javascript" | "application/javascript" | "text/ecmascript" => Some(Self::Plain),
            "module" => Some(Self::Module),
            "text/babel" | "text/jsx" if presets.contains("typescript") => Some(Self::Tsx),
            "text/babel" | "text/jsx" => Some(Self::Jsx),
            "text/typescript" | "text/tsx" => Some(Self::Tsx),
            _ => None,
        }
    }

    fn source_type(self) -> SourceType {
        match self {
            Self::Plain => SourceType::script(),
            Self::Module => SourceType::mjs(),
            Self::Jsx => SourceType::jsx(),
            Self::Tsx => SourceType::tsx(),
            Self::Any => SourceType::unambiguous().with_jsx(true),
        }
    }
}

/// A text that has to parse.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) text: String,
    pub(super) dialect: Dialect,
    /// The lines of its file before its first one.
    pub(super) lines_before: u64,
    /// What it is called where it does not parse; a part of a line has no columns of its own.
    pub(super) name: Option<String>,
}

/// What is wrong with a file of this ending, if it is a script.
pub(super) fn read(text: &str, extension: &str) -> Read {
    let script = |dialect| Script { text: text.to_owned(), dialect, lines_before: 0, name: None };
    let scripts = Dialect::of_file(extension).map(script);
    Read { mistakes: mistakes(scripts.into_iter().collect()), references: Vec::new() }
}

/// What is wrong with these scripts, at most once each: what follows the first mistake is mostly its echo.
pub(super) fn mistakes(scripts: Vec<Script>) -> Vec<Mistake> {
    let scripts: Vec<_> = scripts.into_iter().filter(is_within_reason).collect();
    if scripts.is_empty() {
        return Vec::new();
    }
    let reading = move || scripts.iter().filter_map(mistake).collect();
    let reader = thread::Builder::new().stack_size(STACK_BYTES).spawn(reading);
    // Where there is no room for it nothing is found, as where the parser itself fails.
    reader.ok().and_then(|reader| reader.join().ok()).unwrap_or_default()
}

fn mistake(script: &Script) -> Option<Mistake> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, &script.text, script.dialect.source_type()).parse();
    let error = parsed.diagnostics.errors().next()?;
    let at = error.labels.iter().find(|label| label.primary()).or_else(|| error.labels.iter().next());
    let before = at.and_then(|label| script.text.get(..label.offset() as usize)).unwrap_or_default();
    let line = script.lines_before + before.matches('\n').count() as u64 + 1;
    // The last line of what has a name is what we put around it.
    let last = script.lines_before + script.text.matches('\n').count() as u64;
    let line = if script.name.is_some() { line.min(last) } else { line };
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let why = error.message.trim_end_matches('.');
    let what = match &script.name {
        Some(name) => format!("{name} does not parse: {why}"),
        None => format!("the script does not parse: {why} (column {column})"),
    };
    Some(Mistake { line, what })
}

fn is_within_reason(script: &Script) -> bool {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in script.text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    script.text.len() <= MOST_BYTES && deepest <= MOST_DEPTH
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, dialect: Dialect) -> Vec<String> {
        let script = Script { text: text.to_owned(), dialect, lines_before: 2, name: None };
        mistakes(vec![script]).into_iter().map(|Mistake { line, what }| format!("{line}: {what}")).collect()
    }

    const COMPONENT: &str = "const App = () => {\n  const [n, setN] = React.useState(0);\n  return (\n    \
        <main className=\"p-4\">\n      {[1, 2].map((i) => <p key={i}>{n > i && <b>{i}</b>}</p>)}\n    </main>\n  );\n};\n";

    #[test]
    fn sound_scripts_of_every_dialect_parse() {
        let plain = "<!-- old\nvar await = 1; with (window) { alert(`${1}`) } // x\n--> end";
        let module = "import a from 'a'; export default await a();";
        let typed =
            format!("type P = {{ a?: string }};\nconst f = (p: P): number => p.a!.length;\n{COMPONENT}");
        let found = [
            read(plain, Dialect::Plain),
            read(module, Dialect::Module),
            read(COMPONENT, Dialect::Jsx),
            read(&format!("import x from 'y';\n{COMPONENT}"), Dialect::Any),
            read("with (window) alert(1)", Dialect::Any),
            read(&typed, Dialect::Tsx),
        ];
        assert_eq!(found, [const { Vec::<String>::new() }; 6]);
    }

    #[test]
    fn what_does_not_parse_is_told_with_its_line_and_column() {
        let unclosed = COMPONENT.replace("</p>", "");
        let found = [
            read(&unclosed, Dialect::Jsx),
            read("let a = 1;\nlet b = ;", Dialect::Plain),
            read("const a: number = 1", Dialect::Jsx),
        ];
        let expected = [
            "7: the script does not parse: Unexpected token. Did you mean",
            "4: the script does not parse: Unexpected token (column 9)",
            "3: the script does not parse: Missing initializer in const declaration (column 7)",
        ];
        let fits =
            found.iter().zip(expected).all(|(found, start)| found.len() == 1 && found[0].starts_with(start));
        assert!(fits, "{found:?}");
    }

    // S-70
    #[test]
    fn scripts_without_end_and_without_reason_are_survived() {
        let links = [
            "!",
            "a=",
            "a=>",
            "a**",
            "x:",
            "new ",
            "class extends ",
            "if(a)",
            "a?",
            "<a>",
            "a+",
            "a.",
            "do ",
        ];
        let brackets = ["(", "[", "{", "(a=", "a?(b=", "({a:", "`${", "<a>{", "async("];
        for link in links {
            assert!(read(&link.repeat(MOST_BYTES / link.len()), Dialect::Tsx).len() <= 1);
        }
        for bracket in brackets {
            let deep = bracket.matches(['(', '[', '{']).count();
            read(&bracket.repeat(MOST_DEPTH / deep), Dialect::Tsx);
            assert_eq!(read(&bracket.repeat(MOST_DEPTH + 1), Dialect::Tsx), Vec::<String>::new());
        }
        assert_eq!(read(&"(".repeat(MOST_BYTES + 1), Dialect::Plain), Vec::<String>::new());
    }
}
