//! Gives every block its role.

use super::{Area, Block, Content, Paragraph, Role, Skin, lists, tables};
use crate::trace::facts::{BoxFact, Facts, TextFact};

/// Which part of the page a block is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    Header,
    Aside,
    Footer,
    Main,
}

const HEADING_SIZE: f32 = 20.0;
const CAPTION_SIZE: f32 = 12.5;
const MOST_HEADING_SIZES: usize = 3;
const MOST_HEADING_LINES: usize = 4;
const ICON_PX: f32 = 48.0;
const HEADER_PX: f32 = 140.0;
const FOOTER_PX: f32 = 420.0;
// A column beside the page's content: its share of the width at most, and its height at least.
const ASIDE_SHARE: f32 = 0.3;
const ASIDE_PX: f32 = 400.0;
// Content that is this far from both sides of the page has a container.
const LEAST_CENTERING_PX: f32 = 32.0;
const LEAST_INSET_PX: f32 = 12.0;
const CENTERING_PX: f32 = 10.0;
const SAME_EDGE_PX: f32 = 2.0;
const TOUCHING_PX: f32 = 2.0;
// A field has so many boxes beside it at most, itself counted.
const MOST_JOINED: usize = 3;
// The share of the page's width that a band has at least.
const BAND: f32 = 0.97;

pub(super) fn name(facts: &Facts, root: &mut Block) {
    let sizes = heading_sizes(facts);
    each(root, &mut |block| block.role = role(facts, &sizes, block));
    let page = root.area;
    name_regions(root, page);
    let in_row = matches!(root.content, Content::Row(_) | Content::Grid(..));
    for child in root.children_mut() {
        if in_row && child.role == Role::Main {
            name_regions(child, page);
        }
    }
    each(root, &mut demote);
    tables::lay(facts, root);
    lists::gather(facts, root, Region::Main);
    with_words(root);
    contain(root, page);
    label(root);
    gather_main(root);
}

/// Does something to a block's descendants, the innermost first.
fn each(block: &mut Block, work: &mut dyn FnMut(&mut Block)) {
    let (children, lifted) = block.parts_mut();
    for child in children.iter_mut().chain(lifted) {
        each(child, work);
        work(child);
    }
}

/// The header, the footer and what stands beside the rest.
fn name_regions(root: &mut Block, page: Area) {
    let own = root.area;
    let count = root.children().len();
    let in_row = matches!(root.content, Content::Row(_) | Content::Grid(..));
    for (at, child) in root.children_mut().iter_mut().enumerate() {
        let holds = !child.children().is_empty();
        let is_band = child.skin != Skin::Bare && child.text().is_some();
        let is_wide = child.area.w >= 0.5 * own.w;
        if in_row {
            let is_aside = child.area.w <= ASIDE_SHARE * page.w && child.area.h >= ASIDE_PX && holds;
            if is_aside {
                child.role = Role::Aside;
            } else if is_wide && holds && child.skin == Skin::Bare {
                child.role = Role::Main;
            }
            continue;
        }
        if !(holds || is_band) || !is_wide {
            continue;
        }
        if at == 0 && count > 1 && child.area.y < 40.0 && child.area.bottom() <= HEADER_PX {
            child.role = Role::Header;
        } else if at + 1 == count
            && count > 2
            && child.area.bottom() >= page.bottom() - 60.0
            && child.area.h <= FOOTER_PX
        {
            child.role = Role::Footer;
        } else if holds && matches!(child.role, Role::Group | Role::Row | Role::Panel) {
            let is_split = child.children().iter().any(|part| {
                part.area.w <= ASIDE_SHARE * page.w && part.area.h >= ASIDE_PX && part.area.h >= 0.5 * page.h
            });
            if is_split && matches!(child.content, Content::Row(_) | Content::Grid(..)) {
                name_regions(child, page);
            } else {
                child.role = Role::Section;
            }
        }
    }
}

/// What stands between a header and a footer is the page's main part.
fn gather_main(root: &mut Block) {
    let area = root.area;
    let Content::Column(children) = &mut root.content else { return };
    let has_main = children.iter().any(|child| {
        child.role == Role::Main || child.children().iter().any(|child| child.role == Role::Main)
    });
    let from = usize::from(children.first().is_some_and(|first| first.role == Role::Header));
    let to = children.len() - usize::from(children.last().is_some_and(|last| last.role == Role::Footer));
    if has_main || to <= from || to - from == children.len() {
        return;
    }
    let parts: Vec<Block> = children.drain(from..to).collect();
    if let Some(tall) = parts.iter().map(|part| part.area).reduce(Area::union) {
        let area = Area { x: area.x, w: area.w, ..tall };
        let main = Block { role: Role::Main, ..Block::bare(area, Content::Column(parts)) };
        children.insert(from, main);
    }
}

