//! What only drawn pages can tell of the meter: pages that nobody here wrote, and pages of our own, before the program's
//! own camera.
//!
//! With `--long`, as in `cargo test -p facsimile --test drawn -- --long`, more pages are read, and every defect is done
//! to every page of a list at every strength, which takes an hour or two. `FACSIMILE_DRAWN_KEPT=FOLDER` keeps what was
//! drawn: the example `defects` of the vision crate measures it again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // it stops at the first surprise

#[cfg(target_os = "linux")]
#[allow(dead_code)] // does its own damage to pixels
#[path = "../../vision/fidelity/damage.rs"]
mod damage;
#[cfg(target_os = "linux")]
mod defects;
#[cfg(target_os = "linux")]
#[allow(dead_code)] // made for windows
#[path = "../desk.rs"]
mod desk;
#[cfg(target_os = "linux")]
mod own;
#[cfg(target_os = "linux")]
#[allow(dead_code)] // reads its own files
#[path = "../../vision/fidelity/page.rs"]
mod page;
#[cfg(target_os = "linux")]
mod pages;
#[cfg(target_os = "linux")]
mod parallel;
#[cfg(target_os = "linux")]
mod recoloured;
#[cfg(target_os = "linux")]
#[allow(dead_code)] // made for windows
#[path = "../room.rs"]
mod room;

const DEFECTS: &str = "how_often_defects_of_thirty_pages_are_named_first";
const SOME: &str = "defects_of_drawn_pages_are_named_first";
const OWN: &str = "pages_score_high_against_their_own_screenshots";
const RECOLOURED: &str = "recoloured_blocks_are_where_the_lines_of_the_document_are";
/// Names the test that this program is the camera of.
#[cfg(target_os = "linux")]
const CAMERA: &str = "FACSIMILE_DRAWN";

/// The camera wants the main thread, which the usual harness keeps for itself.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let usual = [OWN, RECOLOURED, SOME];
    for name in usual.into_iter().chain(has("--long").then_some(DEFECTS)) {
        let is_wanted = wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted.as_str()));
        match (has("--ignored"), has("--list")) {
            (true, _) => {}
            (false, true) => println!("{name}: test"),
            #[cfg(target_os = "linux")]
            (false, false) if is_wanted => run(name, has("--long")),
            (false, false) => assert!(!is_wanted || cfg!(not(target_os = "linux"))),
        }
    }
}

/// The camera needs a display: this program starts itself again on a desktop of its own.
#[cfg(target_os = "linux")]
fn run(name: &str, is_long: bool) {
    use facsimile_shell::camera::beside_camera;

    match std::env::var(CAMERA) {
        Ok(test) if test == name => {
            let ended = beside_camera(move |camera| {
                let camera = camera.expect("a display");
                match test.as_str() {
                    DEFECTS => defects::try_all(&camera),
                    SOME => defects::try_some(&camera),
                    OWN => own::score_all(&camera, is_long),
                    _ => recoloured::compare(&camera),
                }
            });
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        Ok(_) => {}
        Err(_) => {
            let room = room::Room::new();
            let desk = desk::Desk::new(&room);
            let mut command = desk.command(std::env::current_exe().unwrap());
            command.env(CAMERA, name).args(is_long.then_some("--long"));
            let status = command.status().unwrap();
            assert!(status.success(), "{name}: {status}");
        }
    }
}
