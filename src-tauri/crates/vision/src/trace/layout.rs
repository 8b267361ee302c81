//! How facts become a document's tree: lines join into paragraphs, things stand inside what holds them, and what
//! stands beside or below each other becomes rows and columns.

mod columns;
mod cutting;
mod lists;
mod looks;
mod naming;
mod nesting;
mod paragraphs;
mod pinned;
mod role;
mod slots;
mod tables;
mod tidy;
mod units;

use super::facts::Facts;
pub(crate) use paragraphs::Paragraph;
pub(crate) use pinned::{Node, Part, positioned};
pub(crate) use role::Role;
pub(crate) use tidy::tidied;

/// A part of the page that becomes one element.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Its border box in page pixels.
    pub(crate) area: Area,
    pub(crate) skin: Skin,
    pub(crate) role: Role,
    pub(crate) content: Content,
    /// What lies over the rest of it, out of any order.
    pub(crate) lifted: Vec<Block>,
}

/// What a block paints itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skin {
    Bare,
    Box(usize),
    Image(usize),
}

/// What a block holds.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Nothing,
    Text(Paragraph),
    /// From top to bottom.
    Column(Vec<Block>),
    /// From left to right.
    Row(Vec<Block>),
    /// From left to right, then down, in columns of one width.
    Grid(Vec<Block>, columns::Columns),
}

pub(crate) use columns::Columns;

impl Block {
    fn bare(area: Area, content: Content) -> Self {
        Self { area, skin: Skin::Bare, role: Role::Group, content, lifted: Vec::new() }
    }

    /// What it holds in order, without what is lifted.
    pub(crate) fn children(&self) -> &[Block] {
        match &self.content {
            Content::Nothing | Content::Text(_) => &[],
            Content::Column(children) | Content::Row(children) | Content::Grid(children, _) => children,
        }
    }

    fn children_mut(&mut self) -> &mut [Block] {
        match &mut self.content {
            Content::Nothing | Content::Text(_) => &mut [],
            Content::Column(children) | Content::Row(children) | Content::Grid(children, _) => children,
        }
    }

    /// What it holds in order, and what lies over that.
    fn parts_mut(&mut self) -> (&mut [Block], &mut [Block]) {
        let children: &mut [Block] = match &mut self.content {
            Content::Nothing | Content::Text(_) => &mut [],
            Content::Column(children) | Content::Row(children) | Content::Grid(children, _) => children,
        };
        (children, &mut self.lifted)
    }

    pub(crate) fn text(&self) -> Option<&Paragraph> {
        match &self.content {
            Content::Text(paragraph) => Some(paragraph),
            _ => None,
        }
    }

    /// Whether it or anything in it is text.
    fn has_words(&self) -> bool {
        self.text().is_some() || self.children().iter().chain(&self.lifted).any(Block::has_words)
    }

    pub(crate) fn is_bare_text(&self) -> bool {
        self.skin == Skin::Bare && matches!(self.content, Content::Text(_))
    }
}

/// A rectangle in page pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) w: f32,
    pub(crate) h: f32,
}

impl Area {
    pub(crate) fn right(self) -> f32 {
        self.x + self.w
    }

    pub(crate) fn bottom(self) -> f32 {
        self.y + self.h
    }

    pub(crate) fn center_x(self) -> f32 {
        self.x + self.w / 2.0
    }

    pub(crate) fn size(self) -> f32 {
        self.w * self.h
    }

    pub(crate) fn from_edges(left: f32, top: f32, right: f32, bottom: f32) -> Self {
        Self { x: left, y: top, w: right - left, h: bottom - top }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self::from_edges(
            self.x.min(other.x),
            self.y.min(other.y),
            self.right().max(other.right()),
            self.bottom().max(other.bottom()),
        )
    }

    fn holds(self, other: Self, slack: f32) -> bool {
        other.x >= self.x - slack
            && other.y >= self.y - slack
            && other.right() <= self.right() + slack
            && other.bottom() <= self.bottom() + slack
    }

    fn overlaps(self, other: Self) -> bool {
        self.shared(other) > 0.0
    }

    /// How many pixels it shares with another.
    fn shared(self, other: Self) -> f32 {
        let w = self.right().min(other.right()) - self.x.max(other.x);
        let h = self.bottom().min(other.bottom()) - self.y.max(other.y);
        w.max(0.0) * h.max(0.0)
    }
}

/// The page as one block.
pub(crate) fn arranged(facts: &Facts) -> Block {
    let page = Area { x: 0.0, y: 0.0, w: facts.width as f32, h: facts.height as f32 };
    let mut root = Block::bare(page, Content::Nothing);
    let parts = nesting::nested(facts);
    (root.content, root.lifted) = nesting::held(facts, parts, 0);
    if let Content::Text(paragraph) = &root.content {
        let words = Block::bare(paragraph.area, root.content.clone());
        root.content = Content::Column(vec![words]);
    }
    root.role = Role::Section;
    naming::name(facts, &mut root);
    root
}
