//! Deltas that belong together become one before they are numbered.

use facsimile_agent::{AgentEvent, VariantIndex};

use super::event::{LifecycleEvent, RunEventBody};

/// Events waiting for their frame, in order.
#[derive(Debug, Default)]
pub(super) struct Pending {
    events: Vec<(Option<VariantIndex>, RunEventBody)>,
}

impl Pending {
    /// Adds an event; a delta grows the one before it, if that was the variant's last and of the same kind.
    pub(super) fn push(&mut self, variant: Option<VariantIndex>, body: RunEventBody) {
        let last = self.events.iter_mut().rev().find(|(of, _)| *of == variant);
        let is_merged = match (last, &body) {
            (Some((_, RunEventBody::Agent(last))), RunEventBody::Agent(next)) => merge(last, next),
            (Some((_, RunEventBody::Lifecycle(last))), RunEventBody::Lifecycle(next)) => renew(last, next),
            _ => false,
        };
        if is_merged {
            return;
        }
        self.events.push((variant, body));
    }

    /// Takes everything out.
    pub(super) fn take(&mut self) -> Vec<(Option<VariantIndex>, RunEventBody)> {
        std::mem::take(&mut self.events)
    }
}

/// Where a task stands now says all that it said before.
fn renew(last: &mut LifecycleEvent, next: &LifecycleEvent) -> bool {
    let task_of = |event: &LifecycleEvent| match event {
        LifecycleEvent::TaskState { task_id, .. } => Some(*task_id),
        _ => None,
    };
    let is_same = task_of(last).is_some() && task_of(last) == task_of(next);
    if is_same {
        last.clone_from(next);
    }
    is_same
}

fn merge(last: &mut AgentEvent, next: &AgentEvent) -> bool {
    match (last, next) {
        (
            AgentEvent::Assistant { event_id, text },
            AgentEvent::Assistant { event_id: next_id, text: more },
        )
        | (AgentEvent::Thinking { event_id, text }, AgentEvent::Thinking { event_id: next_id, text: more })
            if event_id == next_id =>
        {
            text.push_str(more);
            true
        }
        (
            AgentEvent::SetCode { event_id, path, base, text },
            AgentEvent::SetCode { event_id: next_id, path: next_path, base: next_base, text: more },
        ) if event_id == next_id && path == next_path => {
            if *next_base == 0 {
                *base = 0;
                text.clone_from(more);
                true
            } else if *next_base == *base + text.len() {
                text.push_str(more);
                true
            } else {
                false
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use facsimile_agent::{EventId, ProjectPath};

    use super::*;

    fn code(id: &EventId, base: usize, text: &str) -> RunEventBody {
        let (event_id, path) = (id.clone(), ProjectPath::index());
        RunEventBody::Agent(AgentEvent::SetCode { event_id, path, base, text: text.to_owned() })
    }

    fn said(id: &EventId, text: &str) -> RunEventBody {
        RunEventBody::Agent(AgentEvent::Assistant { event_id: id.clone(), text: text.to_owned() })
    }

    #[test]
    fn deltas_of_one_event_become_one_also_between_those_of_another_variant() {
        let (a, b) =
            (EventId::fresh("assistant", VariantIndex(0)), EventId::fresh("assistant", VariantIndex(1)));
        let (first, second) = (Some(VariantIndex(0)), Some(VariantIndex(1)));
        let mut pending = Pending::default();
        for (variant, body) in [
            (first, said(&a, "Hel")),
            (second, said(&b, "x")),
            (first, said(&a, "lo")),
            (first, code(&a, 0, "<p>")),
        ] {
            pending.push(variant, body);
        }
        assert_eq!(
            pending.take(),
            [(first, said(&a, "Hello")), (second, said(&b, "x")), (first, code(&a, 0, "<p>"))]
        );
    }

    #[test]
    fn code_grows_only_where_its_base_fits_and_a_replacement_takes_its_place() {
        let id = EventId::fresh("tool", VariantIndex(0));
        let mut pending = Pending::default();
        for body in [code(&id, 5, "ab"), code(&id, 7, "c"), code(&id, 99, "d")] {
            pending.push(None, body);
        }
        assert_eq!(pending.take(), [(None, code(&id, 5, "abc")), (None, code(&id, 99, "d"))]);
        for body in [code(&id, 5, "ab"), code(&id, 0, "new")] {
            pending.push(None, body);
        }
        assert_eq!(pending.take(), [(None, code(&id, 0, "new"))]);
    }
}
