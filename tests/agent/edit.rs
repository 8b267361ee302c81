//! `edit_file` and `create_file` against what models get wrong.

use facsimile_agent::project::edit::{self, Edit, Kind, Occurrences};
use facsimile_agent::{
    ProjectFiles, ToolArguments, ToolCall, ToolContext, ToolExecutionResult, VariantIndex, tools,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::files;

struct Desk {
    cx: ToolContext,
}

impl Desk {
    fn with(files: ProjectFiles) -> Self {
        Self { cx: ToolContext::new(VariantIndex(0), files, CancellationToken::new()) }
    }

    async fn call(&mut self, name: &str, arguments: Value) -> ToolExecutionResult {
        let arguments = ToolArguments::parse(&arguments.to_string());
        let call = ToolCall { id: "1".into(), name: name.to_owned(), arguments };
        tools::registry().unwrap().run(&call, &mut self.cx).await
    }

    async fn error(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments).await;
        result.result["error"].as_str().unwrap_or_default().to_owned()
    }
}

const PAGE: &str = "<main>\n<h1>A title</h1>\n<p>One paragraph of words.</p>\n<p>Another one.</p>\n</main>\n";

#[tokio::test]
async fn an_edit_that_hides_the_page_is_refused_once_and_then_believed() {
    let edit = json!({"old_text": "</h1>", "new_text": "</h1><!-- note"});
    let mut desk = Desk::with(files([("index.html", PAGE)]));
    let warning = desk.error("edit_file", edit.clone()).await;
    assert!(warning.starts_with("this would hide 83 % of the visible text of index.html"), "{warning}");
    assert_eq!(desk.cx.files, files([("index.html", PAGE)]));
    assert!(desk.call("edit_file", edit).await.ok);
    assert_eq!(desk.cx.files, files([("index.html", &PAGE.replace("</h1>", "</h1><!-- note"))]));
}

#[test]
fn hiding_thirty_percent_is_believed_and_more_is_not() {
    let hidden = |shown: usize| {
        let page = format!("<p>{}</p><i>{}</i>", "a".repeat(shown), "b".repeat(100 - shown));
        let edit = Edit { old: "<i>", new: "<i><!--", occurrences: Occurrences::Unique };
        edit::apply(&page, Kind::Page, &[edit]).unwrap().hidden_percent
    };
    assert_eq!([100, 71, 70, 69, 10].map(hidden), [None, None, None, Some(31), Some(90)]);
}

#[tokio::test]
async fn another_call_that_hides_the_page_is_warned_of_again() {
    let mut desk = Desk::with(files([("index.html", PAGE)]));
    for new in ["</h1><!-- a", "</h1><style>"] {
        let warning = desk.error("edit_file", json!({"old_text": "</h1>", "new_text": new})).await;
        assert!(warning.contains("hide"), "{warning}");
    }
}

#[tokio::test]
async fn a_section_that_is_taken_out_by_name_needs_no_second_call() {
    let mut desk = Desk::with(files([("index.html", PAGE)]));
    let old = "<p>One paragraph of words.</p>\n<p>Another one.</p>\n";
    assert!(desk.call("edit_file", json!({"old_text": old, "new_text": ""})).await.ok);
}

#[tokio::test]
async fn a_style_sheet_hides_nothing() {
    let mut desk = Desk::with(files([("a.css", "p { color: red }\nb { color: blue }\n")]));
    let edit = json!({"path": "a.css", "old_text": "p {", "new_text": "/* p {"});
    assert!(desk.call("edit_file", edit).await.ok);
}

#[tokio::test]
async fn code_left_out_with_a_remark_is_refused_and_nothing_changes() {
    let before = files([("index.html", PAGE), ("a.js", "go();\nstop();\n"), ("a.css", "a {}\nb {}\n")]);
    let mut desk = Desk::with(before.clone());
    let told = [
        desk.error(
            "edit_file",
            json!({"old_text": PAGE, "new_text": "<main>\n<h1>New</h1>\n<!-- rest of the page stays the same -->\n"}),
        )
        .await,
        desk.error(
            "edit_file",
            json!({"path": "a.js", "edits": [
                {"old_text": "go();", "new_text": "run();"},
                {"old_text": "stop();", "new_text": "// ... existing code ..."},
            ]}),
        )
        .await,
        desk.error("create_file", json!({"path": "a.css", "content": "a { top: 0 }\n/* other rules unchanged */\n"}))
            .await,
    ];
    assert_eq!(
        told,
        [
            "new_text holds the comment \"rest of the page stays the same\" in place of code; a file has no other \
             copy of what it leaves out. Write everything that is to stand there, or take only the part that changes \
             as old_text. index.html is unchanged",
            "edit 2 of 2: new_text holds the comment \"... existing code ...\" in place of code; a file has no other \
             copy of what it leaves out. Write everything that is to stand there, or take only the part that changes \
             as old_text. a.js is unchanged",
            "the content holds the comment \"other rules unchanged\" in place of code, and it would replace all of \
             a.css. Give the whole text, or change a part of the file with edit_file. a.css is unchanged",
        ]
    );
    assert_eq!(desk.cx.files, before);
}

