//! The style sheet: what looks the same shares a class.

mod naming;

use std::fmt::Write;

use naming::Names;

// Screens up to this width are narrow.
const NARROW_PX: u32 = 700;
// A page up to this width was made for narrow screens: what is narrower still needs but little.
const PHONE_PX: u32 = 480;

/// Declarations of one rule, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Style {
    declarations: Vec<(String, String)>,
}

impl Style {
    pub(super) fn set(&mut self, property: &str, value: &str) {
        self.declarations.retain(|(other, _)| other != property);
        self.declarations.push((property.to_owned(), value.to_owned()));
    }

    pub(super) fn get(&self, property: &str) -> Option<&str> {
        self.declarations.iter().find(|(other, _)| other == property).map(|(_, value)| value.as_str())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.declarations.is_empty()
    }

    /// Takes over what another style says.
    pub(super) fn extend(&mut self, other: Style) {
        for (property, value) in other.declarations {
            self.set(&property, &value);
        }
    }

    fn css(&self) -> String {
        let mut css = String::new();
        for (property, value) in &self.declarations {
            let _ = write!(css, "{property}: {value}; ");
        }
        css
    }
}

/// How a class changes on a narrow screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Narrow {
    /// Its children stand below each other.
    Stacks,
    /// Its children run over to the next line.
    Wraps,
    /// Its grid has one column.
    Grid,
    /// Its sides are narrow.
    Sides,
    /// It has no empty foot.
    Foot,
    /// Its text may run over.
    Text,
    /// It is as wide as there is room.
    Fill,
    /// It starts at the left.
    Margin,
    /// It keeps to what stands above it.
    Rises,
    /// It no longer lies over the rest.
    Lands,
    /// It comes after the rest.
    Last,
    /// Its letters are not as large.
    Smaller,
    /// It is left out.
    Hidden,
    /// What reaches beyond it is not shown.
    Clips,
}

impl Narrow {
    fn css(self) -> &'static str {
        match self {
            Self::Stacks => "flex-direction: column; align-items: stretch; gap: 16px;",
            Self::Wraps => "flex-wrap: wrap; gap: 8px 16px;",
            Self::Grid => "grid-template-columns: minmax(0, 1fr);",
            Self::Sides => "padding-left: 16px; padding-right: 16px;",
            Self::Foot => "padding-bottom: 32px;",
            Self::Text => "white-space: normal;",
            Self::Fill => "width: auto;",
            Self::Margin => "margin-left: 0; margin-right: 0;",
            Self::Rises => "margin-top: 16px;",
            Self::Lands => "position: static;",
            Self::Last => "order: 1;",
            Self::Smaller => "font-size: 32px; line-height: 1.25;",
            Self::Hidden => "display: none;",
            Self::Clips => "overflow-x: hidden;",
        }
    }

    /// What it says on screens that are narrower than the phone the page was made for.
    fn phone_css(self) -> Option<&'static str> {
        match self {
            Self::Wraps | Self::Stacks => Some("flex-wrap: wrap;"),
            Self::Text | Self::Fill | Self::Clips => Some(self.css()),
            _ => None,
        }
    }
}

/// An element's look and its place, each with what is otherwise on a narrow screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Dress {
    pub(super) role: &'static str,
    pub(super) look: Style,
    pub(super) look_narrow: Vec<Narrow>,
    pub(super) place: Style,
    pub(super) place_narrow: Vec<Narrow>,
}

/// The style sheet being written.
#[derive(Default)]
pub(super) struct Sheet {
    dresses: Vec<Dress>,
}

/// Which dress an element wears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Worn(pub(super) usize);

impl Sheet {
    pub(super) fn wear(&mut self, mut dress: Dress) -> Worn {
        dress.look_narrow.sort();
        dress.place_narrow.sort();
        self.dresses.push(dress);
        Worn(self.dresses.len() - 1)
    }

    /// The classes of all elements and the rules they need on a page of a width.
    pub(super) fn finished(&self, width: u32) -> Finished {
        let names = Names::of(&self.dresses);
        let mut rules = String::new();
        for (class, style) in names.rules() {
            let _ = writeln!(rules, ".{class} {{ {}}}", style.css());
        }
        let css = |narrow: Narrow| {
            if width <= PHONE_PX {
                narrow.phone_css()
            } else {
                Some(narrow.css()).filter(|_| narrow != Narrow::Clips)
            }
        };
        let narrow: Vec<(&str, String)> =
            names.narrow().into_iter().filter_map(|(narrow, class)| Some((css(narrow)?, class))).collect();
        if !narrow.is_empty() {
            // The page comes out as measured at its own width, however narrow that is.
            let most = NARROW_PX.min(width.saturating_sub(1));
            let _ = writeln!(rules, "@media (max-width: {most}px) {{");
            for group in narrow.chunk_by(|a, b| a.0 == b.0) {
                let classes: Vec<String> = group.iter().map(|(_, class)| format!(".{class}")).collect();
                if let Some((css, _)) = group.first() {
                    let _ = writeln!(rules, "  {} {{ {css} }}", classes.join(", "));
                }
            }
            rules += "}\n";
        }
        Finished { classes: names.classes(), rules }
    }
}

/// A style sheet that is written.
pub(super) struct Finished {
    classes: Vec<String>,
    pub(super) rules: String,
}

impl Finished {
    /// The class attribute of an element with a blank before it; empty for none.
    pub(super) fn attribute(&self, worn: Worn) -> String {
        match self.classes.get(worn.0) {
            Some(classes) if !classes.is_empty() => format!(" class=\"{classes}\""),
            _ => String::new(),
        }
    }
}
