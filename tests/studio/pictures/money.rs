//! What pictures cost: held of the cap of the run, told before it, and never passed over in silence.

use facsimile_providers::media::PictureVendor;
use facsimile_store::TaskState;
use facsimile_studio::{RunRequest, Studio};
use facsimile_testkit::replay::{Served, Spoken};
use serde_json::json;
use tokio::runtime::Handle;

use super::services::{Replicate, TOKEN, openai, openai_writing, services};
use super::{TURBO, begin, calls, keys, memory, one_pot, results_of, studio, tasks, two_pots};
use crate::support::{drawn, taken};

/// S-60: what pictures may cost is held of the cap of the run, and what they cost takes its place.
#[tokio::test]
async fn pictures_are_paid_of_the_cap_of_the_run_at_their_true_price() {
    let vendor = openai().await;
    let services = services().at(PictureVendor::OpenAi, vendor.uri());
    let studio = studio(&memory(), services, "gpt-image-2");
    let other = ("generate_images", json!({ "prompts": [{ "prompt": "a kiln" }] }));
    let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot(), two_pots(), other])).await;
    let report = studio.ended(started.run).await.unwrap();

    // Two at once may cost 0.40, which 0.30 does not allow; one may cost 0.20 and costs 0.03.
    let done = ("generate_images".to_owned(), TaskState::Succeeded, 1);
    assert_eq!(tasks(&studio, started.project), [done.clone(), done]);
    let oks: Vec<_> = results_of(&studio, started.run).into_iter().map(|(_, ok)| ok).collect();
    assert_eq!(oks, [true, false, true, true]);
    let spent = studio.store().ledger().of_run(started.run).unwrap();
    let cents = [spent.reserved_nanos, spent.settled_nanos, spent.released_nanos, spent.open_nanos];
    assert_eq!(cents.map(|nanos| nanos / 10_000_000), [40, 6, 34, 0]);
    let costs: Vec<_> =
        studio.task_views(started.project).unwrap().iter().map(|card| card.cost_usd).collect();
    assert_eq!((costs, report.variants[0].cost_usd), (vec![Some(0.03), Some(0.03)], Some(0.06)));
}

/// The engine is a server on this machine, which costs nothing: whatever is spent is spent for pictures.
#[tokio::test]
async fn a_price_that_nobody_knows_is_told_as_unknown_and_never_as_nothing() {
    let replicate = Replicate::ending(&[]).await;
    let studio = studio(&memory(), replicate.services(), TURBO);
    let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot()])).await;
    let report = studio.ended(started.run).await.unwrap();

    let card = studio.task_views(started.project).unwrap().remove(0);
    assert_eq!((card.state, card.cost_usd, report.variants[0].cost_usd), ("succeeded", None, None));
}

// S-61
#[tokio::test]
async fn a_picture_at_an_unknown_price_is_not_ordered_once_the_cap_is_used_up() {
    // The only picture costs the whole cap of 0.30, which is more than was held; a cut-out costs nobody knows what.
    let (vendor, replicate) = (openai_writing(10_000).await, Replicate::ending(&[]).await);
    let services = replicate.services().at(PictureVendor::OpenAi, vendor.uri());
    let studio = studio(&memory(), services, "gpt-image-2");
    let cut = ("remove_background", json!({ "images": [1] }));
    let [first, rest @ ..] = calls(&[one_pot()]);
    let [second, _, _] = calls(&[cut]);
    let answers: Vec<Served> = [first, second].into_iter().chain(rest).collect();
    let (started, _server) = begin(&studio, Spoken::Anthropic, answers).await;
    studio.ended(started.run).await.unwrap();

    assert_eq!(tasks(&studio, started.project), [("generate_images".to_owned(), TaskState::Succeeded, 1)]);
    let oks: Vec<_> = results_of(&studio, started.run).into_iter().map(|(_, ok)| ok).collect();
    assert_eq!((oks, replicate.asked().await), (vec![true, false, true], Vec::<String>::new()));
    let spent = studio.store().ledger().of_run(started.run).unwrap();
    assert_eq!((spent.settled_nanos, spent.open_nanos), (300_000_000, 0));
}

#[tokio::test]
async fn pictures_are_part_of_the_likely_cost_and_of_what_has_no_price_where_a_service_makes_them() {
    let vendor = openai().await;
    let services = || services().at(PictureVendor::OpenAi, vendor.uri());
    let with = Studio::with_services(memory(), Handle::current(), keys(true), services()).unwrap();
    let request = |studio: &Studio, engine: &str| RunRequest {
        engines: vec![engine.to_owned()],
        input_ids: vec![taken(studio, "pots.png", drawn())],
        text: "Pots.".to_owned(),
        ..RunRequest::default()
    };
    let opus = "anthropic:claude-opus-5-5";
    let likely = |studio: &Studio, engine| studio.likely_cost(&request(studio, engine)).unwrap();
    let off = likely(&with, opus).unwrap();
    with.save_image_settings(true, "gpt-image-2").unwrap();
    let on = likely(&with, opus).unwrap();
    // One picture and six of at most 0.20 each, and the words about them that are sent with every request.
    let more = [on.low_usd - off.low_usd, on.high_usd - off.high_usd];
    assert!((0.2..0.25).contains(&more[0]) && (1.2..1.35).contains(&more[1]), "{more:?}");
    assert_eq!(likely(&with, "offline").map(|free| free.high_usd), Some(0.0));

    with.save_image_settings(true, TURBO).unwrap();
    assert_eq!(likely(&with, opus), None);
    let without = Studio::with_services(memory(), Handle::current(), keys(false), services()).unwrap();
    without.save_image_settings(true, TURBO).unwrap();
    let local = likely(&without, opus).unwrap();
    assert!((local.high_usd - off.high_usd).abs() < 0.1, "placeholders cost nothing: {local:?}");
    let unpriced = [&with, &without].map(|studio| studio.image_settings().unpriced);
    assert_eq!(unpriced, [Some("Replicate".to_owned()), None]);
}

// S-61
#[tokio::test]
async fn what_was_begun_as_free_stays_free_when_a_key_is_added_meanwhile() {
    let vendor = openai().await;
    let services = services().at(PictureVendor::OpenAi, vendor.uri());
    let studio = Studio::with_services(memory(), Handle::current(), keys(false), services).unwrap();
    studio.save_image_settings(true, "gpt-image-2").unwrap();
    let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot()])).await;
    studio.set_key("openai", TOKEN.to_owned()).unwrap();
    studio.ended(started.run).await.unwrap();

    let done = ("generate_images".to_owned(), TaskState::Succeeded, 1);
    let asked = vendor.received_requests().await.unwrap().len();
    assert_eq!((tasks(&studio, started.project), asked), (vec![done], 0));
}
