//! Colours as three numbers, and the few statistics pixels need.

use image::RgbImage;

use super::geometry::Rect;

/// Red, green, blue from 0 to 255.
pub(crate) type Color = [f32; 3];

pub(crate) fn pixel(picture: &RgbImage, x: i32, y: i32) -> Color {
    picture
        .get_pixel_checked(x.max(0) as u32, y.max(0) as u32)
        .map_or([0.0; 3], |pixel| pixel.0.map(f32::from))
}

pub(crate) fn distance(a: Color, b: Color) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}

/// Largest difference of a channel.
pub(crate) fn reach(a: Color, b: Color) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

pub(crate) fn rounded(color: Color) -> [u8; 3] {
    color.map(|channel| channel.round().clamp(0.0, 255.0) as u8)
}

/// The channel-wise median.
pub(crate) fn median_color(colors: &[Color]) -> Color {
    let channel =
        |of: usize| median(&mut colors.iter().filter_map(|c| c.get(of).copied()).collect::<Vec<_>>());
    [channel(0), channel(1), channel(2)]
}

pub(crate) fn mean_color(colors: impl Iterator<Item = Color>) -> Option<Color> {
    let mut sum = [0.0_f64; 3];
    let mut count = 0_u32;
    for color in colors {
        for (sum, channel) in sum.iter_mut().zip(color) {
            *sum += f64::from(channel);
        }
        count += 1;
    }
    (count > 0).then(|| sum.map(|sum| (sum / f64::from(count)) as f32))
}

/// The middle value; 0 of nothing.
pub(crate) fn median(values: &mut [f32]) -> f32 {
    quantile(values, 0.5)
}

/// The value below which a share of all lie; reorders them. 0 of nothing.
pub(crate) fn quantile(values: &mut [f32], share: f32) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let index = ((values.len() - 1) as f32 * share).round() as usize;
    *values.select_nth_unstable_by(index, f32::total_cmp).1
}

/// The commonest colour, in bins of `step` levels: the median inside the fullest bin and that bin's share.
pub(crate) fn dominant(colors: &[Color], step: f32) -> (Color, f32) {
    let bin = |color: &Color| color.map(|channel| (channel / step) as u8);
    let mut bins: Vec<[u8; 3]> = colors.iter().map(bin).collect();
    bins.sort_unstable();
    let mut best: (usize, [u8; 3]) = (0, [0; 3]);
    for run in bins.chunk_by(|a, b| a == b) {
        if let (true, Some(&first)) = (run.len() > best.0, run.first()) {
            best = (run.len(), first);
        }
    }
    let inside: Vec<Color> = colors.iter().filter(|color| bin(color) == best.1).copied().collect();
    (median_color(&inside), best.0 as f32 / colors.len().max(1) as f32)
}

/// The commonest colour of an area in bins of 8 levels, as [`dominant`] has it, without a list of all pixels.
pub(crate) fn dominant_within(picture: &RgbImage, area: Rect) -> Color {
    let bin = |color: [u8; 3]| color.map(|channel| usize::from(channel / 8));
    let mut counts = vec![0_u32; 32 * 32 * 32];
    for color in colors_within(picture, area) {
        let [r, g, b] = bin(color);
        if let Some(count) = counts.get_mut((r * 32 + g) * 32 + b) {
            *count += 1;
        }
    }
    // Of equal bins the first.
    let fullest = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count).map_or(0, |(at, _)| at);
    let fullest = [fullest / 1024, fullest / 32 % 32, fullest % 32];
    let mut levels = [[0_usize; 256]; 3];
    for color in colors_within(picture, area).filter(|color| bin(*color) == fullest) {
        for (levels, channel) in levels.iter_mut().zip(color) {
            if let Some(count) = levels.get_mut(usize::from(channel)) {
                *count += 1;
            }
        }
    }
    levels.map(|counts| {
        let all: usize = counts.iter().sum();
        let middle = (all.saturating_sub(1) as f32 * 0.5).round() as usize;
        let mut below = 0;
        let level = counts.iter().position(|count| {
            below += count;
            below > middle
        });
        level.unwrap_or(0) as f32
    })
}

/// The colours of an area, row by row.
pub(crate) fn colors_within(picture: &RgbImage, area: Rect) -> impl Iterator<Item = [u8; 3]> {
    (area.y..area.bottom())
        .flat_map(move |y| (area.x..area.right()).map(move |x| (x, y)))
        .map(|(x, y)| pixel(picture, x, y).map(|channel| channel as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_colour_is_the_same_with_and_without_a_list() {
        let noise = |x: u32, y: u32, c: u32| {
            let mixed = (x * 7919 + y * 104_729 + c * 31).wrapping_mul(2_654_435_761);
            (mixed >> 24) as u8
        };
        let noisy = RgbImage::from_fn(40, 30, |x, y| image::Rgb([0, 1, 2].map(|c| noise(x, y, c))));
        let soft = RgbImage::from_fn(40, 30, |x, y| image::Rgb([0, 1, 2].map(|c| 90 + noise(x, y, c) / 20)));
        let flat = RgbImage::from_pixel(40, 30, image::Rgb([255, 0, 128]));
        for (picture, area) in [&noisy, &soft, &flat].into_iter().flat_map(|picture| {
            let areas = [(0, 0, 40, 30), (3, 5, 20, 1), (39, 29, 1, 1), (10, 0, 7, 30)];
            areas.map(|(x, y, w, h)| (picture, Rect { x, y, w, h }))
        }) {
            let listed: Vec<Color> = colors_within(picture, area).map(|color| color.map(f32::from)).collect();
            assert_eq!(dominant_within(picture, area), dominant(&listed, 8.0).0, "{area:?}");
        }
    }
}
