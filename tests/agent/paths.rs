//! Names of files that a model makes up.

use facsimile_agent::{ProjectFiles, ProjectPath, ToolArguments, ToolCall, ToolContext, VariantIndex, tools};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::files;

fn project() -> ProjectFiles {
    files([("index.html", "<h1>One</h1>"), ("css/site.css", "h1 {}"), ("Straße/a.js", "go()")])
}

/// What a call says, and the files after it.
async fn called(name: &str, arguments: Value) -> (Value, ProjectFiles) {
    let mut cx = ToolContext::new(VariantIndex(0), project(), CancellationToken::new());
    let arguments = ToolArguments::parse(&arguments.to_string());
    let call = ToolCall { id: "1".into(), name: name.to_owned(), arguments };
    let result = tools::registry().unwrap().run(&call, &mut cx).await;
    (result.result, cx.files)
}

// S-17
#[tokio::test]
async fn names_that_lead_elsewhere_or_mean_something_else_are_refused_and_change_nothing() {
    let long = "x".repeat(300);
    let hostile = [
        "../secret",
        "a/../../secret",
        "..\\secret",
        "a\\..\\..\\secret",
        "/etc/passwd",
        "C:\\Windows\\win.ini",
        "c:/secret",
        "\\\\host\\share\\x",
        "//host/share/x",
        "\\\\?\\C:\\x",
        "file:///etc/passwd",
        "file:secret",
        "https://example.com/x.html",
        "~/secret",
        "~root/secret",
        "a\0.html",
        "a.html\0",
        "a.html.",
        "a.html ",
        "a.html\u{a0}",
        "a.html\u{3000}",
        "folder./a.html",
        "folder /a.html",
        "CON",
        "con.html",
        "NUL.txt",
        "aux",
        "css/AUX.css",
        "PRN .txt",
        "com1.tar.gz",
        "COM\u{b9}",
        "lpt\u{b3}.txt",
        "CONIN$",
        "a:b",
        "index.html:hidden",
        "index.html::$DATA",
        &long,
        "\u{202e}lmth.exe",
        "a\u{2066}b\u{2069}.html",
        "a\u{200b}.html",
        "a\u{ad}.html",
        "\u{61c}a.html",
        "a\u{e0041}.html",
        "\u{301}",
        "\u{301}\u{20dd}.html",
        "\u{20dd}",
        "\u{64b}\u{64c}.html",
        "gro\u{0308}\u{00df}e.html",
        "a\u{2028}b.html",
        "index.html/x.css",
        "INDEX.HTML/x.css",
        "css",
        "CSS",
        "css/site.css/deeper.css",
        ".git/config",
        "a/.env",
    ];
    let before = project();
    let mut taken = Vec::new();
    for path in hostile {
        for (name, arguments) in [
            ("create_file", json!({"path": path, "content": "<p>x</p>"})),
            ("edit_file", json!({"path": path, "old_text": "One", "new_text": "Two"})),
        ] {
            let (result, after) = called(name, arguments).await;
            let is_refused = result["error"].as_str().is_some_and(|error| error.starts_with("the path "));
            if !is_refused || after != before {
                taken.push(format!("{name} {path:?}: {result}"));
            }
        }
    }
    assert_eq!(taken, Vec::<String>::new());
}

// S-17
#[tokio::test]
async fn a_name_in_another_case_is_the_file_that_is_there() {
    let mut written = Vec::new();
    for path in ["Index.HTML", "./INDEX.html", "CSS/Site.css", "Css/new.css", "STRASSE/a.js", "straße/B.js"]
    {
        let (result, after) = called("create_file", json!({"path": path, "content": "new"})).await;
        let names: Vec<_> =
            after.iter().filter(|(_, text)| *text == "new").map(|(path, _)| path.as_str()).collect();
        written.push((result["path"].clone(), names.join(" "), after.len()));
    }
    assert_eq!(
        written,
        [
            (json!("index.html"), "index.html".to_owned(), 3),
            (json!("index.html"), "index.html".to_owned(), 3),
            (json!("css/site.css"), "css/site.css".to_owned(), 3),
            (json!("css/new.css"), "css/new.css".to_owned(), 4),
            (json!("STRASSE/a.js"), "STRASSE/a.js".to_owned(), 4),
            (json!("Straße/B.js"), "Straße/B.js".to_owned(), 4),
        ]
    );
    let (_, edited) =
        called("edit_file", json!({"path": "INDEX.html", "old_text": "One", "new_text": "Two"})).await;
    assert_eq!(
        edited.main_page().map(|(path, text)| (path.as_str(), text)),
        Some(("index.html", "<h1>Two</h1>"))
    );
}

#[test]
fn without_an_entry_the_first_page_however_it_is_spelled_is_the_main_one() {
    let main = |names: &[&str]| {
        let files: ProjectFiles =
            names.iter().map(|name| (ProjectPath::parse(name).unwrap(), String::new())).collect();
        files.main_page().map(|(path, _)| path.to_string())
    };
    assert_eq!(
        [main(&["a.css", "Home.HTM"]), main(&["a.css", "b.Html", "index.html"]), main(&["a.css"]), main(&[])],
        [Some("Home.HTM".to_owned()), Some("index.html".to_owned()), Some("a.css".to_owned()), None]
    );
}

// S-17
#[test]
fn a_letter_with_its_mark_apart_is_the_letter_with_its_mark() {
    let files = files([("\u{30ac}/a.css", "p {}")]);
    let path = ProjectPath::parse("\u{30ab}\u{3099}/A.css").unwrap();
    assert_eq!(files.settled(path).unwrap().as_str(), "\u{30ac}/a.css");
}
