//! Libraries that come with the program, in the place of those a page would fetch from a network.
//!
//! A page names a library by the address of some network of copies and some version; here only the names of the
//! package and of the file count. The table decides which there are.

pub(crate) mod shelf;
mod table;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Library {
    /// The package's names, as in `bootstrap`: networks differ in them.
    pub packages: &'static [&'static str],
    /// The names of the files it stands in for, without folder and `.min`; the empty one is the package alone.
    pub files: &'static [&'static str],
    /// Where it is, from the root of the scheme: `/lib/…`.
    pub address: &'static str,
    /// What it is for.
    pub role: LibraryRole,
}

/// The table of libraries.
#[derive(Debug, Clone, Default)]
pub struct Libraries {
    libraries: Cow<'static, [Library]>,
}

impl Library {
    fn stands_in_for(&self, package: &str, file: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or_default().replace(".min.", ".");
        self.packages.iter().any(|known| known.eq_ignore_ascii_case(package))
            && self.files.iter().any(|known| known.eq_ignore_ascii_case(&name))
    }
}

impl Libraries {
    /// Those that come with the program.
    pub fn own() -> Self {
        Self { libraries: Cow::Borrowed(table::TABLE) }
    }

    /// A table of these; the first that fits is taken.
    pub fn of(libraries: Vec<Library>) -> Self {
        Self { libraries: Cow::Owned(libraries) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.libraries.is_empty()
    }

    /// The library in the place of a remote address.
    pub fn in_place_of(&self, address: &str) -> Option<&Library> {
        let (package, file) = package_of(address)?;
        self.libraries.iter().find(|library| library.stands_in_for(package, file))
    }

    /// A text with every address of a library replaced by the library's own.
    pub(crate) fn redirected<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.replaced(text, |library| library.address.to_owned())
    }

    /// A text with every address of a library replaced.
    pub(crate) fn replaced<'a>(
        &self,
        text: &'a str,
        mut place_of: impl FnMut(&Library) -> String,
    ) -> Cow<'a, str> {
        let mut replaced = String::new();
        let mut kept_from = 0;
        for (start, _) in text.match_indices("https://") {
            if start < kept_from {
                continue;
            }
            let rest = &text[start..];
            let end = rest.find(['"', '\'', '`', ')', '(', ';', ',', '<', '>', '\\']).unwrap_or(rest.len());
            let end = rest[..end].find(char::is_whitespace).unwrap_or(end);
            if let Some(library) = self.in_place_of(&rest[..end]) {
                replaced.push_str(&text[kept_from..start]);
                replaced.push_str(&place_of(library));
                kept_from = start + end;
            }
        }
        if kept_from == 0 {
            return Cow::Borrowed(text);
        }
        replaced.push_str(&text[kept_from..]);
        Cow::Owned(replaced)
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
        "cdn.jsdelivr.net" | "fastly.jsdelivr.net" => package_in(path.strip_prefix("npm/")?),
        "unpkg.com" | "www.unpkg.com" => package_in(path),
        "cdnjs.cloudflare.com" => path.strip_prefix("ajax/libs/")?.split_once('/'),
        "maxcdn.bootstrapcdn.com" | "stackpath.bootstrapcdn.com" => path.split_once('/'),
        "use.fontawesome.com" => Some(("font-awesome", path.strip_prefix("releases/")?)),
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

    #[test]
    fn a_library_is_known_whatever_its_network_and_version() {
        let own = Libraries::own();
        let found = |addresses: &[&'static str]| {
            addresses.iter().map(|address| own.in_place_of(address).map(|library| library.address)).collect()
        };
        let all = |address: &'static str, times: usize| vec![Some(address); times];
        let tailwind: Vec<_> = found(&[
            "https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4",
            "https://unpkg.com/@tailwindcss/browser@4.1.0/dist/index.global.js",
            "https://cdnjs.cloudflare.com/ajax/libs/tailwindcss-browser/4.1.13/index.global.min.js",
        ]);
        assert_eq!(tailwind, all("/lib/@tailwindcss/browser/dist/index.global.js", 3));
        let bootstrap: Vec<_> = found(&[
            "https://cdn.jsdelivr.net/npm/bootstrap@5.3.0/dist/css/bootstrap.min.css",
            "//unpkg.com/bootstrap/dist/css/bootstrap.css",
            "https://cdnjs.cloudflare.com/ajax/libs/bootstrap/4.1/css/bootstrap.css",
            "HTTPS://x",
            "https://Stackpath.bootstrapcdn.com/bootstrap/4.5.2/css/bootstrap.min.css#top",
        ]);
        let css = Some("/lib/bootstrap/dist/css/bootstrap.min.css");
        assert_eq!(bootstrap, [css, css, css, None, css]);
        let font_awesome: Vec<_> = found(&[
            "https://use.fontawesome.com/releases/v6.5.1/css/all.css",
            "https://cdnjs.cloudflare.com/ajax/libs/font-awesome/6.5.1/css/all.min.css?x",
            "https://maxcdn.bootstrapcdn.com/font-awesome/4.7.0/css/font-awesome.min.css",
        ]);
        assert_eq!(font_awesome, all("/lib/@fortawesome/fontawesome-free/css/all.min.css", 3));
        let vue: Vec<_> =
            found(&["https://unpkg.com/vue@3", "https://cdn.jsdelivr.net/npm/vue@3/dist/vue.global.js"]);
        assert_eq!(vue, all("/lib/vue/dist/vue.global.prod.js", 2));
        let ionic: Vec<_> = found(&[
            "https://cdn.jsdelivr.net/npm/@ionic/core/dist/ionic/ionic.esm.js",
            "https://unpkg.com/ionicons@7.1.0/dist/ionicons/ionicons.esm.js",
        ]);
        assert_eq!(ionic, all("/lib/@ionic/core/ionic.bundle.js", 2));
    }

    #[test]
    fn what_would_not_behave_alike_has_no_substitute() {
        let others = [
            "https://cdn.tailwindcss.com",
            "https://cdn.tailwindcss.com.example.org/x.js",
            "https://cdn.jsdelivr.net/npm/react@18/+esm",
            "https://unpkg.com/vue@3/dist/vue.esm-browser.js",
            "https://unpkg.com/bootstrap@5/dist/css/bootstrap.rtl.min.css",
            "https://unpkg.com/bootstrap@5/dist/bootstrap.woff",
            "https://cdn.jsdelivr.net/gh/bootstrap/bootstrap.min.css",
            "https://example.org/bootstrap/bootstrap.min.css",
            "/lib/bootstrap/dist/css/bootstrap.min.css",
            "https://unpkg.com/@x",
            "https://",
            "",
        ];
        assert_eq!(others.map(|address| Libraries::own().in_place_of(address).copied()), [None; 12]);
    }

    #[test]
    fn only_addresses_of_libraries_change_in_a_text() {
        let text = "@import url(https://unpkg.com/bootstrap@5/bootstrap.css); a { background: url(https://x.org/ü.png) }";
        assert_eq!(
            Libraries::own().redirected(text),
            "@import url(/lib/bootstrap/dist/css/bootstrap.min.css); a { background: url(https://x.org/ü.png) }"
        );
        assert!(matches!(Libraries::own().redirected("no address: https://"), Cow::Borrowed(_)));
    }
}
