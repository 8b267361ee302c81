//! What pictures cost in tokens, before a vendor has counted them.
//!
//! Every vendor counts in its own way; the figures are for estimates and never for a bill.

use std::io::Cursor;
use std::ops::{AddAssign, Sub};

use image::ImageReader;

use crate::endpoint::Family;

/// The side of the squares that OpenAI counts.
const PATCH_PX: u32 = 32;
/// A picture of more squares is scaled down to so many.
const MOST_PATCHES: u64 = 1_536;
/// The pixels of one token at Anthropic.
const PIXELS_PER_TOKEN: u64 = 750;
/// A picture takes no more than this at Anthropic, the models that see most included.
const MOST_ANTHROPIC_TOKENS: u64 = 4_800;
/// What a picture takes at Gemini, whatever its size.
const GEMINI_TOKENS: u64 = 1_120;
/// What is taken for a picture whose size is not known, or whose endpoint counts in its own way.
const USUAL_TOKENS: u64 = 1_600;

/// The pictures of a conversation, as far as their cost goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sighted {
    count: u64,
    patches: u64,
    anthropic: u64,
}

impl Sighted {
    /// One picture of this size, as it is sent.
    pub fn sized_px(width: u32, height: u32) -> Self {
        let patches = u64::from(width.div_ceil(PATCH_PX)) * u64::from(height.div_ceil(PATCH_PX));
        let pixels = u64::from(width) * u64::from(height);
        let anthropic = pixels.div_ceil(PIXELS_PER_TOKEN).min(MOST_ANTHROPIC_TOKENS);
        Self { count: 1, patches: patches.min(MOST_PATCHES), anthropic }
    }

    /// One encoded picture; only its head is read.
    pub fn encoded(bytes: &[u8]) -> Self {
        let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok();
        let size = reader.and_then(|reader| reader.into_dimensions().ok());
        size.map_or_else(Self::unknown, |(width, height)| Self::sized_px(width, height))
    }

    /// One picture that was not seen here.
    pub fn unknown() -> Self {
        Self { count: 1, patches: MOST_PATCHES, anthropic: USUAL_TOKENS }
    }

    /// What they take at such an endpoint.
    pub fn tokens(&self, family: Family) -> u64 {
        match family {
            Family::Anthropic => self.anthropic,
            Family::OpenAiResponses => self.patches,
            Family::Gemini => self.count * GEMINI_TOKENS,
            Family::OpenAiChat => self.count * USUAL_TOKENS,
        }
    }
}

impl AddAssign for Sighted {
    fn add_assign(&mut self, more: Self) {
        self.count += more.count;
        self.patches += more.patches;
        self.anthropic += more.anthropic;
    }
}

impl Sub for Sighted {
    type Output = Self;

    fn sub(self, fewer: Self) -> Self {
        Self {
            count: self.count.saturating_sub(fewer.count),
            patches: self.patches.saturating_sub(fewer.patches),
            anthropic: self.anthropic.saturating_sub(fewer.anthropic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everywhere(sighted: Sighted) -> [u64; 4] {
        [Family::Anthropic, Family::OpenAiResponses, Family::Gemini, Family::OpenAiChat]
            .map(|family| sighted.tokens(family))
    }

    #[test]
    fn a_picture_costs_what_each_vendor_counts() {
        let sizes = [(750, 100), (1280, 1568), (2000, 2000), (1, 1)];
        let tokens = sizes.map(|(width, height)| everywhere(Sighted::sized_px(width, height)));
        let expected = [
            [100, 96, 1_120, 1_600],
            [2_677, 1_536, 1_120, 1_600],
            [4_800, 1_536, 1_120, 1_600],
            [1, 1, 1_120, 1_600],
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn the_size_is_read_from_the_bytes_and_what_is_no_picture_counts_as_usual() {
        let mut png = Vec::new();
        let drawn = image::RgbImage::new(64, 32);
        drawn.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        assert_eq!(Sighted::encoded(&png), Sighted::sized_px(64, 32));
        assert_eq!(Sighted::encoded(b"GIF8"), Sighted::unknown());
    }

    #[test]
    fn what_was_counted_before_is_taken_off() {
        let (mut all, first) = (Sighted::sized_px(640, 480), Sighted::sized_px(640, 480));
        all += Sighted::sized_px(320, 320);
        assert_eq!(all - first, Sighted::sized_px(320, 320));
    }
}
