//! Changes made by chance, and whether they came out as they were meant.

use facsimile_agent::project::address::{Change, Description, Element, Outline, WhichText};

use super::dice::Dice;

const TEXTS: [&str; 7] =
    ["New", "a < b & c > d", "\"quoted\" and 'so'", "über 50 %\u{a0}€", "two\nlines", "&amp; &copy;", "x"];
const VALUES: [&str; 8] = ["v", "two words", "\"", "it's", "a=b&c=d", "", "<b>", "x/"];
const STYLES: [(&str, &str); 5] = [
    ("color", "rgb(1, 2, 3)"),
    ("font-family", "\"Open Sans\", 'x;y'"),
    ("--gap", "4px"),
    ("background", "url(data:a;b) no-repeat"),
    ("margin", "0 !important"),
];

/// A change that some element can take.
pub fn random_change(element: &Element<'_>, page: &str, dice: &mut Dice) -> Change {
    let held = element.attributes();
    let a_name = |dice: &mut Dice| match held {
        [] => "title".to_owned(),
        held => page[dice.pick(held).name.clone()].to_owned(),
    };
    let said = element.describe();
    match dice.below(8) {
        0 => Change::SetAttribute { name: a_name(dice), value: dice.pick(&VALUES).to_string() },
        1 => Change::SetAttribute { name: "data-new".into(), value: dice.pick(&VALUES).to_string() },
        2 if !held.is_empty() => Change::RemoveAttribute { name: a_name(dice) },
        3 => Change::AddClass { name: dice.pick(&["fresh", "p-2", "md:w-1/2"]).to_string() },
        4 if !said.classes.is_empty() => Change::RemoveClass { name: dice.pick(&said.classes).clone() },
        5 if !said.style.is_empty() => Change::RemoveStyle { property: dice.pick(&said.style).0.clone() },
        6 if !said.texts.is_empty() => {
            let which = WhichText::Number(dice.below(said.texts.len()));
            Change::Text { which, text: dice.pick(&TEXTS).to_string() }
        }
        7 if !said.has_elements => {
            Change::Text { which: WhichText::Whole, text: dice.pick(&TEXTS).to_string() }
        }
        _ => {
            let (property, value) = *dice.pick(&STYLES);
            Change::SetStyle { property: property.to_owned(), value: value.to_owned() }
        }
    }
}

/// Whether a browser puts the element elsewhere because of what is changed.
pub fn decides_place(element: &Element<'_>, change: &Change) -> bool {
    let (Change::SetAttribute { name, .. } | Change::RemoveAttribute { name }) = change else { return false };
    let names: &[&str] = match element.tag() {
        "font" => &["color", "face", "size"],
        "annotation-xml" => &["encoding"],
        "input" => &["type"],
        _ => &[],
    };
    names.iter().any(|held| held.eq_ignore_ascii_case(name))
}

/// What is otherwise in the new page than the change meant.
pub fn differences(element: &Element<'_>, page: &str, change: &Change, new: &str) -> Vec<String> {
    let (old_outline, new_outline) = (Outline::of(page), Outline::of(new));
    let own = element.start_tag().start;
    let mut wrong = Vec::new();
    if old_outline.elements().count() != new_outline.elements().count() {
        wrong.push("another number of elements".to_owned());
    }
    for (old, changed) in old_outline.elements().zip(new_outline.elements()) {
        if old.start_tag().start == own {
            let (old, changed) = (old.describe(), changed.describe());
            if expected(old.clone(), change) != told(changed.clone()) {
                wrong.push(format!("{old:?} became {changed:?}"));
            }
        } else if written(&old, page) != written(&changed, new) {
            wrong.push(format!("beside it {:?} became {:?}", written(&old, page), written(&changed, new)));
        }
    }
    wrong
}

/// An element as it is written, without what it holds.
fn written<'p>(element: &Element<'_>, page: &'p str) -> (&'p str, Vec<&'p str>, Option<&'p str>) {
    let texts = element.texts().map(|range| page[range].trim_ascii()).collect();
    (&page[element.start_tag()], texts, element.end_tag().map(|range| &page[range]))
}

/// What counts of a description: attributes by name, style and classes apart, texts.
type Told = (String, Vec<(String, String)>, Vec<String>, Vec<(String, String)>, Vec<String>);

fn told(said: Description) -> Told {
    let mut attributes: Vec<_> = said
        .attributes
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .filter(|(name, _)| !matches!(name.as_str(), "class" | "style"))
        .collect();
    attributes.sort();
    (said.tag, attributes, said.classes, said.style, said.texts)
}

fn is<'a>(name: &'a str) -> impl Fn(&(String, String)) -> bool + 'a {
    move |(held, _)| held.eq_ignore_ascii_case(name)
}

/// A description after a change, worked out without the page.
fn expected(said: Description, change: &Change) -> Told {
    let (tag, mut attributes, mut classes, mut style, mut texts) = told(said);
    match change {
        Change::Text { which, text } => {
            let number = if let WhichText::Number(number) = which { *number } else { 0 };
            let text = text.trim_ascii().to_owned();
            match texts.get_mut(number) {
                Some(held) => *held = text,
                None => texts.push(text),
            }
        }
        Change::SetAttribute { name, value } if name.eq_ignore_ascii_case("class") => {
            classes = value.split_ascii_whitespace().map(str::to_owned).collect();
        }
        Change::SetAttribute { name, value } if name.eq_ignore_ascii_case("style") => {
            style =
                value.split_once(':').map(|(name, value)| (name.into(), value.into())).into_iter().collect();
        }
        Change::SetAttribute { name, value } => {
            attributes.retain(|held| !is(name)(held));
            attributes.push((name.to_ascii_lowercase(), value.clone()));
            attributes.sort();
        }
        Change::RemoveAttribute { name } => {
            attributes.retain(|held| !is(name)(held));
            match name.to_ascii_lowercase().as_str() {
                "class" => classes.clear(),
                "style" => style.clear(),
                _ => {}
            }
        }
        Change::AddClass { name } => classes.push(name.clone()),
        Change::RemoveClass { name } => classes.retain(|held| held != name),
        Change::SetStyle { property, value } => match style.iter().rposition(is(property)) {
            Some(place) => style[place].1 = value.clone(),
            None => style.push((property.clone(), value.clone())),
        },
        Change::RemoveStyle { property } => style.retain(|held| !is(property)(held)),
    }
    (tag, attributes, classes, style, texts)
}
