//! Taking pictures in: read once, checked by their content, kept by hash. From here on only ids travel.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use facsimile_agent::InputId;
use facsimile_store::{HistoryStore, NewAsset, NewInput};
use facsimile_vision::raster::MAX_FILE_BYTES;
use facsimile_vision::{ImageRefused, PictureFormat, Raster};

use crate::error::StudioError;

/// A picture that was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenInput {
    /// Names it from now on.
    pub id: InputId,
    /// The file's name, for people.
    pub name: String,
    /// Upright width.
    pub width_px: u32,
    /// Upright height.
    pub height_px: u32,
    /// The size of the file.
    pub bytes: u64,
}

/// Why a file cannot be an input; the message names the file, the reason and the next step.
#[derive(Debug, thiserror::Error)]
pub enum InputRefused {
    /// Nothing is there.
    #[error("{name}: there is no such file. Check the name and the folder.")]
    NotThere {
        /// The file's name.
        name: String,
    },
    /// A folder.
    #[error("{name}: this is a folder. Choose the pictures in it.")]
    Folder {
        /// The folder's name.
        name: String,
    },
    /// A pipe, a device, a socket.
    #[error("{name}: this is no regular file. Save the picture as a file and choose that.")]
    NoRegularFile {
        /// The file's name.
        name: String,
    },
    /// The system does not let us read it.
    #[error("{name}: it cannot be read ({source}). Check its permissions or copy it to your own folder.")]
    Unreadable {
        /// The file's name.
        name: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Its content is no picture for us.
    #[error("{name}: {source}")]
    Picture {
        /// The file's name.
        name: String,
        /// The reason with its way out.
        source: ImageRefused,
    },
}

impl InputRefused {
    /// A picture of our own that did not become a thumbnail.
    pub(crate) fn of_thumbnail(source: ImageRefused) -> Self {
        InputRefused::Picture { name: "thumbnail".to_owned(), source }
    }

    /// A stable word to branch on.
    pub fn code(&self) -> &'static str {
        match self {
            InputRefused::NotThere { .. } => "not_there",
            InputRefused::Folder { .. } => "folder",
            InputRefused::NoRegularFile { .. } => "no_regular_file",
            InputRefused::Unreadable { .. } => "unreadable",
            InputRefused::Picture { source, .. } => source.code(),
        }
    }
}

/// Reads a file from disk.
pub fn read_file(path: &Path) -> Result<(String, Vec<u8>), InputRefused> {
    let name = shown_name(path);
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => InputRefused::NotThere { name: name.clone() },
        _ => InputRefused::Unreadable { name: name.clone(), source },
    };
    // Looked at before opening: opening a pipe would wait for its writer.
    let metadata = path.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(InputRefused::Folder { name });
    }
    if !metadata.is_file() {
        return Err(InputRefused::NoRegularFile { name });
    }
    let mut bytes = Vec::new();
    // One byte beyond the limit is enough for the decoder to say that it is too large.
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(unreadable)?;
    Ok((name, bytes))
}

/// The last part of a path as people read it, with what cannot be shown replaced.
fn shown_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    name.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

/// Checks a picture and keeps it.
pub fn take_in(store: &HistoryStore, name: &str, bytes: Vec<u8>) -> Result<TakenInput, StudioError> {
    let raster =
        Raster::decode(&bytes).map_err(|source| InputRefused::Picture { name: name.to_owned(), source })?;
    // Models take no icons, scans and drawings, and a drawing may hold scripts.
    let (format, bytes) = if raster.format().is_kept() {
        (raster.format(), bytes)
    } else {
        let refused = |source| InputRefused::Picture { name: name.to_owned(), source };
        (PictureFormat::Png, raster.to_png().map_err(refused)?)
    };
    let size = bytes.len() as u64;
    let (mime, extension) = (format.mime(), format.extension());
    let asset = NewAsset::new(bytes, mime, extension).sized_px(raster.width(), raster.height());
    let stored = store.assets().put(asset)?;
    let input = NewInput {
        name: name.to_owned(),
        asset: stored.id,
        mime: mime.to_owned(),
        width_px: raster.width(),
        height_px: raster.height(),
        bytes: size,
    };
    let id = store.inputs().add(input)?;
    Ok(TakenInput {
        id,
        name: name.to_owned(),
        width_px: raster.width(),
        height_px: raster.height(),
        bytes: size,
    })
}
