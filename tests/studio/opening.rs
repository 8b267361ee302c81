//! Opening a data folder in which something is wrong: the program starts and says so.

use std::fs;

use facsimile_store::{HistoryStore, StoreError};
use facsimile_studio::{Keys, Studio, StudioError};
use tempfile::TempDir;
use tokio::runtime::Handle;

/// S-53: a newer schema is opened for reading, and what would write says why it does not.
#[tokio::test]
async fn a_history_of_a_newer_program_opens_for_reading_and_says_so() {
    let folder = TempDir::new().unwrap();
    HistoryStore::open(folder.path()).unwrap().projects().create("Shop").unwrap();
    let path = folder.path().join("facsimile.db");
    let mut bytes = fs::read(&path).unwrap();
    // Where the file format keeps the number of the schema.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&path, bytes).unwrap();

    let studio = Studio::open(folder.path(), Handle::current()).unwrap();

    let notice = studio.opening_notice().unwrap().unwrap();
    assert!(notice.contains("newer version") && notice.contains("Update the program"), "{notice}");
    assert_eq!(studio.projects().unwrap()[0].project.name, "Shop");
    let refused = studio.save_draft("words");
    assert!(matches!(refused, Err(StudioError::Store(StoreError::OpenedForReading { .. }))), "{refused:?}");
}

/// S-54 from where the window stands: the notice comes once and names where the damaged file is.
#[tokio::test]
async fn a_damaged_history_is_replaced_and_told_of_once() {
    let folder = TempDir::new().unwrap();
    HistoryStore::open(folder.path()).unwrap().projects().create("Shop").unwrap();
    let path = folder.path().join("facsimile.db");
    let mut bytes = fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes.truncate(half);
    fs::write(&path, &bytes).unwrap();

    let studio = Studio::open(folder.path(), Handle::current()).unwrap();

    let told = [studio.opening_notice().unwrap(), studio.opening_notice().unwrap()];
    let [Some(notice), None] = told else { panic!("{told:?}") };
    let aside = folder.path().join("damaged");
    assert!(notice.starts_with("The history was damaged."), "{notice}");
    assert!(notice.contains(&aside.display().to_string()) && aside.exists(), "{notice}");
    assert_eq!(studio.store().damage().unwrap(), Vec::<String>::new());
    studio.save_draft("words").unwrap();
    drop(studio);
    let again =
        Studio::with_keys(HistoryStore::open(folder.path()).unwrap(), Handle::current(), Keys::in_memory());
    assert_eq!(again.unwrap().opening_notice().unwrap(), None);
}
