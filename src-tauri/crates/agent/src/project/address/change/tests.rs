use super::*;
use crate::project::address::{Outline, Pick};

fn pick(source: &str, tag: &str) -> Pick {
    let outline = Outline::of(source);
    outline.elements().find(|element| element.tag() == tag).unwrap().pick()
}

fn changed(source: &str, tag: &str, change: Change) -> Result<String, ChangeRefused> {
    let patch = Outline::of(source).patch(&pick(source, tag), &change)?;
    let patched = patch.apply(source).unwrap();
    assert_eq!(patched.undo.apply(&patched.source).unwrap().source, source);
    Ok(patched.source)
}

fn whole(text: &str) -> Change {
    Change::Text { which: WhichText::Whole, text: text.to_owned() }
}

fn set(name: &str, value: &str) -> Change {
    Change::SetAttribute { name: name.to_owned(), value: value.to_owned() }
}

fn style(property: &str, value: &str) -> Change {
    Change::SetStyle { property: property.to_owned(), value: value.to_owned() }
}

fn no_style(property: &str) -> Change {
    Change::RemoveStyle { property: property.to_owned() }
}

fn class(name: &str) -> Change {
    Change::AddClass { name: name.to_owned() }
}

#[test]
fn a_text_is_escaped_and_keeps_the_blanks_around_it() {
    let written = [
        ("<h2>\n  Old &amp; worn\n</h2>", "h2", "New < \"1\" & up"),
        ("<p></p>", "p", "first"),
        ("<p>\r\n</p>\r\n", "p", "one\ntwo"),
        ("<pre>x</pre>", "pre", "\nx"),
        ("<title>a</title>", "title", "</title>"),
        ("<p>a<!-- b --></p>", "p", "c"),
        ("<style>a{}</style>", "style", "a>b{content:'&'}"),
        ("<svg><text><![CDATA[a]]></text></svg>", "text", "<&>"),
        ("<li>one<li>two", "li", "1"),
    ]
    .map(|(source, tag, text)| changed(source, tag, whole(text)).unwrap());
    assert_eq!(
        written,
        [
            "<h2>\n  New &lt; \"1\" &amp; up\n</h2>",
            "<p>first</p>",
            "<p>one\r\ntwo\r\n</p>\r\n",
            "<pre>\n\nx</pre>",
            "<title>&lt;/title&gt;</title>",
            "<p>c<!-- b --></p>",
            "<style>a>b{content:'&'}</style>",
            "<svg><text><![CDATA[<&>]]></text></svg>",
            "<li>1<li>two",
        ]
    );
}

#[test]
fn a_text_among_elements_is_changed_by_its_number() {
    let source = "<p>Read <a>this</a> or <b>that</b>.</p>";
    let second = Change::Text { which: WhichText::Number(1), text: "and".to_owned() };
    assert_eq!(changed(source, "p", second).unwrap(), "<p>Read <a>this</a> and <b>that</b>.</p>");
}

#[test]
fn a_text_that_cannot_stand_there_is_refused_with_the_reason() {
    let refused = [
        changed("<p>a<b>c</b></p>", "p", whole("x")),
        changed("<p>a<!-- -->b</p>", "p", whole("x")),
        changed("<img>", "img", whole("x")),
        changed("<table></table>", "table", whole("x")),
        changed("<script>1</script>", "script", whole("'</SCRIPT>'")),
        changed("<p>a</p>", "p", whole("\0")),
        changed("<p>a &lt; b</p>", "p", whole("a < b")),
        changed("<p>a</p>", "p", Change::Text { which: WhichText::Number(1), text: "x".into() }),
    ]
    .map(|refused| refused.unwrap_err().to_string());
    assert_eq!(
        refused,
        [
            "<p> holds other elements; pick one of them, or one of its texts by number",
            "<p> holds 2 texts in different places; name one by its number",
            "<img> cannot hold text; pick an element in it or around it",
            "<table> cannot hold text; pick an element in it or around it",
            "the text holds \"</script\", which would end or reopen <script>; write it another way",
            "the text holds a character that no page can hold (U+0000); leave it out",
            "nothing to do: the element is so already",
            "<p> has 1 texts of its own, counted from 0, and none of them is number 1",
        ]
    );
}

#[test]
fn an_attribute_keeps_its_quotes_and_gets_some_only_where_needed() {
    let written = [
        ("<a title=\"x\">", "say \"hi\" & 'go'"),
        ("<a title='x'>", "say \"hi\" & 'go'"),
        ("<a title=x>", "y"),
        ("<a title=x>", "y z"),
        ("<a title>", "y"),
        ("<a title=>", "y"),
        ("<a TITLE=x title=y>", "z"),
        ("<a href=x/>", "y"),
        ("<a b=>", "y"),
        ("<a/>", "y"),
        ("<a b c / >", "y"),
    ]
    .map(|(source, value)| changed(source, "a", set("title", value)).unwrap());
    assert_eq!(
        written,
        [
            "<a title=\"say &quot;hi&quot; &amp; 'go'\">",
            "<a title='say \"hi\" &amp; &#39;go&#39;'>",
            "<a title=y>",
            "<a title=\"y z\">",
            "<a title=\"y\">",
            "<a title=y>",
            "<a TITLE=z title=y>",
            "<a href=x/ title=\"y\">",
            "<a b=\"\" title=\"y\">",
            "<a title=\"y\"/>",
            "<a b c title=\"y\" / >",
        ]
    );
}

