//! What a block is on the page: names its class and chooses its tag.

use crate::trace::facts::BoxFact;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    Header,
    Main,
    Aside,
    Footer,
    Section,
    Container,
    /// A list of links.
    Nav,
    List,
    Table,
    TableRow,
    /// A line between rows.
    TableRule,
    HeadCell,
    Cell,
    Group,
    Row,
    Grid,
    Card,
    Panel,
    Backdrop,
    Heading(u8),
    Text,
    /// Words beside an icon in a link.
    Words,
    Caption,
    Code,
    Listing,
    Link,
    Button,
    /// A button that sends a form.
    Submit,
    /// What a field is for.
    Label,
    Field,
    Badge,
    Rule,
    Picture,
    Icon,
}

impl Role {
    /// What a painted box is by its size alone, on a page of this width.
    pub(super) fn of_size(painted: &BoxFact, page_width: u32) -> Self {
        if painted.w >= 0.9 * page_width as f32 && painted.h >= 40.0 {
            Self::Section
        } else if painted.w >= 120.0 && painted.h >= 80.0 {
            Self::Card
        } else {
            Self::Panel
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Main => "main",
            Self::Aside => "aside",
            Self::Footer => "footer",
            Self::Section => "section",
            Self::Container => "container",
            Self::Nav => "nav",
            Self::List => "list",
            Self::Table => "table",
            Self::TableRow => "line",
            Self::HeadCell | Self::Cell => "cell",
            Self::Group => "group",
            Self::Row => "row",
            Self::Grid => "grid",
            Self::Card => "card",
            Self::Panel => "panel",
            Self::Backdrop => "backdrop",
            Self::Heading(_) => "heading",
            Self::Text | Self::Words => "text",
            Self::Caption => "caption",
            Self::Code => "code",
            Self::Listing => "listing",
            Self::Link => "link",
            Self::Button | Self::Submit => "button",
            Self::Label => "label",
            Self::Field => "field",
            Self::Badge => "badge",
            Self::Rule | Self::TableRule => "rule",
            Self::Picture => "picture",
            Self::Icon => "icon",
        }
    }

    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Main => "main",
            Self::Aside => "aside",
            Self::Footer => "footer",
            Self::Section | Self::Backdrop => "section",
            Self::Nav => "nav",
            Self::List => "ul",
            Self::Table => "table",
            Self::TableRow | Self::TableRule => "tr",
            Self::HeadCell => "th",
            Self::Cell => "td",
            Self::Heading(1) => "h1",
            Self::Heading(2) => "h2",
            Self::Heading(_) => "h3",
            Self::Text | Self::Caption => "p",
            Self::Link | Self::Button => "a",
            Self::Submit => "button",
            Self::Label => "label",
            Self::Field => "input",
            Self::Code => "code",
            Self::Listing => "pre",
            Self::Badge | Self::Words => "span",
            Self::Picture | Self::Icon => "img",
            Self::Container
            | Self::Group
            | Self::Row
            | Self::Grid
            | Self::Card
            | Self::Panel
            | Self::Rule => "div",
        }
    }

    /// Whether a block with this role may hold words itself.
    pub(super) fn holds_words(self) -> bool {
        !matches!(
            self,
            Self::Header
                | Self::Main
                | Self::Aside
                | Self::Footer
                | Self::Section
                | Self::Backdrop
                | Self::Container
                | Self::Group
                | Self::Card
                | Self::Panel
        )
    }
}
