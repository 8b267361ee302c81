//! Which models make pictures, and what is known of their prices.

/// Who makes pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PictureVendor {
    /// Replicate.
    Replicate,
    /// OpenAI.
    OpenAi,
    /// Google.
    Gemini,
}

impl PictureVendor {
    /// The vendor's own address.
    pub fn base(self) -> &'static str {
        match self {
            PictureVendor::Replicate => "https://api.replicate.com/v1",
            PictureVendor::OpenAi => "https://api.openai.com/v1",
            PictureVendor::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }

    /// What a person calls it.
    pub fn display_name(self) -> &'static str {
        match self {
            PictureVendor::Replicate => "Replicate",
            PictureVendor::OpenAi => "OpenAI",
            PictureVendor::Gemini => "Gemini",
        }
    }
}

/// A model that makes pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureModel {
    /// Its name at the vendor.
    pub id: &'static str,
    /// Who has it.
    pub vendor: PictureVendor,
    /// What is held for one picture before it is made; `None` where nobody knows the price.
    pub reserve_usd: Option<f64>,
}

const fn model(id: &'static str, vendor: PictureVendor, reserve_usd: Option<f64>) -> PictureModel {
    PictureModel { id, vendor, reserve_usd }
}

/// The models on offer, the usual one first.
pub const PICTURE_MODELS: [PictureModel; 7] = [
    model("prunaai/z-image-turbo", PictureVendor::Replicate, None),
    model("black-forest-labs/flux-2-klein-4b", PictureVendor::Replicate, None),
    model("black-forest-labs/flux-schnell", PictureVendor::Replicate, None),
    // A large picture is about 6,000 tokens of output at $30 a million.
    model("gpt-image-2.6-flare", PictureVendor::OpenAi, Some(0.2)),
    model("gpt-image-2.6-sunburst", PictureVendor::OpenAi, Some(0.2)),
    model("gpt-image-2", PictureVendor::OpenAi, Some(0.2)),
    model("gemini-3.1-flash-image", PictureVendor::Gemini, None),
];

/// The model of a name.
pub fn picture_model(id: &str) -> Option<PictureModel> {
    PICTURE_MODELS.into_iter().find(|model| model.id == id)
}
