//! Tools that keep, cut, make and change pictures, over rooms that answer as told.

use std::collections::HashMap;
use std::sync::Arc;

use facsimile_agent::ports::{
    BoxInThousandths, BoxPx, CutOutOrder, EditOrder, GenerateOrder, Ports, VisibleMedia,
};
use facsimile_agent::tool::{Capabilities, Making, OptionFiles};
use facsimile_agent::{
    ProjectFiles, ToolArguments, ToolCall, ToolContext, ToolExecutionResult, ToolImage, VariantIndex, tools,
};
use facsimile_testkit::rooms::{Board, Cutter, Fate, Finder, Shelf, asset, upload};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::files;

/// Everything the picture tools work with.
struct Desk {
    cx: ToolContext,
    shelf: Arc<Shelf>,
    board: Arc<Board>,
    cutter: Arc<Cutter>,
}

const PHOTO: BoxPx = BoxPx { x: 40, y: 20, width: 100, height: 50 };
const LOGO: BoxPx = BoxPx { x: 300, y: 120, width: 60, height: 60 };

impl Desk {
    fn new(fates: impl IntoIterator<Item = Fate>) -> Self {
        Self::finding(fates, vec![PHOTO, LOGO], None)
    }

    fn finding(fates: impl IntoIterator<Item = Fate>, pictures: Vec<BoxPx>, finder: Option<Finder>) -> Self {
        let (shelf, board) = (Arc::new(Shelf::default()), Board::with(fates));
        let cutter = Arc::new(Cutter { pictures, ..Cutter::default() });
        let mut cx = ToolContext::new(VariantIndex(0), ProjectFiles::new(), CancellationToken::new());
        cx.ports = Ports {
            shelf: Some(shelf.clone()),
            tasks: Some(board.clone()),
            segmenter: Some(cutter.clone()),
            box_finder: finder.map(|finder| Arc::new(finder) as Arc<_>),
            ..Ports::default()
        };
        cx.media = VisibleMedia::of(vec![upload("shop.png", 1), upload("logo.png", 2)]);
        let service = Some(Making::Service { usd_each: Some(0.25) });
        let wished = Capabilities {
            generation: service,
            editing: service,
            cutting_out: service,
            ..Default::default()
        };
        cx.capabilities = wished.with(&cx.ports, &cx.media, &[]);
        Self { cx, shelf, board, cutter }
    }

    async fn call(&mut self, name: &str, arguments: Value) -> ToolExecutionResult {
        let arguments = ToolArguments::parse(&arguments.to_string());
        let call = ToolCall { id: "1".into(), name: name.into(), arguments };
        tools::registry().unwrap().run(&call, &mut self.cx).await
    }
}

const KNOWN: &str =
    "the images are [image 1] name=shop.png size=400x200, [image 2] name=logo.png size=400x200";

#[tokio::test]
async fn an_image_that_is_not_in_the_conversation_is_refused_with_those_that_are() {
    let mut desk = Desk::new([Fate::Made]);
    for name in
        [json!("https://images.example/a.png"), json!("assets/0123456789abcdef.png"), json!(3), json!(0)]
    {
        let calls = [
            ("save_assets", json!({"images": [1, name]})),
            (
                "extract_assets",
                json!({"assets": [{"description": "logo", "image": name, "box": [0, 0, 9, 9]}]}),
            ),
            ("edit_image", json!({"images": [name], "prompt": "greener"})),
            ("remove_background", json!({"images": [name]})),
        ];
        for (tool, arguments) in calls {
            let result = desk.call(tool, arguments).await;
            let error = result.result["error"].as_str().unwrap();
            assert!(!result.ok && error.ends_with(KNOWN), "{tool}: {error}");
        }
    }
    assert_eq!((desk.shelf.kept(), desk.board.orders()), (vec![], vec![]));
}

