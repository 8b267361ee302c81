//! The one pass that makes a page fit for a frame. The stored source is never touched.
//!
//! Every element gets the address of its start tag in the source as `data-fx`, libraries are redirected,
//! what would leave the machine before any policy looks at it goes, and in front of everything come our own
//! scripts. The pass streams: what is certain comes out at once, and every byte is looked at once.

mod config;
mod handlers;

use std::sync::{Arc, Mutex, PoisonError};

use lol_html::send::HtmlRewriter;

use super::libraries::Libraries;

/// What a pass does beside the addresses.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    /// Put in front of everything in the page.
    pub boot: Option<String>,
    /// Given to the scripts that make styles; only for pages whose own scripts are off.
    pub nonce: Option<String>,
    /// What comes with the program.
    pub libraries: Arc<Libraries>,
}

/// A whole page after the pass.
pub fn annotated(source: &str, pass: &Pass) -> String {
    let mut annotator = StreamAnnotator::new(pass);
    let mut page = annotator.push(source);
    page.push_str(&annotator.finish());
    page
}

/// The pass over a page that is still growing.
pub struct StreamAnnotator {
    /// Gone once the pass has failed; the rest of the page then goes through as it is.
    rewriter: Option<HtmlRewriter<'static, Sink>>,
    out: Arc<Mutex<Vec<u8>>>,
    has_begun: bool,
}

type Sink = Box<dyn FnMut(&[u8]) + Send>;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl StreamAnnotator {
    /// A pass over a page of which nothing is known yet.
    pub fn new(pass: &Pass) -> Self {
        let out = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&out);
        let sink: Sink = Box::new(move |bytes| {
            into.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        });
        Self { rewriter: Some(HtmlRewriter::new(handlers::of(pass), sink)), out, has_begun: false }
    }

    /// Takes more of the source and gives what it makes certain.
    pub fn push(&mut self, source: &str) -> String {
        let Some(rewriter) = &mut self.rewriter else { return source.to_owned() };
        if let Err(error) = rewriter.write(source.as_bytes()) {
            tracing::warn!(%error, "a page goes on without addresses");
            self.rewriter = None;
        }
        self.certain()
    }

    /// What was still uncertain, as it stands when nothing follows.
    pub fn finish(mut self) -> String {
        if let Some(Err(error)) = self.rewriter.take().map(HtmlRewriter::end) {
            tracing::warn!(%error, "a page ends without addresses");
        }
        self.certain()
    }

    fn certain(&mut self) -> String {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = match std::str::from_utf8(&out) {
            Ok(_) => out.len(),
            Err(error) => error.valid_up_to(),
        };
        let mut bytes: Vec<u8> = out.drain(..whole).collect();
        if !self.has_begun && !bytes.is_empty() {
            self.has_begun = true;
            // In front of the doctype it makes a written document quirky; a network load strips it too.
            if bytes.starts_with(BYTE_ORDER_MARK) {
                bytes.drain(..BYTE_ORDER_MARK.len());
            }
        }
        String::from_utf8(bytes).unwrap_or_default()
    }
}
