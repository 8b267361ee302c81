//! What a request is taken for before the work on it begins.

use super::*;

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
