//! How much memory the largest pictures take, measured in a process of their own.

#![cfg(target_os = "linux")]

use std::process::Command;

use facsimile_vision::Raster;

const FILE: &str = "FACSIMILE_TEST_LARGE_PICTURE";
const CORPUS: &str = "FACSIMILE_TEST_CORPUS";
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

/// What a test of this file prints when it runs alone with this variable set.
fn said_alone(test: &str, variable: &str, value: &std::ffi::OsStr) -> String {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("memory::{test}"), "--nocapture"])
        .env(variable, value)
        .output()
        .unwrap();
    let said = String::from_utf8(child.stdout).unwrap();
    let line = said.lines().find_map(|line| line.split_once(variable));
    line.unwrap_or_else(|| panic!("{said}")).1.trim().to_owned()
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
    let said = said_alone("the_largest_picture_stays_below_a_gigabyte", FILE, path.as_os_str());
    let words: Vec<&str> = said.split(' ').collect();
    let peak: u64 = words[2].parse().unwrap();
    assert!(words[..2] == ["5000", "10000"] && peak < MOST_KIB, "{said}");
}

// S-40
#[test]
fn no_file_of_the_corpus_takes_a_gigabyte() {
    if std::env::var_os(CORPUS).is_some() {
        let files = crate::corpus::every_file();
        let pictures = files.iter().filter(|file| Raster::decode(file).is_ok()).count();
        println!("{CORPUS} {} {pictures} {}", files.len(), peak_kib());
        return;
    }
    let said = said_alone("no_file_of_the_corpus_takes_a_gigabyte", CORPUS, "1".as_ref());
    let numbers: Vec<u64> = said.split(' ').map(|number| number.parse().unwrap()).collect();
    let [files, pictures, peak] = numbers[..] else { panic!("{said}") };
    assert!(files >= 60 && pictures >= 40 && peak < MOST_KIB, "{said}");
}
