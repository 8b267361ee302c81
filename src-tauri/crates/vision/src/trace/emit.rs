//! A page as one HTML document with one style sheet, and the pictures it shows.

mod colors;
mod crop;
mod sheet;
mod title;

use std::fmt::Write;

use super::facts::{BoxFact, Facts, TextFact};
use super::layout::{Area, Node, Part, Role, positioned};
use crate::raster::Raster;
use colors::Colors;
use sheet::Sheet;

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
    let mut writer = Writer {
        facts,
        colors: Colors::of(facts),
        sheet: Sheet::default(),
        crops: crop::Crops::of(facts, raster),
        asset_path,
        assets: Vec::new(),
        body: String::new(),
        count: 0,
    };
    for node in positioned(facts) {
        writer.node(&node, (0.0, 0.0), 2);
    }
    writer.page()
}

struct Writer<'a> {
    facts: &'a Facts,
    colors: Colors,
    sheet: Sheet,
    crops: crop::Crops,
    asset_path: &'a dyn Fn(&[u8], &str) -> String,
    assets: Vec<TracedAsset>,
    body: String,
    count: usize,
}

impl<'a> Writer<'a> {
    fn node(&mut self, node: &Node, origin: (f32, f32), depth: usize) {
        match node.part {
            Part::Text(index) => {
                if let Some(text) = self.facts.texts.get(index) {
                    self.text(node, text, origin, depth);
                }
            }
            Part::Image(_) => self.image(node, origin, depth),
            Part::Box(index) => {
                if let Some(painted) = self.facts.boxes.get(index) {
                    self.painted(node, painted, origin, depth);
                }
            }
        }
    }

    fn text(&mut self, node: &Node, text: &TextFact, origin: (f32, f32), depth: usize) {
        let class = self.sheet.class(node.role.class(), self.text_look(text));
        let place = format!("left: {}; top: {}{}", px(text.x - origin.0), px(text.y - origin.1), z(node));
        let id = self.place(node.role, place);
        let tag = node.role.tag();
        let content = self.content(text);
        self.line(depth, &format!("<{tag} id=\"{id}\" class=\"{class}\">{content}</{tag}>"));
    }

    fn image(&mut self, node: &Node, origin: (f32, f32), depth: usize) {
        let Some(crop) = self.crops.cut(node.area) else { return };
        let path = (self.asset_path)(&crop.bytes, crop.extension);
        if self.assets.iter().all(|asset| asset.path != path) {
            self.assets.push(TracedAsset {
                path: path.clone(),
                bytes: crop.bytes,
                mime: crop.mime,
                width: crop.width,
                height: crop.height,
                place: [node.area.x, node.area.y, node.area.w, node.area.h],
            });
        }
        let id = self.place(node.role, place(node.area, origin) + &z(node));
        let class = node.role.class();
        self.line(depth, &format!("<img id=\"{id}\" class=\"{class}\" src=\"{}\" alt=\"\">", escaped(&path)));
    }

    fn painted(&mut self, node: &Node, painted: &BoxFact, origin: (f32, f32), depth: usize) {
        let mut look = self.box_look(painted);
        let mut place = place(node.area, origin) + &z(node);
        let tag = node.role.tag();
        let [top, _, _, left] = painted.bw;
        let inner = (painted.x + left, painted.y + top);
        if let Some(text) = self.only_text(node) {
            look += &self.text_look(text);
            let _ = write!(place, "; padding: {} 0 0 {}", px(text.y - inner.1), px(text.x - inner.0));
            let class = self.sheet.class(node.role.class(), look);
            let id = self.place(node.role, place);
            let content = self.content(text);
            return self.line(depth, &format!("<{tag} id=\"{id}\" class=\"{class}\">{content}</{tag}>"));
        }
        let class = self.sheet.class(node.role.class(), look);
        let id = self.place(node.role, place);
        if node.children.is_empty() {
            return self.line(depth, &format!("<{tag} id=\"{id}\" class=\"{class}\"></{tag}>"));
        }
        self.line(depth, &format!("<{tag} id=\"{id}\" class=\"{class}\">"));
        for child in &node.children {
            self.node(child, inner, depth + 1);
        }
        self.line(depth, &format!("</{tag}>"));
    }

