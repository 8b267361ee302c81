//! Elements whose text runs over other lines than in the screenshot: what they say is compared as a whole.

use std::collections::HashMap;

use rapidfuzz::distance::indel;

use crate::fidelity::geometry::{Area, Line};
use crate::fidelity::matching::Pairing;

/// Least similarity of one text on other lines.
const SAME_TEXT: f64 = 0.6;

/// An element's text on both sides.
pub(super) struct Wrap {
    /// Indices of the reference's lines.
    pub(super) reference: Vec<usize>,
    /// Indices of the page's lines.
    pub(super) page: Vec<usize>,
    /// Similarity of all that is said.
    pub(super) similarity: f64,
    /// Where it should stand.
    pub(super) wanted: Area,
    /// Where it stands.
    pub(super) shown: Area,
}

/// Every element whose text is cut into lines elsewhere.
pub(super) fn wraps(pairing: &Pairing) -> Vec<Wrap> {
    let (wanted, shown) = (&pairing.reference, &pairing.page);
    let partner: HashMap<usize, usize> =
        pairing.pairs.iter().map(|pair| (pair.page, pair.reference)).collect();
    let mut is_free = vec![true; wanted.len()];
    partner.values().for_each(|at| is_free[*at] = false);
    let mut elements: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in shown.iter().enumerate() {
        if let Some(selector) = line.selector.as_deref() {
            elements.entry(selector).or_default().push(at);
        }
    }
    let mut elements: Vec<(&str, Vec<usize>)> = elements.into_iter().collect();
    elements.sort_by_key(|(_, lines)| lines.first().copied());
    elements
        .into_iter()
        .filter_map(|(selector, page)| {
            let mut reference: Vec<usize> = page.iter().filter_map(|at| partner.get(at).copied()).collect();
            let there = around(wanted, &reference)?;
            let all = said(shown, &page);
            let belongs = |at: &usize| {
                let line = &wanted[*at];
                let is_near =
                    line.y <= there.bottom() + 2.0 * line.h && line.area().bottom() >= there.y - 2.0 * line.h;
                is_free[*at]
                    && (line.selector.as_deref() == Some(selector)
                        || (is_near
                            && line.selector.is_none()
                            && line.text.len() > 2
                            && all.contains(&line.text)))
            };
            reference.extend((0..wanted.len()).filter(belongs).collect::<Vec<_>>());
            reference.sort_by(|a, b| {
                let (a, b) = (&wanted[*a], &wanted[*b]);
                (a.y / a.h.max(1.0))
                    .round()
                    .total_cmp(&(b.y / a.h.max(1.0)).round())
                    .then(a.x.total_cmp(&b.x))
            });
            if (reference.len(), page.len()) == (1, 1) {
                return None;
            }
            let is_whole = reference.len() == page.len()
                && reference.iter().zip(&page).all(|(a, b)| wanted[*a].text == shown[*b].text);
            let similarity = indel::normalized_similarity(said(wanted, &reference).chars(), all.chars());
            let (wanted, shown) = (around(wanted, &reference)?, around(shown, &page)?);
            (!is_whole && similarity >= SAME_TEXT).then_some(Wrap {
                reference,
                page,
                similarity,
                wanted,
                shown,
            })
        })
        .collect()
}

/// What some lines say together.
pub(super) fn said(lines: &[Line], some: &[usize]) -> String {
    some.iter().map(|at| lines[*at].text.as_str()).collect::<Vec<_>>().join(" ")
}

fn around(lines: &[Line], some: &[usize]) -> Option<Area> {
    some.iter().map(|at| lines[*at].area()).reduce(Area::united)
}
