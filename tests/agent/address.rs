//! Elements of real and made-up pages: found where a browser has them, changed without touching another byte.

mod browser;
mod changes;
mod dice;
mod made_up;
mod spots;

use std::collections::BTreeSet;

use facsimile_agent::project::address::{ChangeRefused, Element, Outline};
use facsimile_testkit::templates;

use browser::annotated;
use changes::{decides_place, differences, random_change};
use dice::Dice;

/// Together with the pages of the template packages.
const DOCUMENTS: usize = 500;
const TRIES: usize = 6;

fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<_> = templates::documents()
        .into_iter()
        .map(|document| (document.name(), String::from_utf8(document.bytes).unwrap()))
        .collect();
    pages.extend(spots::documents());
    let made_up = DOCUMENTS - pages.len();
    pages.extend((0..made_up as u64).map(|seed| (format!("seed {seed}"), made_up::page(seed))));
    pages
}

// S-69
#[test]
fn the_documents_are_by_many_hands_and_hold_everything_that_is_odd() {
    let packages: BTreeSet<_> = templates::documents().into_iter().map(|document| document.package).collect();
    assert!(packages.len() >= 10, "{packages:?}");
    let pages = pages();
    let odd = [
        "@media (min-width: 1px) { @supports",
        "<!--[if lt IE 9]>",
        "<svg",
        "<math",
        "<template",
        "<textarea",
        "\u{feff}",
        "\r\n",
        "<![CDATA[",
        "data-a=\"1\" data-a='2'",
        "<P",
    ];
    let rare: Vec<_> = odd
        .into_iter()
        .filter(|odd| pages.iter().filter(|(_, page)| page.contains(odd)).count() < 10)
        .collect();
    assert_eq!((pages.len(), rare), (DOCUMENTS, vec![]));
}

/// Makes a few changes of a page, each on its own, and looks at every byte. Gives how many were made.
fn change_and_undo(name: &str, page: &str, dice: &mut Dice) -> usize {
    let outline = Outline::of(page);
    let elements: Vec<_> = outline.elements().collect();
    let mut made = 0;
    for _ in 0..TRIES.min(elements.len()) {
        let element = &elements[dice.below(elements.len())];
        let change = random_change(element, page, dice);
        if decides_place(element, &change) {
            continue;
        }
        let told = format!("{name}: {change:?} of {:?}", element.start_tag());
        let patch = match outline.patch(&element.pick(), &change) {
            Ok(patch) => patch,
            Err(ChangeRefused::OtherVersion | ChangeRefused::NoElement { .. }) => {
                panic!("{told} found nothing")
            }
            Err(_) => continue,
        };
        // What stands before <body> or behind </body> is in the body all the same.
        let own = match element.tag() {
            "html" | "body" => 0..page.len(),
            _ => element.start_tag().start + 1..element.content().end,
        };
        assert!(own.start <= patch.range.start && patch.range.end <= own.end, "{told}: {:?}", patch.range);
        let patched = patch.apply(page).unwrap();
        assert_eq!(
            (&patched.source[..patch.range.start], &patched.source[patched.undo.range.end..]),
            (&page[..patch.range.start], &page[patch.range.end..]),
            "{told}"
        );
        assert_eq!(&patched.undo.apply(&patched.source).unwrap().source, page, "{told}");
        assert_eq!(
            differences(element, page, &change, &patched.source),
            Vec::<String>::new(),
            "{told}\n{page}"
        );
        made += 1;
    }
    made
}

// S-69
#[test]
fn a_change_touches_one_element_and_its_undo_gives_every_byte_back() {
    let pages = pages();
    let made: usize = pages
        .iter()
        .enumerate()
        .map(|(number, (name, page))| change_and_undo(name, page, &mut Dice::new(number as u64)))
        .sum();
    assert_eq!(pages.len(), DOCUMENTS);
    assert!(made >= 4 * DOCUMENTS, "only {made} changes were made");
}

// S-69
#[test]
fn every_element_of_an_odd_page_can_be_changed_without_touching_another() {
    for (name, page) in spots::documents() {
        let mut dice = Dice::new(page.len() as u64);
        let rounds = if page.len() > 10_000 { 1 } else { 10 };
        let made: usize = (0..rounds).map(|_| change_and_undo(&name, &page, &mut dice)).sum();
        assert!(made > 0 || Outline::of(&page).elements().count() == 0, "{name}");
    }
}

