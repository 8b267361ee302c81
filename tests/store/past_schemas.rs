//! S-53: every schema that was ever released opens and says what it said then.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use facsimile_agent::ProjectId;
use facsimile_store::{HistoryStore, StoreError};
use serde_json::Value;
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

#[test]
fn every_past_schema_opens_with_the_contents_it_was_written_with() {
    let folders =
        fs::read_dir(databases()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let mut seen = Vec::new();
    for folder in folders {
        let data = TempDir::new().unwrap();
        copy_below(&folder, data.path());

        let store = HistoryStore::open(data.path()).unwrap();

        let expected = fs::read_to_string(folder.join("contents.txt")).unwrap();
        assert_eq!(contents(&store).unwrap(), expected.replace("\r\n", "\n"), "{}", folder.display());
        assert_eq!(store.damage().unwrap(), Vec::<String>::new());
        seen.push(folder.file_name().unwrap().to_owned());
    }
    seen.sort();
    assert_eq!(seen, ["schema-1"]);
}
