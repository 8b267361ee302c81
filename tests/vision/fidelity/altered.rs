//! Ten kinds of altered copies of a page, each the same whoever makes it: `scripts/agreement.py` makes them too.

use image::{Rgb, RgbImage, imageops};

use super::page::Page;

pub const KINDS: [&str; 10] = [
    "moved",
    "half",
    "recoloured",
    "resized",
    "reworded",
    "blank",
    "pasted",
    "scaled",
    "shifted-card",
    "background",
];

/// The copy of one of [`KINDS`]; the seed is its place in the list, counted from 1.
pub fn altered(page: &Page, kind: &str) -> Page {
    let seed = KINDS.iter().position(|known| *known == kind).unwrap() as u64 + 1;
    let mut chance = Chance(seed);
    let mut copy = page.clone();
    let (width, height) = page.pixels.dimensions();
    let texts = &mut copy.geometry.texts;
    match kind {
        "moved" => {
            copy.pixels = RgbImage::from_fn(width, height, |x, y| {
                *page.pixels.get_pixel((x + width - 3) % width, (y + height - 3) % height)
            });
            for line in texts {
                line.x += 3.0;
                line.y += 3.0;
            }
        }
        "half" => texts.retain(|_| chance.next() < 0.5),
        "recoloured" => {
            copy.pixels.pixels_mut().for_each(|pixel| pixel.0.reverse());
            texts.iter_mut().for_each(|line| line.color.reverse());
        }
        "resized" => {
            copy.pixels = RgbImage::from_pixel(width, height + 137, Rgb([255; 3]));
            imageops::replace(&mut copy.pixels, &page.pixels, 0, 0);
            copy.geometry.height += 137.0;
        }
        "reworded" => {
            for line in texts {
                if chance.next() < 0.3 {
                    line.text = line.text.chars().rev().collect();
                }
            }
        }
        "blank" => {
            texts.clear();
            copy.pixels = RgbImage::from_pixel(width, height, Rgb([255; 3]));
        }
        "pasted" => {
            texts.clear();
            copy.textless = Some(page.pixels.clone());
        }
        "scaled" => {
            for line in texts {
                line.fs *= 1.15;
                line.w *= 1.15;
            }
        }
        "shifted-card" => {
            let (x, y, w, h) = (width / 4, height / 5, width / 3, height / 4);
            let card = imageops::crop_imm(&page.pixels, x, y, w, h).to_image();
            let hole = RgbImage::from_pixel(w, h, Rgb([255; 3]));
            imageops::replace(&mut copy.pixels, &hole, i64::from(x), i64::from(y));
            imageops::replace(&mut copy.pixels, &card, i64::from(x), i64::from(y) + 18);
            let inside = |at: f64, from: u32, len: u32| at >= f64::from(from) && at < f64::from(from + len);
            for line in texts.iter_mut().filter(|line| inside(line.x, x, w) && inside(line.y, y, h)) {
                line.y += 18.0;
            }
        }
        "background" => {
            let bin = |pixel: &Rgb<u8>| pixel.0.map(|channel| usize::from(channel / 8));
            let index = |[r, g, b]: [usize; 3]| r * 1024 + g * 32 + b;
            let mut counts = vec![0_u32; 32 * 32 * 32];
            page.pixels.pixels().for_each(|pixel| counts[index(bin(pixel))] += 1);
            let fullest = counts.iter().max().unwrap();
            let best = counts.iter().position(|count| count == fullest).unwrap();
            let plain = copy.pixels.pixels_mut().filter(|pixel| index(bin(pixel)) == best);
            plain.for_each(|pixel| *pixel = Rgb([200, 220, 240]));
        }
        _ => unreachable!("{kind}"),
    }
    copy
}

/// Numbers from 0 to 1 that any language can make.
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
}
