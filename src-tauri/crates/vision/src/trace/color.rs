//! Colours as three numbers, and the few statistics pixels need.

use image::RgbImage;

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
