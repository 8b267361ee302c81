//! A page as one HTML document with one style sheet, and the pictures it shows.

mod colors;
mod crop;
mod flow;
mod sheet;
mod stand;
mod title;

use std::fmt::Write;

use super::facts::{Align, BoxFact, Facts, TextFact};
use super::layout::{Area, Block, Content, Paragraph, Skin, arranged, tidied};
use crate::raster::Raster;
use colors::Colors;
use flow::Place;
use sheet::{Narrow, Sheet, Style};

// Wider things stand below each other on a narrow screen.
const LEAST_STACKED_PX: f32 = 200.0;

/// A document and its pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedPage {
    /// The whole document.
    pub html: String,
    /// The pictures the document names, each once.
    pub assets: Vec<TracedAsset>,
}

/// A picture cut out of the screenshot, without the text that stood on it.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedAsset {
    /// The path the document uses.
    pub path: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The media type.
    pub mime: &'static str,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Where it first stands on the page: left, top, width and height in page pixels.
    pub place: [f32; 4],
}

/// The page with everything at its measured place. `asset_path` gets a picture's bytes and file name ending
/// and gives the path the document uses for it.
pub fn emit(facts: &Facts, raster: &Raster, asset_path: &dyn Fn(&[u8], &str) -> String) -> TracedPage {
    let facts = &tidied(facts);
    let writer = Writer {
        facts,
        colors: Colors::of(facts),
        sheet: Sheet::default(),
        crops: crop::Crops::of(facts, raster),
        asset_path,
        assets: Vec::new(),
        body: String::new(),
    };
    let root = arranged(facts);
    writer.page(&root)
}

struct Writer<'a> {
    facts: &'a Facts,
    colors: Colors,
    sheet: Sheet,
    crops: crop::Crops,
    asset_path: &'a dyn Fn(&[u8], &str) -> String,
    assets: Vec<TracedAsset>,
    body: String,
}

