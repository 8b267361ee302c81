//! The first reason names what was done to a page.

use facsimile_testkit::defects::verdict;

use super::damage::trials;
use super::page::Page;
use crate::files::fixture;

const PAGES: [&str; 3] = ["sb2-login", "freelancer-390", "sb2-dashboard-390"];

#[test]
fn defects_are_named_first_and_cost_more_the_stronger_they_are() {
    let trials: Vec<_> = PAGES
        .iter()
        .flat_map(|name| {
            let file = |ending: &str| fixture(&format!("pages/{name}.{ending}"));
            trials(&Page::of(&file("json"), &file("png")), name)
        })
        .collect();
    let verdict = verdict(&trials);
    assert!(verdict.share() >= 0.9, "{:.3} {:#?}", verdict.share(), verdict.wrong);
    assert_eq!(verdict.rising, Vec::<String>::new());
}
