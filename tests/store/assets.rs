//! Assets: stored once, found by their name in pages, and gone when nothing needs them.

use std::fs;
use std::path::{Path, PathBuf};

use facsimile_store::{HistoryStore, NewAsset, NewInput, NewVersion, StoreError, Swept, VersionKind};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{begin, both_places, file};

fn png(bytes: &[u8]) -> NewAsset {
    NewAsset::new(bytes.to_vec(), "image/png", "png")
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn the_same_bytes_are_stored_once_and_found_by_their_name_in_pages() {
    for (store, folder) in both_places() {
        let first = store.assets().put(png(b"picture").sized_px(3, 2)).unwrap();
        let again = store.assets().put(png(b"picture")).unwrap();
        let prefix = &first.id.as_str()[..16];

        let found = store.assets().find_by_prefix(prefix).unwrap();
        let missing =
            ["0123456789abcdef", &prefix[..15], "%"].map(|name| store.assets().find_by_prefix(name).unwrap());

        assert_eq!((&again, found.as_ref()), (&first, Some(&first)));
        assert_eq!(missing, [None, None, None]);
        assert_eq!(
            (first.path_in_page.as_str(), first.bytes, first.size_px),
            (format!("assets/{prefix}.png").as_str(), 7, Some((3, 2)))
        );
        assert_eq!(store.assets().read(&first.id).unwrap(), b"picture");
        if let Some(folder) = folder {
            let path = folder.path().join("assets").join(&prefix[..2]).join(first.id.as_str());
            assert_eq!(files_below(&folder.path().join("assets")), [path]);
        }
    }
}

#[test]
fn another_projects_asset_is_unknown_to_a_project() {
    for (store, _folder) in both_places() {
        let (one, two) = (store.projects().create("One").unwrap(), store.projects().create("Two").unwrap());
        let asset = store.assets().put_for(one, "logo", png(b"logo")).unwrap();
        store.assets().link(one, &asset.id, "the logo").unwrap();
        let prefix = &asset.id.as_str()[..16];

        let found = [one, two].map(|project| store.assets().find_in_project(project, prefix).unwrap());

        assert_eq!(found, [Some(asset.clone()), None]);
        let linked: Vec<_> = store
            .assets()
            .of_project(one)
            .unwrap()
            .into_iter()
            .map(|linked| (linked.asset, linked.label))
            .collect();
        assert_eq!(linked, [(asset, "the logo".to_owned())]);
    }
}

#[test]
fn linking_what_is_not_there_names_what_is_missing() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("One").unwrap();
        let asset = store.assets().put(png(b"here")).unwrap().id;
        let unknown = facsimile_agent::AssetId::parse(&"0".repeat(64)).unwrap();

        let no_asset = store.assets().link(project, &unknown, "");
        let no_project = store.assets().link(facsimile_agent::ProjectId::fresh(), &asset, "");

        assert!(matches!(no_asset, Err(StoreError::NotFound { what: "asset", .. })), "{no_asset:?}");
        assert!(matches!(no_project, Err(StoreError::NotFound { what: "project", .. })), "{no_project:?}");
    }
}

/// S-39: what is in flight or in use stays; a file without a row, an unfinished one and an old unused row go.
#[test]
fn a_sweep_removes_only_what_nothing_needs() {
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let linked = store.assets().put_for(project, "", png(b"linked")).unwrap();
    let shown = store.assets().put(png(b"thumbnail")).unwrap();
    store.projects().set_thumbnail(project, &shown.id).unwrap();
    let in_flight = store.assets().put(png(b"in flight")).unwrap();
    let (unused, used_again) =
        (store.assets().put(png(b"unused")).unwrap(), store.assets().put(png(b"again")).unwrap());
    let aged = "UPDATE assets SET put_at_ms = 0, created_at_ms = 0 WHERE sha256 <> ?1";
    let database = Connection::open(folder.path().join("facsimile.db")).unwrap();
    database.execute(aged, [in_flight.id.as_str()]).unwrap();
    store.assets().put(png(b"again")).unwrap();
    let shelf = folder.path().join("assets").join("00");
    fs::create_dir_all(&shelf).unwrap();
    fs::write(shelf.join("0".repeat(64)), "no row").unwrap();
    fs::write(shelf.join(".unfinished-1"), "half").unwrap();
    fs::write(shelf.join("notes.txt"), "not ours").unwrap();

    let swept = store.assets().sweep_orphans().unwrap();
    let swept_again = store.assets().sweep_orphans().unwrap();

    assert_eq!((swept, swept_again), (Swept { rows: 1, files: 3 }, Swept::default()));
    for kept in [linked, shown, in_flight, used_again] {
        store.assets().read(&kept.id).unwrap();
    }
    assert!(matches!(store.assets().read(&unused.id), Err(StoreError::NotFound { .. })));
    assert!(shelf.join("notes.txt").exists());
}

