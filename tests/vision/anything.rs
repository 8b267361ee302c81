//! Whatever comes in, an answer comes out.

use std::sync::OnceLock;

use facsimile_vision::{Raster, Tracer, Watch, emit};
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
            .collect()
    })
}

fn traced(tracer: &Tracer, raster: &Raster) -> String {
    let facts = tracer.trace(raster, &mut Watch::silent()).unwrap();
    emit(&facts, raster, &|_, extension| format!("picture.{extension}")).html
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
