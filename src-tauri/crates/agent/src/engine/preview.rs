//! A tool call while its arguments are still being typed.

mod edits;

use edits::Edits;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::limits::{
    FRAME, MAX_WHOLE_APPENDS, MIN_APPEND_CHARS, MIN_WHOLE_APPEND_CHARS, START_PREVIEW_CHARS,
};
use super::screen::Screen;
use crate::event::{AgentEvent, EventSink};
use crate::ids::EventId;
use crate::partial_json::{Part, PartialObject};
use crate::project::{ProjectFiles, ProjectPath, html, overlap};
use crate::tool::Tool;
use crate::tools::{AppendFile, CreateFile, EditFile, OneEdit, Think};

/// Where the pieces of a call's preview go.
pub(super) struct Show<'a> {
    pub(super) screen: &'a mut Screen,
    pub(super) files: &'a ProjectFiles,
    pub(super) sink: &'a mut dyn EventSink,
}

/// What a call does, as far as its typing can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Create,
    Append,
    Edit,
    Think,
    Other,
}

impl Kind {
    fn of(name: &str) -> Self {
        match name {
            CreateFile::NAME => Kind::Create,
            AppendFile::NAME => Kind::Append,
            EditFile::NAME => Kind::Edit,
            Think::NAME => Kind::Think,
            _ => Kind::Other,
        }
    }

    fn types_content(self) -> bool {
        matches!(self, Kind::Create | Kind::Append)
    }
}

/// A file that was being typed when its turn was given up.
pub(super) struct Draft {
    pub(super) path: ProjectPath,
    /// Whether its last character had come.
    pub(super) is_finished: bool,
}

/// One call and what of it is on the screen.
pub(super) struct CallPreview {
    pub(super) event_id: EventId,
    name: String,
    kind: Kind,
    object: PartialObject,
    is_started: bool,
    deltas: usize,
    /// `path` as far as it was typed.
    typed_path: String,
    /// The file the content goes to, once it is decided.
    path: Option<ProjectPath>,
    /// Whether the typed path is none: the tool will say so, and nothing is shown.
    is_refused: bool,
    content: Content,
    edits: Edits,
    /// What was thought since the last time.
    thought: String,
    last_sent: Option<Instant>,
}

/// The content of a `create_file` or `append_file` call.
#[derive(Default)]
struct Content {
    /// Decoded and not yet shown.
    held: String,
    /// Whether the first piece has been shown, so that the next ones append.
    is_shown: bool,
    /// Whether the start was looked at for a code fence.
    is_unwrapped: bool,
    /// Whether the start was looked at for a repetition of the file's end.
    is_joined: bool,
    is_finished: bool,
    /// Characters decoded in all.
    chars: usize,
}

impl CallPreview {
    pub(super) fn new(event_id: EventId, name: &str) -> Self {
        Self {
            event_id,
            name: name.to_owned(),
            kind: Kind::of(name),
            object: PartialObject::new(),
            is_started: false,
            deltas: 0,
            typed_path: String::new(),
            path: None,
            is_refused: false,
            content: Content::default(),
            edits: Edits::default(),
            thought: String::new(),
            last_sent: None,
        }
    }

    /// Whether `ToolStart` went out.
    pub(super) fn is_started(&self) -> bool {
        self.is_started
    }

    /// The tool that is called.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Takes the next piece of the arguments and shows what it allows.
    pub(super) fn push(&mut self, json: &str, now: Instant, show: &mut Show<'_>) {
        self.deltas += 1;
        let kind = self.kind;
        if kind == Kind::Other {
            return;
        }
        let (mut is_path_known, mut finished) = (false, Vec::new());
        let (content, typed_path, thought) = (&mut self.content, &mut self.typed_path, &mut self.thought);
        let edits = &mut self.edits;
        self.object.push(json, |part| match part {
            Part::Text { key: "path", text, finished } => {
                typed_path.push_str(text);
                is_path_known |= finished;
            }
            Part::Text { key: "content", text, finished } if kind.types_content() => {
                content.held.push_str(text);
                content.chars += text.chars().count();
                content.is_finished = finished;
            }
            Part::Text { key: "thought", text, .. } if kind == Kind::Think => thought.push_str(text),
            Part::Text { key: "new_text", text, .. } if kind == Kind::Edit => edits.typed(text),
            Part::Element { key: "edits", json } if kind == Kind::Edit => {
                let one = serde_json::from_str::<OneEdit>(json);
                finished.extend(one.inspect(|one| edits.typed(&one.new_text)));
            }
            _ => {}
        });
        if is_path_known {
            self.decide_path(show);
        }
        if self.is_refused {
            return;
        }
        if kind.types_content() && (self.path.is_some() || self.content.chars > 0) {
            self.start(show.sink);
            // A call that arrives in one piece is shown in paced pieces when its turn has ended.
            if !(self.deltas == 1 && self.object.is_complete()) {
                self.show_due(now, show);
            }
        }
        if kind == Kind::Edit {
            self.show_edits(finished, show);
        }
    }

