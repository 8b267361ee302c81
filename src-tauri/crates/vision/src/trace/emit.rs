//! A page as one HTML document with one style sheet, and the pictures it shows.

mod base;
mod colors;
mod crop;
mod flow;
mod pieces;
mod sheet;
mod stand;
mod title;

use std::fmt::Write;

use super::facts::{Align, BoxFact, Facts, TextFact};
use super::layout::{Area, Block, Content, Paragraph, Role, Skin, arranged, tidied};
use crate::raster::Raster;
use colors::Colors;
use flow::{LEAST_STACKED_PX, Place, Placing};
use pieces::Pieces;
use sheet::{Dress, Narrow, Sheet, Style, Worn};

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
        body: Pieces::default(),
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
    body: Pieces,
}

impl Writer<'_> {
    fn block(&mut self, block: &Block, place: Place, depth: usize) {
        let mut look = Style::default();
        let mut narrow = Vec::new();
        if let (Skin::Image(_), Content::Nothing) = (block.skin, &block.content) {
            return self.image(block, place, depth);
        }
        let mut place = place;
        let inner = self.skin(block, &mut look);
        let room = if block.skin == Skin::Bare { place.room } else { inner.w };
        let mut places = Vec::new();
        match &block.content {
            Content::Text(paragraph) => {
                self.text(block, paragraph, inner, room, &mut look);
                if look.get("white-space").is_some() {
                    narrow.push(Narrow::Text);
                }
            }
            Content::Nothing => {
                look.set("height", &px(block.area.h));
                if block.area.w < 0.98 * place.room || place.style.get("align-self").is_some() {
                    place.style.set("width", &px(block.area.w));
                }
            }
            Content::Column(_) | Content::Row(_) | Content::Grid(..) => {
                let placing = self.placing(block, inner);
                look.extend(placing.own);
                narrow.extend(placing.narrow);
                places = placing.children;
            }
        }
        if matches!(block.role.tag(), "a" | "pre" | "span") && !block.children().is_empty() {
            let direction = if matches!(block.content, Content::Column(_)) { "column" } else { "row" };
            look.set("display", "flex");
            look.set("flex-direction", direction);
        }
        if !block.lifted.is_empty() {
            look.set("position", "relative");
        }
        if block.role == Role::Aside {
            place.narrow.push(Narrow::Last);
        }
        let is_free = room == f32::MAX && block.skin == Skin::Bare;
        for (child, place) in block.children().iter().zip(&mut places) {
            if is_free && flow::is_natural(child) {
                place.room = f32::MAX;
            }
        }
        self.element(block, (look, narrow), place, places, inner, depth);
    }

    fn placing(&self, block: &Block, inner: Area) -> Placing {
        match &block.content {
            Content::Row(children) => {
                let mut placing = flow::row(inner, children);
                let is_large = children.iter().any(|child| !child.is_bare_text() && child.area.w > LEAST_STACKED_PX);
                placing.narrow.push(if is_large { Narrow::Stacks } else { Narrow::Wraps });
                placing
            }
            Content::Grid(children, columns) => {
                let mut placing = flow::grid(inner, children, *columns);
                placing.narrow.push(Narrow::Grid);
                placing
            }
            _ => flow::column(inner, block.children()),
        }
    }

    /// Writes a block's tags, and what it holds between them.
    fn element(
        &mut self,
        block: &Block,
        look: (Style, Vec<Narrow>),
        place: Place,
        places: Vec<Place>,
        inner: Area,
        depth: usize,
    ) {
        let tag = block.role.tag();
        let words = block.text().map(|paragraph| self.words(paragraph)).unwrap_or_default();
        if block.role == Role::Nav {
            let worn = self.wear(block.role, Default::default(), place);
            self.open(depth, tag, worn, "");
            self.open_with(depth + 1, "ul", Role::List, look, Place::default());
            self.inside(block, places, inner, depth + 2);
            self.line(depth + 1, "</ul>");
            return self.line(depth, "</nav>");
        }
        let worn = self.wear(block.role, look, place);
        if block.role == Role::Field {
            let value = self.plain_words(block);
            return self.open(depth, tag, worn, &value);
        }
        if block.children().is_empty() && block.lifted.is_empty() {
            self.open(depth, tag, worn, "");
            self.body.pop_newline();
            return self.body.html(&format!("{words}</{tag}>\n"));
        }
        self.open(depth, tag, worn, "");
        if !words.is_empty() {
            self.line(depth + 1, &words);
        }
        self.inside(block, places, inner, depth + 1);
        self.line(depth, &format!("</{tag}>"));
    }

    /// The children of a block, those of a list as its items, and what lies over them.
    fn inside(&mut self, block: &Block, places: Vec<Place>, inner: Area, depth: usize) {
        let is_list = matches!(block.role, Role::Nav | Role::List);
        for (child, place) in block.children().iter().zip(places) {
            if is_list {
                let room = place.room;
                self.open_with(depth, "li", Role::List, Default::default(), place);
                self.block(child, Place { room, ..Place::default() }, depth + 1);
                self.line(depth, "</li>");
            } else {
                self.block(child, place, depth);
            }
        }
        for lifted in &block.lifted {
            let mut place = Place { room: lifted.area.w, narrow: vec![Narrow::Lands], ..Place::default() };
            place.style.set("position", "absolute");
            place.style.set("left", &px(lifted.area.x - inner.x));
            place.style.set("top", &px(lifted.area.y - inner.y));
            if lifted.is_bare_text() {
                place.room = f32::MAX;
            } else {
                place.style.set("width", &px(lifted.area.w));
            }
            self.block(lifted, place, depth);
        }
    }

    fn wear(&mut self, role: Role, (look, look_narrow): (Style, Vec<Narrow>), place: Place) -> Worn {
        let (place, place_narrow) = (place.style, place.narrow);
        self.sheet.wear(Dress { role: role.class(), look, look_narrow, place, place_narrow })
    }

    fn open_with(&mut self, depth: usize, tag: &str, role: Role, look: (Style, Vec<Narrow>), place: Place) {
        let worn = self.wear(role, look, place);
        self.open(depth, tag, worn, "");
    }

    fn open(&mut self, depth: usize, tag: &str, worn: Worn, attributes: &str) {
        self.body.html(&format!("{}<{tag}", "  ".repeat(depth)));
        self.body.class(worn);
        self.body.html(&format!("{attributes}>\n"));
    }

    /// What stands in a field, as an attribute.
    fn plain_words(&self, block: &Block) -> String {
        let Some(text) = block.text().and_then(|text| self.facts.texts.get(text.face)) else { return String::new() };
        let name = if self.colors.is_ink(text.color) { "value" } else { "placeholder" };
        format!(" {name}=\"{}\"", escaped(&text.text))
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

    fn image(&mut self, block: &Block, place: Place, depth: usize) {
        let Some(path) = self.cut(block) else { return };
        let worn = self.wear(block.role, Default::default(), place);
        let (width, height) = (trimmed(block.area.w, 0), trimmed(block.area.h, 0));
        let path = escaped(&path);
        self.open(depth, "img", worn, &format!(" src=\"{path}\" alt=\"\" width=\"{width}\" height=\"{height}\""));
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
            let dress = Dress { role: "tint", look: tint, ..Dress::default() };
            let worn = self.sheet.wear(dress);
            content += &piece(at, run.from);
            let _ = write!(content, "<span{}>{}</span>", Pieces::mark(worn), piece(run.from, run.to));
            at = run.to;
        }
        content + &piece(at, chars.len())
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.body.html(&format!("{}{text}\n", "  ".repeat(depth)));
    }

    fn page(mut self, root: &Block) -> TracedPage {
        let placing = self.placing(root, root.area);
        let mut look = placing.own;
        look.set("min-height", &px(root.area.h));
        if !root.lifted.is_empty() {
            look.set("position", "relative");
        }
        let worn = self.sheet.wear(Dress {
            role: "page",
            look,
            look_narrow: placing.narrow,
            ..Dress::default()
        });
        self.open(1, "div", worn, "");
        self.inside(root, placing.children, root.area, 2);
        self.line(1, "</div>");
        let sheet = self.sheet.finished();
        let body = self.body.written(&sheet);
        let title = title::title(self.facts);
        let mut html =
            String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let _ = write!(
            html,
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n",
            escaped(&title)
        );
        html += &self.colors.root_rule();
        html += &base::rules(&body, &self.colors.css(self.facts.background));
        html += &sheet.rules;
        html += "</style>\n</head>\n<body>\n";
        html += &body;
        html += "</body>\n</html>\n";
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
