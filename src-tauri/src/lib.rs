//! The shell: the only code that names Tauri. It opens the window over [`facsimile_studio::Studio`], or runs a
//! subcommand without one.

#[cfg(test)]
mod bindings;
pub mod camera;
mod cli;
mod commands;
mod error;
mod events;
#[cfg(target_os = "linux")]
mod lookups;
mod place;
mod preview;
mod window;

use std::process::ExitCode;

use clap::Parser;

use cli::Arguments;

/// Does what the command line says and gives the exit status.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command {
        None => window::open(arguments.files),
        Some(command) => cli::run(command),
    }
}