impl Writer<'_> {
    fn block(&mut self, block: &Block, place: Place, depth: usize) {
        let mut style = place.style;
        let mut narrow = Vec::new();
        if style.get("margin-left").is_some_and(|margin| margin != "auto") {
            narrow.push(Narrow::Margin);
        }
        if let (Skin::Image(_), Content::Nothing) = (block.skin, &block.content) {
            return self.image(block, style, depth);
        }
        let page = Some(self.facts.width as f32);
        let inner = self.skin(block, &mut style);
        let room = if block.skin == Skin::Bare { place.room } else { inner.w };
        let placing = match &block.content {
            Content::Text(paragraph) => {
                self.text(block, paragraph, inner, room, &mut style);
                if style.get("white-space").is_some() {
                    narrow.push(Narrow::Text);
                }
                None
            }
            Content::Nothing => {
                style.set("height", &px(block.area.h));
                if block.area.w < 0.98 * room || style.get("align-self").is_some() {
                    style.set("width", &px(block.area.w));
                }
                None
            }
            Content::Column(children) => Some(flow::column(inner, children, page)),
            Content::Row(children) => {
                let is_large = children.iter().any(|child| !child.is_bare_text() && child.area.w > LEAST_STACKED_PX);
                narrow.push(if is_large { Narrow::Stacks } else { Narrow::Wraps });
                Some(flow::row(inner, children, page))
            }
            Content::Grid(children, columns) => {
                narrow.push(Narrow::Grid);
                Some(flow::grid(inner, children, *columns, page))
            }
        };
        let mut places = Vec::new();
        if let Some(placing) = placing {
            style.extend(placing.own);
            places = placing.children;
        }
        if !block.lifted.is_empty() {
            style.set("position", "relative");
        }
        let wishes = [
            (style.has_wide_sides, Narrow::Sides),
            (style.has_high_foot, Narrow::Foot),
            (style.has_neighbours && block.area.w > LEAST_STACKED_PX, Narrow::Fill),
        ];
        narrow.extend(wishes.into_iter().filter(|(is_wished, _)| *is_wished).map(|(_, narrow)| narrow));
        let class = self.sheet.class(block.role.class(), style);
        for narrow in narrow {
            self.sheet.narrow(&class, narrow);
        }
        let tag = block.role.tag();
        let content = block.text().map(|paragraph| self.words(paragraph)).unwrap_or_default();
        if block.children().is_empty() && block.lifted.is_empty() {
            return self.line(depth, &format!("<{tag} class=\"{class}\">{content}</{tag}>"));
        }
        self.line(depth, &format!("<{tag} class=\"{class}\">{content}"));
        let is_free = room == f32::MAX && block.skin == Skin::Bare;
        for (child, mut place) in block.children().iter().zip(places) {
            if is_free && flow::is_natural(child) {
                place.room = f32::MAX;
            }
            self.block(child, place, depth + 1);
        }
        for lifted in &block.lifted {
            let mut place = Place { room: lifted.area.w, ..Place::default() };
            place.style.set("position", "absolute");
            place.style.set("left", &px(lifted.area.x - inner.x));
            place.style.set("top", &px(lifted.area.y - inner.y));
            if !lifted.is_bare_text() {
                place.style.set("width", &px(lifted.area.w));
            } else {
                place.room = f32::MAX;
            }
            self.block(lifted, place, depth + 1);
        }
        self.line(depth, &format!("</{tag}>"));
    }

    /// What a block paints itself; gives the room inside its borders.
    fn skin(&mut self, block: &Block, style: &mut Style) -> Area {
        let area = block.area;
        match block.skin {
            Skin::Bare => area,
            Skin::Image(_) => {
                if let Some(path) = self.cut(block) {
                    style.set("background", &format!("url({path}) center / cover"));
                }
                area
            }
            Skin::Box(index) => {
                let Some(painted) = self.facts.boxes.get(index) else { return area };
                self.box_look(painted, style);
                let [top, right, bottom, left] = painted.bw;
                Area::from_edges(area.x + left, area.y + top, area.right() - right, area.bottom() - bottom)
            }
        }
    }

    fn text(&mut self, block: &Block, paragraph: &Paragraph, inner: Area, room: f32, style: &mut Style) {
        self.text_look(paragraph, style);
        let mut room = room;
        if block.skin != Skin::Bare || block.area != paragraph.area {
            let area = paragraph.area;
            let (left, right) = (area.x - inner.x, inner.right() - area.right());
            let (top, bottom) = (area.y - inner.y, inner.bottom() - area.bottom());
            let is_centered = (left - right).abs() <= 4.0;
            let mut sides = if is_centered { 0.0 } else { left.max(0.0) };
            if is_centered {
                style.set("text-align", "center");
            }
            if is_centered && paragraph.lines.len() > 1 {
                sides = left.max(0.0);
            }
            room -= sides;
            let above = top.max(0.0).round();
            let below = top + bottom - above;
            if let Some(padding) = flow::padding(above, 0.0, below, sides) {
                style.set("padding", &padding);
            }
        }
        if paragraph.lines.len() == 1 {
            if room == f32::MAX || paragraph.area.w * 1.08 + 4.0 > room {
                style.set("white-space", "nowrap");
            }
            return;
        }
        if paragraph.align == Align::Center {
            style.set("text-align", "center");
        }
        match paragraph.room {
            Some((least, most)) if room >= least * 1.008 + 1.0 && room < most - 2.0 => {}
            Some((least, most)) => {
                let width = (least + most.min(least + 80.0)) / 2.0;
                let name = if room == f32::MAX { "width" } else { "max-width" };
                style.set(name, &px(width));
                if paragraph.align == Align::Center && name == "max-width" {
                    style.set("align-self", "center");
                }
            }
            None if paragraph.code.is_some() => {}
            None => style.set("white-space", "nowrap"),
        }
    }

    fn words(&mut self, paragraph: &Paragraph) -> String {
        let facts = self.facts;
        let between = if paragraph.room.is_some() { " " } else { "<br>" };
        let texts = paragraph.lines.iter().filter_map(|&at| facts.texts.get(at));
        let lines: Vec<String> = texts.map(|text| self.content(text)).collect();
        let Some(places) = &paragraph.code else { return lines.join(between) };
        let placed = lines.iter().zip(places).enumerate().map(|(at, (line, (left_out, letters)))| {
            let ends = if at == 0 { 0 } else { left_out + 1 };
            "\n".repeat(ends) + &" ".repeat(*letters) + line
        });
        placed.collect()
    }

    /// The path of a picture cut out of the screenshot.
    fn cut(&mut self, block: &Block) -> Option<String> {
        let crop = self.crops.cut(block.area)?;
        let path = (self.asset_path)(&crop.bytes, crop.extension);
        if self.assets.iter().all(|asset| asset.path != path) {
            self.assets.push(TracedAsset {
                path: path.clone(),
                bytes: crop.bytes,
                mime: crop.mime,
                width: crop.width,
                height: crop.height,
                place: [block.area.x, block.area.y, block.area.w, block.area.h],
            });
        }
        Some(path)
    }

    fn image(&mut self, block: &Block, style: Style, depth: usize) {
        let Some(path) = self.cut(block) else { return };
        let class = self.sheet.class(block.role.class(), style);
        let (width, height) = (trimmed(block.area.w, 0), trimmed(block.area.h, 0));
        let path = escaped(&path);
        let html =
            format!("<img class=\"{class}\" src=\"{path}\" alt=\"\" width=\"{width}\" height=\"{height}\">");
        self.line(depth, &html);
    }

    fn text_look(&self, paragraph: &Paragraph, style: &mut Style) {
        let Some(text) = self.facts.texts.get(paragraph.face) else { return };
        let slant = if text.it { "italic " } else { "" };
        let family = self.colors.family(&text.ff);
        let (size, pitch) = (px(paragraph.size), px(paragraph.pitch));
        style.set("font", &format!("{slant}{} {size}/{pitch} {family}", text.fw));
        style.set("color", &self.colors.css(text.color));
        if paragraph.spacing != 0.0 {
            style.set("letter-spacing", &format!("{}px", trimmed(paragraph.spacing, 2)));
        }
    }

    fn box_look(&self, painted: &BoxFact, style: &mut Style) {
        if let Some(gradient) = &painted.gradient {
            let mut value = format!("linear-gradient({}deg", gradient.angle);
            for stop in &gradient.stops {
                let _ = write!(value, ", {}", self.colors.css(stop.color));
                if stop.at > 0.0 && stop.at < 1.0 {
                    let _ = write!(value, " {}%", trimmed(stop.at * 100.0, 0));
                }
            }
            style.set("background", &(value + ")"));
        } else if let Some([r, g, b, _]) = painted.bg {
            style.set("background", &self.colors.css([r as u8, g as u8, b as u8]));
        }
        if painted.bw.iter().any(|&width| width > 0.0) {
            let [top, right, bottom, left] = painted.bw.map(px);
            let color = self.colors.css(painted.bc);
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

    fn content(&mut self, text: &TextFact) -> String {
        let chars: Vec<char> = text.text.chars().collect();
        let piece = |from: usize, to: usize| -> String {
            escaped(&chars.get(from..to).unwrap_or_default().iter().collect::<String>())
        };
        let mut content = String::new();
        let mut at = 0;
        for run in &text.runs {
            let mut tint = Style::default();
            tint.set("color", &self.colors.css(run.color));
            let class = self.sheet.class("tint", tint);
            content += &piece(at, run.from);
            let _ = write!(content, "<span class=\"{class}\">{}</span>", piece(run.from, run.to));
            at = run.to;
        }
        content + &piece(at, chars.len())
    }

    fn line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.body.push_str("  ");
        }
        self.body.push_str(text);
        self.body.push('\n');
    }

    fn page(mut self, root: &Block) -> TracedPage {
        let placing = match &root.content {
            Content::Row(children) => flow::row(root.area, children, None),
            Content::Grid(children, columns) => flow::grid(root.area, children, *columns, None),
            _ => flow::column(root.area, root.children(), None),
        };
        let mut style = placing.own;
        style.set("min-height", &px(root.area.h));
        if !root.lifted.is_empty() {
            style.set("position", "relative");
        }
        let class = self.sheet.class("page", style);
        match root.content {
            Content::Row(_) => self.sheet.narrow(&class, Narrow::Stacks),
            Content::Grid(..) => self.sheet.narrow(&class, Narrow::Grid),
            _ => {}
        }
        for (child, place) in root.children().iter().zip(placing.children) {
            self.block(child, place, 2);
        }
        for lifted in &root.lifted {
            let mut place = Place { room: lifted.area.w, ..Place::default() };
            place.style.set("position", "absolute");
            place.style.set("left", &px(lifted.area.x));
            place.style.set("top", &px(lifted.area.y));
            if !lifted.is_bare_text() {
                place.style.set("width", &px(lifted.area.w));
            }
            self.block(lifted, place, 2);
        }
        let title = title::title(self.facts);
        let mut html =
            String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let _ = write!(
            html,
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n",
            escaped(&title)
        );
        html += &self.colors.root_rule();
        let _ = write!(
            html,
            "*, *::before, *::after {{ box-sizing: border-box; }}\n\
             body {{ margin: 0; background: {}; }}\n\
             h1, h2, h3, p, ul {{ margin: 0; padding: 0; list-style: none; }}\n\
             img {{ display: block; max-width: 100%; height: auto; flex: none; }}\n\
             a {{ text-decoration: none; }}\n\
             pre, code {{ margin: 0; white-space: pre; }}\n\
             .page * {{ max-width: 100%; }}\n",
            self.colors.css(self.facts.background),
        );
        html += &self.sheet.rules();
        html += "</style>\n</head>\n<body>\n";
        let _ = writeln!(html, "  <main class=\"{class}\">");
        html += &self.body;
        html += "  </main>\n</body>\n</html>\n";
        TracedPage { html, assets: self.assets }
    }
}

/// A length in CSS, at most one decimal.
fn px(length: f32) -> String {
    let number = trimmed(length, 1);
    if number == "0" { number } else { number + "px" }
}

fn trimmed(value: f32, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
