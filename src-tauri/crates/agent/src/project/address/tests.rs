use super::*;

fn pick(source: &str, tag: &str) -> Pick {
    let outline = Outline::of(source);
    outline.elements().find(|element| element.tag() == tag).unwrap().pick()
}

/// Every element as its start tag, its content and its end tag.
fn pieces(source: &str) -> Vec<[&str; 3]> {
    let outline = Outline::of(source);
    let piece = |element: Element<'_>| {
        let end = element.end_tag().map_or("", |range| &source[range]);
        [&source[element.start_tag()], &source[element.content()], end]
    };
    outline.elements().map(piece).collect()
}

#[test]
fn end_tags_without_an_end_are_read_once() {
    let source = format!("<p>x</p><b>y{}", "</a ".repeat(500_000));
    assert_eq!(pieces(&source)[0], ["<p>", "x", "</p>"]);
    let source = format!("<p>x</p><b>y{}=\">", "</a ".repeat(500_000));
    assert_eq!(pieces(&source)[0], ["<p>", "x", "</p>"]);
}

#[test]
fn tags_left_out_are_where_a_browser_puts_them() {
    assert_eq!(
        pieces("<ul><li>a<li>b</ul><p>x<p>y<div>z"),
        [
            ["<ul>", "<li>a<li>b", "</ul>"],
            ["<li>", "a", ""],
            ["<li>", "b", ""],
            ["<p>", "x", ""],
            ["<p>", "y", ""],
            ["<div>", "z", ""],
        ]
    );
    assert_eq!(
        pieces("<table><tr><td>1<td>2<tr><td>3</table>"),
        [
            ["<table>", "<tr><td>1<td>2<tr><td>3", "</table>"],
            ["<tr>", "<td>1<td>2", ""],
            ["<td>", "1", ""],
            ["<td>", "2", ""],
            ["<tr>", "<td>3", ""],
            ["<td>", "3", ""],
        ]
    );
}

#[test]
fn what_looks_like_a_tag_in_scripts_styles_and_comments_is_none() {
    let source = "<!--[if IE]><p>old</p><![endif]--><style>a::after{content:'</p><b>'}</style>\
        <script>document.write('<div></div>')</script><textarea><i></textarea><svg><style><g></g></style>\
        <![CDATA[</svg>]]></svg><template><td>x</template>";
    assert_eq!(
        pieces(source),
        [
            ["<style>", "a::after{content:'</p><b>'}", "</style>"],
            ["<script>", "document.write('<div></div>')", "</script>"],
            ["<textarea>", "<i>", "</textarea>"],
            ["<svg>", "<style><g></g></style><![CDATA[</svg>]]>", "</svg>"],
            ["<style>", "<g></g>", "</style>"],
            ["<g>", "", "</g>"],
            ["<template>", "<td>x", "</template>"],
            ["<td>", "x", ""],
        ]
    );
}

#[test]
fn attributes_are_found_in_every_spelling() {
    let source = "<A one=1 two = \"2 \" three='3' four FIVE= six=>x</A >";
    let outline = Outline::of(source);
    let link = outline.elements().next().unwrap();
    let found: Vec<_> = link
        .attributes()
        .iter()
        .map(|a| (&source[a.name.clone()], a.value.clone().map(|value| &source[value]), a.quote))
        .collect();
    assert_eq!(
        found,
        [
            ("one", Some("1"), Quote::Bare),
            ("two", Some("2 "), Quote::Double),
            ("three", Some("3"), Quote::Single),
            ("four", None, Quote::Bare),
            ("FIVE", Some("six="), Quote::Bare),
        ]
    );
    assert_eq!(&source[link.end_tag().unwrap()], "</A >");
}

#[test]
fn a_pick_of_another_version_finds_nothing() {
    let (old, new) = ("<p>a</p>", "<p>b</p>");
    let change = Change::Text { which: WhichText::Whole, text: "c".to_owned() };
    let stale = pick(old, "p");
    assert_eq!(Outline::of(new).patch(&stale, &change), Err(ChangeRefused::OtherVersion));
    let beside = Pick { at: 1, ..pick(new, "p") };
    assert_eq!(Outline::of(new).patch(&beside, &change), Err(ChangeRefused::NoElement { at: 1 }));
    let patch = Outline::of(old).patch(&stale, &change).unwrap();
    assert_eq!(patch.apply(new), Err(ChangeRefused::OtherVersion));
}

#[test]
fn an_element_is_described_by_its_place_and_what_it_says() {
    let source = "<main><section></section><section><h2 class='b a' STYLE='color:red!important'>Hi &amp; <i>x</i>\
        bye</h2></section></main>";
    let outline = Outline::of(source);
    let heading = outline.element(&pick(source, "h2")).unwrap().describe();
    let at = source.rfind("<section>").unwrap();
    assert_eq!(
        heading,
        Description {
            pick: pick(source, "h2"),
            tag: "h2".into(),
            path: "main > section:nth-of-type(2) > h2".into(),
            number: 1,
            alike: 1,
            texts: vec!["Hi &".into(), "bye".into()],
            has_elements: true,
            attributes: vec![("class".into(), "b a".into()), ("STYLE".into(), "color:red!important".into())],
            classes: vec!["b".into(), "a".into()],
            style: vec![("color".into(), "red!important".into())],
            parent: Some(Pick { at, ..outline.elements().next().unwrap().pick() }),
        }
    );
}

