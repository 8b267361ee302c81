//! What keeps a model at work until its page is sound, and the tools it looks with.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use facsimile_agent::ports::{PageCheck, PagePicture, PreviewCamera};
use facsimile_agent::tool::Capabilities;
use facsimile_agent::{
    Checks, ImageBytes, Limits, PageChecks, PageFindings, ProjectFiles, ProjectPath, RunStatus,
    ToolArguments, ToolCall, ToolContext, ToolExecutionResult, ToolFailure, VariantIndex, tools,
};
use facsimile_testkit::{Reply, ScriptedSession, calls, says};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Run, engine, files, play_with};

/// Finds what a test says, in turn; nothing once that is used up.
#[derive(Default)]
struct Findings {
    next: Mutex<VecDeque<Result<PageFindings, ToolFailure>>>,
    asked: Mutex<Vec<(ProjectPath, Checks)>>,
}

impl Findings {
    fn of<const N: usize>(findings: [PageFindings; N]) -> Arc<Self> {
        Arc::new(Self { next: Mutex::new(findings.map(Ok).into()), ..Self::default() })
    }
}

impl PageCheck for Findings {
    fn check(
        &self,
        _files: ProjectFiles,
        page: ProjectPath,
        checks: Checks,
    ) -> BoxFuture<'_, Result<PageFindings, ToolFailure>> {
        self.asked.lock().unwrap().push((page, checks));
        let next = self.next.lock().unwrap().pop_front();
        async move { next.unwrap_or_else(|| Ok(PageFindings::default())) }.boxed()
    }
}

/// A camera whose pictures are only as wide as they were asked for.
struct Widths;

impl PreviewCamera for Widths {
    fn picture(
        &self,
        _files: ProjectFiles,
        page: ProjectPath,
        width_px: u32,
    ) -> BoxFuture<'_, Result<PagePicture, ToolFailure>> {
        let part = |nth: u32| ImageBytes {
            mime: "image/png",
            bytes: Arc::from([nth as u8]),
            label: format!("{page} at {width_px} px, part {nth}"),
        };
        let parts = vec![part(1), part(2)];
        let picture = PagePicture { png: Arc::from([]), width_px, height_px: 3000, parts, notice: None };
        async move { Ok(picture) }.boxed()
    }
}

fn wrong(errors: &[&str]) -> PageFindings {
    let errors = errors.iter().map(|error| (*error).to_owned()).collect();
    PageFindings { errors, ..PageFindings::default() }
}

fn scored(score: f64, worst: &str) -> PageFindings {
    PageFindings { score: Some(score), worst: vec![worst.to_owned()], ..PageFindings::default() }
}

fn writes(html: &str) -> Reply {
    calls("create_file", json!({ "content": html }))
}

async fn play(checks: Checks, page: &Arc<Findings>, replies: impl IntoIterator<Item = Reply>) -> Run {
    let cx = ToolContext::new(VariantIndex(0), ProjectFiles::new(), CancellationToken::new());
    let hook = PageChecks::new(checks, Arc::<Findings>::clone(page));
    play_with(&engine(Limits::of_create()).hooked(Arc::new(hook)), ScriptedSession::new(replies), cx).await
}

