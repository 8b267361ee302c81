//! How things are called in a sentence.

use crate::fidelity::geometry::{Geometry, Line, PaintedBox};

const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
/// Longest piece of a text that is quoted.
const QUOTED: usize = 40;

/// “text”, shortened.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(QUOTED).collect();
    let more = if text.chars().count() > QUOTED { "…" } else { "" };
    format!("“{}{more}”", short.trim_end())
}

/// What a line is called.
pub(super) fn line_name(line: &Line) -> String {
    let noun = match line.tag.as_deref() {
        Some("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => "Heading",
        Some("button") => "Button",
        Some("a") => "Link",
        Some("label") => "Label",
        _ => "Text",
    };
    format!("{noun} {}", quoted(&line.text))
}

/// What a box is called: its kind, and which one if there is a row of the same.
pub(super) fn box_name(painted: &PaintedBox, on: &Geometry) -> String {
    let noun = noun(painted, on);
    let is_twin = |other: &&PaintedBox| {
        other.tag == painted.tag
            && other.img == painted.img
            && (other.w - painted.w).abs() <= 2.0
            && ((other.h - painted.h).abs() <= 2.0 || (other.y - painted.y).abs() <= 40.0)
    };
    let mut twins: Vec<&PaintedBox> = on.boxes.iter().filter(is_twin).collect();
    twins.sort_by(|a, b| {
        let row = |painted: &PaintedBox| (painted.y / 40.0).round();
        row(a).total_cmp(&row(b)).then(a.x.total_cmp(&b.x))
    });
    match twins.iter().position(|twin| std::ptr::eq(*twin, painted)) {
        Some(at) if twins.len() > 1 => ORDINALS
            .get(at)
            .map_or_else(|| format!("{noun} number {}", at + 1), |nth| capital(&format!("{nth} {noun}"))),
        _ => capital(noun),
    }
}

fn noun(painted: &PaintedBox, on: &Geometry) -> &'static str {
    if painted.img {
        return "picture";
    }
    match painted.tag.as_deref() {
        Some("html" | "body") => "page",
        Some("button") => "button",
        Some("a") if painted.h < 80.0 => "button",
        Some("input" | "textarea" | "select") => "field",
        Some("nav") => "navigation",
        Some("header") => "header",
        Some("footer") => "footer",
        Some("table") => "table",
        Some("tr") => "row",
        Some("td" | "th") => "cell",
        Some("hr") => "rule",
        _ if painted.w >= 0.9 * on.width => "section",
        _ if painted.w >= 120.0 && painted.h >= 60.0 => "card",
        _ => "box",
    }
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// `18`, `1.5`.
pub(super) fn number(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded.fract() == 0.0 { format!("{rounded:.0}") } else { format!("{rounded:.1}") }
}

/// Where something stands that is off by so much: `18 px low`.
pub(super) fn off_by(dx: f64, dy: f64) -> String {
    let part = |by: f64, after: &str, before: &str| {
        (by.abs() >= 0.5)
            .then(|| format!("{} px {}", number(by.abs()), if by > 0.0 { after } else { before }))
    };
    let parts: Vec<String> =
        [part(dy, "low", "high"), part(dx, "too far right", "too far left")].into_iter().flatten().collect();
    parts.join(" and ")
}

/// `2 px larger`.
pub(super) fn larger_by(by: f64, larger: &str, smaller: &str) -> String {
    format!("{} px {}", number(by.abs()), if by > 0.0 { larger } else { smaller })
}
