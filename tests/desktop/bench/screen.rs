//! The pixels of a virtual display, read from the file it draws into.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use image::RgbImage;

/// One row and one column of this many is looked at: whole frames would cost more than what is measured.
const STEP: usize = 4;
const PIXEL_BYTES: usize = 4;

/// A display that is being drawn on.
pub struct Screen {
    file: File,
    start: u64,
    row_bytes: usize,
    width: usize,
    height: usize,
}

/// A part of the screen in pixels.
#[derive(Clone, Copy)]
pub struct Part {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

/// Some pixels at some time.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    pixels: Vec<[u8; 3]>,
}

impl Screen {
    /// The first screen of the display that draws into this folder.
    pub fn of(folder: &Path) -> Self {
        let file = File::open(folder.join("Xvfb_screen0")).unwrap();
        // The header of an X window dump: words of four bytes, the greatest first.
        let mut header = [0; 80];
        file.read_exact_at(&mut header, 0).unwrap();
        let word = |at: usize| {
            let bytes = header[at * 4..at * 4 + 4].try_into().unwrap();
            u32::from_be_bytes(bytes) as usize
        };
        let (header_bytes, width, height, row_bytes, colours) =
            (word(0), word(4), word(5), word(12), word(19));
        Self { file, start: (header_bytes + colours * 12) as u64, row_bytes, width, height }
    }

    /// All of it.
    pub fn whole(&self) -> Part {
        Part { left: 0, top: 0, width: self.width, height: self.height }
    }

    /// A part of it as it is now, pixel by pixel.
    pub fn picture(&self, part: Part) -> RgbImage {
        let mut row = vec![0; part.width * PIXEL_BYTES];
        let mut pixels = Vec::with_capacity(part.width * part.height * 3);
        for y in part.top..part.top + part.height {
            let at = self.start + (y * self.row_bytes + part.left * PIXEL_BYTES) as u64;
            self.file.read_exact_at(&mut row, at).unwrap();
            // Blue comes first.
            let colours = row.chunks_exact(PIXEL_BYTES).map(|pixel| [pixel[2], pixel[1], pixel[0]]);
            pixels.extend(colours.flatten());
        }
        RgbImage::from_raw(part.width as u32, part.height as u32, pixels).unwrap()
    }

    /// What a part of it shows now.
    pub fn frame(&self, part: Part) -> Frame {
        let mut row = vec![0; part.width * PIXEL_BYTES];
        let mut pixels = Vec::with_capacity((part.width / STEP + 1) * (part.height / STEP + 1));
        for y in (part.top..part.top + part.height).step_by(STEP) {
            let at = self.start + (y * self.row_bytes + part.left * PIXEL_BYTES) as u64;
            self.file.read_exact_at(&mut row, at).unwrap();
            pixels.extend(
                row.chunks_exact(PIXEL_BYTES).step_by(STEP).map(|pixel| [pixel[0], pixel[1], pixel[2]]),
            );
        }
        Frame { pixels }
    }
}

impl Frame {
    /// How much of it differs from another, from 0 to 1.
    pub fn difference(&self, other: &Self) -> f64 {
        let differing = self.pixels.iter().zip(&other.pixels).filter(|(mine, theirs)| mine != theirs).count();
        differing as f64 / self.pixels.len() as f64
    }
}
