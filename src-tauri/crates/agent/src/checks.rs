//! What is wrong with a page: what its text alone shows, and the shape in which a camera's findings come.
//!
//! [`text_problems`] reads HTML, CSS, scripts and references without drawing anything; [`PageFindings`] holds that and what only
//! a drawn page shows. [`PageChecks`] is the stop hook that sends a model back for either.

mod findings;
mod hook;
mod markup;
mod references;
mod script;
mod sheet;
mod vue;

use std::fmt;

pub use findings::{Contrast, Overflow, PageFindings};
pub use hook::PageChecks;

use crate::project::{ProjectFiles, ProjectPath};
use references::Reference;

/// What is checked before a model may stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checks {
    /// Nothing.
    None,
    /// The text of pages and sheets: whether HTML, CSS and scripts parse, JSX and the templates of Vue among them, and
    /// whether what they refer to is there.
    Static,
    /// That, and the drawn page: its console, what it could not load, whether it overflows a phone.
    Rendered,
    /// That, and how close it is to its screenshot.
    Fidelity,
}

impl Checks {
    /// Every profile, the lightest first.
    pub const ALL: [Checks; 4] = [Checks::None, Checks::Static, Checks::Rendered, Checks::Fidelity];

    /// The profile of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|checks| checks.as_str() == name)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Checks::None => "none",
            Checks::Static => "static",
            Checks::Rendered => "rendered",
            Checks::Fidelity => "fidelity",
        }
    }

    /// What it checks, in one sentence.
    pub fn about(self) -> &'static str {
        match self {
            Checks::None => "Nothing",
            Checks::Static => "HTML, CSS and scripts parse, references resolve",
            Checks::Rendered => "Static, console and overflow; needs a display",
            Checks::Fidelity => "Rendered and the score; needs a display",
        }
    }

    /// Whether pages have to be drawn for it.
    pub fn needs_display(self) -> bool {
        self >= Checks::Rendered
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// So many problems of one file are told; the rest mostly follow from them.
const MOST_PER_FILE: usize = 10;

/// Something wrong in a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mistake {
    /// Counted from 1.
    line: u64,
    what: String,
}

/// What reading a text found.
#[derive(Debug, Default)]
struct Read {
    mistakes: Vec<Mistake>,
    references: Vec<Reference>,
}

