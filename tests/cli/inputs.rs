//! Files that are given as screenshots: which are refused, and how, and which are taken.

use image::{DynamicImage, ImageBuffer, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

use crate::pictures::{declared, drawn, encoded, fixture, png, tide, turned};
use crate::support::Room;

/// The message of a refused file; nothing may be left of the run.
fn refusal(room: &Room, name: &str) -> String {
    let ended = room.run(&["create", name, "--out", "out"]);
    let (code, message) = ended.refusal();
    assert_eq!(code, 3, "{message}");
    assert_eq!((room.path("out").exists(), room.projects()), (false, vec![]));
    message.strip_prefix("facsimile: ").unwrap().to_owned()
}

fn refusal_of(name: &str, bytes: &[u8]) -> String {
    let room = Room::new();
    room.file(name, bytes);
    refusal(&room, name)
}

/// The page's size as its styles say it: a taken picture becomes a page as large as itself.
fn page_size(bytes: &[u8]) -> (u64, u64) {
    let room = Room::new();
    room.file("picture", bytes);
    let ended = room.run(&["create", "picture", "--out", "page"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let traced = room.run(&["trace", "picture"]).json();
    assert!(room.path("page/index.html").is_file());
    (traced["width"].as_u64().unwrap(), traced["height"].as_u64().unwrap())
}

#[test]
fn a_file_that_is_no_picture_is_refused_with_what_is_read() {
    assert_eq!(
        refusal_of("letter.png", b"Dear reader, this is a letter."),
        "letter.png: This is not a picture Facsimile knows. Add a PNG, JPEG, WebP, GIF, BMP, ICO, TIFF or SVG file."
    );
}

#[test]
fn an_empty_file_is_refused() {
    assert_eq!(
        refusal_of("empty.png", b""),
        "empty.png: The file is empty. Save the picture again and add the new file."
    );
}

#[test]
fn a_png_that_was_cut_off_is_refused() {
    let whole = tide();
    assert_eq!(
        refusal_of("half.png", &whole[..whole.len() / 2]),
        "half.png: The PNG file ends before the picture is complete. Copy or download it again."
    );
}

#[test]
fn a_picture_that_declares_more_pixels_than_can_be_read_is_refused() {
    let message = refusal_of("bomb.png", &declared(50_000, 50_000));
    assert!(message.starts_with("bomb.png: The picture says it has 50000 × 50000 pixels;"), "{message}");
    assert!(message.ends_with("Crop it or scale it down."), "{message}");
}

#[test]
fn a_phone_picture_under_a_png_name_is_refused_with_how_to_convert_it() {
    assert_eq!(
        refusal_of("IMG_0001.png", b"\0\0\0\x24ftypheic\0\0\0\0mif1heicmiafMiHB"),
        "IMG_0001.png: This is a HEIC file, which cannot be read here. Open it in Preview, Photos or your viewer \
         and export it as PNG or JPEG."
    );
}

#[test]
fn a_folder_is_refused() {
    let room = Room::new();
    room.file("shots/one.png", png(drawn()));
    assert_eq!(refusal(&room, "shots"), "shots: this is a folder. Choose the pictures in it.");
}

#[test]
fn a_file_that_is_not_there_is_refused() {
    let room = Room::new();
    let message = "nowhere.png: there is no such file. Check the name and the folder.";
    assert_eq!(refusal(&room, "nowhere.png"), message);
}

#[test]
fn one_bad_picture_among_good_ones_refuses_them_all() {
    let room = Room::new();
    room.file("good.png", png(drawn()));
    room.file("bad.png", "");

    let ended = room.run(&["create", "good.png", "bad.png", "--out", "out"]);

    let (code, message) = ended.refusal();
    assert!(code == 3 && message.starts_with("facsimile: bad.png: "), "{code} {message}");
    assert_eq!((room.path("out").exists(), room.projects()), (false, vec![]));
}

#[cfg(unix)]
#[test]
fn a_file_that_this_user_may_not_read_is_refused() {
    let room = Room::new();
    let picture = room.file("secret.png", png(drawn()));
    crate::support::allow(&picture, 0o000);
    let own = room.path("own");
    std::fs::create_dir(&own).unwrap();
    crate::support::allow(&own, 0o777);

    let ended =
        room.run_as_a_plain_user(&["create", "secret.png", "--out", "own/out", "--data-dir", "own/data"]);

    let (code, message) = ended.refusal();
    assert_eq!(code, 3, "{message}");
    assert!(message.starts_with("facsimile: secret.png: it cannot be read (Permission denied"), "{message}");
    assert!(message.ends_with("Check its permissions or copy it to your own folder."), "{message}");
    assert!(!room.path("own/out").exists());
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_refused_without_waiting_for_its_writer() {
    let room = Room::new();
    let made = std::process::Command::new("mkfifo").arg(room.path("pipe.png")).status().unwrap();
    assert!(made.success());
    assert_eq!(
        refusal(&room, "pipe.png"),
        "pipe.png: this is no regular file. Save the picture as a file and choose that."
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_refused_and_one_to_a_picture_is_followed() {
    let room = Room::new();
    room.file("page.png", png(drawn()));
    std::os::unix::fs::symlink("gone.png", room.path("dead.png")).unwrap();
    std::os::unix::fs::symlink("page.png", room.path("alive.png")).unwrap();

    let message = refusal(&room, "dead.png");
    let followed = room.run(&["create", "alive.png", "--out", "page"]);

    assert_eq!(message, "dead.png: there is no such file. Check the name and the folder.");
    assert_eq!(followed.code, Some(0));
}

#[test]
fn one_pixel_becomes_a_page() {
    assert_eq!(page_size(&png(RgbImage::from_pixel(1, 1, Rgb([200, 30, 30])))), (1, 1));
}

#[test]
fn a_line_of_thirty_thousand_pixels_becomes_a_page() {
    assert_eq!(page_size(&png(RgbImage::from_pixel(30_000, 1, Rgb([200, 30, 30])))), (30_000, 1));
}

#[test]
fn a_cmyk_jpeg_becomes_a_page() {
    assert_eq!(page_size(&fixture("images/cmyk-adobe.jpg")), (32, 32));
}

#[test]
fn a_progressive_jpeg_becomes_a_page() {
    assert_eq!(page_size(&fixture("images/progressive.jpg")), (32, 32));
}

#[test]
fn an_interlaced_png_becomes_a_page() {
    assert_eq!(page_size(&fixture("images/interlaced.png")), (32, 32));
}

#[test]
fn a_palette_with_transparency_becomes_a_page() {
    assert_eq!(page_size(&fixture("images/palette-transparent.png")), (32, 32));
}

#[test]
fn a_picture_turned_in_any_of_eight_ways_becomes_an_upright_page() {
    let sizes = [1, 2, 3, 4, 5, 6, 7, 8].map(|orientation| page_size(&turned(orientation)));
    assert_eq!(sizes, [(160, 120); 8]);
}

#[test]
fn a_png_of_sixteen_bits_becomes_a_page() {
    let deep = ImageBuffer::from_fn(40, 30, |x, _| Rgb([x as u16 * 1600, 0x8080, 0xffff]));
    assert_eq!(page_size(&encoded(DynamicImage::ImageRgb16(deep), ImageFormat::Png)), (40, 30));
}

#[test]
fn an_animated_gif_becomes_a_page_of_its_first_picture() {
    let frames = [[255, 0, 0, 255], [0, 0, 255, 255]]
        .map(|color| image::Frame::new(RgbaImage::from_pixel(40, 30, Rgba(color))));
    let mut gif = Vec::new();
    image::codecs::gif::GifEncoder::new(&mut gif).encode_frames(frames).unwrap();
    let room = Room::new();
    room.file("moving.gif", gif);

    let facts = room.run(&["trace", "moving.gif", "--out", "page"]);
    let measured = room.run(&["trace", "moving.gif"]).json();

    assert_eq!(facts.code, Some(0));
    assert_eq!(
        (measured["width"].as_u64(), measured["palette"][0]["hex"].as_str()),
        (Some(40), Some("#ff0000"))
    );
}

#[test]
fn a_transparent_png_becomes_a_page_on_white() {
    let clear = RgbaImage::from_pixel(40, 30, Rgba([0, 0, 0, 0]));
    let room = Room::new();
    room.file("clear.png", encoded(clear, ImageFormat::Png));

    let measured = room.run(&["trace", "clear.png"]).json();

    let created = room.run(&["create", "clear.png", "--out", "page"]).code;
    assert_eq!((created, measured["palette"][0]["hex"].as_str()), (Some(0), Some("#ffffff")));
}
