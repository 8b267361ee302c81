//! Exported files name the copies of libraries beside them, not the networks they came from.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use facsimile_agent::ProjectPath;
use lol_html::html_content::{ContentType, Element, TextChunk};
use lol_html::{HandlerResult, Settings, element, rewrite_str, text};

use super::PlannedFile;
use crate::preview::libraries::{Libraries, Library, shelf};

/// A file whose libraries lie beside it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Placed<'a> {
    /// What is exported; the very text of a file that names no library.
    pub(super) text: Cow<'a, str>,
    /// The libraries it names, by their addresses.
    pub(super) libraries: BTreeSet<&'static str>,
    /// Scripts and style sheets that it still loads from a network.
    pub(super) remote: BTreeSet<String>,
}

/// A file of a project as it is exported.
pub(super) fn placed<'a>(path: &ProjectPath, text: &'a str) -> Placed<'a> {
    let upwards = "../".repeat(path.as_str().matches('/').count());
    let mut placing =
        Placing { known: Libraries::own(), upwards, libraries: BTreeSet::new(), remote: BTreeSet::new() };
    let changed = match path.extension() {
        Some("html" | "htm") => {
            let placing = RefCell::new(&mut placing);
            rewrite_str(text, handlers(&placing)).unwrap_or_else(|error| {
                tracing::warn!(%error, %path, "a page is exported with the libraries of its network");
                text.to_owned()
            })
        }
        Some("css") => placing.sheet(text),
        _ => text.to_owned(),
    };
    let Placing { libraries, remote, .. } = placing;
    let text = if libraries.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(changed) };
    Placed { text, libraries, remote }
}

/// The files of these libraries, each once, with the fonts and licences that belong to them.
pub(super) fn files_of(libraries: &BTreeSet<&'static str>) -> Vec<PlannedFile> {
    let paths = libraries.iter().filter_map(|address| address.strip_prefix("/lib/"));
    let all: BTreeSet<_> = paths.flat_map(shelf::whole).collect();
    let file = |path| {
        let bytes = shelf::bytes(path)?;
        Some(PlannedFile { path: ProjectPath::parse(&format!("lib/{path}")).ok()?, bytes })
    };
    all.into_iter().filter_map(file).collect()
}

struct Placing {
    known: Libraries,
    /// From the file to the root of the export.
    upwards: String,
    libraries: BTreeSet<&'static str>,
    remote: BTreeSet<String>,
}

impl Placing {
    fn beside(&mut self, library: &Library) -> String {
        self.libraries.insert(library.address);
        // With a dot in front: imports of modules take nothing else for a path.
        let here = if self.upwards.is_empty() { "." } else { self.upwards.trim_end_matches('/') };
        format!("{here}{}", library.address)
    }

    fn sheet(&mut self, text: &str) -> String {
        let known = self.known.clone();
        known.replaced(text, |library| self.beside(library)).into_owned()
    }

    /// Puts the copy into an attribute that loads something; `false` if there is none.
    fn place(
        &mut self,
        tag: &mut Element<'_, '_>,
        attribute: &str,
    ) -> Result<bool, lol_html::errors::AttributeNameError> {
        let Some(library) =
            self.known.in_place_of(&tag.get_attribute(attribute).unwrap_or_default()).copied()
        else {
            return Ok(false);
        };
        tag.set_attribute(attribute, &self.beside(&library))?;
        // Our bytes are others, and a page opened from a disk shares no origin with its own files.
        tag.remove_attribute("integrity");
        tag.remove_attribute("crossorigin");
        Ok(true)
    }

    fn note_remote(&mut self, address: Option<String>) {
        let is_remote = |address: &String| {
            let address = address.trim_start().to_ascii_lowercase();
            ["https:", "http:", "//"].iter().any(|start| address.starts_with(start))
        };
        self.remote.extend(address.filter(is_remote));
    }
}

fn handlers<'h>(placing: &'h RefCell<&mut Placing>) -> Settings<'h, 'h> {
    let mut whole = String::new();
    let in_text = move |chunk: &mut TextChunk<'_>| {
        whole.push_str(chunk.as_str());
        if chunk.last_in_text_node() {
            let text = placing.borrow_mut().sheet(&std::mem::take(&mut whole));
            chunk.replace(&text, ContentType::Html);
        } else {
            chunk.remove();
        }
        Ok(())
    };
    Settings::new()
        .with_strict(false)
        .append_element_content_handler(element!("script", |tag| script(&mut placing.borrow_mut(), tag)))
        .append_element_content_handler(element!("link", |tag| link(&mut placing.borrow_mut(), tag)))
        .append_element_content_handler(text!("style, script[type=module], script[type=importmap]", in_text))
}