    /// The text of a box that carries nothing else and needs no element of its own.
    fn only_text(&self, node: &Node) -> Option<&'a TextFact> {
        let is_label = matches!(node.role, Role::Button | Role::Badge | Role::Field);
        match node.children.as_slice() {
            [Node { part: Part::Text(index), .. }] if is_label => {
                let text = self.facts.texts.get(*index)?;
                let fits = text.x >= node.area.x + 1.0 && text.y >= node.area.y + 1.0;
                fits.then_some(text)
            }
            _ => None,
        }
    }

    fn text_look(&self, text: &TextFact) -> String {
        let mut look = format!(
            "font: {}{} {}/{} {}; color: {};",
            if text.it { "italic " } else { "" },
            text.fw,
            px(text.fs),
            px(text.h),
            self.colors.family(&text.ff),
            self.colors.css(text.color),
        );
        if text.ls != 0.0 {
            let _ = write!(look, " letter-spacing: {}px;", trimmed(text.ls, 2));
        }
        look
    }

    fn box_look(&self, painted: &BoxFact) -> String {
        let mut look = String::new();
        if let Some(gradient) = &painted.gradient {
            let _ = write!(look, "background: linear-gradient({}deg", gradient.angle);
            for stop in &gradient.stops {
                let _ = write!(look, ", {}", self.colors.css(stop.color));
                if stop.at > 0.0 && stop.at < 1.0 {
                    let _ = write!(look, " {}%", trimmed(stop.at * 100.0, 0));
                }
            }
            look += "); ";
        } else if let Some([r, g, b, _]) = painted.bg {
            let _ = write!(look, "background: {}; ", self.colors.css([r as u8, g as u8, b as u8]));
        }
        if painted.bw.iter().any(|&width| width > 0.0) {
            let [top, right, bottom, left] = painted.bw.map(px);
            let color = self.colors.css(painted.bc);
            if top == right && top == bottom && top == left {
                let _ = write!(look, "border: {top} solid {color}; ");
            } else {
                let _ = write!(look, "border: solid {color}; border-width: {top} {right} {bottom} {left}; ");
            }
        }
        if painted.r >= 1.0 {
            let _ = write!(look, "border-radius: {}; ", px(painted.r));
        }
        if let Some(shadow) = &painted.shadow {
            let alpha = trimmed(shadow.alpha, 2);
            let _ = write!(look, "box-shadow: 0 {} {} rgb(0 0 0 / {alpha}); ", px(shadow.y), px(shadow.blur));
        }
        look
    }

    fn content(&mut self, text: &TextFact) -> String {
        let chars: Vec<char> = text.text.chars().collect();
        let piece = |from: usize, to: usize| -> String {
            escaped(&chars.get(from..to).unwrap_or_default().iter().collect::<String>())
        };
        let mut content = String::new();
        let mut at = 0;
        for run in &text.runs {
            let class = self.sheet.class("tint", format!("color: {};", self.colors.css(run.color)));
            content += &piece(at, run.from);
            let _ = write!(content, "<span class=\"{class}\">{}</span>", piece(run.from, run.to));
            at = run.to;
        }
        content + &piece(at, chars.len())
    }

    /// An id of its own for an element, and the rule that places it.
    fn place(&mut self, role: Role, declarations: String) -> String {
        self.count += 1;
        let id = format!("{}-at-{}", role.class(), self.count);
        self.sheet.place(&id, &declarations);
        id
    }

    fn line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.body.push_str("  ");
        }
        self.body.push_str(text);
        self.body.push('\n');
    }

    fn page(self) -> TracedPage {
        let facts = self.facts;
        let title = title::title(facts);
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
            "body {{ margin: 0; background: {}; }}\n\
             .page {{ position: relative; width: {}px; height: {}px; overflow: hidden; }}\n\
             .page :not(span) {{ position: absolute; box-sizing: border-box; margin: 0; white-space: pre; }}\n\
             .button {{ text-decoration: none; }}\n",
            self.colors.css(facts.background),
            facts.width,
            facts.height,
        );
        html += &self.sheet.rules();
        html += "</style>\n</head>\n<body>\n  <main class=\"page\">\n";
        html += &self.body;
        html += "  </main>\n</body>\n</html>\n";
        TracedPage { html, assets: self.assets }
    }
}

fn place(area: Area, origin: (f32, f32)) -> String {
    format!(
        "left: {}; top: {}; width: {}; height: {}",
        px(area.x - origin.0),
        px(area.y - origin.1),
        px(area.w),
        px(area.h)
    )
}

fn z(node: &Node) -> String {
    if node.z_index == 0 { String::new() } else { format!("; z-index: {}", node.z_index) }
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
