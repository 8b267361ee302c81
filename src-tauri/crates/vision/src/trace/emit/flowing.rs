//! The page in rows, columns and grids.

use super::colors::Colors;
use super::document::Document;
use super::flow::{self, LEAST_STACKED_PX, Place, Placing};
use super::pictures::Pictures;
use super::pieces::Pieces;
use super::sheet::{Dress, Narrow, Sheet, Style, Worn};
use super::{TracedPage, base, escaped, px, trimmed};
use crate::trace::facts::Facts;
use crate::trace::layout::{Area, Block, Content, Role, Skin, arranged};

// On a narrow screen letters are no larger than this, and lines between columns are left out.
const LARGE_PX: f32 = 34.0;
const HAIRLINE_PX: f32 = 4.0;

pub(super) fn page(facts: &Facts, pictures: Pictures) -> TracedPage {
    let writer = Writer {
        facts,
        colors: Colors::of(facts),
        sheet: Sheet::default(),
        pictures,
        body: Pieces::default(),
    };
    let root = arranged(facts);
    writer.page(&root)
}

pub(super) struct Writer<'a> {
    pub(super) facts: &'a Facts,
    pub(super) colors: Colors,
    pub(super) sheet: Sheet,
    pub(super) pictures: Pictures<'a>,
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
                if look.get("margin-right").is_some() {
                    narrow.extend([Narrow::Margin, Narrow::Fill]);
                }
                if paragraph.size > LARGE_PX {
                    narrow.push(Narrow::Smaller);
                }
            }
            Content::Nothing => {
                look.set("height", &px(block.area.h));
                if block.area.w <= HAIRLINE_PX && block.area.h > HAIRLINE_PX {
                    narrow.push(Narrow::Hidden);
                }
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
                let is_large =
                    children.iter().any(|child| !child.is_bare_text() && child.area.w > LEAST_STACKED_PX);
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
        if block.role == Role::Table {
            return self.table(block, look, place, places, depth);
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

    /// A table's rows: those of its head, then the others at the distance that all have.
    fn table(
        &mut self,
        block: &Block,
        look: (Style, Vec<Narrow>),
        place: Place,
        places: Vec<Place>,
        depth: usize,
    ) {
        let mut body = Style::default();
        if let Some(gap) = look.0.get("gap") {
            body.set("gap", gap);
        }
        self.open_with(depth, "table", block.role, look, place);
        let is_head = |row: &Block| {
            row.children().first().is_some_and(|cell| cell.role == Role::HeadCell)
                || row.children().is_empty()
        };
        let head = block.children().iter().take_while(|row| is_head(row)).count();
        let mut rows = block.children().iter().zip(places);
        if head > 0 {
            self.open_with(depth + 1, "thead", block.role, (body.clone(), Vec::new()), Place::default());
            for (row, place) in rows.by_ref().take(head) {
                self.block(row, place, depth + 2);
            }
            self.line(depth + 1, "</thead>");
        }
        self.open_with(depth + 1, "tbody", block.role, (body, Vec::new()), Place::default());
        for (row, place) in rows {
            self.block(row, place, depth + 2);
        }
        self.line(depth + 1, "</tbody>");
        self.line(depth, "</table>");
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

    fn image(&mut self, block: &Block, place: Place, depth: usize) {
        let Some(path) = self.pictures.cut(block.area) else { return };
        let worn = self.wear(block.role, Default::default(), place);
        let (width, height) = (trimmed(block.area.w, 0), trimmed(block.area.h, 0));
        let path = escaped(&path);
        self.open(
            depth,
            "img",
            worn,
            &format!(" src=\"{path}\" alt=\"\" width=\"{width}\" height=\"{height}\""),
        );
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.body.html(&format!("{}{text}\n", "  ".repeat(depth)));
    }

    fn page(mut self, root: &Block) -> TracedPage {
        let placing = self.placing(root, root.area);
        let mut look = placing.own;
        let mut narrow = placing.narrow;
        narrow.push(Narrow::Clips);
        look.set("min-height", &px(root.area.h));
        if !root.lifted.is_empty() {
            look.set("position", "relative");
        }
        let worn = self.sheet.wear(Dress { role: "page", look, look_narrow: narrow, ..Dress::default() });
        self.open(1, "div", worn, "");
        self.inside(root, placing.children, root.area, 2);
        self.line(1, "</div>");
        let sheet = self.sheet.finished(self.facts.width);
        let body = self.body.written(&sheet);
        let background = self.colors.css(self.facts.background);
        let css = self.colors.root_rule() + &base::rules(&body, &background) + &sheet.rules;
        let html = Document { facts: self.facts, css: &css, body: &body }.html();
        TracedPage { html, assets: self.pictures.assets }
    }
}
