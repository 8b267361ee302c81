use facsimile_store::HistoryStore;
use tokio::runtime::Handle;

use std::path::Path;

use super::*;

fn names(found: &Diagnostics) -> Vec<String> {
    found.files().into_iter().map(|file| file.name).collect()
}

#[tokio::test]
async fn a_bundle_is_shown_as_it_is_saved() {
    let studio = Studio::over(HistoryStore::in_memory().unwrap(), Handle::current()).unwrap();
    let surroundings = [("desktop".to_owned(), "x11".to_owned())].into();
    let found = studio.diagnostics(DiagnosticsChoice::default(), &surroundings).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("found.zip");

    found.write(&path).unwrap();

    let mut zip = zip::ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
    let saved: Vec<_> = (0..zip.len())
        .map(|at| {
            let mut file = zip.by_index(at).unwrap();
            let mut text = String::new();
            std::io::Read::read_to_string(&mut file, &mut text).unwrap();
            DiagnosticsFile { name: file.name().unwrap().into_owned(), bytes: file.size(), text: Some(text) }
        })
        .collect();
    assert_eq!(saved, found.files());
    assert_eq!(names(&found), ["about.txt", "program.json", "settings.json", "history.json", "endings.json"]);
    assert!(saved[1].text.as_ref().unwrap().contains("\"desktop\": \"x11\""), "{saved:?}");
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_named() {
    let studio = Studio::over(HistoryStore::in_memory().unwrap(), Handle::current()).unwrap();
    let found = studio.diagnostics(DiagnosticsChoice::default(), &BTreeMap::new()).unwrap();
    let refused = found.write(Path::new("/nonexistent/found.zip")).unwrap_err().to_string();
    assert!(
        refused.contains("/nonexistent/found.zip") && refused.contains("choose another place"),
        "{refused}"
    );
}