/// Gives what stands in the middle of the page's width a container of its own, of one width for all bands that allow it.
fn contain(root: &mut Block, page: Area) {
    let mut edges: Vec<(f32, f32)> = Vec::new();
    bands(root, page, &mut |band| edges.extend(inset(band)));
    let usual = edges.iter().copied().filter(|edges| is_centered(*edges)).max_by_key(|(left, right)| {
        edges.iter().filter(|other| (other.0 - left).abs() <= SAME_EDGE_PX).count()
            + edges.iter().filter(|other| (other.1 - right).abs() <= SAME_EDGE_PX).count()
    });
    each(root, &mut |block| {
        if block.role == Role::Footer {
            contain_footer(block, usual);
        }
    });
    bands(root, page, &mut |band| {
        let (Some(held), Some(own)) = (held(band), inset(band)) else { return };
        // Content that ends earlier stands in the container of the others.
        let fits =
            usual.filter(|usual| (own.0 - usual.0).abs() <= SAME_EDGE_PX && own.1 >= usual.1 - SAME_EDGE_PX);
        let (left, right) = match fits {
            Some(usual) => usual,
            None if is_centered(own) => own,
            None => return,
        };
        hold(band, held, (left, right));
    });
}

/// What stands in a footer has the container of the bands above, or one of its own.
fn contain_footer(footer: &mut Block, usual: Option<(f32, f32)>) {
    let (Some(held), Some(own)) = (held(footer), inset(footer)) else { return };
    let fits = |sides: &(f32, f32)| own.0 >= sides.0 - SAME_EDGE_PX && own.1 >= sides.1 - SAME_EDGE_PX;
    let side = own.0.min(own.1).min(LEAST_CENTERING_PX);
    if side >= LEAST_INSET_PX {
        hold(footer, held, usual.filter(fits).unwrap_or((side, side)));
    }
}

/// Puts what a band holds into a container that is so far from its sides.
fn hold(band: &mut Block, held: Area, (left, right): (f32, f32)) {
    let area = Area::from_edges(band.area.x + left, held.y, band.area.right() - right, held.bottom());
    let content = std::mem::replace(&mut band.content, Content::Nothing);
    let container = Block { role: Role::Container, ..Block::bare(area, content) };
    band.content = Content::Column(vec![container]);
}

/// Does something to the blocks that go from one side of the page to the other and hold several things.
fn bands(block: &mut Block, page: Area, work: &mut dyn FnMut(&mut Block)) {
    for child in block.children_mut() {
        if child.area.w >= BAND * page.w {
            bands(child, page, work);
            if child.children().len() > 1 && child.skin != Skin::Bare && child.role != Role::Footer {
                work(child);
            }
        }
    }
}

fn held(block: &Block) -> Option<Area> {
    block.children().iter().map(|part| part.area).reduce(Area::union)
}

/// How far what a block holds is from its sides.
fn inset(block: &Block) -> Option<(f32, f32)> {
    held(block).map(|held| (held.x - block.area.x, block.area.right() - held.right()))
}

fn is_centered((left, right): (f32, f32)) -> bool {
    left.min(right) >= LEAST_CENTERING_PX && (left - right).abs() <= CENTERING_PX
}

/// Words in a block that holds other things become a block of their own.
fn with_words(root: &mut Block) {
    each(root, &mut |block| {
        if block.role.holds_words() || block.skin == Skin::Bare {
            return;
        }
        if let Content::Text(paragraph) = &block.content {
            let mut words = Block::bare(paragraph.area, Content::Text(paragraph.clone()));
            words.role = Role::Text;
            block.content = Content::Column(vec![words]);
        }
    });
}

/// Short text above a field says what it is for; a button below fields sends them.
fn label(root: &mut Block) {
    each(root, &mut |block| {
        let fields = block.children().iter().filter(|child| child.role == Role::Field).count();
        let is_column = matches!(block.content, Content::Column(_));
        let mut next: Option<Role> = None;
        for child in block.children_mut().iter_mut().rev() {
            if is_column && next == Some(Role::Field) && child.role == Role::Text && child.is_bare_text() {
                child.role = Role::Label;
            } else if fields > 0 && child.role == Role::Button {
                child.role = Role::Submit;
            }
            next = Some(child.role);
        }
    });
}

