//! What another implementation gives for altered copies, and how far the meter is from it.

use std::collections::BTreeMap;

use facsimile_vision::fidelity::{Measurement, Reading, measure};

use super::altered::{KINDS, altered};
use super::page::Page;

/// Numbers by name, by kind of copy, by page.
pub type Expected = BTreeMap<String, BTreeMap<String, BTreeMap<String, f64>>>;

/// The number of a name.
pub fn number(of: &Measurement, name: &str) -> f64 {
    match name {
        "block" => of.block,
        "text" => of.text,
        "pos" => of.pos,
        "color" => of.color,
        "visual" => of.parts.visual,
        "textF" => of.parts.text_f,
        "place" => of.parts.place,
        "style" => of.parts.style,
        "ghost" => of.parts.ghost,
        "strict" => of.score / 100.0,
        "total" => of.total,
        "ssim" => of.pixels.ssim,
        _ => unreachable!("{name}"),
    }
}

/// Numbers that are off by more than 0.005, and the largest difference of all.
pub fn disagreements(page: &Page, name: &str, expected: &Expected) -> (Vec<String>, f64) {
    let (mut wrong, mut most) = (Vec::new(), 0.0_f64);
    for kind in KINDS {
        let measured = measure(page.side(), altered(page, kind).side(), Reading::Dom);
        for (number_name, wanted) in &expected[name][kind] {
            let off = (number(&measured, number_name) - wanted).abs();
            most = most.max(off);
            if off > 0.005 || off.is_nan() {
                wrong.push(format!("{name} {kind} {number_name}: off by {off:.4} from {wanted}"));
            }
        }
    }
    (wrong, most)
}
