use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folder of the log, in the data folder.
pub const LOG_FOLDER: &str = "logs";
const NAME: &str = "facsimile";
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// The one that is written and those before it.
const FILES: usize = 5;

/// A log in files of a bounded size, the oldest of which goes.
#[derive(Debug)]
pub struct LogFiles {
    folder: PathBuf,
    max_file_bytes: u64,
    turn: Mutex<()>,
}

impl LogFiles {
    /// The log of a data folder.
    pub fn below(data_folder: &Path) -> Self {
        Self::bounded(data_folder.join(LOG_FOLDER), MAX_FILE_BYTES)
    }

    pub(super) fn bounded(folder: PathBuf, max_file_bytes: u64) -> Self {
        Self { folder, max_file_bytes, turn: Mutex::new(()) }
    }

    /// Adds a line. A log that cannot be written is left alone: nobody waits for it and nothing stops for it.
    pub(super) fn append(&self, line: &str) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // There is nowhere to say it.
        let _ = self.write(line);
    }

    /// The file is opened for each line: another process over the same folder may have moved it away.
    fn write(&self, line: &str) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let current = self.file(0);
        if fs::metadata(&current).is_ok_and(|found| found.len() + line.len() as u64 >= self.max_file_bytes) {
            self.make_room();
        }
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // In one piece, so that lines of two processes do not mix.
        options.open(current)?.write_all(format!("{line}\n").as_bytes())
    }

    fn make_room(&self) {
        for age in (0..FILES - 1).rev() {
            // One that is not there needs no room, and one that does not move is overtaken by the next.
            let _ = fs::rename(self.file(age), self.file(age + 1));
        }
    }

    fn file(&self, age: usize) -> PathBuf {
        let name = if age == 0 { format!("{NAME}.log") } else { format!("{NAME}.{age}.log") };
        self.folder.join(name)
    }

    /// The files there are with their texts, the oldest first.
    pub fn texts(&self) -> Vec<(String, String)> {
        let read = |age| {
            let path = self.file(age);
            let text = fs::read(&path).ok()?;
            Some((
                path.file_name()?.to_string_lossy().into_owned(),
                String::from_utf8_lossy(&text).into_owned(),
            ))
        };
        (0..FILES).rev().filter_map(read).collect()
    }
}
