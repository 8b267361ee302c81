//! How much memory the largest pictures take, measured in a process of their own.

#![cfg(target_os = "linux")]

use std::process::Command;

use facsimile_vision::Raster;

const FILE: &str = "FACSIMILE_TEST_LARGE_PICTURE";
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
    let name = "memory::the_largest_picture_stays_below_a_gigabyte";
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(FILE, &path)
        .output()
        .unwrap();
    let said = String::from_utf8(child.stdout).unwrap();
    let words: Vec<&str> =
        said.lines().find_map(|line| line.split_once(FILE)).unwrap().1.split_whitespace().collect();
    let peak: u64 = words[2].parse().unwrap();
    assert!(words[..2] == ["5000", "10000"] && peak < MOST_KIB, "{said}");
}