/// S-39 and S-49.
#[test]
fn deleting_a_project_leaves_no_trace_of_it_on_disk_and_takes_nothing_from_others() {
    const SECRET: &str = "embargoed-Q7x";
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let (gone, stays) = (store.projects().create(SECRET).unwrap(), store.projects().create("Stays").unwrap());
    let shared = store.assets().put_for(gone, "", png(b"shared")).unwrap();
    store.assets().link(stays, &shared.id, "").unwrap();
    let own = store.assets().put_for(gone, "", png(format!("{SECRET} picture").as_bytes())).unwrap();
    store.projects().set_thumbnail(gone, &own.id).unwrap();
    let input = NewInput {
        name: SECRET.to_owned(),
        asset: own.id.clone(),
        mime: "image/png".to_owned(),
        width_px: 1,
        height_px: 1,
        bytes: own.bytes,
    };
    store.inputs().attach(&[store.inputs().add(input).unwrap()], gone).unwrap();
    let run = begin(&store, gone, 1).run;
    store
        .events()
        .append(run, (1..=300).map(|seq| (seq, format!("{SECRET} {}", "x".repeat(500)))).collect())
        .unwrap();
    let version = |project, text: &str| NewVersion {
        project,
        parent: None,
        made_by: None,
        label: String::new(),
        kind: VersionKind::Result,
        files: vec![file("index.html", text), file("same.css", "a{}")],
    };
    store.versions().add(version(gone, &format!("{SECRET} page"))).unwrap();
    let kept = store.versions().add(version(stays, "page")).unwrap();
    fs::write(folder.path().join("backups").join("facsimile-0000000000001-schema-0.db"), SECRET).unwrap();
    store.flush().unwrap();

    store.projects().delete(gone).unwrap();

    let traces: Vec<_> = files_below(folder.path())
        .into_iter()
        .filter(|path| fs::read(path).unwrap().windows(SECRET.len()).any(|bytes| bytes == SECRET.as_bytes()))
        .collect();
    assert_eq!(traces, Vec::<PathBuf>::new());
    assert_eq!(store.versions().files(kept).unwrap(), [file("index.html", "page"), file("same.css", "a{}")]);
    assert_eq!(store.assets().read(&shared.id).unwrap(), b"shared");
    assert_eq!(
        store.projects().list().unwrap().iter().map(|entry| entry.project.id).collect::<Vec<_>>(),
        [stays]
    );
    assert_eq!(store.damage().unwrap(), Vec::<String>::new());
    let again = store.projects().delete(gone);
    assert!(matches!(again, Err(StoreError::NotFound { what: "project", .. })), "{again:?}");
}

#[test]
fn removing_a_version_keeps_the_texts_and_children_of_others() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let version = |parent, text: &str| NewVersion {
            project,
            parent,
            made_by: None,
            label: String::new(),
            kind: VersionKind::Result,
            files: vec![file("index.html", text), file("same.css", "a{}")],
        };
        let first = store.versions().add(version(None, "one")).unwrap();
        let second = store.versions().add(version(Some(first), "two")).unwrap();

        store.versions().remove(first).unwrap();

        assert_eq!(
            store.versions().files(second).unwrap(),
            [file("index.html", "two"), file("same.css", "a{}")]
        );
        let tree: Vec<_> =
            store.versions().of_project(project).unwrap().iter().map(|v| (v.id, v.parent)).collect();
        assert_eq!(tree, [(second, None)]);
        assert!(matches!(store.versions().files(first), Err(StoreError::NotFound { .. })));
    }
}