#[tokio::test]
async fn uploads_are_saved_once_each_and_keep_their_path() {
    let mut desk = Desk::new([Fate::Made]);
    let first = desk.call("save_assets", json!({"images": [2, "image 2", 1]})).await;
    let again = desk.call("save_assets", json!({"images": [2]})).await;
    let assets = first.result["assets"].as_array().unwrap();
    assert_eq!(assets.iter().map(|asset| &asset["image"]).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(again.result["assets"][0], assets[0]);
    let artifact = json!({"kind": "image", "asset": assets[0]["path"], "label": "logo.png",
        "width": 400, "height": 200});
    assert_eq!(again.summary, json!({"artifacts": [artifact]}));
}

#[tokio::test]
async fn cut_pictures_keep_the_order_asked_for_and_are_shown_kept_and_numbered() {
    let mut desk = Desk::new([]);
    let asked = json!({"assets": [
        {"description": "logo", "image": 1, "box": [600, 750, 900, 900]},
        {"description": "nothing", "image": 1, "box": [900, 0, 1000, 100]},
        {"description": "photo", "image": 1, "box": [120, 110, 330, 340]},
    ]});
    let result = desk.call("extract_assets", asked).await;
    let path = |at: usize| result.result["assets"][at]["path"].clone();
    let cut = |at: usize, description: &str, image: u32, place: BoxPx| {
        json!({"description": description, "from_image": 1, "path": path(at), "image": image,
            "width": place.width, "height": place.height, "transparent": false})
    };
    let nothing = json!({"description": "nothing", "from_image": 1,
        "unresolved": "nothing stands in that box; look again and give another one"});
    assert_eq!(
        result.result,
        json!({"assets": [cut(0, "logo", 3, LOGO), nothing, cut(2, "photo", 4, PHOTO)]})
    );
    // What the designer sees of it: every picture with its name and size, and what is missing by its name.
    let artifacts = [(0, "logo", LOGO), (2, "photo", PHOTO)].map(|(at, label, BoxPx { width, height, .. })| {
        json!({"kind": "image", "asset": path(at), "label": label, "width": width, "height": height})
    });
    let why = "nothing stands in that box; look again and give another one";
    let summary = json!({"artifacts": artifacts, "unresolved": [{"label": "nothing", "why": why}]});
    assert_eq!((result.ok, result.summary), (true, summary));
    let shown = ["image 3", "image 4"].map(str::to_owned).to_vec();
    assert_eq!(result.images.iter().map(|image| image.label().to_owned()).collect::<Vec<_>>(), shown);
    assert!(
        matches!(&result.images[0], ToolImage::Bytes { data, .. } if data.as_ref() == b"shop.png@300,120")
    );
    // What was cut out can be named from now on.
    assert!(desk.call("remove_background", json!({"images": [3]})).await.ok);
}

#[tokio::test]
async fn without_a_box_a_model_that_sees_finds_the_place() {
    let place = BoxInThousandths([120.0, 110.0, 330.0, 340.0]);
    let finder = Finder { sees: HashMap::from([("photo".to_owned(), place)]) };
    let mut desk = Desk::finding([], vec![PHOTO, LOGO], Some(finder));
    let wanted = ["photo", "a ghost"].map(|what| json!({"description": what, "image": 1}));
    let result = desk.call("extract_assets", json!({"assets": wanted})).await;
    let [photo, ghost] = [0, 1].map(|at| &result.result["assets"][at]);
    assert_eq!(
        (&photo["width"], &ghost["candidates"][1]["box"]),
        (&json!(100), &json!([600, 750, 900, 900]))
    );
}

#[tokio::test]
async fn without_a_box_and_a_finder_the_candidates_are_offered_or_the_only_one_is_taken() {
    let wanted = json!({"assets": [{"description": "the photo", "image": 1}]});
    let offered = Desk::new([]).call("extract_assets", wanted.clone()).await;
    let candidates = json!([{"box": [100, 100, 350, 350], "kind": "photo"}, {"box": [600, 750, 900, 900], "kind": "photo"}]);
    let unresolved = json!({"description": "the photo", "from_image": 1, "candidates": candidates,
        "unresolved": "give its box; these places in the image look like pictures"});
    let error = "none of the assets was found; the items say why";
    assert_eq!((offered.ok, offered.result), (false, json!({"assets": [unresolved], "error": error})));
    let taken = Desk::finding([], vec![PHOTO], None).call("extract_assets", wanted).await;
    assert_eq!((taken.ok, &taken.result["assets"][0]["height"]), (true, &json!(50)));
}

#[tokio::test]
async fn what_a_model_that_sees_did_not_see_is_not_the_only_candidate() {
    let wanted = json!({"assets": [{"description": "x".repeat(10_000), "image": 1}]});
    let result = Desk::finding([], vec![PHOTO], Some(Finder::default())).call("extract_assets", wanted).await;
    let candidates = json!([{"box": [100, 100, 350, 350], "kind": "photo"}]);
    let item = &result.result["assets"][0];
    assert_eq!((result.ok, &item["candidates"]), (false, &candidates));
    assert_eq!(item["description"], json!("x".repeat(200)));
}

#[tokio::test]
async fn a_box_that_is_none_is_told_and_the_others_are_cut() {
    let mut desk = Desk::new([]);
    let boxes =
        [json!([1, 2, 3]), json!([300, 0, 200, 9]), json!([0, 0, 5000, 9]), json!([-3, 0, 1004, 1000])];
    let wanted = boxes.map(|place| json!({"description": "it", "image": 1, "box": place}));
    let result = desk.call("extract_assets", json!({"assets": wanted})).await;
    let is_cut = |item: &Value| item.get("path").is_some();
    let cut: Vec<_> = result.result["assets"].as_array().unwrap().iter().map(is_cut).collect();
    assert_eq!((result.ok, cut), (true, vec![false, false, false, true]));
}

#[tokio::test]
async fn an_image_is_looked_over_once_for_all_that_is_cut_out_of_it() {
    let mut desk = Desk::new([]);
    let (photo, logo) = (json!([100, 100, 350, 350]), json!([600, 750, 900, 900]));
    let wanted = [(1, &logo), (2, &photo), (1, &photo)];
    let assets = wanted.map(|(image, place)| json!({"description": "it", "image": image, "box": place}));
    let result = desk.call("extract_assets", json!({"assets": assets})).await;
    let data = |image: &ToolImage| match image {
        ToolImage::Bytes { data, .. } => String::from_utf8(data.to_vec()).unwrap(),
        ToolImage::Url { label, .. } => label.clone(),
    };
    let cut: Vec<String> = result.images.iter().map(data).collect();
    assert_eq!(cut, ["shop.png@300,120", "logo.png@40,20", "shop.png@40,20"]);
    let looked_at = desk.cutter.looked_at.lock().unwrap().clone();
    assert_eq!(looked_at, [("shop.png".to_owned(), 2), ("logo.png".to_owned(), 1)]);
}

#[tokio::test]
async fn what_moves_is_not_cut_and_too_much_at_once_is_refused() {
    let mut desk = Desk::new([]);
    desk.cx.media.add(facsimile_agent::ports::VisibleImage { is_animated: true, ..upload("spin.gif", 3) });
    let moving = desk.call("extract_assets", json!({"assets": [{"description": "it", "image": 3}]})).await;
    assert!(
        moving.result["error"]
            .as_str()
            .unwrap()
            .starts_with("image 3 moves; assets are cut out of still images")
    );
    let many: Vec<_> = (0..21).map(|_| json!({"description": "it", "image": 1})).collect();
    let refused = [json!([]), json!(many)];
    for assets in refused {
        let result = desk.call("extract_assets", json!({"assets": assets})).await;
        assert!(result.result["error"].as_str().unwrap().starts_with("name 1 to 20 assets in a call"));
    }
}

#[tokio::test]
async fn a_picture_is_ordered_once_with_its_size_and_expected_price() {
    let mut desk = Desk::new([Fate::Made]);
    let prompts = json!([
        {"prompt": " A lamp ", "width": 320, "height": 200},
        {"prompt": "A desk", "transparent": true},
        {"prompt": "A lamp", "width": 320, "height": 200, "transparent": null},
    ]);
    let result = desk.call("generate_images", json!({"prompts": prompts})).await;
    let order = desk.board.orders().remove(0);
    let inputs: GenerateOrder = serde_json::from_value(order.inputs.clone()).unwrap();
    let sizes: Vec<_> = inputs.pictures.iter().map(|p| (p.width_px, p.height_px, p.is_transparent)).collect();
    assert_eq!(sizes, [(320, 200, false), (1024, 1024, true)]);
    assert_eq!((order.kind, order.results, order.expected_usd), ("generate_images", 2, Some(0.5)));
    assert_eq!(desk.board.waits(), [std::time::Duration::from_secs(20)]);
    let item = |at: usize, what: &str| {
        json!({"path": format!("assets/task-0-{}.png", at + 1), "for": what, "image": at + 3,
            "width": 400, "height": 200, "state": "done"})
    };
    let id = result.result["task"].clone();
    let images = [item(0, "A lamp"), item(1, "A desk")];
    assert_eq!(result.result, json!({"status": "succeeded", "task": id, "images": images}));
    let artifact = json!({"kind": "image", "asset": "assets/task-0-2.png", "label": "A desk",
        "width": 400, "height": 200});
    assert_eq!((result.summary["artifacts"][1].clone(), result.images), (artifact, vec![]));
}

#[tokio::test]
async fn a_slow_task_gives_its_paths_and_the_conversation_goes_on() {
    let mut desk = Desk::new([Fate::Open]);
    let result = desk.call("generate_images", json!({"prompts": [{"prompt": "A lamp"}]})).await;
    let id = result.result["task"].clone();
    let expected = json!({
        "status": "running",
        "task": id,
        "images": [{"path": "assets/task-0-1.png", "for": "A lamp", "state": "running"}],
        "paths": ["assets/task-0-1.png"],
        "next": "use the paths now, the pictures appear under them; you are told when they are done",
    });
    assert_eq!(
        (result.ok, result.result, result.summary),
        (true, expected, json!({"task": id, "status": "running"}))
    );
}

#[tokio::test]
async fn some_pictures_are_a_success_and_none_is_a_failure() {
    let mut desk = Desk::new([Fate::MadeButTheFirst, Fate::MadeButTheFirst, Fate::Failed, Fate::Refused]);
    let two = json!({"prompts": [{"prompt": "a"}, {"prompt": "b"}]});
    let one = json!({"prompts": [{"prompt": "a"}]});
    let mut outcomes = Vec::new();
    for arguments in [two, one.clone(), one.clone(), one] {
        let result = desk.call("generate_images", arguments).await;
        let states = result.result["images"].as_array().into_iter().flatten();
        let states: Vec<_> = states.map(|item| item["state"].as_str().unwrap().to_owned()).collect();
        outcomes.push((result.ok, states.join(" "), result.result["error"].clone()));
    }
    let expected = [
        (true, "failed done".to_owned(), Value::Null),
        (false, "failed".to_owned(), json!("the filter of the service refused it")),
        (false, "failed".to_owned(), json!("the service has too much to do. Try again")),
        (false, String::new(), json!("the spend cap of the run does not allow it")),
    ];
    assert_eq!(outcomes, expected);
}

#[tokio::test]
async fn edits_and_cut_outs_name_their_sources_by_content_and_show_what_came_of_them() {
    let mut desk = Desk::new([Fate::Made]);
    let edit = json!({"images": [2, 1, 2], "prompt": "on snow", "aspect_ratio": "16:9"});
    let edited = desk.call("edit_image", edit).await;
    let cut_out = desk.call("remove_background", json!({"images": [1]})).await;
    let orders = desk.board.orders();
    let sources = vec![asset(2), asset(1)];
    let expected = EditOrder { images: sources, prompt: "on snow".into(), aspect_ratio: Some("16:9".into()) };
    assert_eq!(serde_json::from_value::<EditOrder>(orders[0].inputs.clone()).unwrap(), expected);
    let expected = CutOutOrder { images: vec![asset(1)] };
    assert_eq!(serde_json::from_value::<CutOutOrder>(orders[1].inputs.clone()).unwrap(), expected);
    let shown = [edited, cut_out].map(|result| result.images[0].label().to_owned());
    assert_eq!(shown, ["image 3", "image 4"]);
    let shape = desk.call("edit_image", json!({"images": [1], "prompt": "x", "aspect_ratio": "5:1"})).await;
    assert!(
        shape.result["error"]
            .as_str()
            .unwrap()
            .starts_with("arguments of edit_image: aspect_ratio: unknown variant")
    );
}

#[tokio::test]
async fn another_option_is_fetched_by_its_number_and_a_long_file_is_cut_with_a_count() {
    let mut desk = Desk::new([]);
    let long = "é".repeat(60_000);
    let option = OptionFiles {
        number: 2,
        engine: "offline".to_owned(),
        files: files([("big.css", &long), ("index.html", "<h1>Two</h1>")]),
    };
    desk.cx.options = Arc::from([option]);
    desk.cx.capabilities.has_options = true;
    let found = desk.call("retrieve_option", json!({"option_number": 2})).await;
    let part = json!({"path": "big.css", "content": &long[..99_988]});
    let file = json!({"path": "index.html", "content": "<h1>Two</h1>"});
    let cut = "too long to show whole: 99988 of 120000 bytes of big.css";
    assert_eq!(found.result, json!({"option": 2, "count": 2, "files": [part, file], "cut": cut}));
    let missing = desk.call("retrieve_option", json!({"option_number": 1})).await;
    assert_eq!(missing.result, json!({"error": "there is no other option 1", "detail": {"options": [2]}}));
}
