//! The libraries a page may name, with the one address each is named by.

/// A file of a library. Pages name it by its public address; the preview and the export put the program's own
/// copy in its place, which they find by the package's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLibrary {
    /// What the prompt texts call it, as in `{{vue}}`.
    pub name: &'static str,
    /// The package.
    pub package: &'static str,
    /// The version that comes with the program.
    pub version: &'static str,
    /// The file in the package.
    pub file: &'static str,
}

impl PageLibrary {
    /// The address a page loads it from, such as `https://cdn.jsdelivr.net/npm/vue@3.5.45/dist/…`.
    pub fn address(&self) -> String {
        format!("https://cdn.jsdelivr.net/npm/{}@{}/{}", self.package, self.version, self.file)
    }
}

const fn library(
    name: &'static str,
    package: &'static str,
    version: &'static str,
    file: &'static str,
) -> PageLibrary {
    PageLibrary { name, package, version, file }
}

/// Every library that a prompt offers: what the preview and the export must be able to provide.
pub const LIBRARIES: &[PageLibrary] = &[
    library("tailwind", "@tailwindcss/browser", "4.3.4", "dist/index.global.js"),
    library("bootstrap-css", "bootstrap", "5.3.9", "dist/css/bootstrap.min.css"),
    library("bootstrap-js", "bootstrap", "5.3.9", "dist/js/bootstrap.bundle.min.js"),
    library("bootstrap-icons", "bootstrap-icons", "1.13.2", "font/bootstrap-icons.min.css"),
    library("react", "react", "18.3.1", "umd/react.production.min.js"),
    library("react-dom", "react-dom", "18.3.1", "umd/react-dom.production.min.js"),
    library("babel", "@babel/standalone", "7.29.13", "babel.min.js"),
    library("vue", "vue", "3.5.45", "dist/vue.global.prod.js"),
    library("ionic-css", "@ionic/core", "9.0.5", "css/ionic.bundle.css"),
    library("ionic", "@ionic/core", "9.0.5", "dist/ionic/ionic.esm.js"),
    library("ionicons", "ionicons", "8.1.0", "dist/ionicons/ionicons.esm.js"),
    library("font-awesome", "@fortawesome/fontawesome-free", "7.3.1", "css/all.min.css"),
    library("inter", "@fontsource-variable/inter", "5.3.0", "index.css"),
];
