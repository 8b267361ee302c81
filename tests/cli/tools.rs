//! A model that calls the tools through the program: what it is told, what is shown, what is written.

use facsimile_testkit::replay::{Asked, KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::pictures::{encoded, illustrated};
use crate::support::{Content, Ended, Room, event_lines, files, folded};

const PAGE: &str = "<!doctype html>\n<html lang=\"en\">\n<title>Shop</title>\n<main>\n<h1>Café\u{a0}shop</h1>\n\
    <p>It\u{2019}s open.</p>  \n<p>Come in.</p>\n</main>\n</html>";
const SHEET: &str = "h1 { color: red }\r\np { top: 0 }\r\n";

/// What came of a run.
struct Made {
    ended: Ended,
    asked: Vec<Asked>,
    events: Vec<Value>,
    /// What the model was told of its calls, in order.
    results: Vec<Value>,
    room: Room,
}

/// Has the program make a page with a model that gives these replies.
fn made(dialect: Spoken, replies: impl IntoIterator<Item = ServedTurn>, more: &[&str]) -> Made {
    let runtime = Runtime::new().unwrap();
    let answers: Vec<Served> = replies.into_iter().map(Served::from).collect();
    let server = runtime.block_on(ReplayServer::playing(dialect, answers)).unwrap();
    let engine = match dialect {
        Spoken::OpenAiResponses => "openai:m",
        Spoken::Anthropic => "anthropic:m",
        Spoken::Gemini => "gemini:m",
        Spoken::OpenAiChat => "chat:m",
    };
    let room = Room::new();
    room.file("shop.png", encoded(illustrated(), image::ImageFormat::Png));
    let line = ["create", "--text", "A shop", "--out", "out", "--json", "--events", "events.jsonl"];
    let model = ["--engine", engine, "--base-url", server.address(), "--checks", "none"];
    let mut program = room.program(&[&line[..], &model, more].concat());
    let ended = Ended::of(&program.env("FACSIMILE_ENDPOINT_KEY", KEY).output().unwrap());
    assert_eq!(server.complaints(), Vec::<String>::new(), "{dialect:?}: {}", ended.err);
    let events = event_lines(&std::fs::read_to_string(room.path("events.jsonl")).unwrap());
    let asked = server.asked();
    let results = results(dialect, &asked.last().unwrap().body);
    Made { ended, asked, events, results, room }
}

/// The results of all calls, as a request hands them back.
fn results(dialect: Spoken, body: &Value) -> Vec<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let parsed = |text: &Value| serde_json::from_str(text.as_str().unwrap()).unwrap();
    match dialect {
        Spoken::OpenAiResponses => {
            let items = list(&body["input"]).into_iter();
            items
                .filter(|item| item["type"] == "function_call_output")
                .map(|item| parsed(&item["output"]))
                .collect()
        }
        Spoken::OpenAiChat => {
            let messages = list(&body["messages"]).into_iter();
            messages
                .filter(|message| message["role"] == "tool")
                .map(|result| parsed(&result["content"]))
                .collect()
        }
        Spoken::Anthropic => {
            let blocks = list(&body["messages"]).into_iter().flat_map(|message| list(&message["content"]));
            let text = |block: Value| match &block["content"] {
                Value::Array(parts) => parsed(&parts[0]["text"]),
                text => parsed(text),
            };
            blocks.filter(|block| block["type"] == "tool_result").map(text).collect()
        }
        Spoken::Gemini => {
            let parts = list(&body["contents"]).into_iter().flat_map(|content| list(&content["parts"]));
            let answers = parts.map(|part| part["functionResponse"]["response"].clone());
            let answer = |response: Value| response.get("output").unwrap_or(&response).clone();
            answers.filter(|response| !response.is_null()).map(answer).collect()
        }
    }
}

