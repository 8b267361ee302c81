//! The body of an answer, under caps of size and time, unpacked where it was packed.

use std::io::Write;
use std::time::Duration;

use flate2::write::{GzDecoder, ZlibDecoder};
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;

use super::{FetchLimits, FetchRefused};

/// Text packs at most this well; more is an attack.
const MOST_UNPACKED_TIMES: usize = 200;
/// What may come out of a few packed bytes before their ratio is looked at.
const UNPACKED_WITHOUT_QUESTION: usize = 64 * 1024;

/// Reads a body to its end.
pub(super) async fn read(mut response: Response, limits: &FetchLimits) -> Result<Vec<u8>, FetchRefused> {
    let declared = response.content_length().unwrap_or(0);
    if declared > limits.max_bytes as u64 {
        return Err(FetchRefused::TooLarge { most_bytes: limits.max_bytes });
    }
    let mut unpacking = Unpacking::of(&response, limits.max_bytes)?;
    let mut packed_bytes = 0_usize;
    while let Some(piece) = next_piece(&mut response, limits.idle_timeout).await? {
        packed_bytes = packed_bytes.saturating_add(piece.as_ref().len());
        if packed_bytes > limits.max_bytes {
            return Err(FetchRefused::TooLarge { most_bytes: limits.max_bytes });
        }
        // Small pieces: the caps are looked at before a bomb has gone off.
        for part in piece.as_ref().chunks(1024) {
            unpacking.take(part)?;
        }
        unpacking.check_ratio(packed_bytes)?;
    }
    unpacking.finished()
}

async fn next_piece(
    response: &mut Response,
    patience: Duration,
) -> Result<Option<impl AsRef<[u8]> + use<>>, FetchRefused> {
    match tokio::time::timeout(patience, response.chunk()).await {
        Ok(Ok(piece)) => Ok(piece),
        Ok(Err(error)) => Err(FetchRefused::Broken(crate::http::root_cause(&error))),
        Err(_) => Err(FetchRefused::TooSlow),
    }
}

/// A buffer that refuses to grow past its cap.
struct Capped {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Capped {
    fn write(&mut self, more: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + more.len() > self.most {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

enum Unpacking {
    Plain(Capped),
    Gzip(GzDecoder<Capped>),
    Deflate(ZlibDecoder<Capped>),
}

impl Unpacking {
    fn of(response: &Response, most: usize) -> Result<Self, FetchRefused> {
        let capped = Capped { bytes: Vec::new(), most };
        let packing =
            response.headers().get(CONTENT_ENCODING).map(|value| value.as_bytes().to_ascii_lowercase());
        match packing.as_deref() {
            None | Some(b"" | b"identity") => Ok(Unpacking::Plain(capped)),
            Some(b"gzip" | b"x-gzip") => Ok(Unpacking::Gzip(GzDecoder::new(capped))),
            Some(b"deflate") => Ok(Unpacking::Deflate(ZlibDecoder::new(capped))),
            Some(other) => Err(FetchRefused::Packing(String::from_utf8_lossy(other).into_owned())),
        }
    }

    fn take(&mut self, packed: &[u8]) -> Result<(), FetchRefused> {
        let most_bytes = self.unpacked().most;
        let taken = match self {
            Unpacking::Plain(capped) => capped.write_all(packed),
            Unpacking::Gzip(decoder) => decoder.write_all(packed),
            Unpacking::Deflate(decoder) => decoder.write_all(packed),
        };
        taken.map_err(|error| unpacking_failed(&error, most_bytes))
    }

    fn unpacked(&self) -> &Capped {
        match self {
            Unpacking::Plain(capped) => capped,
            Unpacking::Gzip(decoder) => decoder.get_ref(),
            Unpacking::Deflate(decoder) => decoder.get_ref(),
        }
    }

    fn check_ratio(&self, packed_bytes: usize) -> Result<(), FetchRefused> {
        let unpacked_bytes = self.unpacked().bytes.len();
        let most = packed_bytes.saturating_mul(MOST_UNPACKED_TIMES).max(UNPACKED_WITHOUT_QUESTION);
        if unpacked_bytes > most { Err(FetchRefused::Bomb) } else { Ok(()) }
    }

    fn finished(self) -> Result<Vec<u8>, FetchRefused> {
        let most_bytes = self.unpacked().most;
        let capped = match self {
            Unpacking::Plain(capped) => Ok(capped),
            Unpacking::Gzip(decoder) => decoder.finish(),
            Unpacking::Deflate(decoder) => decoder.finish(),
        };
        Ok(capped.map_err(|error| unpacking_failed(&error, most_bytes))?.bytes)
    }
}

fn unpacking_failed(error: &std::io::Error, most_bytes: usize) -> FetchRefused {
    match error.kind() {
        std::io::ErrorKind::FileTooLarge => FetchRefused::TooLarge { most_bytes },
        _ => FetchRefused::Broken("the packed body could not be unpacked".to_owned()),
    }
}
