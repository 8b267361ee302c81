//! What pictures cost: held of the cap of the run, told before it, and never passed over in silence.

use std::time::Duration;

use facsimile_agent::{ProjectId, VariantIndex};
use facsimile_providers::media::PictureVendor;
use facsimile_store::{HistoryStore, Task, TaskState};
use facsimile_studio::tasks::OptionCost;
use facsimile_studio::{GivenAddress, Provider, RunRequest, Studio};
use facsimile_testkit::replay::{ReplayServer, Served, ServedTurn, Spoken};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Handle;

use super::services::{
    Replicate, TOKEN, openai, openai_dawdling, openai_refusing, openai_writing, services, services_within,
};
use super::{TURBO, begin, calls, keys, memory, one_pot, results_of, studio, tasks, told, two_pots};
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

// S-60
#[tokio::test]
async fn a_picture_that_is_not_made_in_time_fails_its_task_once_and_gives_its_money_back() {
    let vendor = openai_dawdling().await;
    let services = services_within(Duration::from_millis(200)).at(PictureVendor::OpenAi, vendor.uri());
    let studio = studio(&memory(), services, "gpt-image-2");
    let mut watch = studio.watch_tasks();
    let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot()])).await;
    let report = studio.ended(started.run).await.unwrap();

    let mut ends = Vec::new();
    while let Ok(task) = watch.try_recv() {
        ends.extend(task.error.filter(|_| task.state.is_terminal()).map(|error| (error.kind, error.message)));
    }
    let late = ("stalled".to_owned(), "OpenAI did not finish the picture in time".to_owned());
    assert_eq!((ends, report.variants[0].cost_usd), (vec![late], Some(0.0)));
    let spent = studio.store().ledger().of_run(started.run).unwrap();
    let cents = [spent.reserved_nanos, spent.settled_nanos, spent.released_nanos, spent.open_nanos];
    assert_eq!(cents.map(|nanos| nanos / 10_000_000), [20, 0, 20, 0]);
}

/// The sums of the ledger in cents, by option.
fn cents_by_option(studio: &Studio, project: ProjectId) -> Vec<(u8, u64, bool)> {
    let spent = studio.store().ledger().by_variant(project).unwrap();
    let mut cents: Vec<_> = spent
        .iter()
        .map(|((_, variant), spent)| (variant.0, spent.settled_nanos / 10_000_000, spent.has_unpriced))
        .collect();
    cents.sort_unstable();
    cents
}

/// What an option has cost, wherever that is told: on its cards, in the history, in what its last card was told with.
fn told_costs(studio: &Studio, project: ProjectId, last: Task) -> Vec<Option<f64>> {
    let cards = studio.task_views(project).unwrap();
    let card = studio.task_view(last).unwrap();
    let on_cards = cards.into_iter().chain([card]).map(|card| card.option_cost.and_then(|cost| cost.usd));
    let history = studio.history_view(project).unwrap();
    let makers = history.versions.into_iter().filter_map(|version| version.made_by);
    let in_history =
        makers.filter(|maker| maker.variant_index == VariantIndex(0)).map(|maker| maker.cost_usd);
    on_cards.chain(in_history).collect()
}

// S-60
#[tokio::test]
async fn one_sum_of_an_option_holds_replies_boxes_pictures_and_second_tries_after_its_end_and_a_restart() {
    let folder = TempDir::new().unwrap();
    let vendor = openai_refusing(1).await;
    let opened = || {
        let store = HistoryStore::open(folder.path()).unwrap();
        studio(&store, services().at(PictureVendor::OpenAi, vendor.uri()), "gpt-image-2")
    };
    let studio = opened();
    // The first option pays a cent for each of three replies and two for the boxes; the other one is free.
    let wanted = json!({ "assets": [{ "description": "the noise", "image": 1 }] });
    let (pot, pot_order) = one_pot();
    let first = ServedTurn::new().calling("a", "extract_assets", wanted).calling("b", pot, pot_order);
    let boxes = ServedTurn::new().saying("[[150, 640, 520, 925]]").costing(0.02);
    let page = json!({ "path": "index.html", "content": "<!doctype html><p>Pots</p>" });
    let write = ServedTurn::new().calling("w", "create_file", page);
    let done = ServedTurn::new().saying("Done.");
    let paid = [first.costing(0.01).into(), Served::from(boxes).aside(), write.clone().costing(0.01).into()];
    let paid = paid.into_iter().chain([done.clone().costing(0.01).into()]);
    let paid = ReplayServer::playing(Spoken::OpenAiChat, paid).await.unwrap();
    let free = ReplayServer::playing(Spoken::Anthropic, [write.into(), done.into()]).await.unwrap();
    let at = |provider, server: &ReplayServer| GivenAddress {
        provider: Some(provider),
        url: server.address().into(),
    };
    let request = RunRequest {
        input_ids: vec![taken(&studio, "pots.png", drawn())],
        engines: vec!["chat:model-1".to_owned(), "anthropic:model-1".to_owned()],
        addresses: vec![at(Provider::Chat, &paid), at(Provider::Anthropic, &free)],
        ..RunRequest::default()
    };
    let started = studio.start_run(request).unwrap();
    let (run, project) = (started.run, started.project);
    let report = studio.ended(run).await.unwrap();
    assert_eq!((paid.complaints(), free.complaints()), (Vec::new(), Vec::new()));
    let at_the_end: Vec<_> = report.variants.iter().map(|variant| variant.cost_usd).collect();
    assert_eq!(at_the_end, [Some(0.05), Some(0.0)]);

    // The picture failed and cost nothing; its second try comes after the end and costs three cents.
    let failed = studio.task_views(project).unwrap().remove(0);
    assert_eq!((failed.state, failed.option_cost), ("failed", Some(OptionCost { usd: Some(0.05) })));
    let mut watch = studio.watch_tasks();
    studio.retry_task(project, failed.id).unwrap();
    let last = told(&mut watch, TaskState::Succeeded).await;

    assert_eq!(told_costs(&studio, project, last.clone()), [Some(0.08); 4]);
    assert_eq!(cents_by_option(&studio, project), [(0, 8, false)]);
    assert_eq!(studio.store().ledger().of_run(run).unwrap().settled_nanos, 80_000_000);
    drop(studio);
    assert_eq!(told_costs(&opened(), project, last), [Some(0.08); 4]);
}

#[tokio::test]
async fn a_second_try_at_an_unknown_price_makes_the_sum_of_its_option_unknown() {
    let replicate = Replicate::ending(&["failed"]).await;
    let studio = studio(&memory(), replicate.services(), TURBO);
    let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot()])).await;
    let report = studio.ended(started.run).await.unwrap();
    let failed = studio.task_views(started.project).unwrap().remove(0);
    let mut watch = studio.watch_tasks();
    studio.retry_task(started.project, failed.id).unwrap();
    let last = told(&mut watch, TaskState::Succeeded).await;

    assert_eq!(
        (report.variants[0].cost_usd, failed.option_cost),
        (Some(0.0), Some(OptionCost { usd: Some(0.0) }))
    );
    assert_eq!(studio.task_view(last).unwrap().option_cost, Some(OptionCost { usd: None }));
    assert_eq!(cents_by_option(&studio, started.project), [(0, 0, true)]);
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
