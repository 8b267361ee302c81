//! What the pass does to each piece of a page.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lol_html::html_content::{ContentType, TextChunk};
use lol_html::send::{Element, Settings};
use lol_html::{HandlerResult, element, end, text};

use super::{Pass, config};
use crate::preview::libraries::LibraryRole;

const HTML: &str = "http://www.w3.org/1999/xhtml";
/// A script longer than this is no settings of a library.
const MOST_CONFIG_BYTES: usize = 64 * 1024;

/// The handlers of one page.
pub(super) fn of(pass: &Pass) -> Settings<'static, 'static> {
    let work = Arc::new(Mutex::new(Work {
        boot: pass.boot.clone(),
        pass: Pass { boot: None, ..pass.clone() },
        has_styles_library: false,
        script: None,
    }));
    let (at_script, at_end) = (Arc::clone(&work), Arc::clone(&work));
    let mut settings = Settings::new_send()
        .with_strict(false)
        .with_adjust_charset_on_meta_tag(false)
        .with_graceful_bail_out_on_content_handler_error(true)
        .append_element_content_handler(element!("*", move |tag| mark(&work, tag)))
        .append_document_content_handler(end!(move |end| {
            // A page without any element.
            if let Some(boot) = lock(&at_end).boot.take() {
                end.append(&boot, ContentType::Html);
            }
            Ok(())
        }));
    if pass.nonce.is_some() {
        settings = settings.append_element_content_handler(text!("script", move |chunk| {
            lock(&at_script).hear(chunk.as_str());
            Ok(())
        }));
    }
    if !pass.libraries.is_empty() {
        let libraries = Arc::clone(&pass.libraries);
        let mut whole = String::new();
        let redirect = move |chunk: &mut TextChunk<'_>| {
            whole.push_str(chunk.as_str());
            if chunk.last_in_text_node() {
                chunk.replace(&libraries.redirected(&std::mem::take(&mut whole)), ContentType::Html);
            } else {
                chunk.remove();
            }
            Ok(())
        };
        let where_modules_are_named = "style, script[type=module], script[type=importmap]";
        settings = settings.append_element_content_handler(text!(where_modules_are_named, redirect));
    }
    settings
}

struct Work {
    pass: Pass,
    /// Until it has found its place.
    boot: Option<String>,
    has_styles_library: bool,
    /// The plain script that is being read, if it may be settings of the styles library.
    script: Option<String>,
}

impl Work {
    fn hear(&mut self, text: &str) {
        let Some(script) = &mut self.script else { return };
        script.push_str(text);
        if script.len() > MOST_CONFIG_BYTES {
            self.script = None;
        }
    }
}

fn lock(work: &Mutex<Work>) -> MutexGuard<'_, Work> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

fn mark(shared: &Arc<Mutex<Work>>, tag: &mut Element<'_, '_>) -> HandlerResult {
    let mut work = lock(shared);
    let name = tag.tag_name();
    let is_html = tag.namespace_uri() == HTML;
    if name != "html"
        && let Some(boot) = work.boot.take()
    {
        if name == "head" {
            tag.prepend(&boot, ContentType::Html);
        } else {
            tag.before(&boot, ContentType::Html);
        }
    }
    // Only we say what may run.
    if tag.has_attribute("nonce") {
        tag.remove_attribute("nonce");
    }
    let address = tag.source_location().bytes().start.to_string();
    tag.set_attribute("data-fx", &address)?;
    match name.as_str() {
        "link" => link(&work.pass, tag),
        "script" if is_html => script(shared, &mut work, tag),
        _ => Ok(()),
    }
}

fn link(pass: &Pass, tag: &mut Element<'_, '_>) -> HandlerResult {
    drop_integrity(tag);
    let rel = tag.get_attribute("rel").unwrap_or_default();
    let is_early = |kind: &&str| matches!(kind.to_ascii_lowercase().as_str(), "preconnect" | "dns-prefetch");
    if rel.split_ascii_whitespace().any(|kind| is_early(&kind)) {
        let kept: Vec<_> = rel.split_ascii_whitespace().filter(|kind| !is_early(kind)).collect();
        if kept.is_empty() {
            tag.remove();
            return Ok(());
        }
        tag.set_attribute("rel", &kept.join(" "))?;
    }
    let href = tag.get_attribute("href").unwrap_or_default();
    match pass.libraries.in_place_of(&href) {
        Some(library) => Ok(tag.set_attribute("href", library.address)?),
        None => Ok(()),
    }
}

fn script(shared: &Arc<Mutex<Work>>, work: &mut Work, tag: &mut Element<'_, '_>) -> HandlerResult {
    drop_integrity(tag);
    work.script = None;
    let source = tag.get_attribute("src");
    let library = source.as_ref().and_then(|source| work.pass.libraries.in_place_of(source)).copied();
    if let Some(library) = library {
        tag.set_attribute("src", library.address)?;
        if let (LibraryRole::Styles, Some(nonce)) = (library.role, &work.pass.nonce) {
            tag.set_attribute("nonce", nonce)?;
            work.has_styles_library = true;
        }
    }
    let kind = tag.get_attribute("type").unwrap_or_default();
    let is_plain = source.is_none() && matches!(kind.trim(), "" | "text/javascript");
    if is_plain && work.has_styles_library {
        work.script = Some(String::new());
        let shared = Arc::clone(shared);
        tag.on_end_tag(Box::new(move |end| {
            let mut work = lock(&shared);
            let script = work.script.take();
            if let (Some(script), Some(nonce)) = (script, &work.pass.nonce)
                && config::is_settings(&script)
            {
                end.after(&format!("<script nonce=\"{nonce}\">{script}</script>"), ContentType::Html);
            }
            Ok(())
        }))?;
    }
    Ok(())
}

/// A vendored copy has other bytes, and in an opaque origin even the right ones are refused.
fn drop_integrity(tag: &mut Element<'_, '_>) {
    if tag.has_attribute("integrity") {
        tag.remove_attribute("integrity");
    }
}
