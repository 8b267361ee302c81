//! What blocks paint, and the letters of what they say.

use std::fmt::Write;

use super::colors::Colors;
use super::flowing::Writer;
use super::sheet::Style;
use super::{flow, px, trimmed};
use crate::trace::facts::{Align, BoxFact, TextFact};
use crate::trace::layout::{Area, Block, Paragraph, Skin};

impl Writer<'_> {
    /// What a block paints itself; gives the room inside its borders.
    pub(super) fn skin(&mut self, block: &Block, style: &mut Style) -> Area {
        let area = block.area;
        match block.skin {
            Skin::Bare => area,
            Skin::Image(_) => {
                if let Some(path) = self.pictures.cut(block.area) {
                    style.set("background", &format!("url({path}) center / cover"));
                }
                area
            }
            Skin::Box(index) => {
                let Some(painted) = self.facts.boxes.get(index) else { return area };
                box_look(&self.colors, painted, style);
                let [top, right, bottom, left] = painted.bw;
                Area::from_edges(area.x + left, area.y + top, area.right() - right, area.bottom() - bottom)
            }
        }
    }

    /// The letters of a block, and where they stand in it; `room` is what they have from side to side.
    pub(super) fn text(
        &mut self,
        block: &Block,
        paragraph: &Paragraph,
        inner: Area,
        room: f32,
        style: &mut Style,
    ) {
        let is_cramped = paragraph.lines.len() == 1 && block.skin != Skin::Bare && paragraph.pitch > inner.h;
        let pitch = if is_cramped { inner.h } else { paragraph.pitch };
        self.text_look(paragraph, pitch, style);
        let mut room = room;
        if block.skin != Skin::Bare || block.area != paragraph.area {
            let area = paragraph.area;
            let (left, right) = (area.x - inner.x, inner.right() - area.right());
            let top = area.y - inner.y;
            // What paints nothing fits its words: then neither side tells anything.
            let is_centered = (left - right).abs() <= 4.0 && (block.skin != Skin::Bare || left > 4.0);
            let mut sides = if is_centered { 0.0 } else { left.max(0.0) };
            if is_centered {
                style.set("text-align", "center");
            }
            if is_centered && paragraph.lines.len() > 1 {
                sides = left.max(0.0);
            }
            room -= sides;
            let above = if is_cramped { 0.0 } else { top.max(0.0).round() };
            let below = inner.h - above - if is_cramped { pitch } else { area.h };
            if let Some(padding) = flow::padding(above, 0.0, below, sides) {
                style.set("padding", &padding);
            }
        }
        if paragraph.lines.len() == 1 {
            style.set("white-space", "nowrap");
            return;
        }
        match paragraph.align {
            Align::Left => {}
            Align::Center => style.set("text-align", "center"),
            Align::Right => style.set("text-align", "right"),
        }
        match paragraph.room {
            Some((least, most)) if room >= least * 1.008 + 1.0 && room < most - 2.0 => {}
            Some((least, most)) => {
                let width = (least + most.min(least + 80.0)) / 2.0;
                if block.skin == Skin::Bare && !flow::is_natural(block) && block.area.w >= width {
                    // The block has a width of its own.
                    style.set("padding-right", &flow::whole(block.area.w - width));
                    return;
                }
                let name = if room == f32::MAX { "width" } else { "max-width" };
                // Lines at the right end where their room does.
                let width = if name == "width" && paragraph.align == Align::Right {
                    width.min(least * 1.008 + 3.0)
                } else {
                    width
                };
                style.set(name, &px(width));
                let beyond = block.area.w - width;
                // What is beside it stands where the lines end, not where their room does.
                match paragraph.align {
                    Align::Left if name == "width" && block.skin == Skin::Bare => {
                        style.set("margin-right", &flow::whole(beyond));
                    }
                    Align::Center if name == "width" && block.skin == Skin::Bare => {
                        style.set("margin-left", &flow::whole(beyond / 2.0));
                        style.set("margin-right", &flow::whole(beyond / 2.0));
                    }
                    _ => {}
                }
                if paragraph.align == Align::Center && name == "max-width" {
                    style.set("align-self", "center");
                }
            }
            None if paragraph.code.is_some() => {}
            None => style.set("white-space", "nowrap"),
        }
    }

    fn text_look(&self, paragraph: &Paragraph, pitch: f32, style: &mut Style) {
        if let Some(text) = self.facts.texts.get(paragraph.face) {
            face_look(&self.colors, text, (paragraph.size, pitch, paragraph.spacing), style);
        }
    }
}

/// A text's letters, with their size, the height of their lines and their spacing.
pub(super) fn face_look(
    colors: &Colors,
    text: &TextFact,
    (size, pitch, spacing): (f32, f32, f32),
    style: &mut Style,
) {
    let slant = if text.it { "italic " } else { "" };
    let (family, size, pitch) = (colors.family(&text.ff), px(size), px(pitch));
    style.set("font", &format!("{slant}{} {size}/{pitch} {family}", text.fw));
    style.set("color", &colors.css(text.color));
    if spacing != 0.0 {
        style.set("letter-spacing", &format!("{}px", trimmed(spacing, 2)));
    }
}

/// What a box paints.
pub(super) fn box_look(colors: &Colors, painted: &BoxFact, style: &mut Style) {
    if let Some(gradient) = &painted.gradient {
        let mut value = format!("linear-gradient({}deg", gradient.angle);
        for stop in &gradient.stops {
            let _ = write!(value, ", {}", colors.css(stop.color));
            if stop.at > 0.0 && stop.at < 1.0 {
                let _ = write!(value, " {}%", trimmed(stop.at * 100.0, 0));
            }
        }
        style.set("background", &(value + ")"));
    } else if let Some([r, g, b, _]) = painted.bg {
        style.set("background", &colors.css([r as u8, g as u8, b as u8]));
    }
    if painted.bw.iter().any(|&width| width > 0.0) {
        let [top, right, bottom, left] = painted.bw.map(px);
        let color = colors.css(painted.bc);
        if top == right && top == bottom && top == left {
            style.set("border", &format!("{top} solid {color}"));
        } else {
            style.set("border", &format!("solid {color}"));
            style.set("border-width", &format!("{top} {right} {bottom} {left}"));
        }
    }
    if painted.r >= 1.0 {
        style.set("border-radius", &px(painted.r));
    }
    if let Some(shadow) = &painted.shadow {
        let alpha = trimmed(shadow.alpha, 2);
        style.set("box-shadow", &format!("0 {} {} rgb(0 0 0 / {alpha})", px(shadow.y), px(shadow.blur)));
    }
}
