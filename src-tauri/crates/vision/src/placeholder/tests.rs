use super::*;

fn png(placeholder: &Placeholder) -> image::RgbaImage {
    image::load_from_memory(&placeholder.to_png().unwrap()).unwrap().into_rgba8()
}

#[test]
fn size_is_the_asked_one_or_the_nearest_possible() {
    let found = [(640, 360), (1, 1), (0, 0), (7, 900), (40_000, 10_000), (5000, 5000)]
        .map(|(width, height)| png(&Placeholder::new("a barn", width, height)).dimensions());
    assert_eq!(found, [(640, 360), (1, 1), (1, 1), (7, 900), (4096, 1024), (2828, 2828)]);
}

#[test]
fn same_words_give_the_same_file_and_others_another() {
    let file = |prompt| Placeholder::new(prompt, 320, 200).to_png().unwrap();
    assert!(file("a red  barn\n") == file("a red barn") && file("a red barn") != file("a blue barn"));
}

#[test]
fn the_file_says_that_it_is_a_placeholder_and_what_for() {
    let file = Placeholder::new("Zürich im Schnee, 雪", 300, 200).to_png().unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
    let info = reader.info();
    let mark: Vec<_> = info.uncompressed_latin1_text.iter().map(|chunk| chunk.keyword.as_str()).collect();
    let words: Vec<_> = info.utf8_text.iter().map(|chunk| chunk.get_text().unwrap()).collect();
    assert_eq!((mark, words), (vec!["Placeholder"], vec!["Zürich im Schnee, 雪".to_owned()]));
    let picture = Raster::decode(&file).unwrap().to_png().unwrap();
    assert_eq!(
        [file.as_slice(), &picture, b"", b"\x89PNG\r\n\x1a\n\0\0\0"].map(is_placeholder),
        [true, false, false, false]
    );
}

#[test]
fn colours_are_the_pages() {
    let page = Raster::from_rgb(2, 1, vec![200, 30, 40, 200, 30, 40]).unwrap();
    let red = png(&Placeholder::new("", 200, 200).in_colors(&palette_of(&page)));
    let grey = png(&Placeholder::new("", 200, 200).in_colors(&[]));
    let corner = |picture: &image::RgbaImage| picture.get_pixel(199, 0).0;
    assert_eq!(corner(&red), [200, 30, 40, 255]);
    let [r, g, b, _] = corner(&grey);
    assert!(r.abs_diff(g) < 12 && g.abs_diff(b) < 12, "{r} {g} {b}");
}

#[test]
fn a_clear_backdrop_leaves_the_corners_transparent() {
    let picture = png(&Placeholder::new("a mug", 240, 160).on(Backdrop::Clear));
    let opacity = [(0, 0), (239, 159), (120, 80)].map(|(x, y)| picture.get_pixel(x, y).0[3]);
    assert_eq!(opacity, [0, 0, 255]);
}

#[test]
fn long_words_stay_on_the_plate() {
    let picture =
        png(&Placeholder::new(&"Pneumonoultramicroscopicsilicovolcanoconiosis".repeat(9), 300, 200));
    // The right margin is as if nothing was written.
    let plain = png(&Placeholder::new(&"Pneumonoultramicroscopicsilicovolcanoconiosis".repeat(9), 300, 30));
    assert_eq!((picture.dimensions(), plain.dimensions()), ((300, 200), (300, 30)));
    let dark =
        (0..200).filter(|&y| picture.get_pixel(299, y).0[..3].iter().all(|channel| *channel < 60)).count();
    assert_eq!(dark, 0);
}

#[test]
fn a_large_placeholder_is_a_small_file() {
    let file = Placeholder::new("Mountains at dawn with a lake in front", 1536, 1024).to_png().unwrap();
    assert!(file.len() < 120_000, "{}", file.len());
}

#[test]
fn what_is_too_small_for_words_is_crossed_out_on_any_ground() {
    for ground in [[250, 250, 250], [10, 52, 65]] {
        let picture = png(&Placeholder::new("icon", 24, 24).in_colors(&[ground; 5]));
        let differs = |x: u32, y: u32| {
            let found = picture.get_pixel(x, y).0;
            found.iter().zip(ground).map(|(a, b)| a.abs_diff(b)).max().unwrap() > 60
        };
        let crossed = [(0, 12), (12, 0), (6, 6), (6, 17), (11, 11), (17, 6)].map(|(x, y)| differs(x, y));
        assert_eq!((crossed, differs(12, 5)), ([true; 6], false), "{ground:?}");
    }
}

#[test]
fn the_plate_leaves_most_of_the_picture_free() {
    for (width, height) in [(96, 96), (220, 140), (640, 420), (1280, 360), (160, 600)] {
        let words = "A potter's hands shaping a bowl on a wheel, soft morning light from the left";
        let picture = png(&Placeholder::new(words, width, height).in_colors(&[[90, 110, 80]; 5]));
        let plate = picture.pixels().filter(|pixel| pixel.0 == [255; 4]).count();
        let share = plate as f64 / f64::from(width * height);
        assert!((0.02..0.4).contains(&share), "{width} x {height}: {share:.2}");
    }
}