    /// What was thought since the last time.
    pub(super) fn take_thought(&mut self) -> String {
        std::mem::take(&mut self.thought)
    }

    /// When held text may be shown at the latest; `None` while nothing waits for the clock.
    pub(super) fn due(&self) -> Option<Instant> {
        let waits = self.content.is_shown && self.content.held.chars().nth(MIN_APPEND_CHARS - 1).is_some();
        self.last_sent.filter(|_| waits).map(|sent| sent + FRAME)
    }

    /// Shows held text if its frame has come.
    pub(super) fn show_due(&mut self, now: Instant, show: &mut Show<'_>) {
        let enough = !self.content.is_shown || self.content.held.chars().nth(MIN_APPEND_CHARS - 1).is_some();
        let in_time = self.last_sent.is_none_or(|sent| now >= sent + FRAME);
        if enough && in_time && self.unwrap_start() && self.join_start(show.files) {
            let held = std::mem::take(&mut self.content.held);
            self.show(&held, now, show);
        }
    }

    /// Shows everything that is known, so that it can be kept.
    pub(super) fn show_rest(&mut self, now: Instant, show: &mut Show<'_>) -> Option<Draft> {
        if self.kind == Kind::Edit {
            // Edits are made together or not at all.
            show.screen.take_back(&self.event_id, show.files, show.sink);
        }
        if !self.kind.types_content() || self.is_refused || self.content.chars == 0 {
            return None;
        }
        if self.content.is_shown
            && !self.path.as_ref().is_some_and(|path| show.screen.is_by(&self.event_id, path))
        {
            // Another call wrote the file since; the rest of this one does not fit onto it.
            return None;
        }
        self.unwrap_start();
        if !self.content.is_joined && self.kind == Kind::Append {
            self.path.as_ref()?;
            self.join(show.files, true);
        }
        let held = std::mem::take(&mut self.content.held);
        self.show(&held, now, show);
        let is_finished = self.content.is_finished;
        self.path.clone().map(|path| Draft { path, is_finished })
    }

