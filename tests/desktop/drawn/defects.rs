//! Known defects done to pages that nobody here wrote: how often the first reason names them, and whether the score
//! falls the more the stronger they are.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::Write;
use std::sync::Arc;

use facsimile_studio::camera::Camera;
use facsimile_testkit::defects::{DEFECTS, Deed, Defect, Target, Trial, verdict};
use facsimile_testkit::templates::{TemplateDocument, documents};
use facsimile_vision::fidelity::{Area, Geometry, Reading, measure};

use super::damage::targets;
use super::page::Page;
use super::pages::{drawn, kept_as, kept_in};
use super::parallel::in_parallel;

/// A page needs this many lines of text: others are empty without their scripts, or say only that they are gone.
const LEAST_LINES: usize = 8;
/// Pages that fill every window they are shown in become as high as the camera lets them.
const MOST_HIGH_PX: u32 = 7000;
/// So many pages are tried.
const PAGES: usize = 30;
/// Two areas that share this much of what they cover are one to the eye.
const SAME_PLACE: f64 = 0.9;
/// Set where every defect is done to every page.
const EVERY: &str = "FACSIMILE_DRAWN_EVERY";

/// A page and the defects that can be done to it.
struct Subject {
    document: TemplateDocument,
    page: Page,
    kinds: Vec<usize>,
}

/// Tries defects on pages and says how it went.
pub fn try_all(camera: &Arc<dyn Camera>) {
    let trials = tried(camera, std::env::var_os(EVERY).is_some());
    let verdict = verdict(&trials);
    let names: BTreeSet<_> =
        trials.iter().map(|trial| trial.name.rsplit(' ').next().unwrap().to_owned()).collect();
    for line in verdict.wrong.iter().chain(&verdict.rising) {
        println!("{line}");
    }
    println!(
        "{} of {} first reasons were right ({:.3}); the score did not fall in {} of {} trials",
        verdict.right,
        verdict.asked,
        verdict.share(),
        verdict.rising.len(),
        trials.len()
    );
    assert_eq!(names.len(), DEFECTS.len(), "a kind of defect had no turn: {names:?}");
}

fn tried(camera: &Arc<dyn Camera>, is_everything: bool) -> Vec<Trial> {
    let subjects = subjects(camera);
    assert_eq!(subjects.len(), PAGES, "there are fewer pages than are to be tried");
    let plan = if is_everything { everything(&subjects) } else { share(&subjects) };
    in_parallel(plan, |(at, kind)| trial(camera.as_ref(), &subjects[at], &DEFECTS[kind], kind))
}

/// The pages that look the same twice, spread over the packages.
fn subjects(camera: &Arc<dyn Camera>) -> Vec<Subject> {
    let mut of_package: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<(usize, TemplateDocument)> = documents()
        .into_iter()
        .map(|document| {
            let nth = of_package.entry(document.package.clone()).or_default();
            *nth += 1;
            (*nth, document)
        })
        .collect();
    // The first page of every package, then the second …
    all.sort_by_key(|(nth, _)| *nth);
    let look = |document: TemplateDocument| {
        let page =
            drawn(camera.as_ref(), &document, "").ok().filter(|page| page.pixels.height() <= MOST_HIGH_PX)?;
        let again = drawn(camera.as_ref(), &document, "/* again */").ok()?;
        let is_steady = measure(page.side(), again.side(), Reading::Dom).score == 100.0;
        let kinds = (0..DEFECTS.len()).filter(|kind| !fit(&page, &DEFECTS[*kind]).is_empty()).collect();
        (is_steady && page.geometry.texts.len() >= LEAST_LINES).then_some(Subject { document, page, kinds })
    };
    let mut found = Vec::new();
    let mut rest = all.into_iter().map(|(_, document)| document);
    while found.len() < PAGES {
        let some: Vec<_> = rest.by_ref().take(PAGES - found.len()).collect();
        if some.is_empty() {
            break;
        }
        found.extend(in_parallel(some, look));
    }
    found
}

