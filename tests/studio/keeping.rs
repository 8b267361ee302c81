//! Projects as a whole: renamed, duplicated, deleted, carried away in one file and taken in from one.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use facsimile_agent::{ProjectId, VariantIndex};
use facsimile_store::HistoryStore;
use facsimile_studio::{StorageKind, Studio, StudioError};
use tempfile::TempDir;
use tokio::runtime::Handle;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::support::{drawn, ends, request, taken};

const SECRET: &str = "Quillfeather";

/// A studio on disk with one finished project.
pub async fn kept(folder: &Path) -> (Studio, ProjectId) {
    let studio = Studio::over(HistoryStore::open(folder).unwrap(), Handle::current()).unwrap();
    let input = taken(&studio, "drawn.png", drawn());
    let mut request = request(&[input], 1);
    request.text = format!("Make it like {SECRET}");
    let started = studio.start_run(request).unwrap();
    studio.ended(started.run).await.unwrap();
    studio.rename_project(started.project, "  Shop \u{7}front ").unwrap();
    (studio, started.project)
}

/// What a person would see of a project, without ids and times.
pub fn seen(studio: &Studio, project: ProjectId) -> impl PartialEq + std::fmt::Debug + use<> {
    let view = studio.project_view(project).unwrap();
    let runs: Vec<_> = view
        .runs
        .iter()
        .map(|run| {
            let (snapshot, _) = studio.attach(run.id).unwrap();
            let (_, files) = studio.files_of(run.id, VariantIndex(0)).unwrap();
            let inputs: Vec<_> = run.inputs.iter().map(|input| input.name.clone()).collect();
            (run.text.clone(), inputs, ends(&snapshot.events), snapshot.events.len(), files)
        })
        .collect();
    let assets: Vec<_> = studio
        .store()
        .assets()
        .of_project(project)
        .unwrap()
        .into_iter()
        .map(|linked| (studio.store().assets().read(&linked.asset.id).unwrap(), linked.label))
        .collect();
    let standing = studio.history(project).unwrap();
    (runs, assets, standing.entries.len(), standing.standing.version.is_some())
}

