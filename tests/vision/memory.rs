//! How much memory the largest pictures take, measured in a process of their own.

#![cfg(target_os = "linux")]

use std::process::Command;

use facsimile_vision::Raster;
use facsimile_vision::cutting::{PixelBox, Segments};
use facsimile_vision::matte::without_background;

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
