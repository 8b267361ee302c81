//! The program. What it does stands in the library beside it.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    facsimile_shell::main()
}