    /// The pieces in which a call that arrived whole is to be shown, one per frame; empty for others.
    pub(super) fn paced_pieces(&mut self, files: &ProjectFiles) -> Vec<String> {
        if self.deltas != 1 || self.is_refused || self.content.is_shown || !self.content.is_finished {
            return Vec::new();
        }
        self.content.held = html::strip_wrapping(&self.content.held).to_owned();
        self.content.is_unwrapped = true;
        if !self.join_start(files) {
            return Vec::new();
        }
        let held = std::mem::take(&mut self.content.held);
        let size = self.content.chars.div_ceil(MAX_WHOLE_APPENDS).max(MIN_WHOLE_APPEND_CHARS);
        let mut pieces = Vec::new();
        let mut rest = held.as_str();
        while !rest.is_empty() {
            let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
            pieces.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        pieces
    }

    /// Puts a piece of content on the screen.
    pub(super) fn show(&mut self, text: &str, now: Instant, show: &mut Show<'_>) {
        if text.is_empty() {
            return;
        }
        let path = self.path.get_or_insert_with(ProjectPath::index);
        let file = show.files.read(path).unwrap_or_default();
        let (is_shown, is_append) = (self.content.is_shown, self.kind == Kind::Append);
        if is_shown || (is_append && show.screen.text(path) == file) {
            show.screen.append(&self.event_id, path, text, show.sink);
        } else if is_append {
            // An earlier try left its own end on the screen.
            show.screen.replace(&self.event_id, path, &format!("{file}{text}"), show.sink);
        } else {
            show.screen.replace(&self.event_id, path, text, show.sink);
        }
        self.content.is_shown = true;
        self.last_sent = Some(now);
    }

    /// Says that the call began, once.
    pub(super) fn start_with(&mut self, input: Value, sink: &mut dyn EventSink) {
        if !std::mem::replace(&mut self.is_started, true) {
            let (event_id, name) = (self.event_id.clone(), self.name.clone());
            sink.emit(AgentEvent::ToolStart { event_id, name, input });
        }
    }

    fn start(&mut self, sink: &mut dyn EventSink) {
        if !self.is_started {
            let path = self.path.clone().unwrap_or_else(ProjectPath::index);
            let (length, preview) = match self.kind {
                Kind::Edit => (self.edits.chars, self.edits.start.clone()),
                _ => {
                    let start = self.content.held.chars().take(START_PREVIEW_CHARS);
                    (self.content.chars, start.collect::<String>())
                }
            };
            self.start_with(json!({ "path": path, "length": length, "preview": preview }), sink);
        }
    }

    fn decide_path(&mut self, show: &mut Show<'_>) {
        let typed = self.typed_path.as_str();
        let path = if typed.is_empty() { Ok(ProjectPath::index()) } else { ProjectPath::parse(typed) };
        let Ok(path) = path.and_then(|path| show.files.settled(path)) else {
            self.is_refused = true;
            return;
        };
        if self.kind == Kind::Append && show.files.read(&path).is_none() {
            self.is_refused = true;
            return;
        }
        if let Some(guessed) = self.path.replace(path.clone()).filter(|guessed| *guessed != path) {
            // What came before its path was shown as the index page: it moves.
            if self.kind == Kind::Edit {
                return self.edits.move_to(&path, &self.event_id, show);
            }
            let moved = show.screen.text(&guessed).to_owned();
            let before = show.files.read(&guessed).unwrap_or_default();
            show.screen.replace(&self.event_id, &guessed, before, show.sink);
            show.screen.replace(&self.event_id, &path, &moved, show.sink);
        }
    }

    /// Drops an opening code fence. Gives `false` while it is not known whether there is one.
    fn unwrap_start(&mut self) -> bool {
        let content = &mut self.content;
        if content.is_unwrapped {
            return true;
        }
        let start = content.held.trim_start();
        let may_be_wrapped = "```".starts_with(start.get(..3).unwrap_or(start))
            || "<file".starts_with(start.get(..5).unwrap_or(start));
        if may_be_wrapped
            && !content.is_finished
            && !start.contains('\n')
            && start.len() < START_PREVIEW_CHARS
        {
            return false;
        }
        content.is_unwrapped = true;
        if may_be_wrapped {
            content.held = html::strip_wrapping(&content.held).to_owned();
        }
        true
    }

    /// Drops what only repeats the end of the file. Gives `false` while more has to be known.
    fn join_start(&mut self, files: &ProjectFiles) -> bool {
        if self.kind != Kind::Append || self.content.is_joined {
            return true;
        }
        self.join(files, self.content.is_finished);
        self.content.is_joined
    }

    fn join(&mut self, files: &ProjectFiles, is_whole: bool) {
        let Some(path) = &self.path else { return };
        let file = files.read(path).unwrap_or_default();
        if let Some(dropped) = overlap::repeated(file, &self.content.held, is_whole) {
            self.content.held.drain(..dropped);
            self.content.is_joined = true;
        }
    }

    /// Shows the edits that are finished now. One that is given without a list is finished with its call.
    fn show_edits(&mut self, mut finished: Vec<OneEdit>, show: &mut Show<'_>) {
        if self.object.is_complete() && finished.is_empty() && !self.edits.is_begun() {
            finished.extend(serde_json::from_str::<OneEdit>(self.object.raw()));
        }
        if self.path.is_some() || self.edits.chars > 0 {
            self.start(show.sink);
        }
        for one in finished {
            let path = self.path.get_or_insert_with(ProjectPath::index);
            self.edits.show(one, path, &self.event_id, show);
        }
    }
}
