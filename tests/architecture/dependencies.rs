//! Which room may know which, and which may name which library.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

use crate::files::root;

const SHELL: &str = "facsimile";
const TESTKIT: &str = "facsimile-testkit";

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().unwrap()
}

fn dependencies(package: &Package, kinds: &[DependencyKind]) -> BTreeSet<String> {
    package.dependencies.iter().filter(|d| kinds.contains(&d.kind)).map(|d| d.name.clone()).collect()
}

/// Every room with the rooms it may depend on.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("facsimile-agent", &[] as &[_]),
        ("facsimile-vision", &[]),
        ("facsimile-providers", &["facsimile-agent"]),
        ("facsimile-store", &["facsimile-agent"]),
        (
            "facsimile-studio",
            &["facsimile-agent", "facsimile-providers", "facsimile-store", "facsimile-vision"],
        ),
        (SHELL, &["facsimile-agent", "facsimile-studio"]),
        (TESTKIT, &["facsimile-agent"]),
    ])
}

#[test]
fn rooms_depend_only_on_the_rooms_they_may_know() {
    let metadata = metadata();
    let mut forbidden = Vec::new();
    for package in metadata.workspace_packages() {
        let may = allowed()
            .get(package.name.as_str())
            .copied()
            .unwrap_or_else(|| panic!("{} is no room", package.name));
        let of_ours = dependencies(package, &[DependencyKind::Normal, DependencyKind::Build])
            .into_iter()
            .filter(|name| name.starts_with("facsimile"));
        forbidden.extend(
            of_ours
                .filter(|name| !may.contains(&name.as_str()))
                .map(|name| format!("{} -> {name}", package.name)),
        );
    }
    assert_eq!(forbidden, Vec::<String>::new());
}

#[test]
fn the_test_parts_are_known_to_tests_only() {
    let metadata = metadata();
    let knowing: Vec<_> = metadata
        .workspace_packages()
        .into_iter()
        .filter(|package| {
            dependencies(package, &[DependencyKind::Normal, DependencyKind::Build]).contains(TESTKIT)
        })
        .map(|package| package.name.to_string())
        .collect();
    assert_eq!(knowing, Vec::<String>::new());
}

#[test]
fn some_libraries_belong_to_one_room() {
    let owners = [
        ("tauri", SHELL),
        ("tauri-plugin-dialog", SHELL),
        ("reqwest", "facsimile-providers"),
        ("rusqlite", "facsimile-store"),
        ("keyring", "facsimile-store"),
    ];
    let metadata = metadata();
    let mut strangers = Vec::new();
    for package in metadata.workspace_packages() {
        let known = dependencies(package, &[DependencyKind::Normal, DependencyKind::Build]);
        let foreign = owners
            .iter()
            .filter(|(library, owner)| known.contains(*library) && package.name.as_str() != *owner);
        strangers.extend(foreign.map(|(library, _)| format!("{} knows {library}", package.name)));
    }
    assert_eq!(strangers, Vec::<String>::new());
}

#[test]
fn the_ten_packages_stand_in_the_root_manifest() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let shared = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let shared = shared.split("\n[").next().unwrap();
    let missing: Vec<_> = [
        "tauri",
        "tokio",
        "serde",
        "serde_json",
        "reqwest",
        "keyring",
        "rusqlite",
        "similar",
        "image",
        "tauri-plugin-dialog",
    ]
    .into_iter()
    .filter(|name| !shared.lines().any(|line| line.split('=').next().is_some_and(|key| key.trim() == *name)))
    .collect();
    assert_eq!(missing, Vec::<&str>::new());
}
