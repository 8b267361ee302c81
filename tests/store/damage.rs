//! S-54: a damaged database. The program starts, saves what it can into a new file, keeps the damaged one aside and
//! says what is missing.

use std::fs;
use std::path::Path;

use facsimile_agent::{AssetId, ProjectId, VersionId};
use facsimile_store::{HistoryStore, NewAsset, NewVersion, StoreError, VersionKind};
use tempfile::TempDir;

use crate::support::{begin, events, file};

const PAGE_BYTES: usize = 4096;
const PROJECTS: usize = 8;

/// What was put into the sound database.
struct Sound {
    folder: TempDir,
    projects: Vec<ProjectId>,
    versions: Vec<(VersionId, String)>,
    asset: AssetId,
}

impl Sound {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = HistoryStore::open(folder.path()).unwrap();
        let (mut projects, mut versions) = (Vec::new(), Vec::new());
        let png = NewAsset::new(b"\x89PNG picture".to_vec(), "image/png", "png");
        let asset = store.assets().put(png).unwrap().id;
        for n in 0..PROJECTS {
            let project = store.projects().create(&format!("Project {n}")).unwrap();
            store.assets().link(project, &asset, "").unwrap();
            let run = begin(&store, project, 1).run;
            store.events().append(run, events(1, 200)).unwrap();
            for part in 0..3 {
                let text = format!("<p>{n} {part} {}", "x".repeat(3_000));
                let id = store
                    .versions()
                    .add_open(NewVersion {
                        project,
                        parent: None,
                        made_by: None,
                        label: String::new(),
                        kind: VersionKind::Result,
                        files: vec![file("index.html", &text)],
                    })
                    .unwrap();
                versions.push((id, text));
            }
            projects.push(project);
        }
        drop(store);
        Self { folder, projects, versions, asset }
    }

    fn database(&self) -> Vec<u8> {
        fs::read(self.folder.path().join("facsimile.db")).unwrap()
    }

    /// A data folder with these bytes as its database.
    fn with_database(&self, bytes: &[u8]) -> TempDir {
        let folder = TempDir::new().unwrap();
        let shelf = folder.path().join("assets").join(&self.asset.as_str()[..2]);
        fs::create_dir_all(&shelf).unwrap();
        fs::write(shelf.join(self.asset.as_str()), b"\x89PNG picture").unwrap();
        fs::write(folder.path().join("facsimile.db"), bytes).unwrap();
        folder
    }

    /// Opens it, checks that everything there is sound and true, and counts the whole versions.
    fn saved(&self, folder: &Path, case: &str) -> (HistoryStore, usize) {
        let store = HistoryStore::open_or_salvage(folder).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(store.damage().unwrap(), Vec::<String>::new(), "{case}");
        let mut whole = 0;
        for entry in store.projects().list().unwrap() {
            for version in store.versions().of_project(entry.project.id).unwrap() {
                let (_, text) = self.versions.iter().find(|(id, _)| *id == version.id).unwrap();
                match store.versions().files(version.id) {
                    Ok(files) => {
                        assert!(files.is_empty() || files == [file("index.html", text)], "{case}");
                        whole += usize::from(!files.is_empty());
                    }
                    // A text that changed in its place is named, never shown.
                    Err(error) => assert!(matches!(error, StoreError::Damaged { .. }), "{case}: {error}"),
                }
            }
            for run in store.runs().of_project(entry.project.id).unwrap() {
                store.events().since(run.id, 0).unwrap();
            }
            store.history_walks(entry.project.id);
        }
        store.projects().create("After").unwrap();
        (store, whole)
    }
}

trait Walks {
    fn history_walks(&self, project: ProjectId);
}

impl Walks for HistoryStore {
    fn history_walks(&self, project: ProjectId) {
        while self.steps().undo(project).unwrap().undoable > 0 {}
        while self.steps().redo(project).unwrap().redoable > 0 {}
    }
}

/// A salvaged store keeps the damaged bytes aside and tells of them; one that was not damaged tells nothing.
fn assert_told(store: &HistoryStore, folder: &Path, broken: &[u8], case: &str) -> bool {
    let Some(salvaged) = store.salvaged().unwrap() else {
        assert!(!folder.join("damaged").exists(), "{case}");
        return false;
    };
    assert!(salvaged.kept_aside.starts_with(folder.join("damaged")), "{case}");
    assert!(
        fs::read(salvaged.kept_aside.join("facsimile.db")).unwrap().len() >= broken.len().min(1),
        "{case}"
    );
    let message = salvaged.message();
    assert!(message.contains("damaged") && message.contains(&folder.display().to_string()), "{message}");
    store.acknowledge_salvaged().unwrap();
    assert_eq!(store.salvaged().unwrap(), None);
    true
}

#[test]
fn broken_pages_cost_only_what_stood_on_them() {
    let sound = Sound::new();
    let bytes = sound.database();
    let pages = bytes.len() / PAGE_BYTES;
    let (mut told, mut kept, mut cases) = (0, 0, 0);
    for case in 0..200_usize {
        let page = (case * 7919) % pages;
        let mut broken = bytes.clone();
        let (from, to) = match case % 3 {
            0 => (0, PAGE_BYTES),
            1 => (8, 64),
            _ => (2_000, 2_040),
        };
        broken[page * PAGE_BYTES + from..page * PAGE_BYTES + to].iter_mut().for_each(|byte| *byte ^= 0x5A);
        let folder = sound.with_database(&broken);

        let case = format!("case {case}, page {page}");
        let (store, whole) = sound.saved(folder.path(), &case);

        told += usize::from(assert_told(&store, folder.path(), &broken, &case));
        kept += whole;
        cases += 1;
    }
    let all = cases * sound.versions.len();
    assert!(told > 40, "only {told} of {cases} were noticed");
    assert!(kept * 100 >= all * 75, "only {kept} of {all} versions were saved");
}

