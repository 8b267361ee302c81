//! S-53: every schema that was ever released opens and says what it said then.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use facsimile_agent::{ProjectId, ProjectPath, TaskId, VariantIndex};
use facsimile_store::{
    HistoryStore, MessageImage, MessageRole, NewMessage, NewTask, NewVersion, StoreError, StoredCall,
    TaskEnd, TaskPrice, VersionKind,
};
use serde_json::{Value, json};
use tempfile::TempDir;

fn databases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/databases")
}

fn copy_below(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_below(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// All that a store holds, in lines.
fn contents(store: &HistoryStore) -> Result<String, StoreError> {
    let mut lines = String::new();
    for entry in store.projects().list()? {
        let project = entry.project;
        let thumbnail = project.thumbnail.as_ref().map(|asset| asset.as_str().to_owned());
        writeln!(lines, "project {} {:?} {thumbnail:?}", project.id, project.name).unwrap();
        writeln!(lines, "  from {} to {}", project.created_at_ms, project.updated_at_ms).unwrap();
        writeln!(lines, "  memory from {:?}", project.memory_from_turn.map(|turn| turn.to_string())).unwrap();
        project_contents(store, project.id, &mut lines)?;
    }
    for key in ["theme", "max_rounds"] {
        writeln!(lines, "setting {key} {:?}", store.settings().get::<Value>(key)?).unwrap();
    }
    Ok(lines)
}

fn project_contents(store: &HistoryStore, project: ProjectId, lines: &mut String) -> Result<(), StoreError> {
    for input in store.inputs().of_project(project)? {
        let size = (input.width_px, input.height_px, input.bytes, input.position);
        writeln!(lines, "  input {} {:?} {} {size:?}", input.id, input.name, input.mime).unwrap();
    }
    for linked in store.assets().of_project(project)? {
        let bytes = store.assets().read(&linked.asset.id)?;
        let size = linked.asset.size_px;
        writeln!(lines, "  asset {} {:?} {size:?} {bytes:?}", linked.asset.path_in_page, linked.label)
            .unwrap();
    }
    for turn in store.turns().of_project(project)? {
        writeln!(lines, "  turn {} {} {:?}", turn.id, turn.request.kind.as_str(), turn.request.instruction)
            .unwrap();
        let parent = turn.request.parent_version.map(|version| version.to_string());
        writeln!(lines, "    parent {parent:?} at {}", turn.created_at_ms).unwrap();
        let result = &turn.result;
        let files: Vec<_> = result.touched_files.iter().map(|path| path.as_str()).collect();
        let words = (&result.assistant_text, &result.intent_category, result.awaiting_reply, &result.diff);
        writeln!(lines, "    {words:?} {files:?}").unwrap();
    }
    for run in store.runs().of_project(project)? {
        let ended = run.ended_at_ms;
        writeln!(lines, "  run {} {} {} {}", run.id, run.turn, run.state.as_str(), run.request).unwrap();
        writeln!(lines, "    from {} to {ended:?}", run.started_at_ms).unwrap();
        for variant in run.variants {
            let counts = (variant.rounds, variant.cost_usd, variant.elapsed_ms);
            let version = variant.version.map(|version| version.to_string());
            let error = variant.error.map(|error| (error.kind.as_str(), error.message, error.next_step));
            let (index, state) = (variant.index, variant.state.as_str());
            writeln!(lines, "    variant {index} {} {state} {counts:?} {}", variant.engine, variant.tokens)
                .unwrap();
            writeln!(lines, "      {error:?} {version:?}").unwrap();
            for round in store.rounds().of_variant(run.id, variant.index)? {
                let counts =
                    (round.round, round.cost_usd, round.elapsed_ms, round.retries, round.prompt_version);
                writeln!(lines, "      round {counts:?} {}", round.usage).unwrap();
            }
        }
        for event in store.events().since(run.id, 0)? {
            writeln!(lines, "    event {} {}", event.seq, event.json).unwrap();
        }
    }
    for version in store.versions().of_project(project)? {
        let parent = version.parent.map(|version| version.to_string());
        let made_by = version.made_by.map(|(run, variant)| format!("{run} {variant}"));
        let (id, label, kind) = (version.id, version.label, version.kind.as_str());
        writeln!(lines, "  version {id} {label:?} {kind} {parent:?} {made_by:?} {}", version.created_at_ms)
            .unwrap();
        for (path, text) in store.versions().files(id)? {
            writeln!(lines, "    file {path} {text:?}").unwrap();
        }
    }
    Ok(())
}

/// What schemas 2 and 3 added, in lines.
fn additions(store: &HistoryStore) -> Result<String, StoreError> {
    let mut lines = String::new();
    for entry in store.projects().list()? {
        let project = entry.project.id;
        let way: Vec<_> = store.steps().way(project)?.iter().map(ToString::to_string).collect();
        let standing = store.steps().standing(project)?;
        writeln!(lines, "project {project}").unwrap();
        writeln!(lines, "  way {way:?} {} {}", standing.undoable, standing.redoable).unwrap();
        writeln!(lines, "  values {:?}", store.project_values().of_project(project)?).unwrap();
        writeln!(lines, "  spent {:?}", store.ledger().of_project(project)?).unwrap();
        for task in store.tasks().of_project(project)? {
            writeln!(lines, "  task {task:?}").unwrap();
        }
        for (version, pins) in store.versions().with_pins(project)? {
            let score = store.scores().get(version.id)?;
            writeln!(lines, "  version {} {pins:?} {score:?}", version.id).unwrap();
            if let Some(picture) = store.versions().picture(version.id)? {
                writeln!(lines, "    picture {}", picture.as_str()).unwrap();
            }
        }
        for run in store.runs().of_project(project)? {
            for variant in &run.variants {
                for message in store.messages().of_variant(run.id, variant.index)? {
                    writeln!(lines, "  message {} {message:?}", variant.index).unwrap();
                }
            }
        }
    }
    Ok(lines)
}

#[test]
fn every_past_schema_opens_with_the_contents_it_was_written_with() {
    let folders =
        fs::read_dir(databases()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let mut seen = Vec::new();
    for folder in folders {
        let data = TempDir::new().unwrap();
        copy_below(&folder, data.path());

        let store = HistoryStore::open(data.path()).unwrap();

        let kept = |name: &str| fs::read_to_string(folder.join(name)).map(|text| text.replace("\r\n", "\n"));
        assert_eq!(contents(&store).unwrap(), kept("contents.txt").unwrap(), "{}", folder.display());
        if let Ok(expected) = kept("additions.txt") {
            assert_eq!(additions(&store).unwrap(), expected, "{}", folder.display());
        }
        assert_eq!(store.damage().unwrap(), Vec::<String>::new());
        seen.push(folder.file_name().unwrap().to_owned());
    }
    seen.sort();
    assert_eq!(seen, ["schema-1", "schema-2", "schema-3"]);
}

/// Writes the folder of the newest schema where `FACSIMILE_TEST_WRITE_DATABASE` says; checks nothing otherwise.
fn write_newest(target: &Path) {
    copy_below(&databases().join("schema-1"), target);
    let store = HistoryStore::open(target).unwrap();
    let project = store.projects().list().unwrap()[1].project.id;
    let run = store.runs().of_project(project).unwrap()[0].clone();
    let asset = store.assets().of_project(project).unwrap()[0].asset.clone();
    let said = |role, body, calls, images| NewMessage {
        round: 1,
        role,
        dialect: "anthropic".to_owned(),
        body,
        calls,
        images,
    };
    let call = StoredCall {
        call_id: "call_1".to_owned(),
        name: "create_file".to_owned(),
        arguments: json!({"path": "index.html"}),
        ok: true,
        result: json!("done"),
    };
    let image = MessageImage { call: None, asset: asset.id.clone(), label: "image 1".to_owned() };
    let first = VariantIndex(0);
    let messages = store.messages();
    messages
        .append(run.id, first, said(MessageRole::User, json!({"text": "Löwe"}), vec![], vec![image]))
        .unwrap();
    messages.append(run.id, first, said(MessageRole::Vendor, json!([1.5]), vec![call], vec![])).unwrap();
    let page = format!("<img src='{}'>", asset.path_in_page);
    let files = vec![(ProjectPath::parse("index.html").unwrap(), page)];
    let (parent, kind, label) = (run.variants[0].version, VersionKind::Result, "By hand".to_owned());
    let version =
        store.versions().add_open(NewVersion { project, parent, made_by: None, label, kind, files }).unwrap();
    store.versions().restore(project, parent.unwrap()).unwrap();
    store.steps().undo(project).unwrap();
    store.scores().set(version, 87.25, json!({"text": 0.9})).unwrap();
    store.versions().set_picture(version, &asset.id).unwrap();
    store.project_values().set(project, "stack", &"html_css").unwrap();
    store.ledger().reserve(run.id, "request-1", 0.5, 5.0).unwrap();
    store.ledger().settle(run.id, "request-1", 0.125).unwrap();
    let id = TaskId::fresh();
    let task = NewTask {
        id,
        project,
        made_by: Some((run.id, first)),
        kind: "generate_images".to_owned(),
        title: "A lion".to_owned(),
        stages: vec!["sent".to_owned()],
        total: 1,
        inputs: json!({"prompt": "lion"}),
        paths: vec![format!("assets/task-{id}-0.png")],
        price: Some(TaskPrice { reserve_usd: 0.25, cap_usd: 5.0 }),
    };
    store.tasks().begin(task).unwrap();
    let done = TaskEnd::Succeeded { result: json!([0]), assets: vec![(0, asset.id)], cost_usd: Some(0.2) };
    store.tasks().end(project, id, done).unwrap();
    fs::write(target.join("contents.txt"), contents(&store).unwrap()).unwrap();
    fs::write(target.join("additions.txt"), additions(&store).unwrap()).unwrap();
}

/// S-53: killed before or after any statement of a migration, the next start finds the old schema or the new one, and
/// the backup of before.
#[test]
fn a_migration_killed_anywhere_is_taken_back_or_done() {
    if let Ok(target) = std::env::var("FACSIMILE_TEST_WRITE_DATABASE") {
        write_newest(Path::new(&target));
    }
    let folder = databases().join("schema-1");
    let expected = fs::read_to_string(folder.join("contents.txt")).unwrap().replace("\r\n", "\n");
    let script = include_str!("../../src-tauri/crates/store/migrations/0002_keeping.sql");
    let ends: Vec<_> = script.match_indices(';').map(|(at, _)| at + 1).collect();
    for end in ends.into_iter().step_by(3) {
        let data = TempDir::new().unwrap();
        copy_below(&folder, data.path());
        // What a killed process leaves: a transaction that was begun and never committed, with its journal.
        let dying = rusqlite::Connection::open(data.path().join("facsimile.db")).unwrap();
        dying.execute_batch("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1; BEGIN IMMEDIATE").unwrap();
        let part = &script[..end];
        // A trigger's body has a semicolon of its own: such a part ends in mid-statement and stops there.
        let _ = dying.execute_batch(part);
        let left = TempDir::new().unwrap();
        copy_below(data.path(), left.path());
        fs::write(left.path().join("backups").join(".unfinished"), "half a backup")
            .or_else(|_| {
                fs::create_dir_all(left.path().join("backups"))?;
                fs::write(left.path().join("backups").join(".unfinished"), "half a backup")
            })
            .unwrap();

        let store = HistoryStore::open(left.path()).unwrap();

        assert_eq!(contents(&store).unwrap(), expected, "killed at {end}");
        assert_eq!(store.damage().unwrap(), Vec::<String>::new());
        let backups: Vec<_> = fs::read_dir(left.path().join("backups"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(backups.len() == 1 && backups[0].ends_with("-schema-1.db"), "{backups:?}");
    }
}
