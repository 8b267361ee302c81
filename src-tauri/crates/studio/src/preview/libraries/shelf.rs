//! The files of libraries that come with the program, as they lie in it. `libraries/gather.mjs` puts them there.

use std::io::Read;

use flate2::read::GzDecoder;

/// One file.
struct Shelved {
    /// The package and the path in it.
    path: &'static str,
    bytes: &'static [u8],
    is_packed: bool,
}

macro_rules! packed {
    ($path:literal) => {
        Shelved {
            path: $path,
            bytes: include_bytes!(concat!("../../../libraries/", $path, ".gz")),
            is_packed: true,
        }
    };
}

macro_rules! plain {
    ($path:literal) => {
        Shelved {
            path: $path,
            bytes: include_bytes!(concat!("../../../libraries/", $path)),
            is_packed: false,
        }
    };
}

/// Every file, package by package.
static SHELF: &[Shelved] = &[
    packed!("@babel/standalone/babel.min.js"),
    plain!("@babel/standalone/LICENSE.txt"),
    packed!("@fontsource-variable/inter/index.css"),
    plain!("@fontsource-variable/inter/files/inter-cyrillic-ext-wght-normal.woff2"),
    plain!("@fontsource-variable/inter/files/inter-cyrillic-wght-normal.woff2"),
    plain!("@fontsource-variable/inter/files/inter-greek-ext-wght-normal.woff2"),
    plain!("@fontsource-variable/inter/files/inter-greek-wght-normal.woff2"),
    plain!("@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2"),
    plain!("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
    plain!("@fontsource-variable/inter/files/inter-vietnamese-wght-normal.woff2"),
    plain!("@fontsource-variable/inter/LICENSE.txt"),
    packed!("@fortawesome/fontawesome-free/css/all.min.css"),
    plain!("@fortawesome/fontawesome-free/webfonts/fa-brands-400.woff2"),
    plain!("@fortawesome/fontawesome-free/webfonts/fa-regular-400.woff2"),
    plain!("@fortawesome/fontawesome-free/webfonts/fa-solid-900.woff2"),
    plain!("@fortawesome/fontawesome-free/webfonts/fa-v4compatibility.woff2"),
    plain!("@fortawesome/fontawesome-free/LICENSE.txt"),
    packed!("@ionic/core/css/ionic.bundle.css"),
    packed!("@ionic/core/ionic.bundle.js"),
    plain!("@ionic/core/LICENSE.txt"),
    plain!("@ionic/core/LICENSE-ionicons.txt"),
    plain!("@ionic/core/LICENSE-stencil.txt"),
    packed!("@tailwindcss/browser/dist/index.global.js"),
    plain!("@tailwindcss/browser/LICENSE.txt"),
    packed!("bootstrap/dist/css/bootstrap.min.css"),
    packed!("bootstrap/dist/js/bootstrap.bundle.min.js"),
    plain!("bootstrap/LICENSE.txt"),
    plain!("bootstrap/LICENSE-popper.txt"),
    packed!("bootstrap-icons/font/bootstrap-icons.min.css"),
    plain!("bootstrap-icons/font/fonts/bootstrap-icons.woff"),
    plain!("bootstrap-icons/font/fonts/bootstrap-icons.woff2"),
    plain!("bootstrap-icons/LICENSE.txt"),
    packed!("react/umd/react.production.min.js"),
    plain!("react/LICENSE.txt"),
    packed!("react-dom/umd/react-dom.production.min.js"),
    plain!("react-dom/LICENSE.txt"),
    packed!("vue/dist/vue.global.prod.js"),
    plain!("vue/LICENSE.txt"),
];

/// A file by its path from the root of the shelf.
pub(crate) fn bytes(path: &str) -> Option<Vec<u8>> {
    let shelved = SHELF.iter().find(|shelved| shelved.path == path)?;
    if !shelved.is_packed {
        return Some(shelved.bytes.to_vec());
    }
    let mut bytes = Vec::new();
    let unpacked = GzDecoder::new(shelved.bytes).read_to_end(&mut bytes);
    unpacked.inspect_err(|error| tracing::error!(%error, path, "a library is damaged")).ok()?;
    Some(bytes)
}

/// What must go along when a file is handed on: itself, the fonts that a style sheet names, and the licences.
pub(crate) fn whole(path: &str) -> impl Iterator<Item = &'static str> {
    let package = package_of(path);
    SHELF.iter().map(|shelved| shelved.path).filter(move |other| {
        let goes_along = is_licence(other) || (path.ends_with(".css") && is_font(other));
        *other == path || (goes_along && package_of(other) == package)
    })
}

fn is_licence(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with("LICENSE"))
}

fn is_font(path: &str) -> bool {
    path.ends_with(".woff") || path.ends_with(".woff2")
}

/// The first folder, or the first two of a package with a scope.
fn package_of(path: &str) -> &str {
    let after_scope = if path.starts_with('@') { path.find('/').map_or(0, |at| at + 1) } else { 0 };
    path[after_scope..].find('/').map_or(path, |at| &path[..after_scope + at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read_and_every_package_has_its_licence() {
        for shelved in SHELF {
            assert!(bytes(shelved.path).is_some_and(|bytes| !bytes.is_empty()), "{}", shelved.path);
            assert!(whole(shelved.path).any(is_licence), "{}", shelved.path);
        }
    }

    #[test]
    fn a_file_takes_along_what_it_needs_and_no_more() {
        let whole = |path| whole(path).collect::<Vec<_>>();
        assert_eq!(
            [
                whole("bootstrap/dist/css/bootstrap.min.css"),
                whole("bootstrap-icons/font/bootstrap-icons.min.css")
            ],
            [
                vec![
                    "bootstrap/dist/css/bootstrap.min.css",
                    "bootstrap/LICENSE.txt",
                    "bootstrap/LICENSE-popper.txt"
                ],
                vec![
                    "bootstrap-icons/font/bootstrap-icons.min.css",
                    "bootstrap-icons/font/fonts/bootstrap-icons.woff",
                    "bootstrap-icons/font/fonts/bootstrap-icons.woff2",
                    "bootstrap-icons/LICENSE.txt"
                ]
            ]
        );
    }
}
