//! The copy of a growing page that the window writes into its frame.

use std::collections::HashMap;

use facsimile_agent::{AgentEvent, ProjectPath, RunId, VariantIndex};
use serde::Serialize;
use ts_rs::TS;

use super::annotate::{Pass, StreamAnnotator};
use crate::run::event::{LifecycleEvent, RunEvent, RunEventBody};

/// More of a page as its frame is to receive it. It goes to the window only, beside the recorded events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "PreviewPiece")]
pub struct PreviewText {
    /// The run.
    pub run_id: RunId,
    /// The variant.
    pub variant_index: VariantIndex,
    /// The page.
    pub path: ProjectPath,
    /// Where the text goes, in UTF-16 units; 0 begins anew.
    pub base: usize,
    /// The text.
    pub text: String,
}

/// The whole of what a frame should hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct PreviewWhole {
    /// The text.
    pub text: String,
    /// Its length in UTF-16 units.
    pub length: usize,
}

impl PreviewWhole {
    pub(crate) fn of(text: String) -> Self {
        let length = utf16_units(&text);
        Self { text, length }
    }
}

/// The pages that are growing.
#[derive(Default)]
pub(crate) struct GrowingPages {
    runs: HashMap<RunId, GrowingRun>,
}

#[derive(Default)]
struct GrowingRun {
    /// The last event that was folded.
    seq: u64,
    pages: HashMap<(VariantIndex, ProjectPath), GrowingPage>,
}

struct GrowingPage {
    annotator: StreamAnnotator,
    /// How much of the source is in.
    source_bytes: usize,
    text: String,
    text_units: usize,
}

impl GrowingPages {
    /// Folds an event; one that was folded before gives nothing. A run's end lets its pages go.
    pub(crate) fn take(&mut self, event: &RunEvent, pass: &Pass) -> Option<PreviewText> {
        let (variant, path, base, text) = match &event.body {
            RunEventBody::Lifecycle(LifecycleEvent::RunState { state, .. })
                if event.variant_index.is_none() && state.is_terminal() =>
            {
                self.runs.remove(&event.run_id);
                return None;
            }
            RunEventBody::Agent(AgentEvent::SetCode { path, base, text, .. }) if path.is_page() => {
                (event.variant_index?, path, *base, text)
            }
            _ => return None,
        };
        let run = self.runs.entry(event.run_id).or_default();
        if event.seq <= run.seq {
            return None;
        }
        run.seq = event.seq;
        let page = run.pages.entry((variant, path.clone())).or_insert_with(|| GrowingPage::new(pass));
        let (base, text) = page.take(base, text, pass)?;
        Some(PreviewText { run_id: event.run_id, variant_index: variant, path: path.clone(), base, text })
    }

    /// Everything that is certain of a page.
    pub(crate) fn whole(
        &self,
        run: RunId,
        variant: VariantIndex,
        path: &ProjectPath,
    ) -> Option<PreviewWhole> {
        let page = self.runs.get(&run)?.pages.get(&(variant, path.clone()))?;
        Some(PreviewWhole { text: page.text.clone(), length: page.text_units })
    }
}

impl GrowingPage {
    fn new(pass: &Pass) -> Self {
        Self { annotator: StreamAnnotator::new(pass), source_bytes: 0, text: String::new(), text_units: 0 }
    }

    fn take(&mut self, base: usize, source: &str, pass: &Pass) -> Option<(usize, String)> {
        if base == 0 {
            *self = Self::new(pass);
        } else if base != self.source_bytes {
            // The recorder numbers without gaps, so this is an event of some other program version: wait for the
            // next beginning.
            return None;
        }
        self.source_bytes += source.len();
        let certain = self.annotator.push(source);
        if certain.is_empty() {
            return None;
        }
        let at = self.text_units;
        self.text_units += utf16_units(&certain);
        self.text.push_str(&certain);
        Some((at, certain))
    }
}

