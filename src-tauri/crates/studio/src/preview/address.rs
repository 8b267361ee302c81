//! Addresses of the preview scheme, read strictly: one spelling each, anything else is nothing.

use std::str::FromStr;

use facsimile_agent::{ProjectId, ProjectPath, RunId, VariantIndex, VersionId};

/// Longer than any address that the window writes.
const MOST_BYTES: usize = 2048;

/// Under which policy a file is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Policy {
    /// In the frame that is being written, or with scripts off.
    Streaming,
    /// As a finished page.
    Finished,
}

/// Whose files a frame shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shown {
    /// What a variant has shown so far, or ended with.
    Variant(RunId, VariantIndex),
    /// A version, whatever made it.
    Version(VersionId),
}

impl Shown {
    /// Whose finished page, with its scripts, an address asks for, if it is one.
    pub fn of_finished_page(path_and_query: &str) -> Option<Self> {
        let Address { shown, wanted, is_in_stream } = Address::parse(path_and_query)?;
        let is_page = |path: &ProjectPath, policy| path.is_page() && policy == Policy::Finished;
        let is_finished = matches!(&wanted, Wanted::File { path, policy } if is_page(path, *policy));
        (is_finished && !is_in_stream).then_some(shown)
    }
}

/// What a small picture stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictured {
    /// A project in a list.
    Project(ProjectId),
    /// A version in the history.
    Version(VersionId),
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The empty document that a page is written into.
    StreamFrame,
    /// A file of the project or one of its assets.
    File { path: ProjectPath, policy: Policy },
}

/// An address that makes sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) shown: Shown,
    pub(crate) wanted: Wanted,
    /// Whether the page lives where pages are written into.
    pub(crate) is_in_stream: bool,
}

impl Address {
    /// Reads `/page/<run>/<variant>/<path>?<query>`, `/stream/<run>/<variant>/<path>` and
    /// `/version/<version>/<path>?<query>`.
    pub(crate) fn parse(path_and_query: &str) -> Option<Self> {
        if path_and_query.len() > MOST_BYTES {
            return None;
        }
        let before_fragment = path_and_query.split('#').next()?;
        let (path, query) = before_fragment.split_once('?').unwrap_or((before_fragment, ""));
        let (area, rest) = path.strip_prefix('/')?.split_once('/')?;
        let is_in_stream = area == "stream";
        let (shown, rest) = match area {
            "stream" | "page" => {
                let (run, rest) = rest.split_once('/')?;
                let (variant, rest) = rest.split_once('/')?;
                (Shown::Variant(exactly(run)?, VariantIndex(exactly(variant)?)), rest)
            }
            "version" => {
                let (version, rest) = rest.split_once('/')?;
                (Shown::Version(exactly(version)?), rest)
            }
            _ => return None,
        };
        if is_in_stream && rest == "stream.html" {
            return Some(Self { shown, wanted: Wanted::StreamFrame, is_in_stream });
        }
        let decoded = decoded(rest)?;
        let path = ProjectPath::parse(&decoded).ok().filter(|path| path.as_str() == decoded)?;
        let has_scripts_off = query.split('&').any(|pair| pair == "scripts=off");
        let policy = if is_in_stream || has_scripts_off { Policy::Streaming } else { Policy::Finished };
        Some(Self { shown, wanted: Wanted::File { path, policy }, is_in_stream })
    }
}

/// The path of a library's file, if an address names one: `/lib/<path>`, whatever stands behind it.
pub(crate) fn library_path(path_and_query: &str) -> Option<&str> {
    path_and_query.split(['?', '#']).next()?.strip_prefix("/lib/")
}

/// What a small picture is asked for, if it is: `/thumbnail/project/<project>` or `/thumbnail/version/<version>`.
pub(crate) fn thumbnail(path_and_query: &str) -> Option<Pictured> {
    let (kind, id) = path_and_query.split(['?', '#']).next()?.strip_prefix("/thumbnail/")?.split_once('/')?;
    match kind {
        "project" => exactly(id).map(Pictured::Project),
        "version" => exactly(id).map(Pictured::Version),
        _ => None,
    }
}

/// The sixteen digits and the extension of an asset, if a path names one.
pub(crate) fn asset_name(path: &ProjectPath) -> Option<(&str, &str)> {
    let (digits, extension) = path.as_str().strip_prefix("assets/")?.split_once('.')?;
    let is_hash = digits.len() == 16 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let is_plain = !extension.is_empty() && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    (is_hash && is_plain).then_some((digits, extension))
}

