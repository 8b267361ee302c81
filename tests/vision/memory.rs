//! How much memory the largest pictures take, measured in a process of their own.

#![cfg(target_os = "linux")]

use std::process::Command;

use facsimile_vision::cutting::{PixelBox, Segments};
use facsimile_vision::fidelity::{Geometry, Line, PaintedBox, Reading, Side, difference_map, measure};
use facsimile_vision::matte::without_background;
use facsimile_vision::{Raster, Watch};
use image::RgbImage;

const FILE: &str = "FACSIMILE_TEST_LARGE_PICTURE";
const ALONE: &str = "FACSIMILE_TEST_ALONE";
const MOST_KIB: u64 = 1_000_000;

/// A PNG of 50 million pixels of 16 bits in four channels, to be turned by a quarter.
fn largest() -> Vec<u8> {
    let (width, height) = (10_000, 5_000);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.set_compression(png::Compression::Fastest);
    let mut writer = encoder.write_header().unwrap();
    writer.write_chunk(png::chunk::eXIf, &crate::files::exif(6)).unwrap();
    let mut stream = writer.stream_writer().unwrap();
    let row = [0x80, 0x80, 0x10, 0x10, 0x20, 0x20, 0xff, 0xff].repeat(width as usize);
    for _ in 0..height {
        std::io::Write::write_all(&mut stream, &row).unwrap();
    }
    stream.finish().unwrap();
    drop(writer);
    file
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// What a test says that runs alone in a process of its own with this environment.
fn said_alone(name: &str, (key, value): (&str, &std::ffi::OsStr)) -> Vec<u64> {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(key, value)
        .output()
        .unwrap();
    let said = String::from_utf8(child.stdout).unwrap();
    let (_, words) = said.lines().find_map(|line| line.split_once(key)).unwrap();
    words.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

// S-40
#[test]
fn the_largest_picture_stays_below_a_gigabyte() {
    if let Some(path) = std::env::var_os(FILE) {
        let raster = Raster::decode(&std::fs::read(path).unwrap()).unwrap();
        println!("{FILE} {} {} {}", raster.width(), raster.height(), peak_kib());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.png");
    std::fs::write(&path, largest()).unwrap();
    let said = said_alone("memory::the_largest_picture_stays_below_a_gigabyte", (FILE, path.as_os_str()));
    assert!(said[..2] == [5000, 10000] && said[2] < MOST_KIB, "{said:?}");
}

/// White with a grain, and a dark frame near its edges.
fn framed() -> Raster {
    let (width, height) = (10_000, 5_000);
    let (row, shifts) = (3 * width as usize, 997);
    let grain = |at: u32| 250 + ((at.wrapping_mul(2_654_435_761) >> 24) % 5) as u8;
    let grained: Vec<u8> = (0..width + shifts).flat_map(|at| [grain(at); 3]).collect();
    let mut rgb = Vec::with_capacity(row * height as usize);
    for y in 0..height {
        let shift = 3 * (y * 31 % shifts) as usize;
        let start = rgb.len();
        rgb.extend_from_slice(&grained[shift..shift + row]);
        let is_across = (50..80).contains(&y.min(height - 1 - y));
        let is_beside = (80..height - 80).contains(&y);
        let sides = [150..240, if is_across { 240..row - 150 } else { row - 240..row - 150 }];
        for side in sides.into_iter().filter(|_| is_across || is_beside) {
            rgb[start + side.start..start + side.end].fill(20);
        }
    }
    Raster::from_rgb(width, height, rgb).unwrap()
}

// S-70
#[test]
fn taking_a_large_background_away_stays_below_a_gigabyte() {
    if std::env::var_os(ALONE).is_some() {
        let cutout = without_background(&framed()).unwrap();
        let opacity = |x, y| u64::from(cutout.pixels().get_pixel(x, y).0[3]);
        println!("{ALONE} {} {} {} {}", opacity(9, 9), opacity(65, 99), opacity(5000, 2500), peak_kib());
        return;
    }
    let name = "memory::taking_a_large_background_away_stays_below_a_gigabyte";
    let said = said_alone(name, (ALONE, "1".as_ref()));
    assert!(said[..3] == [0, 255, 0] && said[3] < MOST_KIB, "{said:?}");
}

// S-70
#[test]
fn naming_half_of_a_large_picture_takes_no_more_than_looking_at_it() {
    if std::env::var_os(ALONE).is_some() {
        let (width, height) = (10_000, 5_000);
        let raster = Raster::from_rgb(width, height, vec![200; 3 * 50_000_000]).unwrap();
        let segments = Segments::of(&raster);
        let looked = peak_kib();
        let found = segments.snap(PixelBox { x: 0, y: 0, width, height: 2_450 });
        println!("{ALONE} {} {looked} {}", u64::from(found.is_none()), peak_kib());
        return;
    }
    let name = "memory::naming_half_of_a_large_picture_takes_no_more_than_looking_at_it";
    let said = said_alone(name, (ALONE, "1".as_ref()));
    assert!(said[0] == 1 && said[1] < MOST_KIB && said[2] < said[1] + 20_000, "{said:?}");
}

// S-40
#[test]
fn no_file_of_the_corpus_takes_a_gigabyte() {
    if std::env::var_os(ALONE).is_some() {
        let files = crate::corpus::every_file();
        let pictures = files.iter().filter(|file| Raster::decode(file).is_ok()).count();
        println!("{ALONE} {} {pictures} {}", files.len(), peak_kib());
        return;
    }
    let said = said_alone("memory::no_file_of_the_corpus_takes_a_gigabyte", (ALONE, "1".as_ref()));
    let [files, pictures, peak] = said[..] else { panic!("{said:?}") };
    assert!(files >= 60 && pictures >= 40 && peak < MOST_KIB, "{said:?}");
}

/// A page of grain with as many lines, boxes and letters as a page is read to have.
fn crowded(width: u32, height: u32, by: u32) -> (Raster, Geometry) {
    let grain = |at: u32| (at.wrapping_mul(2_654_435_761) >> 24) as u8;
    let row: Vec<u8> = (0..3 * (width + 1000)).map(grain).collect();
    let mut rgb = Vec::with_capacity(3 * width as usize * height as usize);
    for y in 0..height {
        let shift = 3 * ((y * 31 + by) % 1000) as usize;
        rgb.extend_from_slice(&row[shift..shift + 3 * width as usize]);
    }
    let raster = Raster::from_rgb(width, height, rgb).unwrap();
    let (across, down) = (f64::from(width), f64::from(height));
    let of = |at: u32| (f64::from(at % 8) / 8.0 * across, f64::from(at / 8) / 500.0 * down);
    let line = |at: u32| {
        let ((x, y), text) = (of(at), format!("{:06} {}", at * by % 999_983, "ab".repeat(20)));
        // Some lie over the whole page.
        let (w, h) = if at.is_multiple_of(100) { (across, down) } else { (0.1 * across, 12.0) };
        Line { text, x, y, w, h, fs: 11.0, ..Line::default() }
    };
    let painted = |at: u32| {
        let (x, y) = of(at);
        PaintedBox {
            x,
            y,
            w: across / f64::from(1 + at % 9),
            h: 30.0 + f64::from(by),
            img: at.is_multiple_of(3),
            ..PaintedBox::default()
        }
    };
    let (texts, boxes) = ((0..4000).map(line).collect(), (0..4000).map(painted).collect());
    (raster, Geometry { width: across, height: down, texts, boxes, images: Vec::new() })
}

// S-70
#[test]
fn measuring_the_largest_pages_stays_below_a_gigabyte() {
    if std::env::var_os(ALONE).is_some() {
        let score = |reference: &(Raster, Geometry), page: &(Raster, Geometry), reading| {
            let side = Side::new(&page.1, page.0.pixels()).with_textless(page.0.pixels());
            let found = measure(Side::new(&reference.1, reference.0.pixels()), side, reading);
            u64::from(found.score.is_finite() && found.reasons.len() <= 60)
        };
        let same_size = score(&crowded(8000, 6250, 1), &crowded(8000, 6250, 2), Reading::Ocr);
        // Together they span four times what either has.
        let (row, page) = (crowded(30_000, 1, 3), crowded(8000, 1600, 4));
        let crossed = score(&row, &page, Reading::Dom);
        let (tall, wide) = (RgbImage::new(1, 30_000), RgbImage::new(30_000, 1));
        let map = difference_map(&tall, &wide);
        let size = u64::from(map.width()) * u64::from(map.height());
        println!("{ALONE} {same_size} {crossed} {size} {}", peak_kib());
        return;
    }
    let name = "memory::measuring_the_largest_pages_stays_below_a_gigabyte";
    let said = said_alone(name, (ALONE, "1".as_ref()));
    assert!(said[..2] == [1; 2] && said[2] <= 50_000_000 && said[3] < MOST_KIB, "{said:?}");
}

// S-70
#[test]
fn tracing_pictures_that_are_no_pages_stays_below_a_gigabyte() {
    if std::env::var_os(ALONE).is_some() {
        let tracer = crate::tracing::tracer();
        let pictures = crate::hostile::hostile(640, 480);
        let lines: usize = pictures
            .iter()
            .map(|(_, picture)| tracer.trace(picture, &mut Watch::silent()).unwrap())
            .map(|facts| usize::from(facts.width > 0 && facts.height > 0))
            .sum();
        println!("{ALONE} {} {lines} {}", pictures.len(), peak_kib());
        return;
    }
    let name = "memory::tracing_pictures_that_are_no_pages_stays_below_a_gigabyte";
    let said = said_alone(name, (ALONE, "1".as_ref()));
    assert!(said[0] == said[1] && said[0] >= 9 && said[2] < MOST_KIB, "{said:?}");
}
