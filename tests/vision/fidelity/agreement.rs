//! The numbers are those of an independent implementation.

use super::numbers::{Expected, disagreements};
use super::page::Page;
use crate::files::fixture;

#[test]
fn every_number_agrees_with_an_independent_implementation() {
    let expected: Expected = serde_json::from_slice(&fixture("pages/agreement.json")).unwrap();
    assert_eq!(expected.len(), 6);
    let wrong: Vec<String> = expected
        .keys()
        .flat_map(|name| {
            let page =
                Page::of(&fixture(&format!("pages/{name}.json")), &fixture(&format!("pages/{name}.png")));
            disagreements(&page, name, &expected).0
        })
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}