/// A value in the only spelling that it writes itself.
fn exactly<T: FromStr + ToString>(text: &str) -> Option<T> {
    text.parse::<T>().ok().filter(|value| value.to_string() == text)
}

/// Undoes percent encoding once. Separators and dots are never encoded by an honest writer.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
            let byte = u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
            if matches!(byte, b'.' | b'/' | b'\\' | 0) {
                return None;
            }
            bytes.push(byte);
            rest = after.get(2..)?;
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "01890000-0000-7000-8000-000000000001";

    fn file(rest: &str) -> Option<(String, Policy)> {
        match Address::parse(&format!("/page/{RUN}/0/{rest}"))?.wanted {
            Wanted::File { path, policy } => Some((path.as_str().to_owned(), policy)),
            Wanted::StreamFrame => None,
        }
    }

    #[test]
    fn a_file_has_one_spelling() {
        let read = [
            file("index.html?v=3&y=600"),
            file("index.html?scripts=off&v=3"),
            file("index.html?xscripts=off"),
            file("my%20page.html"),
            file("%C3%BC.css#part"),
        ];
        let finished = |path: &str| Some((path.to_owned(), Policy::Finished));
        assert_eq!(
            read,
            [
                finished("index.html"),
                Some(("index.html".to_owned(), Policy::Streaming)),
                finished("index.html"),
                finished("my page.html"),
                finished("ü.css"),
            ]
        );
        let refused = ["./index.html", "index%2ehtml", "a%", "a%2", "a%zz", "a%+1", "%ff.css", "a%00", ""];
        assert_eq!(refused.map(file), refused.map(|_| None));
    }

    // S-11
    #[test]
    fn whatever_runs_scripts_is_a_finished_page() {
        let of = |path: &str| Shown::of_finished_page(path);
        let run = |path: &str| of(&format!("/page/{RUN}/1/{path}"));
        let page = Some(Shown::Variant(RUN.parse().unwrap(), VariantIndex(1)));
        let pages = ["index.html?v=1", "home.htm", "HOME.HTM#a", "sub/a%20page.HtMl?v=1&y=0", "a.%68tm"];
        assert_eq!(pages.map(run), [page; 5]);
        let others = ["a.css", "html", "index.html.txt", "index.html?v=1&scripts=off", "index%2ehtml"];
        assert_eq!(others.map(run), [None; 5]);
        let version = Some(Shown::Version(RUN.parse().unwrap()));
        let elsewhere =
            [format!("/version/{RUN}/a.htm"), format!("/stream/{RUN}/1/a.htm"), "/lib/a.html".into()];
        assert_eq!(elsewhere.each_ref().map(|path| of(path)), [version, None, None]);
    }

    #[test]
    fn a_version_is_shown_whoever_made_it() {
        let id: VersionId = RUN.parse().unwrap();
        let read = Address::parse(&format!("/version/{RUN}/css/a.css?v=1")).unwrap();
        let path = ProjectPath::parse("css/a.css").unwrap();
        let wanted = Wanted::File { path, policy: Policy::Finished };
        assert_eq!(read, Address { shown: Shown::Version(id), wanted, is_in_stream: false });
        let thumbnails =
            ["version", "project", "run"].map(|kind| thumbnail(&format!("/thumbnail/{kind}/{RUN}?v=0123")));
        let project = RUN.parse().unwrap();
        assert_eq!(thumbnails, [Some(Pictured::Version(id)), Some(Pictured::Project(project)), None]);
        assert_eq!(Address::parse(&format!("/version/{RUN}")), None);
    }

    #[test]
    fn only_a_plain_hash_with_a_plain_extension_names_an_asset() {
        let named = |path: &str| {
            let path = ProjectPath::parse(path).unwrap();
            asset_name(&path).map(|(digits, extension)| format!("{digits} {extension}"))
        };
        assert_eq!(named("assets/0123456789abcdef.png").as_deref(), Some("0123456789abcdef png"));
        let others = [
            "assets/0123456789ABCDEF.png",
            "assets/0123456789abcde.png",
            "assets/0123456789abcdef",
            "assets/0123456789abcdef.tar.gz",
            "x/assets/0123456789abcdef.png",
        ];
        assert_eq!(others.map(named), others.map(|_| None));
    }
}
