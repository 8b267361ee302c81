//! The behaviour a port of Design2Code must show.

use super::sequence::{Alphabet, Comparer};
use super::*;
use crate::fidelity::geometry::Line;

fn line(text: &str, x: f64, y: f64, w: f64, h: f64) -> Line {
    Line { text: text.into(), x, y, w, h, fs: 16.0, color: [40, 40, 40], ..Line::default() }
}

fn page(texts: Vec<Line>) -> Geometry {
    Geometry { width: 1000.0, height: 1000.0, texts, ..Geometry::default() }
}

fn cards() -> Geometry {
    page(vec![
        line("Monthly pricing", 100.0, 50.0, 300.0, 40.0),
        line("Everything a small team needs", 100.0, 150.0, 200.0, 20.0),
        line("Talk to our sales department", 600.0, 150.0, 200.0, 20.0),
        line("Imprint", 100.0, 900.0, 80.0, 20.0),
    ])
}

fn rounded(of: Design2Code) -> [f64; 4] {
    [of.block, of.text, of.position, of.color].map(|value| (value * 1000.0).round() / 1000.0)
}

#[test]
fn similarity_is_that_of_common_stretches() {
    let long = "the quick brown fox jumps over the lazy dog and runs away from the bear ".repeat(4);
    let other = "the quick brown cat jumps over the lazy dog and walks back to the bear ".repeat(4);
    // What the standard library of Python gives.
    let pairs = [
        ("ab", "ba", 0.5),
        ("", "", 1.0),
        ("abcd", "bcde", 0.75),
        ("private thread currentthread", "private volatile thread currentthread", 0.861_538_461_538_461_5),
        ("sign in", "sign up", 0.714_285_714_285_714_3),
        (long.as_str(), other.as_str(), LONG_RATIO),
    ];
    let mut alphabet = Alphabet::default();
    let mut comparer = Comparer::default();
    for (first, second, wanted) in pairs {
        let mut text = |text: &str| alphabet.text(&text.chars().collect::<Vec<_>>());
        let (first, second) = (text(first), text(second));
        let found = comparer.similarity(&first, &second);
        assert!((found - wanted).abs() < 1e-12, "{found} instead of {wanted}");
    }
}

const LONG_RATIO: f64 = 0.055_944_055_944_055_944;

#[test]
fn a_page_against_itself_is_perfect() {
    assert_eq!(rounded(design2code(&cards(), &cards())), [1.0; 4]);
}

#[test]
fn an_empty_body_is_worth_nothing() {
    assert_eq!(rounded(design2code(&cards(), &page(Vec::new()))), [0.0; 4]);
}

#[test]
fn swapped_cards_cost_position_only() {
    let mut swapped = cards();
    let (left, right) = (swapped.texts[1].x, swapped.texts[2].x);
    swapped.texts[1].x = right;
    swapped.texts[2].x = left;
    let [block, text, position, color] = rounded(design2code(&cards(), &swapped));
    assert_eq!((block, text, position, color), (1.0, 1.0, 0.75, 1.0));
}

#[test]
fn text_recoloured_by_twenty_costs_a_fifth_of_colour() {
    let mut recolored = cards();
    let grey = cards().texts[0].color;
    let off = |level: u8| (difference(lab(grey), lab([level; 3])) - 20.0).abs();
    let level = (0..=255).min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or_default();
    recolored.texts.iter_mut().for_each(|line| line.color = [level; 3]);
    let [block, text, position, color] = rounded(design2code(&cards(), &recolored));
    assert_eq!((block, text, position), (1.0, 1.0, 1.0));
    assert!((color - 0.8).abs() <= 0.01, "{color}");
}

#[test]
fn a_block_left_out_costs_its_area() {
    let whole: f64 = cards().texts.iter().map(|line| line.area().size()).sum();
    for left_out in 0..cards().texts.len() {
        let mut less = cards();
        let area = less.texts.remove(left_out).area().size();
        let wanted = 2.0 * (whole - area) / (2.0 * whole - area);
        assert!((design2code(&cards(), &less).block - wanted).abs() < 1e-9);
    }
}

#[test]
fn a_paragraph_cut_in_two_is_joined_again() {
    let mut cut = cards();
    let whole = cut.texts.remove(1);
    cut.texts.insert(1, line("Everything a small", whole.x, whole.y, 120.0, whole.h));
    cut.texts.insert(2, line("team needs", whole.x + 125.0, whole.y, 75.0, whole.h));
    for (reference, page) in [(cards(), cut.clone()), (cut, cards())] {
        assert_eq!(rounded(design2code(&reference, &page)), [1.0; 4]);
    }
}

#[test]
fn the_order_of_blocks_does_not_matter() {
    let mut other = cards();
    other.texts[1].text = "All that a small team may need".into();
    other.texts[2].y += 30.0;
    let mut turned = other.clone();
    turned.texts.reverse();
    assert_eq!(design2code(&cards(), &other), design2code(&cards(), &turned));
}

#[test]
fn four_thousand_spans_are_measured() {
    let spans = |count: usize| {
        let span = |at: usize| {
            line(&format!("span {at}"), (at % 64) as f64 * 15.0, (at / 64) as f64 * 15.0, 14.0, 12.0)
        };
        page((0..count).map(span).collect())
    };
    assert_eq!(rounded(design2code(&spans(4097), &spans(4097))), [1.0; 4]);
}

#[test]
fn unlike_texts_stay_unmatched() {
    let other = page(vec![line("zzzz qqqq jjjj", 100.0, 50.0, 300.0, 40.0)]);
    let reference = page(vec![line("Monthly pricing", 100.0, 50.0, 300.0, 40.0)]);
    assert_eq!(rounded(design2code(&reference, &other)), [0.0; 4]);
}

#[test]
fn a_row_repeated_without_end_is_cut() {
    let row = |at: usize| line("The same row again", 100.0, 10.0 * at as f64, 200.0, 8.0);
    let rows = |count: usize| page((0..count).map(row).collect());
    let once = design2code(&rows(1), &rows(50));
    let without_end = design2code(&rows(1), &rows(60));
    assert_eq!((once, rounded(design2code(&rows(60), &rows(60)))), (without_end, [1.0; 4]));
}
