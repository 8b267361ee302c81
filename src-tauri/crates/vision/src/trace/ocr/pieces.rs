//! A long line falls into pieces at gaps between words: a piece's layers stay in the processor's cache.

use image::RgbImage;

// How far two colours of one column may lie apart when nothing is written in it.
const BLANK_RANGE: u8 = 26;
// Gaps between letters are narrower than this share of the line's height, gaps between words wider.
const LEAST_GAP: f32 = 0.2;
// How far from an even division a gap is looked for, as a share of a piece.
const REACH: f32 = 0.3;

/// Where a line is cut so that pieces come near to `piece_width`: columns in the middles of gaps, left to right.
pub(super) fn cuts(line: &RgbImage, piece_width: f32) -> Vec<u32> {
    let count = (line.width() as f32 / piece_width).ceil() as u32;
    if count < 2 {
        return Vec::new();
    }
    let gaps = gaps(line);
    let even = line.width() as f32 / count as f32;
    let mut cuts: Vec<u32> = (1..count)
        .filter_map(|index| {
            let (from, to) = (even * (index as f32 - REACH), even * (index as f32 + REACH));
            let near = gaps.iter().filter(|gap| (from..to).contains(&gap.middle()));
            near.max_by_key(|gap| gap.end - gap.start).map(|gap| gap.middle() as u32)
        })
        .collect();
    cuts.dedup();
    cuts
}

struct Gap {
    start: u32,
    end: u32,
}

impl Gap {
    fn middle(&self) -> f32 {
        (self.start + self.end) as f32 / 2.0
    }
}

fn gaps(line: &RgbImage) -> Vec<Gap> {
    let least = (line.height() as f32 * LEAST_GAP).ceil() as u32;
    let mut found = Vec::new();
    let mut start = None;
    for x in 0..=line.width() {
        if x < line.width() && is_blank(line, x) {
            start.get_or_insert(x);
        } else if let Some(start) = start.take()
            && x - start >= least.max(2)
        {
            found.push(Gap { start, end: x });
        }
    }
    found
}

fn is_blank(line: &RgbImage, x: u32) -> bool {
    let (mut least, mut most) = ([u8::MAX; 3], [0; 3]);
    for y in 0..line.height() {
        let pixel = line.get_pixel(x, y).0;
        for (channel, value) in pixel.into_iter().enumerate() {
            least[channel] = least[channel].min(value);
            most[channel] = most[channel].max(value);
        }
    }
    most.into_iter().zip(least).all(|(most, least)| most - least <= BLANK_RANGE)
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    /// Words of ten columns with letters two columns apart, eight columns between words.
    fn words(count: u32) -> RgbImage {
        RgbImage::from_fn(count * 18, 20, |x, y| {
            let is_ink = x % 18 < 10 && x % 18 % 4 < 2 && y % 3 == 0;
            Rgb([if is_ink { 20 } else { 240 }; 3])
        })
    }

    #[test]
    fn cuts_only_between_words() {
        let line = words(10);
        let cuts = cuts(&line, 60.0);
        assert_eq!((cuts.len(), cuts.iter().filter(|cut| *cut % 18 < 10).count()), (2, 0));
    }

    #[test]
    fn a_short_line_stays_whole() {
        assert_eq!(cuts(&words(3), 60.0), Vec::<u32>::new());
    }

    #[test]
    fn a_line_without_gaps_stays_whole() {
        let noisy = RgbImage::from_fn(400, 20, |x, y| Rgb([(x * 31 + y * 97) as u8; 3]));
        assert_eq!(cuts(&noisy, 60.0), Vec::<u32>::new());
    }
}
