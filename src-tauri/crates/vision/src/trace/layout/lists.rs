//! Like things that follow each other become lists; those of a page's header, footer or side are links.

use super::naming::{Region, first};
use super::{Area, Block, Content, Role, Skin, slots};
use crate::trace::facts::Facts;

const LEAST_ITEMS: usize = 3;
const MOST_CHARS: usize = 28;
const MOST_HEIGHT_PX: f32 = 64.0;
// Items farther apart than this are not one list.
const MOST_BESIDE_PX: f32 = 90.0;
const MOST_BELOW_PX: f32 = 28.0;

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
    for part in item.children_mut() {
        if part.is_bare_text() {
            part.role = Role::Words;
        }
    }
}

/// Where items follow each other, from and to.
fn runs(facts: &Facts, children: &[Block], is_row: bool, region: Region) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut from = 0;
    for at in 0..=children.len() {
        let own = children.get(at).filter(|child| is_item(facts, child));
        let goes_on = own.is_some_and(|own| {
            at == from
                || children.get(at - 1).is_some_and(|before| {
                    is_built_like(before, own, region) && follows(facts, before, own, is_row)
                })
        });
        if goes_on {
            continue;
        }
        if at - from >= LEAST_ITEMS {
            runs.push((from, at));
        }
        from = if own.is_some() { at } else { at + 1 };
    }
    runs
}

/// Headings may stand between links, but not between the items of other lists.
fn is_built_like(before: &Block, item: &Block, region: Region) -> bool {
    matches!(region, Region::Header | Region::Aside) || before.text().is_some() == item.text().is_some()
}

fn follows(facts: &Facts, before: &Block, item: &Block, is_row: bool) -> bool {
    let (gap, most) = if is_row {
        (item.area.x - before.area.right(), MOST_BESIDE_PX)
    } else {
        (item.area.y - before.area.bottom(), MOST_BELOW_PX)
    };
    let sizes = (size(facts, before), size(facts, item));
    gap <= most && matches!(sizes, (Some(a), Some(b)) if (a / b).ln().abs() <= 0.12)
}

/// Whether a block may be an item: a few words, perhaps with icons beside them.
fn is_item(facts: &Facts, block: &Block) -> bool {
    if block.area.h > MOST_HEIGHT_PX || !block.lifted.is_empty() || size(facts, block).is_none() {
        return false;
    }
    match &block.content {
        Content::Text(_) => matches!(block.role, Role::Text | Role::Caption | Role::Panel),
        Content::Row(parts) => {
            let words = parts.iter().filter(|part| part.text().is_some()).count();
            let icons = parts.iter().filter(|part| part.role == Role::Icon).count();
            words == 1 && words + icons == parts.len() && matches!(block.role, Role::Row | Role::Panel)
        }
        _ => false,
    }
}

/// The font size of an item's words.
fn size(facts: &Facts, block: &Block) -> Option<f32> {
    let paragraph = block.text().or_else(|| block.children().iter().find_map(Block::text))?;
    let text = first(facts, paragraph)?;
    let is_short = paragraph.lines.len() == 1 && text.text.chars().count() <= MOST_CHARS;
    is_short.then_some(text.fs)
}
