//! A folder to work in: the data of the program, its home, the files of a test.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use facsimile_agent::{
    AgentEvent, EventId, ProjectId, ProjectPath, RunId, RunStatus, TokenUsage, VariantIndex,
};
use facsimile_store::{
    HistoryStore, NewRun, NewTurn, NewVersion, RunTurn, TurnKind, VariantEnd, VersionKind,
};
use facsimile_studio::samples::sample;
use facsimile_studio::{LifecycleEvent, RunEvent, RunEventBody};
use serde_json::json;
use tempfile::TempDir;

/// Outlives the windows that are opened in it.
pub struct Room {
    folder: TempDir,
}

impl Room {
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// A folder that is there.
    pub fn folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Has the bus of desks that are set up here from now on start this command as the keychain.
    pub fn keychain(&self, command: &str) {
        let services = self.folder("home/share/dbus-1/services");
        let service = format!("[D-BUS Service]\nName=org.freedesktop.secrets\nExec={command}\n");
        fs::write(services.join("org.freedesktop.secrets.service"), service).unwrap();
    }

    /// Puts a bundled screenshot down as a file of this name.
    pub fn picture(&self, sample_id: &str, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, sample(sample_id).unwrap().png).unwrap();
        path
    }

    /// Puts a project with one finished page into the data folder, as a run would have left it.
    pub fn project(&self, name: &str, files: &[(&str, &str)]) -> ProjectId {
        self.project_of_options(name, &[files])
    }

    /// The same with several options.
    pub fn project_of_options(&self, name: &str, options: &[&[(&str, &str)]]) -> ProjectId {
        let store = HistoryStore::open(&self.data()).unwrap();
        let project = store.projects().create(name).unwrap();
        let turn = NewTurn { kind: TurnKind::Create, instruction: String::new(), parent_version: None };
        let engines = vec!["offline".to_owned(); options.len()];
        let begun =
            store.runs().begin(NewRun { project, turn: RunTurn::New(turn), request: json!({}), engines });
        let run = begun.unwrap().run;
        let written = |files: &[(&str, &str)]| {
            files.iter().map(|(path, text)| (parsed(path), (*text).to_owned())).collect()
        };
        let options: Vec<Files> = options.iter().map(|files| written(files)).collect();
        store.events().append(run, told(run, &options)).unwrap();
        for (files, index) in options.into_iter().zip(0..) {
            let end =
                VariantEnd { files, label: "Page".into(), ..VariantEnd::in_state(RunStatus::Succeeded) };
            store.runs().finish_variant(run, VariantIndex(index), end).unwrap();
        }
        store.runs().finish(run, RunStatus::Succeeded).unwrap();
        store.flush().unwrap();
        project
    }

    /// Keeps files as an edit by hand would.
    pub fn edit(&self, project: ProjectId, files: &[(&str, &str)]) {
        let store = HistoryStore::open(&self.data()).unwrap();
        let parent = store.steps().standing(project).unwrap().version;
        let files = files.iter().map(|(path, text)| (parsed(path), (*text).to_owned())).collect();
        let (label, kind) = (String::new(), VersionKind::Result);
        store.versions().add_open(NewVersion { project, parent, made_by: None, label, kind, files }).unwrap();
    }

    /// What is kept, to look at while the program runs.
    pub fn kept(&self) -> Option<HistoryStore> {
        HistoryStore::open_for_reading(&self.data()).ok()
    }

    /// The state of the latest run of the only project, and the files it ended with.
    pub fn outcome(&self) -> Option<(RunStatus, BTreeMap<String, String>)> {
        let store = self.kept()?;
        let project = store.projects().list().ok()?.first()?.project.id;
        let run = store.runs().of_project(project).ok()?.pop()?;
        let version = run.variants.first()?.version;
        let files = version.map(|version| store.versions().files(version).unwrap()).unwrap_or_default();
        Some((run.state, files.into_iter().map(|(path, text)| (path.to_string(), text)).collect()))
    }
}

fn parsed(path: &str) -> ProjectPath {
    ProjectPath::parse(path).unwrap()
}

type Files = Vec<(ProjectPath, String)>;

/// The events of a run whose options wrote these files.
fn told(run: RunId, options: &[Files]) -> Vec<(u64, String)> {
    let event_id: EventId = serde_json::from_value(json!("tool-0-00000001")).unwrap();
    let written = |variant: VariantIndex, (path, text): &(ProjectPath, String)| {
        let (event_id, path, text) = (event_id.clone(), path.clone(), text.clone());
        (Some(variant), RunEventBody::Agent(AgentEvent::SetCode { event_id, path, base: 0, text }))
    };
    let state = |variant, state| {
        let tokens = TokenUsage::default();
        let body = LifecycleEvent::RunState { state, round: 1, elapsed_ms: 10, tokens, cost_usd: Some(0.0) };
        (variant, RunEventBody::Lifecycle(body))
    };
    let of_option = |(files, index): (&Files, u8)| {
        let variant = VariantIndex(index);
        let begins = state(Some(variant), RunStatus::Running);
        let writes = files.iter().map(|file| written(variant, file));
        let ends = state(Some(variant), RunStatus::Succeeded);
        std::iter::once(begins).chain(writes).chain([ends]).collect::<Vec<_>>()
    };
    let bodies = options.iter().zip(0..).flat_map(of_option);
    (1..)
        .zip(bodies.chain([state(None, RunStatus::Succeeded)]))
        .map(|(seq, (variant_index, body))| {
            let event = RunEvent { run_id: run, variant_index, seq, body };
            (seq, serde_json::to_string(&event).unwrap())
        })
        .collect()
}
