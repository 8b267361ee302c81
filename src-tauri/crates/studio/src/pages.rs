//! Pages from outside: a file or a folder becomes a project whose open version holds what was there.
//!
//! Texts keep their paths and bytes. Pictures, fonts and the like become assets of the project, and the texts that
//! name them are led there: only what lies in the project can be shown, checked and exported.

mod naming;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath};
use facsimile_store::NewAsset;

use crate::error::StudioError;
use crate::preview::mime_of;
use crate::projects::name_of;
use crate::studio::Studio;
use naming::{led_to, named_files};

/// More files are no page that was made by hand.
const MOST_FILES: usize = 400;
/// Folders within folders; a path of a project is no deeper.
const MOST_FOLDERS: usize = 8;
const MAX_ASSET_BYTES: usize = 20 * 1024 * 1024;
/// What is text to the agent.
const TEXTS: [&str; 14] =
    ["html", "htm", "css", "js", "mjs", "jsx", "ts", "tsx", "vue", "svg", "json", "md", "txt", "xml"];
/// What a page shows or sets its text in.
const ASSETS: [&str; 16] = [
    "png", "jpg", "jpeg", "gif", "webp", "avif", "bmp", "ico", "woff", "woff2", "ttf", "otf", "mp4", "webm",
    "mp3", "ogg",
];

/// Why a file or folder cannot become a project; the message names the way out.
#[derive(Debug, thiserror::Error)]
pub enum PageRefused {
    /// It cannot be read.
    #[error("{} cannot be read ({source}); check the name and its permissions", path.display())]
    Unreadable {
        /// What was named.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// There is no page in it.
    #[error("{} holds no page; name an HTML file or a folder with one", .0.display())]
    NoPage(PathBuf),
    /// A text that is none, or too long.
    #[error("{} is no text of at most 4 MiB in UTF-8; save it as UTF-8 or leave it out", .0.display())]
    NoText(PathBuf),
    /// A picture that is too large.
    #[error("{} is larger than 20 MB; make it smaller or leave it out", .0.display())]
    TooLarge(PathBuf),
    /// Too many files.
    #[error("{} holds more than 400 files; name the folder of the page alone", .0.display())]
    TooMany(PathBuf),
}

/// What a file is to a project.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Asset,
}

/// What was found on disk.
#[derive(Default)]
struct Found {
    texts: BTreeMap<ProjectPath, String>,
    assets: BTreeMap<ProjectPath, PathBuf>,
}

impl Studio {
    /// A new project with a page from disk: an HTML file with what it names beside it, or a folder.
    pub fn take_page(&self, path: &Path) -> Result<ProjectId, StudioError> {
        let unreadable = |source| PageRefused::Unreadable { path: path.to_owned(), source };
        let is_folder = fs::metadata(path).map_err(unreadable)?.is_dir();
        let Found { texts, assets } = if is_folder { in_folder(path)? } else { beside(path)? };
        if !texts.keys().any(ProjectPath::is_page) {
            return Err(PageRefused::NoPage(path.to_owned()).into());
        }
        let assets = assets.iter().map(|(name, file)| Ok((name, asset(name, file)?)));
        let assets = assets.collect::<Result<Vec<_>, PageRefused>>()?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let store = self.store();
        let project = store.projects().create(&name_of(&stem).unwrap_or_else(|_| "Untitled".to_owned()))?;
        let mut places = Vec::new();
        for (name, asset) in assets {
            places.push((name.clone(), store.assets().put_for(project, name.as_str(), asset)?.path_in_page));
        }
        let files: ProjectFiles =
            texts.into_iter().map(|(path, text)| (path.clone(), led_to(&places, &path, text))).collect();
        self.keep_edit(project, "", &files)?;
        Ok(project)
    }
}

