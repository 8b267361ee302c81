//! A finished text, typed in small pieces.

use std::time::Duration;

use futures::Stream;
use tokio::time::sleep;

use crate::run::request::Typing;

/// About what a fast model sends at once.
const PIECE_CHARS: usize = 48;
/// A watched page is typed within this many frames …
const WATCHED_FRAMES: usize = 75;
/// … of this length.
const FRAME: Duration = Duration::from_millis(16);

/// The text in pieces, as fast as anybody wants to watch.
pub(super) fn pieces(text: String, typing: Typing) -> impl Stream<Item = String> {
    async_stream::stream! {
        let per_frame = text.len().div_ceil(PIECE_CHARS).div_ceil(WATCHED_FRAMES).max(1);
        let mut rest = text.as_str();
        let mut sent = 0;
        while !rest.is_empty() {
            let end = rest.char_indices().nth(PIECE_CHARS).map_or(rest.len(), |(at, _)| at);
            let (piece, tail) = rest.split_at(end);
            yield piece.to_owned();
            rest = tail;
            sent += 1;
            if sent % per_frame == 0 {
                match typing {
                    Typing::Watchable => sleep(FRAME).await,
                    // Others get their turn, and a cancelled run is noticed.
                    Typing::AtOnce => tokio::task::yield_now().await,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pieces_are_small_and_add_up_to_the_text_however_it_is_typed() {
        let text = "größe 😀 ".repeat(2000);
        for typing in [Typing::AtOnce, Typing::Watchable] {
            let pieces: Vec<_> = pieces(text.clone(), typing).collect().await;
            assert!(pieces.iter().all(|piece| piece.chars().count() <= PIECE_CHARS));
            assert_eq!(pieces.concat(), text);
        }
    }
}
