//! How large files are and which names they may use.

use std::fs;
use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

const MOST_LINES: usize = 400;

/// Every file of ours below a folder with one of these extensions, relative to the repository.
pub fn sources(folders: &[&str], extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["node_modules", "dist", "target", "generated"].contains(&name.as_str())
                    && !name.starts_with('.')
                {
                    open.push(path);
                }
            } else if extensions.iter().any(|extension| name.ends_with(extension)) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "nothing found below {folders:?}");
    found.sort();
    found
}

/// Lines before the tests of a file.
fn lines_without_tests(text: &str) -> usize {
    text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count()
}

pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn no_file_is_longer_than_400_lines_without_its_tests() {
    let files = sources(&["src-tauri", "ui/src", "tests"], &[".rs", ".ts", ".svelte", ".css"]);
    let long: Vec<_> = files
        .iter()
        .map(|path| (lines_without_tests(&fs::read_to_string(path).unwrap()), shown(path)))
        .filter(|(lines, _)| *lines > MOST_LINES)
        .collect();
    assert_eq!(long, Vec::new());
}

#[test]
fn only_the_window_s_tauri_host_names_tauri_s_packages() {
    let naming: Vec<_> = sources(&["ui/src"], &[".ts", ".svelte"])
        .iter()
        .filter(|path| fs::read_to_string(path).unwrap().contains("@tauri-apps/"))
        .map(|path| shown(path))
        .collect();
    assert_eq!(naming, ["ui/src/ipc/tauri.ts"]);
}

#[test]
fn only_the_shell_names_tauri_and_only_the_store_names_sql() {
    let naming = |word: &str, home: &str| {
        let files = sources(&["src-tauri/src", "src-tauri/crates"], &[".rs"]);
        let strangers = files.iter().filter(|path| !shown(path).starts_with(home));
        strangers
            .filter(|path| fs::read_to_string(path).unwrap().contains(word))
            .map(|path| shown(path))
            .collect::<Vec<_>>()
    };
    assert_eq!(naming("tauri::", "src-tauri/src"), Vec::<String>::new());
    assert_eq!(naming("rusqlite::", "src-tauri/crates/store"), Vec::<String>::new());
    assert_eq!(naming("reqwest::", "src-tauri/crates/providers"), Vec::<String>::new());
}

#[test]
fn modules_are_files_beside_their_folders() {
    let old: Vec<_> = sources(&["src-tauri", "tests"], &[".rs"])
        .into_iter()
        .filter(|path| path.ends_with("mod.rs"))
        .collect();
    assert_eq!(old, Vec::<PathBuf>::new());
}
