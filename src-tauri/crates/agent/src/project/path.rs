//! A path inside a project, in the one spelling that is safe on every file system.

use std::fmt;
use std::sync::LazyLock;

use icu_normalizer::ComposingNormalizerBorrowed;
use regex::Regex;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A relative path of plain names joined by `/`. Holding one proves that it stays inside the project and can be
/// written on Linux, macOS and Windows. A project has one spelling of each, see
/// [`ProjectFiles::settled`](super::ProjectFiles::settled).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(try_from = "String", into = "String")]
#[ts(type = "string")]
pub struct ProjectPath(String);

/// Why a text is not a [`ProjectPath`]. The message is written for the model that made the path up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path {shown:?} {reason}; use a relative path such as index.html or css/site.css")]
pub struct PathRefused {
    shown: String,
    reason: &'static str,
}

/// Names that Windows keeps for devices, whatever their extension.
const DEVICE_NAMES: [&str; 30] = [
    "con", "prn", "aux", "nul", "conin$", "conout$", "com¹", "com²", "com³", "lpt¹", "lpt²", "lpt³", "com1",
    "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5",
    "lpt6", "lpt7", "lpt8", "lpt9",
];
/// Characters that only change the one before them; a name of nothing else has no shape.
static MARKS_ONLY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{M}\s]+(\.|$)").ok());
/// Characters without a shape, and those that turn or hide others.
static SHAPELESS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[\p{C}\p{Zl}\p{Zp}]").ok());
const MAX_PATH_CHARS: usize = 200;
const MAX_NAME_CHARS: usize = 100;
const MAX_DEPTH: usize = 8;

impl ProjectPath {
    /// The page every project starts with.
    pub fn index() -> Self {
        Self("index.html".to_owned())
    }

    /// The stylesheet beside it.
    pub fn stylesheet() -> Self {
        Self("styles.css".to_owned())
    }

    /// Reads a path as a model writes it. Leading `./` is dropped; everything that could leave the project or
    /// means another file elsewhere is refused.
    pub fn parse(text: &str) -> Result<Self, PathRefused> {
        let refuse = |reason| {
            let shown: String = text.chars().take(80).collect();
            Err(PathRefused { shown, reason })
        };
        let mut path = text;
        while let Some(rest) = path.strip_prefix("./") {
            path = rest;
        }
        if path.is_empty() || path == "." {
            return refuse("is empty");
        }
        if path.contains('\\') {
            return refuse("has a backslash");
        }
        if path.starts_with('/') || path.starts_with('~') {
            return refuse("is absolute");
        }
        if path.chars().count() > MAX_PATH_CHARS {
            return refuse("is longer than 200 characters");
        }
        if path.split('/').count() > MAX_DEPTH {
            return refuse("is more than 8 folders deep");
        }
        for name in path.split('/') {
            if let Some(reason) = flaw_of_name(name) {
                return refuse(reason);
            }
        }
        Ok(Self(path.to_owned()))
    }

    /// This path in the spelling that the project already uses for it: on many systems `Index.html` is `index.html`, and
    /// a letter with its mark apart is the letter with its mark.
    /// Refused where a file stands in the way of a folder, or a folder in the way of the file.
    pub(super) fn among<'p>(self, files: impl Iterator<Item = &'p ProjectPath>) -> Result<Self, PathRefused> {
        let refuse = |reason| Err(PathRefused { shown: self.0.clone(), reason });
        let mut spelled: Vec<&str> = self.0.split('/').collect();
        let wanted: Vec<String> = spelled.iter().map(|name| folded(name)).collect();
        let mut known = 0;
        for held in files {
            let names: Vec<&str> = held.0.split('/').collect();
            let same =
                names.iter().zip(&wanted).take_while(|(name, wanted)| folded(name) == **wanted).count();
            if same == names.len() && same == wanted.len() {
                return Ok(held.clone());
            }
            if same == names.len() {
                return refuse("goes through a file as if it were a folder");
            }
            if same == wanted.len() {
                return refuse("is a folder of this project");
            }
            if same > known {
                known = same;
                spelled[..same].copy_from_slice(&names[..same]);
            }
        }
        Ok(Self(spelled.join("/")))
    }

    /// The path as text, with `/` between names.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part behind the last dot of the last name, in lower case spelling only if it was written so.
    pub fn extension(&self) -> Option<&str> {
        let name = self.0.rsplit('/').next()?;
        name.rsplit_once('.').map(|(_, extension)| extension)
    }

    /// Whether the file is a page, going by its name.
    pub fn is_page(&self) -> bool {
        self.extension()
            .is_some_and(|extension| matches!(extension.to_ascii_lowercase().as_str(), "html" | "htm"))
    }

    /// The folder the file lies in, if it is not the top one.
    pub fn parent(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(folder, _)| folder)
    }
}

