//! The libraries that come with the program: whatever a prompt offers is there, whole and of the told version.

use facsimile_agent::prompt::LIBRARIES;
use facsimile_studio::preview::libraries::{Libraries, LibraryRole};

use super::{Shelf, body};

const PACKAGES: &str = include_str!("../../../src-tauri/crates/studio/libraries/packages.json");

fn address_of(remote: &str) -> Option<&'static str> {
    Libraries::own().in_place_of(remote).map(|library| library.address)
}

#[test]
fn every_library_that_a_prompt_offers_is_served() {
    let (source, _) = Shelf::of(&[]).source();
    for library in LIBRARIES {
        let address = address_of(&library.address()).unwrap_or_else(|| panic!("{} is missing", library.name));
        let answer = source.respond(address);
        let mime = match library.file.rsplit('.').next() {
            Some("css") => "text/css; charset=utf-8",
            _ => "text/javascript; charset=utf-8",
        };
        assert_eq!((answer.status, answer.mime), (200, mime), "{}", library.name);
        assert!(answer.headers().contains(&("access-control-allow-origin", "*")), "{}", library.name);
        assert!(body(&answer).len() > 1000, "{}", library.name);
    }
}

#[test]
fn the_packages_are_of_the_versions_that_prompts_name() {
    let packages: serde_json::Value = serde_json::from_str(PACKAGES).unwrap();
    for library in LIBRARIES {
        assert_eq!(packages[library.package]["version"], library.version, "{}", library.package);
    }
}

#[test]
fn a_library_is_the_same_under_other_spellings_of_its_address() {
    for library in LIBRARIES {
        let (package, file) = (library.package, library.file);
        let spellings = [
            format!("https://unpkg.com/{package}@{}/{file}", library.version),
            format!("https://unpkg.com/{package}/{file}"),
            format!("//cdn.jsdelivr.net/npm/{package}@1/{file}?x#y"),
            format!("http://cdn.jsdelivr.net/npm/{package}@latest/{}", file.replace(".min.", ".")),
        ];
        let own = address_of(&library.address());
        assert!(own.is_some());
        assert_eq!(spellings.each_ref().map(|spelling| address_of(spelling)), [own; 4], "{package}");
    }
}

#[test]
fn everything_that_a_served_style_sheet_names_is_served_too() {
    let (source, _) = Shelf::of(&[]).source();
    let mut fonts = 0;
    for library in LIBRARIES.iter().filter(|library| library.file.ends_with(".css")) {
        let address = address_of(&library.address()).unwrap();
        let sheet = source.respond(address);
        for part in body(&sheet).split("url(").skip(1) {
            let named = part.split(')').next().unwrap().trim_matches(['"', '\'']);
            if named.starts_with("data:") {
                continue;
            }
            let answer = source.respond(&resolved(address, named));
            assert_eq!(answer.status, 200, "{address} names {named}");
            assert!(answer.mime.starts_with("font/woff"), "{named} is {}", answer.mime);
            assert!(answer.bytes.starts_with(b"wOF"), "{named} is no font");
            fonts += 1;
        }
    }
    assert_eq!(fonts, 19);
}

/// A relative reference as a browser follows it.
fn resolved(sheet: &str, named: &str) -> String {
    let mut parts: Vec<_> = sheet.split('/').collect();
    parts.pop();
    for part in named.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[test]
fn only_files_of_libraries_are_below_their_address() {
    let (source, _) = Shelf::of(&[("index.html", "<p>")]).source();
    let refused = [
        "/lib",
        "/lib/",
        "/lib/vue",
        "/lib/vue/dist/",
        "/lib/vue/dist/vue.global.prod.js.gz",
        "/lib/vue/dist/../dist/vue.global.prod.js",
        "/lib/vue/dist/vue%2eglobal.prod.js",
        "/lib//vue/dist/vue.global.prod.js",
        "//lib/vue/dist/vue.global.prod.js",
        "/Lib/vue/dist/vue.global.prod.js",
        "/lib/gather.mjs",
        "/lib/packages.json",
    ];
    assert_eq!(refused.map(|path| source.respond(path).status), [404; 12]);
}

#[test]
fn a_page_gets_the_program_s_libraries_and_others_stay_what_they_are() {
    let page = "<script src=\"https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4\"></script>\
        <script src=\"https://cdn.example.org/unknown@1/a.js\"></script>";
    let sheet =
        "@import \"https://unpkg.com/bootstrap@5/dist/css/bootstrap.css\"; @import \"https://x.org/a.css\";";
    let (source, run) = Shelf::of(&[("index.html", page), ("a.css", sheet), ("a.txt", sheet)]).source();
    let text = |address: &str| body(&source.respond(&address.replace("RUN", &run.to_string()))).to_owned();

    let finished = text("/page/RUN/0/index.html");
    let growing = source.respond(&format!("/page/{run}/0/index.html?scripts=off"));

    let own = "src=\"/lib/@tailwindcss/browser/dist/index.global.js\"";
    assert!(finished.contains(own) && finished.contains("src=\"https://cdn.example.org/unknown@1/a.js\""));
    // It makes the styles, so it runs before the page's own scripts may.
    let nonce = super::between(&growing.csp, "'nonce-", "'");
    assert!(super::without_addresses(body(&growing)).contains(&format!("{own} nonce=\"{nonce}\"")));
    let imported = "@import \"/lib/bootstrap/dist/css/bootstrap.min.css\"; @import \"https://x.org/a.css\";";
    assert_eq!([text("/page/RUN/0/a.css"), text("/page/RUN/0/a.txt")], [imported, sheet]);
}

#[test]
fn only_what_makes_styles_runs_while_a_page_is_written() {
    let own = Libraries::own();
    let early: Vec<_> = LIBRARIES
        .iter()
        .filter(|library| own.in_place_of(&library.address()).unwrap().role == LibraryRole::Styles)
        .map(|library| library.name)
        .collect();
    assert_eq!(early, ["tailwind"]);
}