fn names(studio: &Studio) -> Vec<String> {
    studio.project_cards().unwrap().into_iter().map(|card| card.name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_goes_out_into_a_file_and_comes_in_elsewhere_as_it_was() {
    let (here, there, place) = (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    let (studio, project) = kept(here.path()).await;
    let files = ["one", "two"].map(|name| place.path().join(format!("{name}.facsimile")));
    for file in &files {
        studio.export_project(project, file).unwrap();
    }
    let other = Studio::over(HistoryStore::open(there.path()).unwrap(), Handle::current()).unwrap();

    let imported = other.import_project(&files[0]).unwrap();
    let again = other.import_project(&files[0]).unwrap();

    assert_eq!(fs::read(&files[0]).unwrap(), fs::read(&files[1]).unwrap(), "the same bytes each time");
    assert_eq!(seen(&other, imported), seen(&studio, project));
    assert_eq!(seen(&other, again), seen(&studio, project));
    assert_eq!(names(&other), ["Shop front", "Shop front"]);
    assert_eq!(other.store().damage().unwrap(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_lives_on_when_the_first_is_deleted() {
    let here = TempDir::new().unwrap();
    let (studio, project) = kept(here.path()).await;
    let before = seen(&studio, project);

    let copy = studio.duplicate_project(project, "Shop front copy").unwrap();
    let deleting = studio.clone();
    tokio::task::spawn_blocking(move || deleting.delete_project(project)).await.unwrap().unwrap();

    assert_eq!(seen(&studio, copy), before);
    assert_eq!(names(&studio), ["Shop front copy"]);
    assert_eq!(studio.store().damage().unwrap(), Vec::<String>::new());
}

// S-49
#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_deleted_project_is_found_on_disk() {
    let here = TempDir::new().unwrap();
    let (studio, project) = kept(here.path()).await;
    assert!(!holding(here.path(), SECRET).is_empty(), "it is there before");

    let deleting = studio.clone();
    tokio::task::spawn_blocking(move || deleting.delete_project(project)).await.unwrap().unwrap();

    let assets = files_below(&here.path().join("assets"));
    assert_eq!((holding(here.path(), SECRET), assets), (Vec::new(), Vec::new()));
    assert!(names(&studio).is_empty());
}

/// Waits until nobody has the database open any more: its journal is gone then, and would hide what is done to it.
async fn closed(folder: &Path) {
    while folder.join("facsimile.db-wal").exists() {
        tokio::task::yield_now().await;
    }
}

// S-49: what was set aside of a damaged history is told of, and nothing is left once it is cleared.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_copy_of_a_deleted_project_is_told_of_and_can_be_cleared() {
    let here = TempDir::new().unwrap();
    let (studio, _) = kept(here.path()).await;
    drop(studio);
    closed(here.path()).await;
    let database = here.path().join("facsimile.db");
    let mut bytes = fs::read(&database).unwrap();
    bytes[100..400].fill(0xA5);
    fs::write(&database, bytes).unwrap();
    let studio = Studio::open(here.path(), Handle::current()).unwrap();
    let projects: Vec<_> = studio.projects().unwrap().into_iter().map(|found| found.project.id).collect();

    let deleting = studio.clone();
    tokio::task::spawn_blocking(move || projects.into_iter().try_for_each(|id| deleting.delete_project(id)))
        .await
        .unwrap()
        .unwrap();

    let aside = here.path().join("damaged");
    assert!(holding(here.path(), SECRET).iter().all(|file| file.starts_with(&aside)));
    assert!(studio.keeps_damaged_copy());
    let cleared = studio.clear_storage(StorageKind::Damaged).unwrap();
    assert_eq!(holding(here.path(), SECRET), Vec::<PathBuf>::new());
    assert!(!studio.keeps_damaged_copy());
    assert!(cleared.parts.iter().all(|part| part.kind != StorageKind::Damaged || part.bytes == 0));
}

// S-49
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_project_stays_deleted_whatever_else_cannot_be_measured() {
    let here = TempDir::new().unwrap();
    let (studio, _) = kept(here.path()).await;
    let in_the_way = |name: &str| {
        let path = here.path().join(name);
        // What is not there yet is in nobody's way.
        let _ = fs::remove_dir_all(&path);
        fs::write(path, "a file where a folder should be").unwrap();
    };
    in_the_way("backups");
    assert!(studio.storage_view().is_err(), "nothing is in the way");
    assert!(!studio.keeps_damaged_copy());
    in_the_way("damaged");
    assert!(studio.keeps_damaged_copy(), "what nobody can look at may hold it");
}

#[tokio::test(flavor = "multi_thread")]
async fn clearing_pictures_and_backups_leaves_the_projects_whole() {
    let here = TempDir::new().unwrap();
    let (studio, project) = kept(here.path()).await;
    let before = seen(&studio, project);
    let version = studio.history(project).unwrap().standing.version.unwrap();
    studio.keep_picture(version, &drawn()).unwrap();
    fs::create_dir_all(here.path().join("backups")).unwrap();
    fs::write(here.path().join("backups/facsimile-0000000000001-schema-1.db"), "old").unwrap();
    let files = |studio: &Studio| -> Vec<_> {
        let parts = studio.storage_view().unwrap().parts;
        parts.iter().filter(|part| part.can_clear).map(|part| (part.kind, part.files)).collect()
    };
    let full = files(&studio);

    for kind in [StorageKind::Pictures, StorageKind::Backups, StorageKind::History, StorageKind::Assets] {
        studio.clear_storage(kind).unwrap();
    }

    assert_eq!(full, [(StorageKind::Pictures, 1), (StorageKind::Backups, 1)]);
    assert_eq!(files(&studio), []);
    assert_eq!(seen(&studio, project), before);
    assert_eq!(studio.version_thumbnail(version).unwrap(), None);
    assert_eq!(studio.store().damage().unwrap(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_refused_that_nobody_could_read() {
    let here = TempDir::new().unwrap();
    let (studio, project) = kept(here.path()).await;
    for name in ["", " \n", &"x".repeat(201)] {
        assert!(matches!(studio.rename_project(project, name), Err(StudioError::BadName)), "{name:?}");
    }
    assert_eq!(names(&studio), ["Shop front"]);
}

fn entries_of(file: &Path) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(fs::read(file).unwrap())).unwrap();
    (0..zip.len())
        .map(|index| {
            let mut entry = zip.by_index(index).unwrap();
            let mut bytes = Vec::new();
            std::io::copy(&mut entry, &mut bytes).unwrap();
            (entry.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

fn zipped(entries: &[(String, Vec<u8>)], options: SimpleFileOptions) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(name.as_str(), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn replaced(entries: &[(String, Vec<u8>)], name: &str, change: impl Fn(&str) -> String) -> Vec<u8> {
    let changed: Vec<_> = entries
        .iter()
        .map(|(entry, bytes)| match entry == name {
            true => (entry.clone(), change(std::str::from_utf8(bytes).unwrap()).into_bytes()),
            false => (entry.clone(), bytes.clone()),
        })
        .collect();
    zipped(&changed, SimpleFileOptions::default())
}

/// Same length, so that every offset of the file stays.
fn overwritten(file: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let places: Vec<_> =
        file.windows(from.len()).enumerate().filter(|(_, at)| *at == from).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    for at in places {
        file[at..at + to.len()].copy_from_slice(to);
    }
    file
}

// S-36
#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_file_is_refused_with_a_reason_and_leaves_nothing() {
    let (here, there, place) = (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    let (studio, project) = kept(here.path()).await;
    let good_file = place.path().join("good.facsimile");
    studio.export_project(project, &good_file).unwrap();
    let good = fs::read(&good_file).unwrap();
    let entries = entries_of(&good_file);
    let plain = SimpleFileOptions::default();
    let with = |name: &str, bytes: &[u8]| {
        let mut more = entries.clone();
        more.push((name.to_owned(), bytes.to_vec()));
        zipped(&more, plain)
    };
    let mut hostile: Vec<(String, Vec<u8>)> = [
        "../evil",
        "..\\evil",
        "/etc/evil",
        "C:\\evil",
        "\\\\host\\share\\evil",
        "assets/../../evil",
        "assets/./evil",
        "~/evil",
        "file:///evil",
        "contents/..",
        "assets/CON",
        "evil ",
        "assets/evil:stream",
        "assets/\u{202e}evil",
        "assets/evil/",
    ]
    .iter()
    .map(|name| (format!("named {name:?}"), with(name, b"evil")))
    .collect();
    let mut link = ZipWriter::new(Cursor::new(Vec::new()));
    link.add_symlink(format!("assets/{}", "a".repeat(64)), "/etc", plain).unwrap();
    hostile.push(("a link".into(), link.finish().unwrap().into_inner()));
    let (one, two) = ("contents/".to_owned() + &"a".repeat(64), "contents/".to_owned() + &"b".repeat(64));
    let twice = zipped(&[(one.clone(), vec![1]), (two.clone(), vec![2])], plain);
    hostile.push(("two of one name".into(), overwritten(&twice, two.as_bytes(), one.as_bytes())));
    let mut many = good.clone();
    let end = many.len() - 22;
    many[end + 8..end + 12].copy_from_slice(&[0xff; 4]);
    hostile.push(("too many entries".into(), many));
    let bomb = zipped(&[(one, vec![0; 300 * 1024 * 1024])], plain);
    hostile.push(("a bomb".into(), bomb));
    let mut encrypted = good.clone();
    let central = encrypted.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
    encrypted[central + 8] |= 1;
    hostile.push(("encrypted".into(), encrypted));
    for tenth in 1..10 {
        hostile.push((format!("cut at {tenth}/10"), good[..good.len() * tenth / 10].to_vec()));
    }
    hostile.push(("empty".into(), Vec::new()));
    hostile.push(("a picture".into(), drawn()));
    hostile.push(("another zip".into(), zipped(&[("readme.txt".into(), b"hello".to_vec())], plain)));
    let text = entries.iter().find(|(name, _)| name.starts_with("contents/")).unwrap().0.clone();
    hostile.push(("a text that was changed".into(), replaced(&entries, &text, |text| format!("{text} "))));
    let rows = |from: &'static str, to: &'static str| {
        replaced(&entries, "rows.json", |rows| {
            assert!(rows.contains(from), "{from}");
            rows.replacen(from, to, 1)
        })
    };
    hostile.push(("rows that are none".into(), rows("{", "[")));
    hostile.push((
        "a table of ours".into(),
        rows("\"projects\":[", "\"settings\":[{\"key\":\"window\"}],\"projects\":["),
    ));
    hostile.push((
        "a column with words".into(),
        rows("\"instruction\":", "\"kind) VALUES (1); DROP TABLE runs; --\":"),
    ));
    hostile.push(("a state nobody knows".into(), rows("\"state\":\"succeeded\"", "\"state\":\"evil\"")));
    hostile
        .push(("a path that escapes".into(), rows("\"path\":\"index.html\"", "\"path\":\"../evil.html\"")));
    hostile.push((
        "a newer format".into(),
        replaced(&entries, "facsimile.json", |_| r#"{"format": 99, "program": "9.0.0"}"#.to_owned()),
    ));
    let project_id = project.to_string();
    let foreign = replaced(&entries, "rows.json", |rows| {
        rows.replace(
            &format!("\"project\":\"{project_id}\""),
            "\"project\":\"01900000-0000-7000-8000-000000000000\"",
        )
    });
    hostile.push(("rows of another project".into(), foreign));

    let other = Studio::over(HistoryStore::open(there.path()).unwrap(), Handle::current()).unwrap();
    let outside = files_below(place.path());
    let before = files_below(there.path());
    for (what, bytes) in hostile {
        let file = place.path().join("hostile.facsimile");
        fs::write(&file, bytes).unwrap();
        let refused = other.import_project(&file);
        let Err(StudioError::Archive(refused)) = refused else { panic!("{what}: {refused:?}") };
        assert!(refused.to_string().contains("hostile.facsimile"), "{what}: {refused}");
        fs::remove_file(&file).unwrap();
    }

    assert_eq!((files_below(place.path()), files_below(there.path())), (outside, before));
    assert_eq!(names(&other), Vec::<String>::new());
    assert!(other.import_project(&good_file).is_ok(), "the good one still comes in");
}

// S-37
#[tokio::test(flavor = "multi_thread")]
async fn an_export_that_fails_leaves_the_file_that_was_there() {
    let (here, place) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (studio, project) = kept(here.path()).await;
    let file = place.path().join("shop.facsimile");
    fs::write(&file, "older").unwrap();
    for asset in files_below(&here.path().join("assets")) {
        fs::remove_file(asset).unwrap();
    }

    let failed = studio.export_project(project, &file);

    assert!(failed.is_err());
    assert_eq!(
        (fs::read_to_string(&file).unwrap().as_str(), files_below(place.path())),
        ("older", vec![file])
    );
}

pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// The files that hold these words.
fn holding(folder: &Path, words: &str) -> Vec<PathBuf> {
    let holds =
        |path: &PathBuf| fs::read(path).unwrap().windows(words.len()).any(|at| at == words.as_bytes());
    files_below(folder).into_iter().filter(holds).collect()
}
