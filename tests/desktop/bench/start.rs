//! What it costs to start: the time until the window stands as it stays, and the memory of all its processes.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::desk::{Desk, Started};
use crate::room::Room;
use crate::screen::Screen;
use crate::session::family;

/// A window that has not changed for so long stands as it stays.
const STILL: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(3);
/// Below this share of the screen it is a caret that blinks.
const CARET: f64 = 0.001;
/// Above this share of the screen it is a window.
const WINDOW: f64 = 0.3;

/// What a start cost.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Until something of the window was on the screen.
    pub first_paint_s: f64,
    /// Until the screen was what it stayed.
    pub ready_s: f64,
    /// Of all processes, shared pages counted in parts.
    pub memory_mib: f64,
}

/// Starts a program once and ends it.
pub fn start(room: &Room, program: &Path) -> Cost {
    let desk = Desk::new(room);
    let screen = Screen::of(&room.path("screen"));
    let empty = screen.frame(screen.whole());
    let mut command = desk.command(program);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let started = Started::new(command);
    let mut frames = vec![(Duration::ZERO, empty.clone())];
    let mut changed = begun.elapsed();
    loop {
        let (now, frame) = (begun.elapsed(), screen.frame(screen.whole()));
        let last = &frames[frames.len() - 1].1;
        if frame != *last {
            if frame.difference(last) > CARET {
                changed = now;
            }
            frames.push((now, frame));
        }
        if frames.len() > 1 && now - changed > STILL {
            break;
        }
        assert!(now < STILL * 30, "{} shows nothing", program.display());
        std::thread::sleep(POLL);
    }
    let memory_mib = family(started.id()).into_iter().map(memory_kib).sum::<u64>() as f64 / 1024.0;
    let last = &frames[frames.len() - 1].1;
    let when = |is_reached: &dyn Fn(&crate::screen::Frame) -> bool| {
        frames.iter().find(|(_, frame)| is_reached(frame)).map_or(f64::NAN, |(at, _)| at.as_secs_f64())
    };
    Cost {
        first_paint_s: when(&|frame| frame.difference(&empty) > WINDOW),
        ready_s: when(&|frame| frame.difference(last) <= CARET),
        memory_mib,
    }
}

/// The memory that would come free if a process ended, its share of common pages included.
fn memory_kib(process: u32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
