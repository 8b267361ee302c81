//! What the receiver of the events holds, so that every `SetCode` fits onto it.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{AgentEvent, EventSink};
use crate::ids::EventId;
use crate::project::{ProjectFiles, ProjectPath};

/// The texts shown so far, by path.
#[derive(Debug, Default)]
pub(super) struct Screen {
    shown: BTreeMap<ProjectPath, String>,
    /// The files that were sent in this run. The first event of each replaces, so that the events of a run can be
    /// played without what was there before.
    sent: BTreeSet<ProjectPath>,
    /// The event that wrote a file last.
    writers: BTreeMap<ProjectPath, EventId>,
}

impl Screen {
    /// A receiver that was given the project's files before the run.
    pub(super) fn showing(files: &ProjectFiles) -> Self {
        let shown = files.iter().map(|(path, text)| (path.clone(), text.to_owned())).collect();
        Self { shown, ..Self::default() }
    }

    /// What is shown of a file.
    pub(super) fn text(&self, path: &ProjectPath) -> &str {
        self.shown.get(path).map(String::as_str).unwrap_or_default()
    }

    /// Whether what is shown of a file was written last by this event.
    pub(super) fn is_by(&self, id: &EventId, path: &ProjectPath) -> bool {
        self.writers.get(path) == Some(id)
    }

    /// Shows `text` in place of whatever was there.
    pub(super) fn replace(&mut self, id: &EventId, path: &ProjectPath, text: &str, sink: &mut dyn EventSink) {
        self.shown.insert(path.clone(), text.to_owned());
        self.sent.insert(path.clone());
        self.writers.insert(path.clone(), id.clone());
        send(id, path, 0, text, sink);
    }

    /// Shows more behind what is there.
    pub(super) fn append(&mut self, id: &EventId, path: &ProjectPath, more: &str, sink: &mut dyn EventSink) {
        let shown = self.shown.entry(path.clone()).or_default();
        let base = shown.len();
        shown.push_str(more);
        self.writers.insert(path.clone(), id.clone());
        if self.sent.insert(path.clone()) {
            send(id, path, 0, shown, sink);
        } else {
            send(id, path, base, more, sink);
        }
    }

    /// Makes what is shown equal to the file, with as little as it takes.
    pub(super) fn complete(
        &mut self,
        id: &EventId,
        path: &ProjectPath,
        text: &str,
        sink: &mut dyn EventSink,
    ) {
        match self.shown.get(path).and_then(|shown| text.strip_prefix(shown.as_str())) {
            Some("") => {}
            Some(rest) => self.append(id, path, rest, sink),
            None => self.replace(id, path, text, sink),
        }
    }

    /// Takes back what this event wrote and no other wrote over.
    pub(super) fn take_back(&mut self, id: &EventId, files: &ProjectFiles, sink: &mut dyn EventSink) {
        let paths = self.shown.keys().filter(|path| self.is_by(id, path)).cloned().collect();
        self.equal(paths, id, files, sink);
    }

    /// Makes everything shown equal to the files. A path that has no file is shown empty.
    pub(super) fn settle(&mut self, id: &EventId, files: &ProjectFiles, sink: &mut dyn EventSink) {
        self.equal(self.shown.keys().cloned().collect(), id, files, sink);
    }

    fn equal(
        &mut self,
        paths: Vec<ProjectPath>,
        id: &EventId,
        files: &ProjectFiles,
        sink: &mut dyn EventSink,
    ) {
        for path in paths {
            let text = files.read(&path).unwrap_or_default();
            if self.shown.get(&path).is_some_and(|shown| shown != text) {
                self.replace(id, &path, text, sink);
            }
        }
    }
}

fn send(id: &EventId, path: &ProjectPath, base: usize, text: &str, sink: &mut dyn EventSink) {
    let (event_id, path) = (id.clone(), path.clone());
    sink.emit(AgentEvent::SetCode { event_id, path, base, text: text.to_owned() });
}
