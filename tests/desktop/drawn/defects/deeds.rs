//! What is done to a drawn page: scripts.

use facsimile_testkit::defects::{Deed, Defect, Target};
use facsimile_vision::fidelity::{Area, Geometry};

use super::super::page::Page;

/// Two areas that share this much of what they cover are one to the eye.
const SAME_PLACE: f64 = 0.9;

/// The script that does a defect, and the elements of which one is to be named.
pub fn done(page: &Page, defect: &Defect, chosen: &[usize], strength: f64) -> (String, Vec<String>) {
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
        Deed::Thicken => format!(
            "{element} it.style.setProperty('font-weight', '900', 'important'); \
             it.style.setProperty('-webkit-text-stroke', '{strength}px currentcolor', 'important');"
        ),
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
