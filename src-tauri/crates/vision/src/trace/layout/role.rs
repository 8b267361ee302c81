//! What a block is on the page: names its class and chooses its tag.

use super::{Area, Block, Content, Paragraph, Skin};
use crate::trace::facts::{BoxFact, Facts, TextFact};

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    Header,
    Nav,
    Footer,
    Section,
    Group,
    Row,
    Grid,
    List,
    Card,
    Panel,
    Backdrop,
    Heading(u8),
    Text,
    Label,
    Caption,
    Code,
    Listing,
    Link,
    Item,
    Button,
    Field,
    Badge,
    Rule,
    Picture,
    Icon,
}

impl Role {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Nav => "nav",
            Self::Footer => "footer",
            Self::Section => "section",
            Self::Group => "group",
            Self::Row => "row",
            Self::Grid => "grid",
            Self::List => "list",
            Self::Card => "card",
            Self::Panel => "panel",
            Self::Backdrop => "backdrop",
            Self::Heading(_) => "heading",
            Self::Text => "text",
            Self::Label => "label",
            Self::Caption => "caption",
            Self::Code => "code",
            Self::Listing => "listing",
            Self::Link => "link",
            Self::Item => "item",
            Self::Button => "button",
            Self::Field => "field",
            Self::Badge => "badge",
            Self::Rule => "rule",
            Self::Picture => "picture",
            Self::Icon => "icon",
        }
    }

    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Nav => "nav",
            Self::Footer => "footer",
            Self::Section | Self::Backdrop => "section",
            Self::List => "ul",
            Self::Item => "li",
            Self::Heading(1) => "h1",
            Self::Heading(2) => "h2",
            Self::Heading(_) => "h3",
            Self::Text | Self::Caption | Self::Label => "p",
            Self::Button | Self::Link => "a",
            Self::Code => "code",
            Self::Listing => "pre",
            Self::Badge => "span",
            Self::Picture | Self::Icon => "img",
            Self::Group | Self::Row | Self::Grid | Self::Card | Self::Panel | Self::Field | Self::Rule => "div",
        }
    }
}

const HEADING_SIZE: f32 = 20.0;
const CAPTION_SIZE: f32 = 12.5;
const MOST_HEADING_SIZES: usize = 3;
const MOST_HEADING_LINES: usize = 4;
const ICON_PX: f32 = 48.0;
const HEADER_PX: f32 = 140.0;
const LEAST_LINKS: usize = 3;
const LINK_CHARS: usize = 24;

/// Gives every block its role.
pub(super) fn name(facts: &Facts, root: &mut Block) {
    let sizes = heading_sizes(facts);
    let page = root.area;
    for child in root.children_mut() {
        name_block(facts, &sizes, child);
    }
    for lifted in &mut root.lifted {
        name_block(facts, &sizes, lifted);
    }
    let count = root.children().len();
    for (at, child) in root.children_mut().iter_mut().enumerate() {
        let is_wide = child.area.w >= 0.5 * page.w;
        let holds = !child.children().is_empty();
        if !holds || !is_wide {
            continue;
        }
        if at == 0 && count > 1 && child.area.y < 40.0 && child.area.bottom() <= HEADER_PX {
            child.role = Role::Header;
            name_nav(facts, child);
        } else if at + 1 == count && count > 2 && child.area.bottom() >= page.bottom() - 60.0 {
            child.role = Role::Footer;
        } else if child.role == Role::Group {
            child.role = Role::Section;
        }
    }
}

fn name_block(facts: &Facts, sizes: &[f32], block: &mut Block) {
    for child in block.children_mut() {
        name_block(facts, sizes, child);
    }
    for lifted in &mut block.lifted {
        name_block(facts, sizes, lifted);
    }
    block.role = match (block.skin, &block.content) {
        (Skin::Image(_), Content::Nothing) if block.area.w.max(block.area.h) <= ICON_PX => Role::Icon,
        (Skin::Image(_), Content::Nothing) => Role::Picture,
        (Skin::Image(_), _) => Role::Backdrop,
        (Skin::Bare, Content::Text(paragraph)) => text_role(facts, paragraph, sizes),
        (Skin::Bare, Content::Row(_)) => Role::Row,
        (Skin::Bare, Content::Grid(..)) => Role::Grid,
        (Skin::Bare, Content::Column(children)) if is_list(facts, children) => Role::List,
        (Skin::Bare, _) => Role::Group,
        (Skin::Box(index), content) => facts.boxes.get(index).map_or(Role::Panel, |painted| {
            box_role(facts, painted, block.area, content)
        }),
    };
    if block.role == Role::List {
        for child in block.children_mut() {
            child.role = Role::Item;
        }
    }
}

/// The largest sizes of real words, largest first.
fn heading_sizes(facts: &Facts) -> Vec<f32> {
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

fn first<'a>(facts: &'a Facts, paragraph: &Paragraph) -> Option<&'a TextFact> {
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
    } else if paragraph.lines.len() == 1 && text.text.chars().count() < LINK_CHARS {
        Role::Label
    } else {
        Role::Text
    }
}

/// Short texts of one look below each other.
fn is_list(facts: &Facts, children: &[Block]) -> bool {
    children.len() >= LEAST_LINKS && are_alike(facts, children)
}

fn are_alike(facts: &Facts, blocks: &[Block]) -> bool {
    let looks: Vec<_> = blocks
        .iter()
        .map(|block| {
            let text = first(facts, block.text()?)?;
            let is_short = block.is_bare_text() && block.text()?.lines.len() == 1;
            (is_short && text.fs < HEADING_SIZE).then_some((text.fs.round() as u32, text.fw, &text.ff))
        })
        .collect();
    looks.first().is_some_and(Option::is_some) && looks.windows(2).all(|pair| pair.first() == pair.last())
}

/// The links of a header.
fn name_nav(facts: &Facts, block: &mut Block) {
    for child in block.children_mut() {
        name_nav(facts, child);
    }
    let Content::Row(children) = &block.content else { return };
    let is_link = |child: &Block| {
        child.is_bare_text()
            && child.text().and_then(|text| first(facts, text)).is_some_and(|text| text.text.chars().count() < LINK_CHARS)
    };
    if children.iter().filter(|child| is_link(child)).count() < LEAST_LINKS {
        return;
    }
    if block.role == Role::Row {
        block.role = Role::Nav;
    }
    for child in block.children_mut() {
        if child.is_bare_text() && !matches!(child.role, Role::Heading(_)) {
            child.role = Role::Link;
        }
    }
}

fn box_role(facts: &Facts, painted: &BoxFact, area: Area, content: &Content) -> Role {
    let has_border = painted.bw.iter().any(|&width| width > 0.0);
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
        if has_border {
            return Role::Field;
        }
    }
    if matches!(content, Content::Nothing) && has_border && (28.0..=60.0).contains(&painted.h) {
        return Role::Field;
    }
    if painted.w >= 0.9 * facts.width as f32 && painted.h >= 40.0 {
        Role::Section
    } else if painted.w >= 120.0 && painted.h >= 80.0 {
        Role::Card
    } else {
        Role::Panel
    }
}
