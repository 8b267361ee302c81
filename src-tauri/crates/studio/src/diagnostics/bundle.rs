use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;
use ts_rs::TS;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::Diagnostics;

/// What a file of a bundle holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Text(String),
    Picture(Vec<u8>),
}

/// A file of a bundle as it is shown before it is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct DiagnosticsFile {
    /// Its name in the bundle.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// All of its text; none for a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A bundle could not be saved.
#[derive(Debug, thiserror::Error)]
#[error("{} could not be written ({source}); choose another place", path.display())]
pub struct DiagnosticsUnwritten {
    path: PathBuf,
    source: io::Error,
}

impl Diagnostics {
    /// Everything that is in it.
    pub fn files(&self) -> Vec<DiagnosticsFile> {
        let shown = |(name, content): &(String, Content)| match content {
            Content::Text(text) => {
                DiagnosticsFile { name: name.clone(), bytes: text.len() as u64, text: Some(text.clone()) }
            }
            Content::Picture(bytes) => {
                DiagnosticsFile { name: name.clone(), bytes: bytes.len() as u64, text: None }
            }
        };
        self.files.iter().map(shown).collect()
    }

    /// Saves it as one file, which is there when it is whole.
    pub fn write(&self, path: &Path) -> Result<(), DiagnosticsUnwritten> {
        self.zip(path).map_err(|source| DiagnosticsUnwritten { path: path.to_owned(), source })
    }

    fn zip(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = NamedTempFile::with_prefix_in(".unfinished-", folder)?;
        let mut zip = ZipWriter::new(io::BufWriter::new(file.as_file_mut()));
        for (name, content) in &self.files {
            // Pictures are packed already.
            let (bytes, method) = match content {
                Content::Text(text) => (text.as_bytes(), CompressionMethod::Deflated),
                Content::Picture(bytes) => (bytes.as_slice(), CompressionMethod::Stored),
            };
            let options = SimpleFileOptions::default()
                .compression_method(method)
                .last_modified_time(DateTime::default())
                .unix_permissions(0o600);
            zip.start_file(name, options).map_err(io::Error::other)?;
            zip.write_all(bytes)?;
        }
        let written = zip.finish().map_err(io::Error::other)?;
        written.into_inner().map_err(|error| error.into_error())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}
