//! Which classes there are: one a look, and some for places that many looks share.

use std::collections::{BTreeMap, BTreeSet};

use super::{Dress, Narrow, Style};

// Classes an element has on average at most.
const MOST_CLASSES: f32 = 1.25;
const PLACE: &str = "offset";

/// Classes by what they stand for.
pub(super) struct Names<'a> {
    dresses: &'a [Dress],
    /// Places that have a class of their own.
    shared: BTreeSet<&'a Style>,
    /// Classes of a look and a place, in the order of their first use.
    named: Vec<(Key<'a>, String)>,
    at: BTreeMap<Key<'a>, usize>,
}

/// A look, a place, or both in one.
type Key<'a> = (Kind, &'a Style, Option<&'a Style>);

/// Text and what holds it are never named alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Words,
    Thing,
    Place,
}

impl<'a> Names<'a> {
    pub(super) fn of(dresses: &'a [Dress]) -> Self {
        let mut names =
            Self { dresses, shared: shared_places(dresses), named: Vec::new(), at: BTreeMap::new() };
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for dress in dresses {
            for (key, role) in names.keys(dress) {
                if names.at.contains_key(&key) {
                    continue;
                }
                let number = count.entry(role).or_default();
                *number += 1;
                let class = if *number == 1 { role.to_owned() } else { format!("{role}-{number}") };
                names.at.insert(key, names.named.len());
                names.named.push((key, class));
            }
        }
        names
    }

    /// What an element's classes stand for: at most a look and a place.
    fn keys(&self, dress: &'a Dress) -> Vec<(Key<'a>, &'static str)> {
        let mut keys = Vec::new();
        let is_shared = self.shared.contains(&dress.place);
        let place = Some(&dress.place).filter(|place| !place.is_empty() && !is_shared);
        if !dress.look.is_empty() || place.is_some() || !dress.look_narrow.is_empty() {
            keys.push(((kind(dress), &dress.look, place), dress.role));
        }
        if is_shared {
            keys.push(((Kind::Place, &dress.place, None), PLACE));
        }
        keys
    }

    fn class(&self, key: &Key<'a>) -> Option<&str> {
        self.at.get(key).and_then(|&at| self.named.get(at)).map(|(_, class)| class.as_str())
    }

    /// The classes of every element, separated by blanks.
    pub(super) fn classes(&self) -> Vec<String> {
        let classes = |dress| {
            let keys = self.keys(dress);
            let classes: Vec<&str> = keys.iter().filter_map(|(key, _)| self.class(key)).collect();
            classes.join(" ")
        };
        self.dresses.iter().map(classes).collect()
    }

    /// The rules, those of one role together; a place's rules win.
    pub(super) fn rules(&self) -> Vec<(&str, Style)> {
        let mut rules: Vec<(&str, Style)> = self
            .named
            .iter()
            .map(|((_, look, place), class)| {
                let mut style = (*look).clone();
                style.extend(place.cloned().unwrap_or_default());
                (class.as_str(), style)
            })
            .filter(|(_, style)| !style.is_empty())
            .collect();
        let role = |class: &str| {
            class.trim_end_matches(|char: char| char.is_ascii_digit() || char == '-').to_owned()
        };
        rules.sort_by_key(|(class, _)| (role(class) == PLACE, role(class)));
        rules
    }

    /// What is otherwise on a narrow screen, each once.
    pub(super) fn narrow(&self) -> Vec<(Narrow, String)> {
        let mut narrow = BTreeSet::new();
        for dress in self.dresses {
            let keys = self.keys(dress);
            let look = keys.iter().find(|((kind, ..), _)| *kind != Kind::Place);
            let place = keys.iter().find(|((kind, ..), _)| *kind == Kind::Place).or(look);
            for (of, key) in [(&dress.look_narrow, look), (&dress.place_narrow, place)] {
                if let Some(class) = key.and_then(|(key, _)| self.class(key)) {
                    narrow.extend(of.iter().map(|narrow| (*narrow, class.to_owned())));
                }
            }
        }
        narrow.into_iter().collect()
    }
}

fn kind(dress: &Dress) -> Kind {
    if dress.look.get("font").is_some() { Kind::Words } else { Kind::Thing }
}

/// Places that save rules when they have a class of their own: as many as there are second classes to give away, those
/// that save most for each first.
fn shared_places(dresses: &[Dress]) -> BTreeSet<&Style> {
    let mut looks_at: BTreeMap<&Style, BTreeSet<(Kind, &Style)>> = BTreeMap::new();
    let mut places_of: BTreeMap<(Kind, &Style), BTreeSet<&Style>> = BTreeMap::new();
    let mut uses: BTreeMap<&Style, usize> = BTreeMap::new();
    for dress in dresses {
        let look = (kind(dress), &dress.look);
        places_of.entry(look).or_default().insert(&dress.place);
        if !dress.place.is_empty() {
            looks_at.entry(&dress.place).or_default().insert(look);
            // An element without a look has room for a first class.
            *uses.entry(&dress.place).or_default() += usize::from(!dress.look.is_empty());
        }
    }
    let mut savings: Vec<(&Style, usize, usize)> = looks_at
        .iter()
        .map(|(place, looks)| {
            let kept = looks.iter().filter(|look| places_of.get(look).is_some_and(|places| places.len() > 1));
            (*place, kept.count().saturating_sub(1), uses.get(place).copied().unwrap_or_default())
        })
        .filter(|(_, saved, _)| *saved > 0)
        .collect();
    savings.sort_by(|a, b| {
        let worth = |saving: &(&Style, usize, usize)| saving.1 as f32 / saving.2.max(1) as f32;
        worth(b).total_cmp(&worth(a)).then_with(|| a.0.cmp(b.0))
    });
    let firsts =
        dresses.iter().filter(|dress| !dress.look.is_empty() || !dress.look_narrow.is_empty()).count();
    let mut left = ((MOST_CLASSES * dresses.len() as f32) as usize).saturating_sub(firsts);
    let mut shared = BTreeSet::new();
    for (place, _, uses) in savings {
        if uses <= left {
            left -= uses;
            shared.insert(place);
        }
    }
    shared
}
