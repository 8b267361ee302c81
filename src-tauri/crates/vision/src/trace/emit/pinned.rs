//! The page with everything at its measured place, by a rule for every element.

use std::fmt::Write;

use super::colors::Colors;
use super::document::Document;
use super::look::{box_look, face_look};
use super::pictures::Pictures;
use super::pieces::Pieces;
use super::sheet::{Dress, Sheet, Style, Worn};
use super::words::content;
use super::{TracedPage, escaped, px};
use crate::trace::facts::{BoxFact, Facts, TextFact};
use crate::trace::layout::{Area, Node, Part, Role, positioned};

pub(super) fn page(facts: &Facts, pictures: Pictures) -> TracedPage {
    let mut writer = Writer {
        facts,
        colors: Colors::of(facts),
        sheet: Sheet::default(),
        pictures,
        body: Pieces::default(),
        places: String::new(),
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
    pictures: Pictures<'a>,
    body: Pieces,
    places: String,
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
        let worn = self.wear(node.role, self.text_look(text));
        let place = format!("left: {}; top: {}{}", px(text.x - origin.0), px(text.y - origin.1), z(node));
        self.open(node.role, worn, place, depth);
        self.words(node.role, text);
    }

    fn image(&mut self, node: &Node, origin: (f32, f32), depth: usize) {
        let Some(path) = self.pictures.cut(node.area) else { return };
        let worn = self.wear(node.role, Style::default());
        self.open(node.role, worn, place(node.area, origin) + &z(node), depth);
        self.body.html(&format!(" src=\"{}\" alt=\"\">\n", escaped(&path)));
    }

    fn painted(&mut self, node: &Node, painted: &BoxFact, origin: (f32, f32), depth: usize) {
        let mut look = Style::default();
        box_look(&self.colors, painted, &mut look);
        let mut place = place(node.area, origin) + &z(node);
        let [top, _, _, left] = painted.bw;
        let inner = (painted.x + left, painted.y + top);
        if let Some(text) = self.only_text(node) {
            look.extend(self.text_look(text));
            let _ = write!(place, "; padding: {} 0 0 {}", px(text.y - inner.1), px(text.x - inner.0));
            let worn = self.wear(node.role, look);
            self.open(node.role, worn, place, depth);
            return self.words(node.role, text);
        }
        let worn = self.wear(node.role, look);
        self.open(node.role, worn, place, depth);
        let end = format!("</{}>\n", tag(node.role));
        if node.children.is_empty() {
            return self.body.html(&format!(">{end}"));
        }
        self.body.html(">\n");
        for child in &node.children {
            self.node(child, inner, depth + 1);
        }
        self.body.html(&format!("{}{end}", "  ".repeat(depth)));
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

    fn text_look(&self, text: &TextFact) -> Style {
        let mut look = Style::default();
        face_look(&self.colors, text, (text.fs, text.h, text.ls), &mut look);
        look
    }

    fn wear(&mut self, role: Role, look: Style) -> Worn {
        self.sheet.wear(Dress { role: role.class(), look, ..Dress::default() })
    }

    /// Writes a start tag up to where further attributes come, and the rule that places it.
    fn open(&mut self, role: Role, worn: Worn, declarations: String, depth: usize) {
        self.count += 1;
        let id = format!("{}-at-{}", role.class(), self.count);
        let _ = writeln!(self.places, "#{id} {{ {declarations}; }}");
        self.body.html(&format!("{}<{} id=\"{id}\"", "  ".repeat(depth), tag(role)));
        self.body.class(worn);
    }

    fn words(&mut self, role: Role, text: &TextFact) {
        let words = content(&mut self.sheet, &self.colors, text);
        self.body.html(&format!(">{words}</{}>\n", tag(role)));
    }

    fn page(self) -> TracedPage {
        let facts = self.facts;
        let sheet = self.sheet.finished(facts.width);
        let css = format!(
            "{}body {{ margin: 0; background: {}; }}\n\
             .page {{ position: relative; width: {}px; height: {}px; overflow: hidden; }}\n\
             .page :not(span) {{ position: absolute; box-sizing: border-box; margin: 0; white-space: pre; }}\n\
             .button {{ text-decoration: none; }}\n{}{}",
            self.colors.root_rule(),
            self.colors.css(facts.background),
            facts.width,
            facts.height,
            sheet.rules,
            self.places,
        );
        let body = format!("  <main class=\"page\">\n{}  </main>\n", self.body.written(&sheet));
        let html = Document { facts, css: &css, body: &body }.html();
        TracedPage { html, assets: self.pictures.assets }
    }
}

/// Lines keep their places, also where a form would have its own elements.
fn tag(role: Role) -> &'static str {
    match role {
        Role::Label => "p",
        Role::Field | Role::Badge => "div",
        role => role.tag(),
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