/// Everything in a folder that belongs to a page.
fn in_folder(folder: &Path) -> Result<Found, PageRefused> {
    let mut found = Found::default();
    let mut open = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((inner, prefix, depth)) = open.pop() {
        let unreadable = |source| PageRefused::Unreadable { path: inner.clone(), source };
        for entry in fs::read_dir(&inner).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') || name == "node_modules" {
                continue;
            }
            let path = format!("{prefix}{name}");
            // A link could lead anywhere.
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() && depth < MOST_FOLDERS {
                open.push((entry.path(), format!("{path}/"), depth + 1));
            } else if kind.is_file()
                && let Ok(path) = ProjectPath::parse(&path)
            {
                found.take(path, &entry.path())?;
            }
            if found.texts.len() + found.assets.len() > MOST_FILES {
                return Err(PageRefused::TooMany(folder.to_owned()));
            }
        }
    }
    Ok(found)
}

/// A page and what it names in its own folder and below.
fn beside(page: &Path) -> Result<Found, PageRefused> {
    let name = page.file_name().unwrap_or_default().to_string_lossy();
    let first = ProjectPath::parse(&name).ok().filter(ProjectPath::is_page);
    let first = first.ok_or_else(|| PageRefused::NoPage(page.to_owned()))?;
    let folder = page.parent().unwrap_or(Path::new(""));
    let mut found = Found::default();
    let (mut open, mut seen) = (vec![first.clone()], BTreeSet::from([first]));
    while let Some(path) = open.pop() {
        found.take(path.clone(), &folder.join(path.as_str()))?;
        let Some(text) = found.texts.get(&path) else { continue };
        let named = named_files(&path, text).into_iter();
        // Other pages are pages of their own.
        let named = named.filter(|named| !named.is_page() && kind_of(named).is_some());
        open.extend(named.filter(|named| is_plain_file(folder, named) && seen.insert(named.clone())));
        if seen.len() > MOST_FILES {
            return Err(PageRefused::TooMany(page.to_owned()));
        }
    }
    Ok(found)
}

/// Whether a file lies there, without a link on the way that could lead elsewhere.
fn is_plain_file(folder: &Path, path: &ProjectPath) -> bool {
    let mut at = folder.to_owned();
    path.as_str().split('/').all(|part| {
        at.push(part);
        fs::symlink_metadata(&at).is_ok_and(|found| !found.is_symlink())
    }) && at.is_file()
}

fn kind_of(path: &ProjectPath) -> Option<Kind> {
    let extension = path.extension()?.to_ascii_lowercase();
    let is_in = |kinds: &[&str]| kinds.contains(&extension.as_str());
    if is_in(&TEXTS) { Some(Kind::Text) } else { is_in(&ASSETS).then_some(Kind::Asset) }
}

impl Found {
    fn take(&mut self, path: ProjectPath, file: &Path) -> Result<(), PageRefused> {
        match kind_of(&path) {
            None => {}
            Some(Kind::Asset) => {
                self.assets.insert(path, file.to_owned());
            }
            Some(Kind::Text) => {
                let bytes = read(file, ProjectFiles::MAX_FILE_BYTES)?;
                let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
                let text = text.ok_or_else(|| PageRefused::NoText(file.to_owned()))?;
                self.texts.insert(path, text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text));
            }
        }
        Ok(())
    }
}

fn asset(name: &ProjectPath, file: &Path) -> Result<NewAsset, PageRefused> {
    let bytes = read(file, MAX_ASSET_BYTES)?.ok_or_else(|| PageRefused::TooLarge(file.to_owned()))?;
    let extension = name.extension().unwrap_or("bin").to_ascii_lowercase();
    Ok(NewAsset::new(bytes, mime_of(&extension), extension))
}

/// The bytes of a file; `None` if there are more.
fn read(file: &Path, most: usize) -> Result<Option<Vec<u8>>, PageRefused> {
    let unreadable = |source| PageRefused::Unreadable { path: file.to_owned(), source };
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    fs::File::open(file).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(unreadable)?;
    Ok((bytes.len() <= most).then_some(bytes))
}
