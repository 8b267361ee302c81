//! Types of files by the ends of their names.

/// What a frame is told a file is. Frames may not sniff, so a type that is not known stays a lump of bytes.
pub(crate) fn mime_of(extension: &str) -> &'static str {
    match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" => HTML,
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        "webmanifest" => "application/manifest+json; charset=utf-8",
        "svg" => "image/svg+xml",
        "xml" => "text/xml; charset=utf-8",
        "txt" | "md" => PLAIN_TEXT,
        "csv" => "text/csv; charset=utf-8",
        "vtt" => "text/vtt; charset=utf-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "bmp" => "image/bmp",
        "ico" => "image/x-icon",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "wav" => "audio/wav",
        _ => "application/octet-stream",
    }
}

/// The type of pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";
/// The type of what is only read.
pub(crate) const PLAIN_TEXT: &str = "text/plain; charset=utf-8";
