//! How alike a drawing and the ink are.

use image::RgbImage;

use super::Coverage;
use crate::trace::color::{distance, pixel};
use crate::trace::geometry::Rect;
use crate::trace::text::InkText;

/// Observed coverage around a text's ink.
pub(super) struct InkMap {
    area: Rect,
    alpha: Vec<f32>,
    mean: f32,
    norm: f32,
}

impl InkMap {
    pub(super) fn of(picture: &RgbImage, text: &InkText) -> Self {
        let whole = Rect { x: 0, y: 0, w: picture.width() as i32, h: picture.height() as i32 };
        let area = text.ink.grown(1).common(whole);
        let contrast = distance(text.color, text.background).max(1.0);
        let alpha: Vec<f32> = (area.y..area.bottom())
            .flat_map(|y| (area.x..area.right()).map(move |x| (x, y)))
            .map(|(x, y)| (distance(pixel(picture, x, y), text.background) / contrast).min(1.0))
            .collect();
        let mean = alpha.iter().sum::<f32>() / alpha.len().max(1) as f32;
        let norm = alpha.iter().map(|a| (a - mean) * (a - mean)).sum::<f32>().sqrt();
        Self { area, alpha, mean, norm }
    }

    /// Normalised correlation of the ink with a drawing.
    pub(super) fn likeness(&self, drawn: &Coverage) -> f32 {
        let (mut sum, mut square, mut product) = (0.0_f32, 0.0_f32, 0.0_f32);
        let width = self.area.w.max(1) as usize;
        for (row, cells) in self.alpha.chunks(width).enumerate() {
            for (column, alpha) in cells.iter().enumerate() {
                let value = drawn.at(self.area.x + column as i32, self.area.y + row as i32);
                sum += value;
                square += value * value;
                product += value * (alpha - self.mean);
            }
        }
        let count = self.alpha.len().max(1) as f32;
        let norm = (square - sum * sum / count).max(0.0).sqrt();
        product / (self.norm * norm + 1e-4)
    }
}