/// A reply of these calls.
fn calling(calls: impl IntoIterator<Item = (&'static str, Value)>) -> ServedTurn {
    calls.into_iter().enumerate().fold(ServedTurn::new(), |reply, (at, (name, arguments))| {
        reply.calling(&format!("{name}-{at}"), name, arguments)
    })
}

fn done() -> ServedTurn {
    ServedTurn::new().saying("Done.")
}

/// Whether each call of the run went well, in the order of their ends. Fails unless each began once and ended once.
fn ends(events: &[Value]) -> Vec<bool> {
    let of = |kind: &str| events.iter().filter(move |event| event["type"] == kind).collect::<Vec<_>>();
    let ids = |events: &[&Value]| {
        let mut ids: Vec<_> = events.iter().map(|event| event["eventId"].to_string()).collect();
        ids.sort();
        ids
    };
    let (starts, results) = (of("toolStart"), of("toolResult"));
    assert_eq!(ids(&starts), ids(&results));
    results.iter().map(|event| event["ok"] == true).collect()
}

fn error(result: &Value) -> &str {
    result["error"].as_str().unwrap_or_else(|| panic!("{result}"))
}

#[test]
fn the_tools_of_words_do_their_work_in_every_dialect() {
    for dialect in Spoken::ALL {
        let write = calling([
            ("think", json!({ "thought": "a page and a sheet" })),
            ("create_file", json!({ "path": "index.html", "content": PAGE })),
            ("create_file", json!({ "path": "css/site.css", "content": format!("```css\n{SHEET}```") })),
        ]);
        let look = calling([
            ("read_file", json!({ "from_line": 6, "to_line": 6 })),
            ("list_files", json!({ "dir": "css" })),
            ("search_files", json!({ "pattern": "come IN" })),
        ]);
        let edit = calling([
            ("edit_file", json!({ "old_text": "Café shop", "new_text": "Café\u{a0}store" })),
            (
                "edit_file",
                json!({ "path": "css/site.css", "edits": [
                    { "old_text": "h1 { color: red }\np", "new_text": "h1 { color: blue }\np" },
                    { "old_text": "0", "new_text": "1", "count": -1 },
                ] }),
            ),
        ]);

        let made = made(dialect, [write, look, edit, done()], &[]);

        let page = PAGE.replace("shop<", "store<");
        let sheet = "h1 { color: blue }\r\np { top: 1 }";
        let written = files(made.room.tree("out"));
        let expected = [("index.html", page.as_str()), ("css/site.css", sheet)];
        assert_eq!(
            written,
            expected.map(|(path, text)| (path.to_owned(), Content::from(text))).into(),
            "{dialect:?}"
        );
        assert_eq!(
            (made.ended.code, folded(&made.events, 0)),
            (Some(0), written),
            "{dialect:?}: {}",
            made.ended.err
        );
        assert_eq!(ends(&made.events), [true; 8], "{dialect:?}");
        let file =
            |path: &str, text: &str, lines: u32| json!({ "path": path, "bytes": text.len(), "lines": lines });
        let created = |path: &str, text: &str, lines: u32| {
            let mut facts = file(path, text, lines);
            facts["created"] = json!(true);
            facts
        };
        let bare = SHEET.trim_end();
        assert_eq!(
            made.results[..6],
            [
                json!({ "noted": true }),
                created("index.html", PAGE, 9),
                created("css/site.css", bare, 2),
                json!({ "path": "index.html", "lines": 9, "content": "<p>It\u{2019}s open.</p>  \n" }),
                json!({ "count": 1, "files": [file("css/site.css", bare, 2)] }),
                json!({ "count": 1, "matches": [{ "path": "index.html", "line": 7, "text": "<p>Come in.</p>" }] }),
            ],
            "{dialect:?}"
        );
        let lines: Vec<_> = made.results[6..].iter().map(|edit| edit["firstChangedLine"].clone()).collect();
        assert_eq!(lines, [5, 1], "{dialect:?}");
        let thought: String = made
            .events
            .iter()
            .filter(|event| event["type"] == "thinking")
            .map(|event| event["text"].as_str().unwrap())
            .collect();
        assert_eq!(thought, "a page and a sheet", "{dialect:?}");
    }
}

#[test]
fn an_edit_that_cannot_be_made_is_told_so_that_the_next_one_can() {
    let edit = |arguments: Value| ("edit_file", arguments);
    let hiding = || edit(json!({ "old_text": "</h1>", "new_text": "</h1><!--" }));
    let failing = calling([
        edit(json!({ "old_text": "<p>", "new_text": "<b>" })),
        edit(json!({ "old_text": "<p>", "new_text": "<b>", "count": 5 })),
        edit(json!({ "old_text": "<p>It's shut.</p>", "new_text": "<p>Soon.</p>" })),
        edit(json!({ "old_text": "&nbsp; \u{200b}\n", "new_text": "x" })),
        edit(json!({ "old_text": "Come in.", "new_text": "Come in.\n{/* … existing code … */}" })),
        edit(
            json!({ "edits": [{ "old_text": "open", "new_text": "shut" }, { "old_text": "Go away", "new_text": "x" }] }),
        ),
        edit(json!({ "path": "../../etc/passwd", "old_text": "root", "new_text": "x" })),
        hiding(),
    ]);
    let write = calling([("create_file", json!({ "content": PAGE }))]);
    // Of a file that the model meant to hide, the same call is believed.
    let again = calling([hiding()]);

    let made = made(Spoken::OpenAiChat, [write, failing, again, done()], &[]);

    let errors: Vec<_> = made.results[1..9].iter().map(|result| error(result).to_owned()).collect();
    let begin = [
        "old_text appears 2 times, in lines 6, 7; add surrounding lines to make it unique, or give count.",
        "old_text was to be replaced 5 times but appears 2 times, in lines 6, 7.",
        "index.html is unchanged: old_text was not found; the closest text is lines 6 to 6, exactly:\n\
         <p>It\u{2019}s open.</p>  ",
        "nothing to do: old_text is empty",
        "new_text holds the comment \"… existing code …\" in place of code;",
        "edit 2 of 2: old_text was not found",
        "the path \"../../etc/passwd\" steps through folders with dots;",
        "this would hide 66 % of the visible text of index.html, none of it in old_text:",
    ];
    let told: Vec<_> =
        errors.iter().zip(begin).map(|(error, begin)| &error[..begin.len().min(error.len())]).collect();
    assert_eq!(told, begin);
    assert_eq!(errors[2], begin[2]);
    assert_eq!(ends(&made.events), [&[true][..], &[false; 8], &[true]].concat());
    let page = Content::from(PAGE.replace("</h1>", "</h1><!--").as_str());
    assert_eq!(files(made.room.tree("out")), [("index.html".to_owned(), page)].into());
    assert_eq!(folded(&made.events, 0), files(made.room.tree("out")));
}

#[test]
fn calls_that_nobody_can_make_are_answered_and_the_page_is_written_all_the_same() {
    let oops = "{\"path\": \"a.html\", \"content\": oops}";
    let hostile = ServedTurn::new()
        .calling("c1", "paint_house", json!({ "colour": "red" }))
        .calling_with("c2", "create_file", oops)
        .calling_with("c3", "create_file", "[1]")
        .calling("c4", "create_file", json!({ "content": 7 }))
        .calling("c5", "create_file", json!({ "content": "" }))
        .calling("c6", "append_file", json!({ "path": "index.html", "content": "x" }))
        .calling("c7", "list_files", json!({}))
        .calling("c8", "list_files", json!({}));
    for dialect in [Spoken::OpenAiResponses, Spoken::Anthropic, Spoken::OpenAiChat] {
        let write = calling([("create_file", json!({ "content": PAGE }))]);

        let made = made(dialect, [hostile.clone(), write, done()], &[]);

        let not_json = "the arguments are not a JSON object";
        let errors: Vec<_> = made.results[..6].iter().map(error).collect();
        assert_eq!(
            errors,
            [
                "unknown tool: paint_house",
                not_json,
                not_json,
                "arguments of create_file: content: invalid type: integer `7`, expected a string",
                "the content of index.html is empty; give the whole file",
                "append_file is not available now",
            ],
            "{dialect:?}"
        );
        assert_eq!(
            (&made.results[1]["INVALID_JSON"], &made.results[1]["position"]),
            (&json!(oops), &json!(30))
        );
        let once = json!({ "notice": "the same call was made as call 7 of this reply; it ran once" });
        assert_eq!(made.results[6..8], [json!({ "count": 0, "files": [] }), once], "{dialect:?}");
        assert_eq!(files(made.room.tree("out")), [("index.html".to_owned(), Content::from(PAGE))].into());
        // Three requests of a hundred tokens: nothing is counted twice.
        let tokens = &made.ended.json()["variants"][0]["tokens"];
        assert_eq!(
            (made.asked.len(), &tokens["input"], &tokens["output"]),
            (3, &json!(300), &json!(30)),
            "{dialect:?}"
        );
    }
}

#[test]
fn a_thousand_calls_and_five_megabytes_in_a_reply_end_with_their_answers() {
    let many = (0..1_000).fold(ServedTurn::new().typing(1_000), |reply, at| {
        reply.calling(&format!("c{at}"), "read_file", json!({ "path": format!("{at}.html") }))
    });
    let large = "x".repeat(5 * 1024 * 1024);
    let huge = calling([("create_file", json!({ "content": large }))]).typing(1 << 20);
    let write = calling([("create_file", json!({ "content": PAGE }))]);

    let made = made(Spoken::OpenAiChat, [many, huge, write, done()], &[]);

    let missing =
        (0..1_000).filter(|at| error(&made.results[*at]) == format!("there is no file {at}.html")).count();
    assert_eq!((missing, made.results.len()), (1_000, 1_002));
    assert_eq!(
        error(&made.results[1_000]),
        format!("index.html would be {} bytes; a file may hold 4 MiB, so split it", large.len())
    );
    assert_eq!((made.ended.code, folded(&made.events, 0)), (Some(0), files(made.room.tree("out"))));
}

#[test]
fn pictures_are_named_by_number_and_an_address_gets_the_list_of_those_there_are() {
    let invented = ["https://images.example/shop.png", "assets/0123456789abcdef.png", "../../etc/passwd"];
    let reply = invented.into_iter().fold(ServedTurn::new(), |reply, name| {
        let id = format!("save-{}", name.len());
        let cut = json!({ "assets": [{ "description": "photo", "image": name }] });
        reply
            .calling(&id, "save_assets", json!({ "images": [1, name] }))
            .calling(&format!("cut-{}", name.len()), "extract_assets", cut)
            .calling(&format!("matte-{}", name.len()), "remove_background", json!({ "images": [name] }))
    });
    let reply = reply.calling("beyond", "save_assets", json!({ "images": [2] })).calling(
        "own",
        "save_assets",
        json!({ "images": [1, "image 1"] }),
    );
    let write = |page: &str| calling([("create_file", json!({ "content": page }))]);

    let first = made(Spoken::Anthropic, [reply, write(PAGE), done()], &["shop.png"]);

    let known = "the images are [image 1] name=shop.png size=160x120";
    let refused = first.results[..10].iter().filter(|result| error(result).ends_with(known)).count();
    assert_eq!(refused, 10, "{:?}", first.results);
    let path = first.results[10]["assets"][0]["path"].as_str().unwrap().to_owned();
    let asset = json!({ "image": 1, "name": "shop.png", "path": path, "width": 160, "height": 120 });
    assert_eq!(first.results[10], json!({ "assets": [asset] }));

    // Another model in another project finds the same picture under the same path.
    let page = format!("<!doctype html><img src=\"{path}\" alt=\"Shop\">");
    let save = calling([("save_assets", json!({ "images": [1] }))]);
    let second = made(Spoken::OpenAiChat, [save, write(&page), done()], &["shop.png"]);

    let picture = Content(encoded(illustrated(), image::ImageFormat::Png));
    let expected = [("index.html".to_owned(), Content::from(page.as_str())), (path, picture)];
    assert_eq!((second.ended.code, files(second.room.tree("out"))), (Some(0), expected.into()));
}
