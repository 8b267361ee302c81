//! What tools and stop hooks of a variant look at pages with.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use facsimile_agent::checks::{Contrast, Overflow, text_problems};
use facsimile_agent::ports::{PageCheck, PagePicture, Ports, PreviewCamera};
use facsimile_agent::{
    Checks, PageChecks, PageFindings, ProjectFiles, ProjectId, ProjectPath, StopHook, ToolFailure,
};
use facsimile_providers::images;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Deserialize;

use super::Lens;
use super::desk::PageOnDesk;
use super::scoring::Screenshot;
use crate::Studio;
use crate::camera::{CameraError, Detail, Shot};
use crate::measuring::{Reference, SeenPage};

/// The width at which a page without a screenshot is looked at.
const DESKTOP_PX: u32 = 1280;
/// The width of a phone.
const PHONE_PX: u32 = 390;
/// So many differences are told.
const MOST_WORST: usize = 8;

impl PreviewCamera for Lens {
    fn picture(
        &self,
        files: ProjectFiles,
        page: ProjectPath,
        width_px: u32,
    ) -> BoxFuture<'_, Result<PagePicture, ToolFailure>> {
        let lens = self.clone();
        beside(move || {
            let shot = lens.shoot(files, &page, width_px, Detail::Picture).map_err(sorry)?;
            let notice = shot.cut_notice();
            let tiles = images::tiles(&shot.png, 1).map_err(|failure| ToolFailure::new(failure.message))?;
            let count = tiles.len();
            let parts = tiles.into_iter().map(|tile| {
                let Range { start, end } = tile.rows;
                let rows = if count > 1 { format!(", rows {start} to {end}") } else { String::new() };
                let mut image = tile.image;
                image.label = format!("{page} at {width_px} px{rows}");
                image
            });
            let parts = parts.collect();
            let Shot { png, width_px, height_px, .. } = shot;
            Ok(PagePicture { png: png.into(), width_px, height_px, parts, notice })
        })
    }
}

/// Looks over the pages of a project, with a camera where there is one.
struct Onlooker {
    studio: Studio,
    project: ProjectId,
    lens: Option<Lens>,
    screenshot: Option<Screenshot>,
    /// The screenshot once it was read.
    reference: OnceLock<Arc<Reference>>,
}

impl Onlooker {
    /// Looks at pages that are to become this screenshot.
    fn new(studio: &Studio, project: ProjectId, screenshot: Option<Screenshot>) -> Self {
        let lens = Lens::of(studio, project);
        Self { studio: studio.clone(), project, lens, screenshot, reference: OnceLock::new() }
    }

    fn found(&self, files: ProjectFiles, page: &ProjectPath, checks: Checks) -> PageFindings {
        let desk = PageOnDesk::new(&self.studio, self.project, files.clone());
        let problems = text_problems(&files, &|path| desk.is_kept(path));
        let mut findings = PageFindings { problems, ..PageFindings::default() };
        let Some(lens) = self.lens.as_ref().filter(|_| checks >= Checks::Rendered) else { return findings };
        let reference = self.reference().filter(|_| checks >= Checks::Fidelity);
        let seen = match &reference {
            Some(reference) => lens.shoot(files.clone(), page, reference.view_width_px(), Detail::Textless),
            None => lens.shoot(files.clone(), page, DESKTOP_PX, Detail::Geometry),
        };
        match seen {
            Ok(shot) => {
                findings.notes.extend(shot.cut_notice());
                hear(&mut findings, &shot);
                if let Some(reference) = reference {
                    measure(&mut findings, &reference, &shot);
                }
            }
            Err(error) => findings.notes.push(error.to_string()),
        }
        match lens.shoot(files, page, PHONE_PX, Detail::Geometry) {
            Ok(shot) => see_overflow(&mut findings, &shot),
            Err(error) => findings.notes.push(format!("at {PHONE_PX} px: {error}")),
        }
        findings
    }

    fn reference(&self) -> Option<Arc<Reference>> {
        if let Some(reference) = self.reference.get() {
            return Some(Arc::clone(reference));
        }
        let read = self.studio.reference(self.project, self.screenshot.as_ref()?);
        let reference = read.inspect_err(|error| tracing::warn!(%error, "a screenshot was not read")).ok()?;
        Some(Arc::clone(self.reference.get_or_init(|| Arc::new(reference))))
    }
}

