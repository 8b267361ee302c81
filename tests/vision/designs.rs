//! What a designer looks at first in the bundled sample of a shop.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use facsimile_vision::trace::facts::TextFact;
use facsimile_vision::{Facts, Layout, Raster, Watch, emit};

use crate::tracing::tracer;

fn shop() -> &'static (Raster, Facts) {
    static SHOP: OnceLock<(Raster, Facts)> = OnceLock::new();
    SHOP.get_or_init(|| {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../studio/samples/shop.png");
        let raster = Raster::decode(&std::fs::read(sample).unwrap()).unwrap();
        let facts = tracer().trace(&raster, &mut Watch::silent()).unwrap();
        (raster, facts)
    })
}

fn line(text: &str) -> &'static TextFact {
    shop().1.texts.iter().find(|fact| fact.text == text).unwrap_or_else(|| panic!("no line \"{text}\""))
}

#[test]
fn headings_in_a_strange_serif_share_one_family() {
    let headings = [
        "Kestrel·Kiln",
        "Slow clay for",
        "daily tables",
        "From the last firing",
        "Pouring jug",
        "Wide bowl",
        "Morning mug",
        "How a bowl comes",
        "to be",
        "Letters from the kiln, four times a year",
    ];
    let families: BTreeSet<&str> = headings.map(|text| line(text).ff.as_str()).into();
    assert_eq!(families, BTreeSet::from(["\"Times New Roman\", \"Liberation Serif\", serif"]));
}

#[test]
fn lines_of_one_strange_look_share_weight_and_size() {
    for alike in
        [["Slow clay for", "daily tables"], ["Pouring jug", "Wide bowl"], ["How a bowl comes", "to be"]]
    {
        let [first, second] = alike.map(|text| (line(text).fw, line(text).fs));
        assert_eq!(first, second, "{alike:?}");
    }
}

#[test]
fn a_strange_heading_leaves_the_text_its_own_family() {
    let body = ["Stoneware thrown in small batches, fired twice, and", "Thrown", "Studio visits"];
    assert_eq!(body.map(|text| line(text).ff.as_str()), ["Inter, sans-serif"; 3]);
}

#[test]
fn a_bordered_pill_is_one_box_around_its_whole_label() {
    let (_, facts) = shop();
    let pills: Vec<_> = facts
        .boxes
        .iter()
        .filter(|painted| painted.x > 1100.0 && painted.y < 80.0)
        .map(|painted| ([painted.x, painted.y, painted.w, painted.h, painted.r], painted.bw, painted.bc))
        .collect();
    let pictures = facts.images.iter().filter(|image| image.y < 80.0).count();
    let label = line("Basket 2").ink;
    assert_eq!(
        (pills, pictures, label),
        (vec![([1121.0, 26.0, 95.0, 40.0, 20.0], [1.0; 4], [38, 34, 28])], 0, [1139, 40, 59, 11])
    );
}

#[test]
fn the_title_is_the_whole_heading() {
    let (raster, facts) = shop();
    let page =
        emit(facts, raster, Layout::Flowing, &|bytes, extension| format!("{}.{extension}", bytes.len()));
    let title = page.html.lines().find(|line| line.starts_with("<title>"));
    assert_eq!(title, Some("<title>Slow clay for daily tables</title>"));
}
