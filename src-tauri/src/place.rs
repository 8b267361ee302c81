//! Where the program keeps its data.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use facsimile_studio::{Studio, StudioError, logging};
use tokio::runtime::Handle;

/// Bundle id, keychain service and bus name.
pub const IDENTIFIER: &str = "design.facsimile.desktop";
/// Moves the data elsewhere.
pub const DATA_FOLDER_VARIABLE: &str = "FACSIMILE_DATA_DIR";

/// The folder that was asked for, else that of the environment, else the platform's.
pub fn data_folder(asked_for: Option<PathBuf>) -> PathBuf {
    let set = || std::env::var_os(DATA_FOLDER_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual = || dirs::data_dir().unwrap_or_else(std::env::temp_dir).join(IDENTIFIER);
    asked_for.or_else(set).unwrap_or_else(usual)
}

/// The studio over that folder; what the program says of itself goes into the log there.
pub fn open_studio(asked_for: Option<PathBuf>, runtime: Handle) -> Result<Studio, StudioError> {
    let folder = data_folder(asked_for);
    logging::begin(&folder);
    Studio::open(&folder, runtime)
}

/// Creates a file that was asked for, with the folders on the way to it.
pub fn create_file(path: &Path) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    File::create(path)
}
