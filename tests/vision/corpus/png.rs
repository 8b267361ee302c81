//! PNG files put together chunk by chunk, their pixels stored without compression.

use crate::files::{chunk, quarters};

pub const GREY: u8 = 0;
pub const RGB: u8 = 2;
pub const PALETTE: u8 = 3;
pub const GREY_ALPHA: u8 = 4;
pub const RGBA: u8 = 6;

pub struct Png {
    pub color: u8,
    pub depth: u8,
    pub is_interlaced: bool,
    /// Chunks between the header and the pixels.
    pub chunks: Vec<u8>,
}

impl Png {
    pub fn new(color: u8, depth: u8) -> Self {
        Self { color, depth, is_interlaced: false, chunks: Vec::new() }
    }

    pub fn with(mut self, kind: &[u8; 4], body: &[u8]) -> Self {
        self.chunks.extend(chunk(kind, body));
        self
    }

    pub fn interlaced(mut self) -> Self {
        self.is_interlaced = true;
        self
    }

    /// The bits of a pixel of the four quarters.
    fn pixel(&self, x: u32, y: u32) -> Vec<u16> {
        let [r, g, b] = quarters().get_pixel(x, y).0.map(|channel| u16::from(channel) * 257);
        let quarter = u16::from(x >= 24) + 2 * u16::from(y >= 16);
        let grey = [0x0000, 0x5555, 0xaaaa, 0xffff][usize::from(quarter)];
        // The last quarter is half transparent black where there is transparency.
        let clear = if quarter == 3 { [0, 0, 0, 0x8080] } else { [r, g, b, 0xffff] };
        match self.color {
            GREY => vec![grey],
            RGB => vec![r, g, b],
            PALETTE => vec![quarter],
            GREY_ALPHA => vec![grey, if quarter == 0 { 0 } else { 0xffff }],
            _ => clear.to_vec(),
        }
    }

    fn rows(&self, columns: impl Iterator<Item = u32> + Clone, rows: impl Iterator<Item = u32>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for y in rows {
            bytes.push(0);
            let (mut open, mut count) = (0_u32, 0);
            for value in columns.clone().flat_map(|x| self.pixel(x, y)) {
                if self.depth == 16 {
                    bytes.extend(value.to_be_bytes());
                    continue;
                }
                let value = if self.color == PALETTE { value } else { value >> (16 - self.depth) };
                open = open << self.depth | u32::from(value);
                count += self.depth;
                if count == 8 {
                    bytes.push(open as u8);
                    (open, count) = (0, 0);
                }
            }
            if count > 0 {
                bytes.push((open << (8 - count)) as u8);
            }
        }
        bytes
    }

    pub fn file(&self) -> Vec<u8> {
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let interlaced = u8::from(self.is_interlaced);
        file.extend(chunk(b"IHDR", &[0, 0, 0, 48, 0, 0, 0, 32, self.depth, self.color, 0, 0, interlaced]));
        file.extend(&self.chunks);
        let pixels = if self.is_interlaced {
            let passes: [(u32, u32, usize, usize); 7] = [
                (0, 0, 8, 8),
                (4, 0, 8, 8),
                (0, 4, 4, 8),
                (2, 0, 4, 4),
                (0, 2, 2, 4),
                (1, 0, 2, 2),
                (0, 1, 1, 2),
            ];
            let pass = |(x, y, right, down)| self.rows((x..48).step_by(right), (y..32).step_by(down));
            passes.into_iter().flat_map(pass).collect()
        } else {
            self.rows(0..48, 0..32)
        };
        file.extend(chunk(b"IDAT", &zlib(&pixels)));
        file.extend(chunk(b"IEND", &[]));
        file
    }
}

/// A stream whose blocks are stored as they are.
pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        stream.push(u8::from(blocks.peek().is_none()));
        let length = block.len() as u16;
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in bytes {
        a = (a + u32::from(byte)) % 65521;
        b = (b + a) % 65521;
    }
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}
