//! Services that make pictures: Replicate, OpenAI and Gemini behind one [`PictureMaker`], and boxes found by a model
//! that sees.
//!
//! A [`PictureMaker`] speaks to one vendor with one key. What a vendor only gives an address for is fetched at once
//! through the [`GuardedClient`](crate::GuardedClient), which never sees the key.

mod ask;
pub mod boxes;
mod catalog;
mod gemini_images;
mod openai_images;
mod pace;
mod patience;
mod replicate;

use std::sync::Arc;

use facsimile_agent::ports::TaskStage;
use facsimile_agent::{ErrorKind, Failure, Secret, SessionError};
use tokio_util::sync::CancellationToken;

pub use catalog::{PICTURE_MODELS, PictureModel, PictureVendor, picture_model};
pub use pace::Pace;

use crate::connect::Connector;
use crate::endpoint::{AddressRefused, BaseAddress, Endpoint, Family, Flavour};
use crate::error::Rejection;
use crate::guarded::GuardedClient;
use crate::http::{KeyHeader, Link};
use ask::{Asking, Stages};
use patience::Patience;

/// A picture to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureWish {
    /// What it shows.
    pub prompt: String,
    /// Its width in pixels, as near as the vendor can.
    pub width: u32,
    /// Its height in pixels, as near as the vendor can.
    pub height: u32,
    /// Whether its background is to be seen through.
    pub is_transparent: bool,
}

/// Pictures to be changed into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditWish {
    /// The pictures, encoded.
    pub pictures: Vec<Vec<u8>>,
    /// What is to change.
    pub prompt: String,
    /// The shape of the result, such as `16:9`; `None` for that of the first picture.
    pub aspect_ratio: Option<String>,
}

/// A picture that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct MadePicture {
    /// Its true media type.
    pub mime: &'static str,
    /// The encoded picture.
    pub bytes: Vec<u8>,
    /// What it cost, where the vendor says so.
    pub cost_usd: Option<f64>,
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotMade {
    /// It was stopped, here or there.
    #[error("it was stopped")]
    Cancelled,
    /// It went wrong.
    #[error("{}", .0.message)]
    Failed(Failure),
}

impl From<Failure> for NotMade {
    fn from(failure: Failure) -> Self {
        NotMade::Failed(failure)
    }
}

impl From<SessionError> for NotMade {
    fn from(error: SessionError) -> Self {
        NotMade::Failed(error.failure)
    }
}

/// Makes pictures at one vendor.
#[derive(Debug, Clone)]
pub struct PictureMaker {
    model: PictureModel,
    asking: Asking,
    fetch: GuardedClient,
}

impl PictureMaker {
    /// A maker at the vendor of a model.
    pub fn at_vendor(
        connector: &Connector,
        model: PictureModel,
        key: &Secret,
        fetch: GuardedClient,
    ) -> Result<Self, SessionError> {
        Self::at(connector, model, model.vendor.base(), key, fetch)
    }

    /// A maker at another address that speaks like the model's vendor.
    pub fn at(
        connector: &Connector,
        model: PictureModel,
        address: &str,
        key: &Secret,
        fetch: GuardedClient,
    ) -> Result<Self, SessionError> {
        let who = model.vendor.display_name();
        let (family, header) = match model.vendor {
            PictureVendor::Replicate => (Family::OpenAiChat, KeyHeader::Bearer),
            PictureVendor::OpenAi => (Family::OpenAiResponses, KeyHeader::Bearer),
            PictureVendor::Gemini => (Family::Gemini, KeyHeader::XGoogApiKey),
        };
        let told = |refused: AddressRefused| crate::http::bad_address(&refused).told_by(who);
        let base = BaseAddress::parse(family, address).map_err(told)?;
        let endpoint = Endpoint { family, base, flavour: Flavour::Plain };
        let link = Link::new(&connector.clients, &endpoint, Some(key), header, &[])
            .map_err(|rejection| rejection.told_by(who))?;
        let brings_pictures = model.vendor != PictureVendor::Replicate;
        let (pace, stages) = (Pace::default(), Stages::default());
        Ok(Self { model, asking: Asking { link, endpoint, who, pace, stages, brings_pictures }, fetch })
    }

    /// The same with other pauses.
    pub fn paced(mut self, pace: Pace) -> Self {
        self.asking.pace = pace;
        self
    }

    /// The same, telling this of every stage of a picture.
    pub fn telling(mut self, listener: impl Fn(TaskStage) + Send + Sync + 'static) -> Self {
        self.asking.stages = Stages(Some(Arc::new(listener)));
        self
    }

    /// What it makes pictures with.
    pub fn model(&self) -> PictureModel {
        self.model
    }

