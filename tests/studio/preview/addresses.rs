use std::collections::BTreeSet;

use facsimile_agent::project::address::Outline;
use facsimile_studio::preview::annotate::{Pass, annotated};
use facsimile_testkit::templates;

/// The addresses that a preview's copy carries.
fn carried(page: &str) -> BTreeSet<usize> {
    let copy = annotated(page, &Pass::default());
    let marks = copy.split(" data-fx=\"").skip(1);
    marks.map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
}

// S-69
#[test]
fn every_address_of_a_copy_names_an_element_of_the_source() {
    let mut pages: Vec<_> = templates::documents()
        .into_iter()
        .map(|document| (document.name(), String::from_utf8(document.bytes).unwrap()))
        .collect();
    pages.push((
        "odd".to_owned(),
        "\u{feff}<P CLASS=a>x<p b=1>é<svg><title>t</title><path/></svg><table><tr><td>1<td data-fx=7>2</table>\
         <template><i>x</i></template><script>'<b>'</script><textarea><b></textarea>"
            .to_owned(),
    ));
    for (name, page) in pages {
        let outline = Outline::of(&page);
        // What would tell hosts of the page is not in the copy at all.
        let is_early = |source: &str| source.contains("preconnect") || source.contains("dns-prefetch");
        let shown =
            outline.elements().map(|element| element.start_tag()).filter(|tag| !is_early(&page[tag.clone()]));
        let shown: BTreeSet<_> = shown.map(|tag| tag.start).collect();
        assert_eq!(carried(&page), shown, "{name}");
    }
}