fn utf16_units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use facsimile_agent::{EventId, RunStatus, TokenUsage};

    use super::*;

    struct Feed {
        run: RunId,
        seq: u64,
        pages: GrowingPages,
    }

    impl Feed {
        fn new() -> Self {
            Self { run: RunId::fresh(), seq: 0, pages: GrowingPages::default() }
        }

        fn event(&mut self, variant: Option<u8>, body: RunEventBody) -> RunEvent {
            self.seq += 1;
            RunEvent { run_id: self.run, variant_index: variant.map(VariantIndex), seq: self.seq, body }
        }

        fn code(&mut self, path: &str, base: usize, text: &str) -> RunEvent {
            let (event_id, path) =
                (EventId::fresh("tool", VariantIndex(0)), ProjectPath::parse(path).unwrap());
            let code = AgentEvent::SetCode { event_id, path, base, text: text.to_owned() };
            self.event(Some(0), RunEventBody::Agent(code))
        }

        fn takes(&mut self, path: &str, base: usize, text: &str) -> Option<(usize, String)> {
            let event = self.code(path, base, text);
            self.pages.take(&event, &Pass::default()).map(|piece| (piece.base, piece.text))
        }

        fn whole(&self) -> Option<PreviewWhole> {
            self.pages.whole(self.run, VariantIndex(0), &ProjectPath::index())
        }
    }

    fn piece(base: usize, text: &str) -> Option<(usize, String)> {
        Some((base, text.to_owned()))
    }

    #[test]
    fn appends_count_utf_16_units_of_what_is_certain() {
        let mut feed = Feed::new();
        let source = ["<p>ü🙂</p", "><b>", "x"];
        let pieces = [
            feed.takes("index.html", 0, source[0]),
            feed.takes("index.html", 12, source[1]),
            feed.takes("index.html", 16, source[2]),
        ];
        assert_eq!(
            pieces,
            [piece(0, "<p data-fx=\"0\">ü🙂"), piece(18, "</p><b data-fx=\"13\">"), piece(38, "x"),]
        );
        assert_eq!(
            feed.whole(),
            Some(PreviewWhole {
                text: "<p data-fx=\"0\">ü🙂</p><b data-fx=\"13\">x".to_owned(), length: 39
            })
        );
    }

    #[test]
    fn a_replacement_begins_anew_also_while_nothing_of_it_is_certain() {
        let mut feed = Feed::new();
        feed.takes("index.html", 0, "old").unwrap();
        assert_eq!(
            [feed.takes("index.html", 0, "<"), feed.takes("index.html", 1, "i>new")],
            [None, piece(0, "<i data-fx=\"0\">new")]
        );
    }

    #[test]
    fn what_does_not_fit_is_left_out_until_the_next_beginning() {
        let mut feed = Feed::new();
        feed.takes("index.html", 0, "one").unwrap();
        assert_eq!(
            [feed.takes("index.html", 9, "late"), feed.takes("index.html", 0, "two")],
            [None, piece(0, "two")]
        );
    }

    #[test]
    fn style_sheets_and_known_events_give_nothing() {
        let mut feed = Feed::new();
        let event = feed.code("index.html", 0, "x");
        let taken = [feed.pages.take(&event, &Pass::default()), feed.pages.take(&event, &Pass::default())];
        assert_eq!(taken.map(|piece| piece.is_some()), [true, false]);
        assert_eq!(feed.takes("site.css", 0, "a{}"), None);
    }

    #[test]
    fn the_end_of_a_run_lets_its_pages_go() {
        let mut feed = Feed::new();
        feed.takes("index.html", 0, "x").unwrap();
        let state = |state| LifecycleEvent::RunState {
            state,
            round: 1,
            elapsed_ms: 1,
            tokens: TokenUsage::default(),
            cost_usd: None,
        };
        let ends =
            [(Some(0), RunStatus::Succeeded), (None, RunStatus::Running), (None, RunStatus::Succeeded)];
        let left = ends.map(|(variant, end)| {
            let event = feed.event(variant, RunEventBody::Lifecycle(state(end)));
            assert_eq!(feed.pages.take(&event, &Pass::default()), None);
            feed.whole().is_some()
        });
        assert_eq!(left, [true, true, false]);
    }
}
