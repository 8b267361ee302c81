//! What a killed program left behind, made whole at the next start.

use facsimile_agent::{
    AgentEvent, EventId, ProjectId, ProjectPath, RunId, RunStatus, TokenUsage, VariantIndex,
};
use facsimile_store::{HistoryStore, NewRun, NewTurn, RunTurn, TurnKind, VariantEnd, VersionKind};
use facsimile_studio::{LifecycleEvent, RunEvent, RunEventBody, Studio};
use serde_json::json;
use tokio::runtime::Handle;

use crate::support::{ends, folded};

use RunStatus::{Interrupted, Running, Succeeded};

/// A run as a killed program leaves it: begun, with some events, without an end.
struct Unfinished {
    store: HistoryStore,
    project: ProjectId,
    run: RunId,
    seq: u64,
}

impl Unfinished {
    fn new(variants: usize) -> Self {
        let store = HistoryStore::in_memory().unwrap();
        let project = store.projects().create("Shop").unwrap();
        let turn = NewTurn { kind: TurnKind::Create, instruction: String::new(), parent_version: None };
        let engines = vec!["offline".to_owned(); variants];
        let new = NewRun { project, turn: RunTurn::New(turn), request: json!({}), engines };
        let run = store.runs().begin(new).unwrap().run;
        store.runs().set_state(run, Running).unwrap();
        Self { store, project, run, seq: 0 }
    }

    fn recorded(&mut self, variant: u8, body: RunEventBody) {
        self.seq += 1;
        let variant_index = Some(VariantIndex(variant));
        let event = RunEvent { run_id: self.run, variant_index, seq: self.seq, body };
        self.kept(serde_json::to_string(&event).unwrap());
    }

    fn kept(&mut self, json: String) {
        self.store.events().append(self.run, vec![(self.seq, json)]).unwrap();
        self.store.flush().unwrap();
    }

    fn running(&mut self, variant: u8, round: u32, elapsed_ms: u64) {
        let (tokens, cost_usd) = (TokenUsage { output: 40, ..TokenUsage::default() }, Some(0.25));
        let body = LifecycleEvent::RunState { state: Running, round, elapsed_ms, tokens, cost_usd };
        self.recorded(variant, RunEventBody::Lifecycle(body));
    }

    fn wrote(&mut self, variant: u8, path: &str, base: usize, text: &str) {
        self.shows("tool", variant, path, base, text);
    }

    fn shows(&mut self, prefix: &str, variant: u8, path: &str, base: usize, text: &str) {
        let (event_id, path) =
            (EventId::fresh(prefix, VariantIndex(variant)), ProjectPath::parse(path).unwrap());
        let body = AgentEvent::SetCode { event_id, path, base, text: text.to_owned() };
        self.recorded(variant, RunEventBody::Agent(body));
    }

    fn ended(&mut self, variant_index: Option<VariantIndex>) {
        self.seq += 1;
        let (tokens, cost_usd) = (TokenUsage::default(), Some(0.0));
        let body = LifecycleEvent::RunState { state: Succeeded, round: 1, elapsed_ms: 9, tokens, cost_usd };
        let event =
            RunEvent { run_id: self.run, variant_index, seq: self.seq, body: RunEventBody::Lifecycle(body) };
        self.kept(serde_json::to_string(&event).unwrap());
    }

    fn opened_again(&self) -> Studio {
        Studio::over(self.store.clone(), Handle::current()).unwrap()
    }
}

fn file(path: &str, text: &str) -> (ProjectPath, String) {
    (ProjectPath::parse(path).unwrap(), text.to_owned())
}

#[tokio::test]
async fn an_unfinished_run_is_interrupted_with_its_folded_code_as_a_draft() {
    let mut left = Unfinished::new(1);
    left.running(0, 2, 1500);
    left.wrote(0, "index.html", 0, "<p>old");
    left.wrote(0, "index.html", 0, "<p>grö");
    left.wrote(0, "index.html", "<p>grö".len(), "ße");
    left.wrote(0, "styles.css", 0, "p{}");

    let studio = left.opened_again();

    let files = [file("index.html", "<p>größe"), file("styles.css", "p{}")];
    let (project, kept) = studio.files_of(left.run, VariantIndex(0)).unwrap();
    assert_eq!((project, kept), (left.project, files.into_iter().collect()));
    let versions = studio.store().versions().of_project(left.project).unwrap();
    let facts: Vec<_> = versions.iter().map(|version| (version.kind, version.made_by)).collect();
    assert_eq!(facts, [(VersionKind::Draft, Some((left.run, VariantIndex(0))))]);
    assert_eq!(studio.projects().unwrap()[0].latest_state(), Some(Interrupted));
}

#[tokio::test]
async fn files_that_were_only_shown_as_they_were_before_are_no_draft() {
    let mut left = Unfinished::new(2);
    for variant in [0, 1] {
        left.shows("before", variant, "index.html", 0, "<p>old");
        left.shows("before", variant, "styles.css", 0, "p{}");
    }
    left.wrote(1, "index.html", 0, "<p>new");

    let studio = left.opened_again();

    let files = [file("index.html", "<p>new"), file("styles.css", "p{}")];
    assert_eq!(studio.files_of(left.run, VariantIndex(1)).unwrap().1, files.into_iter().collect());
    assert!(studio.files_of(left.run, VariantIndex(0)).is_err());
}