#[test]
fn a_removed_attribute_leaves_nothing_that_reads_otherwise() {
    let written = [
        "<a b c d>",
        "<a b=1\n  c=\"2\">",
        "<a c>",
        "<g/c>",
        "<a b=x c/>",
        "<a b=x c=\"1\"d=2>",
        "<a c=1 b C=2 d>",
        "<a b c=\"1\" =d>",
        "<a c=\"1\" =d>",
    ]
    .map(|source| {
        let tag = &source[1..2];
        changed(source, tag, Change::RemoveAttribute { name: "c".into() }).unwrap()
    });
    assert_eq!(
        written,
        [
            "<a b d>",
            "<a b=1>",
            "<a>",
            "<g>",
            "<a b=x />",
            "<a b=x d=2>",
            "<a b d>",
            "<a b=\"\" =d>",
            "<a =d>"
        ]
    );
}

#[test]
fn classes_come_and_go_one_by_one() {
    let add =
        ["<p>", "<p class>", "<p class=\"\">", "<p class=' a  b '>", "<p class=a>", "<p class=\"a&#32;b\">"]
            .map(|source| changed(source, "p", class("new")).unwrap());
    assert_eq!(
        add,
        [
            "<p class=\"new\">",
            "<p class=\"new\">",
            "<p class=\"new\">",
            "<p class=' a  b new '>",
            "<p class=\"a new\">",
            "<p class=\"a&#32;b new\">",
        ]
    );
    let remove = [
        "<p class=\"a x b\">",
        "<p class='x b'>",
        "<p class=\"b x\">",
        "<p class=x id=y>",
        "<p class=\"x b x\">",
    ]
    .map(|source| changed(source, "p", Change::RemoveClass { name: "x".into() }).unwrap());
    assert_eq!(
        remove,
        ["<p class=\"a b\">", "<p class='b'>", "<p class=\"b\">", "<p id=y>", "<p class=\"b\">"]
    );
}

#[test]
fn one_style_changes_and_the_others_keep_their_spelling() {
    let written = [
        ("", style("color", "red")),
        (" style", style("color", "red")),
        (" style=\"top:0\"", style("color", "red")),
        (" style=\"top:0 ;\"", style("color", "red")),
        (" style='COLOR:blue;top:0'", style("color", "red")),
        (" style=color:blue", style("color", "red")),
        (" style=color:blue", style("font", "1px \"A\"")),
        (" style=\"color: blue !important; color: green\"", style("color", "red")),
        (" style=\"color: blue ! IMPORTANT\"", style("color", "red !important")),
        (" style=\"a: url(data:x;y); /* color: x; */ color : blue\"", style("color", "red")),
        (" style=\"font: &quot;A;B&quot;; color:blue\"", style("font", "'C'")),
        (" style=\"--X: 1; --x: 2\"", style("--x", "{;}")),
    ]
    .map(|(attribute, change)| changed(&format!("<p{attribute}>"), "p", change).unwrap());
    assert_eq!(
        written,
        [
            "<p style=\"color: red\">",
            "<p style=\"color: red\">",
            "<p style=\"top:0; color: red\">",
            "<p style=\"top:0 ; color: red;\">",
            "<p style='COLOR:red;top:0'>",
            "<p style=color:red>",
            "<p style=\"color:blue; font: 1px &quot;A&quot;\">",
            "<p style=\"color: red !important; color: green\">",
            "<p style=\"color: red !important\">",
            "<p style=\"a: url(data:x;y); /* color: x; */ color : red\">",
            "<p style=\"font: 'C'; color:blue\">",
            "<p style=\"--X: 1; --x: {;}\">",
        ]
    );
    let removed = [
        "a: 1; color: red; b: 2",
        "color: red; b: 2",
        "b: 2; color: red",
        "b: 2; color: red;",
        "color: a; b: 2; color: c",
        "b: 2; color: a; color: c",
        "color: red;",
    ]
    .map(|value| changed(&format!("<p style=\"{value}\" id=x>"), "p", no_style("color")).unwrap());
    assert_eq!(
        removed,
        [
            "<p style=\"a: 1; b: 2\" id=x>",
            "<p style=\"b: 2\" id=x>",
            "<p style=\"b: 2;\" id=x>",
            "<p style=\"b: 2;\" id=x>",
            "<p style=\"b: 2;\" id=x>",
            "<p style=\"b: 2; \" id=x>",
            "<p id=x>",
        ]
    );
}

#[test]
fn names_and_values_that_would_run_into_others_are_refused() {
    let refused = [
        changed("<p>", "p", set("a b", "x")),
        changed("<p>", "p", class("a b")),
        changed("<p>", "p", style("co lor", "x")),
        changed("<p>", "p", style("color", "red; top: 0")),
        changed("<p>", "p", style("color", "url('a)")),
        changed("<p>", "p", style("color", "red}")),
        changed("<p style='a: \"b'>", "p", style("color", "red")),
        changed("<p class=a>", "p", class("a")),
        changed("<p>", "p", no_style("color")),
    ]
    .map(|refused| refused.unwrap_err().to_string());
    assert_eq!(
        refused,
        [
            "\"a b\" cannot be the name of an attribute; use letters, digits and hyphens",
            "\"a b\" cannot be the name of a class; use letters, digits and hyphens",
            "\"co lor\" cannot be the name of a style property; use letters, digits and hyphens",
            "\"red; top: 0\" is not one value of a style: it holds a semicolon outside of quotes and brackets",
            "\"url('a)\" is not one value of a style: a string, a comment or a bracket is not closed",
            "\"red}\" is not one value of a style: it closes a bracket that it did not open",
            "the element's style ends inside a string or a bracket; correct it in the code first",
            "nothing to do: the element is so already",
            "nothing to do: the element is so already",
        ]
    );
}
