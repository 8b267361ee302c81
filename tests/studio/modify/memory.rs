//! What a turn is told of those before it.

use facsimile_store::TurnResult;

use super::*;

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
