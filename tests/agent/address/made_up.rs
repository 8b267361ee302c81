//! Pages that nobody would write and browsers read all the same.

use super::dice::Dice;

const WORDS: [&str; 14] = [
    "Prices",
    "from 9 < 10",
    "Fish &amp; chips",
    "50&nbsp;%",
    "&lt;b&gt;",
    "caf\u{e9}",
    "a & b",
    "\u{2019}tis",
    "x",
    "&copy; 2024",
    "1 > 0",
    "\u{1f980}",
    "AT&T",
    "&#8217;s",
];

/// The page of a number.
pub fn page(seed: u64) -> String {
    let mut writer =
        Writer { dice: Dice::new(seed ^ 0xfac5), out: String::new(), depth: 0, is_shouting: false };
    writer.is_shouting = writer.dice.one_in(6);
    if writer.dice.one_in(8) {
        writer.out.push('\u{feff}');
    }
    writer.document();
    let mut page = writer.out;
    if writer.dice.one_in(5) {
        page = page.replace('\n', "\r\n");
    }
    page
}

/// The page of a number with holes in it.
pub fn broken_page(seed: u64) -> String {
    let mut dice = Dice::new(seed ^ 0xb0c);
    let mut letters: Vec<char> = page(seed).chars().collect();
    for _ in 0..1 + dice.below(6) {
        let from = dice.below(letters.len());
        let to = (from + 1 + dice.below(25)).min(letters.len());
        letters.drain(from..to);
    }
    letters.into_iter().collect()
}

struct Writer {
    dice: Dice,
    out: String,
    depth: usize,
    is_shouting: bool,
}

impl Writer {
    fn document(&mut self) {
        let doctypes =
            ["<!doctype html>\n", "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"x\">\n", ""];
        let doctype = *self.dice.pick(&doctypes);
        self.raw(doctype);
        let is_bare = self.dice.one_in(4);
        if !is_bare {
            self.open("html");
            self.raw("\n");
            self.open("head");
        }
        self.head();
        if !is_bare {
            if self.dice.one_in(2) {
                self.close("head");
            }
            self.raw("\n");
            self.open("body");
        }
        for _ in 0..2 + self.dice.below(7) {
            self.block();
            self.raw("\n");
        }
        if !is_bare && self.dice.one_in(2) {
            self.raw("</body>\n</html>\n");
        }
    }

    fn head(&mut self) {
        for _ in 0..self.dice.below(6) {
            match self.dice.below(7) {
                0 => self.raw("<meta charset=utf-8>"),
                1 => self.raw("<title>A &lt;b> <i>title</i></title>"),
                2 => self.raw("<link rel='stylesheet' href=a.css />"),
                3 => self.raw(
                    "<style>@media (min-width: 1px) { @supports (display: grid) { a > b::after { content: \"</p><i>\" } }\
                     \n@media print { p { color: red } } } /* <u> */</style>",
                ),
                4 => self.raw("<script>if (a < b && '<p>' != \"</div>\") document.write('<b>' + x + '<\\/b>')</script>"),
                5 => self.raw("<script><!-- <script> </script> --></script>"),
                _ => self.raw("<!--[if lt IE 9]><script src=\"x.js\"></script><![endif]-->"),
            }
            self.raw("\n  ");
        }
    }

