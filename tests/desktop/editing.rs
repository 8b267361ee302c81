//! An element that is picked in the real window and changed by hand.

use std::collections::BTreeMap;

use facsimile_agent::ProjectId;
use facsimile_store::HistoryStore;
use serde_json::json;

use crate::room::Room;
use crate::window::Window;

/// The second of three bands fills the middle of the page; the rest is what a careless hand would spoil.
const PAGE: &str = "<!doctype html>\r\n<html lang=en><style>body{margin:0} p{height:33vh;margin:0}</style>\n\
    <p class=band>First\u{a0}band<p class='band' id=middle\t>Second &amp; middle<p class=band>Third\r\n\
    <script>if (1 < 2) document.title = 'x'</script><!-- kept -->";

fn texts(store: &HistoryStore, project: ProjectId) -> Vec<String> {
    let versions = store.versions().of_project(project).unwrap();
    let files = versions.into_iter().map(|version| store.versions().files(version.id).unwrap());
    files.map(|files| files.into_iter().collect::<BTreeMap<_, _>>().into_values().next().unwrap()).collect()
}

async fn writes(window: &Window, name: &str, text: &str) {
    let css = format!(".inspector [aria-label='{name}']");
    window.until(name, &format!("document.querySelector(\"{css}\")")).await;
    window.click_on(&css).await;
    // What is typed takes the place of what is there.
    window.script("document.querySelector(arguments[0]).select()", vec![json!(css)]).await.unwrap();
    window.type_into(&css, &format!("{text}\u{e007}")).await;
}

#[tokio::test]
async fn an_element_is_picked_with_the_pointer_and_changed_without_touching_another_byte() {
    let room = Room::new();
    let project = room.project("Bands", &[("index.html", PAGE)]);
    let window = Window::open(&room).await;
    window.open_project("Bands").await;
    window.page_shows("Second & middle").await;
    window.select_middle().await;
    window.sees(".inspector [aria-current]", "p#middle").await;

    writes(&window, "Text", "Changed <by> hand").await;
    window.page_shows("Changed <by> hand").await;
    writes(&window, "Text colour", "#0a7d33").await;
    let store = room.kept().unwrap();
    let kept = window.desk.until("three versions", || {
        let texts = texts(&store, project);
        (texts.len() == 3).then_some(texts)
    });
    let worded = PAGE.replace("Second &amp; middle", "Changed &lt;by&gt; hand");
    let coloured = worded.replace("id=middle\t>", "id=middle style=\"color: #0a7d33\"\t>");
    assert_eq!(kept, [PAGE.to_owned(), worded, coloured]);
    // The page in its frame wears it, and what was picked stays picked.
    let color = "getComputedStyle(document.querySelector('#middle')).color";
    window.page_gives("the colour", color, |color| *color == json!("rgb(10, 125, 51)")).await;
    window.sees(".inspector [aria-current]", "p#middle").await;

    window.press("Undo").await;
    window.press("Undo").await;
    window.page_shows("Second & middle").await;
    window.sees(".inspector [aria-current]", "p#middle").await;
}

#[tokio::test]
async fn an_element_that_was_picked_before_the_page_changed_is_refused_by_the_program() {
    let room = Room::new();
    let project = room.project("Bands", &[("index.html", PAGE)]);
    let window = Window::open(&room).await;
    window.open_project("Bands").await;
    window.page_shows("Second & middle").await;
    let version = room.kept().unwrap().versions().of_project(project).unwrap()[0].id;
    let at = PAGE.find("<p class='band'").unwrap();
    let pick = json!({ "at": at, "version": facsimile_agent::project::address::SourceVersion::of(PAGE) });
    let described = json!({ "projectId": project, "versionId": version, "path": "index.html", "pick": pick });
    let told = window.invoke("describe_element", described).await.unwrap();
    assert_eq!(
        (&told["texts"], &told["number"], &told["alike"]),
        (&json!(["Second & middle"]), &json!(2), &json!(3))
    );
    let change = |text: &str| {
        let change = json!({ "kind": "text", "which": "whole", "text": text });
        json!({ "change": { "projectId": project, "path": "index.html", "pick": pick, "change": change, "reach": "one" } })
    };
    window.invoke("change_element", change("once")).await.unwrap();
    let refused = window.invoke("change_element", change("twice")).await.unwrap_err();
    assert!(refused.contains("stale_pick"), "{refused}");
    let store = room.kept().unwrap();
    assert_eq!(texts(&store, project), [PAGE.to_owned(), PAGE.replace("Second &amp; middle", "once")]);
}
