//! JPEG files of whole blocks, written bit by bit, in the variants that no encoder at hand writes.

use image::RgbImage;

use crate::files::quarters;

/// How the stored values become colours.
#[derive(Clone, Copy, PartialEq)]
pub enum Inks {
    Grey,
    YCbCr,
    Rgb,
    /// Inverted, as one vendor writes it and all readers expect it.
    Cmyk,
    Ycck,
}

#[derive(Clone)]
pub struct Jpeg {
    pub inks: Inks,
    /// The transform that the vendor's mark names; no mark without it.
    pub adobe: Option<u8>,
    pub ids: [u8; 4],
    pub is_progressive: bool,
    /// Luma blocks for one of chroma, both ways.
    pub luma: usize,
    /// Blocks between restart marks.
    pub restart: usize,
    /// The mark that starts the frame, where it is not the usual one.
    pub frame: Option<u8>,
    pub precision: u8,
    /// Segments between the start and the tables.
    pub segments: Vec<u8>,
    /// What it shows, in blocks of one colour.
    pub picture: RgbImage,
}

impl Jpeg {
    pub fn new(inks: Inks, adobe: Option<u8>) -> Self {
        Self {
            inks,
            adobe,
            ids: [1, 2, 3, 4],
            is_progressive: false,
            luma: 1,
            restart: 0,
            frame: None,
            precision: 8,
            segments: Vec::new(),
            picture: quarters(),
        }
    }

    fn components(&self) -> usize {
        match self.inks {
            Inks::Grey => 1,
            Inks::YCbCr | Inks::Rgb => 3,
            Inks::Cmyk | Inks::Ycck => 4,
        }
    }

    /// What is stored for a colour.
    fn stored(&self, [r, g, b]: [u8; 3]) -> [u8; 4] {
        match self.inks {
            Inks::Grey => [luma_and_chroma([r, g, b])[0], 0, 0, 0],
            Inks::YCbCr => {
                let [y, cb, cr] = luma_and_chroma([r, g, b]);
                [y, cb, cr, 0]
            }
            Inks::Rgb => [r, g, b, 0],
            Inks::Cmyk => [r, g, b, 255],
            Inks::Ycck => {
                let [y, cb, cr] = luma_and_chroma([255 - r, 255 - g, 255 - b]);
                [y, cb, cr, 255]
            }
        }
    }

    /// With an EXIF block.
    pub fn with_exif(mut self, block: &[u8]) -> Self {
        segment(&mut self.segments, 0xe1, &[b"Exif\0\0".as_slice(), block].concat());
        self
    }

    /// The picture as a file.
    pub fn file(&self) -> Vec<u8> {
        let count = self.components();
        let mut file = vec![0xff, 0xd8];
        file.extend(&self.segments);
        if let Some(transform) = self.adobe {
            segment(&mut file, 0xee, &[b"Adobe\0\x64\0\0\0\0".as_slice(), &[transform]].concat());
        }
        segment(&mut file, 0xdb, &[[0].as_slice(), &[8; 64]].concat());
        let start = if self.is_progressive { 0xc2 } else { 0xc0 };
        let mut frame = vec![self.precision, 0, self.picture.height() as u8, 0, self.picture.width() as u8];
        frame.push(count as u8);
        for at in 0..count {
            let sampling = if at == 0 { self.luma as u8 * 0x11 } else { 0x11 };
            frame.extend([self.ids[at], sampling, 0]);
        }
        segment(&mut file, self.frame.unwrap_or(start), &frame);
        // Twelve lengths of differences in codes of four bits; the only other code ends a block.
        let lengths = [0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        segment(&mut file, 0xc4, &[[0].as_slice(), &lengths, &(0..12).collect::<Vec<u8>>()].concat());
        let ends = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        segment(&mut file, 0xc4, &[[0x10].as_slice(), &ends, &[0]].concat());
        if self.restart > 0 {
            segment(&mut file, 0xdd, &(self.restart as u16).to_be_bytes());
        }
        let mut scan = vec![count as u8];
        (0..count).for_each(|at| scan.extend([self.ids[at], 0]));
        scan.extend(if self.is_progressive { [0, 0, 0] } else { [0, 63, 0] });
        segment(&mut file, 0xda, &scan);
        file.extend(self.pixels());
        file.extend([0xff, 0xd9]);
        file
    }

    fn pixels(&self) -> Vec<u8> {
        let (width, height) = (self.picture.width() as usize, self.picture.height() as usize);
        let side = 8 * self.luma;
        let mut bits = Bits::default();
        let mut before = [128_i32; 4];
        let units = (0..height / side).flat_map(|row| (0..width / side).map(move |column| (row, column)));
        for (done, (row, column)) in units.enumerate() {
            if self.restart > 0 && done > 0 && done % self.restart == 0 {
                bits.restart((done / self.restart - 1) as u8 % 8);
                before = [128; 4];
            }
            for (at, before) in before.iter_mut().enumerate().take(self.components()) {
                let blocks = if at == 0 { self.luma } else { 1 };
                for (down, right) in (0..blocks).flat_map(|down| (0..blocks).map(move |right| (down, right)))
                {
                    let (x, y) = (column * side + right * 8, row * side + down * 8);
                    let color = self.picture.get_pixel(x as u32 + 1, y as u32 + 1).0;
                    let value = i32::from(self.stored(color)[at]);
                    bits.difference(value - *before);
                    *before = value;
                    if !self.is_progressive {
                        bits.put(0, 1);
                    }
                }
            }
        }
        bits.finished()
    }
}

fn luma_and_chroma([r, g, b]: [u8; 3]) -> [u8; 3] {
    let [r, g, b] = [r, g, b].map(f32::from);
    let y = 0.299 * r + 0.587 * g + 0.114 * b;
    [y, 128.0 + (b - y) / 1.772, 128.0 + (r - y) / 1.402].map(|value| value.round().clamp(0.0, 255.0) as u8)
}

fn segment(file: &mut Vec<u8>, mark: u8, body: &[u8]) {
    file.extend([0xff, mark]);
    file.extend((body.len() as u16 + 2).to_be_bytes());
    file.extend(body);
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    open: u32,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u32, length: u32) {
        for at in (0..length).rev() {
            self.open = self.open << 1 | (value >> at & 1);
            self.count += 1;
            if self.count == 8 {
                self.bytes.push(self.open as u8);
                if self.open as u8 == 0xff {
                    self.bytes.push(0);
                }
                (self.open, self.count) = (0, 0);
            }
        }
    }

    fn difference(&mut self, value: i32) {
        let length = 32 - value.unsigned_abs().leading_zeros();
        self.put(length, 4);
        let coded = if value < 0 { value - 1 } else { value };
        self.put(coded as u32 & ((1 << length) - 1), length);
    }

    fn restart(&mut self, number: u8) {
        self.fill();
        self.bytes.extend([0xff, 0xd0 + number]);
    }

    fn fill(&mut self) {
        while self.count > 0 {
            self.put(1, 1);
        }
    }

    fn finished(mut self) -> Vec<u8> {
        self.fill();
        self.bytes
    }
}
