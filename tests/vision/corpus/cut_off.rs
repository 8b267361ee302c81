//! Files that stop before their end.

use image::{DynamicImage, ImageFormat};

use super::jpeg::{Inks, Jpeg};
use super::others::{Frame, animated_webp, drawing, gif, icon, quarter, run_length_bitmap};
use super::png::{Png, RGB, RGBA};
use super::{Outcome::Refused, QUARTERS, outcome, shows};
use crate::files::{encoded, fixture, quarters};

#[test]
fn every_kind_cut_at_every_tenth_is_refused() {
    let picture = DynamicImage::ImageRgb8(quarters());
    let whole: [(&str, Vec<u8>); 12] = [
        ("PNG", Png::new(RGB, 8).file()),
        ("interlaced PNG", Png::new(RGB, 16).interlaced().file()),
        ("JPEG", Jpeg::new(Inks::YCbCr, None).file()),
        ("progressive JPEG", fixture("images/progressive.jpg")),
        ("GIF", gif(&[Frame { area: [0, 0, 48, 32], disposal: 0, colors: quarter }])),
        ("lossless WebP", encoded(&picture, ImageFormat::WebP)),
        ("lossy WebP", fixture("images/lossy.webp")),
        ("animated WebP", animated_webp()),
        ("BMP", encoded(&picture, ImageFormat::Bmp)),
        ("BMP in runs", run_length_bitmap()),
        ("ICO", icon(&[(48, 32, Png::new(RGBA, 8).file())])),
        ("SVG", drawing("")),
    ];
    let named = ["image_empty", "image_unknown", "image_truncated", "image_broken"];
    for (name, file) in whole {
        for tenth in 0..10 {
            let found = outcome(&file[..file.len() * tenth / 10]);
            assert!(
                matches!(found, Refused(code) if named.contains(&code)),
                "{name} at {tenth}0 %: {found:?}"
            );
        }
    }
}

#[test]
fn an_animation_cut_behind_its_first_picture_is_shown() {
    let frame = || Frame { area: [0, 0, 48, 32], disposal: 1, colors: quarter };
    let file = gif(&[frame(), frame()]);
    assert_eq!(outcome(&file[..file.len() - 300]), shows(QUARTERS));
}
