//! Like things that follow each other become lists; those of a page's header, footer or side are links.

use super::naming::{Region, first};
use super::{Area, Block, Content, Paragraph, Role, Skin, slots};
use crate::trace::facts::Facts;

const LEAST_ITEMS: usize = 3;
// Where links are expected, two are enough.
const LEAST_LINKS: usize = 2;
// Sizes of one list differ by this share at most.
const SAME_SIZE: f32 = 0.12;
const MOST_CHARS: usize = 28;
const MOST_HEIGHT_PX: f32 = 64.0;
// Items farther apart than this are not one list.
const MOST_BESIDE_PX: f32 = 90.0;
const MOST_BELOW_PX: f32 = 28.0;
const MOST_BELOW_ASIDE_PX: f32 = 48.0;

/// Makes lists of what a block holds and of what that holds.
pub(super) fn gather(facts: &Facts, block: &mut Block, region: Region) {
    let region = match block.role {
        Role::Header => Region::Header,
        Role::Aside => Region::Aside,
        Role::Footer => Region::Footer,
        _ => region,
    };
    let is_row = matches!(block.content, Content::Row(_));
    let bare = block.skin == Skin::Bare && matches!(block.role, Role::Group | Role::Row);
    if block.role == Role::Table {
        return;
    }
    let is_made = matches!(block.role, Role::Nav | Role::List);
    if let (Content::Column(children) | Content::Row(children), false) = (&mut block.content, is_made) {
        let runs = runs(facts, children, is_row, region);
        if bare && runs.iter().any(|(from, to)| to - from == children.len()) {
            block.role = list_role(region);
        } else {
            // From the end, so that the places of earlier runs stay.
            for (from, to) in runs.into_iter().rev() {
                let items: Vec<Block> = children.drain(from..to).collect();
                let Some(area) = items.iter().map(|item| item.area).reduce(Area::union) else { continue };
                let content = if is_row { Content::Row(items) } else { Content::Column(items) };
                let list = Block { role: list_role(region), ..Block::bare(area, content) };
                children.insert(from, list);
            }
        }
    }
    let is_list = matches!(block.role, Role::Nav | Role::List);
    if is_list && matches!(block.content, Content::Column(_)) {
        slots::unify(block.children_mut());
    }
    let (children, lifted) = block.parts_mut();
    for child in children.iter_mut().chain(lifted) {
        if is_list && region != Region::Main {
            name_link(child);
        } else if !is_list {
            gather(facts, child, region);
        }
    }
}

fn list_role(region: Region) -> Role {
    match region {
        Region::Header | Region::Aside => Role::Nav,
        Region::Footer | Region::Main => Role::List,
    }
}

fn name_link(item: &mut Block) {
    item.role = Role::Link;
    if let Content::Row(parts) = &mut item.content {
        *parts = std::mem::take(parts).into_iter().flat_map(flat).collect();
    }
    for part in item.children_mut() {
        if part.is_bare_text() {
            part.role = Role::Words;
        }
    }
}

/// What stands in a row inside a row, each for itself.
fn flat(part: Block) -> Vec<Block> {
    match part {
        Block { role: Role::Row, content: Content::Row(parts), .. } => {
            parts.into_iter().flat_map(flat).collect()
        }
        part => vec![part],
    }
}

/// Where items follow each other, from and to.
fn runs(facts: &Facts, children: &[Block], is_row: bool, region: Region) -> Vec<(usize, usize)> {
    let least = if is_of_links(region) { LEAST_LINKS } else { LEAST_ITEMS };
    let mut runs = Vec::new();
    let mut from = 0;
    for at in 0..=children.len() {
        let own = children.get(at).filter(|child| is_item(facts, child, region));
        let goes_on = own.is_some_and(|own| {
            at == from
                || children.get(at - 1).is_some_and(|before| {
                    is_built_like(before, own, region) && follows(facts, before, own, is_row, region)
                })
        });
        if goes_on {
            continue;
        }
        if at - from >= least {
            runs.push((from, at));
        }
        from = if own.is_some() { at } else { at + 1 };
    }
    runs
}

fn is_of_links(region: Region) -> bool {
    matches!(region, Region::Header | Region::Aside)
}

/// Headings may stand between links, but not between the items of other lists.
fn is_built_like(before: &Block, item: &Block, region: Region) -> bool {
    is_of_links(region) || before.text().is_some() == item.text().is_some()
}

fn follows(facts: &Facts, before: &Block, item: &Block, is_row: bool, region: Region) -> bool {
    let (gap, most) = match (is_row, region) {
        (true, _) => (item.area.x - before.area.right(), MOST_BESIDE_PX),
        (false, Region::Aside) => (item.area.y - before.area.bottom(), MOST_BELOW_ASIDE_PX),
        (false, _) => (item.area.y - before.area.bottom(), MOST_BELOW_PX),
    };
    let sizes = (size(facts, before), size(facts, item));
    gap <= most && matches!(sizes, (Some(a), Some(b)) if (a / b).ln().abs() <= SAME_SIZE)
}

/// Whether a block may be an item: a few words, perhaps with icons beside them.
fn is_item(facts: &Facts, block: &Block, region: Region) -> bool {
    if block.area.h > MOST_HEIGHT_PX || !block.lifted.is_empty() || size(facts, block).is_none() {
        return false;
    }
    match &block.content {
        Content::Text(_) => {
            matches!(block.role, Role::Text | Role::Caption | Role::Panel)
                || block.role == Role::Button && region == Region::Header
        }
        Content::Row(_) => {
            matches!(block.role, Role::Row | Role::Panel)
                && words_and_icons(block).is_some_and(|words| words == 1)
        }
        _ => false,
    }
}

/// How many words stand in a row that holds nothing but words and icons.
fn words_and_icons(block: &Block) -> Option<usize> {
    let count = |part: &Block| match (&part.content, part.role) {
        (Content::Text(_), _) => Some(1),
        (_, Role::Icon) => Some(0),
        (Content::Row(_), Role::Row) => words_and_icons(part),
        _ => None,
    };
    block.children().iter().map(count).sum()
}

/// The font size of an item's words.
fn size(facts: &Facts, block: &Block) -> Option<f32> {
    let paragraph = words(block)?;
    let text = first(facts, paragraph)?;
    let is_short = paragraph.lines.len() == 1 && text.text.chars().count() <= MOST_CHARS;
    is_short.then_some(text.fs)
}

/// The first words in a block.
fn words(block: &Block) -> Option<&Paragraph> {
    block.text().or_else(|| block.children().iter().find_map(words))
}
