//! Libraries that come with the program, in the place of those a page would fetch from a network.
//!
//! A page names a library by the address of some network of copies and some version; here only the package's
//! name counts. The table decides which packages there are.

use std::borrow::Cow;

/// What a library is to a page that is still being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibraryRole {
    /// It waits for the finished page.
    Plain,
    /// It makes the page's styles, so it already runs while the page is written.
    Styles,
}

/// One file of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// The package, as in `bootstrap`.
    pub package: &'static str,
    /// The end of the file's name that it stands in for, as in `.css`; empty for any.
    pub ending: &'static str,
    /// Where it is, from the root of the scheme: `/lib/…`.
    pub address: &'static str,
    /// What it is for.
    pub role: LibraryRole,
}

/// The table of libraries.
#[derive(Debug, Clone, Default)]
pub struct Libraries {
    libraries: Vec<Library>,
}

impl Libraries {
    /// A table of these; the first that fits is taken.
    pub fn of(libraries: Vec<Library>) -> Self {
        Self { libraries }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.libraries.is_empty()
    }

    /// The library in the place of a remote address.
    pub(crate) fn in_place_of(&self, address: &str) -> Option<&Library> {
        let (package, file) = package_of(address)?;
        self.libraries
            .iter()
            .find(|library| library.package.eq_ignore_ascii_case(package) && file.ends_with(library.ending))
    }

    /// A text with every address of a library replaced.
    pub(crate) fn redirected<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut redirected = String::new();
        let mut kept_from = 0;
        for (start, _) in text.match_indices("https://") {
            if start < kept_from {
                continue;
            }
            let rest = &text[start..];
            let end = rest.find(['"', '\'', '`', ')', '(', ';', ',', '<', '>', '\\']).unwrap_or(rest.len());
            let end = rest[..end].find(char::is_whitespace).unwrap_or(end);
            if let Some(library) = self.in_place_of(&rest[..end]) {
                redirected.push_str(&text[kept_from..start]);
                redirected.push_str(library.address);
                kept_from = start + end;
            }
        }
        if kept_from == 0 {
            return Cow::Borrowed(text);
        }
        redirected.push_str(&text[kept_from..]);
        Cow::Owned(redirected)
    }
}

/// The package that an address is of, and the file in it.
fn package_of(address: &str) -> Option<(&str, &str)> {
    let address = address.trim();
    let rest = address.strip_prefix("https:").or_else(|| address.strip_prefix("http:")).unwrap_or(address);
    let rest = rest.strip_prefix("//")?;
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (host, path) = rest[..end].split_once('/').unwrap_or((&rest[..end], ""));
    match host.to_ascii_lowercase().as_str() {
        "cdn.tailwindcss.com" => Some(("tailwindcss", path)),
        "cdn.jsdelivr.net" => package_in(path.strip_prefix("npm/")?),
        "unpkg.com" => package_in(path),
        "cdnjs.cloudflare.com" => path.strip_prefix("ajax/libs/")?.split_once('/'),
        _ => None,
    }
}

/// `name@version/file`, where a name may have a scope before it.
fn package_in(path: &str) -> Option<(&str, &str)> {
    let scope = if path.starts_with('@') { path.find('/')? + 1 } else { 0 };
    let end = path[scope..].find(['@', '/']).map_or(path.len(), |at| scope + at);
    let file = path[end..].split_once('/').map_or("", |(_, file)| file);
    (end > scope).then(|| (&path[..end], file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Libraries {
        let library =
            |package, ending, address| Library { package, ending, address, role: LibraryRole::Plain };
        Libraries::of(vec![
            library("bootstrap", ".css", "/lib/bootstrap.css"),
            library("bootstrap", ".js", "/lib/bootstrap.js"),
            library("@tailwindcss/browser", "", "/lib/tailwind4.js"),
            library("tailwindcss", "", "/lib/tailwind3.js"),
        ])
    }

    #[test]
    fn a_package_is_known_whatever_its_network_and_version() {
        let table = table();
        let found = [
            "https://cdn.jsdelivr.net/npm/bootstrap@5.3.0/dist/css/bootstrap.min.css",
            "//unpkg.com/bootstrap/dist/js/bootstrap.bundle.min.js",
            "https://cdnjs.cloudflare.com/ajax/libs/bootstrap/4.1/css/bootstrap.css",
            "https://cdn.tailwindcss.com?plugins=forms",
            "https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4",
            "https://unpkg.com/bootstrap@5/dist/bootstrap.woff",
            "https://cdn.tailwindcss.com.example.org/x.js",
            "/lib/bootstrap.css",
            "https://unpkg.com/@x",
            "",
        ]
        .map(|address| table.in_place_of(address).map(|library| library.address));
        let (css, js) = (Some("/lib/bootstrap.css"), Some("/lib/bootstrap.js"));
        let (v3, v4) = (Some("/lib/tailwind3.js"), Some("/lib/tailwind4.js"));
        assert_eq!(found, [css, js, css, v3, v4, None, None, None, None, None]);
    }

    #[test]
    fn only_addresses_of_libraries_change_in_a_text() {
        let text =
            "@import url(https://unpkg.com/bootstrap@5/b.css); a { background: url(https://x.org/ü.png) }";
        assert_eq!(
            table().redirected(text),
            "@import url(/lib/bootstrap.css); a { background: url(https://x.org/ü.png) }"
        );
        assert!(matches!(table().redirected("no address: https://"), Cow::Borrowed(_)));
    }
}
