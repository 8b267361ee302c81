use std::fs;

use facsimile_agent::Secret;
use tempfile::TempDir;
use tracing::subscriber::with_default;

use super::*;

/// What stands in the log after this, without the times.
fn logged(work: impl FnOnce()) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    with_default(Log::into(LogFiles::below(folder.path())), work);
    let texts = LogFiles::below(folder.path()).texts();
    texts
        .iter()
        .flat_map(|(_, text)| text.lines())
        .map(|line| line["2026-11-30T08:00:00.123Z ".len()..].to_owned())
        .collect()
}

#[test]
fn an_event_is_a_line_of_its_level_its_room_and_its_facts() {
    let lines = logged(|| {
        tracing::info!(count = 3, kind = ?Some("x"), "something\nhappened");
        tracing::debug!("not worth a line");
        tracing::error!(target: "hyper::client", "what others say may quote anything");
        tracing::warn!(target: "facsimile_store::batch", error = %"no space", "events wait");
    });
    assert_eq!(
        lines,
        [
            "INFO studio: something happened count=3 kind=Some(\"x\")",
            "WARN store: events wait error=no space"
        ]
    );
}

// S-44
#[test]
fn a_key_never_reaches_the_log() {
    let key = "planted-log-key-0192837465";
    know(&Secret::new(key).unwrap());
    let spelt: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    let wide: String = key.chars().flat_map(|c| [c, '\0']).collect();
    let lines = logged(|| {
        tracing::error!(error = key, secret = %Secret::new(key).unwrap(), spelt, wide, "sent planted-log-key-0192837465");
    });
    assert_eq!(lines, ["ERROR studio: sent ••• error=••• secret=••• spelt=••• wide=•••"]);
}

#[test]
fn the_log_stays_within_its_bound_and_keeps_the_latest() {
    let folder = TempDir::new().unwrap();
    let files = LogFiles::bounded(folder.path().join("logs"), 1000);
    for number in 0..500 {
        files.append(&format!("line {number:04}"));
    }
    let sizes: Vec<u64> = fs::read_dir(folder.path().join("logs"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .collect();
    let lines: Vec<String> = files
        .texts()
        .iter()
        .flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let expected: Vec<String> = (500 - lines.len()..500).map(|number| format!("line {number:04}")).collect();
    assert_eq!((sizes.len(), lines), (5, expected));
    assert!(sizes.iter().all(|size| *size <= 1000), "{sizes:?}");
}

#[test]
fn a_log_that_cannot_be_written_stops_nothing() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("logs"), "a file is in the way").unwrap();
    let files = LogFiles::below(folder.path());
    files.append("lost");
    assert_eq!(files.texts(), []);
}