/// What is wrong with the pages, sheets and scripts among these files, as one line each, such as
/// `index.html, line 12: <div> is not closed`. `is_kept` tells of files that are no text, such as pictures.
pub fn text_problems(files: &ProjectFiles, is_kept: &dyn Fn(&ProjectPath) -> bool) -> Vec<String> {
    let is_there = |path: &ProjectPath| files.read(path).is_some() || is_kept(path);
    let mut told = Vec::new();
    for (path, text) in files.iter() {
        let is_sheet = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("css"));
        let Read { mut mistakes, references } = match (is_sheet, path.extension()) {
            (true, _) => sheet::read(text, 0),
            (false, _) if path.is_page() => markup::read(text),
            (false, Some(extension)) => script::read(text, extension),
            (false, None) => continue,
        };
        mistakes.extend(references.iter().filter_map(|reference| reference.missing(path, &is_there)));
        mistakes.sort_by_key(|mistake| mistake.line);
        mistakes.dedup();
        let lines = mistakes.iter().map(|Mistake { line, what }| format!("{path}, line {line}: {what}"));
        told.extend(lines.take(MOST_PER_FILE));
        if let Some(more) = mistakes.len().checked_sub(MOST_PER_FILE).filter(|more| *more > 0) {
            told.push(format!("{path}: and {more} more"));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        let parsed = |path: &str| ProjectPath::parse(path).unwrap();
        let files = files.iter().map(|(path, text)| (parsed(path), (*text).to_owned())).collect();
        text_problems(&files, &|path| path.as_str() == "assets/0123456789abcdef.png")
    }

    fn page(html: &str) -> Vec<String> {
        problems(&[("index.html", html)])
    }

    #[test]
    fn a_sound_page_has_no_problems_however_it_is_spelt() {
        let html = "<!doctype html><html lang=en><head><meta charset=utf-8><title>a <b> c</title>
            <style>.a:is(p,li){color:red;&:hover{top:0}} @media (width>3px){b{}} @layer x;
            @font-face{font-family:x;src:url(data:font/woff2;base64,AA==)}</style>
            <script>if (a < b) document.write('</div>')</script></head>
            <body><ul><li>One<li>Two</ul><table><tr><td>x<tbody></table><p>a<p>b<br><img alt=''>
            <svg viewBox='0 0 1 1'><path d='M0 0'/><use href='#x'/></svg><select><option>a<option>b</select>
            <img src=assets/0123456789abcdef.png srcset='assets/0123456789abcdef.png 2x, https://a.test/b.png 3x'>
            <a href=/pricing>Prices</a><img :src='photo'><img src='{{ photo }}'><dl><dt>a<dd>b</dl>
            <textarea></div></textarea><link rel=preconnect href=nowhere>";
        assert_eq!(page(html), Vec::<String>::new());
    }

    #[test]
    fn elements_that_do_not_close_are_named_with_their_lines() {
        let found = page("<main>\n<div>\n<b>x</main>\n</section>\n<section>\n<div/>\n</section><div>");
        assert_eq!(
            found,
            [
                "index.html, line 2: <div> is not closed before </main> in line 3",
                "index.html, line 3: <b> is not closed before </main> in line 3",
                "index.html, line 4: </section> closes nothing",
                "index.html, line 6: <div> is not closed before </section> in line 7; \"/>\" does not close it",
                "index.html, line 7: <div> is never closed",
            ]
        );
    }

    #[test]
    fn a_page_that_is_cut_says_so() {
        assert_eq!(page("<p>One\n<img alt='x"), ["index.html, line 2: the file ends within a tag"]);
        assert_eq!(
            page("<script>\nlet a"),
            ["index.html, line 1: <script> is never closed"],
            "a script swallows the rest"
        );
    }

    #[test]
    fn an_attribute_that_is_given_twice_counts_once_and_is_told() {
        assert_eq!(
            page("<p class=a class=b>x"),
            ["index.html, line 1: <p> has an attribute twice; only the first counts"]
        );
    }

    #[test]
    fn styles_that_do_not_parse_are_named_in_pages_and_sheets() {
        let found = problems(&[
            ("index.html", "<p>\n<style>\np { color red; top: }\n</style>"),
            ("site.css", "a { color: red }\n}\n@media print {\nb { top: 0 }\n"),
        ]);
        assert_eq!(
            found,
            [
                "index.html, line 3: \"top\" has no value",
                "index.html, line 3: \"color red;\" is no style",
                "site.css, line 2: \"}\" closes nothing",
                "site.css, line 3: the block that opens here is never closed",
            ]
        );
    }

    const REACT: &str = "<!doctype html><title>Shop</title>
<script src=\"https://cdn.jsdelivr.net/npm/react@18.3.1/umd/react.production.min.js\"></script>
<div id=\"root\"></div>
<script type=\"text/babel\">
  const Price = ({ of }) => <b className=\"p-2\">{of.toFixed(2)} €</b>;
  const App = () => (
    <main>
      {[1, 2].map((n) => <Price key={n} of={n} />)}
    </main>
  );
  ReactDOM.createRoot(document.getElementById(\"root\")).render(<App />);
</script>
";

    #[test]
    fn jsx_that_does_not_compile_is_told_with_its_line() {
        let unclosed = page(&REACT.replace("</main>", "</section>"));
        let broken = page(&REACT.replace("({ of })", "({ of )"));
        assert_eq!(page(REACT), Vec::<String>::new());
        assert_eq!(
            [unclosed, broken],
            [
                [
                    "index.html, line 9: the script does not parse: Expected corresponding JSX closing tag for 'main' (column 7)"
                ],
                [
                    "index.html, line 5: the script does not parse: Expected `,` or `}` but found `)` (column 23)"
                ],
            ]
        );
    }

    const VUE: &str = "<!doctype html><title>Shop</title><p>{{ not a template }}</p>
<script src='https://cdn.jsdelivr.net/npm/vue@3.5.45/dist/vue.global.prod.js'></script>
<div id=app>
  <li :class=\"{ dark: isDark, 'p-4': true }\" v-for=\"(item, index) in items\" :key='item.id' @click='pick(item); open = true'>
    {{ index + 1 }}: {{ item.name.toUpperCase() }}
  </li>
  <my-card v-slot=\"{ title }\" v-on='{ close, open: () => 1 }' @save=\"async () => await save()\"
    @close='function () { close() }' v-model.trim=name v-else>{{ title
      || 'Nothing' }}</my-card>
</div>
<script>
const { createApp, ref } = Vue;
createApp({ setup() { return { items: ref([]) } } }).mount('#app');
</script>
";

    #[test]
    fn templates_of_vue_that_do_not_compile_are_told_with_their_lines() {
        let broken = VUE
            .replace("{ dark: isDark,", "{ dark: isDark;")
            .replace("(item, index) in", "(item, index) from")
            .replace("pick(item);", "pick(item;")
            .replace("index + 1", "index +")
            .replace("|| 'Nothing'", "|| 'Nothing");
        let found = page(&broken);
        let starts = [
            "index.html, line 4: v-for=\"(item, index) from items\" of <li> has to read \"item in items\"",
            "index.html, line 4: :class=\"{ dark: isDark; 'p-4': true }\" of <li> does not parse: ",
            "index.html, line 4: @click=\"pick(item; open = true\" of <li> does not parse: ",
            "index.html, line 5: {{ index + }} does not parse: ",
            "index.html, line 9: {{ title || 'Nothing }} does not parse: ",
        ];
        assert_eq!(page(VUE), Vec::<String>::new());
        let fits = found.len() == starts.len()
            && found.iter().zip(starts).all(|(line, start)| line.starts_with(start));
        assert!(fits, "{found:#?}");
    }

    #[test]
    fn scripts_of_their_own_are_read_and_what_is_no_script_is_not() {
        let found = problems(&[
            (
                "index.html",
                "<script type=importmap>{</script><script type=text/x-template><b {{</script><script src=js/a.js>{</script>",
            ),
            ("js/a.js", "let a = 1;\n}"),
            ("js/b.mjs", "import a from './a.js';\nexport default () => a"),
            ("js/c.tsx", "const c = (p: { a: string }) => <p>{p.a}</p>;"),
            ("notes.md", "}"),
        ]);
        assert_eq!(found, ["js/a.js, line 2: the script does not parse: Unexpected token (column 1)"]);
    }

    #[test]
    fn files_that_are_referred_to_and_not_there_are_named() {
        let found = problems(&[
            (
                "index.html",
                "<link rel=stylesheet href=css/site.css?v=2>\n<img src=./gone.png><script src=/js/a.js>\n</script>",
            ),
            ("css/site.css", "@import 'base.css';\n.a { background: url(../img/b%20c.png) }"),
            ("js/a.js", ""),
        ]);
        assert_eq!(
            found,
            [
                "css/site.css, line 1: css/base.css is not there",
                "css/site.css, line 2: img/b c.png is not there",
                "index.html, line 2: gone.png is not there",
            ]
        );
    }

    #[test]
    fn the_addresses_of_a_srcset_are_split_as_browsers_do() {
        let set = "data:image/png;base64,AA== 1x, a,b.png 2x,\tc.png, d.png (1x, 2x) 3x ,e.png 4x,,";
        let found = page(&format!("<img srcset='{set}'><link imagesrcset=f.png>"));
        let missing = ["a,b.png", "c.png", "d.png", "e.png", "f.png"];
        assert_eq!(found, missing.map(|path| format!("index.html, line 1: {path} is not there")));
    }

    #[test]
    fn pages_and_sheets_are_checked_whatever_the_case_of_their_endings() {
        let files = [("Index.HTML", "<div>"), ("b.Htm", "<i>"), ("c.CSS", "a{top:}"), ("d.htmlx", "<b>")];
        let found: Vec<String> = problems(&files).iter().map(|line| line[..5].to_owned()).collect();
        assert_eq!(found, ["Index", "b.Htm", "c.CSS"]);
    }

    #[test]
    fn a_flood_of_problems_is_cut_and_counted() {
        let found = page(&"</div>\n".repeat(30));
        assert_eq!((found.len(), found[10].as_str()), (11, "index.html: and 20 more"));
    }

    #[test]
    fn blocks_in_blocks_beyond_counting_are_told_once_and_not_gone_into() {
        let deep = "css, line 1: more than 128 blocks lie in each other; what is further in was not read";
        let open = "css, line 1: something opens in the rule of this line and is never closed: a bracket or a comment";
        for opening in ["(", "[", "{", "f(", "url(", "a{", "a:b{", "a{b:(", "a{--b:{", "@media x{", "a:b({"] {
            let found = problems(&[("a.css", &opening.repeat(100_000))]);
            let first = match opening {
                // No rule begins so; what is in it is not looked at.
                "{" => "css, line 1: \"{\" is no style",
                // An address without quotation marks has no bracket in it.
                "url(" => "css, line 1: a quotation mark or a bracket is missing",
                _ => deep,
            };
            assert_eq!(found, [first, open].map(|line| format!("a.{line}")), "{opening}");
        }
        let closed = format!("{}b{{top:0}}{}", "a{".repeat(100_000), "}".repeat(100_000));
        assert_eq!(problems(&[("a.css", &closed)]), [format!("a.{deep}")]);
    }

    #[test]
    fn elements_in_elements_beyond_counting_are_told_once_and_no_longer_followed() {
        let found = page(&format!("{}\n<img src=gone.png></i>", "<b>".repeat(300_000)));
        assert_eq!(
            found,
            [
                "index.html, line 1: more than 512 elements are open here; what closes was not looked at",
                "index.html, line 2: gone.png is not there",
            ]
        );
        assert_eq!(page(&format!("{}{}", "<b>".repeat(512), "</b>".repeat(512))), Vec::<String>::new());
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn any_text_is_read_to_its_end(text in "([<>/a-c \"'={}@;:!-]|style|script|svg|url\\(|\\PC){0,60}") {
            problems(&[("index.html", &text), ("site.css", &text)]);
        }
    }
}
