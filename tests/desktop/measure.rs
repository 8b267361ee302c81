//! Pages measured from the command line: what is painted where, and how close it is to a screenshot.

use std::fs;
use std::path::{Path, PathBuf};

use facsimile_vision::fidelity::design2code_candidate;
use serde_json::{Value, json};

use crate::catcher::Catcher;
use crate::desk::Desk;
use crate::room::Room;

const PROGRAM: &str = env!("CARGO_BIN_EXE_facsimile");

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pages").join(name)
}

/// The geometry of a page, and what was said on the way.
fn geometry(room: &Room, html: &str) -> (Value, String) {
    let desk = Desk::new(room);
    let page = room.path("page.html");
    fs::write(&page, html).unwrap();
    let (out, geometry) = (room.path("page.png"), room.path("page.json"));
    let [page, out, file] = [&page, &out, &geometry].map(|path| path.to_str().unwrap());
    let done = desk.run(PROGRAM, &["render", page, "--width", "400", "--out", out, "--geometry", file]);
    let said = String::from_utf8(done.stderr).unwrap();
    (serde_json::from_slice(&fs::read(&geometry).unwrap_or_else(|_| panic!("{said}"))).unwrap(), said)
}

fn texts(geometry: &Value) -> Vec<&str> {
    geometry["texts"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect()
}

fn measured(room: &Room, screenshot: &Path, page: &Path) -> Value {
    let desk = Desk::new(room);
    let (screenshot, page) = (screenshot.to_str().unwrap(), page.to_str().unwrap());
    let done = desk.run(PROGRAM, &["measure", screenshot, page, "--json"]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{said}"))
}

#[test]
fn geometry_names_what_is_painted_and_nothing_else() {
    let html = "<!doctype html><style>body { margin: 0; font: 16px/20px sans-serif }</style>
        <div id=card style='width:300px;height:100px;background:#102030;border:2px solid #ff0000;border-radius:8px'>
        <h1 style='margin:0;font-size:20px;color:#fff'>Hello <em>there</em></h1></div>
        <p style='display:none'>hidden</p><p style='opacity:0'>faint</p>
        <div style='width:10px;height:4px;overflow:hidden'>clipped</div>
        <input placeholder='Your name' style='width:200px'><script>document.title = 'Ready'</script>";
    let (seen, _) = geometry(&Room::new(), html);
    let card = &seen["boxes"].as_array().unwrap().iter().find(|found| found["selector"] == "#card").unwrap();
    let place = ["x", "y", "w", "h", "bg", "bw", "bc", "r"].map(|field| card[field].clone());
    let heading = &seen["texts"][0];
    let style = ["fs", "color", "selector", "tag"].map(|field| heading[field].clone());
    assert_eq!(texts(&seen), ["Hello there", "Your name"]);
    assert_eq!(
        json!([place, style, seen["width"], seen["title"], seen["cut"]]),
        json!([
            [0, 0, 304, 104, [16, 32, 48, 1], [2, 2, 2, 2], [255, 0, 0], 8],
            [20, [255, 255, 255], "#card > h1:nth-of-type(1)", "h1"],
            400,
            "Ready",
            false
        ])
    );
}

#[test]
fn errors_missing_files_and_faint_text_are_told_with_the_geometry() {
    let html =
        "<!doctype html><img src=gone.png><p id=faint style='color:#ddd;background:#fff'>Pale words</p>
        <script>console.error('told', 7); setTimeout(() => { throw new Error('thrown') })</script>
        <div style='width:900px;height:1px'></div>";
    let (seen, _) = geometry(&Room::new(), html);
    let errors = seen["errors"].as_array().unwrap();
    let heard = |kind: &str, words: &str| {
        let told = |line: &Value| line["kind"] == kind && line["message"].as_str().unwrap().contains(words);
        errors.iter().filter(|line| told(line)).count()
    };
    let all = [heard("console", "told 7"), heard("script", "thrown"), heard("resource", "gone.png")];
    assert_eq!(all, [1; 3], "{errors:?}");
    assert_eq!(seen["contrast"][0]["selector"], "#faint");
    assert!(seen["scrollWidth"].as_u64().unwrap() >= 900);
}

#[test]
fn s_70_a_hostile_page_cannot_bend_or_flood_its_geometry() {
    let catcher = Catcher::new();
    let html = format!(
        "<!doctype html><p id=first>Words</p><script>
         for (const type of [Element, Document, Range, CSSStyleDeclaration, Array, JSON, Map])
           for (const name of Object.getOwnPropertyNames(type.prototype ?? type))
             try {{ (type.prototype ?? type)[name] = () => {{ fetch('{away}'); throw 'mine' }} }} catch (no) {{}}
         </script><div>{flood}</div>",
        away = catcher.address(),
        flood = "<b>x</b><br>".repeat(30_000)
    );
    let (seen, _) = geometry(&Room::new(), &html);
    let count = |list: &str| seen[list].as_array().unwrap().len();
    assert_eq!((texts(&seen)[0], seen["cut"].as_bool()), ("Words", Some(true)));
    assert!(count("texts") <= 5000 && count("boxes") <= 5000);
    assert_eq!(catcher.caught(), Vec::<String>::new());
}

#[test]
fn a_page_higher_than_any_picture_is_cut_and_said_to_be() {
    let room = Room::new();
    let (_, said) =
        geometry(&room, "<!doctype html><body style='margin:0'><div style='height:40000px'>Top</div>");
    let picture = image::open(room.path("page.png")).unwrap();
    assert_eq!((picture.width(), picture.height()), (400, 16_000));
    assert!(said.contains("The page is 40000 pixels high; its picture ends after 16000"), "{said}");
}

#[test]
fn a_traced_page_comes_close_to_its_screenshot_and_a_blank_one_does_not() {
    let room = Room::new();
    let screenshot = fixture("sb2-login.png");
    let (traced, blank) = (room.path("traced"), room.path("blank.html"));
    let done = std::process::Command::new(PROGRAM)
        .args(["trace", screenshot.to_str().unwrap(), "--out", traced.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    fs::write(&blank, "<!doctype html><title>Blank</title>").unwrap();
    let (close, far) = (measured(&room, &screenshot, &traced), measured(&room, &screenshot, &blank));
    let score = |measured: &Value| measured["score"].as_f64().unwrap();
    assert!(score(&close) > 85.0 && score(&far) < 5.0, "{close} {far}");
    let fields = ["score", "parts", "total", "d2c", "ssim", "deltaE", "reasons"];
    assert_eq!(fields.map(|field| close.get(field).is_some()), [true; 7]);
    assert_eq!(
        ["textF", "place", "style", "visual", "ghost"].map(|part| close["parts"][part].is_f64()),
        [true; 5]
    );
    assert!(far["reasons"][0]["kind"] == "missing", "{far}");
}

#[test]
fn the_screenshot_pasted_as_a_picture_scores_next_to_nothing() {
    let room = Room::new();
    let page = room.folder("page");
    fs::copy(fixture("sb2-login.png"), page.join("shot.png")).unwrap();
    let html = "<!doctype html><body style='margin:0'><img src=shot.png style='display:block'>";
    fs::write(page.join("index.html"), html).unwrap();
    let measured = measured(&room, &fixture("sb2-login.png"), &page);
    assert!(measured["score"].as_f64().unwrap() < 5.0, "{measured}");
}

#[test]
fn papers_numbers_are_those_of_the_page_without_what_it_repeats_without_end() {
    let room = Room::new();
    let folder = room.folder("page");
    let d2c = |html: &str| {
        fs::write(folder.join("index.html"), html).unwrap();
        measured(&room, &fixture("sb2-login.png"), &folder)["d2c"].clone()
    };
    let again = "<p style='margin:0'>Sign in to your account again</p>".repeat(60);
    let whole = format!("<!doctype html><html><body><h1>Welcome back</h1>{again}</body></html>");
    let drawn = design2code_candidate(&whole);
    assert!(drawn.len() < whole.len() / 2);
    assert_eq!(d2c(&whole), d2c(&drawn));
}
