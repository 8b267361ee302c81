//! What the picture tools order: the inputs of their tasks, as they stand in the row and are read back after a restart.

use serde::{Deserialize, Serialize};

use crate::ids::AssetId;

/// The inputs of `generate_images`: a result for each picture, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerateOrder {
    /// What is to be made.
    pub pictures: Vec<WishedPicture>,
}

/// A picture to be made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WishedPicture {
    /// What it shows.
    pub prompt: String,
    /// Its width.
    pub width_px: u32,
    /// Its height.
    pub height_px: u32,
    /// Whether its background is to be seen through.
    pub is_transparent: bool,
}

/// The inputs of `edit_image`: one result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditOrder {
    /// The pictures to work on.
    pub images: Vec<AssetId>,
    /// What is to change.
    pub prompt: String,
    /// The shape of the result, such as `16:9`; `None` for that of the first picture.
    pub aspect_ratio: Option<String>,
}

/// The inputs of `remove_background`: a result for each picture, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutOutOrder {
    /// The pictures to be cut free.
    pub images: Vec<AssetId>,
}
