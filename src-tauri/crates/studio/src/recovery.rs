//! What a killed program left unfinished is ended at the next start.

use facsimile_agent::{RunStatus, VariantIndex};
use facsimile_store::{Closing, HistoryStore, InterruptedRun, StoredEvent};

use crate::error::StudioError;
use crate::run::event::{LifecycleEvent, RunEvent, RunEventBody};
use crate::run::{files_before, folded_files};
use crate::studio::readable;

/// Ends every unfinished run: files of cut-off variants become drafts, events get the ends they lack.
pub(crate) fn recover(store: &HistoryStore) -> Result<(), StudioError> {
    store.recover_interrupted_with(closing)?;
    Ok(())
}

fn closing(unfinished: &InterruptedRun, rows: &[StoredEvent]) -> Closing {
    let events = readable(rows);
    let drafts = unfinished.interrupted.iter().filter_map(|variant| {
        let files = folded_files(&events, *variant);
        let is_changed = files != files_before(&events, *variant);
        let files: Vec<_> = files.iter().map(|(path, text)| (path.clone(), text.to_owned())).collect();
        is_changed.then_some((*variant, files))
    });
    // The program may have died between saving an event and saving the state that it tells of, or the other way
    // round; an end that was told is not told again.
    let mut ends: Vec<_> = unfinished.variants.iter().map(|(index, state)| (Some(*index), *state)).collect();
    ends.push((None, unfinished.state));
    ends.retain(|(variant, _)| !has_end(&events, *variant));
    let ending = (unfinished.last_seq + 1..).zip(ends).map(|(seq, (variant_index, state))| {
        let body = RunEventBody::Lifecycle(last_state(&events, variant_index, state));
        let event = RunEvent { run_id: unfinished.run, variant_index, seq, body };
        (seq, serde_json::to_string(&event).unwrap_or_default())
    });
    Closing { drafts: drafts.collect(), events: ending.collect() }
}

/// Whether the end of a variant, or of the run, is among the events.
fn has_end(events: &[RunEvent], variant: Option<VariantIndex>) -> bool {
    events.iter().any(|event| {
        let RunEventBody::Lifecycle(LifecycleEvent::RunState { state, .. }) = &event.body else {
            return false;
        };
        event.variant_index == variant && state.is_terminal()
    })
}

/// The numbers of the last known state with another state.
fn last_state(events: &[RunEvent], variant: Option<VariantIndex>, state: RunStatus) -> LifecycleEvent {
    let known = events.iter().rev().find_map(|event| match &event.body {
        RunEventBody::Lifecycle(LifecycleEvent::RunState { round, elapsed_ms, tokens, cost_usd, .. })
            if variant.is_none() || event.variant_index == variant =>
        {
            Some((*round, *elapsed_ms, *tokens, *cost_usd))
        }
        _ => None,
    });
    let (round, elapsed_ms, tokens, cost_usd) = known.unwrap_or_default();
    LifecycleEvent::RunState { state, round, elapsed_ms, tokens, cost_usd }
}
