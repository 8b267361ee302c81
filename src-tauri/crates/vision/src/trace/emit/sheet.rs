use std::fmt::Write;

/// Declarations of one class, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Style {
    declarations: Vec<(String, String)>,
    /// Has paddings that take too much of a phone's width.
    pub(super) has_wide_sides: bool,
    /// Has a padding below that is much of a phone's height.
    pub(super) has_high_foot: bool,
    /// Is as wide as it is because of what stands beside it.
    pub(super) has_neighbours: bool,
}

impl Style {
    pub(super) fn set(&mut self, property: &str, value: &str) {
        self.declarations.retain(|(other, _)| other != property);
        self.declarations.push((property.to_owned(), value.to_owned()));
    }

    pub(super) fn get(&self, property: &str) -> Option<&str> {
        self.declarations.iter().find(|(other, _)| other == property).map(|(_, value)| value.as_str())
    }

    /// Takes over what another style says.
    pub(super) fn extend(&mut self, other: Style) {
        for (property, value) in other.declarations {
            self.set(&property, &value);
        }
        self.has_wide_sides |= other.has_wide_sides;
        self.has_high_foot |= other.has_high_foot;
        self.has_neighbours |= other.has_neighbours;
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
    /// It is as wide as there is room.
    Fill,
    /// It starts at the left.
    Margin,
    /// Its text may run over.
    Text,
}

impl Narrow {
    fn css(self) -> &'static str {
        match self {
            Self::Stacks => "flex-direction: column; align-items: stretch; gap: 16px;",
            Self::Wraps => "flex-wrap: wrap; gap: 8px 16px;",
            Self::Grid => "grid-template-columns: 1fr;",
            Self::Sides => "padding-left: 16px; padding-right: 16px;",
            Self::Foot => "padding-bottom: 32px;",
            Self::Fill => "width: auto;",
            Self::Margin => "margin-left: 0;",
            Self::Text => "white-space: normal;",
        }
    }
}

/// The style sheet being written: one class a look.
#[derive(Default)]
pub(super) struct Sheet {
    looks: Vec<Look>,
    narrow: Vec<(Narrow, String)>,
}

struct Look {
    class: String,
    role: &'static str,
    style: Style,
}

impl Sheet {
    /// The class of a look: the role's name, numbered from the second look on.
    pub(super) fn class(&mut self, role: &'static str, style: Style) -> String {
        let same_role = self.looks.iter().filter(|look| look.role == role);
        if let Some(look) = same_role.clone().find(|look| look.style == style) {
            return look.class.clone();
        }
        let count = same_role.count() + 1;
        let class = if count == 1 { role.to_owned() } else { format!("{role}-{count}") };
        self.looks.push(Look { class: class.clone(), role, style });
        class
    }

    pub(super) fn narrow(&mut self, class: &str, narrow: Narrow) {
        let entry = (narrow, class.to_owned());
        if !self.narrow.contains(&entry) {
            self.narrow.push(entry);
        }
    }

    /// All rules: looks grouped by role, then what is otherwise on a narrow screen.
    pub(super) fn rules(&self) -> String {
        let mut looks: Vec<&Look> =
            self.looks.iter().filter(|look| !look.style.declarations.is_empty()).collect();
        looks.sort_by_key(|look| look.role);
        let mut rules = String::new();
        for look in looks {
            let _ = writeln!(rules, ".{} {{ {}}}", look.class, look.style.css());
        }
        let mut narrow = self.narrow.clone();
        narrow.sort();
        rules += "@media (max-width: 700px) {\n";
        for group in narrow.chunk_by(|a, b| a.0 == b.0) {
            let names: Vec<String> = group.iter().map(|(_, class)| format!(".{class}")).collect();
            if let Some((narrow, _)) = group.first() {
                let _ = writeln!(rules, "  {} {{ {} }}", names.join(", "), narrow.css());
            }
        }
        rules + "}\n"
    }
}
