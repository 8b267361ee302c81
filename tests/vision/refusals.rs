//! Files that are refused, and what is said about them.

use facsimile_vision::{ImageRefused, Raster};
use image::{DynamicImage, ImageFormat, RgbImage};

use crate::files::{declared_png, encoded, fixture, png, quarters};

fn code(bytes: &[u8]) -> &'static str {
    Raster::decode(bytes).map_or_else(|refused| refused.code(), |_| "picture")
}

#[test]
fn nothing_and_nearly_nothing_are_no_pictures() {
    let found =
        [b"".as_slice(), b"x", b"\x89", b"BM", b"hello, this is a letter", b"\0\0\0\0\0\0\0\0"].map(code);
    assert_eq!(
        found,
        ["image_empty", "image_unknown", "image_unknown", "image_unknown", "image_unknown", "image_unknown"]
    );
}

#[test]
fn known_but_unread_formats_say_how_to_convert() {
    let files: [(&[u8], &str); 6] = [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avif", "AVIF"),
        (b"\xff\x0a\xfa\x1f", "JPEG XL"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL"),
        (b"%PDF-1.7", "PDF"),
        (b"II+\0\x08\0\0\0", "BigTIFF"),
    ];
    for (bytes, name) in files {
        let refused = Raster::decode(bytes).unwrap_err();
        let message = refused.to_string();
        assert_eq!(refused.code(), "image_unsupported", "{name}");
        assert!(message.contains(name) && message.contains("PNG"), "{message}");
    }
}

#[test]
fn png_cut_anywhere_is_refused() {
    let file = fixture("pages/sb2-login.png");
    for tenth in 0..10 {
        let cut = &file[..(file.len() * tenth / 10).max(16)];
        assert_eq!(code(cut), "image_truncated", "at {tenth}0 %");
    }
    assert_eq!(code(&file[..file.len() - 1]), "picture", "only the last checksum byte is missing");
    assert_eq!(code(&file[..file.len() - 12]), "image_truncated", "without the end mark");
}

#[test]
fn jpeg_cut_anywhere_is_refused() {
    for file in [
        encoded(&DynamicImage::ImageRgb8(quarters()), ImageFormat::Jpeg),
        fixture("images/progressive.jpg"),
        fixture("images/cmyk-adobe.jpg"),
    ] {
        for tenth in 1..10 {
            let found = code(&file[..file.len() * tenth / 10]);
            assert!(["image_truncated", "image_broken"].contains(&found), "{found} at {tenth}0 %");
        }
    }
}

#[test]
fn other_formats_cut_anywhere_end_in_a_name() {
    for format in [ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp] {
        let file = encoded(&DynamicImage::ImageRgb8(quarters()), format);
        for at in 0..file.len() {
            let found = code(&file[..at]);
            let named = ["image_empty", "image_unknown", "image_truncated", "image_broken", "picture"];
            assert!(named.contains(&found), "{format:?} at {at}: {found}");
        }
    }
}

#[test]
fn declared_size_is_refused_before_anything_is_made() {
    let refused = Raster::decode(&declared_png(50_000, 50_000)).unwrap_err();
    assert!(matches!(refused, ImageRefused::TooManyPixels { width: 50_000, height: 50_000 }));
    let message = refused.to_string();
    assert!(message.contains("50000 × 50000") && message.contains("50 megapixels"), "{message}");
}

#[test]
fn long_side_and_area_have_limits_of_their_own() {
    let found = [(32_768, 1), (10_000, 5_001), (u32::MAX, u32::MAX), (0, 5)]
        .map(|(width, height)| code(&declared_png(width, height)));
    assert_eq!(found[..2], ["image_too_many_pixels"; 2]);
    assert!(found[2..].iter().all(|code| *code != "picture"), "{found:?}");
}

#[test]
fn huge_canvas_of_a_tiny_gif_is_refused() {
    let gif = b"GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    assert_eq!(code(gif), "image_too_many_pixels");
}

#[test]
fn file_beyond_the_limit_is_refused_unread() {
    let mut file = png(RgbImage::new(1, 1));
    file.resize(facsimile_vision::raster::MAX_FILE_BYTES + 1, 0);
    let message = Raster::decode(&file).unwrap_err().to_string();
    assert!(message.contains("41 MiB") && message.contains("40 MiB"), "{message}");
}

#[test]
fn damaged_content_is_named() {
    let mut file = png(quarters());
    let middle = file.len() / 2;
    file[middle..middle + 8].fill(0x55);
    let refused = Raster::decode(&file).unwrap_err();
    assert!(refused.to_string().contains("Png"), "{refused}");
    assert_eq!(refused.code(), "image_broken");
}

#[test]
fn name_of_a_file_does_not_help_foreign_content() {
    // A phone picture renamed to .png arrives as its bytes only.
    assert_eq!(code(b"\0\0\0\x24ftypheix\0\0\0\0mif1heixmiafMiHBmiaf"), "image_unsupported");
}
