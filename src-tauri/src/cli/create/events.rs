//! The event file: every event as the window gets it, one JSON line each.

use std::io::{self, Write};
use std::path::Path;

use facsimile_studio::RunEvent;

use crate::cli::Exit;
use crate::place;

/// An event file that is being written.
pub struct EventFile {
    out: Box<dyn Write>,
}

impl EventFile {
    /// Opens it; `-` is standard output.
    pub fn create(path: &Path) -> Result<Self, Exit> {
        if path == Path::new("-") {
            return Ok(Self { out: Box::new(io::stdout()) });
        }
        let file = place::create_file(path).map_err(|error| {
            let path = path.display();
            Exit::failed(format!("{path} could not be written ({error}). Choose another place with --events"))
        })?;
        Ok(Self { out: Box::new(file) })
    }

    /// Writes one event as one line, so that a killed program leaves whole lines.
    pub fn write(&mut self, event: &RunEvent) -> Result<(), Exit> {
        let failed = |error: &dyn std::fmt::Display| {
            Exit::failed(format!("the events could not be written ({error})"))
        };
        let mut line = serde_json::to_string(event).map_err(|error| failed(&error))?;
        line.push('\n');
        self.out.write_all(line.as_bytes()).and_then(|()| self.out.flush()).map_err(|error| failed(&error))
    }
}