fn script(placing: &mut Placing, tag: &mut Element<'_, '_>) -> HandlerResult {
    if !placing.place(tag, "src")? {
        if !tag.has_attribute("nomodule") {
            placing.note_remote(tag.get_attribute("src"));
        }
        return Ok(());
    }
    let is_module = tag.get_attribute("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("module"));
    if is_module {
        // The copies are plain scripts, and browsers load no modules from a disk; both run when the page is read.
        tag.remove_attribute("type");
        tag.set_attribute("defer", "")?;
    }
    Ok(())
}

fn link(placing: &mut Placing, tag: &mut Element<'_, '_>) -> HandlerResult {
    if !placing.place(tag, "href")? {
        let rel = tag.get_attribute("rel").unwrap_or_default();
        if rel.split_ascii_whitespace().any(|kind| kind.eq_ignore_ascii_case("stylesheet")) {
            placing.note_remote(tag.get_attribute("href"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> ProjectPath {
        ProjectPath::parse(text).unwrap()
    }

    #[test]
    fn a_page_names_the_copies_beside_it() {
        let page = "<!DOCTYPE html><LINK rel='stylesheet' crossorigin integrity=x href='https://unpkg.com/bootstrap@5/dist/css/bootstrap.min.css'>\
            <style>@import 'https://cdn.jsdelivr.net/npm/bootstrap-icons@1.11.0/font/bootstrap-icons.css';</style>\
            <script type=module src=https://cdn.jsdelivr.net/npm/@ionic/core@8/dist/ionic/ionic.esm.js></script>\
            <script nomodule src=https://cdn.jsdelivr.net/npm/@ionic/core@8/dist/ionic/ionic.js></script>\
            <script src=https://other.org/a.js></script><script src=//other.org/b.js></script><script src=c.js></script>\
            <p title='https://unpkg.com/vue@3'>https://unpkg.com/vue@3";

        let placed = placed(&path("index.html"), page);

        assert_eq!(
            placed.text,
            "<!DOCTYPE html><LINK rel='stylesheet' href=\"./lib/bootstrap/dist/css/bootstrap.min.css\">\
            <style>@import './lib/bootstrap-icons/font/bootstrap-icons.min.css';</style>\
            <script src=\"./lib/@ionic/core/ionic.bundle.js\" defer=\"\"></script>\
            <script nomodule src=https://cdn.jsdelivr.net/npm/@ionic/core@8/dist/ionic/ionic.js></script>\
            <script src=https://other.org/a.js></script><script src=//other.org/b.js></script><script src=c.js></script>\
            <p title='https://unpkg.com/vue@3'>https://unpkg.com/vue@3"
        );
        assert_eq!(
            placed.remote.into_iter().collect::<Vec<_>>(),
            ["//other.org/b.js", "https://other.org/a.js"]
        );
    }

    #[test]
    fn the_way_to_the_copies_begins_in_the_file_s_own_folder() {
        let sheet = "@import url(https://unpkg.com/@fontsource-variable/inter@5/index.css);";
        let ways =
            ["a.css", "css/a.css", "css/deep/a.css"].map(|name| placed(&path(name), sheet).text.into_owned());
        assert_eq!(
            ways,
            [".", "..", "../.."]
                .map(|up| format!("@import url({up}/lib/@fontsource-variable/inter/index.css);"))
        );
    }

    #[test]
    fn a_file_without_libraries_is_not_touched() {
        let text = "<script>x</script><style>p{}</style><p>https://unpkg.com/vue@3</P>";
        for name in ["index.html", "a.js", "a.css.txt"] {
            let nothing = Placed { text: text.into(), libraries: BTreeSet::new(), remote: BTreeSet::new() };
            let placed = placed(&path(name), text);
            assert!(matches!(placed.text, Cow::Borrowed(_)), "{name}");
            assert_eq!(placed, nothing, "{name}");
        }
    }
}
