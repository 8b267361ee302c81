//! Known defects done to pages that nobody here wrote: how often the first reason names them, and whether the score
//! falls the more the stronger they are.

mod deeds;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::sync::Arc;

use facsimile_studio::camera::Camera;
use facsimile_testkit::defects::{DEFECTS, Deed, Defect, Target, Trial, verdict};
use facsimile_testkit::templates::{TemplateDocument, documents};
use facsimile_vision::fidelity::{Geometry, Reading, measure};

use deeds::done;

use super::damage::targets;
use super::page::Page;
use super::pages::{drawn, kept_as, kept_in};
use super::parallel::in_parallel;

/// The pages that are tried, and the seed that chooses their elements. They look the same whenever they are drawn
/// (nothing on them draws itself), have text without help from elsewhere, and end somewhere.
const SUBJECTS: &str = include_str!("defects/subjects.json");
/// The usual run tries only these: they are drawn fast, and each kind of defect can be done to one of them.
const USUAL: [&str; 5] = [
    "startbootstrap-modern-business/dist/about.html",
    "startbootstrap-modern-business/dist/blog-home.html",
    "startbootstrap-modern-business/dist/contact.html",
    "startbootstrap-sb-admin-2/buttons.html",
    "startbootstrap-sb-admin-2/cards.html",
];
/// So many pages are tried in all.
const PAGES: usize = 30;
/// Share of first reasons that are right.
const LEAST_SHARE: f64 = 0.9;
/// A page and the defects that can be done to it.
struct Subject {
    document: TemplateDocument,
    page: Page,
    seed: usize,
    kinds: Vec<usize>,
}

/// Does every kind of defect once.
pub fn try_some(camera: &Arc<dyn Camera>) {
    let subjects = subjects(camera, |name| USUAL.contains(&name));
    judge(camera, &subjects, once(&subjects));
}

/// Does every defect to every page.
pub fn try_all(camera: &Arc<dyn Camera>) {
    let subjects = subjects(camera, |_| true);
    assert_eq!(subjects.len(), PAGES, "pages of the list are not installed");
    let of_kinds = judge(camera, &subjects, everything(&subjects));
    let level: Vec<_> = of_kinds.iter().filter(|(_, trials)| !verdict(trials).falls()).collect();
    assert!(level.is_empty(), "over all pages the score does not fall: {level:?}");
}

/// Tries what is planned, says how it went, asks for enough right reasons and falling scores, and gives the trials of
/// each kind.
fn judge(
    camera: &Arc<dyn Camera>,
    subjects: &[Subject],
    plan: Vec<(usize, usize)>,
) -> BTreeMap<String, Vec<Trial>> {
    let trials = in_parallel(plan, |(at, kind)| trial(camera.as_ref(), &subjects[at], kind));
    let all = verdict(&trials);
    for line in all.wrong.iter().chain(&all.rising) {
        println!("{line}");
    }
    let mut of_kinds: BTreeMap<String, Vec<Trial>> = BTreeMap::new();
    for trial in &trials {
        let kind = trial.name.rsplit(' ').next().unwrap_or_default();
        of_kinds.entry(kind.to_owned()).or_default().push(trial.clone());
    }
    for (kind, trials) in &of_kinds {
        let of_kind = verdict(trials);
        let [weak, middling, strong] = of_kind.means;
        println!(
            "{kind}: {} of {}, rising {}, mean score {weak:.3} {middling:.3} {strong:.3}",
            of_kind.right,
            of_kind.asked,
            of_kind.rising.len()
        );
    }
    let (right, asked, share) = (all.right, all.asked, all.share());
    println!("{right} of {asked} first reasons were right ({share:.3})");
    println!("the score did not fall in {} of {} trials", all.rising.len(), trials.len());
    println!("it rose by {:.3} points at most", all.most_rise);
    assert_eq!(of_kinds.len(), DEFECTS.len(), "a kind of defect had no turn: {:?}", of_kinds.keys());
    assert!(share >= LEAST_SHARE, "{share:.3}");
    assert!(all.rising.is_empty(), "a stronger defect scored higher: {:?}", all.rising);
    of_kinds
}

/// Pages of the list, drawn.
fn subjects(camera: &Arc<dyn Camera>, is_wanted: impl Fn(&str) -> bool) -> Vec<Subject> {
    let seeds: BTreeMap<String, usize> = serde_json::from_str(SUBJECTS).unwrap();
    let work: Vec<(usize, TemplateDocument)> = documents()
        .into_iter()
        .filter_map(|document| Some((*seeds.get(&document.name())?, document)))
        .filter(|(_, document)| is_wanted(&document.name()))
        .collect();
    in_parallel(work, |(seed, document)| {
        let page = drawn(camera.as_ref(), &document, "").unwrap();
        let kinds = (0..DEFECTS.len()).filter(|kind| !fit(&page, &DEFECTS[*kind]).is_empty()).collect();
        Some(Subject { document, page, seed, kinds })
    })
}

