//! What the preview frames of the window are given: pages, files, policies and the text of growing pages.
//!
//! [`PreviewSource`] is held by the shell, which maps the requests of the preview scheme to
//! [`PreviewSource::respond`] and hands every recorded event to [`PreviewSource::text_of`]. Frames have an opaque
//! origin and no way out; the policies in [`csp`] say what is left to them.

mod address;
pub mod annotate;
mod boot;
pub mod csp;
mod files;
pub mod libraries;
mod mime;
mod nonce;
mod text;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use facsimile_agent::project::address::SourceVersion;
use facsimile_agent::{ProjectPath, RunId, VariantIndex};

use crate::run::event::RunEvent;
use address::{Address, Policy, Wanted};
pub use address::{Pictured, Shown};
use annotate::{Pass, StreamAnnotator, annotated};
pub use files::PreviewFiles;
use libraries::Libraries;
pub(crate) use mime::mime_of;
use nonce::Nonce;
use text::GrowingPages;
pub use text::{PreviewText, PreviewWhole};

/// Answers the requests of preview frames. Cheap to clone.
#[derive(Clone)]
pub struct PreviewSource {
    inner: Arc<Inner>,
}

struct Inner {
    files: Arc<dyn PreviewFiles>,
    libraries: Arc<Libraries>,
    /// Stands in the text of growing pages for the nonce of whichever frame the text is written into: a text is
    /// kept longer than a frame, and every load has its own nonce. Absent where there are no random numbers.
    mark: Option<Nonce>,
    growing: Mutex<GrowingPages>,
}

/// An answer to a frame.
#[derive(Clone, PartialEq, Eq)]
pub struct PreviewResponse {
    /// 200, 404 for whatever is not there, 405 for another method than GET, or 503 when the system gives no random numbers.
    pub status: u16,
    /// The type of the bytes.
    pub mime: &'static str,
    /// The policy.
    pub csp: String,
    /// The body.
    pub bytes: Vec<u8>,
}

impl PreviewSource {
    /// A source of these files, whose pages get the libraries that come with the program.
    pub fn new(files: Arc<dyn PreviewFiles>) -> Self {
        Self::with_libraries(files, Libraries::own())
    }

    /// A source of these files with another table of libraries.
    pub fn with_libraries(files: Arc<dyn PreviewFiles>, libraries: Libraries) -> Self {
        let growing = Mutex::new(GrowingPages::default());
        let inner = Inner { files, libraries: Arc::new(libraries), mark: Nonce::fresh(), growing };
        Self { inner: Arc::new(inner) }
    }

    /// Answers a GET request for a path and query such as `/page/<run>/<variant>/index.html?v=1&y=0`.
    ///
    /// Files of libraries, such as `/lib/vue/dist/vue.global.prod.js`, belong to no run, and neither do the small
    /// pictures of lists at `/thumbnail/project/<project>` and `/thumbnail/version/<version>`.
    pub fn respond(&self, path_and_query: &str) -> PreviewResponse {
        if let Some(path) = address::library_path(path_and_query) {
            let file = libraries::shelf::bytes(path).map(|bytes| PreviewResponse::file(path, bytes));
            return file.unwrap_or_else(PreviewResponse::not_found);
        }
        if let Some(of) = address::thumbnail(path_and_query) {
            let png = self.inner.files.thumbnail(of).map(|bytes| PreviewResponse::file(".png", bytes));
            return png.unwrap_or_else(PreviewResponse::not_found);
        }
        let answer = Address::parse(path_and_query).and_then(|address| self.answer(address));
        answer.unwrap_or_else(PreviewResponse::not_found)
    }

    /// What the window's frame must hear of an event. Hand in every event of a run once, those of its snapshot
    /// first; an event that comes again gives nothing.
    pub fn text_of(&self, event: &RunEvent) -> Option<PreviewText> {
        self.growing().take(event, &self.growing_pass())
    }

    /// Everything a frame should hold of a page, for a window that has missed something.
    pub fn whole_text(&self, run: RunId, variant: VariantIndex, path: &ProjectPath) -> Option<PreviewWhole> {
        if let Some(whole) = self.growing().whole(run, variant, path) {
            return Some(whole);
        }
        let source = self.inner.files.file(Shown::Variant(run, variant), path).filter(|_| path.is_page())?;
        // Only what is certain: if the page still grows, the pieces to come must fit behind it.
        Some(PreviewWhole::of(StreamAnnotator::new(&self.growing_pass()).push(&source)))
    }

