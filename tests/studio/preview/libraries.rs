use std::sync::Arc;

use facsimile_studio::preview::PreviewSource;
use facsimile_studio::preview::annotate::{Pass, annotated};
use facsimile_studio::preview::libraries::{Libraries, Library, LibraryRole};

use super::{Shelf, between, body, without_addresses};

/// A table for tests; the program's own may be another.
pub fn table() -> Arc<Libraries> {
    Arc::new(rows())
}

fn rows() -> Libraries {
    let library = |packages, files, address, role| Library { packages, files, address, role };
    Libraries::of(vec![
        library(&["tailwindcss"], &[""], "/lib/tailwind3.js", LibraryRole::Styles),
        library(&["x"], &["a.css", "b.css"], "/lib/x.css", LibraryRole::Plain),
        library(&["x"], &["b.js"], "/lib/x.js", LibraryRole::Plain),
    ])
}

const PAGE: &str = "<script src=\"https://cdn.tailwindcss.com\" integrity=a></script>\
    <script>tailwind.config = { theme: {} }</script><script>alert(1)</script>\
    <script>tailwind.config = alert(1)</script>\
    <link rel=stylesheet href=https://unpkg.com/x@1/a.css>\
    <style>@import 'https://unpkg.com/x@2/b.css'; p::before { content: '<' }</style>\
    <script type=module>import 'https://unpkg.com/x@3/b.js'</script>\
    <script src=https://other.org/a.js nonce=R></script>";

fn redirected(nonce: Option<&str>) -> String {
    let pass = Pass { boot: None, nonce: nonce.map(str::to_owned), libraries: table() };
    without_addresses(&annotated(PAGE, &pass))
}

#[test]
fn a_page_whose_scripts_run_gets_our_libraries() {
    assert_eq!(
        redirected(None),
        "<script src=\"/lib/tailwind3.js\"></script>\
         <script>tailwind.config = { theme: {} }</script><script>alert(1)</script>\
         <script>tailwind.config = alert(1)</script>\
         <link rel=stylesheet href=\"/lib/x.css\">\
         <style>@import '/lib/x.css'; p::before { content: '<' }</style>\
         <script type=module>import '/lib/x.js'</script>\
         <script src=https://other.org/a.js></script>"
    );
}

#[test]
fn while_a_page_is_written_only_its_styles_library_and_plain_settings_may_run() {
    let page = redirected(Some("R"));
    let allowed: Vec<_> = page.match_indices("nonce=").map(|(at, _)| &page[at..at + 60]).collect();
    assert_eq!(
        page,
        redirected(None).replace("tailwind3.js\">", "tailwind3.js\" nonce=\"R\">").replacen(
            "{} }</script>",
            "{} }</script><script nonce=\"R\">tailwind.config = { theme: {} }</script>",
            1
        )
    );
    assert_eq!(allowed.len(), 2);
}

#[test]
fn a_text_carries_the_mark_that_its_frame_turns_into_the_nonce() {
    let shelf = Shelf::of(&[("index.html", PAGE)]);
    let run = shelf.run;
    let source = PreviewSource::with_libraries(Arc::new(shelf), rows());
    let frame = source.respond(&format!("/stream/{run}/0/stream.html"));
    let again = source.respond(&format!("/stream/{run}/0/stream.html"));
    let mark = between(body(&frame), "data-fx-mark=\"", "\"");
    let text = source.whole_text(run, super::VariantIndex(0), &super::ProjectPath::index()).unwrap().text;
    assert_eq!(text.matches(&format!("nonce=\"{mark}\"")).count(), 2);
    assert_eq!(between(body(&again), "data-fx-mark=\"", "\""), mark);
    assert!(!frame.csp.contains(mark) && frame.csp != again.csp);
}
