use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use facsimile_store::{CopiedBytes, HistoryStore, ProjectCopy};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::{
    ASSETS, ArchiveRefused, CONTENTS, FORMAT, HEAD, Head, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_ROWS_BYTES,
    MAX_TOTAL_BYTES, ROWS,
};
use crate::StudioError;

const UNFINISHED: &str = ".unfinished-";
const SUFFIX: &str = ".facsimile";
/// A younger file may be one that its program has not locked yet, or cannot lock on this drive.
const LEFT_BEHIND_AFTER: Duration = Duration::from_secs(10 * 60);

/// Removes what killed programs left beside a project's file.
fn sweep_dead(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_old = || age_of(&entry).is_some_and(|age| age >= LEFT_BEHIND_AFTER);
        let is_dead = || File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if name.starts_with(UNFINISHED)
            && name.ends_with(SUFFIX)
            && is_old()
            && is_dead()
            && let Err(error) = fs::remove_file(entry.path())
        {
            tracing::debug!(%error, "what a killed export left stays");
        }
    }
}

fn age_of(entry: &fs::DirEntry) -> Option<Duration> {
    entry.metadata().ok()?.modified().ok()?.elapsed().ok()
}

/// Writes a project's file beside its name and puts it there when it is whole.
pub(crate) fn write(store: &HistoryStore, copy: &ProjectCopy, path: &Path) -> Result<u64, StudioError> {
    let unwritten = |source: io::Error| ArchiveRefused::Unwritten { path: path.to_owned(), source };
    if copy.contents.len() + copy.assets.len() + 2 > MAX_ENTRIES {
        return Err(ArchiveRefused::TooLarge("it has too many files").into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sweep_dead(folder);
    let mut file =
        tempfile::Builder::new().prefix(UNFINISHED).suffix(SUFFIX).tempfile_in(folder).map_err(unwritten)?;
    // Held as long as this program lives: one that nobody holds was left by a killed one.
    if let Err(error) = file.as_file().try_lock() {
        tracing::debug!(%error, "a drive without locks");
    }
    let mut zip = ZipWriter::new(io::BufWriter::new(file.as_file_mut()));
    let mut total_bytes = 0;
    let mut put = |zip: &mut ZipWriter<_>, name: &str, bytes: &[u8], most: u64| -> Result<(), StudioError> {
        total_bytes += bytes.len() as u64;
        if bytes.len() as u64 > most || total_bytes > MAX_TOTAL_BYTES {
            return Err(ArchiveRefused::TooLarge("it holds too many bytes").into());
        }
        // Pictures are packed already.
        let method = match name.starts_with(ASSETS) {
            true => CompressionMethod::Stored,
            false => CompressionMethod::Deflated,
        };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        zip.start_file(name, options).map_err(|error| unwritten(io::Error::other(error)))?;
        Ok(zip.write_all(bytes).map_err(unwritten)?)
    };
    let head = Head { format: FORMAT, program: env!("CARGO_PKG_VERSION").to_owned() };
    let json = |error: serde_json::Error| unwritten(error.into());
    put(&mut zip, HEAD, &serde_json::to_vec(&head).map_err(json)?, MAX_ROWS_BYTES)?;
    put(&mut zip, ROWS, &serde_json::to_vec(copy).map_err(json)?, MAX_ROWS_BYTES)?;
    for hash in &copy.contents {
        let text = store.copies().bytes(CopiedBytes::Text(hash))?;
        put(&mut zip, &format!("{CONTENTS}{hash}"), &text, MAX_ENTRY_BYTES)?;
    }
    for asset in &copy.assets {
        let bytes = store.copies().bytes(CopiedBytes::Asset(&asset.sha256))?;
        put(&mut zip, &format!("{ASSETS}{}", asset.sha256.as_str()), &bytes, MAX_ENTRY_BYTES)?;
    }
    let written = zip.finish().map_err(|error| unwritten(io::Error::other(error)))?;
    written.into_inner().map_err(|error| unwritten(error.into_error()))?;
    file.as_file().sync_all().map_err(unwritten)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A file made for a moment is its owner's alone; one that was asked for is like any other.
        let usual = std::fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(usual).map_err(unwritten)?;
    }
    let kept = file.persist(path).map_err(|error| unwritten(error.error))?;
    Ok(kept.metadata().map_err(unwritten)?.len())
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn only_what_nobody_holds_and_has_lain_there_for_minutes_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, age: Duration| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
            file
        };
        let hour = Duration::from_secs(3_600);
        make(".unfinished-young.facsimile", Duration::ZERO);
        make(".unfinished-old.facsimile", hour);
        make("old.facsimile", hour);
        let held = make(".unfinished-held.facsimile", hour);
        held.try_lock().unwrap();
        sweep_dead(folder.path());
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut left: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        left.sort();
        let expected = [".unfinished-held.facsimile", ".unfinished-young.facsimile", "old.facsimile"];
        assert_eq!(left, expected);
    }
}
