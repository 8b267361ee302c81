use facsimile_agent::project::address::SourceVersion;
use facsimile_studio::preview::annotate::{Pass, StreamAnnotator, annotated};
use proptest::prelude::*;

use super::{Shelf, body, without_addresses};

fn with_boot() -> Pass {
    Pass { boot: Some("[boot]".to_owned()), ..Pass::default() }
}

#[test]
fn every_tag_gets_the_address_of_its_start() {
    assert_eq!(
        annotated("<!doctype html>\r\n<html><head></head>ü<p>a<br/>b<p>c</body>", &with_boot()),
        "<!doctype html>\r\n<html data-fx=\"17\"><head data-fx=\"23\">[boot]</head>\
         ü<p data-fx=\"38\">a<br data-fx=\"42\" />b<p data-fx=\"48\">c</body>"
    );
}

#[test]
fn our_script_comes_first_and_never_before_the_doctype() {
    let pages = [
        ("", "[boot]"),
        ("hello", "hello[boot]"),
        ("<!doctype html>", "<!doctype html>[boot]"),
        ("<!doctype html><p>x", "<!doctype html>[boot]<p>x"),
        (
            "<!-- a --><!doctype html><!-- b --><HTML><body>x",
            "<!-- a --><!doctype html><!-- b --><HTML>[boot]<body>x",
        ),
        ("<html><HEAD lang=x><title>t</title>", "<html><HEAD lang=x>[boot]<title>t</title>"),
        ("<html><frameset><frame></frameset></html>", "<html>[boot]<frameset><frame></frameset></html>"),
        ("<title>a <head> in a title</title><p>", "[boot]<title>a <head> in a title</title><p>"),
        ("<script>let a = \"<head><b>\"</script><b>", "[boot]<script>let a = \"<head><b>\"</script><b>"),
        ("<link rel=preconnect href=//x.org><p>", "[boot]<p>"),
        ("<div><p>a<li>b</i><", "[boot]<div><p>a<li>b</i><"),
        (
            "<select><xmp><script>\"x\"</script></select>",
            "[boot]<select><xmp><script>\"x\"</script></select>",
        ),
        ("\u{feff}<!doctype html><p>", "<!doctype html>[boot]<p>"),
        (
            "<?xml version=\"1.0\"?><!doctype html><html><head>",
            "<?xml version=\"1.0\"?><!doctype html><html><head>[boot]",
        ),
    ];
    for (source, page) in pages {
        assert_eq!(without_addresses(&annotated(source, &with_boot())), page, "{source}");
    }
}

#[test]
fn nothing_that_only_looks_like_a_tag_is_touched() {
    let odd = [
        "<script>if (a<b) { c = '<p>' }</script>",
        "<style>a::before { content: '<p>' }</style>",
        "<textarea><p></textarea>",
        "<!-- <p> --><![CDATA[<p>]]>",
        "<plaintext><p></plaintext><p>",
        "<script><!-- <script> </script> <p> --></script>",
        "a < b <3 </ > <>",
    ];
    for source in odd {
        assert_eq!(without_addresses(&annotated(source, &Pass::default())), source);
        let tags = annotated(source, &Pass::default()).matches(" data-fx=").count();
        assert!(tags <= 1, "{source}");
    }
}

#[test]
fn drawings_and_templates_are_addressed_inside() {
    let source =
        "<svg><title><b>x</b></title><style>a{}</style><path d=''/></svg><template><p>y</p></template>";
    assert_eq!(
        annotated(source, &Pass::default()),
        "<svg data-fx=\"0\"><title data-fx=\"5\"><b data-fx=\"12\">x</b></title><style data-fx=\"28\">a{}</style>\
         <path d='' data-fx=\"46\" /></svg><template data-fx=\"64\"><p data-fx=\"74\">y</p></template>"
    );
}

#[test]
fn a_page_cannot_forge_addresses_or_nonces() {
    let source = "<p data-fx=\"999\" id=a DATA-FX=7 nonce=x><script Nonce='y' nonce=z src=a.js></script>";
    assert_eq!(
        annotated(source, &Pass::default()),
        "<p data-fx=\"0\" id=a DATA-FX=7><script src=a.js data-fx=\"40\"></script>"
    );
}

#[test]
fn what_would_reach_out_early_goes_and_the_rest_stays() {
    let source = "<link rel=\"PreConnect\" href=//a.org><link rel='dns-prefetch' href=//b.org>\
                  <link rel='stylesheet preconnect' href=a.css integrity=sha384-x crossorigin>\
                  <link rel=icon href=i.png><script src=a.js integrity=sha256-y></script>";
    assert_eq!(
        without_addresses(&annotated(source, &Pass::default())),
        "<link rel=\"stylesheet\" href=a.css crossorigin><link rel=icon href=i.png><script src=a.js></script>"
    );
}