#[test]
fn a_path_starts_at_an_id_and_goes_through_what_nobody_wrote() {
    let path = |source: &str, tag: &str| {
        let outline = Outline::of(source);
        outline.element(&pick(source, tag)).unwrap().describe().path
    };
    let paths = [
        path("<div id=a><p>x<p><b>y</b></div>", "b"),
        path("<div id=a></div><div id=a><b>y</b></div>", "b"),
        path("<table><tr><td>1</table>", "td"),
        path("<title>x</title>", "title"),
        path("<svg><CLIPPATH/></svg>", "clippath"),
        path("<o:p>x</o:p>", "o:p"),
        path("<frameset><frame></frameset>", "frame"),
    ];
    assert_eq!(
        paths,
        [
            "#a > p:nth-of-type(2) > b",
            "div:nth-of-type(2) > b",
            "table > tbody > tr > td",
            "head > title",
            "svg > clipPath",
            "o\\:p",
            "html > frameset > frame",
        ]
    );
}

/// The own texts of every element, by its tag.
fn texts(source: &str) -> Vec<(String, Vec<&str>)> {
    let outline = Outline::of(source);
    let of = |element: Element<'_>| {
        (element.tag().to_owned(), element.texts().map(|range| source[range].trim()).collect())
    };
    outline.elements().map(of).collect()
}

#[test]
fn what_is_drawn_in_looks_that_were_left_open_is_theirs() {
    let of = |tag: &str, texts: &[&'static str]| (tag.to_owned(), texts.to_vec());
    assert_eq!(texts("<p><b>a<p>b"), [of("p", &[]), of("b", &["a", "b"]), of("p", &[])]);
    assert_eq!(
        texts("<p><b>a</p></b>b<table><tr><td><i>c<td>d</table>e"),
        [
            of("p", &[]),
            of("b", &["a"]),
            of("table", &[]),
            of("tr", &[]),
            of("td", &[]),
            of("i", &["c"]),
            of("td", &["d"]),
        ]
    );
    let source = "<p><b>a<p>b";
    let outline = Outline::of(source);
    let tell = |pick: &Pick, which| outline.patch(pick, &Change::Text { which, text: "new".to_owned() });
    let bold = pick(source, "b");
    let second = outline.elements().last().unwrap().pick();
    let patch = tell(&bold, WhichText::Number(1)).unwrap();
    assert_eq!(patch.apply(source).unwrap().source, "<p><b>a<p>new");
    assert_eq!(
        [tell(&bold, WhichText::Whole), tell(&second, WhichText::Whole)],
        [
            Err(ChangeRefused::SeveralTexts { tag: "b".into(), count: 2 }),
            Err(ChangeRefused::HoldsElements { tag: "p".into() }),
        ]
    );
}

#[test]
fn a_text_that_would_be_drawn_in_another_element_is_refused() {
    let source = "<p><b>a<p></p>";
    let outline = Outline::of(source);
    let second = outline.elements().last().unwrap().pick();
    let change = Change::Text { which: WhichText::Whole, text: "new".to_owned() };
    assert_eq!(outline.patch(&second, &change), Err(ChangeRefused::LandsElsewhere { tag: "p".into() }));
    let sound = source.replace("a<p>", "a</b><p>");
    let outline = Outline::of(&sound);
    let second = outline.elements().last().unwrap().pick();
    assert_eq!(
        outline.patch(&second, &change).unwrap().apply(&sound).unwrap().source,
        "<p><b>a</b><p>new</p>"
    );
}

#[test]
fn an_element_left_open_in_a_picture_goes_on_behind_its_end_tags() {
    let of = |tag: &str, texts: &[&'static str]| (tag.to_owned(), texts.to_vec());
    assert_eq!(
        texts("<svg><foreignObject><div>a</foreignObject></svg>b"),
        [of("svg", &[]), of("foreignobject", &[]), of("div", &["a", "b"])]
    );
    assert_eq!(
        texts("<svg><foreignObject><div>a</div></foreignObject></svg>b"),
        [of("svg", &[]), of("foreignobject", &[]), of("div", &["a"])]
    );
}

#[test]
fn frames_have_addresses_and_hold_no_text() {
    let source = "<frameset cols=1><p>x</p><frame src=a><frameset><frame></frameset><noframes>y</noframes></frameset><p>z";
    let outline = Outline::of(source);
    let tags: Vec<_> = outline.elements().map(|element| element.tag()).collect();
    assert_eq!(tags, ["frameset", "frame", "frameset", "frame", "noframes"]);
    let change = Change::SetAttribute { name: "src".into(), value: "b".into() };
    let frame = pick(source, "frame");
    let changed = outline.patch(&frame, &change).unwrap().apply(source).unwrap().source;
    assert_eq!(changed, source.replace("src=a", "src=b"));
    let text = Change::Text { which: WhichText::Whole, text: "new".to_owned() };
    let refused = ["frameset", "frame"].map(|tag| outline.patch(&pick(source, tag), &text));
    let takes_none = |tag: &str| Err(ChangeRefused::TakesNoText { tag: tag.into() });
    let holds = Err(ChangeRefused::HoldsElements { tag: "frameset".into() });
    assert_eq!(refused, [holds, takes_none("frame")]);
}
