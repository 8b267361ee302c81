//! Files that stop before their end.

use image::{DynamicImage, ExtendedColorType, ImageFormat};

use super::jpeg::{Inks, Jpeg};
use super::others::{Frame, animated_webp, drawing, gif, icon, quarter, run_length_bitmap};
use super::png::{Png, RGB, RGBA};
use super::{Outcome::Refused, QUARTERS, outcome, shows, tiff};
use crate::files::{encoded, fixture, quarters};

#[test]
fn every_kind_cut_at_every_tenth_is_refused() {
    let picture = DynamicImage::ImageRgb8(quarters());
    let whole: [(&str, Vec<u8>); 14] = [
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
        ("TIFF", tiff(&quarters(), ExtendedColorType::Rgb8)),
        ("TIFF with its pixels last", tiff_with_pixels_last()),
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

/// A TIFF whose directory stands before its pixels, as cameras write it: two strips, each of half the picture.
fn tiff_with_pixels_last() -> Vec<u8> {
    const SHORT: u16 = 3;
    const LONG: u16 = 4;
    let (entries, strip) = (10_u32, 48 * 16 * 3_u32);
    let depths = 8 + 2 + entries * 12 + 4;
    let (offsets, lengths) = (depths + 6, depths + 14);
    let pixels = lengths + 8;
    let directory = [
        (256, SHORT, 1, 48),
        (257, SHORT, 1, 32),
        (258, SHORT, 3, depths),
        (259, SHORT, 1, 1),
        (262, SHORT, 1, 2),
        (273, LONG, 2, offsets),
        (277, SHORT, 1, 3),
        (278, SHORT, 1, 16),
        (279, LONG, 2, lengths),
        (284, SHORT, 1, 1),
    ];
    let mut file = b"II*\0\x08\0\0\0".to_vec();
    file.extend((entries as u16).to_le_bytes());
    for (tag, kind, count, value) in directory {
        file.extend(u16::to_le_bytes(tag));
        file.extend(u16::to_le_bytes(kind));
        file.extend([u32::to_le_bytes(count), u32::to_le_bytes(value)].concat());
    }
    file.extend([0; 4]);
    file.extend([8_u16; 3].map(u16::to_le_bytes).concat());
    file.extend([pixels, pixels + strip, strip, strip].map(u32::to_le_bytes).concat());
    file.extend(quarters().as_raw());
    file
}

#[test]
fn a_tiff_with_its_pixels_last_is_a_picture_while_it_is_whole() {
    assert_eq!(outcome(&tiff_with_pixels_last()), shows(QUARTERS));
}
