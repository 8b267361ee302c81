//! Pictures that a model only describes: its eyes find them, in a conversation of their own.

use facsimile_agent::{AgentEvent, RunStatus};
use facsimile_studio::{RunEventBody, Studio};
use facsimile_testkit::replay::{Served, ServedTurn, Spoken};
use facsimile_vision::Raster;
use image::codecs::webp::WebPEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageEncoder};
use serde_json::{Value, json};

use super::services::services;
use super::{TURBO, begin, begin_with, calls, memory, studio};
use crate::support::drawn;

/// The result of the first call of `extract_assets`, as the window has it.
fn extracted(studio: &Studio, run: facsimile_agent::RunId) -> Value {
    let (snapshot, _) = studio.attach(run).unwrap();
    let result = snapshot.events.iter().find_map(|event| match &event.body {
        RunEventBody::Agent(AgentEvent::ToolResult { name, output, .. }) if name == "extract_assets" => {
            Some(output.clone())
        }
        _ => None,
    });
    result.unwrap()
}

/// A run whose model wants two things it gives no boxes for, and whose eyes answer this.
fn looking(seen: Served) -> Vec<Served> {
    let wanted = |description: &str| json!({ "description": description, "image": 1 });
    let call = ("extract_assets", json!({ "assets": [wanted("the noise"), wanted("a door")] }));
    let [first, rest @ ..] = calls(&[call]);
    [first, seen.aside()].into_iter().chain(rest).collect()
}

#[tokio::test]
async fn a_vision_model_finds_what_was_only_described_and_says_what_is_not_there() {
    for dialect in Spoken::ALL {
        let studio = studio(&memory(), services(), TURBO);
        // Roughly the picture of noise, which is cut at its real edges; there is no door.
        let seen = ServedTurn::new().saying("[[150, 640, 520, 925], null]");
        let (started, server) = begin(&studio, dialect, looking(seen.into())).await;
        let report = studio.ended(started.run).await.unwrap();
        assert_eq!(
            (report.state, server.complaints(), server.left()),
            (RunStatus::Succeeded, Vec::new(), 0),
            "{dialect:?}"
        );

        let output = extracted(&studio, started.run);
        let names: Vec<_> =
            output["unresolved"].as_array().unwrap().iter().map(|one| &one["label"]).collect();
        assert_eq!(names, ["a door"], "{dialect:?}: {output}");
        let kept = studio.store().assets().of_project(started.project).unwrap();
        let kept =
            kept.iter().find(|kept| output["artifacts"][0]["asset"] == kept.asset.path_in_page).unwrap();
        let cut = Raster::decode(&studio.store().assets().read(&kept.asset.id).unwrap()).unwrap();
        assert_eq!((cut.width(), cut.height()), (40, 40), "{dialect:?}");
        // The question went out alone, with the whole picture and both descriptions in their order.
        let asked = server.asked()[1].body.to_string();
        assert!(
            asked.contains("1. the noise\\n2. a door") && asked.contains("base64")
                || asked.contains("inlineData"),
            "{asked}"
        );
        assert!(!asked.contains("create_file"), "{asked}");
    }
}

#[tokio::test]
async fn eyes_that_fail_or_talk_leave_the_candidates_of_the_picture() {
    let talk = ServedTurn::new().saying("I see a lovely page.");
    for seen in [Served::status(400, r#"{"error":{"message":"no pictures here"}}"#), talk.into()] {
        let studio = studio(&memory(), services(), TURBO);
        let (started, server) = begin(&studio, Spoken::OpenAiChat, looking(seen)).await;
        let report = studio.ended(started.run).await.unwrap();
        assert_eq!((report.state, server.complaints()), (RunStatus::Succeeded, Vec::new()));
        assert_eq!(extracted(&studio, started.run)["unresolved"].as_array().unwrap().len(), 2);
        let told = server.asked().last().unwrap().body.to_string();
        assert!(told.contains("these places in the image look like pictures"), "{told}");
    }
}

/// The screenshot as a camera stores it that was held so that this orientation turns it upright.
fn lying(orientation: u8) -> Vec<u8> {
    let mut stored = image::load_from_memory(&drawn()).unwrap();
    // A quarter turn is undone by the other one.
    let undone = [0, 1, 2, 3, 4, 5, 8, 7, 6][usize::from(orientation)];
    stored.apply_orientation(Orientation::from_exif(undone).unwrap());
    let mut exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    let mut file = Vec::new();
    let mut encoder = WebPEncoder::new_lossless(&mut file);
    encoder.set_exif_metadata(exif).unwrap();
    DynamicImage::ImageRgb8(stored.into_rgb8()).write_with_encoder(encoder).unwrap();
    file
}

// S-40
#[tokio::test]
async fn a_picture_that_was_taken_askew_is_cut_once_and_as_it_is_seen() {
    let mut cut = Vec::new();
    for orientation in [1, 3, 5, 6, 8] {
        let studio = studio(&memory(), services(), TURBO);
        let wanted = json!({ "description": "the noise", "image": 1, "box": [150, 640, 520, 925] });
        let answers = calls(&[("extract_assets", json!({ "assets": [wanted] }))]);
        let picture = ("pots.webp", lying(orientation));
        let (started, _server) = begin_with(&studio, Spoken::OpenAiChat, picture, answers).await;
        studio.ended(started.run).await.unwrap();
        let output = extracted(&studio, started.run);
        let kept = studio.store().assets().of_project(started.project).unwrap();
        let kept = kept.iter().find(|kept| output["artifacts"][0]["asset"] == kept.asset.path_in_page);
        let bytes = studio.store().assets().read(&kept.unwrap().asset.id).unwrap();
        cut.push(image::load_from_memory(&bytes).unwrap().into_rgb8());
    }
    let page = image::load_from_memory(&drawn()).unwrap().into_rgb8();
    let noise = image::imageops::crop_imm(&page, 105, 20, 40, 40).to_image();
    assert!(
        cut.iter().all(|cut| *cut == noise),
        "{:?}",
        cut.iter().map(|cut| cut.dimensions()).collect::<Vec<_>>()
    );
}