#[tokio::test]
async fn its_events_end_with_interrupted_and_the_last_known_numbers() {
    let mut left = Unfinished::new(1);
    left.running(0, 1, 500);
    left.running(0, 2, 1500);
    left.wrote(0, "index.html", 0, "<p>");

    let (snapshot, mut feed) = left.opened_again().attach(left.run).unwrap();

    let last_two: Vec<_> = snapshot.events[3..].iter().map(|event| event.as_ref().clone()).collect();
    let ended = |seq, variant_index| {
        let (tokens, cost_usd) = (TokenUsage { output: 40, ..TokenUsage::default() }, Some(0.25));
        let body =
            LifecycleEvent::RunState { state: Interrupted, round: 2, elapsed_ms: 1500, tokens, cost_usd };
        RunEvent { run_id: left.run, variant_index, seq, body: RunEventBody::Lifecycle(body) }
    };
    assert_eq!(last_two, [ended(4, Some(VariantIndex(0))), ended(5, None)]);
    assert_eq!((snapshot.seq, feed.recv().await), (5, None));
    assert_eq!(folded(&snapshot.events, VariantIndex(0)), [file("index.html", "<p>")].into_iter().collect());
}

#[tokio::test]
async fn a_run_that_had_shown_nothing_has_no_draft() {
    let mut left = Unfinished::new(2);
    left.running(0, 1, 500);

    let studio = left.opened_again();

    let (snapshot, _) = studio.attach(left.run).unwrap();
    assert_eq!(ends(&snapshot.events), [(Some(0), Interrupted), (Some(1), Interrupted), (None, Interrupted)]);
    assert_eq!(studio.store().versions().of_project(left.project).unwrap(), []);
    let refused = studio.files_of(left.run, VariantIndex(1)).unwrap_err().to_string();
    assert_eq!(refused, "option 2 of this run has no files to export");
}

#[tokio::test]
async fn a_variant_that_had_ended_in_time_keeps_its_result_and_the_run_succeeds() {
    let mut left = Unfinished::new(2);
    left.wrote(1, "index.html", 0, "<p>half");
    let files = vec![file("index.html", "<p>whole")];
    let end = VariantEnd { files: files.clone(), ..VariantEnd::in_state(Succeeded) };
    left.store.runs().finish_variant(left.run, VariantIndex(0), end).unwrap();

    let studio = left.opened_again();

    let run = studio.store().runs().get(left.run).unwrap();
    let states: Vec<_> = run.variants.iter().map(|variant| variant.state).collect();
    assert_eq!((run.state, states), (Succeeded, vec![Succeeded, Interrupted]));
    let kept = [0, 1].map(|index| studio.files_of(left.run, VariantIndex(index)).unwrap().1);
    assert_eq!(kept, [files.into_iter().collect(), [file("index.html", "<p>half")].into_iter().collect()]);
    let (snapshot, _) = studio.attach(left.run).unwrap();
    assert_eq!(ends(&snapshot.events).last(), Some(&(None, Succeeded)));
}

#[tokio::test]
async fn ends_that_were_told_before_the_program_died_are_not_told_again() {
    let mut left = Unfinished::new(1);
    left.wrote(0, "index.html", 0, "<p>");
    let end = VariantEnd { files: vec![file("index.html", "<p>")], ..VariantEnd::in_state(Succeeded) };
    left.store.runs().finish_variant(left.run, VariantIndex(0), end).unwrap();
    left.ended(Some(VariantIndex(0)));
    left.ended(None);

    let studio = left.opened_again();

    let (snapshot, _) = studio.attach(left.run).unwrap();
    assert_eq!(ends(&snapshot.events), [(Some(0), Succeeded), (None, Succeeded)]);
    assert_eq!(studio.projects().unwrap()[0].latest_state(), Some(Succeeded));
}

#[tokio::test]
async fn a_second_start_finds_nothing_left_to_do() {
    let mut left = Unfinished::new(1);
    left.wrote(0, "index.html", 0, "<p>");
    let (first, _) = left.opened_again().attach(left.run).unwrap();

    let studio = left.opened_again();

    let (second, _) = studio.attach(left.run).unwrap();
    assert_eq!((second.seq, second.events), (first.seq, first.events));
    assert_eq!(studio.store().versions().of_project(left.project).unwrap().len(), 1);
}

#[tokio::test]
async fn an_event_of_another_program_version_does_not_stop_the_recovery() {
    let mut left = Unfinished::new(1);
    left.wrote(0, "index.html", 0, "<p>");
    left.seq += 1;
    left.kept(json!({"runId": left.run, "seq": 2, "type": "hologram", "depth": 3}).to_string());

    let (snapshot, _) = left.opened_again().attach(left.run).unwrap();

    assert_eq!(ends(&snapshot.events), [(Some(0), Interrupted), (None, Interrupted)]);
    assert_eq!(snapshot.seq, 4);
}

#[tokio::test]
async fn a_run_whose_first_event_was_never_saved_ends_all_the_same() {
    let left = Unfinished::new(1);

    let (snapshot, _) = left.opened_again().attach(left.run).unwrap();

    let numbers: Vec<_> = snapshot.events.iter().map(|event| event.seq).collect();
    assert_eq!(
        (numbers, ends(&snapshot.events)),
        (vec![1, 2], vec![(Some(0), Interrupted), (None, Interrupted)])
    );
}
