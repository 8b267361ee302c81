//! `facsimile create`, and what `modify` has in common with it: a run that is followed to its end.

mod events;
mod options;
mod progress;

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process;
use std::sync::Arc;

use facsimile_agent::{Checks, ProjectId, RunStatus};
use facsimile_studio::camera::Camera;
use facsimile_studio::run::request::RequestRefused;
use facsimile_studio::{
    GivenAddress, RunReport, RunRequest, StartedRun, Studio, StudioError, VariantReport, Which,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::Exit;
use super::exit::{print_line, say};
use crate::camera::beside_camera;
use crate::place;
use events::EventFile;
pub use options::{Create, RunOptions};
use progress::ProgressLine;

/// The threads that runs are carried out on.
pub fn runtime() -> Result<Runtime, Exit> {
    Runtime::new().map_err(|error| Exit::failed(format!("the program could not start its threads ({error})")))
}

/// Runs it.
pub fn run(create: Create) -> Result<Exit, Exit> {
    let Create { images, text, run } = create;
    carried_out(run, move |studio| {
        let inputs = images.iter().map(|image| studio.add_file(image)).collect::<Result<Vec<_>, _>>()?;
        let input_ids = inputs.iter().map(|input| input.id).collect();
        let request = RunRequest { input_ids, text: text.unwrap_or_default(), ..RunRequest::default() };
        Ok(Asked { request, made: None })
    })
}

/// What is asked for, without the options.
pub struct Asked {
    pub request: RunRequest,
    /// A project that was made for it; it goes again if the run is refused.
    pub made: Option<ProjectId>,
}

/// Carries out what is asked for; where there is a display, pages are looked at.
pub fn carried_out(
    options: RunOptions,
    asked: impl FnOnce(&Studio) -> Result<Asked, Exit> + Send + 'static,
) -> Result<Exit, Exit> {
    options.refuse_what_is_not_there()?;
    match beside_camera(move |camera| made(&options, asked, camera)) {
        Ok(ended) => ended,
        Err(panic) => resume_unwind(panic),
    }
}

fn made(
    options: &RunOptions,
    asked: impl FnOnce(&Studio) -> Result<Asked, Exit>,
    camera: Option<Arc<dyn Camera>>,
) -> Result<Exit, Exit> {
    if camera.is_none() && options.checks.is_some_and(Checks::needs_display) {
        return Err(StudioError::from(RequestRefused::NothingSeen).into());
    }
    let events = options.events.as_deref().map(EventFile::create).transpose()?;
    let runtime = runtime()?;
    let studio = place::open_studio(options.common.data_dir.clone(), runtime.handle().clone())?;
    if let Some(camera) = camera {
        studio.see_through(camera);
    }
    if let Some(notice) = studio.opening_notice()? {
        say(&format!("facsimile: {notice}"));
    }
    let asked = asked(&studio)?;
    let request = RunRequest {
        engines: options.engine.clone(),
        stack: options.stack.clone(),
        max_rounds: options.max_rounds,
        max_cost_usd: options.max_cost,
        addresses: options.base_url.iter().map(|text| GivenAddress::parse(text)).collect(),
        timeout_ms: options.timeout.map(|seconds| seconds.saturating_mul(1000)),
        checks: options.checks.map(|checks| checks.to_string()),
        ..asked.request
    };
    let has_words = !request.text.is_empty();
    let started = start(&studio, request).inspect_err(|_| {
        if let Some(Err(error)) = asked.made.map(|project| studio.delete_project(project)) {
            say(&format!("facsimile: {error}"));
        }
    })?;
    let report = runtime.block_on(follow(&studio, started, events))?;
    let has_offline = report.variants.iter().any(|variant| variant.engine.starts_with("offline"));
    if has_words && has_offline {
        say(
            "facsimile: the offline engine works from the picture; the words are kept with the project only.",
        );
    }
    let outs = export(&studio, &report, &options.out);
    let scores: Vec<_> =
        report.variants.iter().map(|variant| studio.score(report.run, variant.index)).collect();
    let mut exit = exit_of(&report, options.strict);
    if options.common.json {
        print_line(&result_json(&report, &outs, &scores).to_string())?;
    } else {
        tell(&report, &outs, &scores);
    }
    if let Some(Err(message)) = outs.iter().find(|out| out.is_err()) {
        exit = Exit::failed(message);
    }
    Ok(exit)
}

fn start(studio: &Studio, request: RunRequest) -> Result<StartedRun, StudioError> {
    for engine in studio.unpriced_engines(&request)? {
        say(&format!(
            "facsimile: the price of {engine} is not known, so the spend cap cannot hold it and its cost is not shown."
        ));
    }
    studio.start_run(request)
}

/// Follows the run to its end.
async fn follow(studio: &Studio, started: StartedRun, events: Option<EventFile>) -> Result<RunReport, Exit> {
    let shown = show(studio, started, events).await;
    if shown.is_err() {
        // Nobody learns of the rest: the run ends now, not as an interrupted one at the next start.
        studio.cancel(started.run, Which::All);
    }
    let report = studio.ended(started.run).await?;
    shown.map(|()| report.as_ref().clone())
}

/// Shows the run until it has ended; the first Ctrl-C stops it politely, the second at once.
async fn show(studio: &Studio, started: StartedRun, mut events: Option<EventFile>) -> Result<(), Exit> {
    let (snapshot, mut feed) = studio.attach(started.run)?;
    let mut progress = ProgressLine::new();
    for event in &snapshot.events {
        progress.show(event);
        events.as_mut().map_or(Ok(()), |events| events.write(event))?;
    }
    let mut is_stopping = false;
    // One that waits on between events: a new one for each would not hear what came before it.
    let mut interrupt = pin!(tokio::signal::ctrl_c());
    loop {
        tokio::select! {
            event = feed.recv() => match event {
                Some(event) => {
                    progress.show(&event);
                    events.as_mut().map_or(Ok(()), |events| events.write(&event))?;
                }
                None => break,
            },
            interrupted = &mut interrupt => {
                if is_stopping || interrupted.is_err() {
                    process::exit(130);
                }
                is_stopping = true;
                interrupt.set(tokio::signal::ctrl_c());
                progress.say("Stopping. What is there is kept; press Ctrl-C again to leave at once.");
                studio.cancel(started.run, Which::All);
            }
        }
    }
    progress.end();
    Ok(())
}

/// Where a variant's files went and which they are, or why they did not; one without files has no place.
type Placed = Result<Option<(PathBuf, Vec<String>)>, String>;

/// Where each variant's files went, or why they did not. A variant without files has no place.
fn export(studio: &Studio, report: &RunReport, out: &Path) -> Vec<Placed> {
    let is_alone = report.variants.len() == 1;
    report
        .variants
        .iter()
        .map(|variant| {
            if variant.files.is_empty() {
                return Ok(None);
            }
            let folder = if is_alone { out.to_owned() } else { out.join((variant.index.0 + 1).to_string()) };
            let exported =
                studio.export(report.run, variant.index, &folder).map_err(|error| error.to_string())?;
            for warning in &exported.warnings {
                say(&format!("facsimile: {warning}"));
            }
            Ok(Some((folder, exported.files)))
        })
        .collect()
}

fn exit_of(report: &RunReport, is_strict: bool) -> Exit {
    let failed = report.variants.iter().any(|variant| variant.state != RunStatus::Succeeded);
    if is_strict && failed && report.state == RunStatus::Succeeded {
        return Exit::failed("an option failed and --strict was given");
    }
    Exit::of_state(report.state)
}

fn result_json(report: &RunReport, outs: &[Placed], scores: &[Option<f64>]) -> Value {
    let variants: Vec<_> = report
        .variants
        .iter()
        .zip(outs)
        .zip(scores)
        .map(|((variant, out), score)| variant_json(variant, out, *score))
        .collect();
    json!({ "run": report.run, "project": report.project, "state": report.state, "variants": variants })
}

fn variant_json(variant: &VariantReport, out: &Placed, score: Option<f64>) -> Value {
    let (folder, files) = match out {
        // JSON is text; a name that is none is shown as near to it as can be.
        Ok(Some((folder, files))) => (Some(folder.to_string_lossy()), files.as_slice()),
        _ => (None, [].as_slice()),
    };
    let mut value = json!({
        "index": variant.index,
        "engine": variant.engine,
        "state": variant.state,
        "out": folder,
        "files": files,
        "tokens": variant.tokens,
        "costUsd": variant.cost_usd,
        "elapsedMs": variant.elapsed_ms,
    });
    if let Some(score) = score {
        value["score"] = json!(score);
    }
    // Where there is no page, what was said is the answer.
    if variant.state == RunStatus::NoOutput {
        value["message"] = json!(variant.message);
    }
    let error = match (out, &variant.failure) {
        (Err(message), _) => Some(json!({ "kind": "storage", "message": message })),
        (Ok(_), failure) => failure.as_ref().map(|failure| json!(failure)),
    };
    if let Some(error) = error {
        value["error"] = error;
    }
    value
}

fn tell(report: &RunReport, outs: &[Placed], scores: &[Option<f64>]) {
    for ((variant, out), score) in report.variants.iter().zip(outs).zip(scores) {
        let (state, seconds) = (variant.state.as_str(), variant.elapsed_ms as f64 / 1000.0);
        if !variant.message.is_empty() {
            say(&variant.message);
        }
        if let Ok(Some((folder, files))) = out {
            say(&format!("{state} in {seconds:.1} s: {} files in {}", files.len(), folder.display()));
        } else {
            say(&format!("{state} in {seconds:.1} s"));
        }
        if let Some(score) = score {
            say(&format!("Score {score:.1} of 100"));
        }
        if let Some(failure) = &variant.failure {
            let next = failure.next_step.as_deref().map(|next| format!(". {next}")).unwrap_or_default();
            say(&format!("facsimile: {}{next}", failure.message));
        }
    }
}
