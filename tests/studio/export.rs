//! Exports: what belongs to them, and that they are complete or not there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use facsimile_agent::{ProjectFiles, ProjectPath};
use facsimile_store::{HistoryStore, NewAsset};
use facsimile_studio::export::{ExportError, ExportPlan, PlannedFile};
use facsimile_studio::{Exported, Exporter};
use tempfile::TempDir;

fn exporter() -> Exporter {
    Exporter::new(HistoryStore::in_memory().unwrap())
}

fn path(name: &str) -> ProjectPath {
    ProjectPath::parse(name).unwrap()
}

fn plan(files: &[(&str, &str)]) -> ExportPlan {
    let files =
        files.iter().map(|(name, text)| PlannedFile { path: path(name), bytes: text.as_bytes().to_vec() });
    ExportPlan { files: files.collect(), ..ExportPlan::default() }
}

/// Every file below a folder, and every folder, with what it holds.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(&inner).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let text = if path.is_dir() { "a folder".to_owned() } else { fs::read_to_string(&path).unwrap() };
            found.insert(name, text);
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    found
}

fn wanted(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_plan_takes_the_project_s_own_pictures_and_no_others() {
    let store = HistoryStore::in_memory().unwrap();
    let [own, other] = ["Own", "Other"].map(|name| store.projects().create(name).unwrap());
    let put = |project, bytes: &[u8]| {
        let asset = NewAsset::new(bytes.to_vec(), "image/png", "png");
        store.assets().put_for(project, "picture", asset).unwrap().path_in_page
    };
    let (mine, unused, foreign) = (put(own, b"mine"), put(own, b"unused"), put(other, b"foreign"));
    let page = format!(
        "<img src=\"{mine}\"><img src=\"{foreign}\"><img src=\"assets/logo.png\"><img src=\"{mine}\">"
    );
    let files: ProjectFiles = [(path("index.html"), page.clone())].into_iter().collect();

    let planned = Exporter::new(store).plan(own, &files).unwrap();

    let mut told: Vec<_> =
        planned.files.iter().map(|file| (file.path.as_str(), file.bytes.as_slice())).collect();
    told.sort_unstable();
    assert_eq!(told, [(mine.as_str(), b"mine".as_slice()), ("index.html", page.as_bytes())]);
    assert_eq!(planned.warnings, [format!("{foreign} is named by the page but is not in the project.")]);
    assert!(!told.iter().any(|(name, _)| *name == unused));
}

/// What a plan of these files consists of, and its warnings.
fn planned(files: &[(&str, &str)]) -> ExportPlan {
    let store = HistoryStore::in_memory().unwrap();
    let project = store.projects().create("Any").unwrap();
    let files: ProjectFiles = files.iter().map(|(name, text)| (path(name), (*text).to_owned())).collect();
    Exporter::new(store).plan(project, &files).unwrap()
}

#[test]
fn the_libraries_that_a_page_names_go_along_and_no_others() {
    let page = "<link rel=stylesheet href=https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@6/css/all.min.css>\
        <script src=https://unpkg.com/react@17/umd/react.development.js></script>\
        <script src=https://cdn.example.org/own.js></script>";

    let plan = planned(&[("index.html", page), ("more/b.html", page)]);

    let names: Vec<_> = plan.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        names,
        [
            "index.html",
            "lib/@fortawesome/fontawesome-free/LICENSE.txt",
            "lib/@fortawesome/fontawesome-free/css/all.min.css",
            "lib/@fortawesome/fontawesome-free/webfonts/fa-brands-400.woff2",
            "lib/@fortawesome/fontawesome-free/webfonts/fa-regular-400.woff2",
            "lib/@fortawesome/fontawesome-free/webfonts/fa-solid-900.woff2",
            "lib/@fortawesome/fontawesome-free/webfonts/fa-v4compatibility.woff2",
            "lib/react/LICENSE.txt",
            "lib/react/umd/react.production.min.js",
            "more/b.html",
        ]
    );
    let text = |name: &str| {
        let file = plan.files.iter().find(|file| file.path.as_str() == name).unwrap();
        String::from_utf8(file.bytes.clone()).unwrap()
    };
    let copies = page
        .replace(
            "https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@6/css/all.min.css",
            "\"./lib/@fortawesome/fontawesome-free/css/all.min.css\"",
        )
        .replace(
            "https://unpkg.com/react@17/umd/react.development.js",
            "\"./lib/react/umd/react.production.min.js\"",
        );
    assert_eq!(
        [text("index.html"), text("more/b.html")],
        [copies.clone(), copies.replace("./lib", "../lib")]
    );
    assert_eq!(
        plan.warnings,
        ["index.html", "more/b.html"].map(|name| format!(
            "{name} loads https://cdn.example.org/own.js from the network; without one it is missing."
        ))
    );
}

