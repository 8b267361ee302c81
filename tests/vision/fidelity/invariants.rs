//! What must hold for any page.

use facsimile_vision::fidelity::{
    Geometry, Line, Measurement, PaintedBox, Reading, Side, difference_map, measure,
};
use image::{Rgb, RgbImage};
use proptest::prelude::*;

use super::altered::{Chance, altered};
use super::page::Page;
use crate::files::fixture;

const PAGES: [&str; 3] = ["shop-grid", "sb2-login", "business-pricing"];

fn pages() -> Vec<Page> {
    let page = |name: &&str| {
        Page::of(&fixture(&format!("pages/{name}.json")), &fixture(&format!("pages/{name}.png")))
    };
    PAGES.iter().map(page).collect()
}

fn mean(of: &str) -> f64 {
    let scores =
        pages().into_iter().map(|page| measured(&page, &altered(&page, of)).score).collect::<Vec<_>>();
    scores.iter().sum::<f64>() / scores.len() as f64
}

fn measured(reference: &Page, page: &Page) -> Measurement {
    measure(reference.side(), page.side(), Reading::Dom)
}

// S-70
#[test]
fn a_page_is_perfect_against_itself() {
    for page in pages() {
        let own = measured(&page, &page);
        assert_eq!(
            (
                own.score,
                own.total,
                (own.d2c.mean() * 1e9).round() / 1e9,
                own.pixels.delta_e,
                own.reasons.len()
            ),
            (100.0, 1.0, 1.0, 0.0, 0)
        );
    }
}

// S-70
#[test]
fn known_copies_get_their_known_scores() {
    let near = |kind: &str, wanted: f64, slack: f64| {
        let score = mean(kind);
        assert!((score - wanted).abs() <= slack, "{kind}: {score}");
    };
    near("blank", 0.0, 0.5);
    near("pasted", 0.0, 1.0);
    near("half", 68.0, 6.0);
    near("moved", 86.0, 3.0);
}

// S-70
#[test]
fn a_pasted_screenshot_is_worth_nothing_when_its_text_was_read_either() {
    let reference = &pages()[0];
    let measured = measure(reference.side(), altered(reference, "pasted").side(), Reading::Ocr);
    assert!(measured.score < 1.0, "{}", measured.score);
}

// S-70
#[test]
fn lenient_numbers_are_the_same_both_ways() {
    let page = &pages()[1];
    let other = altered(page, "scaled");
    let both = |measured: Measurement| {
        [
            measured.block,
            measured.text,
            measured.pos,
            measured.color,
            measured.parts.text_f,
            measured.pixels.delta_e,
        ]
        .map(|number| (number * 1e9).round())
    };
    assert_eq!(both(measured(page, &other)), both(measured(&other, page)));
}

fn geometry() -> impl Strategy<Value = Geometry> {
    let number = prop_oneof![-50.0..500.0, Just(0.0), Just(1e300), Just(-1e9), Just(f64::MIN_POSITIVE)];
    let line = (
        prop_oneof!["[a-zA-Z0-9 ]{0,12}", "\\PC{0,6}"],
        prop::array::uniform5(number.clone()),
        any::<u16>(),
        any::<[u8; 3]>(),
    )
        .prop_map(|(text, [x, y, w, h, fs], fw, color)| Line {
            text,
            x,
            y,
            w,
            h,
            fs,
            fw,
            color,
            ..Line::default()
        });
    let painted =
        (prop::array::uniform5(number), any::<bool>(), prop::option::of(prop::array::uniform4(0.0..255.0)))
            .prop_map(|([x, y, w, h, r], img, bg)| PaintedBox {
                x,
                y,
                w,
                h,
                r,
                img,
                bg,
                ..PaintedBox::default()
            });
    let size = || prop_oneof![Just(0.0), 1.0..400.0];
    (size(), size(), prop::collection::vec(line, 0..8), prop::collection::vec(painted, 0..6)).prop_map(
        |(width, height, texts, boxes)| Geometry { width, height, texts, boxes, images: Vec::new() },
    )
}

fn pixels() -> impl Strategy<Value = RgbImage> {
    (0_u32..40, 0_u32..40, any::<u64>()).prop_map(|(width, height, seed)| {
        let mut chance = Chance(seed);
        RgbImage::from_fn(width, height, |_, _| Rgb([0; 3].map(|_: u8| (chance.next() * 255.0) as u8)))
    })
}

#[test]
fn sizes_beyond_all_reckoning_still_give_numbers() {
    let line = Line { w: 1e300, h: 1e300, y: -1e9, x: f64::NAN, ..Line::default() };
    let geometry = Geometry { width: f64::INFINITY, texts: vec![line], ..Geometry::default() };
    let pixels = RgbImage::new(0, 0);
    let side = Side::new(&geometry, &pixels);
    let found = measure(side, side, Reading::Ocr);
    assert!(found.score.is_finite() && found.d2c.mean().is_finite(), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    // S-70
    #[test]
    fn anything_is_measured(
        (reference, page) in ((geometry(), pixels()), (geometry(), pixels())),
        is_read in any::<bool>(),
        has_textless in any::<bool>(),
    ) {
        let side = Side::new(&page.0, &page.1);
        let side = if has_textless { side.with_textless(&reference.1) } else { side };
        let reading = if is_read { Reading::Ocr } else { Reading::Dom };
        let found = measure(Side::new(&reference.0, &reference.1), side, reading);
        let map = difference_map(&reference.1, &page.1);
        let numbers = [found.block, found.text, found.pos, found.color, found.total, found.score / 100.0, found.d2c.mean()];
        prop_assert!(numbers.iter().all(|number| (0.0..=1.0).contains(number)), "{found:?}");
        prop_assert!(found.reasons.iter().all(|reason| reason.points.is_finite() && !reason.message.is_empty()));
        prop_assert_eq!(map.width(), reference.1.width().max(page.1.width()));
    }
}
