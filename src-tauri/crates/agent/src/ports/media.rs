//! The pictures a conversation can name.

use std::sync::Arc;

use crate::ids::AssetId;
use crate::project::ProjectPath;

/// Where a picture came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageOrigin {
    /// The designer gave it.
    Uploaded,
    /// It is a file of the project.
    Asset(ProjectPath),
}

/// A picture that was shown or named in the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleImage {
    /// What the designer called it.
    pub name: String,
    /// Where it came from.
    pub origin: ImageOrigin,
    /// Its content's name in the store.
    pub asset: AssetId,
    /// Its media type.
    pub mime: String,
    /// The encoded picture as it was given.
    pub bytes: Arc<[u8]>,
    /// Its upright width.
    pub width_px: u32,
    /// Its upright height.
    pub height_px: u32,
    /// Whether it moves.
    pub is_animated: bool,
}

/// The pictures of a conversation, numbered from 1 in the order they came. Numbers never change: what the tools are
/// offered for and what they resolve is this one list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisibleMedia {
    images: Vec<VisibleImage>,
}

/// No picture has this number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no image {number}; {known}")]
pub struct NoSuchImage {
    /// What was asked for.
    pub number: u32,
    /// The list of those there are, in words.
    pub known: String,
}

impl VisibleMedia {
    /// These pictures, numbered in their order.
    pub fn of(images: Vec<VisibleImage>) -> Self {
        Self { images }
    }

    /// Adds a picture and gives its number. One that is there already, by content, keeps its own.
    pub fn add(&mut self, image: VisibleImage) -> u32 {
        let known = self.images.iter().position(|held| held.asset == image.asset);
        let at = known.unwrap_or_else(|| {
            self.images.push(image);
            self.images.len() - 1
        });
        number_of(at)
    }

    /// The picture of this number.
    pub fn image(&self, number: u32) -> Result<&VisibleImage, NoSuchImage> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| self.images.get(at)).ok_or_else(|| NoSuchImage { number, known: self.known() })
    }

    /// Every picture with its number.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &VisibleImage)> {
        self.images.iter().enumerate().map(|(at, image)| (number_of(at), image))
    }

    /// The list as a model reads it, such as `[image 1] name=shop.png size=1280x2000`.
    pub fn known(&self) -> String {
        if self.images.is_empty() {
            return "there are no images in this conversation".to_owned();
        }
        let line = |(number, image): (u32, &VisibleImage)| {
            format!("[image {number}] name={} size={}x{}", image.name, image.width_px, image.height_px)
        };
        format!("the images are {}", self.numbered().map(line).collect::<Vec<_>>().join(", "))
    }
}

fn number_of(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(name: &str, content: u8) -> VisibleImage {
        VisibleImage {
            name: name.to_owned(),
            origin: ImageOrigin::Uploaded,
            asset: AssetId::parse(&format!("{content:064x}")).unwrap(),
            mime: "image/png".to_owned(),
            bytes: Arc::from([content]),
            width_px: 4,
            height_px: 3,
            is_animated: false,
        }
    }

    #[test]
    fn numbers_stay_and_the_same_content_has_one() {
        let mut media = VisibleMedia::of(vec![image("a.png", 1)]);
        let numbers = [image("b.png", 2), image("again.png", 1), image("c.png", 3)].map(|i| media.add(i));
        assert_eq!(numbers, [2, 1, 3]);
    }

    #[test]
    fn an_unknown_number_is_refused_with_the_known_ones() {
        let media = VisibleMedia::of(vec![image("a.png", 1), image("b.png", 2)]);
        let refused = [0, 3, u32::MAX].map(|number| media.image(number).unwrap_err().to_string());
        let list = "the images are [image 1] name=a.png size=4x3, [image 2] name=b.png size=4x3";
        assert_eq!(refused, [0, 3, u32::MAX].map(|n| format!("there is no image {n}; {list}")));
    }
}
