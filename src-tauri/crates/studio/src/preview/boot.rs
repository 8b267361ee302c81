//! The scripts of our own that run first in a frame.

use facsimile_agent::project::address::SourceVersion;

use super::nonce::Nonce;

const STORAGE: &str = include_str!("storage.js");
const BOOT: &str = include_str!("boot.js");

/// The document that a page is written into. `mark` stands for the frame's nonce in the text written later.
pub(crate) fn stream_document(nonce: &Nonce, mark: &Nonce) -> String {
    let boot = stream_boot(nonce, mark);
    format!("<!doctype html><html><head><meta charset=\"utf-8\">{boot}</head><body></body></html>")
}

/// The scripts of a frame that is, or becomes again, one to be written into.
pub(crate) fn stream_boot(nonce: &Nonce, mark: &Nonce) -> String {
    let (nonce, mark) = (nonce.as_str(), mark.as_str());
    scripts(&format!(" nonce=\"{nonce}\""), &format!("data-fx-boot=\"stream\" data-fx-mark=\"{mark}\""))
}

/// The scripts of a finished page, which name the version of its source with every element they name; the nonce is
/// for a page whose own scripts are off.
pub(crate) fn page_boot(source: &SourceVersion, nonce: Option<&Nonce>) -> String {
    let nonce = nonce.map(|nonce| format!(" nonce=\"{}\"", nonce.as_str())).unwrap_or_default();
    scripts(&nonce, &format!("data-fx-boot=\"page\" data-fx-version=\"{}\"", source.as_str()))
}

fn scripts(nonce: &str, role: &str) -> String {
    format!("<script{nonce} {role}>{STORAGE}{BOOT}</script>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_scripts_ends_them_early() {
        for source in [STORAGE, BOOT] {
            let source = source.to_ascii_lowercase();
            assert_eq!((source.contains("</script"), source.contains("<!--")), (false, false));
        }
    }
}