/// What looks like a field but fills what holds it, or stands close to others like a cell, is none.
fn demote(block: &mut Block) {
    let own = block.area;
    let is_painted = block.skin != Skin::Bare;
    let areas: Vec<Area> =
        block.children().iter().filter(|child| child.skin != Skin::Bare).map(|child| child.area).collect();
    let in_row = matches!(block.content, Content::Row(_) | Content::Grid(..));
    for child in block.children_mut().iter_mut().filter(|child| child.role == Role::Field) {
        let area = child.area;
        let fills = is_painted && area.x - own.x <= TOUCHING_PX && own.right() - area.right() <= TOUCHING_PX;
        let is_below = |other: &Area| {
            (area.y - other.bottom()).abs() <= TOUCHING_PX || (other.y - area.bottom()).abs() <= TOUCHING_PX
        };
        let is_cell = if in_row { areas.len() > MOST_JOINED } else { areas.iter().any(is_below) };
        if fills || is_cell {
            child.role = Role::Panel;
        }
    }
}

fn role(facts: &Facts, sizes: &[f32], block: &Block) -> Role {
    match (block.skin, &block.content) {
        (Skin::Image(_), Content::Nothing) if block.area.w.max(block.area.h) <= ICON_PX => Role::Icon,
        (Skin::Image(_), Content::Nothing) => Role::Picture,
        (Skin::Image(_), _) => Role::Backdrop,
        (Skin::Bare, Content::Text(paragraph)) => text_role(facts, paragraph, sizes),
        (Skin::Bare, Content::Row(_)) => Role::Row,
        (Skin::Bare, Content::Grid(..)) => Role::Grid,
        (Skin::Bare, _) => Role::Group,
        (Skin::Box(index), content) => facts
            .boxes
            .get(index)
            .map_or(Role::Panel, |painted| box_role(facts, painted, block.area, content)),
    }
}

/// The largest sizes of real words, largest first.
pub(super) fn heading_sizes(facts: &Facts) -> Vec<f32> {
    let mut sizes: Vec<f32> = facts
        .texts
        .iter()
        .filter(|text| text.fs >= HEADING_SIZE && text.text.chars().count() > 2)
        .map(|text| text.fs.round())
        .collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    sizes.dedup();
    sizes.truncate(MOST_HEADING_SIZES);
    sizes
}

pub(super) fn first<'a>(facts: &'a Facts, paragraph: &Paragraph) -> Option<&'a TextFact> {
    paragraph.lines.first().and_then(|&at| facts.texts.get(at))
}

fn text_role(facts: &Facts, paragraph: &Paragraph, sizes: &[f32]) -> Role {
    let Some(text) = first(facts, paragraph) else { return Role::Text };
    let level = sizes.iter().position(|&size| size == text.fs.round());
    if let (Some(level), true) = (level, paragraph.lines.len() <= MOST_HEADING_LINES) {
        return Role::Heading(level as u8 + 1);
    }
    if paragraph.code.is_some() {
        Role::Listing
    } else if text.ff.contains("monospace") {
        Role::Code
    } else if text.fs <= CAPTION_SIZE {
        Role::Caption
    } else {
        Role::Text
    }
}

fn box_role(facts: &Facts, painted: &BoxFact, area: Area, content: &Content) -> Role {
    let has_border = painted.bw.iter().all(|&width| width > 0.0);
    if let Content::Text(Paragraph { code: Some(_), .. }) = content {
        return Role::Listing;
    }
    if painted.w.min(painted.h) <= 3.0 {
        return Role::Rule;
    }
    if let Content::Text(paragraph) = content
        && paragraph.lines.len() == 1
        && painted.h <= 72.0
        && painted.w <= 480.0
    {
        if painted.h <= 26.0 && painted.w <= 120.0 {
            return Role::Badge;
        }
        let is_centered = first(facts, paragraph)
            .is_some_and(|text| (text.x + text.w / 2.0 - area.center_x()).abs() <= 4.0);
        if is_centered {
            return Role::Button;
        }
    }
    let is_field = match content {
        Content::Text(paragraph) => paragraph.lines.len() == 1 && paragraph.area.x - area.x <= 24.0,
        Content::Nothing => painted.w >= 3.0 * painted.h,
        _ => false,
    };
    if is_field && has_border && (28.0..=64.0).contains(&painted.h) {
        return Role::Field;
    }
    Role::of_size(painted, facts.width)
}
