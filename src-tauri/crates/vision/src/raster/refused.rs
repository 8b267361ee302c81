use super::{MAX_FILE_BYTES, MAX_PIXELS, MAX_SIDE, PictureFormat};

/// Why a file does not become a picture; each message says what, why and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum ImageRefused {
    /// No bytes at all.
    #[error("The file is empty. Save the picture again and add the new file.")]
    Empty,
    /// Nothing known starts like this.
    #[error("This is not a picture Facsimile knows. Add a PNG, JPEG, WebP, GIF, BMP, ICO, TIFF or SVG file.")]
    NotAnImage,
    /// A known file type without a decoder here.
    #[error("This is {} file, which cannot be read here. {}", kind.named(), kind.way_out())]
    Unsupported {
        /// What the content says it is.
        kind: ForeignFormat,
    },
    /// The content stops before the picture is complete.
    #[error("The {format} file ends before the picture is complete. Copy or download it again.")]
    Truncated {
        /// What the content says it is.
        format: PictureFormat,
    },
    /// The content contradicts itself.
    #[error("The {format} file is damaged ({source}). Open it in a viewer and export it as PNG.")]
    Broken {
        /// What the content says it is.
        format: PictureFormat,
        /// The decoder's words.
        #[source]
        source: image::ImageError,
    },
    /// More bytes than are looked at.
    #[error(
        "The file has {} MiB; at most {} MiB can be read. Export it smaller or as JPEG.",
        bytes.div_ceil(1024 * 1024),
        MAX_FILE_BYTES / (1024 * 1024)
    )]
    FileTooLarge {
        /// Size of the file.
        bytes: usize,
    },
    /// A side or the area is beyond the limits.
    #[error(
        "The picture says it has {width} × {height} pixels; at most {} a side and {} megapixels can be read. \
         Crop it or scale it down.",
        MAX_SIDE,
        MAX_PIXELS / 1_000_000
    )]
    TooManyPixels {
        /// Declared width.
        width: u32,
        /// Declared height.
        height: u32,
    },
    /// The decoder asked for more memory than it may have.
    #[error("The picture needs too much memory to open. Export it as a plain 8-bit PNG and add that.")]
    NeedsTooMuchMemory,
    /// A drawing that does not parse.
    #[error(
        "The SVG drawing cannot be read ({reason}). Open it in an editor, save it again, or export it as PNG."
    )]
    BrokenDrawing {
        /// The parser's words.
        reason: String,
    },
    /// A drawing that would take too long or too much memory to draw.
    #[error("The SVG drawing is too intricate to be drawn here. Open it in a browser and take a screenshot.")]
    IntricateDrawing,
    /// A picture could not be written.
    #[error("The picture could not be written as a file ({source}). Try again with a smaller one.")]
    NotEncoded {
        /// The encoder's words.
        #[source]
        source: image::ImageError,
    },
}

impl ImageRefused {
    /// A stable word to branch on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "image_empty",
            Self::NotAnImage => "image_unknown",
            Self::Unsupported { .. } => "image_unsupported",
            Self::Truncated { .. } => "image_truncated",
            Self::Broken { .. } => "image_broken",
            Self::FileTooLarge { .. } => "image_file_too_large",
            Self::TooManyPixels { .. } => "image_too_many_pixels",
            Self::NeedsTooMuchMemory => "image_needs_too_much_memory",
            Self::BrokenDrawing { .. } => "image_broken",
            Self::IntricateDrawing => "image_too_intricate",
            Self::NotEncoded { .. } => "image_not_encoded",
        }
    }
}

/// File types that are recognised only to say how to convert them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignFormat {
    /// High Efficiency Image File, the phone camera's type.
    Heic,
    /// AV1 Image File.
    Avif,
    /// JPEG XL.
    JpegXl,
    /// Portable Document Format.
    Pdf,
    /// Tagged Image File for more than 4 GiB.
    BigTiff,
    /// Anything packed by gzip, drawings among it.
    Compressed,
    /// JPEG with more than eight bits a channel.
    DeepJpeg,
    /// JPEG with arithmetic coding.
    ArithmeticJpeg,
    /// JPEG of the lossless kind.
    LosslessJpeg,
    /// A drawing with pictures embedded in it.
    DrawingWithPictures,
    /// Photoshop document.
    Photoshop,
}

impl ForeignFormat {
    fn named(self) -> &'static str {
        match self {
            Self::Heic => "a HEIC",
            Self::Avif => "an AVIF",
            Self::JpegXl => "a JPEG XL",
            Self::Pdf => "a PDF",
            Self::BigTiff => "a BigTIFF",
            Self::Compressed => "a gzip",
            Self::DeepJpeg => "a 12-bit JPEG",
            Self::ArithmeticJpeg => "an arithmetic-coded JPEG",
            Self::LosslessJpeg => "a lossless JPEG",
            Self::DrawingWithPictures => "an SVG with pictures inside it",
            Self::Photoshop => "a Photoshop",
        }
    }

    fn way_out(self) -> &'static str {
        match self {
            Self::Heic | Self::Avif | Self::JpegXl => {
                "Open it in Preview, Photos or your viewer and export it as PNG or JPEG."
            }
            Self::DrawingWithPictures => "Open it in a browser and take a screenshot, or export it as PNG.",
            Self::Compressed => "Unpack it and add the picture that is inside.",
            Self::Pdf => "Open the page you want and export it as PNG, or take a screenshot of it.",
            Self::BigTiff | Self::DeepJpeg | Self::ArithmeticJpeg | Self::LosslessJpeg | Self::Photoshop => {
                "Open it in an image editor or viewer and export it as PNG."
            }
        }
    }
}
