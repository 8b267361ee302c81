//! Whether pictures are made, and with what.

use std::time::Duration;

use facsimile_providers::media::{NotMade, PICTURE_MODELS, PictureModel, PictureVendor, picture_model};
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use ts_rs::TS;

use super::{Makers, Purpose, key_of};
use crate::connect::TestView;
use crate::error::StudioError;
use crate::run::request::RequestRefused;
use crate::studio::Studio;

/// A test of a key takes no longer.
const TEST_TIME: Duration = Duration::from_secs(10);
/// The key of the switch.
const GENERATE_IMAGES: &str = "generateImages";
/// The key of the model that was chosen.
const IMAGE_MODEL: &str = "imageModel";

/// Whether pictures are made, and with what.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct ImageSettings {
    /// Whether the person switched it on.
    pub is_on: bool,
    /// The model that is asked where its vendor has a key.
    pub model: String,
    /// All there are.
    pub models: Vec<ImageModelView>,
    /// Whose pictures have a price that nobody knows; none while no such service is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpriced: Option<String>,
}

/// A model that makes pictures.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct ImageModelView {
    /// Its id.
    pub id: String,
    /// Where its key is kept: `replicate`, `openai` or `gemini`.
    pub provider: String,
    /// What people call its vendor.
    pub vendor: String,
    /// The most that one picture costs, in dollars; none where nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_usd: Option<f64>,
    /// Whether there is a key for it.
    pub has_key: bool,
}

impl Makers {
    pub(super) fn is_on(&self) -> bool {
        let kept = self.inner.store.settings().get(GENERATE_IMAGES);
        kept.ok().flatten().unwrap_or(false)
    }

    pub(super) fn chosen_model(&self) -> Option<PictureModel> {
        let kept: Option<String> = self.inner.store.settings().get(IMAGE_MODEL).ok().flatten();
        kept.and_then(|id| picture_model(&id))
    }

    /// Whether Replicate takes the key that is there.
    pub(crate) async fn test_replicate(&self) -> TestView {
        let name = PictureVendor::Replicate.display_name();
        let asked = async {
            let maker = self.maker(PICTURE_MODELS[0]).await?;
            maker.account(&CancellationToken::new()).await
        };
        match tokio::time::timeout(TEST_TIME, asked).await {
            Ok(Ok(())) => TestView { ok: true, message: format!("{name} answers") },
            Ok(Err(NotMade::Failed(failure))) => {
                let next = failure.next_step.map(|step| format!(". {step}")).unwrap_or_default();
                TestView { ok: false, message: format!("{}{next}", failure.message) }
            }
            Ok(Err(NotMade::Cancelled)) | Err(_) => {
                TestView { ok: false, message: format!("{name} did not answer within 10 seconds") }
            }
        }
    }

    fn settings(&self) -> ImageSettings {
        let view = |model: PictureModel| ImageModelView {
            id: model.id.to_owned(),
            provider: key_of(model.vendor).to_string(),
            vendor: model.vendor.display_name().to_owned(),
            price_usd: model.reserve_usd,
            has_key: self.has_key(model.vendor),
        };
        let chosen = self.chosen_model().or_else(|| {
            let mut models = PICTURE_MODELS.into_iter();
            models.find(|model| self.has_key(model.vendor))
        });
        ImageSettings {
            is_on: self.is_on(),
            model: chosen.unwrap_or(PICTURE_MODELS[0]).id.to_owned(),
            models: PICTURE_MODELS.into_iter().map(view).collect(),
            unpriced: self.unpriced().map(str::to_owned),
        }
    }
}

impl Studio {
    /// Whether pictures are made, and with what. Asks no keychain.
    pub fn image_settings(&self) -> ImageSettings {
        self.makers().settings()
    }

    /// Who makes pictures; none while no service is asked. Asks no keychain.
    pub(crate) fn image_vendor(&self) -> Option<&'static str> {
        self.makers().service_model(Purpose::Generate).map(|model| model.vendor.display_name())
    }

    /// Switches the making of pictures on or off and chooses its model.
    pub fn save_image_settings(&self, is_on: bool, model: &str) -> Result<ImageSettings, StudioError> {
        if picture_model(model).is_none() {
            return Err(RequestRefused::NoImageModel(model.to_owned()).into());
        }
        self.store().settings().set(IMAGE_MODEL, &model)?;
        self.store().settings().set(GENERATE_IMAGES, &is_on)?;
        Ok(self.image_settings())
    }
}