#[test]
fn files_that_name_no_library_are_exported_byte_for_byte() {
    let files = [
        (
            "index.html",
            "\u{feff}<!DOCTYPE html>\r\n<IMG SRC=a.png><style>p{}</style><p>cdn.jsdelivr.net/npm/vue",
        ),
        ("script.js", "load('https://unpkg.com/vue@3')"),
        ("styles.css", "p { background: url(https://unpkg.com/x.png) }"),
    ];
    assert_eq!(planned(&files), plan(&files));
}

#[test]
fn a_file_of_the_project_keeps_its_place_before_a_library_s() {
    let page = "<script src=https://unpkg.com/vue@3></script>";
    let plan = planned(&[("index.html", page), ("lib/vue/dist/vue.global.prod.js", "mine")]);
    let told: Vec<_> = plan.files.iter().map(|file| (file.path.as_str(), file.bytes.len())).collect();
    assert_eq!(told[1..], [("lib/vue/LICENSE.txt", 1091), ("lib/vue/dist/vue.global.prod.js", 4)]);
}

#[test]
fn an_export_into_a_new_folder_is_told_and_whole() {
    let room = TempDir::new().unwrap();
    let folder = room.path().join("made/on the way/page");
    let files = [("assets/a.txt", "picture"), ("index.html", "page"), ("styles.css", "p{}")];

    let exported = exporter().write(&plan(&files), &folder).unwrap();

    let names = files.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(exported, Exported { folder: folder.clone(), files: names, bytes: 14, warnings: vec![] });
    assert_eq!(tree(&folder), wanted(&[&files[..], &[("assets", "a folder")]].concat()));
    assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1, "nothing lies beside it");
}

#[test]
fn an_export_of_nothing_makes_an_empty_folder() {
    let room = TempDir::new().unwrap();
    let folder = room.path().join("page");

    exporter().write(&ExportPlan::default(), &folder).unwrap();

    assert!(folder.is_dir() && tree(&folder).is_empty());
}

#[test]
fn what_is_in_the_way_is_named_and_nothing_changes() {
    for (name, is_folder) in [("page.html", true), ("assets", false)] {
        let room = TempDir::new().unwrap();
        fs::write(room.path().join("a.html"), "old").unwrap();
        let place = room.path().join(name);
        if is_folder {
            fs::create_dir(&place).unwrap()
        } else {
            fs::write(&place, "mine").unwrap()
        }
        let before = tree(room.path());

        let files = [("a.html", "new"), ("assets/x.txt", "new"), ("page.html", "new")];
        let refused = exporter().write(&plan(&files), room.path()).unwrap_err();

        let real = room.path().canonicalize().unwrap().join(name);
        assert!(matches!(refused, ExportError::InTheWay { path } if path == real), "{name}");
        assert_eq!(tree(room.path()), before);
    }
}

