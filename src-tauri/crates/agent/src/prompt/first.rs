//! The first message: pictures, material, rules, and the request last.

use super::facts;
use super::fence::{BlockKind, fenced, quoted, shortened};
use super::request::{
    CreatePrompt, ElementOrigin, PromptImage, ReadyPicture, RoutePrompt, SelectedElement, UpdatePrompt,
};
use super::text::{self, filled};
use crate::message::{ImageBytes, UserMessage};
use crate::modify::context::{design_rules, is_design_rules, root_variables};
use crate::modify::memory::RecentTurn;
use crate::modify::router::IntentCategory;
use crate::project::{ProjectFiles, ProjectPath};

/// How much of the project's files is shown; the rest is there to be read.
pub const MAX_FILES_BYTES: usize = 96 * 1024;
/// How much of a picked element is shown.
pub const MAX_ELEMENT_CHARS: usize = 12_000;
/// How much of the design rules is sent.
pub const MAX_DESIGN_RULES_CHARS: usize = 20_000;
/// How much of the notes on earlier changes is sent.
pub const MAX_CARD_CHARS: usize = 2_000;
/// How many files or pictures are listed.
pub const MAX_LISTED: usize = 200;

/// The message that asks for a new page.
pub(super) fn create(request: &CreatePrompt<'_>) -> UserMessage {
    let task = match request.images.len() {
        0 => text::CREATE_FROM_TEXT,
        1 => text::CREATE_FROM_IMAGE,
        _ => text::CREATE_FROM_IMAGES,
    };
    let mut message = Sections::of(task);
    message.add_images(request.images, 0);
    message.add_ready_pictures(request.ready_pictures);
    message.add_design_rules(request.design_system);
    message.add_request(request.text);
    UserMessage { images: labelled(request.images, 0), text: message.text() }
}

/// The message that asks for a change.
pub(super) fn update(request: &UpdatePrompt<'_>) -> UserMessage {
    let task = match request.intent {
        IntentCategory::CodeChange => text::UPDATE,
        IntentCategory::PlanOnly => text::PLAN,
        IntentCategory::ReadOnly | IntentCategory::Conversation => text::ANSWER,
    };
    let mut message = Sections::of(task);
    message.add_files(request.files, request.preload);
    message.add_earlier(request.card, request.recent);
    message.add_ready_pictures(request.ready_pictures);
    if !request.images.is_empty() {
        message.add(filled(text::UPDATE_WITH_IMAGES, &[]));
        message.add_images(request.images, request.images_before);
    }
    message.add_design_rules(request.design_system.or_else(|| design_rules(request.files)));
    message.add_element(request.selected.as_ref());
    message.add_request(request.instruction);
    UserMessage { images: labelled(request.images, request.images_before), text: message.text() }
}

/// What is told of earlier turns.
pub(super) fn earlier(card: Option<&str>, recent: &[RecentTurn]) -> String {
    let mut section = Sections(Vec::new());
    section.add_earlier(card, recent);
    section.text()
}

/// The message that asks what a request is.
pub(super) fn route(request: &RoutePrompt<'_>) -> UserMessage {
    let mut message = Sections(Vec::new());
    message.add_under(text::FILES, &listed(request.files));
    message.add_earlier(request.card, &[]);
    if request.pictures > 0 {
        message.add(format!("Pictures that come with the request: {}.", request.pictures));
    }
    message.add_request(request.instruction);
    UserMessage::text(message.text())
}

fn label(number: usize) -> String {
    format!("image {number}")
}

