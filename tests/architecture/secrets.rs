//! Where a key may be taken out of its wrapping.

use std::fs;

use crate::files::{root, shown, sources};

/// S-47: a key is bare in the header it belongs in, on its way into the keychain and where it is looked for in order
/// to be hidden, and nowhere else.
#[test]
fn a_key_is_bare_only_in_a_header_in_the_keychain_and_where_it_is_hidden() {
    let baring: Vec<_> = sources(&["src-tauri/src", "src-tauri/crates"], &[".rs"])
        .iter()
        .filter(|path| {
            let text = fs::read_to_string(path).unwrap();
            text.split("#[cfg(test)]").next().unwrap().contains(".expose()")
        })
        .map(|path| shown(path))
        .collect();
    let places = ["providers/src/error/known.rs", "providers/src/http.rs", "store/src/keys/keychain.rs"];
    assert_eq!(baring, places.map(|place| format!("src-tauri/crates/{place}")));
}

/// S-47: nothing that a command answers can be a key. Keys have no form that crosses to the window, and the one
/// type of it that tells of them holds words of ours.
#[test]
fn no_answer_to_the_window_has_a_place_for_a_key() {
    let types = fs::read_to_string(root().join("ui/src/ipc/generated/types.ts")).unwrap();
    assert!(!types.contains("Secret"), "a key crosses to the window");
    let commands = sources(&["src-tauri/src/commands"], &[".rs"]);
    let naming: Vec<_> =
        commands.iter().filter(|path| fs::read_to_string(path).unwrap().contains("Secret")).collect();
    assert_eq!(naming, Vec::<&std::path::PathBuf>::new());
    let status = types.split("export type KeyStatus = {").nth(1).unwrap().split("};").next().unwrap();
    let fields: Vec<_> = status
        .lines()
        .filter(|line| !line.starts_with(['/', ' ']))
        .filter_map(|line| Some(line.split_once(':')?.0.trim()))
        .collect();
    assert_eq!(fields, ["provider", "state", "where", "trouble?"]);
}
