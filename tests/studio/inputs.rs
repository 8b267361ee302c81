//! Taking pictures in: what is kept, what is refused and under which word.

use std::fs::{self, File};
use std::path::Path;

use facsimile_agent::{ErrorKind, RunStatus};
use facsimile_studio::samples::{SAMPLES, sample};
use facsimile_studio::{InputRefused, Studio, StudioError, TakenInput};
use image::{Rgb, RgbImage};
use tempfile::TempDir;

use crate::support::{drawn, png, request, studio, taken};

fn refused(studio: &Studio, path: &Path) -> (&'static str, String) {
    match studio.add_file(path).unwrap_err() {
        StudioError::Input(refused) => (refused.code(), refused.to_string()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_picture_is_kept_as_it_came_under_its_name() {
    let studio = studio();
    let bytes = drawn();
    let size = bytes.len() as u64;

    let input = studio.add_picture("my page.png", bytes.clone()).unwrap();

    let wanted =
        TakenInput { id: input.id, name: "my page.png".into(), width_px: 160, height_px: 120, bytes: size };
    let kept = studio.store().inputs().get(input.id).unwrap();
    assert_eq!(input, wanted);
    assert_eq!((kept.mime.as_str(), kept.project, kept.bytes), ("image/png", None, size));
    assert_eq!(studio.store().assets().read(&kept.asset).unwrap(), bytes);
}

// S-40
#[tokio::test]
async fn content_decides_whatever_the_name_says() {
    let studio = studio();
    let picture = image::DynamicImage::ImageRgb8(RgbImage::from_pixel(8, 8, Rgb([9, 99, 199])));
    let kinds =
        [image::ImageFormat::Png, image::ImageFormat::Jpeg, image::ImageFormat::Gif, image::ImageFormat::Bmp];
    for (kind, name) in
        kinds.into_iter().flat_map(|kind| ["a.png", "a.jpg", "a.gif", "a.heic", "a"].map(|name| (kind, name)))
    {
        let mut file = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut file, kind).unwrap();
        let input = studio.add_picture(name, file.into_inner()).unwrap();
        assert_eq!(studio.store().inputs().get(input.id).unwrap().mime, kind.to_mime_type(), "{name}");
    }
}

#[tokio::test]
async fn a_drawing_is_kept_as_the_picture_it_shows() {
    let studio = studio();
    let drawing =
        b"<svg xmlns='http://www.w3.org/2000/svg' width='6' height='4'><script>alert(1)</script></svg>";

    let input = studio.add_picture("logo.svg", drawing.to_vec()).unwrap();

    let kept = studio.store().inputs().get(input.id).unwrap();
    let bytes = studio.store().assets().read(&kept.asset).unwrap();
    let shown = image::load_from_memory(&bytes).unwrap();
    let found = (kept.mime.as_str(), input.bytes, shown.width(), shown.height());
    assert_eq!(found, ("image/png", bytes.len() as u64, 6, 4));
}

#[tokio::test]
async fn one_picture_given_twice_is_two_inputs_and_stored_once() {
    let studio = studio();

    let ids = ["a.png", "b.png"].map(|name| taken(&studio, name, drawn()));

    let assets = ids.map(|id| studio.store().inputs().get(id).unwrap().asset);
    assert!(ids[0] != ids[1] && assets[0] == assets[1]);
}

#[tokio::test]
async fn what_is_no_input_is_refused_under_a_word_of_its_own() {
    let studio = studio();
    let room = TempDir::new().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = room.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let places = [
        room.path().join("gone.png"),
        room.path().to_owned(),
        file("empty.png", b""),
        file("letter.png", b"Dear reader"),
        file("cut.png", &drawn()[..60]),
        file("phone.png", b"\0\0\0\x24ftypheic\0\0\0\0mif1heic"),
    ];

    let codes = places.each_ref().map(|path| refused(&studio, path).0);

    assert_eq!(
        codes,
        ["not_there", "folder", "image_empty", "image_unknown", "image_truncated", "image_unsupported"]
    );
}

#[tokio::test]
async fn a_file_beyond_all_measure_is_refused_without_being_read_whole() {
    let room = TempDir::new().unwrap();
    let path = room.path().join("huge.png");
    fs::write(&path, drawn()).unwrap();
    // Nearly all of it is a hole; reading it whole would take more memory than there is.
    File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();

    let (code, message) = refused(&studio(), &path);

    assert_eq!(code, "image_file_too_large");
    assert!(message.starts_with("huge.png: The file has 41 MiB; at most 40 MiB can be read."), "{message}");
}

#[cfg(unix)]
#[tokio::test]
async fn devices_pipes_and_sockets_are_no_pictures() {
    let room = TempDir::new().unwrap();
    let socket = room.path().join("socket.png");
    let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let studio = studio();

    for path in [socket.as_path(), Path::new("/dev/zero")] {
        assert_eq!(refused(&studio, path).0, "no_regular_file", "{}", path.display());
    }
}

#[tokio::test]
async fn a_refusal_carries_its_kind_and_its_next_step_to_the_window() {
    let refused = InputRefused::NotThere { name: "gone.png".into() };

    let failure = StudioError::from(refused).failure();

    assert_eq!(failure.kind, ErrorKind::InputRefused);
    assert_eq!(failure.message, "gone.png: there is no such file. Check the name and the folder.");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_pictures_make_ten_pages_and_an_eleventh_is_refused() {
    let studio = studio();
    let input = |number: u8| {
        taken(&studio, &format!("{number}.png"), png(&RgbImage::from_pixel(20, 20, Rgb([number, 0, 0]))))
    };
    let inputs: Vec<_> = (1..=11).map(input).collect();

    let refused = studio.start_run(request(&inputs, 1)).unwrap_err().to_string();
    let run = studio.start_run(request(&inputs[..10], 1)).unwrap().run;

    let report = studio.ended(run).await.unwrap();
    let pages = report.variants[0].files.iter().filter(|(path, _)| path.extension() == Some("html")).count();
    assert_eq!((report.state, pages), (RunStatus::Succeeded, 10));
    assert_eq!(refused, "11 pictures are too many; a project takes up to 10, so leave some out");
}

#[tokio::test]
async fn every_sample_is_found_by_its_id_and_can_be_taken_in() {
    let studio = studio();
    for offered in SAMPLES {
        assert_eq!(sample(offered.id), Some(&offered));
        taken(&studio, offered.file_name, offered.png.to_vec());
    }
    assert_eq!(sample("unknown"), None);
}