    fn block(&mut self) {
        self.depth += 1;
        let kinds = if self.depth > 5 { 4 } else { 22 };
        match self.dice.below(kinds) {
            0 => self.around("p", Writer::phrase),
            1 => {
                self.open("p");
                self.phrase();
                self.raw("\n");
                self.open("p");
                self.phrase();
                self.open("div");
                self.close("div");
            }
            2 => self.around("h2", Writer::phrase),
            3 => self.raw("<img src=a.png alt='' /><hr><br/>"),
            4 => self.list("ul"),
            5 => self.list("ol"),
            6 => {
                self.open("dl");
                for name in ["dt", "dd", "dt", "dd"] {
                    self.open(name);
                    self.phrase();
                    self.end_maybe(name);
                }
                self.close("dl");
            }
            7 => self.table(),
            8 => self.raw(
                "<svg viewBox='0 0 9 9'><style>a{}<g></g></style><title>t</title><g><path d=\"M0 0\"/><LINEARGRADIENT id=l />\
                 </g><foreignObject><div>in <p>html</div></foreignObject><![CDATA[ <a> ]]><text>&amp;</text></svg>",
            ),
            9 => self.raw("<math><mi>x</mi><mo>&lt;</mo><mtext><b>t</b></mtext><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"),
            10 => self.raw("<template><tr><td>cell</td></tr><div>in <b>it</b></div></template>"),
            11 => self.raw("<!--[if IE]><p>old</p><![endif]--><![if !IE]><i>new</i><![endif]><?xml version='1'?>"),
            12 => self.raw("<textarea>\n<p>not a tag</textarea><select><option>a<option selected>b</select>"),
            13 => self.raw("<iframe srcdoc=\"<p title='>'>&quot;</p>\"><b></iframe><ruby>a<rp>(<rt>b<rp>)</ruby>"),
            14 => self.raw("</section></nonsense></ span><x-card data-a=1 data-a=2>made up</x-card ignored='>'>"),
            15 => self.raw("<pre>\n  a\n\tb </pre><button disabled>go<span></button>"),
            16 => self.raw("<p>nul\0 here</p><script type=module>let a = `</p>`; // <b>\n</script>"),
            17 => self.raw("<details open><summary>s</summary>t</details><form><input value=a&amp;b></form>"),
            18 => self.raw("<div/><a href=?a=1&b=2#x/>in the link</a></div>"),
            19 => self.raw("<table><caption>c<col><tbody><tr><th>h<td>d<tfoot></table>"),
            _ => {
                let name = *self.dice.pick(&["div", "section", "main", "article", "footer"]);
                self.open(name);
                for _ in 0..1 + self.dice.below(3) {
                    self.raw("\n  ");
                    self.block();
                }
                self.close(name);
            }
        }
        self.depth -= 1;
    }

    fn list(&mut self, name: &str) {
        self.open(name);
        for _ in 0..1 + self.dice.below(3) {
            self.raw("\n    ");
            self.open("li");
            if self.dice.one_in(3) {
                self.block()
            } else {
                self.phrase()
            }
            self.end_maybe("li");
        }
        self.close(name);
    }

    fn table(&mut self) {
        self.open("table");
        let has_body = self.dice.one_in(2);
        if has_body {
            self.open("tbody");
        }
        for _ in 0..1 + self.dice.below(3) {
            self.raw("\n");
            self.open("tr");
            for _ in 0..1 + self.dice.below(3) {
                self.open("td");
                if self.dice.one_in(3) {
                    self.block()
                } else {
                    self.phrase()
                }
                self.end_maybe("td");
            }
            self.end_maybe("tr");
        }
        self.close("table");
    }

    fn phrase(&mut self) {
        for _ in 0..1 + self.dice.below(4) {
            let word = *self.dice.pick(&WORDS);
            match self.dice.below(5) {
                0 => {
                    let name = *self.dice.pick(&["b", "em", "span", "code", "label"]);
                    self.around(name, |writer| writer.raw(word));
                }
                1 => self.raw("<a href='#'>link</a>"),
                2 => self.raw("<br>"),
                3 => self.raw(" <!-- a remark --> "),
                _ => self.raw(word),
            }
            self.raw(" ");
        }
    }

    fn around(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.open(name);
        inside(self);
        self.close(name);
    }

    fn open(&mut self, name: &str) {
        const ATTRIBUTES: [&str; 18] = [
            " class=\"a b\"",
            " class='card  wide '",
            " class=one",
            " id=x",
            " style=\"color: red; top:0\"",
            " style='font: 1px \"A;B\"; --x: {a;b};'",
            " style=top:0",
            " hidden",
            " title=\"a > b\"",
            " title=''",
            " title",
            " data-a=\"1\" data-a='2'",
            " DATA-B=Z",
            "\n  aria-label='it&#39;s'",
            " onclick=\"go('&lt;')\"",
            " lang=\"en\"dir=ltr",
            " =odd",
            " a'b=1",
        ];
        let name = self.spelled(name);
        self.out.push('<');
        self.out.push_str(&name);
        for _ in 0..self.dice.below(4) {
            let attribute = *self.dice.pick(&ATTRIBUTES);
            self.out.push_str(attribute);
        }
        let end = *self.dice.pick(&[">", ">", ">", " >", "\n>"]);
        self.out.push_str(end);
    }

    fn close(&mut self, name: &str) {
        let name = self.spelled(name);
        let blank = *self.dice.pick(&["", "", "", " ", "\n"]);
        self.out.push_str(&format!("</{name}{blank}>"));
    }

    fn end_maybe(&mut self, name: &str) {
        if self.dice.one_in(2) {
            self.close(name);
        }
    }

    fn spelled(&mut self, name: &str) -> String {
        if self.is_shouting { name.to_uppercase() } else { name.to_owned() }
    }

    fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }
}
