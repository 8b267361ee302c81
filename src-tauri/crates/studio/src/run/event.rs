//! The events of a run in their wire form: the same for the window, the event file and the stored rows.

use facsimile_agent::{AgentEvent, EventId, RunId, RunStatus, TaskId, TokenUsage, VariantIndex};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One recorded event. `seq` counts from 1 without a gap; nothing follows a run's terminal state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunEvent {
    /// The run.
    pub run_id: RunId,
    /// The variant; absent where the event speaks of the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(optional)]
    pub variant_index: Option<VariantIndex>,
    /// Its place in the run.
    pub seq: u64,
    /// What happened.
    #[serde(flatten)]
    pub body: RunEventBody,
}

/// What happened: a stream event of a variant or something of its life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum RunEventBody {
    /// One of the five stream events.
    Agent(AgentEvent),
    /// Lifecycle.
    Lifecycle(LifecycleEvent),
}

/// The events beside the stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LifecycleEvent {
    /// Where a variant or the run stands.
    RunState {
        /// The state.
        state: RunStatus,
        /// The round it is in, counted from 1; 0 before the first.
        round: u32,
        /// Since the run began.
        elapsed_ms: u64,
        /// Tokens so far.
        tokens: TokenUsage,
        /// Cost so far; `null` where no price is known.
        cost_usd: Option<f64>,
    },
    /// Where a long job of the variant stands.
    TaskState {
        /// The job.
        task_id: TaskId,
        /// Which tool ordered it.
        kind: String,
        /// What it makes.
        title: String,
        /// The stage it is in; empty before the first.
        stage: String,
        /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
        state: String,
        /// How many pieces are done.
        done: u32,
        /// How many there are.
        total: u32,
        /// Something to tell beside it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[ts(optional)]
        notice: Option<String>,
    },
    /// Something worth telling that is no error.
    Notice {
        /// To branch on.
        code: String,
        /// One plain sentence.
        message: String,
        /// What the user can do.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[ts(optional)]
        next_step: Option<String>,
        /// Events that no longer count.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[ts(optional)]
        replaces: Option<Vec<EventId>>,
    },
}

impl RunEvent {
    /// The wire name of the event, as in `"setCode"`.
    pub fn name(&self) -> &'static str {
        match &self.body {
            RunEventBody::Agent(AgentEvent::SetCode { .. }) => "setCode",
            RunEventBody::Agent(AgentEvent::Assistant { .. }) => "assistant",
            RunEventBody::Agent(AgentEvent::Thinking { .. }) => "thinking",
            RunEventBody::Agent(AgentEvent::ToolStart { .. }) => "toolStart",
            RunEventBody::Agent(AgentEvent::ToolResult { .. }) => "toolResult",
            RunEventBody::Lifecycle(LifecycleEvent::RunState { .. }) => "runState",
            RunEventBody::Lifecycle(LifecycleEvent::TaskState { .. }) => "taskState",
            RunEventBody::Lifecycle(LifecycleEvent::Notice { .. }) => "notice",
        }
    }
}

#[cfg(test)]
mod tests {
    use facsimile_agent::ProjectPath;
    use serde_json::{Value, json};

    use super::*;

    fn written(variant: Option<u8>, body: RunEventBody) -> (Value, RunEvent) {
        let event =
            RunEvent { run_id: RunId::fresh(), variant_index: variant.map(VariantIndex), seq: 7, body };
        let mut value = serde_json::to_value(&event).unwrap();
        let read: RunEvent = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(read, event);
        value.as_object_mut().unwrap().remove("runId").unwrap();
        (value, event)
    }

    #[test]
    fn stream_events_are_flat_and_read_back() {
        let event_id: EventId = serde_json::from_value(json!("tool-0-00000001")).unwrap();
        let body = AgentEvent::SetCode { event_id, path: ProjectPath::index(), base: 12, text: "x".into() };
        let (value, event) = written(Some(0), RunEventBody::Agent(body));
        assert_eq!(
            value,
            json!({"type": "setCode", "variantIndex": 0, "seq": 7, "eventId": "tool-0-00000001",
                   "path": "index.html", "base": 12, "text": "x"})
        );
        assert_eq!(event.name(), "setCode");
    }

    #[test]
    fn an_unknown_cost_is_null_and_a_run_has_no_variant() {
        let body = LifecycleEvent::RunState {
            state: RunStatus::StoppedAtLimit,
            round: 3,
            elapsed_ms: 40,
            tokens: TokenUsage::default(),
            cost_usd: None,
        };
        let (value, _) = written(None, RunEventBody::Lifecycle(body));
        assert_eq!(
            value,
            json!({"type": "runState", "seq": 7, "state": "stopped_at_limit", "round": 3, "elapsedMs": 40,
                   "tokens": {"input": 0, "cachedRead": 0, "cachedWrite": 0, "output": 0, "reasoning": 0},
                   "costUsd": null})
        );
    }
}
