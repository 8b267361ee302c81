use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{RgbImage, imageops};

use crate::raster::{Raster, encoded_png};
use crate::trace::clean::without_text;
use crate::trace::facts::Facts;
use crate::trace::geometry::Rect;
use crate::trace::layout::Area;

// Small pictures stay lossless; for large ones the smaller file wins.
const LOSSLESS_PIXELS: i64 = 20_000;
const JPEG_QUALITY: u8 = 90;

/// The screenshot without its text, to cut from.
pub(super) struct Crops {
    clean: RgbImage,
    /// Screenshot pixels per page pixel.
    scale: i32,
}

/// A cut-out as a file.
pub(super) struct Crop {
    pub(super) bytes: Vec<u8>,
    pub(super) extension: &'static str,
    pub(super) mime: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Crops {
    pub(super) fn of(facts: &Facts, raster: &Raster) -> Self {
        let scale = facts.scale.max(1) as i32;
        let inks = facts.texts.iter().map(|text| {
            let [x, y, w, h] = text.ink.map(|length| length * scale);
            (Rect { x, y, w, h }, text.bg.map(|color| color.map(f32::from)))
        });
        Self { clean: without_text(raster.pixels(), inks), scale }
    }

    /// An area as a picture file; nothing when it is empty or cannot be written.
    pub(super) fn cut(&self, area: Area) -> Option<Crop> {
        let whole = Rect { x: 0, y: 0, w: self.clean.width() as i32, h: self.clean.height() as i32 };
        let [x, y, w, h] = [area.x, area.y, area.w, area.h].map(|length| length as i32 * self.scale);
        let area = Rect { x, y, w, h }.common(whole);
        if area.is_empty() {
            return None;
        }
        let (x, y, width, height) = (area.x as u32, area.y as u32, area.w as u32, area.h as u32);
        let pixels = imageops::crop_imm(&self.clean, x, y, width, height).to_image();
        // A picture that cannot be written is left out; the page is still worth having.
        let png = encoded_png(&pixels).ok()?;
        let jpeg = if area.area() > LOSSLESS_PIXELS { encoded_jpeg(&pixels) } else { None };
        let (bytes, extension, mime) = match jpeg {
            Some(jpeg) if jpeg.len() * 2 < png.len() => (jpeg, "jpg", "image/jpeg"),
            _ => (png, "png", "image/png"),
        };
        Some(Crop { bytes, extension, mime, width, height })
    }
}

fn encoded_jpeg(pixels: &RgbImage) -> Option<Vec<u8>> {
    let mut file = Cursor::new(Vec::new());
    JpegEncoder::new_with_quality(&mut file, JPEG_QUALITY).encode_image(pixels).ok()?;
    Some(file.into_inner())
}
