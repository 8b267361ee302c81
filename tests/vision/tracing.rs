//! What is measured on real pages, against what their documents say.

use std::cell::Cell;
use std::sync::OnceLock;

use facsimile_vision::trace::facts::TextFact;
use facsimile_vision::{Facts, Layout, Progress, Raster, Stage, TraceError, TracedPage, Tracer, Watch, emit};
use image::{Rgb, RgbImage};
use serde_json::Value;

use crate::files::{fixture, png};

const LAYOUTS: [Layout; 2] = [Layout::Flowing, Layout::Pinned];
const PAGES: [&str; 3] = ["shop-grid", "sb2-login", "business-pricing"];

pub fn tracer() -> &'static Tracer {
    static TRACER: OnceLock<Tracer> = OnceLock::new();
    TRACER.get_or_init(|| Tracer::new().unwrap())
}

struct Page {
    raster: Raster,
    facts: Facts,
    truth: Value,
}

fn pages() -> &'static [Page] {
    static TRACED: OnceLock<Vec<Page>> = OnceLock::new();
    TRACED.get_or_init(|| {
        PAGES
            .iter()
            .map(|name| {
                let raster = Raster::decode(&fixture(&format!("pages/{name}.png"))).unwrap();
                let facts = tracer().trace(&raster, &mut Watch::silent()).unwrap();
                let truth = serde_json::from_slice(&fixture(&format!("pages/{name}.json"))).unwrap();
                Page { raster, facts, truth }
            })
            .collect()
    })
}

fn document(page: &Page, layout: Layout) -> TracedPage {
    emit(&page.facts, &page.raster, layout, &|bytes, extension| format!("assets/{}.{extension}", bytes.len()))
}

