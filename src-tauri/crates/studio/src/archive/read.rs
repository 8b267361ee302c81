use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use facsimile_agent::ProjectId;
use facsimile_store::{CopiedBytes, HistoryStore, ProjectCopy, StoreError};
use serde::de::DeserializeOwned;
use zip::ZipArchive;

use super::{
    ASSETS, ArchiveRefused, CONTENTS, FORMAT, FREE_OF_RATIO_BYTES, HEAD, Head, MAX_ENTRIES, MAX_ENTRY_BYTES,
    MAX_RATIO, MAX_ROWS_BYTES, MAX_TOTAL_BYTES, ROWS, RefusedOrStore,
};

type Zip = ZipArchive<BufReader<File>>;

const START: &[u8] = b"PK\x03\x04";
const END: &[u8] = b"PK\x05\x06";
const END_BYTES: u64 = 22;
const LINK: u32 = 0o120_000;
const KIND: u32 = 0o170_000;

/// Takes a project's file in as a new project.
pub(crate) fn take_in(store: &HistoryStore, path: &Path) -> Result<ProjectId, RefusedOrStore> {
    let refused = |detail: String| ArchiveRefused::Refused { path: path.to_owned(), detail };
    let mut zip = opened(path)?;
    let head: Head = json(&mut zip, HEAD).map_err(|_| ArchiveRefused::NoProject(path.to_owned()))?;
    if head.format > FORMAT {
        return Err(ArchiveRefused::Newer(path.to_owned()).into());
    }
    let copy: ProjectCopy = json(&mut zip, ROWS).map_err(|error| refused(error.to_string()))?;
    let mut named: BTreeSet<_> = copy.contents.iter().map(|hash| format!("{CONTENTS}{hash}")).collect();
    named.extend(copy.assets.iter().map(|asset| format!("{ASSETS}{}", asset.sha256.as_str())));
    named.extend([HEAD, ROWS].map(str::to_owned));
    let mut names = zip.file_names();
    let are_named = names.all(|name| name.is_ok_and(|name| named.contains(name.as_ref())));
    drop(names);
    if !are_named || zip.len() != named.len() {
        return Err(refused("its files are not those that its list names".to_owned()).into());
    }
    let bytes = move |wanted: CopiedBytes<'_>| {
        let name = match wanted {
            CopiedBytes::Text(hash) => format!("{CONTENTS}{hash}"),
            CopiedBytes::Asset(id) => format!("{ASSETS}{}", id.as_str()),
        };
        entry(&mut zip, &name, MAX_ENTRY_BYTES)
    };
    store.copies().import(copy, Box::new(bytes)).map_err(|error| match error {
        StoreError::NewerCopy => ArchiveRefused::Newer(path.to_owned()).into(),
        StoreError::BadCopy { detail } => refused(detail).into(),
        other => other.into(),
    })
}

/// The file, after everything that can be said without unpacking it.
fn opened(path: &Path) -> Result<Zip, ArchiveRefused> {
    let unreadable = |source| ArchiveRefused::Unreadable { path: path.to_owned(), source };
    let refused = |detail: &str| ArchiveRefused::Refused { path: path.to_owned(), detail: detail.to_owned() };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(ArchiveRefused::NoProject(path.to_owned()));
    }
    let mut file = File::open(path).map_err(unreadable)?;
    let mut start = Vec::new();
    (&file).take(START.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
    if start != START {
        return Err(ArchiveRefused::NoProject(path.to_owned()));
    }
    if metadata.len() > MAX_TOTAL_BYTES {
        return Err(refused("it is larger than 2 GB"));
    }
    let cut_off = "it is cut off or changed at its end";
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(END_BYTES))).map_err(unreadable)?;
    let mut end = Vec::new();
    (&file).take(END_BYTES).read_to_end(&mut end).map_err(unreadable)?;
    // We write no comment, so the end is in one place; its count is looked at before a list of that length is made.
    if end.len() as u64 != END_BYTES || !end.starts_with(END) {
        return Err(refused(cut_off));
    }
    let count = usize::from(u16::from_le_bytes([end[10], end[11]]));
    if count > MAX_ENTRIES {
        return Err(refused("it holds too many files"));
    }
    let list_bytes = u64::from(u32::from_le_bytes([end[12], end[13], end[14], end[15]]));
    // Our names are short: a longer list is that of another file.
    if list_bytes > count as u64 * 256 {
        return Err(refused("its list of files is too long"));
    }
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|_| refused(cut_off))?;
    if zip.len() != count {
        return Err(refused("two of its files have one name"));
    }
    let mut total_bytes: u64 = 0;
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index).map_err(|_| refused(cut_off))?;
        if entry.encrypted() {
            return Err(refused("it is encrypted"));
        }
        if entry.unix_mode().is_some_and(|mode| mode & KIND == LINK) {
            return Err(refused("it holds a link"));
        }
        if entry.is_dir() || !entry.name().is_ok_and(|name| is_ours(&name)) {
            return Err(refused("it holds a file that is no part of a project"));
        }
        total_bytes = total_bytes.saturating_add(entry.size());
        if entry.size() > MAX_ENTRY_BYTES || total_bytes > MAX_TOTAL_BYTES {
            return Err(refused("what it holds is too large"));
        }
    }
    let packed_bytes = metadata.len().max(1);
    if total_bytes > FREE_OF_RATIO_BYTES && total_bytes / packed_bytes > MAX_RATIO {
        return Err(refused("it unpacks to far more than it is"));
    }
    Ok(zip)
}

fn is_ours(name: &str) -> bool {
    let hash = name.strip_prefix(CONTENTS).or_else(|| name.strip_prefix(ASSETS));
    let is_hash =
        |hash: &str| hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    name == HEAD || name == ROWS || hash.is_some_and(is_hash)
}

fn json<T: DeserializeOwned>(zip: &mut Zip, name: &str) -> io::Result<T> {
    Ok(serde_json::from_slice(&entry(zip, name, MAX_ROWS_BYTES)?)?)
}

/// What an entry holds, never more than it may: the length it declares is only its own word.
fn entry(zip: &mut Zip, name: &str, most_bytes: u64) -> io::Result<Vec<u8>> {
    let entry = zip.by_name(name).map_err(io::Error::other)?;
    let declared = entry.size();
    let mut bytes = Vec::new();
    entry.take(most_bytes.min(declared) + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == declared {
        true => Ok(bytes),
        false => Err(io::Error::other("a file in it has another length than it says")),
    }
}