    fn growing(&self) -> MutexGuard<'_, GrowingPages> {
        self.inner.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn growing_pass(&self) -> Pass {
        let nonce = self.inner.mark.as_ref().map(|mark| mark.as_str().to_owned());
        Pass { boot: None, nonce, libraries: Arc::clone(&self.inner.libraries) }
    }

    fn answer(&self, address: Address) -> Option<PreviewResponse> {
        let Address { shown, wanted, is_in_stream } = address;
        let files = &self.inner.files;
        match wanted {
            Wanted::StreamFrame => files.has(shown).then(|| self.stream_frame()),
            Wanted::File { path, policy } => {
                if let Some(text) = files.file(shown, &path) {
                    if path.is_page() {
                        return Some(self.page(&text, policy, is_in_stream));
                    }
                    let text = match path.extension() {
                        // A style sheet imports others, and so does a script.
                        Some("css" | "js" | "mjs") => self.inner.libraries.redirected(&text),
                        _ => Cow::Borrowed(&*text),
                    };
                    return Some(PreviewResponse::file(path.as_str(), text.into_owned().into_bytes()));
                }
                if let Some(bytes) = files.bytes(shown, &path) {
                    return Some(PreviewResponse::file(path.as_str(), bytes));
                }
                let (digits, extension) = address::asset_name(&path)?;
                if !files.has(shown) {
                    return None;
                }
                files.asset(shown, digits, extension).map(|bytes| PreviewResponse::file(path.as_str(), bytes))
            }
        }
    }

    fn stream_frame(&self) -> PreviewResponse {
        let (Some(nonce), Some(mark)) = (Nonce::fresh(), &self.inner.mark) else {
            return PreviewResponse::no_random_numbers();
        };
        PreviewResponse::page(boot::stream_document(&nonce, mark), csp::streaming(nonce.as_str()))
    }

    fn page(&self, source: &str, policy: Policy, is_in_stream: bool) -> PreviewResponse {
        let (libraries, version) = (Arc::clone(&self.inner.libraries), SourceVersion::of(source));
        if policy == Policy::Finished {
            let pass = Pass { boot: Some(boot::page_boot(&version, None)), nonce: None, libraries };
            return PreviewResponse::page(annotated(source, &pass), csp::finished());
        }
        let (Some(nonce), Some(mark)) = (Nonce::fresh(), &self.inner.mark) else {
            return PreviewResponse::no_random_numbers();
        };
        // A frame that was led from the page being written to another one can be written into again.
        let boot = if is_in_stream {
            boot::stream_boot(&nonce, mark)
        } else {
            boot::page_boot(&version, Some(&nonce))
        };
        let pass = Pass { boot: Some(boot), nonce: Some(nonce.as_str().to_owned()), libraries };
        PreviewResponse::page(annotated(source, &pass), csp::streaming(nonce.as_str()))
    }
}

impl PreviewResponse {
    /// Every header the answer must carry.
    pub fn headers(&self) -> [(&'static str, &str); 6] {
        [
            ("content-type", self.mime),
            ("content-security-policy", &self.csp),
            // Module scripts, fonts and `crossorigin` ask for it from an opaque origin.
            ("access-control-allow-origin", "*"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
        ]
    }

    /// The answer to anything but GET.
    pub fn wrong_method() -> Self {
        Self::message(405, "Only GET is answered here.")
    }

    fn page(html: String, csp: String) -> Self {
        Self { status: 200, mime: mime::HTML, csp, bytes: html.into_bytes() }
    }

    fn file(path: &str, bytes: Vec<u8>) -> Self {
        let mime = mime::mime_of(path.rsplit_once('.').map_or("", |(_, extension)| extension));
        Self { status: 200, mime, csp: csp::plain_file(), bytes }
    }

    fn not_found() -> Self {
        Self::message(404, "There is nothing at this address.")
    }

    fn no_random_numbers() -> Self {
        Self::message(503, "The system gives no random numbers, so no page can be shown. Try again.")
    }

    fn message(status: u16, text: &str) -> Self {
        Self { status, mime: mime::PLAIN_TEXT, csp: csp::plain_file(), bytes: text.as_bytes().to_vec() }
    }
}

impl std::fmt::Debug for PreviewResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Pages are long, and logs do not hold what people make.
        let (status, mime, bytes) = (self.status, self.mime, self.bytes.len());
        f.debug_struct("PreviewResponse")
            .field("status", &status)
            .field("mime", &mime)
            .field("bytes", &bytes)
            .finish()
    }
}
