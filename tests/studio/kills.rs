//! S-37: a project's file that is written or taken in, killed at each step.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use facsimile_store::HistoryStore;
use facsimile_studio::Studio;
use tempfile::TempDir;
use tokio::runtime::Handle;

use crate::child::{order, orders};
use crate::keeping::{files_below, kept, seen};

/// Every call that changes a file.
const WRITES: &str = "write,writev,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,\
                      mkdir,mkdirat,link,linkat,fchmod";
/// Kills of each part, spread over its calls.
const KILLS: usize = 24;

fn opened(folder: &Path) -> Studio {
    Studio::over(HistoryStore::open(&folder.join("data")).unwrap(), Handle::current()).unwrap()
}

/// What a child does; it says nothing, because a pipe is written to as well.
fn play(folder: &Path, part: &str) {
    let (studio, file) = (opened(folder), folder.join("shop.facsimile"));
    match part {
        "export" => {
            let project = studio.projects().unwrap()[0].project.id;
            studio.export_project(project, &file).unwrap();
        }
        _ => drop(studio.import_project(&file).unwrap()),
    }
}

fn copied(from: &Path, to: &Path) {
    for file in files_below(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, target).unwrap();
    }
}

/// How many files of assets there are, without those that nothing needs.
fn kept_assets(studio: &Studio, room: &Path) -> usize {
    studio.store().assets().sweep_orphans().unwrap();
    files_below(&room.join("data/assets")).len()
}

/// Runs a part in a copy of `start`; killed before the `nth` write of a thread, if there is one.
fn ran(test: &str, start: &Path, part: &str, nth: usize) -> (TempDir, bool) {
    let room = TempDir::new().unwrap();
    copied(start, room.path());
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qqq", "-o", "/dev/null", "-e", &format!("trace={WRITES}")]);
    traced.args(["-e", &format!("inject={WRITES}:signal=KILL:when={nth}")]);
    traced.arg(std::env::current_exe().unwrap());
    let ended = order(&mut traced, test, room.path(), part).output().unwrap();
    let is_killed = ended.status.signal() == Some(9) || ended.status.code() == Some(137);
    assert!(is_killed || ended.status.success(), "{part} {nth}: {ended:?}");
    (room, is_killed)
}

/// The numbers of the writes at which a part is killed: from its first to its last.
fn places(test: &str, start: &Path, part: &str) -> Vec<usize> {
    let (mut low, mut high) = (1, 4096);
    while low < high {
        let middle = (low + high) / 2;
        match ran(test, start, part, middle).1 {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    let writes = low - 1;
    let step = (writes / KILLS).max(1);
    (1..=writes).rev().step_by(step).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_killed_at_any_write_leaves_the_old_file_or_the_new_one() {
    if let Some(orders) = orders() {
        return play(&orders.folder, &orders.part);
    }
    let test = "kills::an_export_killed_at_any_write_leaves_the_old_file_or_the_new_one";
    let start = TempDir::new().unwrap();
    let (studio, project) = kept(&start.path().join("data")).await;
    let file = start.path().join("shop.facsimile");
    studio.rename_project(project, "Later").unwrap();
    studio.export_project(project, &file).unwrap();
    let new = fs::read(&file).unwrap();
    fs::write(&file, "older").unwrap();
    drop(studio);
    let mut left = [0, 0];

    for nth in places(test, start.path(), "export") {
        let (room, _) = ran(test, start.path(), "export", nth);
        let file = room.path().join("shop.facsimile");
        let found = fs::read(&file).unwrap();
        assert!(found == b"older" || found == new, "{nth}: {} bytes", found.len());
        left[usize::from(found == new)] += 1;
        for left in files_below(room.path()).iter().filter(|left| left.parent() == Some(room.path())) {
            // What a killed program left is swept once it has lain there for a while.
            let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
            fs::File::options().write(true).open(left).unwrap().set_modified(hour_ago).unwrap();
        }
        opened(room.path()).export_project(project, &file).unwrap();
        let beside: Vec<_> = files_below(room.path())
            .into_iter()
            .filter(|file| !file.starts_with(room.path().join("data")))
            .collect();
        assert_eq!((fs::read(&file).unwrap() == new, beside), (true, vec![file]), "{nth}");
    }
    assert!(left[0] > KILLS / 4, "most writes come before the file is there: {left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_killed_at_any_write_leaves_no_project_or_a_whole_one() {
    if let Some(orders) = orders() {
        return play(&orders.folder, &orders.part);
    }
    let test = "kills::an_import_killed_at_any_write_leaves_no_project_or_a_whole_one";
    let (elsewhere, start) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (studio, project) = kept(elsewhere.path()).await;
    studio.export_project(project, &start.path().join("shop.facsimile")).unwrap();
    let whole = seen(&studio, project);
    drop(opened(start.path()));
    let (room, _) = ran(test, start.path(), "import", usize::from(u16::MAX));
    let clean = kept_assets(&opened(room.path()), room.path());

    for nth in places(test, start.path(), "import") {
        let (room, _) = ran(test, start.path(), "import", nth);
        let studio = opened(room.path());
        let found = studio.projects().unwrap();
        assert!(found.len() < 2, "{nth}");
        assert!(found.iter().all(|found| seen(&studio, found.project.id) == whole), "{nth}");
        assert_eq!(studio.store().damage().unwrap(), Vec::<String>::new(), "{nth}");
        let again = studio.import_project(&room.path().join("shop.facsimile")).unwrap();
        assert_eq!(seen(&studio, again), whole, "{nth}");
        assert_eq!(kept_assets(&studio, room.path()), clean, "{nth}");
    }
}
