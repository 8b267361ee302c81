//! The policies that frames live under. Their texts are pinned by `tests/fixtures/policies`.

/// How the scheme is spelt: the platforms' own way, and the way of a platform that makes a host of it. `'self'`
/// matches nothing in an opaque origin.
const SCHEME: &str = "preview: http://preview.localhost";

/// The policy of a page that is still being written, or is shown without its scripts: only what carries the
/// nonce runs.
pub fn streaming(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline' {SCHEME}; \
         img-src data: blob: {SCHEME}; font-src data: {SCHEME}; connect-src 'none'; form-action 'none'; \
         base-uri 'none'; frame-src 'none'; object-src 'none'"
    )
}

/// The policy of a finished page: its scripts run, and nothing but the preview scheme can be reached.
pub fn finished() -> String {
    format!(
        "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' {SCHEME}; \
         style-src 'unsafe-inline' {SCHEME}; img-src data: blob: {SCHEME}; font-src data: {SCHEME}; \
         media-src data: blob: {SCHEME}; connect-src preview://localhost/lib/ data: blob:; worker-src blob:; \
         form-action 'none'; base-uri 'none'; frame-src 'none'; object-src 'none'"
    )
}

/// The policy of everything that is no page: it draws, should a frame be led to it, and runs nothing.
pub fn plain_file() -> String {
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; connect-src 'none'; \
     form-action 'none'; base-uri 'none'; frame-src 'none'; object-src 'none'"
        .to_owned()
}
