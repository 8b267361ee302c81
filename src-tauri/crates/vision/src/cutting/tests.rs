use image::{Rgb, RgbImage};

use super::*;

fn raster(picture: &RgbImage) -> Raster {
    Raster::from_rgb(picture.width(), picture.height(), picture.as_raw().clone()).unwrap()
}

fn at(x: u32, y: u32, width: u32, height: u32) -> PixelBox {
    PixelBox { x, y, width, height }
}

#[test]
fn thousandths_become_pixels_with_at_least_one() {
    let of = |edges| PixelBox::from_thousandths(edges, 200, 100);
    assert_eq!(
        [
            of([100.0, 250.0, 500.0, 750.0]),
            of([500.0, 750.0, 100.0, 250.0]),
            of([-50.0, -9.0, 2000.0, 1e12]),
            of([500.0, 500.0, 500.4, 500.1]),
            of([1000.0, 1000.0, 1000.0, 1000.0]),
            of([f64::NAN, 0.0, 1.0, 1.0]),
        ],
        [
            Some(at(50, 10, 100, 40)),
            Some(at(50, 10, 100, 40)),
            Some(at(0, 0, 200, 100)),
            Some(at(100, 50, 1, 1)),
            Some(at(199, 99, 1, 1)),
            None,
        ]
    );
    assert_eq!(PixelBox::from_thousandths([0.0, 0.0, 1.0, 1.0], 0, 5), None);
}

#[test]
fn a_box_is_held_inside_the_picture() {
    assert_eq!(at(190, 5, 50, 500).within(200, 100), at(190, 5, 10, 95));
    assert_eq!(at(u32::MAX, 900, u32::MAX, 1).within(200, 100), at(199, 99, 1, 1));
}

/// A picture that no region holds: waves of many colours.
fn photo(x: u32, y: u32) -> [u8; 3] {
    let wave = |a: f32, b: f32| (127.0 + 60.0 * ((x as f32 * a).sin() + (y as f32 * b).cos())) as u8;
    [wave(0.21, 0.13), wave(0.07, 0.31), wave(0.17, 0.05)]
}

/// A white page with a photo, a round avatar, a star-like icon, a line of bars that looks like text, and a card.
fn page() -> RgbImage {
    let mut page = RgbImage::from_pixel(800, 600, Rgb([255; 3]));
    let mut put = |x: u32, y: u32, color: [u8; 3]| page.put_pixel(x, y, Rgb(color));
    for y in 0..600_u32 {
        for x in 0..800_u32 {
            let round = 40.0 - (x as f32 + 0.5 - 600.0).hypot(y as f32 + 0.5 - 120.0);
            let icon = 14.0 - ((x as f32 - 400.0).abs() + (y as f32 - 400.0).abs());
            let is_in_line = (60..260).contains(&x) && (500..512).contains(&y);
            let letter = is_in_line && (x / 4) % 2 == 0 && (x + y) % 7 != 0;
            if (50..350).contains(&x) && (60..260).contains(&y) {
                put(x, y, photo(x, y));
            } else if round > 0.0 {
                let share = round.min(1.0);
                put(
                    x,
                    y,
                    photo(x, y).map(|channel| (255.0 + share * (f32::from(channel) - 255.0)).round() as u8),
                );
            } else if icon > 0.0 && !(x > 396 && x < 404 && y > 396 && y < 404) {
                put(x, y, [30, 90, 200]);
            } else if letter {
                put(x, y, [20; 3]);
            } else if (500..760).contains(&x) && (300..540).contains(&y) {
                put(x, y, [236, 240, 246]);
            }
        }
    }
    page
}

#[test]
fn candidates_are_the_pictures_and_not_the_text() {
    let raster = raster(&page());
    let found: Vec<_> =
        Segments::of(&raster).candidates().into_iter().map(|found| (found.kind, found.area)).collect();
    assert_eq!(
        found,
        [
            (CandidateKind::Photo, at(50, 60, 300, 200)),
            (CandidateKind::Photo, at(560, 80, 80, 80)),
            (CandidateKind::Icon, at(387, 387, 27, 27)),
        ]
    );
}

#[test]
fn rough_boxes_find_their_things() {
    let raster = raster(&page());
    let segments = Segments::of(&raster);
    let found = [
        at(30, 75, 340, 170),
        at(545, 95, 110, 60),
        at(380, 380, 50, 40),
        at(480, 310, 270, 245),
        at(395, 395, 1, 1),
    ]
    .map(|rough| segments.snap(rough));
    assert_eq!(
        found,
        [
            Some(at(50, 60, 300, 200)),
            Some(at(560, 80, 80, 80)),
            Some(at(387, 387, 27, 27)),
            Some(at(500, 300, 260, 240)),
            Some(at(387, 387, 27, 27)),
        ]
    );
}

#[test]
fn a_box_over_nothing_finds_nothing() {
    let raster = raster(&page());
    let segments = Segments::of(&raster);
    assert_eq!([at(100, 400, 150, 40), at(799, 599, 1, 1)].map(|rough| segments.snap(rough)), [None; 2]);
}