#[tokio::test]
async fn a_file_that_would_outgrow_every_limit_is_refused_before_it_is_made() {
    let mut desk = Desk::with(files([("a.txt", &"a".repeat(1 << 20))]));
    let new = "b".repeat(1 << 20);
    let told = desk
        .error("edit_file", json!({"path": "a.txt", "old_text": "a", "new_text": new, "count": -1}))
        .await;
    assert_eq!(told, "the file would grow beyond 4 MiB; split it. a.txt is unchanged");
}

/// Pieces of a page in the spellings of an editor, and the same as a model writes them.
fn piece() -> impl Strategy<Value = (String, String)> {
    let same = |text: &'static str| Just((text.to_owned(), text.to_owned()));
    let pair = |file: &'static str, model: &'static str| Just((file.to_owned(), model.to_owned()));
    prop_oneof![
        "[a-z]{1,6}".prop_map(|word| (word.clone(), word)),
        same("<b>"),
        same("\u{1f980}é"),
        same("&"),
        pair("\u{a0}", " "),
        pair("&nbsp;", "\u{a0}"),
        pair(" ", "&#160;"),
        pair("\t", "    "),
        pair("\u{2019}", "'"),
        pair("&ldquo;", "\""),
        pair("\u{201d}", "\""),
        pair("&eacute;", "é"),
        pair("é", "&#xe9;"),
        pair("&amp;", "&"),
        pair(" \t\r\n", "\n"),
        pair("\n", "  \n"),
    ]
}

fn text(pieces: &[(String, String)]) -> (String, String) {
    (
        pieces.iter().map(|piece| piece.0.as_str()).collect(),
        pieces.iter().map(|piece| piece.1.as_str()).collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    // S-67
    #[test]
    fn what_a_model_copies_with_other_spellings_is_found_in_its_place(
        before in prop::collection::vec(piece(), 0..12),
        inside in prop::collection::vec(piece(), 0..8),
        after in prop::collection::vec(piece(), 0..12),
        new in "[a-z\u{a0}\u{2019}&;<>\\n ]{0,20}",
    ) {
        let ((before, _), (inside, asked), (after, _)) = (text(&before), text(&inside), text(&after));
        let page = format!("{before}<i>\u{2019}{inside}\u{2019}</i>{after}");
        let old = format!("<i>'{asked}'</i>");
        let edit = Edit { old: &old, new: &new, occurrences: Occurrences::Unique };
        let edited = edit::apply(&page, Kind::Other, &[edit]).unwrap().text;
        let middle = edited.strip_prefix(&before).and_then(|rest| rest.strip_suffix(&after)).unwrap();
        prop_assert_eq!(middle.replace("\r\n", "\n"), new);
    }

    // S-67
    #[test]
    fn whatever_is_asked_for_the_rest_of_the_file_keeps_its_bytes(
        page in prop::collection::vec(piece(), 0..30),
        asked in prop::collection::vec(piece(), 1..4),
    ) {
        let (page, (_, old)) = (text(&page).0, text(&asked));
        let mark = "\u{1f4cc}";
        let edit = Edit { old: &old, new: mark, occurrences: Occurrences::All };
        let Ok(edited) = edit::apply(&page, Kind::Other, &[edit]) else { return Ok(()) };
        let kept: Vec<_> = edited.text.split(mark).collect();
        let is_framed = page.starts_with(kept[0]) && page.ends_with(kept[kept.len() - 1]);
        prop_assert!(is_framed, "{:?} in {:?}", kept, page);
        let mut rest = page.as_str();
        for part in kept {
            let at = rest.find(part);
            prop_assert!(at.is_some(), "{:?} is not in {:?}", part, page);
            rest = &rest[at.unwrap() + part.len()..];
        }
    }
}