fn labelled(images: &[PromptImage<'_>], before: usize) -> Vec<ImageBytes> {
    let numbered = images.iter().zip(before + 1..);
    numbered.map(|(image, number)| ImageBytes { label: label(number), ..image.image.clone() }).collect()
}

/// The parts of a message, one blank line apart.
struct Sections(Vec<String>);

impl Sections {
    fn of(task: &str) -> Self {
        Self(vec![filled(task, &[])])
    }

    fn add(&mut self, section: String) {
        self.0.push(section);
    }

    fn add_under(&mut self, heading: &str, section: &str) {
        self.add(format!("{}\n\n{section}", heading.trim_end()));
    }

    fn text(self) -> String {
        self.0.join("\n\n")
    }

    fn add_images(&mut self, images: &[PromptImage<'_>], before: usize) {
        let lines: Vec<String> = images
            .iter()
            .zip(before + 1..)
            .map(|(image, number)| {
                let (name, width, height) = (quoted(image.name), image.width, image.height);
                format!("[image {number}] name={name} size={width}x{height}")
            })
            .collect();
        if !lines.is_empty() {
            self.add(lines.join("\n"));
        }

        let mut blocks = Vec::new();
        let mut room = facts::MAX_FACTS_BYTES;
        for (at, image) in images.iter().enumerate() {
            // What a picture does not need is left to those after it.
            let share = room / (images.len() - at);
            let Some(facts) = image.facts else { continue };
            let Some(block) = facts::block(&label(before + at + 1), facts, share) else { continue };
            room = room.saturating_sub(block.len());
            blocks.push(block);
        }
        if !blocks.is_empty() {
            self.add_under(text::FACTS, &blocks.join("\n\n"));
        }
    }

    fn add_ready_pictures(&mut self, pictures: &[ReadyPicture<'_>]) {
        if pictures.is_empty() {
            return;
        }
        let mut lines: Vec<String> = pictures.iter().take(MAX_LISTED).map(line_of_picture).collect();
        lines.extend(more_than_listed(pictures.len(), "pictures"));
        self.add_under(text::READY_PICTURES, &lines.join("\n"));
    }

    fn add_files(&mut self, files: &ProjectFiles, preload: &[ProjectPath]) {
        let mut section = listed(files);
        let mut room = MAX_FILES_BYTES;
        for (path, text) in by_usefulness(files, preload) {
            section.push_str("\n\n");
            if text.len() > room {
                section.push_str(&format!("{} is not shown for its length.", path.as_str()));
                let variables = root_variables(text);
                if !variables.is_empty() {
                    let attributes = [("kind", "variables"), ("path", path.as_str())];
                    section.push('\n');
                    section.push_str(&fenced(BlockKind::Data, &attributes, &variables.join("\n")));
                }
                continue;
            }
            room -= text.len();
            let attributes = [("kind", "file"), ("path", path.as_str())];
            section.push_str(&fenced(BlockKind::Data, &attributes, text));
        }
        if !files.is_empty() {
            self.add_under(text::FILES, &section);
        }
    }

    fn add_earlier(&mut self, card: Option<&str>, recent: &[RecentTurn]) {
        let card = card.map(str::trim).filter(|card| !card.is_empty());
        let notes = card.map(|card| {
            let card = shortened(card, MAX_CARD_CHARS);
            fenced(BlockKind::Data, &[("kind", "notes")], &card)
        });
        let turns = recent.iter().map(|turn| fenced(BlockKind::Data, &[("kind", "turn")], &turn.text()));
        let blocks: Vec<_> = notes.into_iter().chain(turns).collect();
        if !blocks.is_empty() {
            self.add_under(text::CARD, &blocks.join("\n\n"));
        }
    }

    fn add_element(&mut self, element: Option<&SelectedElement<'_>>) {
        let Some(element) = element else { return };
        let place = match element.origin {
            ElementOrigin::Source { file, line } => format!("{}:{line}", file.as_str()),
            ElementOrigin::Script => "made by a script of the page".to_owned(),
        };
        let nth = format!("{} of {}", element.kth, element.of);
        let attributes =
            [("kind", "element"), ("from", place.as_str()), ("path", element.path), ("which", nth.as_str())];
        let html = shortened(element.html, MAX_ELEMENT_CHARS);
        let mut block = fenced(BlockKind::Data, &attributes, &html);
        if html.len() != element.html.len() {
            block.push_str(&format!("\nOnly its first {MAX_ELEMENT_CHARS} characters are shown."));
        }
        self.add_under(text::ELEMENT, &block);
    }

    fn add_design_rules(&mut self, rules: Option<&str>) {
        let Some(rules) = rules.map(str::trim).filter(|rules| !rules.is_empty()) else { return };
        let sent = shortened(rules, MAX_DESIGN_RULES_CHARS);
        let mut block = fenced(BlockKind::Rules, &[], &sent);
        if sent.len() != rules.len() {
            block.push_str(&format!("\nOnly their first {MAX_DESIGN_RULES_CHARS} characters are shown."));
        }
        self.add_under(text::DESIGN_RULES, &block);
    }

    fn add_request(&mut self, request: &str) {
        let request = request.trim();
        if !request.is_empty() {
            self.add_under(text::REQUEST, &fenced(BlockKind::Request, &[], request));
        }
    }
}

fn line_of_picture(picture: &ReadyPicture<'_>) -> String {
    let path = picture.path.as_str();
    match picture.place {
        None => format!("- {path}"),
        Some(place) => format!(
            "- {path} ({}x{}, from image {} at x {}, y {})",
            place.w, place.h, place.image, place.x, place.y
        ),
    }
}

fn more_than_listed(count: usize, what: &str) -> Option<String> {
    (count > MAX_LISTED).then(|| format!("- and {} more {what}", count - MAX_LISTED))
}

/// The files by name and size.
fn listed(files: &ProjectFiles) -> String {
    let line = |(path, text): (&ProjectPath, &str)| {
        format!("- {} ({} lines, {} bytes)", path.as_str(), text.lines().count(), text.len())
    };
    let mut lines: Vec<String> = files.iter().take(MAX_LISTED).map(line).collect();
    lines.extend(more_than_listed(files.len(), "files"));
    lines.join("\n")
}

/// The files that were asked for first, then the shown page, style sheets, pages and scripts, and the rest.
fn by_usefulness<'a>(files: &'a ProjectFiles, preload: &[ProjectPath]) -> Vec<(&'a ProjectPath, &'a str)> {
    let main_page = files.main_page().map(|(path, _)| path);
    // Design rules have a block of their own.
    let mut sorted: Vec<_> =
        files.iter().take(MAX_LISTED).filter(|(path, _)| !is_design_rules(path)).collect();
    sorted.sort_by_key(|(path, _)| match path.extension() {
        _ if preload.contains(path) => 0,
        _ if Some(*path) == main_page => 1,
        Some("css") => 2,
        Some("html" | "js") => 3,
        _ => 4,
    });
    sorted
}
