use std::collections::BTreeMap;
use std::fmt::Write;

use crate::trace::facts::Facts;
use crate::trace::palette::hex;

// A colour that is used less often is clearer written out.
const LEAST_USES: usize = 3;

/// The document's variables: its recurring colours and its main font.
pub(super) struct Colors {
    names: Vec<([u8; 3], String)>,
    main_family: String,
}

impl Colors {
    pub(super) fn of(facts: &Facts) -> Self {
        let mut uses: BTreeMap<[u8; 3], usize> = BTreeMap::new();
        let mut inks: BTreeMap<[u8; 3], usize> = BTreeMap::new();
        let mut families: BTreeMap<&str, usize> = BTreeMap::new();
        for text in &facts.texts {
            let count = text.text.chars().count();
            *uses.entry(text.color).or_default() += 1;
            *inks.entry(text.color).or_default() += count;
            *families.entry(&text.ff).or_default() += count;
        }
        for painted in &facts.boxes {
            if let Some([r, g, b, _]) = painted.bg {
                *uses.entry([r as u8, g as u8, b as u8]).or_default() += 1;
            }
            if painted.bw.iter().any(|&width| width > 0.0) {
                *uses.entry(painted.bc).or_default() += 1;
            }
        }
        let mut names = vec![(facts.background, "page".to_owned())];
        let ink = inks.iter().max_by_key(|(_, count)| **count).map(|(color, _)| *color);
        if let Some(ink) = ink.filter(|&ink| ink != facts.background) {
            names.push((ink, "ink".to_owned()));
        }
        let mut recurring: Vec<([u8; 3], usize)> = uses
            .into_iter()
            .filter(|(color, count)| *count >= LEAST_USES && names.iter().all(|(named, _)| named != color))
            .collect();
        recurring.sort_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
        let mut of_hue: BTreeMap<&str, usize> = BTreeMap::new();
        for (color, _) in recurring {
            let hue = hue_name(color);
            let number = of_hue.entry(hue).or_default();
            *number += 1;
            names.push((color, if *number == 1 { hue.to_owned() } else { format!("{hue}-{number}") }));
        }
        let main_family =
            families.iter().max_by_key(|(_, count)| **count).map_or("sans-serif", |(family, _)| *family);
        Self { names, main_family: main_family.to_owned() }
    }

    pub(super) fn css(&self, color: [u8; 3]) -> String {
        match self.names.iter().find(|(named, _)| *named == color) {
            Some((_, name)) => format!("var(--{name})"),
            None => hex(color),
        }
    }

    /// Whether it is the colour of most text.
    pub(super) fn is_ink(&self, color: [u8; 3]) -> bool {
        self.names.iter().any(|(named, name)| *named == color && name == "ink")
    }

    pub(super) fn family(&self, family: &str) -> String {
        if family == self.main_family { "var(--font)".to_owned() } else { family.to_owned() }
    }

    pub(super) fn root_rule(&self) -> String {
        let mut rule = String::from(":root {\n");
        for (color, name) in &self.names {
            let _ = writeln!(rule, "  --{name}: {};", hex(*color));
        }
        let _ = writeln!(rule, "  --font: {};\n}}", self.main_family);
        rule
    }
}

fn hue_name([r, g, b]: [u8; 3]) -> &'static str {
    let [r, g, b] = [r, g, b].map(f32::from);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let chroma = most - least;
    if chroma < 0.12 * most.max(60.0) {
        return match (most + least) / 2.0 {
            light if light > 245.0 => "white",
            light if light < 24.0 => "black",
            _ => "gray",
        };
    }
    let sextant = if most == r {
        ((g - b) / chroma).rem_euclid(6.0)
    } else if most == g {
        (b - r) / chroma + 2.0
    } else {
        (r - g) / chroma + 4.0
    };
    match sextant * 60.0 {
        hue if hue < 15.0 => "red",
        hue if hue < 42.0 => "orange",
        hue if hue < 70.0 => "yellow",
        hue if hue < 160.0 => "green",
        hue if hue < 195.0 => "teal",
        hue if hue < 255.0 => "blue",
        hue if hue < 290.0 => "purple",
        hue if hue < 345.0 => "pink",
        _ => "red",
    }
}
