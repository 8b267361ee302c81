//! The files that a text names, and their names after they moved.

use facsimile_agent::ProjectPath;

/// What ends a name in markup, sheets and scripts.
const ENDS: [char; 13] = ['"', '\'', '`', '(', ')', '<', '>', ',', ';', '=', ' ', '\n', '\t'];

/// The files of the project that a text may name, once each, wherever they lie.
pub(super) fn named_files(of: &ProjectPath, text: &str) -> Vec<ProjectPath> {
    let names = text.split(ENDS).filter(|name| name.contains('.') && name.len() < 200);
    let mut named: Vec<_> = names.filter_map(|name| resolved(of, name)).collect();
    named.sort();
    named.dedup();
    named
}

/// A text in which the files that moved are named by their new places, relative to it.
pub(super) fn led_to(places: &[(ProjectPath, String)], of: &ProjectPath, text: String) -> String {
    if places.is_empty() {
        return text;
    }
    let up = "../".repeat(of.as_str().matches('/').count());
    let mut led = String::with_capacity(text.len());
    for part in text.split_inclusive(ENDS) {
        let name = part.strip_suffix(ENDS).unwrap_or(part);
        let place = resolved(of, name)
            .and_then(|path| places.iter().find(|(moved, _)| *moved == path))
            .map(|(_, place)| place);
        match place {
            Some(place) => {
                let bare = name.split(['?', '#']).next().unwrap_or_default();
                led.push_str(&up);
                led.push_str(place);
                led.push_str(&part[bare.len()..]);
            }
            None => led.push_str(part),
        }
    }
    led
}

/// The path that a name in a file means, from the folder of the file or, with a slash before it, from the top.
fn resolved(of: &ProjectPath, name: &str) -> Option<ProjectPath> {
    let name = name.split(['?', '#']).next().filter(|name| !name.is_empty() && !name.contains(':'))?;
    let (folder, name) = match name.strip_prefix('/') {
        Some(name) => ("", name),
        None => (of.as_str().rsplit_once('/').map_or("", |(folder, _)| folder), name),
    };
    let mut parts: Vec<_> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    ProjectPath::parse(&parts.join("/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> ProjectPath {
        ProjectPath::parse(text).unwrap()
    }

    #[test]
    fn names_are_found_where_markup_and_sheets_have_them() {
        let text = "<img src=\"img/a.png?v=2\" srcset='b.png 2x, ./c.png'><link href=/d.css><a href=https://x.test/e.png>
            url(../f.woff2) <use href=#g> ../../h.png";
        let found = named_files(&path("css/site.css"), text);
        let paths: Vec<_> = found.iter().map(ProjectPath::as_str).collect();
        assert_eq!(paths, ["css/b.png", "css/c.png", "css/img/a.png", "d.css", "f.woff2"]);
    }

    #[test]
    fn moved_files_are_named_by_their_places_and_nothing_else_changes() {
        let places = [(path("img/a.png"), "assets/0123456789abcdef.png".to_owned())];
        let text = "<p>img/a.pngs</p><img src=\"img/a.png#x\"> url(./img/a.png) '/img/a.png' b/img/a.png";
        let led = text
            .replace("\"img/a.png#", "\"assets/0123456789abcdef.png#")
            .replace("(./img/a.png", "(assets/0123456789abcdef.png")
            .replace("'/img/a.png", "'assets/0123456789abcdef.png");
        assert_eq!(led_to(&places, &path("index.html"), text.to_owned()), led);
        let sheet = "a{background:url(../img/a.png)}".to_owned();
        let led = "a{background:url(../assets/0123456789abcdef.png)}";
        assert_eq!(led_to(&places, &path("css/site.css"), sheet), led);
    }
}