fn told(run: &Run) -> Vec<String> {
    run.told.messages.iter().map(|message| message.text.clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_model_is_sent_back_with_what_the_drawn_page_shows_and_may_stop_when_it_is_sound() {
    let page = Findings::of([wrong(&["x is not defined"]), PageFindings::default()]);
    let replies = [writes("<p>One"), says("Done."), writes("<p>Two"), says("Done.")];
    let run = play(Checks::Rendered, &page, replies).await;
    let said = "The page was checked and has problems:\n- the console says: x is not defined\n\
                Correct them in the files, then end.";
    assert_eq!((told(&run), run.outcome.status), (vec![said.to_owned()], RunStatus::Succeeded));
    assert_eq!(*page.asked.lock().unwrap(), [(); 2].map(|()| (ProjectPath::index(), Checks::Rendered)));
}

#[tokio::test(start_paused = true)]
async fn a_score_sends_a_model_back_while_it_rises() {
    let page = Findings::of([
        scored(61.0, "heading is 18 px low"),
        scored(71.0, "button blue off by ΔE 6"),
        scored(71.2, "button blue off by ΔE 6"),
    ]);
    let round = || [writes("<p>One"), says("Done.")];
    let run = play(Checks::Fidelity, &page, [round(), round(), round()].into_iter().flatten()).await;
    let words: Vec<_> = told(&run);
    assert_eq!(words.len(), 2, "{words:?}");
    assert!(words[0].contains("61.0 of 100") && words[0].contains("- heading is 18 px low"), "{words:?}");
    assert!(words[1].contains("71.0 of 100"), "{words:?}");
    assert_eq!(run.outcome.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_checked_without_a_page_or_a_profile_and_a_failed_check_keeps_nobody() {
    let page = Findings::of([wrong(&["x"])]);
    let words = play(Checks::Fidelity, &page, [says("I need more to go on.")]).await;
    let unchecked = play(Checks::None, &page, [writes("<p>One"), says("Done.")]).await;
    assert!(page.asked.lock().unwrap().is_empty());
    let broken = Arc::new(Findings::default());
    broken.next.lock().unwrap().push_back(Err(ToolFailure::new("no view")));
    let unseen = play(Checks::Rendered, &broken, [writes("<p>One"), says("Done.")]).await;
    let ends = [&words, &unchecked, &unseen].map(|run| (told(run).len(), run.outcome.status));
    use RunStatus::{NoOutput, Succeeded};
    assert_eq!(ends, [(0, NoOutput), (0, Succeeded), (0, Succeeded)]);
}

fn looking(page: &Arc<Findings>) -> ToolContext {
    let page_files = files([("index.html", "<p>One"), ("about.html", "<p>Two")]);
    let mut cx = ToolContext::new(VariantIndex(0), page_files, CancellationToken::new());
    cx.ports.camera = Some(Arc::new(Widths));
    cx.ports.page_check = Some(Arc::<Findings>::clone(page));
    cx.capabilities = Capabilities::default().with(&cx.ports, &cx.media, &cx.options);
    cx
}

async fn called(name: &str, arguments: Value) -> ToolExecutionResult {
    let page = Findings::of([scored(72.25, "a")]);
    let arguments = ToolArguments::parse(&arguments.to_string());
    let call = ToolCall { id: "call-1".to_owned(), name: name.to_owned(), arguments };
    tools::registry().unwrap().run(&call, &mut looking(&page)).await
}

#[tokio::test(start_paused = true)]
async fn a_page_is_shown_to_the_model_in_parts_at_the_widths_it_asks_for() {
    let asked = json!({ "widths": [390, 390, 800], "path": "about.html" });
    let executed = called("screenshot_preview", asked).await;
    let labels: Vec<_> = executed.images.iter().map(|image| image.label().to_owned()).collect();
    let about = |width: u32| [1, 2].map(|nth| format!("about.html at {width} px, part {nth}"));
    assert_eq!(labels, [about(390), about(800)].concat());
    let pictures = json!([
        { "width": 390, "height": 3000, "images": about(390) },
        { "width": 800, "height": 3000, "images": about(800) },
    ]);
    assert_eq!(executed.result, json!({ "path": "about.html", "pictures": pictures }));
}

#[tokio::test(start_paused = true)]
async fn pictures_that_make_no_sense_are_refused_with_the_way_out() {
    let mut refusals = Vec::new();
    for arguments in [
        json!({ "widths": [1, 2000] }),
        json!({ "widths": [200, 201, 202, 203] }),
        json!({ "path": "gone.html" }),
    ] {
        let executed = called("screenshot_preview", arguments).await;
        refusals.push(executed.result["error"].as_str().unwrap().to_owned());
    }
    let wanted = ["ask for 200 to 2560", "at most 3", "there is no file gone.html"];
    let fits = refusals.iter().zip(wanted).all(|(refusal, wanted)| refusal.contains(wanted));
    assert!(fits, "{refusals:?}");
}

#[tokio::test(start_paused = true)]
async fn a_page_is_looked_over_and_the_facts_go_to_the_model() {
    let executed = called("check_page", json!({})).await;
    let facts = ["page", "score", "worst", "errors", "overflowPx"].map(|name| executed.result[name].clone());
    assert_eq!(json!(facts), json!(["index.html", 72.25, ["a"], [], 0.0]));
    assert_eq!(executed.summary, json!({ "problems": 0, "contrast": 0, "score": 72.3 }));
}

#[test]
fn what_looks_is_offered_only_where_something_can_be_seen() {
    let registry = tools::registry().unwrap();
    let names = |capabilities: &Capabilities| {
        let specs = registry.specs(capabilities);
        let looks = |name: &&str| ["screenshot_preview", "check_page"].contains(name);
        specs.iter().map(|spec| spec.name).filter(looks).collect::<Vec<_>>()
    };
    let blind = Capabilities::default();
    let seeing = looking(&Arc::default()).capabilities;
    let reading = Capabilities { is_read_only: true, ..seeing.clone() };
    let both = vec!["screenshot_preview", "check_page"];
    assert_eq!([names(&blind), names(&seeing), names(&reading)], [vec![], both.clone(), both]);
}