/// Every defect that can be done to every page, one after the other on each.
fn everything(subjects: &[Subject]) -> Vec<(usize, usize)> {
    (0..DEFECTS.len())
        .flat_map(|turn| {
            subjects.iter().enumerate().filter_map(move |(at, subject)| {
                let kind = (at + turn) % DEFECTS.len();
                subject.kinds.contains(&kind).then_some((at, kind))
            })
        })
        .collect()
}

/// One defect for each page: the one that was tried least so far, rare ones first.
fn share(subjects: &[Subject]) -> Vec<(usize, usize)> {
    let pages_of = |kind: &usize| subjects.iter().filter(|subject| subject.kinds.contains(kind)).count();
    let mut turns = vec![0; DEFECTS.len()];
    let mut plan = Vec::new();
    for (at, subject) in subjects.iter().enumerate() {
        let next = subject.kinds.iter().copied().min_by_key(|kind| (turns[*kind], pages_of(kind), *kind));
        if let Some(kind) = next {
            turns[kind] += 1;
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
fn trial(camera: &dyn Camera, subject: &Subject, defect: &Defect, seed: usize) -> Option<Trial> {
    let Subject { document, page, .. } = subject;
    let found = fit(page, defect);
    let first = found.len() / 2 + seed * 7;
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

/// The script that does a defect, and the elements of which one is to be named.
fn done(page: &Page, defect: &Defect, chosen: &[usize], strength: f64) -> (String, Vec<String>) {
    let Geometry { texts, boxes, .. } = &page.geometry;
    let is_text = defect.target == Target::Text;
    let selector = |at: &usize| {
        if is_text { texts[*at].selector.clone() } else { boxes[*at].selector.clone() }.unwrap_or_default()
    };
    let size = |at: &usize| if is_text { texts[*at].w * texts[*at].h } else { boxes[*at].w * boxes[*at].h };
    let first = selector(&chosen[0]);
    let element = format!("const it = document.querySelector({});", serde_json::json!(first));
    let script = match defect.deed {
        Deed::Style(style) if defect.kind == "moved" => {
            let axis = if style.contains("top") { "top" } else { "left" };
            // What stands somewhere already goes on from there.
            format!(
                "{element} const was = getComputedStyle(it); \
                 const at = was.position === 'static' ? 0 : parseFloat(was.{axis}) || 0; \
                 if (was.position === 'static') it.style.setProperty('position', 'relative', 'important'); \
                 it.style.setProperty('{axis}', (at + {strength}) + 'px', 'important');"
            )
        }
        // Padding makes no box larger that has a size of its own.
        Deed::Style(_) if defect.kind == "resized" => {
            let side = if defect.name.ends_with("wider") { "width" } else { "height" };
            format!(
                "{element} const size = it.getBoundingClientRect().{side} + {strength}; \
                 it.style.setProperty('box-sizing', 'border-box', 'important'); \
                 it.style.setProperty('max-{side}', 'none', 'important'); \
                 it.style.setProperty('min-{side}', size + 'px', 'important');"
            )
        }
        Deed::Style(style) => {
            let (name, value) = style.split_once(": ").unwrap();
            let value = value.replace('$', &strength.to_string());
            format!("{element} it.style.setProperty('{name}', '{value}', 'important');")
        }
        Deed::Scale => format!(
            "{element} const size = parseFloat(getComputedStyle(it).fontSize) * {strength}; \
             it.style.setProperty('font-size', size + 'px', 'important');"
        ),
        Deed::Reword => format!(
            "{element} const walker = document.createTreeWalker(it, NodeFilter.SHOW_TEXT); \
             let left = Math.ceil(it.textContent.trim().length * {strength}); \
             for (let node; left > 0 && (node = walker.nextNode()); ) \
               node.data = node.data.replace(/\\S| (?=\\S)/g, (letter) => (left-- > 0 ? '#' : letter));"
        ),
        Deed::Redden => {
            let property = match defect.target {
                Target::Text => "color",
                Target::Bordered => "border-color",
                _ => "background-color",
            };
            let fill = boxes.get(chosen[0]).and_then(|painted| painted.bg).unwrap_or_default();
            let from = match defect.target {
                Target::Text => texts[chosen[0]].color.map(f64::from),
                Target::Bordered => boxes[chosen[0]].bc.map(f64::from),
                _ => [fill[0], fill[1], fill[2]],
            };
            let red = [225.0, 29.0, 72.0];
            let [r, g, b] = [0, 1, 2].map(|at| (from[at] * (1.0 - strength) + red[at] * strength).round());
            format!("{element} it.style.setProperty('{property}', 'rgb({r}, {g}, {b})', 'important');")
        }
        Deed::Blend => format!(
            "{element} it.style.setProperty('filter', 'invert(' + {strength} + ') hue-rotate(90deg)', 'important');"
        ),
        Deed::Remove => {
            let mut gone = chosen.to_vec();
            gone.sort_by(|a, b| size(b).total_cmp(&size(a)));
            gone.dedup();
            let gone: Vec<String> = gone.iter().take(strength as usize).map(selector).collect();
            let hides = "e.style.setProperty('visibility', 'hidden', 'important')";
            let all = serde_json::json!(gone);
            let script = format!(
                "for (const gone of {all}) for (const e of [document.querySelector(gone), \
                 ...document.querySelectorAll(gone + ' *')]) {hides};"
            );
            return (script, gone);
        }
        Deed::Insert => {
            let count = strength as usize;
            let script = (0..count).map(|at| inserted(at, is_text)).collect();
            return (script, (0..count).map(|at| format!("#new-{at}")).collect());
        }
    };
    (script, same_place(page, &first))
}

/// An element, and those within it or around it that are painted in the same place: nobody can tell them apart.
fn same_place(page: &Page, element: &str) -> Vec<String> {
    let Geometry { texts, boxes, .. } = &page.geometry;
    let lines = texts.iter().map(|line| (line.selector.as_deref(), line.area()));
    let all: Vec<(&str, Area)> = lines
        .chain(boxes.iter().map(|painted| (painted.selector.as_deref(), painted.area())))
        .filter_map(|(selector, area)| Some((selector?, area)))
        .collect();
    let own = all.iter().rev().find(|(selector, _)| *selector == element).map(|(_, area)| *area);
    let is_related = |other: &str| {
        other.starts_with(&format!("{element} > ")) || element.starts_with(&format!("{other} > "))
    };
    let is_same = |area: Area, own: Area| {
        let across = area.right().min(own.right()) - area.x.max(own.x);
        let down = area.bottom().min(own.bottom()) - area.y.max(own.y);
        let both = across.max(0.0) * down.max(0.0);
        both >= SAME_PLACE * (area.w * area.h + own.w * own.h - both)
    };
    let others = all
        .iter()
        .filter(|(selector, area)| is_related(selector) && own.is_some_and(|own| is_same(*area, own)));
    std::iter::once(element.to_owned()).chain(others.map(|(selector, _)| (*selector).to_owned())).collect()
}

fn inserted(at: usize, is_text: bool) -> String {
    let style = if is_text {
        let words = ["Completely new words here", "Another sentence", "One more"][at];
        let place = format!("left:30px;top:{}px;font:24px/30px Every", 40 + 60 * at);
        (words, format!("{place};color:rgb(20,20,20);margin:0;padding:0;white-space:nowrap"))
    } else {
        let (left, top) = (24 + 8 * at, 60 + 110 * at);
        let (width, height) = (180 - 40 * at, 90 - 20 * at);
        (
            "",
            format!("left:{left}px;top:{top}px;width:{width}px;height:{height}px;background:rgb(200,40,160)"),
        )
    };
    format!(
        "{{ const one = document.createElement('{tag}'); one.id = 'new-{at}'; one.textContent = '{words}'; \
         one.setAttribute('style', 'position:absolute;z-index:2147483647;{style}'); document.body.append(one); }}",
        tag = if is_text { "p" } else { "aside" },
        words = style.0,
        style = style.1,
    )
}