#[test]
fn a_page_with_holes_is_changed_as_carefully() {
    for seed in 1_000..1_200 {
        let page = made_up::broken_page(seed);
        change_and_undo(&format!("seed {seed}"), &page, &mut Dice::new(seed));
    }
}

/// Where another reader of pages sees other elements, or sees them in others.
fn seen_otherwise(name: &str, page: &str) -> Vec<String> {
    let outline = Outline::of(page);
    let (mut seen, strangers) = browser::elements(&annotated(&outline, page));
    let ours: Vec<_> = outline
        .elements()
        .map(|element| {
            (
                element.start_tag().start,
                element.tag().to_owned(),
                element.parent().map(|p| p.start_tag().start),
            )
        })
        .collect();
    let mut wrong: Vec<_> =
        strangers.iter().map(|tag| format!("{name}: {tag} has no address\n{page}")).collect();
    if ours.len() < seen.len() {
        // Where tags cross, a browser has copies of an element, one beside the other, that share its address.
        seen.retain(|element| ours.contains(element) || ours.iter().all(|(at, ..)| *at != element.0));
        seen.dedup();
    }
    if ours != seen {
        let at = ours.iter().zip(&seen).find(|(ours, seen)| ours != seen);
        wrong.push(format!("{name}: {at:?} of {} and {}\n{page}", ours.len(), seen.len()));
    }
    wrong
}

// S-69
#[test]
fn another_reader_of_pages_finds_the_same_elements_at_the_same_places() {
    let wrong: Vec<_> = pages().iter().flat_map(|(name, page)| seen_otherwise(name, page)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The whole selector of a path: without another beginning it is read from the body.
fn selector(path: &str) -> String {
    let first = path.split(' ').next().unwrap_or_default();
    let is_whole = first.starts_with('#') || ["html", "head", "body"].contains(&first);
    if is_whole { path.to_owned() } else { format!("body > {path}") }
}

/// Where another reader does not find a described element by its path, or reads something else in it.
fn read_otherwise(name: &str, page: &str, dice: &mut Dice) -> Vec<String> {
    let outline = Outline::of(page);
    let copy = annotated(&outline, page);
    if browser::elements(&copy).0.len() > outline.elements().count() {
        // Where tags cross, an element is in several places.
        return Vec::new();
    }
    let document = browser::document(&copy);
    let reads = |document: &_, element: &Element<'_>, why: &str| {
        let told = element.describe();
        let found = browser::found(document, &selector(&told.path));
        let expected = [(Some(told.pick.at), browser::said(&told))];
        let is_same = found == expected;
        (!is_same).then(|| format!("{name}: {}{why}: {expected:?} reads {found:?}", told.path))
    };
    let elements: Vec<_> = outline.elements().filter(|element| !browser::is_out_of_reach(element)).collect();
    let mut wrong: Vec<_> = (0..4.min(elements.len()))
        .filter_map(|_| reads(&document, &elements[dice.below(elements.len())], ""))
        .collect();
    let Some(element) = elements.get(dice.below(elements.len())) else { return wrong };
    let change = random_change(element, page, dice);
    let Ok(patch) = outline.patch(&element.pick(), &change) else { return wrong };
    if !decides_place(element, &change) {
        let new = patch.apply(page).unwrap().source;
        let outline = Outline::of(&new);
        let changed = outline.elements().find(|other| other.start_tag().start == element.start_tag().start);
        let document = browser::document(&annotated(&outline, &new));
        wrong.extend(reads(&document, &changed.unwrap(), &format!(" after {change:?}")));
    }
    wrong
}

// S-69
#[test]
fn another_reader_finds_a_described_element_and_reads_the_same_in_it_also_after_a_change() {
    let wrong: Vec<_> = pages()
        .iter()
        .enumerate()
        .flat_map(|(number, (name, page))| read_otherwise(name, page, &mut Dice::new(number as u64)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn half_a_page_has_an_outline_wherever_it_is_cut() {
    for seed in 0..40 {
        let page = made_up::page(seed);
        for (cut, _) in page.char_indices().step_by(7) {
            let part = &page[..cut];
            let outline = Outline::of(part);
            let ends = outline.elements().map(|element| element.content().end).max().unwrap_or(0);
            assert!(ends <= part.len(), "seed {seed} cut at {cut}");
        }
    }
}

#[test]
fn a_page_of_nothing_but_open_tags_takes_no_time_to_speak_of() {
    let deep = "<div><p><button>".repeat(20_000);
    let elements = Outline::of(&deep).elements().count();
    assert_eq!(elements, 60_000);
}