/// What the tools and the stop hook of a variant share.
#[derive(Clone)]
pub(crate) struct Sight {
    onlooker: Arc<Onlooker>,
}

impl Sight {
    /// Sight of the pages of a project that are to become this screenshot.
    pub(crate) fn new(studio: &Studio, project: ProjectId, screenshot: Option<Screenshot>) -> Self {
        Self { onlooker: Arc::new(Onlooker::new(studio, project, screenshot)) }
    }

    /// The ports of the tools that look: there where a camera is.
    pub(crate) fn lend_to(&self, ports: &mut Ports) {
        if let Some(lens) = &self.onlooker.lens {
            ports.camera = Some(Arc::new(lens.clone()));
            ports.page_check = Some(Arc::new(self.clone()));
        }
    }

    /// The hook that checks pages before a model may stop.
    pub(crate) fn hook(&self, checks: Checks) -> Arc<dyn StopHook> {
        Arc::new(PageChecks::new(checks, Arc::new(self.clone())))
    }
}

impl PageCheck for Sight {
    fn check(
        &self,
        files: ProjectFiles,
        page: ProjectPath,
        checks: Checks,
    ) -> BoxFuture<'_, Result<PageFindings, ToolFailure>> {
        let onlooker = Arc::clone(&self.onlooker);
        beside(move || Ok(onlooker.found(files, &page, checks)))
    }
}

/// What the reader on the page tells beside its geometry.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Heard {
    width: f64,
    scroll_width: f64,
    overflow: Vec<Wide>,
    contrast: Vec<Faint>,
    errors: Vec<Trouble>,
}

#[derive(Debug, Deserialize)]
struct Wide {
    selector: String,
    right: f64,
}

#[derive(Debug, Deserialize)]
struct Faint {
    selector: String,
    text: String,
    ratio: f64,
    needed: f64,
}

#[derive(Debug, Deserialize)]
struct Trouble {
    kind: String,
    message: String,
}

impl Heard {
    fn of(shot: &Shot) -> Self {
        // A page that could not be read has told nothing.
        shot.geometry.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
    }
}

/// Adds what a page said while it was drawn.
fn hear(findings: &mut PageFindings, shot: &Shot) {
    let heard = Heard::of(shot);
    for Trouble { kind, message } in heard.errors {
        let is_remote = message.contains("://");
        match kind.as_str() {
            "blocked" => findings.blocked.push(message),
            "resource" if is_remote => findings.blocked.push(message),
            "resource" => findings.failed.push(message),
            _ => findings.errors.push(message),
        }
    }
    // What the text shows already is told with its line.
    let problems = &findings.problems;
    findings.failed.retain(|failed| {
        let name = failed.rsplit(['/', ' ']).next().unwrap_or_default();
        !problems.iter().any(|problem| problem.ends_with("is not there") && problem.contains(name))
    });
    let faint = heard.contrast.into_iter();
    findings.contrast = faint
        .map(|Faint { selector, text, ratio, needed }| Contrast { selector, text, ratio, needed })
        .collect();
}

/// Adds what is wider than a phone.
fn see_overflow(findings: &mut PageFindings, shot: &Shot) {
    let heard = Heard::of(shot);
    findings.overflow_px = (heard.scroll_width - heard.width).max(0.0);
    let is_wide = findings.overflow_px >= 1.0;
    let wide = heard.overflow.into_iter().filter(|_| is_wide);
    findings.overflow = wide.map(|Wide { selector, right }| Overflow { selector, right_px: right }).collect();
}

/// Adds how close the page is.
fn measure(findings: &mut PageFindings, reference: &Reference, shot: &Shot) {
    match reference.compared(SeenPage::of(shot)) {
        Ok(compared) => {
            let measured = compared.measurement;
            findings.score = Some(measured.score);
            findings.worst =
                measured.reasons.into_iter().take(MOST_WORST).map(|reason| reason.message).collect();
        }
        Err(error) => findings.notes.push(error.to_string()),
    }
}

/// Work that takes its time, off the threads that carry events.
fn beside<'a, T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> BoxFuture<'a, Result<T, ToolFailure>> {
    let lost = |_| ToolFailure::new("the program met an error of its own; go on without looking");
    async move { tokio::task::spawn_blocking(work).await.map_err(lost)? }.boxed()
}

fn sorry(error: CameraError) -> ToolFailure {
    ToolFailure::new(error.to_string())
}