#[test]
fn a_reader_finds_every_file_old_or_new_at_every_moment_of_an_export() {
    const TURNS: usize = 200;
    let room = TempDir::new().unwrap();
    let texts = ["old ".repeat(20_000), "new ".repeat(30_000)];
    let names = ["a.html", "b.html", "c.html"];
    let plans = texts.each_ref().map(|text| plan(&names.map(|name| (name, text.as_str()))));
    let exporter = exporter();
    exporter.write(&plans[0], room.path()).unwrap();

    std::thread::scope(|scope| {
        let exporting = scope.spawn(|| {
            for turn in 1..=TURNS {
                exporter.write(&plans[turn % 2], room.path()).unwrap();
            }
        });
        while !exporting.is_finished() {
            for name in names {
                let found = fs::read_to_string(room.path().join(name));
                let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(texts.contains(&found), "{name} is half: {} bytes", found.len());
            }
        }
    });
    assert_eq!(tree(room.path()).len(), names.len());
}

#[cfg(unix)]
mod closed {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;
    use crate::child::{order, orders, said, say};

    const THIS_TEST: &str = "export::closed::an_export_that_fails_on_its_way_takes_back_what_it_has_done";
    const PART: &str = "export";
    const NOBODY: u32 = 65_534;

    fn allow(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Exports in a child that permissions hold for: root is not held by any.
    fn exported_by_a_plain_user(room: &Path, folder: &Path) -> Vec<String> {
        let program = room.join("child");
        // Not by us: a file that this process writes while another thread forks cannot be run.
        let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status().unwrap();
        assert!(copied.success());
        allow(&program, 0o755);
        let mut command = Command::new(&program);
        order(&mut command, THIS_TEST, folder, PART);
        if fs::metadata(room).unwrap().uid() == 0 {
            command.uid(NOBODY).gid(NOBODY);
        }
        said(&command.current_dir(room).output().unwrap().stdout)
    }

    #[test]
    fn an_export_that_fails_on_its_way_takes_back_what_it_has_done() {
        let files =
            [("a.html", "new"), ("made/b.html", "new"), ("other/c.html", "new"), ("shut/d.html", "new")];
        if let Some(orders) = orders() {
            assert_eq!(orders.part, PART);
            return match exporter().write(&plan(&files), &orders.folder) {
                Err(ExportError::NotAllowed { .. }) => say("not allowed"),
                other => say(&format!("{other:?}")),
            };
        }
        let room = TempDir::new().unwrap();
        allow(room.path(), 0o755);
        let folder = room.path().join("page");
        for inner in ["", "other", "shut"] {
            fs::create_dir(folder.join(inner)).unwrap();
            allow(&folder.join(inner), 0o777);
        }
        for (name, text) in [("a.html", "old"), ("other/c.html", "old"), ("other/mine.txt", "mine")] {
            fs::write(folder.join(name), text).unwrap();
        }
        allow(&folder.join("shut"), 0o555);
        let before = tree(&folder);

        let told = exported_by_a_plain_user(room.path(), &folder);

        assert_eq!((told, tree(&folder)), (vec!["not allowed".to_owned()], before));
    }
}

/// S-37: what a killed export left goes with the next one; what a living one uses, or nobody locked, stays.
#[test]
fn an_export_sweeps_what_killed_ones_left_beside_it() {
    let room = TempDir::new().unwrap();
    let target = room.path().join("page");
    fs::create_dir(&target).unwrap();
    let stage = |name: &str, held: bool| {
        let stage = target.join(format!(".facsimile-export-{name}"));
        fs::create_dir_all(stage.join("replaced")).unwrap();
        held.then(|| fs::File::create_new(stage.join("held")).unwrap())
    };
    let (dead, living, unlocked) = (stage("dead", true), stage("living", true), stage("unlocked", false));
    drop(dead);
    let living = living.unwrap();
    living.try_lock().unwrap();

    exporter().write(&plan(&[("index.html", "new")]), &target).unwrap();

    let left: Vec<_> = tree(&target).into_keys().filter(|name| !name.contains('/')).collect();
    assert_eq!(left, [".facsimile-export-living", ".facsimile-export-unlocked", "index.html"]);
    assert!(unlocked.is_none());
}
