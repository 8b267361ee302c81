//! The ground of a placeholder: a few large shapes in the page's colours, laid out by the words.

use image::{Rgba, RgbaImage};

use super::{Backdrop, Placeholder};

/// A disc in shares of the picture's shorter side.
struct Disc {
    x: f32,
    y: f32,
    radius: f32,
    color: [f32; 3],
}

pub(super) fn drawn(placeholder: &Placeholder) -> RgbaImage {
    let (width, height) = (placeholder.width as f32, placeholder.height as f32);
    let short = width.min(height);
    let mut chance = Chance::of(&placeholder.prompt);
    let base = color(placeholder, 0);
    let discs: Vec<Disc> = (1..=4)
        .map(|at| Disc {
            x: chance.share() * width,
            y: chance.share() * height,
            radius: (0.25 + 0.35 * chance.share()) * short,
            color: mixed(base, color(placeholder, at), 0.35 + 0.3 * chance.share()),
        })
        .collect();
    let corner = placeholder.corner();
    RgbaImage::from_fn(placeholder.width, placeholder.height, |x, y| {
        let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
        let color = discs.iter().fold(base, |below, disc| {
            let inside = disc.radius - (x - disc.x).hypot(y - disc.y);
            mixed(below, disc.color, (inside + 0.5).clamp(0.0, 1.0))
        });
        let opacity = match placeholder.backdrop {
            Backdrop::Filled => 1.0,
            Backdrop::Clear => tile(x, y, width, height, corner),
        };
        let [r, g, b] = color.map(|channel| channel.round().clamp(0.0, 255.0) as u8);
        Rgba([r, g, b, (opacity * 255.0).round() as u8])
    })
}

/// How much of a pixel a tile with rounded corners covers.
fn tile(x: f32, y: f32, width: f32, height: f32, corner: f32) -> f32 {
    let beyond = |at: f32, length: f32| ((at - length / 2.0).abs() - (length / 2.0 - corner)).max(0.0);
    (corner - beyond(x, width).hypot(beyond(y, height)) + 0.5).clamp(0.0, 1.0)
}

fn color(placeholder: &Placeholder, at: usize) -> [f32; 3] {
    let count = placeholder.colors.len().max(1);
    placeholder.colors.get(at % count).copied().unwrap_or_default().map(f32::from)
}

pub(super) fn mixed(below: [f32; 3], above: [f32; 3], share: f32) -> [f32; 3] {
    let [a, b, c] = below;
    let [d, e, f] = above;
    [a + share * (d - a), b + share * (e - b), c + share * (f - c)]
}

/// Numbers that look like chance and are the same for the same words.
struct Chance(u64);

impl Chance {
    fn of(words: &str) -> Self {
        let start = words.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(start)
    }

    fn share(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed >> 40) as f32) / (1_u64 << 24) as f32
    }
}
