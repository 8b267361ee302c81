//! How much memory pictures take, measured in processes of their own. S-70 asks it of whatever comes in.

use facsimile_vision::fidelity::{Geometry, Line, Reading, Side, measure};
use facsimile_vision::{Raster, Tracer, Watch, emit};
use image::RgbImage;

/// What no picture may take.
const MOST_KIB: u64 = 1_000_000;

/// Whether this process has kept within the bound so far; nobody knows where the system does not tell.
pub fn is_bounded() -> bool {
    peak_kib().is_none_or(|peak| peak < MOST_KIB)
}

/// The most that this process has ever held.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A picture of one-pixel specks in many colours: everything on it is an edge.
fn specks(width: u32, height: u32) -> RgbImage {
    let mut state = 7_u32;
    RgbImage::from_fn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        image::Rgb([(state >> 24) as u8, (state >> 16) as u8 & 0xf0, (state >> 8) as u8 & 0x80])
    })
}

#[cfg(target_os = "linux")]
mod alone {
    use std::process::Command;

    use super::*;

    /// Names the test whose work this process is to do.
    const WORK: &str = "FACSIMILE_TEST_ALONE";
    const FILE: &str = "FACSIMILE_TEST_LARGE_PICTURE";

    /// Does work in a process of its own, which is this program again; gives its answer and its peak. None in that
    /// process itself.
    fn alone(test: &str, file: &std::path::Path, work: impl FnOnce() -> String) -> Option<(String, u64)> {
        if std::env::var_os(WORK).is_some_and(|wanted| wanted == test) {
            println!("{WORK} {} {}", work(), peak_kib().unwrap());
            return None;
        }
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("memory::alone::{test}"), "--nocapture"])
            .env(WORK, test)
            .env(FILE, file)
            .output()
            .unwrap();
        let said = String::from_utf8(child.stdout).unwrap();
        let line = said.lines().find_map(|line| line.split_once(WORK)).unwrap_or_else(|| panic!("{said}")).1;
        let (answer, peak) = line.trim().rsplit_once(' ').unwrap();
        Some((answer.to_owned(), peak.parse().unwrap()))
    }

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

    // S-40
    #[test]
    fn the_largest_picture_stays_below_a_gigabyte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.png");
        if std::env::var_os(WORK).is_none() {
            std::fs::write(&path, largest()).unwrap();
        }
        let decoded = alone("the_largest_picture_stays_below_a_gigabyte", &path, || {
            let file = std::fs::read(std::env::var_os(FILE).unwrap()).unwrap();
            let raster = Raster::decode(&file).unwrap();
            format!("{}x{}", raster.width(), raster.height())
        });
        if let Some((answer, peak)) = decoded {
            assert!(answer == "5000x10000" && peak < MOST_KIB, "{answer} {peak}");
        }
    }

    // S-70
    #[test]
    fn a_picture_of_nothing_but_edges_is_traced_below_a_gigabyte() {
        let none = std::path::Path::new("");
        let traced = alone("a_picture_of_nothing_but_edges_is_traced_below_a_gigabyte", none, || {
            let raster = Raster::from_rgb(1280, 2000, specks(1280, 2000).into_raw()).unwrap();
            let facts = Tracer::new().unwrap().trace(&raster, &mut Watch::silent()).unwrap();
            let page = emit(&facts, &raster, &|_, extension| format!("picture.{extension}"));
            format!("{}", page.html.ends_with("</html>\n"))
        });
        if let Some((answer, peak)) = traced {
            assert!(answer == "true" && peak < MOST_KIB, "{answer} {peak}");
        }
    }

    // S-70
    #[test]
    fn pages_without_end_are_measured_below_a_gigabyte() {
        let none = std::path::Path::new("");
        let measured = alone("pages_without_end_are_measured_below_a_gigabyte", none, || {
            let page = |seed: usize| {
                let line = |at: usize| Line {
                    text: format!("{} {}", "words ".repeat(1 + (at * seed) % 40), at * seed % 977),
                    x: (at % 40) as f64 * 30.0,
                    y: (at / 40) as f64 * 19.0,
                    w: 28.0,
                    h: 16.0,
                    fs: 12.0,
                    ..Line::default()
                };
                let texts = (0..4000).map(line).collect();
                Geometry { width: 1280.0, height: 2000.0, texts, ..Geometry::default() }
            };
            let (wanted, shown) = (page(3), page(7));
            let (ours, theirs) = (specks(1280, 2000), specks(1280, 1900));
            let measured = measure(Side::new(&wanted, &ours), Side::new(&shown, &theirs), Reading::Ocr);
            format!("{}", (0.0..=100.0).contains(&measured.score))
        });
        if let Some((answer, peak)) = measured {
            assert!(answer == "true" && peak < MOST_KIB, "{answer} {peak}");
        }
    }
}
