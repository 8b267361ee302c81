//! Turns that change the page that is open.

mod memory;
mod selecting;
mod sending_back;
mod sorting;

use facsimile_agent::{AgentEvent, ProjectFiles, ProjectId, ProjectPath, RunStatus, VariantIndex, VersionId};
use facsimile_store::TurnKind;
use facsimile_studio::{Provider, RunEventBody, RunRequest, Studio};
use facsimile_testkit::replay::{Asked, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::{Value, json};

use crate::models::{asking, ended, studio};
use crate::support::{drawn, folded, request, taken};

use RunStatus::{NoOutput, Succeeded};

const PAGE: &str = "<!doctype html><html lang=\"en\"><title>Shop</title><p class=\"pale\">Pots</p></html>\n";
const SHEET: &str = ".pale { color: #eee; }\n";

/// A studio with a project whose open version was made by hand.
fn with_page() -> (Studio, ProjectId, VersionId) {
    let studio = studio();
    let project = studio.store().projects().create("Shop").unwrap();
    let version = studio.keep_edit(project, "By hand", &page(PAGE)).unwrap();
    (studio, project, version)
}

fn page(html: &str) -> ProjectFiles {
    let files = [("index.html", html), ("css/site.css", SHEET)];
    files.map(|(path, text)| (ProjectPath::parse(path).unwrap(), text.to_owned())).into_iter().collect()
}

fn edits(from: &str, to: &str) -> Served {
    let edit = json!({ "path": "index.html", "old_text": from, "new_text": to });
    ServedTurn::new().calling(&format!("c{}", to.len()), "edit_file", edit).into()
}

fn says(text: &str) -> Served {
    ServedTurn::new().saying(text).into()
}

/// What the router says of a request.
pub fn routed(category: &str) -> Served {
    routed_as(&json!({ "category": category, "scope": "narrow", "preloadPaths": [], "assistantMessage": "" }))
}

fn routed_as(route: &Value) -> Served {
    Served::from(ServedTurn::new().saying(&route.to_string())).aside()
}

/// A server that takes a request for a change and then plays these answers.
async fn playing(answers: impl IntoIterator<Item = Served>) -> ReplayServer {
    playing_to("code_change", answers).await
}

async fn playing_to(category: &str, answers: impl IntoIterator<Item = Served>) -> ReplayServer {
    plain([routed(category)].into_iter().chain(answers)).await
}

async fn plain(answers: impl IntoIterator<Item = Served>) -> ReplayServer {
    ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap()
}

/// The tools of a request.
fn tools(asked: &Asked) -> Vec<&str> {
    let tools = asked.body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

fn reads() -> Served {
    ServedTurn::new().calling("r1", "read_file", json!({ "path": "index.html" })).into()
}

fn wishes(project: ProjectId, text: &str, server: &ReplayServer) -> RunRequest {
    let asked = asking(&[(Provider::Chat, server)]);
    RunRequest { project_id: Some(project), text: text.to_owned(), ..asked }
}

/// The words of a request, one text per message.
fn words(asked: &Asked) -> Vec<String> {
    let text = |content: &Value| match content {
        Value::String(text) => text.clone(),
        parts => parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect(),
    };
    asked.body["messages"].as_array().unwrap().iter().map(|message| text(&message["content"])).collect()
}

#[tokio::test]
async fn words_under_a_page_edit_that_page_and_make_its_child() {
    let (studio, project, parent) = with_page();
    let server = playing([edits("pale", "dark"), says("It is darker now.")]).await;

    let report = ended(&studio, wishes(project, "Make it darker", &server)).await;

    let dark = page(&PAGE.replace("pale", "dark"));
    let variant = &report.variants[0];
    assert_eq!((report.state, &variant.files), (Succeeded, &dark));
    assert_eq!(server.complaints(), Vec::<String>::new());
    let version = studio.store().versions().get(variant.version.unwrap()).unwrap();
    let turn = studio.store().turns().of_project(project).unwrap().remove(0).request;
    assert_eq!(
        (version.parent, turn.kind, turn.parent_version),
        (Some(parent), TurnKind::Modify, Some(parent))
    );
    // The events tell of every file, those that stayed as they were too.
    let (snapshot, _) = studio.attach(report.run).unwrap();
    assert_eq!(folded(&snapshot.events, VariantIndex(0)), dark);
    let first = snapshot.events.iter().find_map(|event| match &event.body {
        RunEventBody::Agent(AgentEvent::SetCode { path, .. }) => Some(path.clone()),
        _ => None,
    });
    assert_eq!(first, Some(ProjectPath::index()), "the page is shown first");
    let said = words(&server.asked()[1]);
    let shown = [PAGE, SHEET, "Make it darker", "- css/site.css (1 lines, 23 bytes)"];
    assert_eq!(shown.map(|part| said[1].matches(part).count()), [1; 4], "{said:#?}");
    assert!(!said[1].contains("There is no screenshot"), "{said:#?}");
    studio.undo(project).unwrap();
    assert_eq!(studio.open_version(project).unwrap().unwrap().1, page(PAGE));
}

#[tokio::test]
async fn a_reply_without_a_change_makes_no_version_and_the_page_stays_open() {
    let (studio, project, parent) = with_page();
    let page_in_reply = format!("Which one?\n```html\n{}```", PAGE.replace("Pots", "Pans"));
    // The first reply and one for each time that the model is sent back.
    let server = playing(std::iter::repeat_n(says(&page_in_reply), 6)).await;

    let report = ended(&studio, wishes(project, "Make it better", &server)).await;

    let variant = &report.variants[0];
    assert_eq!((report.state, variant.version, variant.files.len()), (NoOutput, None, 0));
    assert_eq!((variant.message.as_str(), server.left()), (page_in_reply.as_str(), 0));
    let standing = studio.store().steps().standing(project).unwrap();
    assert_eq!((standing.version, standing.undoable), (Some(parent), 0));
    assert_eq!(studio.store().versions().of_project(project).unwrap().len(), 1);
}

#[tokio::test]
async fn a_change_that_is_tried_again_begins_where_it_began() {
    let (studio, project, parent) = with_page();
    let first = playing([edits("pale", "dark"), says("Darker.")]).await;
    let asked = wishes(project, "Make it darker", &first);
    let run = ended(&studio, asked.clone()).await.run;
    let again = playing([edits("pale", "black"), says("Black.")]).await;

    let retry = RunRequest { retry_of: Some(run), ..wishes(project, &asked.text, &again) };
    let retried = ended(&studio, retry).await;

    let version = studio.store().versions().get(retried.variants[0].version.unwrap()).unwrap();
    assert_eq!(version.parent, Some(parent));
    assert_eq!(retried.variants[0].files, page(&PAGE.replace("pale", "black")));
    assert_eq!(words(&again.asked()[1]), words(&first.asked()[1]));
}

#[tokio::test]
async fn a_change_may_take_more_rounds_than_a_new_page() {
    let (studio, project, _) = with_page();
    let look = |n: usize| {
        ServedTurn::new().calling("c1", "search_files", json!({ "pattern": format!("word {n}") })).into()
    };
    let looks = (0..31).map(look);
    let server = playing(looks.chain([edits("pale", "dark"), says("Darker.")])).await;

    let report = ended(&studio, wishes(project, "Make it darker", &server)).await;

    assert_eq!((report.state, server.left()), (Succeeded, 0));
}

#[tokio::test]
async fn pictures_of_a_change_are_sent_before_its_words() {
    let (studio, project, _) = with_page();
    let server = playing([edits("Pots", "Logo"), says("There.")]).await;
    let logo = taken(&studio, "logo.png", drawn());

    let asked = RunRequest { input_ids: vec![logo], ..wishes(project, "Use this logo", &server) };
    let report = ended(&studio, asked).await;

    assert_eq!((report.state, server.complaints()), (Succeeded, Vec::new()));
    let content = server.asked()[1].body["messages"][1]["content"].clone();
    let kinds: Vec<_> = content.as_array().unwrap().iter().map(|part| part["type"].clone()).collect();
    assert_eq!(kinds, [json!("image_url"), json!("text")]);
    let said = &words(&server.asked()[1])[1];
    assert!(said.contains("The new pictures belong to the request") && said.contains(PAGE), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_words_change_nothing_and_a_new_picture_is_traced_again() {
    let (studio, project, parent) = with_page();
    let ask = RunRequest { project_id: Some(project), text: "Make it darker".into(), ..request(&[], 1) };
    let refused = studio.start_run(ask.clone()).unwrap_err().to_string();
    assert_eq!(refused, "Changing a page by words needs a model; the inspector and Improve work offline");
    assert_eq!(studio.runs_of(project).unwrap(), []);

    let input = taken(&studio, "page.png", drawn());
    let report = ended(&studio, RunRequest { input_ids: vec![input], ..ask }).await;

    let version = studio.store().versions().get(report.variants[0].version.unwrap()).unwrap();
    let paths: Vec<_> = report.variants[0].files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!((report.state, version.parent), (Succeeded, Some(parent)));
    assert_eq!(paths, ["index.html", "styles.css"], "nothing is left of the page before");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_is_told_which_run_was_given_what_and_left_a_version() {
    let studio = studio();
    let screenshot = taken(&studio, "page.png", drawn());
    let project = ended(&studio, request(&[screenshot], 1)).await.project;
    for (category, call) in [("read_only", reads()), ("code_change", edits("<title>", "<title>A "))] {
        let server = playing_to(category, [call, says("Done.")]).await;
        ended(&studio, wishes(project, "Which blue is it?", &server)).await;
    }

    let runs = studio.project_view(project).unwrap().runs;

    let facts: Vec<_> =
        runs.iter().map(|run| (run.inputs.len(), run.changes, run.variants[0].kept)).collect();
    assert_eq!(facts, [(1, false, true), (0, true, false), (0, true, true)]);
    assert_eq!(studio.page_width_px(runs[2].id), studio.page_width_px(runs[0].id));
}

#[tokio::test]
async fn the_rules_of_a_changed_page_are_those_of_the_kind_it_was_made_in() {
    let studio = studio();
    let create = ServedTurn::new().calling("c1", "create_file", json!({ "content": PAGE }));
    let maker = plain([create.into(), says("Made.")]).await;
    let made = RunRequest { stack: Some("bootstrap".into()), ..asking(&[(Provider::Chat, &maker)]) };
    let project = ended(&studio, made).await.project;
    let server = playing([edits("pale", "dark"), says("Darker.")]).await;

    ended(&studio, wishes(project, "Make it darker", &server)).await;

    let system = [(&maker, 0), (&server, 1)].map(|(server, at)| words(&server.asked()[at]).remove(0));
    assert!(system[0].contains("Bootstrap") && system[0] == system[1], "{system:#?}");
}
