//! One measured thing as a line of JSON.

use serde_json::{Map, Value, json};

use crate::prompt::fence::{plain_json, shortened};

/// Longer lines of text are cut: no design has them, only a misreading or an attack.
const MAX_TEXT_CHARS: usize = 400;

/// One text, box, image or swatch.
pub(super) struct Item {
    /// The line.
    pub(super) json: String,
    /// Where it stood in its list.
    pub(super) at: usize,
    /// How useful it is beside the others of its list.
    pub(super) worth: f64,
}

impl Item {
    /// The lean form of a value of the list `name`; none for what is not a fact.
    pub(super) fn of(name: &str, at: usize, value: &Value) -> Option<Self> {
        let fact = value.as_object()?;
        let lean = match name {
            "texts" => text(fact)?,
            "boxes" => painted(fact),
            "images" => picked(fact, &["x", "y", "w", "h", "kind"]),
            _ => picked(fact, &["hex", "share"]),
        };
        let side = |name| fact.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        let worth = match name {
            "boxes" | "images" => side("w") * side("h"),
            _ => -(at as f64),
        };
        Some(Self { json: plain_json(&Value::Object(lean).to_string()), at, worth })
    }

    /// Its length with the comma and the line end.
    pub(super) fn length(&self) -> usize {
        self.json.len() + 2
    }
}

/// The measures of the whole page, as the start of an object.
pub(super) fn head(facts: &Map<String, Value>) -> String {
    let head = picked(facts, &["width", "height", "scale", "background"]);
    let fields: Vec<String> = head.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    fields.join(",")
}

/// Recurring distances.
pub(super) fn gaps(gaps: &Value) -> String {
    let side = |name: &str| -> Vec<Value> {
        let gaps = gaps.get(name).and_then(Value::as_array);
        let gaps = gaps.into_iter().flatten().filter_map(Value::as_object);
        gaps.map(|gap| Value::Object(picked(gap, &["px", "count"]))).collect()
    };
    json!({ "vertical": side("vertical"), "horizontal": side("horizontal") }).to_string()
}

fn text(fact: &Map<String, Value>) -> Option<Map<String, Value>> {
    fact.get("text")?.as_str()?;
    let mut lean = picked(
        fact,
        &["text", "x", "y", "w", "h", "fs", "fw", "it", "ff", "color", "align", "ls", "bg", "runs"],
    );
    if lean.get("align").is_some_and(|align| align == "left") {
        lean.remove("align");
    }
    if let Some(Value::String(families)) = lean.get_mut("ff") {
        *families = families.split(',').next().unwrap_or_default().trim_matches([' ', '"', '\'']).to_owned();
    }
    Some(lean)
}

fn painted(fact: &Map<String, Value>) -> Map<String, Value> {
    let mut lean = picked(fact, &["x", "y", "w", "h", "bg", "bw", "bc", "r", "img", "gradient", "shadow"]);
    let has_border =
        |widths: &Value| widths.as_array().is_some_and(|all| all.iter().any(|w| w.as_f64() != Some(0.0)));
    if !lean.get("bw").is_some_and(has_border) {
        lean.remove("bw");
        lean.remove("bc");
    }
    for (flag, detail) in [("bgi", "gradient"), ("sh", "shadow")] {
        if fact.get(flag) == Some(&Value::Bool(true)) && !lean.contains_key(detail) {
            lean.insert(flag.to_owned(), Value::Bool(true));
        }
    }
    lean
}

/// The named fields that say something, in lean form.
fn picked(fact: &Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    let says_something = |name: &str, value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => !(matches!(name, "ls" | "r") && number.as_f64() == Some(0.0)),
        _ => true,
    };
    let fields = names.iter().filter_map(|name| Some((*name, fact.get(*name)?)));
    fields
        .filter(|(name, value)| says_something(name, value))
        .map(|(name, value)| (name.to_owned(), lean(name, value, DEPTH)))
        .collect()
}

/// Facts are flat; what is nested deeper than their gradients is not a fact.
const DEPTH: usize = 4;
const MAX_NESTED: usize = 16;

fn lean(name: &str, value: &Value, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    match value {
        Value::Array(channels) if matches!(name, "color" | "bg" | "bc" | "background") => {
            color(channels).unwrap_or(Value::Null)
        }
        Value::Array(values) => {
            values.iter().take(MAX_NESTED).map(|value| lean(name, value, depth - 1)).collect()
        }
        Value::Object(fields) => {
            let fields = fields.iter().take(MAX_NESTED);
            Value::Object(
                fields.map(|(name, value)| (shortened(name, 20), lean(name, value, depth - 1))).collect(),
            )
        }
        Value::Number(number) => match number.as_f64() {
            Some(long) => {
                rounded(long, if matches!(name, "share" | "alpha" | "at") { 1_000.0 } else { 10.0 })
            }
            None => value.clone(),
        },
        Value::String(text) => Value::from(shortened(text, MAX_TEXT_CHARS)),
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

/// `#rrggbb`, or `rgba(…)` for what is not opaque.
fn color(channels: &[Value]) -> Option<Value> {
    let channels: Vec<f64> = channels.iter().map(Value::as_f64).collect::<Option<_>>()?;
    let [r, g, b, rest @ ..] = channels.as_slice() else { return None };
    // A cast saturates, so that no number makes an impossible colour.
    let [r, g, b] = [r, g, b].map(|channel| channel.round() as u8);
    Some(Value::from(match rest {
        [alpha, ..] if *alpha < 0.995 => format!("rgba({r},{g},{b},{})", rounded(*alpha, 100.0)),
        _ => format!("#{r:02x}{g:02x}{b:02x}"),
    }))
}

/// A number in steps of one part of `parts`, whole numbers without a fraction.
fn rounded(number: f64, parts: f64) -> Value {
    let number = (number * parts).round() / parts;
    if number.fract() == 0.0 && number.abs() < 1e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}