/// The same for every spelling of a name that some system takes for the same: in capitals, or with marks apart.
fn folded(name: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(&name.to_lowercase()).into_owned()
}

fn flaw_of_name(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("has an empty name in it");
    }
    if name == ".." || name == "." {
        return Some("steps through folders with dots");
    }
    if name.starts_with('.') {
        return Some("has a hidden name in it");
    }
    if name.ends_with('.') || name.trim() != name {
        return Some("has a name that starts or ends with a blank or ends with a dot");
    }
    if name.chars().count() > MAX_NAME_CHARS {
        return Some("has a name longer than 100 characters");
    }
    let is_match = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(name));
    if is_match(&MARKS_ONLY) {
        return Some("has a name that is nothing but accents");
    }
    if is_match(&SHAPELESS) || name.chars().any(is_unsafe) {
        return Some("has a character in it that file systems or readers take for something else");
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    if DEVICE_NAMES.contains(&stem.as_str()) {
        return Some("has a name that Windows keeps for a device");
    }
    None
}

/// The separators and wild cards of some system, and accents written apart, which some systems write together.
fn is_unsafe(c: char) -> bool {
    matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\u{0300}'..='\u{036F}')
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ProjectPath {
    type Error = PathRefused;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<ProjectPath> for String {
    fn from(path: ProjectPath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_plain_relative_paths_and_drops_leading_dot_slash() {
        let kept: Vec<_> = ["index.html", "./css/site.css", "bilder/größe 2.svg", "a/b/c.js"]
            .into_iter()
            .map(|text| ProjectPath::parse(text).map(String::from))
            .collect();
        assert_eq!(
            kept,
            ["index.html", "css/site.css", "bilder/größe 2.svg", "a/b/c.js"].map(|path| Ok(path.to_owned()))
        );
    }

    #[test]
    fn refuses_everything_that_could_leave_the_project_or_name_a_device() {
        let hostile = [
            "",
            ".",
            "./",
            "..",
            "../x",
            "a/../../x",
            "a/..",
            "..\\x",
            "a\\b",
            "/etc/passwd",
            "//host/share/x",
            "C:/x",
            "c:x",
            "file:///x",
            "~/x",
            "~root/x",
            "a//b",
            "a/",
            "x\0y",
            "x.",
            "x ",
            " x",
            "a./b",
            "CON",
            "nul.txt",
            "Aux .html",
            "com1.tar.gz",
            "a:b",
            "x\u{202E}lmth.exe",
            "\u{200B}",
            "\u{0301}",
            ".htaccess",
            "a/.git/config",
            "line\nbreak",
            "what?.html",
            "a*b",
            "<b>.html",
        ];
        let accepted: Vec<_> = hostile.into_iter().filter(|text| ProjectPath::parse(text).is_ok()).collect();
        assert_eq!(accepted, Vec::<&str>::new());
    }

    #[test]
    fn refuses_paths_beyond_the_limits_of_common_file_systems() {
        let long_name = "x".repeat(101);
        let long_path = ["y".repeat(90), "y".repeat(90), "y".repeat(90)].join("/");
        let deep = ["d"; 9].join("/");
        assert!([long_name, long_path, deep].iter().all(|text| ProjectPath::parse(text).is_err()));
    }

    #[test]
    fn the_refusal_names_the_path_the_reason_and_a_good_example() {
        assert_eq!(
            ProjectPath::parse("../secret").unwrap_err().to_string(),
            "the path \"../secret\" steps through folders with dots; use a relative path such as index.html \
             or css/site.css"
        );
    }
}