    /// Makes a picture.
    pub async fn generate(
        &self,
        wish: &PictureWish,
        cancel: &CancellationToken,
    ) -> Result<MadePicture, NotMade> {
        let patience = self.ordered(cancel);
        match self.model.vendor {
            PictureVendor::Replicate => {
                self.replicate(self.model.id, &replicate::generation(&self.model, wish), patience).await
            }
            PictureVendor::OpenAi => self.openai_generation(wish, patience).await,
            PictureVendor::Gemini => {
                self.gemini(&gemini_images::body(&wish.prompt, &[], Some(aspect_ratio(wish))), patience).await
            }
        }
    }

    /// Changes pictures into one.
    pub async fn edit(&self, wish: &EditWish, cancel: &CancellationToken) -> Result<MadePicture, NotMade> {
        let patience = self.ordered(cancel);
        let EditWish { pictures, prompt, aspect_ratio } = wish;
        let pictures = patience.with(sendable(pictures.clone())).await??;
        match self.model.vendor {
            PictureVendor::Replicate => {
                let input = replicate::edit(prompt, &pictures, aspect_ratio.as_deref());
                self.replicate(replicate::EDIT_MODEL, &input, patience).await
            }
            PictureVendor::OpenAi => self.openai_edit(prompt, &pictures, patience).await,
            PictureVendor::Gemini => {
                self.gemini(&gemini_images::body(prompt, &pictures, aspect_ratio.as_deref()), patience).await
            }
        }
    }

    /// Cuts a picture free of its background.
    pub async fn remove_background(
        &self,
        picture: &[u8],
        cancel: &CancellationToken,
    ) -> Result<MadePicture, NotMade> {
        let patience = self.ordered(cancel);
        let pictures = patience.with(sendable(vec![picture.to_vec()])).await??;
        let input = pictures.first().map(replicate::cut_out).unwrap_or_default();
        self.replicate(replicate::CUT_OUT_MODEL, &input, patience).await
    }

    /// The order begins, and with it the time for the whole picture.
    fn ordered<'a>(&self, cancel: &'a CancellationToken) -> Patience<'a> {
        self.asking.stages.is_at(TaskStage::Sending);
        Patience::from_now(self.asking.pace, self.asking.who, cancel)
    }

    fn failed(&self, rejection: Rejection) -> NotMade {
        NotMade::Failed(rejection.masked(self.asking.link.mask()).told_by(self.asking.who).failure)
    }

    fn not_understood(&self, words: &str) -> NotMade {
        self.failed(Rejection::protocol(words))
    }
}

/// A picture as it may be sent: turned upright, small enough, without its metadata.
#[derive(Debug, Clone)]
struct Sendable {
    mime: &'static str,
    bytes: std::sync::Arc<[u8]>,
}

/// Made ready off the threads that carry events: pictures are decoded and made smaller for it.
async fn sendable(pictures: Vec<Vec<u8>>) -> Result<Vec<Sendable>, Failure> {
    let ready = |bytes: &Vec<u8>| {
        let image = crate::images::whole(bytes)?;
        Ok(Sendable { mime: image.mime, bytes: image.bytes })
    };
    let made = tokio::task::spawn_blocking(move || pictures.iter().map(ready).collect());
    made.await.unwrap_or_else(|_| {
        let failure = Failure::new(ErrorKind::Unknown, "the program met an error of its own");
        Err(failure.with_next_step("Try again"))
    })
}

/// The usual shape that is nearest to a size.
fn aspect_ratio(wish: &PictureWish) -> &'static str {
    const SHAPES: [(&str, f64); 9] = [
        ("1:1", 1.0),
        ("3:2", 1.5),
        ("2:3", 2.0 / 3.0),
        ("4:3", 4.0 / 3.0),
        ("3:4", 0.75),
        ("16:9", 16.0 / 9.0),
        ("9:16", 9.0 / 16.0),
        ("21:9", 21.0 / 9.0),
        ("9:21", 9.0 / 21.0),
    ];
    let wanted = (f64::from(wish.width.max(1)) / f64::from(wish.height.max(1))).ln();
    let distance = |shape: f64| (shape.ln() - wanted).abs();
    SHAPES
        .into_iter()
        .min_by(|(_, a), (_, b)| distance(*a).total_cmp(&distance(*b)))
        .map_or("1:1", |(name, _)| name)
}

/// A picture out of an answer, known by its bytes.
fn decoded_picture(base64: &str) -> Option<(&'static str, Vec<u8>)> {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::STANDARD.decode(base64).ok()?;
    Some((crate::images::sniffed(&bytes)?, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_gets_the_nearest_usual_shape() {
        let shape = |width, height| {
            aspect_ratio(&PictureWish { prompt: String::new(), width, height, is_transparent: false })
        };
        let shapes =
            [(100, 100), (1920, 1080), (390, 844), (300, 200), (0, 5), (9000, 10)].map(|(w, h)| shape(w, h));
        assert_eq!(shapes, ["1:1", "16:9", "9:21", "3:2", "9:21", "21:9"]);
    }
}
