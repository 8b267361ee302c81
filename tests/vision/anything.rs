//! S-70: whatever comes in, an answer comes out.

use std::sync::OnceLock;

use facsimile_vision::cutting::{PixelBox, Segments, cut};
use facsimile_vision::matte::without_background;
use facsimile_vision::{Layout, Raster, Tracer, Watch, emit};
use image::{DynamicImage, ImageFormat};
use proptest::prelude::*;

use crate::files::{encoded, fixture, quarters};
use crate::tracing::tracer;

/// Small real files of every format, to be damaged.
fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let picture = DynamicImage::ImageRgb8(quarters());
        [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp]
            .map(|format| encoded(&picture, format))
            .into_iter()
            .chain(["images/cmyk-adobe.jpg", "images/animated.webp", "images/interlaced.png"].map(fixture))
            .chain(["images/progressive.jpg", "images/lossy.webp", "images/lossy-alpha.webp"].map(fixture))
            .chain(crate::corpus::one_of_each_handmade_kind())
            .collect()
    })
}

fn traced(tracer: &Tracer, raster: &Raster) -> String {
    let facts = tracer.trace(raster, &mut Watch::silent()).unwrap();
    let html = |layout| emit(&facts, raster, layout, &|_, extension| format!("picture.{extension}")).html;
    html(Layout::Flowing) + &html(Layout::Pinned)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn any_bytes_are_a_picture_or_a_named_refusal(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Err(refused) = Raster::decode(&bytes) {
            prop_assert!(refused.code().starts_with("image_"));
        }
    }

    #[test]
    fn any_damage_is_a_picture_or_a_named_refusal(
        seed in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut file = seed.get(seeds()).clone();
        for (at, value) in changes {
            let at = at.index(file.len());
            file[at] = value;
        }
        if is_cut {
            file.truncate(cut.index(file.len()));
        }
        if let Err(refused) = Raster::decode(&file) {
            prop_assert!(!refused.to_string().is_empty());
        }
    }
}

/// First bytes that make a decoder look at what follows.
const STARTS: [&[u8]; 12] = [
    b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR",
    b"\xff\xd8\xff\xc0\0\x11\x08",
    b"\xff\xd8\xff\xe1\0\x40Exif\0\0MM\0*",
    b"GIF89a",
    b"RIFF\x80\0\0\0WEBPVP8L\x60\0\0\0\x2f",
    b"RIFF\x80\0\0\0WEBPVP8 ",
    b"RIFF\x80\0\0\0WEBPVP8X\x0a\0\0\0",
    b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0",
    b"\0\0\x01\0\x01\0",
    b"II*\0\x08\0\0\0",
    b"MM\0*\0\0\0\x08",
    b"<svg xmlns='http://www.w3.org/2000/svg'",
];

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn any_header_of_any_kind_is_a_picture_or_a_named_refusal(
        start in prop::sample::select(STARTS.as_slice()),
        rest in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        if let Err(refused) = Raster::decode(&[start, &rest].concat()) {
            prop_assert!(refused.code().starts_with("image_"));
        }
    }

    #[test]
    fn any_drawing_is_a_picture_or_a_named_refusal(
        parts in prop::collection::vec((0_usize..9, 0_usize..9, -50.0_f32..5000.0), 0..30),
    ) {
        const NAMES: [&str; 9] = ["g", "use", "rect", "path", "text", "mask", "pattern", "filter", "marker"];
        const FIELDS: [&str; 9] =
            ["width", "height", "opacity", "transform", "fill", "mask", "marker-mid", "filter", "href"];
        let mut page = "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='48'>".to_owned();
        for (at, (name, field, number)) in parts.iter().enumerate() {
            let value = match field {
                0..=2 => format!("{number}"),
                3 => format!("scale({number}) rotate({number})"),
                8 => format!("#n{}", number.abs() as usize % 30),
                _ => format!("url(#n{})", number.abs() as usize % 30),
            };
            let name = NAMES[*name];
            let size = format!("id='n{at}' d='M0 0L{number} 9L9 {number}z' x='1' y='1'");
            // Every third element stays open and holds those after it.
            let end = if at % 3 == 0 { String::new() } else { format!("</{name}>") };
            page += &format!("<{name} {size} {}='{value}'><rect width='9' height='{number}'/>{end}", FIELDS[*field]);
        }
        for (at, (name, ..)) in parts.iter().enumerate().rev() {
            if at % 3 == 0 {
                page += &format!("</{}>", NAMES[*name]);
            }
        }
        page += "</svg>";
        if let Err(refused) = Raster::decode(page.as_bytes()) {
            prop_assert!(refused.code().starts_with("image_"));
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn any_pixels_are_cut_and_cleared(
        width in 1_u32..90,
        height in 1_u32..90,
        few in prop::collection::vec(any::<[u8; 3]>(), 1..4),
        noise in prop::collection::vec(any::<u8>(), 90 * 90),
        block in 1_u32..30,
        named in any::<[f64; 4]>(),
        near in prop::array::uniform4(-50.0..1050.0_f64),
    ) {
        let rgb = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x / block, y / block)))
            .flat_map(|(x, y)| few[usize::from(noise[(y * 90 + x) as usize]) % few.len()])
            .collect();
        let raster = Raster::from_rgb(width, height, rgb).unwrap();
        let segments = Segments::of(&raster);
        let rough = [named, near].into_iter().filter_map(|edges| PixelBox::from_thousandths(edges, width, height));
        let areas = rough
            .flat_map(|rough| [Some(rough), segments.snap(rough)])
            .flatten()
            .chain(segments.candidates().into_iter().map(|candidate| candidate.area));
        for area in areas {
            prop_assert_eq!(area.within(width, height), area);
            let cutout = cut(&raster, area);
            prop_assert_eq!((cutout.width(), cutout.height()), (area.width, area.height));
        }
        if let Ok(cutout) = without_background(&raster) {
            prop_assert_eq!((cutout.width(), cutout.height()), (width, height));
        }
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn any_pixels_are_traced(
        width in 1_u32..70,
        height in 1_u32..70,
        few in prop::collection::vec(any::<[u8; 3]>(), 1..5),
        noise in prop::collection::vec(any::<u8>(), 70 * 70),
        block in 1_u32..9,
    ) {
        // Blocks of few colours make boxes, rules and ragged shapes; noise of single pixels makes detail.
        let rgb = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x / block, y / block)))
            .flat_map(|(x, y)| few[usize::from(noise[(y * 70 + x) as usize]) % few.len()])
            .collect();
        let raster = Raster::from_rgb(width, height, rgb).unwrap();
        let html = traced(tracer(), &raster);
        prop_assert!(html.ends_with("</html>\n"));
    }
}
