//! When a model has to call a tool, and when it is sent back to work.

use facsimile_studio::GivenAddress;

use super::*;

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
