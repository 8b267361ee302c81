//! Turns that change the page that is open.

use facsimile_agent::{AgentEvent, ProjectFiles, ProjectId, ProjectPath, RunStatus, VariantIndex, VersionId};
use facsimile_store::{TurnKind, TurnResult};
use facsimile_studio::{GivenAddress, Provider, RunEventBody, RunRequest, Studio};
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

#[tokio::test]
async fn talk_is_answered_by_the_router_and_nobody_else_is_asked() {
    let (studio, project, parent) = with_page();
    let route = json!({ "category": "conversation", "assistantMessage": "You are welcome." });
    let server = plain([routed_as(&route)]).await;

    let report = ended(&studio, wishes(project, "Thanks!", &server)).await;

    let variant = &report.variants[0];
    assert_eq!(
        (report.state, variant.message.as_str(), variant.version),
        (NoOutput, "You are welcome.", None)
    );
    let asked = server.asked();
    let said = words(&asked[0]).join("\n");
    assert_eq!((asked.len(), tools(&asked[0])), (1, Vec::new()));
    assert!(said.contains("Thanks!") && said.contains("- index.html") && !said.contains("Pots"), "{said}");
    let (snapshot, _) = studio.attach(report.run).unwrap();
    let told: String = snapshot
        .events
        .iter()
        .filter_map(|event| match &event.body {
            RunEventBody::Agent(AgentEvent::Assistant { text, .. }) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(told, "You are welcome.");
    assert_eq!(studio.store().steps().standing(project).unwrap().version, Some(parent));
}

#[tokio::test]
async fn a_question_a_plan_and_what_nobody_can_sort_get_no_tool_that_writes() {
    let unsorted = || Served::from(ServedTurn::new().saying("I would change it.")).aside();
    let cases = [
        (routed("read_only"), "Answer the request"),
        (routed("plan_only"), "Make a plan"),
        (unsorted(), "Answer the request"),
    ];
    for (route, task) in cases {
        let (studio, project, _) = with_page();
        let writes = ServedTurn::new().calling("c1", "create_file", json!({ "content": "<p>Mine" })).into();
        let server = plain([route, reads(), writes, says("It is pale.")]).await;

        let report = ended(&studio, wishes(project, "Why so pale?", &server)).await;

        assert_eq!((report.state, server.left(), server.complaints()), (NoOutput, 0, Vec::new()), "{task}");
        assert_eq!(report.variants[0].message, "It is pale.");
        let asked = server.asked();
        let writing = ["create_file", "edit_file", "generate_images", "save_assets"];
        let offered: Vec<_> = tools(&asked[1]).into_iter().filter(|name| writing.contains(name)).collect();
        assert_eq!(offered, Vec::<&str>::new(), "{task}");
        let said = words(&asked[1]);
        assert!(said[1].starts_with(task) && said[0].contains("nothing may be changed"), "{said:#?}");
        assert_eq!(studio.open_version(project).unwrap().unwrap().1, page(PAGE), "{task}");
    }
}

#[tokio::test]
async fn a_router_that_fails_leaves_the_request_to_the_agent() {
    let (studio, project, _) = with_page();
    let refused = Served::status(400, r#"{"error":{"message":"no such model"}}"#).aside();
    let server = plain([refused, edits("pale", "dark"), says("Darker.")]).await;

    let report = ended(&studio, wishes(project, "Make it darker", &server)).await;

    assert_eq!((report.state, server.left()), (Succeeded, 0));
}

#[tokio::test]
async fn files_that_the_router_names_are_shown_first() {
    let (studio, project, _) = with_page();
    let route = json!({ "category": "code_change", "scope": "style", "preloadPaths": ["css/site.css"] });
    let server = plain([routed_as(&route), edits("pale", "dark"), says("Darker.")]).await;

    ended(&studio, wishes(project, "Make it darker", &server)).await;

    let said = words(&server.asked()[1]).remove(1);
    assert!(said.find(SHEET).unwrap() < said.find(PAGE).unwrap(), "{said}");
}

#[tokio::test]
async fn what_the_router_costs_is_in_the_ledger_with_the_rest() {
    let (studio, project, _) = with_page();
    let cost = |turn: ServedTurn, usd: f64| Served::from(turn.costing(usd));
    let route = ServedTurn::new().saying(&json!({ "category": "code_change" }).to_string());
    let edit = json!({ "path": "index.html", "old_text": "pale", "new_text": "dark" });
    let edit = ServedTurn::new().calling("c1", "edit_file", edit);
    let server =
        plain([cost(route, 0.25).aside(), cost(edit, 0.5), cost(ServedTurn::new().saying("Darker."), 0.125)])
            .await;

    let report = ended(&studio, wishes(project, "Make it darker", &server)).await;

    assert_eq!(report.state, Succeeded);
    assert_eq!(report.variants[0].cost_usd, Some(0.875));
    assert_eq!(studio.store().ledger().of_project(project).unwrap().settled_usd(), 0.875);
}

#[tokio::test]
async fn several_options_of_a_change_are_sorted_once() {
    let (studio, project, parent) = with_page();
    let first = playing([edits("pale", "dark"), says("Darker.")]).await;
    let second =
        ReplayServer::playing(Spoken::Anthropic, [edits("pale", "black"), says("Black.")]).await.unwrap();
    let engines = asking(&[(Provider::Chat, &first), (Provider::Anthropic, &second)]);

    let report = ended(&studio, RunRequest { project_id: Some(project), ..engines }).await;

    let versions: Vec<_> = report.variants.iter().map(|variant| variant.version.unwrap()).collect();
    let parents = versions.into_iter().map(|id| studio.store().versions().get(id).unwrap().parent);
    assert_eq!(parents.collect::<Vec<_>>(), [Some(parent); 2]);
    assert_eq!([first.left(), second.left()], [0, 0]);
}

/// What a request says of tools that have to be called.
fn tool_choice(dialect: Spoken, asked: &Asked) -> Option<&str> {
    let choice = match dialect {
        Spoken::OpenAiResponses | Spoken::OpenAiChat => &asked.body["tool_choice"],
        Spoken::Anthropic => &asked.body["tool_choice"]["type"],
        Spoken::Gemini => &asked.body["toolConfig"]["functionCallingConfig"]["mode"],
    };
    choice.as_str()
}

#[tokio::test]
async fn a_call_is_forced_at_first_and_after_each_sending_back_and_left_free_after_tools() {
    let required = [
        (Spoken::OpenAiResponses, "openai:model-1", Some("auto"), Some("required")),
        (Spoken::OpenAiChat, "chat:model-1", None, Some("required")),
        (Spoken::Gemini, "gemini:model-1", Some("AUTO"), Some("ANY")),
        (Spoken::Anthropic, "anthropic:claude-haiku-5-5", Some("auto"), Some("any")),
        // Nobody knows that it can be forced: the sentence in the prompt and the hook have to do.
        (Spoken::Anthropic, "anthropic:model-1", Some("auto"), Some("auto")),
    ];
    for (dialect, engine, free, forced) in required {
        let (studio, project, _) = with_page();
        let answers = [
            routed("code_change"),
            says("I will."),
            reads(),
            says("It is pale."),
            edits("pale", "dark"),
            says("Darker."),
        ];
        let server = ReplayServer::playing(dialect, answers).await.unwrap();
        let asked = asking(&[(Provider::Chat, &server)]);
        let addresses = vec![GivenAddress { provider: None, url: server.address().into() }];
        let wish =
            RunRequest { project_id: Some(project), engines: vec![engine.to_owned()], addresses, ..asked };

        let report = ended(&studio, wish).await;

        assert_eq!((report.state, server.complaints()), (Succeeded, Vec::new()), "{engine}");
        let asked = server.asked();
        let choices: Vec<_> = asked[1..].iter().map(|asked| tool_choice(dialect, asked)).collect();
        assert_eq!(choices, [forced, forced, free, forced, free], "{engine}");
        let said = String::from_utf8_lossy(&asked[1].bytes).into_owned();
        assert!(said.contains("Begin with a call, not with words"), "{engine}");
        let told = ["Nothing was read and nothing is changed yet", "Make the edit now with a tool"];
        let last = String::from_utf8_lossy(&asked[5].bytes).into_owned();
        assert_eq!(told.map(|words| last.matches(words).count()), [1; 2], "{engine}");
    }
}

#[tokio::test]
async fn a_question_is_not_answered_unread() {
    let (studio, project, _) = with_page();
    let server = playing_to("read_only", [says("Surely pale."), reads(), says("It is pale.")]).await;

    let report = ended(&studio, wishes(project, "Which colour?", &server)).await;

    assert_eq!((report.state, report.variants[0].message.as_str()), (NoOutput, "It is pale."));
    assert!(words(&server.asked()[2]).iter().any(|said| said.contains("Read what the answer needs")));
}

#[tokio::test]
async fn what_was_wrong_with_a_page_before_is_not_laid_on_the_model() {
    let (studio, project, _) = with_page();
    let broken = PAGE.replace("<p", "<img src=\"gone.png\" alt=\"\"><p");
    studio.keep_edit(project, "", &page(&broken)).unwrap();
    let server =
        playing([edits("Pots", "<b>Pots"), says("Bold."), edits("<b>Pots", "<b>Pots</b>"), says("Bold.")])
            .await;

    let report = ended(&studio, wishes(project, "Make it bold", &server)).await;

    assert_eq!((report.state, server.left()), (Succeeded, 0));
    let told = words(&server.asked()[3]).pop().unwrap();
    assert!(told.contains("<b>") && !told.contains("gone.png"), "{told}");
}

#[tokio::test]
async fn a_turn_is_kept_with_what_it_changed_and_the_next_one_is_told_of_it() {
    let (studio, project, _) = with_page();
    let first = playing([edits("pale", "dark"), says("It is darker now.")]).await;
    ended(&studio, wishes(project, "Make it darker", &first)).await;
    let second = playing(std::iter::repeat_n(says("Which part?"), 6)).await;
    ended(&studio, wishes(project, "Make it better", &second)).await;
    let third = playing([edits("dark", "black"), says("Black.")]).await;
    let view = studio.memory_view(project).unwrap();

    ended(&studio, wishes(project, "All of it", &third)).await;

    let turns = studio.store().turns().of_project(project).unwrap();
    let results: Vec<_> = turns.into_iter().take(2).map(|turn| turn.result).collect();
    let [before, after] = ["pale", "dark"].map(|class| PAGE.replace("pale", class));
    let change = TurnResult {
        assistant_text: "It is darker now.".to_owned(),
        touched_files: vec![ProjectPath::index()],
        intent_category: Some("code_change".to_owned()),
        awaiting_reply: false,
        diff: format!("--- index.html\n+++ index.html\n@@ -1 +1 @@\n-{before}+{after}"),
    };
    let question = TurnResult {
        assistant_text: "Which part?".to_owned(),
        intent_category: Some("code_change".to_owned()),
        awaiting_reply: true,
        ..TurnResult::default()
    };
    assert_eq!(results, [change, question]);
    let asked = third.asked();
    let [to_router, to_agent] = [0, 1].map(|at| words(&asked[at]).remove(1));
    let card = "Files in focus: index.html\nAsked back, unanswered: Which part?\n\
                Kind of the last request: code_change\nLast change: It is darker now.\n";
    let lines = "Make it darker -> It is darker now.\nMake it better -> Which part?\n";
    assert!(to_router.contains(&format!("{card}{lines}")), "{to_router}");
    let turns = [
        "Request: Make it darker\nResult: It is darker now.\n",
        "Request: Make it better\nResult: Which part?\n",
    ];
    let told = [card, turns[0], turns[1]].map(|part| to_agent.matches(part).count());
    assert_eq!(told, [1; 3], "{to_agent}");
    // What the window shows is what is sent.
    assert!(!view.sent.is_empty() && to_agent.contains(&view.sent), "{}", view.sent);
    assert_eq!((view.notes.join("\n") + "\n", view.turns.len()), (card.to_owned(), 2));
}

#[tokio::test]
async fn nothing_is_told_of_turns_before_the_memory_was_cleared() {
    let (studio, project, _) = with_page();
    let first = playing([edits("pale", "dark"), says("It is darker now.")]).await;
    ended(&studio, wishes(project, "Make it darker", &first)).await;
    studio.clear_memory(project).unwrap();
    assert_eq!(studio.memory_view(project).unwrap().sent, "");
    let second = playing([edits("dark", "black"), says("Black.")]).await;

    ended(&studio, wishes(project, "Make it black", &second)).await;

    let said: String = second.asked().iter().flat_map(words).collect();
    assert!(!said.contains("darker") && !said.contains("# Earlier changes"), "{said}");
    assert_eq!(studio.store().turns().of_project(project).unwrap().len(), 2);
}
