//! What blocks say.

use std::fmt::Write;

use super::colors::Colors;
use super::escaped;
use super::flowing::Writer;
use super::pieces::Pieces;
use super::sheet::{Dress, Sheet, Style};
use crate::trace::facts::TextFact;
use crate::trace::layout::{Block, Paragraph};

impl Writer<'_> {
    /// The lines of a paragraph as HTML.
    pub(super) fn words(&mut self, paragraph: &Paragraph) -> String {
        let facts = self.facts;
        let between = if paragraph.room.is_some() { " " } else { "<br>" };
        let texts = paragraph.lines.iter().filter_map(|&at| facts.texts.get(at));
        let lines: Vec<String> = texts.map(|text| content(&mut self.sheet, &self.colors, text)).collect();
        let Some(places) = &paragraph.code else { return lines.join(between) };
        let placed = lines.iter().zip(places).enumerate().map(|(at, (line, (left_out, letters)))| {
            let ends = if at == 0 { 0 } else { left_out + 1 };
            format!("{}<span>{}{line}</span>", "\n".repeat(ends), " ".repeat(*letters))
        });
        format!("<code>{}</code>", placed.collect::<String>())
    }

    /// What stands in a field, as an attribute.
    pub(super) fn plain_words(&self, block: &Block) -> String {
        let Some(text) = block.text().and_then(|text| self.facts.texts.get(text.face)) else {
            return String::new();
        };
        let name = if self.colors.is_ink(text.color) { "value" } else { "placeholder" };
        format!(" {name}=\"{}\"", escaped(&text.text))
    }
}

/// A line with its stretches in other colours.
pub(super) fn content(sheet: &mut Sheet, colors: &Colors, text: &TextFact) -> String {
    let chars: Vec<char> = text.text.chars().collect();
    let piece = |from: usize, to: usize| -> String {
        escaped(&chars.get(from..to).unwrap_or_default().iter().collect::<String>())
    };
    let mut content = String::new();
    let mut at = 0;
    for run in &text.runs {
        let mut tint = Style::default();
        tint.set("color", &colors.css(run.color));
        let dress = Dress { role: "tint", look: tint, ..Dress::default() };
        let worn = sheet.wear(dress);
        content += &piece(at, run.from);
        let _ = write!(content, "<span{}>{}</span>", Pieces::mark(worn), piece(run.from, run.to));
        at = run.to;
    }
    content + &piece(at, chars.len())
}