/// A database too long to be looked through at a start is looked through later, and mended at the next start.
#[test]
fn damage_in_a_long_database_is_found_beside_the_work_and_mended_at_the_next_start() {
    const LONG_BYTES: usize = 65 * 1024 * 1024;
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Long").unwrap();
    let run = begin(&store, project, 1).run;
    store.events().append(run, events(1, 200)).unwrap();
    store.flush().unwrap();
    let page = file("index.html", &"x".repeat(LONG_BYTES));
    let (parent, kind, label) = (None, VersionKind::Result, String::new());
    store
        .versions()
        .add(NewVersion { project, parent, made_by: None, label, kind, files: vec![page] })
        .unwrap();
    let is_sound = store.look_through().unwrap().is_none();
    drop(store);
    let database = folder.path().join("facsimile.db");
    let mut bytes = fs::read(&database).unwrap();
    let event = br#""seq":150"#;
    let at = bytes.windows(event.len()).position(|window| window == event).unwrap();
    let start = at / PAGE_BYTES * PAGE_BYTES;
    bytes[start..start + 8].iter_mut().for_each(|byte| *byte ^= 0x5A);
    fs::write(&database, &bytes).unwrap();

    let store = HistoryStore::open_or_salvage(folder.path()).unwrap();
    let opened = (store.salvaged().unwrap().is_none(), store.look_through().unwrap().is_some());
    drop(store);
    let store = HistoryStore::open_or_salvage(folder.path()).unwrap();

    assert!(is_sound);
    assert_eq!(opened, (true, true));
    let salvaged = store.salvaged().unwrap().unwrap();
    assert_eq!((salvaged.projects, salvaged.versions, salvaged.cut), (1, 1, vec!["events".to_owned()]));
    assert_eq!(store.look_through().unwrap(), None);
}

#[test]
fn a_cut_file_keeps_what_stands_before_the_cut() {
    let sound = Sound::new();
    let bytes = sound.database();
    let mut told = 0;
    for case in 0..50_usize {
        let broken = &bytes[..bytes.len() * case / 50];
        let folder = sound.with_database(broken);

        let name = format!("cut at {}", broken.len());
        let (store, _) = sound.saved(folder.path(), &name);

        told += usize::from(assert_told(&store, folder.path(), broken, &name));
    }
    assert_eq!(told, 50);
}

#[test]
fn a_database_without_its_journal_opens_with_what_was_written_back() {
    let sound = Sound::new();
    let folder = TempDir::new().unwrap();
    // A program that died: the journal was not written back.
    let living = HistoryStore::open(sound.folder.path()).unwrap();
    living.projects().rename(sound.projects[0], "In the journal").unwrap();
    fs::copy(sound.folder.path().join("facsimile.db"), folder.path().join("facsimile.db")).unwrap();

    let (store, whole) = sound.saved(folder.path(), "no journal");

    assert_eq!((whole, store.salvaged().unwrap()), (sound.versions.len(), None));
    assert_eq!(store.projects().get(sound.projects[0]).unwrap().name, "Project 0");
}

#[test]
fn an_unreadable_database_is_replaced_by_the_newest_backup() {
    let sound = Sound::new();
    let folder = sound.with_database(&vec![7; 20_000]);
    let backups = folder.path().join("backups");
    fs::create_dir_all(&backups).unwrap();
    fs::write(backups.join("facsimile-0000000000001-schema-1.db"), "older").unwrap();
    fs::write(backups.join("facsimile-0000000000002-schema-1.db"), sound.database()).unwrap();

    let (store, whole) = sound.saved(folder.path(), "backup");

    assert_eq!((whole, store.salvaged().unwrap().unwrap().from_backup), (sound.versions.len(), true));
    assert_eq!(store.assets().read(&sound.asset).unwrap(), b"\x89PNG picture");
}

#[test]
fn a_sound_database_of_another_program_is_not_moved() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("facsimile.db");
    rusqlite::Connection::open(&database).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();

    let opened = HistoryStore::open_or_salvage(folder.path());

    assert!(matches!(opened, Err(StoreError::Damaged { .. })), "{opened:?}");
    let theirs = rusqlite::Connection::open(&database).unwrap().execute_batch("SELECT x FROM theirs");
    assert!(theirs.is_ok() && !folder.path().join("damaged").exists());
}

#[test]
fn a_database_that_another_program_has_open_is_not_replaced() {
    let sound = Sound::new();
    let living = HistoryStore::open(sound.folder.path()).unwrap();
    living.flush().unwrap();
    let mut broken = sound.database();
    let length = broken.len();
    broken[PAGE_BYTES..length].iter_mut().for_each(|byte| *byte ^= 0x5A);
    fs::write(sound.folder.path().join("facsimile.db"), &broken).unwrap();

    let opened = HistoryStore::open_or_salvage(sound.folder.path());

    assert!(matches!(opened, Err(StoreError::Damaged { .. })), "{opened:?}");
    assert!(!sound.folder.path().join("damaged").exists());
    std::mem::forget(living);
}
