//! A picture of where two pictures differ.

use image::{Rgb, RgbImage};

use crate::raster::MAX_PIXELS;

use super::color::{light_by_sum, quick_lab};

/// The difference that is painted fully red.
const FULL: f32 = 25.0;

/// The page in faded grey, with what differs from the reference in red: the redder, the more. Where only one of the
/// two has pixels, they differ fully.
pub fn difference_map(reference: &RgbImage, page: &RgbImage) -> RgbImage {
    let width = reference.width().max(page.width());
    // Two pictures that are each allowed may together span more than one is.
    let rows = u32::try_from(MAX_PIXELS / u64::from(width.max(1))).unwrap_or(u32::MAX);
    let height = reference.height().max(page.height()).min(rows);
    let table = light_by_sum(1);
    let lab = |pixel: &Rgb<u8>| quick_lab(pixel.0.map(|channel| table[usize::from(channel)]));
    RgbImage::from_fn(width, height, |x, y| {
        match (reference.get_pixel_checked(x, y), page.get_pixel_checked(x, y)) {
            (Some(wanted), Some(shown)) if wanted == shown => painted(shown, 0.0),
            (Some(wanted), Some(shown)) => {
                let apart: f32 = lab(wanted).iter().zip(lab(shown)).map(|(a, b)| (a - b) * (a - b)).sum();
                painted(shown, (apart.sqrt() / FULL).min(1.0))
            }
            (None, Some(only)) | (Some(only), None) => painted(only, 1.0),
            (None, None) => Rgb([255; 3]),
        }
    })
}

fn painted(under: &Rgb<u8>, difference: f32) -> Rgb<u8> {
    let [r, g, b] = under.0.map(f32::from);
    let faded = 255.0 - (255.0 - (0.299 * r + 0.587 * g + 0.114 * b)) * 0.3;
    let toward = |end: f32| (faded + (end - faded) * difference).round() as u8;
    Rgb([toward(220.0), toward(20.0), toward(30.0)])
}