#[test]
fn a_page_is_answered_with_our_script_first_and_its_source_untouched() {
    let source = "<!doctype html><html><head><title>t</title></head><body>x</body></html>";
    let (previews, run) = Shelf::of(&[("index.html", source), ("more.htm", "<p>")]).source();
    let answer = previews.respond(&format!("/page/{run}/0/index.html?v=2&y=600"));
    let tag =
        format!("<script data-fx-boot=\"page\" data-fx-version=\"{}\">", SourceVersion::of(source).as_str());
    let (before, rest) = body(&answer).split_once(&tag).unwrap();
    let (_, after) = rest.split_once("</script>").unwrap();
    assert_eq!((answer.status, answer.mime), (200, "text/html; charset=utf-8"));
    assert_eq!(without_addresses(before) + &without_addresses(after), source);
    let other = previews.respond(&format!("/page/{run}/0/more.htm"));
    assert!(body(&other).ends_with("<p data-fx=\"0\">"));
}

#[test]
fn a_growing_page_is_certain_up_to_half_a_tag() {
    let mut annotator = StreamAnnotator::new(&Pass::default());
    let pieces = ["<p>one <b", " class='x", "'>two", "</b"].map(|piece| annotator.push(piece));
    assert_eq!(
        (pieces, annotator.finish()),
        (
            ["<p data-fx=\"0\">one ", "", "<b class='x' data-fx=\"7\">two", ""].map(str::to_owned),
            "</b".to_owned()
        )
    );
}

fn pages() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<!doctype html>",
        "<html>",
        "<head>",
        "</head>",
        "<body class='a\u{1f642}'>",
        "<p>",
        "</p>",
        "<br/>",
        "ü🙂 text",
        "<script>",
        "</script>",
        "tailwind.config = { a: 'b' }",
        "<script src=https://cdn.tailwindcss.com></script>",
        "<style>",
        "@import 'https://unpkg.com/x@1/a.css';",
        "</style>",
        "<!--",
        "-->",
        "<svg>",
        "<title>",
        "</svg>",
        "<![CDATA[",
        "]]>",
        "<link rel=preconnect href=x>",
        "<a href=\"<p>\" nonce=1 data-fx=9>",
        "<",
        "</",
        "\r\n",
        "<select><option>",
        "<table><tr><td>",
        "<template>",
        "\u{feff}",
        "&amp;&lt",
        "<textarea>",
        "\"",
        "'",
        ">",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cutting_gives_the_same_page(source in pages(), cuts in prop::collection::vec(0..400_usize, 0..12)) {
        for nonce in [None, Some("R".to_owned())] {
            let pass = Pass { nonce, libraries: super::libraries::table(), ..with_boot() };
            let mut annotator = StreamAnnotator::new(&pass);
            let mut ends: Vec<_> = cuts.iter().copied().filter(|at| source.is_char_boundary(*at)).collect();
            ends.push(source.len());
            ends.sort_unstable();
            let mut page = String::new();
            let mut start = 0;
            for end in ends {
                page.push_str(&annotator.push(&source[start..end]));
                start = end;
            }
            page.push_str(&annotator.finish());
            prop_assert_eq!(page, annotated(&source, &pass));
        }
    }

    #[test]
    fn every_address_is_that_of_a_tag(source in pages()) {
        let page = annotated(&source, &Pass::default());
        let ours = page.split("data-fx=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        for address in ours {
            let at: usize = address.parse().unwrap();
            let tag = source.get(at..).unwrap_or_default();
            let is_tag = tag.starts_with('<') && tag[1..].starts_with(|c: char| c.is_ascii_alphabetic());
            prop_assert!(is_tag, "{address} in {page}");
        }
    }
}

#[test]
fn pages_made_to_tire_the_pass_end_like_others() {
    let half = 128 * 1024;
    let many = |piece: &str| piece.repeat(half / piece.len());
    let hostile = [
        many("<b>") + &many("</i>"),
        many("<b>") + &many("</b>"),
        format!("<p {}b>", many("a=1 ")),
        format!("<p a='{}'>", many("x")),
        many("<!--") + &many("<p "),
        format!("<script>{}</script>", many("<")),
        many("<svg><title>"),
        many("<"),
    ];
    for source in hostile {
        let mut annotator = StreamAnnotator::new(&Pass { nonce: Some("R".to_owned()), ..with_boot() });
        let pieces = source.as_bytes().chunks(40).map(|piece| std::str::from_utf8(piece).unwrap());
        let page: String = pieces.map(|piece| annotator.push(piece)).collect();
        assert_eq!(
            without_addresses(&(page + &annotator.finish())).replace("[boot]", "").len(),
            source.len()
        );
    }
}
