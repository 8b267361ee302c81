use std::sync::Arc;

use facsimile_agent::{ProjectPath, VariantIndex};
use facsimile_store::NewAsset;
use facsimile_studio::preview::annotate::{Pass, annotated};
use facsimile_studio::preview::{PreviewFiles, PreviewSource, Shown};

use super::{between, body};
use crate::support::{drawn, request, rest, studio, taken};

#[tokio::test(flavor = "multi_thread")]
async fn a_traced_page_is_shown_while_it_grows_and_from_its_version_afterwards() {
    let studio = studio();
    let source = PreviewSource::new(Arc::new(studio.clone()));
    let input = taken(&studio, "drawn.png", drawn());
    let run = studio.start_run(request(&[input], 1)).unwrap().run;
    let (snapshot, mut feed) = studio.attach(run).unwrap();
    let frame = source.respond(&format!("/stream/{run}/0/stream.html"));
    let events = snapshot.events.into_iter().chain(rest(&mut feed).await);
    let mut shown = String::new();
    for event in events {
        if let Some(piece) = source.text_of(&event)
            && piece.path == ProjectPath::index()
        {
            shown = if piece.base == 0 { piece.text } else { shown + &piece.text };
        }
    }
    studio.ended(run).await.unwrap();
    let (_, files) = studio.files_of(run, VariantIndex(0)).unwrap();
    let page = files.read(&ProjectPath::index()).unwrap();
    let sheet = source.respond(&format!("/page/{run}/0/styles.css"));
    assert_eq!(frame.status, 200);
    assert_eq!(shown, annotated(page, &Pass::default()));
    assert_eq!(
        (sheet.mime, Some(body(&sheet))),
        ("text/css; charset=utf-8", files.read(&ProjectPath::stylesheet()))
    );
    assert_eq!(source.respond(&format!("/page/{run}/0/index.html")).status, 200);
    assert_eq!(source.respond(&format!("/page/{run}/1/index.html")).status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn assets_are_answered_within_their_project_only() {
    let studio = studio();
    let source = PreviewSource::new(Arc::new(studio.clone()));
    let mut runs = Vec::new();
    for _ in 0..2 {
        let input = taken(&studio, "drawn.png", drawn());
        let started = studio.start_run(request(&[input], 1)).unwrap();
        studio.ended(started.run).await.unwrap();
        runs.push(started);
    }
    let asset = NewAsset::new(b"secret".to_vec(), "image/png", "png");
    let stored = studio.store().assets().put_for(runs[1].project, "logo", asset).unwrap();
    let [other, own] =
        [0, 1].map(|n| source.respond(&format!("/page/{}/0/{}", runs[n].run, stored.path_in_page)));
    assert_eq!((own.status, own.mime, body(&own)), (200, "image/png", "secret"));
    assert_eq!((other.status, body(&other)), (404, "There is nothing at this address."));
    let digits = between(&stored.path_in_page, "assets/", ".");
    assert_eq!(studio.asset(Shown::Variant(runs[1].run, VariantIndex(0)), digits, "svg"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_can_be_asked_for_from_its_first_words_on() {
    let studio = studio();
    let source = PreviewSource::new(Arc::new(studio.clone()));
    let input = taken(&studio, "drawn.png", drawn());
    let run = studio.start_run(request(&[input], 1)).unwrap().run;
    let (_, mut feed) = studio.attach(run).unwrap();
    while let Some(event) = feed.recv().await {
        if event.name() == "setCode" {
            break;
        }
    }
    assert_eq!(source.respond(&format!("/stream/{run}/0/index.html")).status, 200);
    rest(&mut feed).await;
}

#[tokio::test]
async fn a_version_made_by_hand_is_shown_with_the_assets_of_its_project_only() {
    let studio = studio();
    let source = PreviewSource::new(Arc::new(studio.clone()));
    let [own, other] = ["Own", "Other"].map(|name| studio.store().projects().create(name).unwrap());
    let picture = |project, byte| {
        let asset = NewAsset::new(vec![byte], "image/png", "png");
        studio.store().assets().put_for(project, "", asset).unwrap().path_in_page
    };
    let (mine, foreign) = (picture(own, 1), picture(other, 2));
    let files = [(ProjectPath::parse("start.html").unwrap(), "<h1>By hand</h1>".to_owned())];
    let version = studio.keep_edit(own, "", &files.into_iter().collect()).unwrap();
    let status = |path: &str| source.respond(&format!("/version/{version}/{path}")).status;

    let page = source.respond(&format!("/version/{version}/index.html?v=1&y=0"));

    assert!(body(&page).contains(">By hand</h1>"), "{}", body(&page));
    assert_eq!([status(&mine), status(&foreign), status("styles.css")], [200, 404, 404]);
    let unknown = facsimile_agent::VersionId::fresh();
    assert_eq!(source.respond(&format!("/version/{unknown}/{mine}")).status, 404);
    assert_eq!(source.respond(&format!("/thumbnail/version/{version}")).status, 404, "none was taken");
}

#[tokio::test]
async fn the_page_of_a_version_is_where_it_really_stands() {
    let studio = studio();
    let source = PreviewSource::new(Arc::new(studio.clone()));
    let project = studio.store().projects().create("Pages").unwrap();
    let page_of = |names: &[&str]| {
        let files = names.iter().map(|name| (ProjectPath::parse(name).unwrap(), format!("<h1>{name}</h1>")));
        let version = studio.keep_edit(project, "", &files.collect()).unwrap();
        let page = studio.page_of_version(version).unwrap();
        page.map(|page| {
            let answer = source.respond(&page);
            let is_shown = names.iter().any(|name| body(&answer).contains(&format!(">{name}</h1>")));
            (page.trim_start_matches(&format!("/version/{version}/")).to_owned(), is_shown)
        })
    };
    let found = [
        page_of(&["about.html", "index.html"]),
        page_of(&["a.css", "sub/Our start.HTM"]),
        page_of(&["a.css", "b.js"]),
    ];
    let shown = |address: &str| Some((address.to_owned(), true));
    assert_eq!(found, [shown("index.html"), shown("sub/Our%20start.HTM"), None]);
}
