use facsimile_agent::{AgentEvent, EventId, ProjectPath, RunId, VariantIndex};
use facsimile_studio::preview::annotate::{Pass, annotated};
use facsimile_studio::preview::{PreviewSource, PreviewText, PreviewWhole};
use facsimile_studio::{RunEvent, RunEventBody};
use proptest::prelude::*;
use serde_json::json;

use super::Shelf;

const PAGE: &str = "<!doctype html><html><body class=\"a\"><p>ü🙂</p><script>1 < 2</script></body></html>\n";

fn written(run: RunId, seq: u64, base: usize, text: &str) -> RunEvent {
    let event_id = EventId::fresh("tool", VariantIndex(0));
    let code = AgentEvent::SetCode { event_id, path: ProjectPath::index(), base, text: text.to_owned() };
    RunEvent { run_id: run, variant_index: Some(VariantIndex(0)), seq, body: RunEventBody::Agent(code) }
}

fn whole(source: &PreviewSource, run: RunId) -> Option<PreviewWhole> {
    source.whole_text(run, VariantIndex(0), &ProjectPath::index())
}

/// What a window holds after these pieces, by its own rule.
fn folded(pieces: &[PreviewText]) -> String {
    pieces.iter().fold(String::new(), |held, piece| {
        assert!(piece.base == 0 || piece.base == held.encode_utf16().count());
        if piece.base == 0 { piece.text.clone() } else { held + &piece.text }
    })
}

#[test]
fn a_piece_has_the_form_that_the_window_reads() {
    let (source, run) = Shelf::of(&[]).source();
    let piece = source.text_of(&written(run, 1, 0, "<p>x")).unwrap();
    assert_eq!(
        serde_json::to_value(piece).unwrap(),
        json!({"runId": run, "variantIndex": 0, "path": "index.html", "base": 0, "text": "<p data-fx=\"0\">x"})
    );
    assert_eq!(
        serde_json::to_value(whole(&source, run)).unwrap(),
        json!({"text": "<p data-fx=\"0\">x", "length": 16})
    );
}

#[test]
fn a_page_that_is_no_longer_written_is_read_from_its_file() {
    let (source, run) = Shelf::of(&[("index.html", PAGE), ("a.css", "p{}")]).source();
    assert_eq!(whole(&source, run).map(|whole| whole.text), Some(annotated(PAGE, &Pass::default())));
    let css = ProjectPath::parse("a.css").unwrap();
    assert_eq!(source.whole_text(run, VariantIndex(0), &css), None);
    assert_eq!(whole(&source, RunId::fresh()), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_and_whole_agree_at_every_moment(cuts in prop::collection::vec(0..PAGE.len(), 0..10), twice in any::<bool>()) {
        let (source, run) = Shelf::of(&[]).source();
        let mut ends: Vec<_> = cuts.into_iter().filter(|at| PAGE.is_char_boundary(*at)).collect();
        ends.push(PAGE.len());
        ends.sort_unstable();
        let (mut seq, mut pieces) = (0, Vec::new());
        for _ in 0..=u8::from(twice) {
            let mut start = 0;
            for end in &ends {
                seq += 1;
                let event = written(run, seq, start, &PAGE[start..*end]);
                pieces.extend(source.text_of(&event));
                prop_assert_eq!(source.text_of(&event), None);
                start = *end;
                let whole = whole(&source, run).unwrap();
                if !whole.text.is_empty() {
                    prop_assert_eq!(&whole.text, &folded(&pieces));
                }
                prop_assert_eq!(whole.length, whole.text.encode_utf16().count());
            }
        }
        prop_assert_eq!(folded(&pieces), annotated(PAGE, &Pass::default()));
    }
}
