//! Pages that nobody here wrote: the documents of the template packages below `tests/templates`.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// One page of a template package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateDocument {
    /// The package.
    pub package: String,
    /// Where the page lies; what it refers to lies around it.
    pub path: PathBuf,
    /// The page as it was published.
    pub bytes: Vec<u8>,
}

impl TemplateDocument {
    /// The package and the path within, such as `startbootstrap-resume/dist/index.html`.
    pub fn name(&self) -> String {
        let within = self.path.strip_prefix(installed()).unwrap_or(&self.path);
        within.display().to_string().replace('\\', "/")
    }
}

/// Every page of every listed package, in the order of their names. Fails when they are not installed.
#[allow(clippy::panic)]
pub fn documents() -> Vec<TemplateDocument> {
    let mut found = Vec::new();
    for package in packages() {
        let folder = installed().join(&package);
        let pages = pages_below(&folder).unwrap_or_else(|error| {
            panic!(
                "the template {package} is not installed ({error}). Run \
                 `npm --prefix tests/templates ci --ignore-scripts`, as ./scripts/test does"
            )
        });
        for path in pages {
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            found.push(TemplateDocument { package: package.clone(), path, bytes });
        }
    }
    found
}

/// The folder that holds every installed package.
pub fn installed() -> PathBuf {
    list().join("node_modules")
}

fn list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates")
}

/// The packages that are asked for, without those they ask for themselves.
#[allow(clippy::panic)]
fn packages() -> Vec<String> {
    let path = list().join("package.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let list: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut names: Vec<String> =
        list["dependencies"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    names.sort();
    names
}

fn pages_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                if !path.ends_with("node_modules") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "html") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}