#[test]
fn a_part_of_a_picture_keeps_its_edges_where_there_are_no_others() {
    let raster = raster(&RgbImage::from_fn(400, 300, |x, y| Rgb(photo(x, y))));
    let found = Segments::of(&raster).snap(at(100, 100, 120, 90)).unwrap();
    assert!(found.x.abs_diff(100) <= 12 && found.width.abs_diff(120) <= 24, "{found:?}");
}

fn on(cutout: &crate::matte::Cutout, ground: [u8; 3]) -> RgbImage {
    RgbImage::from_fn(cutout.width(), cutout.height(), |x, y| {
        let [r, g, b, opacity] = cutout.pixels().get_pixel(x, y).0;
        let [r, g, b] = [(r, ground[0]), (g, ground[1]), (b, ground[2])].map(|(own, behind)| {
            let share = f32::from(opacity) / 255.0;
            (f32::from(behind) + share * (f32::from(own) - f32::from(behind))).round() as u8
        });
        Rgb([r, g, b])
    })
}

fn farthest(a: &RgbImage, b: &RgbImage) -> u8 {
    a.as_raw().iter().zip(b.as_raw()).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

/// A ring with soft edges and a dot, in one ink.
fn sign(ink: [u8; 3], ground: [u8; 3]) -> RgbImage {
    RgbImage::from_fn(60, 60, |x, y| {
        let far = (x as f32 + 0.5 - 30.2).hypot(y as f32 + 0.5 - 29.6);
        let ring = (2.4 - (far - 12.0).abs()).clamp(-0.5, 0.5) + 0.5;
        let dot = (3.0 - far).clamp(-0.5, 0.5) + 0.5;
        let share = ring.max(dot);
        let mix = |c: usize| {
            (f32::from(ground[c]) + share * (f32::from(ink[c]) - f32::from(ground[c]))).round() as u8
        };
        Rgb([mix(0), mix(1), mix(2)])
    })
}

#[test]
fn an_icon_on_a_flat_colour_becomes_transparent_and_is_itself_again_on_that_colour() {
    for (ink, ground) in [
        ([20, 20, 20], [255; 3]),
        ([255; 3], [13, 110, 253]),
        ([255, 193, 7], [33, 37, 41]),
        ([108, 117, 125], [248, 249, 250]),
        ([220, 53, 69], [0, 0, 0]),
    ] {
        let page = sign(ink, ground);
        let cutout = cut(&raster(&page), at(14, 14, 32, 32));
        let source = image::imageops::crop_imm(&page, 14, 14, 32, 32).to_image();
        let opacity = |x, y| cutout.pixels().get_pixel(x, y).0[3];
        // The corner, between dot and ring, and the dot.
        assert_eq!([opacity(0, 0), opacity(16, 8), opacity(16, 16)], [0, 0, 255], "{ink:?} on {ground:?}");
        assert!(farthest(&on(&cutout, ground), &source) <= 2, "{ink:?} on {ground:?}");
        // On another colour the edges show ink and that colour only.
        let moved = on(&cutout, [90, 0, 90]);
        let wanted = image::imageops::crop_imm(&sign(ink, [90, 0, 90]), 14, 14, 32, 32).to_image();
        let far = farthest(&moved, &wanted);
        assert!(far <= 14, "{ink:?} from {ground:?}: {far}");
    }
}

#[test]
fn a_round_photo_loses_its_corners_only() {
    let page = page();
    let cutout = cut(&raster(&page), at(560, 80, 80, 80));
    let source = image::imageops::crop_imm(&page, 560, 80, 80, 80).to_image();
    let clear = cutout.pixels().pixels().filter(|pixel| pixel.0[3] == 0).count();
    assert!((1200..1400).contains(&clear) && !cutout.is_opaque(), "{clear}");
    assert!(farthest(&on(&cutout, [255; 3]), &source) <= 2);
    assert_eq!(cutout.pixels().get_pixel(40, 40).0[3], 255);
}

#[test]
fn a_photo_with_patches_of_the_pages_colour_stays_whole() {
    let mut page = page();
    for (x, y) in (120..200).flat_map(|x| (60..120).map(move |y| (x, y))) {
        page.put_pixel(x, y, Rgb([255; 3]));
    }
    assert!(cut(&raster(&page), at(50, 60, 300, 200)).is_opaque());
}

#[test]
fn a_part_of_a_photo_and_a_whole_page_are_opaque() {
    let raster = raster(&RgbImage::from_fn(100, 80, |x, y| Rgb(photo(x, y))));
    let cutouts = [at(20, 20, 30, 30), at(0, 0, 100, 80), at(99, 79, 50, 50)].map(|area| cut(&raster, area));
    let shown = cutouts.map(|cutout| (cutout.width(), cutout.height(), cutout.is_opaque()));
    assert_eq!(shown, [(30, 30, true), (100, 80, true), (1, 1, true)]);
}

#[test]
fn tiny_pictures_have_segments_too() {
    for (width, height) in [(1, 1), (1, 40), (40, 1), (2, 3)] {
        let raster = raster(&RgbImage::from_fn(width, height, |x, y| Rgb([(x * 5) as u8, (y * 5) as u8, 0])));
        let segments = Segments::of(&raster);
        let snapped = segments.snap(at(0, 0, width, height));
        assert!(snapped.is_none_or(|area| area.within(width, height) == area), "{snapped:?}");
        assert!(segments.candidates().len() <= 1);
    }
}
