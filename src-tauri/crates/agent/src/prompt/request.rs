//! What a prompt is made from.

use serde_json::Value;

use super::stack::Stack;
use crate::message::ImageBytes;
use crate::modify::memory::RecentTurn;
use crate::modify::router::IntentCategory;
use crate::project::{ProjectFiles, ProjectPath};
use crate::tool::ToolSpec;

/// What holds for a whole conversation. The system prompt depends on this alone.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// What pages are made with.
    pub stack: Stack,
    /// The tools as they are offered: the same list as the request's tool table.
    pub tools: &'a [ToolSpec],
    /// Where pictures in pages come from.
    pub image_policy: ImagePolicy,
}

/// Where the pictures in a page come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ImagePolicy {
    /// Coloured boxes and simple drawings.
    Placeholders,
    /// Pieces of the screenshot.
    #[default]
    Crops,
    /// Pieces of the screenshot, and new pictures for the rest; without a tool that makes them, pieces only.
    Generate,
}

impl ImagePolicy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Placeholders, Self::Crops, Self::Generate];

    /// The policy of a name as settings write it.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == name)
    }

    /// Its name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Placeholders => "placeholders",
            Self::Crops => "crops",
            Self::Generate => "generate",
        }
    }
}

/// A picture of the person's.
#[derive(Debug, Clone, Copy)]
pub struct PromptImage<'a> {
    /// The picture; its label is given by the prompt.
    pub image: &'a ImageBytes,
    /// What the person's file is called.
    pub name: &'a str,
    /// Its width in pixels, as shown to the model.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// What was measured in it, with the field names of the trace.
    pub facts: Option<&'a Value>,
}

/// A picture that lies in the project and may be used by its path.
#[derive(Debug, Clone, Copy)]
pub struct ReadyPicture<'a> {
    /// Where it lies, such as `assets/0123456789abcdef.png`.
    pub path: &'a ProjectPath,
    /// Where it was cut from.
    pub place: Option<CropPlace>,
}

/// A box in a numbered picture, in page pixels as its facts count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CropPlace {
    /// The number of the picture, from 1.
    pub image: usize,
    /// Left edge.
    pub x: u32,
    /// Top edge.
    pub y: u32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
}

/// A new page.
#[derive(Debug, Clone, Copy)]
pub struct CreatePrompt<'a> {
    /// What holds for the conversation.
    pub terms: Terms<'a>,
    /// The screenshots, numbered from 1 in this order; none for a page from words alone.
    pub images: &'a [PromptImage<'a>],
    /// Pictures that were cut out beforehand.
    pub ready_pictures: &'a [ReadyPicture<'a>],
    /// The person's words; may be empty beside screenshots.
    pub text: &'a str,
    /// The design rules.
    pub design_system: Option<&'a str>,
}

/// A change to a page.
#[derive(Debug, Clone, Copy)]
pub struct UpdatePrompt<'a> {
    /// What holds for the conversation.
    pub terms: Terms<'a>,
    /// What is asked for.
    pub instruction: &'a str,
    /// What it was taken for.
    pub intent: IntentCategory,
    /// The files that are shown before all others.
    pub preload: &'a [ProjectPath],
    /// New pictures that belong to the request.
    pub images: &'a [PromptImage<'a>],
    /// How many pictures the conversation already has: numbers go on from there.
    pub images_before: usize,
    /// Pictures of the project.
    pub ready_pictures: &'a [ReadyPicture<'a>],
    /// The project's files; small ones are shown whole.
    pub files: &'a ProjectFiles,
    /// The element the person picked.
    pub selected: Option<SelectedElement<'a>>,
    /// What was done before, in short.
    pub card: Option<&'a str>,
    /// The last turns, oldest first.
    pub recent: &'a [RecentTurn],
    /// The design rules.
    pub design_system: Option<&'a str>,
}

/// A request that is to be sorted before the work on it begins.
#[derive(Debug, Clone, Copy)]
pub struct RoutePrompt<'a> {
    /// What is asked for.
    pub instruction: &'a str,
    /// How many pictures come with it.
    pub pictures: usize,
    /// The project's files; their names are told.
    pub files: &'a ProjectFiles,
    /// What was done before, in short.
    pub card: Option<&'a str>,
}

/// An element picked in the preview.
#[derive(Debug, Clone, Copy)]
pub struct SelectedElement<'a> {
    /// The element with its content.
    pub html: &'a str,
    /// Its ancestors, such as `body > main > section.pricing > div.card`.
    pub path: &'a str,
    /// Where it comes from.
    pub origin: ElementOrigin<'a>,
    /// Which of the elements from the same place it is, from 1.
    pub kth: usize,
    /// How many there are.
    pub of: usize,
}

/// Where an element comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementOrigin<'a> {
    /// It stands in a file at a line, from 1.
    Source {
        /// The file.
        file: &'a ProjectPath,
        /// The line.
        line: usize,
    },
    /// A script of the page made it.
    Script,
}
