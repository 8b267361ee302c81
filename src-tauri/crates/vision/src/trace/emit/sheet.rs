use std::fmt::Write;

/// The style sheet being written: one class a look, one rule a place.
#[derive(Default)]
pub(super) struct Sheet {
    looks: Vec<Look>,
    places: String,
}

struct Look {
    class: String,
    role: &'static str,
    declarations: String,
}

impl Sheet {
    /// The class of a look: the role's name, numbered from the second look on.
    pub(super) fn class(&mut self, role: &'static str, declarations: String) -> String {
        let declarations = declarations.trim().to_owned();
        let same_role = self.looks.iter().filter(|look| look.role == role);
        if let Some(look) = same_role.clone().find(|look| look.declarations == declarations) {
            return look.class.clone();
        }
        let count = same_role.count() + 1;
        let class = if count == 1 { role.to_owned() } else { format!("{role}-{count}") };
        self.looks.push(Look { class: class.clone(), role, declarations });
        class
    }

    pub(super) fn place(&mut self, id: &str, declarations: &str) {
        let _ = writeln!(self.places, "#{id} {{ {declarations}; }}");
    }

    /// All rules: looks grouped by role, then places in document order.
    pub(super) fn rules(&self) -> String {
        let mut looks: Vec<&Look> = self.looks.iter().filter(|look| !look.declarations.is_empty()).collect();
        looks.sort_by_key(|look| look.role);
        let mut rules = String::new();
        for look in looks {
            let _ = writeln!(rules, ".{} {{ {} }}", look.class, look.declarations);
        }
        rules + &self.places
    }
}