fn number(of: &Value, name: &str) -> f32 {
    of[name].as_f64().unwrap() as f32
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// Lines the document and the facts agree on, letter for letter, nearest first.
fn shared_lines(page: &Page) -> Vec<(&Value, &TextFact)> {
    let lines = page.truth["texts"].as_array().unwrap();
    lines
        .iter()
        .filter_map(|line| {
            let wanted = squeezed(line["text"].as_str().unwrap());
            let far = |fact: &TextFact| (fact.y - number(line, "y")).hypot(fact.x - number(line, "x"));
            let same = page.facts.texts.iter().filter(|fact| squeezed(&fact.text) == wanted);
            Some((line, same.min_by(|a, b| far(a).total_cmp(&far(b)))?))
        })
        .collect()
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values[values.len() / 2]
}

fn share<T>(of: &[T], is_good: impl Fn(&T) -> bool) -> f32 {
    of.iter().filter(|one| is_good(one)).count() as f32 / of.len() as f32
}

#[test]
fn nearly_all_characters_are_read() {
    for (page, name) in pages().iter().zip(PAGES) {
        let lines = page.truth["texts"].as_array().unwrap();
        let all: usize = lines.iter().map(|line| squeezed(line["text"].as_str().unwrap()).len()).sum();
        let read: usize = shared_lines(page).iter().map(|(_, fact)| squeezed(&fact.text).len()).sum();
        assert!(read * 100 >= all * 80, "{name}: {read} of {all} characters in perfect lines");
    }
}

#[test]
fn lines_stand_where_the_document_has_them() {
    for (page, name) in pages().iter().zip(PAGES) {
        let off = shared_lines(page)
            .iter()
            .map(|(line, fact)| {
                let middle = |x, w| x + w / 2.0;
                let dx = middle(fact.x, fact.w) - middle(number(line, "x"), number(line, "w"));
                let dy = middle(fact.y, fact.h) - middle(number(line, "y"), number(line, "h"));
                dx.abs().max(dy.abs())
            })
            .collect();
        let off = median(off);
        // The price list's lines begin with a blank that is measured with them in the document.
        let most = if name == "business-pricing" { 2.5 } else { 1.0 };
        assert!(off <= most, "{name}: {off} px");
    }
}

#[test]
fn sizes_and_colours_are_the_documents() {
    for (page, name) in pages().iter().zip(PAGES) {
        let lines = shared_lines(page);
        let sized = share(&lines, |(line, fact)| (fact.fs / number(line, "fs") - 1.0).abs() < 0.06);
        let colored = share(&lines, |(line, fact)| {
            // Translucent text is measured as painted.
            let is_opaque = number(line, "alpha") == 1.0;
            let wanted = line["color"].as_array().unwrap();
            let close = |(a, b): (&u8, &Value)| (f64::from(*a) - b.as_f64().unwrap()).abs() < 48.0;
            !is_opaque || fact.color.iter().zip(wanted).all(close)
        });
        // The login page is set in a family that is not measured here; the nearest one is smaller.
        let least = if name == "sb2-login" { 0.0 } else { 0.85 };
        assert!(sized >= least && colored >= 0.85, "{name}: {sized} sized, {colored} coloured");
    }
}

#[test]
fn painted_boxes_are_found() {
    // The shop's cards are found as a picture and a body: their pictures hide the upper edges.
    for (page, (name, least)) in pages().iter().zip(PAGES.into_iter().zip([0.4, 0.6, 0.6])) {
        let (width, height) = (page.facts.width as f32, page.facts.height as f32);
        let boxes: Vec<[f32; 4]> = page.truth["boxes"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|b| b["bg"].is_array() && b["bg"][3] == 1.0)
            .map(|b| ["x", "y", "w", "h"].map(|edge| number(b, edge)))
            .filter(|[_, _, w, h]| *w >= 12.0 && *h >= 12.0 && w * h < 0.95 * width * height)
            .collect();
        let found = share(&boxes, |&[x, y, w, h]| {
            let same = |a: f32, b: f32| (a - b).abs() <= 2.5;
            let painted = page.facts.boxes.iter().map(|b| [b.x, b.y, b.w, b.h]);
            let images = page.facts.images.iter().map(|i| [i.x, i.y, i.w, i.h]);
            painted.chain(images).any(|b| same(b[0], x) && same(b[1], y) && same(b[2], w) && same(b[3], h))
        });
        assert!(found >= least, "{name}: {found} of {}", boxes.len());
    }
}

#[test]
fn threads_and_repetition_change_nothing() {
    let page = &pages()[1];
    let alone = Tracer::with_threads(1).unwrap().trace(&page.raster, &mut Watch::silent()).unwrap();
    assert_eq!(alone, page.facts);
    for layout in LAYOUTS {
        assert_eq!(document(page, layout), document(page, layout));
    }
}

#[test]
fn measuring_kept_lines_gives_the_same_facts() {
    let page = &pages()[1];
    let lines = tracer().read(&page.raster, &mut Watch::silent()).unwrap();
    let kept: facsimile_vision::TextLines =
        serde_json::from_str(&serde_json::to_string(&lines).unwrap()).unwrap();
    let facts = tracer().measure(&page.raster, &kept, &mut Watch::silent()).unwrap();
    assert_eq!(facts, page.facts);
}

#[test]
fn progress_runs_through_the_stages_to_their_ends() {
    let mut seen: Vec<Progress> = Vec::new();
    let mut note = |progress| seen.push(progress);
    tracer().trace(&pages()[1].raster, &mut Watch::new(&mut note, &|| false)).unwrap();
    assert!(seen.is_sorted_by_key(|progress| (progress.stage, progress.done)));
    let ends: Vec<Stage> = seen.iter().filter(|p| p.done == p.total).map(|progress| progress.stage).collect();
    assert_eq!(ends, [Stage::Finding, Stage::Reading, Stage::Measuring]);
}

#[test]
fn cancel_is_noticed_in_every_stage() {
    for stage in [Stage::Finding, Stage::Reading, Stage::Measuring] {
        let is_cancelled = Cell::new(false);
        let after = Cell::new(0);
        let mut note = |progress: Progress| {
            after.set(after.get() + usize::from(is_cancelled.get()));
            is_cancelled.set(progress.stage == stage);
        };
        let ended = tracer().trace(&pages()[1].raster, &mut Watch::new(&mut note, &|| is_cancelled.get()));
        assert!(matches!(ended, Err(TraceError::Cancelled)), "{stage:?}");
        assert_eq!(after.get(), 0, "nothing is reported after the cancel in {stage:?}");
    }
}

fn names(of: &Value) -> Vec<&str> {
    of.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn facts_keep_their_field_names() {
    let facts = serde_json::to_value(&pages()[0].facts).unwrap();
    assert_eq!(
        names(&facts),
        ["width", "height", "scale", "background", "texts", "boxes", "palette", "images", "gaps"]
    );
    let text = facts["texts"].as_array().unwrap().iter().find(|text| text.get("runs").is_none()).unwrap();
    assert_eq!(
        names(text),
        [
            "text", "x", "y", "w", "h", "fs", "fw", "it", "ff", "color", "alpha", "align", "base", "ls",
            "bg", "ink"
        ]
    );
    let plain = facts["boxes"].as_array().unwrap().iter().find(|b| b["bgi"] == false && b["sh"] == false);
    assert_eq!(names(plain.unwrap()), ["x", "y", "w", "h", "bg", "bw", "bc", "r", "img", "bgi", "sh"]);
    assert_eq!(names(&facts["palette"][0]), ["color", "hex", "share"]);
    assert_eq!(names(&facts["images"][0]), ["x", "y", "w", "h", "kind"]);
    assert_eq!(names(&facts["gaps"]), ["vertical", "horizontal"]);
    assert_eq!(names(&facts["gaps"]["vertical"][0]), ["px", "count"]);
}

#[test]
fn facts_survive_their_json() {
    let facts = &pages()[0].facts;
    let again: Facts = serde_json::from_str(&serde_json::to_string(facts).unwrap()).unwrap();
    assert_eq!(&again, facts);
}

#[test]
fn document_is_clean_html_that_says_all_texts() {
    for (page, layout) in pages().iter().flat_map(|page| LAYOUTS.map(|layout| (page, layout))) {
        let TracedPage { html, assets } = document(page, layout);
        assert!(!html.contains("style=") && html.matches("<style>").count() == 1);
        assert!(html.contains("<title>") && html.contains("<html lang=\"en\">") && html.contains("charset"));
        for text in page.facts.texts.iter().filter(|text| text.runs.is_empty()) {
            let escaped = text
                .text
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&quot;");
            assert!(html.contains(&escaped), "{escaped}");
        }
        for asset in &assets {
            assert!(html.contains(&asset.path));
            let decoded = Raster::decode(&asset.bytes).unwrap();
            assert_eq!((decoded.width(), decoded.height()), (asset.width, asset.height));
            assert_eq!(decoded.format().mime(), asset.mime);
        }
    }
}

#[test]
fn screenshot_as_a_whole_never_becomes_an_asset() {
    for page in pages() {
        let area = u64::from(page.facts.width) * u64::from(page.facts.height);
        for asset in LAYOUTS.into_iter().flat_map(|layout| document(page, layout).assets) {
            let share = u64::from(asset.width) * u64::from(asset.height) * 100 / area;
            assert!(share < 60, "{share} % of the page");
        }
    }
}

#[test]
fn doubled_screenshot_gives_the_facts_of_the_page() {
    let page = &pages()[2];
    let (width, height) = (page.raster.width(), page.raster.height());
    let doubled =
        RgbImage::from_fn(width * 2, height * 2, |x, y| *page.raster.pixels().get_pixel(x / 2, y / 2));
    let raster = Raster::decode(&png(doubled)).unwrap();
    let facts = tracer().trace(&raster, &mut Watch::silent()).unwrap();
    assert_eq!((facts.scale, facts.width, facts.height), (2, width, height));
    assert_eq!(facts.boxes, page.facts.boxes);
    let images =
        emit(&facts, &raster, Layout::Flowing, &|bytes, extension| format!("{}.{extension}", bytes.len()));
    let images = images.assets;
    let widest = facts.images.iter().map(|image| image.w as u32).max().unwrap();
    assert_eq!(
        images.iter().map(|asset| asset.width).max().unwrap(),
        widest * 2,
        "cut from the full picture"
    );
}

#[test]
fn blank_and_extreme_pictures_are_pages_without_text() {
    for (width, height) in [(1, 1), (200, 100), (30_000, 1), (1, 30_000)] {
        let file = png(RgbImage::from_pixel(width, height, Rgb([250, 240, 230])));
        let raster = Raster::decode(&file).unwrap();
        let facts = tracer().trace(&raster, &mut Watch::silent()).unwrap();
        assert_eq!((facts.width, facts.height, facts.texts.len()), (width, height, 0));
        assert_eq!((facts.boxes.len(), facts.images.len()), (0, 0), "{width} × {height}");
        let html = |layout| emit(&facts, &raster, layout, &|_, _| unreachable!("nothing to cut out")).html;
        let (flowing, pinned) = (html(Layout::Flowing), html(Layout::Pinned));
        assert!(flowing.contains(&format!("min-height: {height}px")), "{flowing}");
        assert!(pinned.contains(&format!("width: {width}px; height: {height}px")), "{pinned}");
    }
}

/// A page of our own that is nearly empty: short lines far apart, one at the very edge, and a card with a deep shadow.
fn plain() -> &'static (Facts, Value) {
    static PLAIN: OnceLock<(Facts, Value)> = OnceLock::new();
    PLAIN.get_or_init(|| {
        let raster = Raster::decode(&fixture("pages/plain-card.png")).unwrap();
        let facts = tracer().trace(&raster, &mut Watch::silent()).unwrap();
        (facts, serde_json::from_slice(&fixture("pages/plain-card.json")).unwrap())
    })
}

#[test]
fn short_lines_are_read_between_wide_empty_parts() {
    let (facts, truth) = plain();
    let wanted: Vec<&str> =
        truth["texts"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect();
    let read: Vec<&str> = facts.texts.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(read, wanted);
}

#[test]
fn a_card_with_a_deep_shadow_stays_a_box() {
    let (facts, truth) = plain();
    let boxes: Vec<_> =
        facts.boxes.iter().map(|fact| [fact.x, fact.y, fact.w, fact.h].map(f32::round)).collect();
    let side = |of: &Value, name: &str| number(of, name).round();
    let wanted: Vec<_> = truth["boxes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| ["x", "y", "w", "h"].map(|name| side(of, name)))
        .collect();
    assert_eq!((boxes, facts.images.len()), (wanted, 0));
    let card = &facts.boxes[0];
    assert_eq!((card.bw, card.bc, card.r), ([2.0; 4], [204, 0, 0], 12.0));
    let shadow = card.shadow.as_ref().unwrap();
    assert!((shadow.y - 4.0).abs() <= 1.0 && (shadow.blur - 12.0).abs() <= 4.0, "{shadow:?}");
}
