//! Which file of the program stands in for which addresses.
//!
//! Versions do not count, but files do: what would not behave alike, such as a build for modules, has no
//! substitute and is refused like any other remote address.

use super::{Library, LibraryRole};

/// A library of the program, with the names that networks give its package and the files it stands in for.
const fn library(
    packages: &'static [&'static str],
    files: &'static [&'static str],
    address: &'static str,
) -> Library {
    Library { packages, files, address, role: LibraryRole::Plain }
}

/// The program's own libraries. Their paths below `/lib/` are those of the shelf.
pub(super) const TABLE: &[Library] = &[
    Library {
        packages: &["@tailwindcss/browser", "tailwindcss-browser"],
        files: &["", "index.global.js"],
        address: "/lib/@tailwindcss/browser/dist/index.global.js",
        role: LibraryRole::Styles,
    },
    library(&["bootstrap"], &["bootstrap.css"], "/lib/bootstrap/dist/css/bootstrap.min.css"),
    library(
        &["bootstrap"],
        &["bootstrap.bundle.js", "bootstrap.js"],
        "/lib/bootstrap/dist/js/bootstrap.bundle.min.js",
    ),
    library(
        &["bootstrap-icons"],
        &["bootstrap-icons.css"],
        "/lib/bootstrap-icons/font/bootstrap-icons.min.css",
    ),
    library(
        &["react"],
        &["react.production.js", "react.development.js"],
        "/lib/react/umd/react.production.min.js",
    ),
    library(
        &["react-dom"],
        &["react-dom.production.js", "react-dom.development.js"],
        "/lib/react-dom/umd/react-dom.production.min.js",
    ),
    library(
        &["@babel/standalone", "babel-standalone"],
        &["", "babel.js"],
        "/lib/@babel/standalone/babel.min.js",
    ),
    library(&["vue"], &["", "vue.global.prod.js", "vue.global.js"], "/lib/vue/dist/vue.global.prod.js"),
    library(&["@ionic/core"], &["ionic.bundle.css"], "/lib/@ionic/core/css/ionic.bundle.css"),
    // One script for both: an icon may be asked for as soon as the components are there.
    library(&["@ionic/core"], &["ionic.esm.js"], "/lib/@ionic/core/ionic.bundle.js"),
    library(&["ionicons"], &["ionicons.esm.js"], "/lib/@ionic/core/ionic.bundle.js"),
    library(
        &["@fortawesome/fontawesome-free", "font-awesome"],
        &["all.css", "fontawesome.css", "font-awesome.css", "solid.css", "regular.css", "brands.css"],
        "/lib/@fortawesome/fontawesome-free/css/all.min.css",
    ),
    library(
        &["@fontsource-variable/inter"],
        &["", "index.css", "wght.css"],
        "/lib/@fontsource-variable/inter/index.css",
    ),
];