/// Every defect that can be done to every page, one after the other on each.
fn everything(subjects: &[Subject]) -> Vec<(usize, usize)> {
    let turn = |turn: usize| {
        let kind_at = move |at: usize| (at + turn) % DEFECTS.len();
        let pages = subjects.iter().enumerate();
        pages.filter_map(move |(at, subject)| {
            subject.kinds.contains(&kind_at(at)).then_some((at, kind_at(at)))
        })
    };
    (0..DEFECTS.len()).flat_map(turn).collect()
}

/// Every kind of defect once, to the page that has had the fewest.
fn once(subjects: &[Subject]) -> Vec<(usize, usize)> {
    let mut turns = vec![0; subjects.len()];
    let mut plan = Vec::new();
    for kind in 0..DEFECTS.len() {
        let able = (0..subjects.len()).filter(|at| subjects[*at].kinds.contains(&kind));
        if let Some(at) = able.min_by_key(|at| turns[*at]) {
            turns[at] += 1;
            plan.push((at, kind));
        }
    }
    plan
}

/// The elements a defect can be done to: those that stand for one thing on the page alone.
fn fit(page: &Page, defect: &Defect) -> Vec<usize> {
    let Geometry { texts, boxes, .. } = &page.geometry;
    let names = texts.iter().map(|line| line.selector.as_deref());
    let names: Vec<&str> =
        names.chain(boxes.iter().map(|painted| painted.selector.as_deref())).flatten().collect();
    let holds_text = |selector: &str| names.iter().any(|name| name.starts_with(&format!("{selector} > ")));
    let is_alone = |selector: Option<&str>| {
        let of_lines = texts.iter().filter(|line| line.selector.as_deref() == selector).count();
        selector.is_some_and(|selector| of_lines == 1 && !holds_text(selector))
    };
    let found = targets(page, defect);
    let needed = if matches!(defect.deed, Deed::Remove) { 3 } else { 1 };
    let found: Vec<usize> = match defect.target {
        Target::Text => found.into_iter().filter(|at| is_alone(texts[*at].selector.as_deref())).collect(),
        _ => found.into_iter().filter(|at| boxes[*at].selector.is_some()).collect(),
    };
    if found.len() >= needed { found } else { Vec::new() }
}

/// A defect at its three strengths. One that changes no pixel, because a script of the page or a rule of its own undoes
/// it, is none.
fn trial(camera: &dyn Camera, subject: &Subject, kind: usize) -> Option<Trial> {
    let Subject { document, page, seed, .. } = subject;
    let defect = &DEFECTS[kind];
    let found = fit(page, defect);
    let first = found.len() / 2 + seed * kind;
    let chosen: Vec<usize> = (0..3).map(|at| found[(first + at) % found.len()]).collect();
    let mut scores = [0.0; 3];
    let mut is_seen = true;
    let named = [0, 1, 2].map(|at| {
        let strength = defect.strengths[at];
        let (script, wanted) = done(page, defect, &chosen, strength);
        let damaged = drawn(camera, document, &script).unwrap();
        is_seen &= damaged.pixels != page.pixels;
        let measured = measure(page.side(), damaged.side(), Reading::Dom);
        scores[at] = measured.score;
        let found = measured.reasons.first().map(|reason| {
            let kind = serde_json::to_value(reason.kind).unwrap();
            (reason.selector.clone().unwrap_or_default(), kind.as_str().unwrap().to_owned())
        });
        (wanted.into_iter().map(|element| (element, defect.kind.to_owned())).collect(), found)
    });
    if let Some(folder) = kept_in() {
        let pages: Vec<_> = [0, 1, 2]
            .iter()
            .map(|at| {
                let (script, wanted) = done(page, defect, &chosen, defect.strengths[*at]);
                (kept_as(document, &script), wanted.first().cloned(), defect.kind, wanted)
            })
            .collect();
        let line = serde_json::json!({
            "name": document.name(), "defect": defect.name, "page": kept_as(document, ""), "damaged": pages,
        });
        let mut list =
            fs::OpenOptions::new().create(true).append(true).open(folder.join("trials.jsonl")).unwrap();
        writeln!(list, "{line}").unwrap();
    }
    is_seen.then(|| Trial { name: format!("{} {}", document.name(), defect.name), scores, named })
}
