//! Who makes pictures: a service with the person's key, or this machine.
//!
//! [`Makers`] knows the settings, the keys and the places of the services. It says what can be done before a run, without
//! asking the keychain, and does it in the tasks of the picture tools.

mod cutting_out;
mod editing;
mod generating;
mod pieces;
mod progress;
mod services;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use facsimile_agent::ports::TaskStage;
use facsimile_agent::tool::Making;
use facsimile_agent::{ErrorKind, Failure};
use facsimile_providers::Connector;
use facsimile_providers::media::{PICTURE_MODELS, PictureMaker, PictureModel, PictureVendor};
use facsimile_store::{HistoryStore, KeyId, Task};
use tokio::sync::Semaphore;

use crate::connect::{vendor_variable, was_key_set};
use crate::keys::Keys;
use crate::tasks::{Pool, TaskWork};
pub(crate) use pieces::{FAILED, PIECES};
pub use services::{SERVICE_VARIABLE, ServiceRefused, Services};
pub use settings::{ImageModelView, ImageSettings};

/// Pictures that services make at a time, over all tasks.
const SERVICE_AT_ONCE: usize = 4;
/// What is to become of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// New ones.
    Generate,
    /// Changed ones.
    Edit,
    /// Ones without their background.
    CutOut,
}

impl Purpose {
    /// The tool that orders it.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Purpose::Generate => "generate_images",
            Purpose::Edit => "edit_image",
            Purpose::CutOut => "remove_background",
        }
    }

    fn of_kind(kind: &str) -> Option<Self> {
        [Purpose::Generate, Purpose::Edit, Purpose::CutOut].into_iter().find(|one| one.kind() == kind)
    }
}

/// Who makes pictures. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Makers {
    inner: Arc<Inner>,
}

struct Inner {
    store: HistoryStore,
    keys: Arc<Keys>,
    connector: Arc<Connector>,
    services: Services,
    slots: Semaphore,
}

impl Makers {
    pub(crate) fn new(
        store: HistoryStore,
        keys: Arc<Keys>,
        connector: Arc<Connector>,
        services: Services,
    ) -> Self {
        let slots = Semaphore::new(SERVICE_AT_ONCE);
        Self { inner: Arc::new(Inner { store, keys, connector, services, slots }) }
    }

    /// How long a tool may wait for what it ordered.
    pub(crate) fn longest_wait(&self) -> Duration {
        self.inner.services.longest_wait()
    }

    /// The works of the picture tools.
    pub(crate) fn works(&self) -> Vec<Arc<dyn TaskWork>> {
        vec![
            Arc::new(generating::Generating { makers: self.clone() }),
            Arc::new(editing::Editing { makers: self.clone() }),
            Arc::new(cutting_out::CuttingOut { makers: self.clone() }),
        ]
    }

    /// How it is done now; `None` where it is not. New and changed pictures are for those who switched them on, and
    /// so is every service.
    pub(crate) fn making(&self, purpose: Purpose) -> Option<Making> {
        if let Some(model) = self.service_model(purpose) {
            return Some(Making::Service { usd_each: self.usd_each(purpose, &model) });
        }
        match purpose {
            Purpose::Generate => self.is_on().then_some(Making::Local),
            Purpose::Edit => None,
            Purpose::CutOut => Some(Making::Local),
        }
    }

    /// What a task with so many results is expected to cost; `None` where it costs nothing, and `None` in it where
    /// nobody knows.
    pub(crate) fn expected_usd(&self, kind: &str, results: u32) -> Option<Option<f64>> {
        match self.making(Purpose::of_kind(kind)?)? {
            Making::Service { usd_each } => Some(usd_each.map(|usd| usd * f64::from(results))),
            Making::Local => None,
        }
    }

    /// Whose pictures have a price that nobody knows; none while no such service is asked.
    pub(crate) fn unpriced(&self) -> Option<&'static str> {
        let purposes = [Purpose::Generate, Purpose::Edit, Purpose::CutOut];
        let asked = purposes.into_iter().filter_map(|purpose| Some((purpose, self.service_model(purpose)?)));
        let mut unpriced = asked.filter(|(purpose, model)| self.usd_each(*purpose, model).is_none());
        unpriced.next().map(|(_, model)| model.vendor.display_name())
    }

    /// The names of the stages of its tasks.
    fn stages(&self, purpose: Purpose) -> Option<Vec<String>> {
        self.making(purpose).map(TaskStage::names)
    }

    /// The model that does a task; `None` where this machine does it. What was begun as free stays free: a key that
    /// is added meanwhile does not turn it into something nobody held money for.
    fn model_of(&self, purpose: Purpose, task: &Task) -> Option<PictureModel> {
        let is_free = task.stages == TaskStage::names(Making::Local);
        self.service_model(purpose).filter(|_| !is_free)
    }

    fn pool(&self, purpose: Purpose, task: &Task) -> Pool {
        match self.model_of(purpose, task) {
            Some(_) => Pool::Slow,
            None => Pool::Fast,
        }
    }

    /// The model that is asked; `None` where this machine does it. Asks no keychain.
    fn service_model(&self, purpose: Purpose) -> Option<PictureModel> {
        if !self.is_on() {
            return None;
        }
        let chosen = self.chosen_model();
        let candidates = chosen.into_iter().chain(PICTURE_MODELS);
        candidates
            .filter(|model| purpose != Purpose::CutOut || model.vendor == PictureVendor::Replicate)
            .find(|model| self.has_key(model.vendor))
    }

    fn usd_each(&self, purpose: Purpose, model: &PictureModel) -> Option<f64> {
        // Changing and cutting out is done by models of their own there.
        let is_own = purpose == Purpose::Generate || model.vendor != PictureVendor::Replicate;
        model.reserve_usd.filter(|_| is_own)
    }

    fn has_key(&self, vendor: PictureVendor) -> bool {
        let id = key_of(vendor);
        let in_environment = || self.inner.keys.in_environment(vendor_variable(&id)).is_some();
        let was_set = was_key_set(&self.inner.store, &id).unwrap_or(false);
        was_set || self.inner.keys.is_held(&id) || in_environment()
    }

    /// The maker at a service. Blocks for the keychain, off the threads that carry events.
    async fn maker(&self, model: PictureModel) -> Result<PictureMaker, Failure> {
        let makers = self.clone();
        let key = beside(move || {
            let id = key_of(model.vendor);
            let key = makers.inner.keys.get(&id, vendor_variable(&id));
            key.map_err(|error| Failure::new(ErrorKind::BadKey, error.to_string()))
        });
        let key = key.await?.ok_or_else(|| {
            let name = model.vendor.display_name();
            Failure::new(ErrorKind::BadKey, format!("there is no key for {name}"))
                .with_next_step("Add one in the settings")
        })?;
        self.inner.services.maker(&self.inner.connector, model, &key)
    }
}

/// Work that takes its time, off the threads that carry events.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        // The program ends: what is not done then was interrupted, and its row says so at the next start.
        Err(error) if error.is_cancelled() => std::future::pending().await,
        Err(_) => {
            let failure = Failure::new(ErrorKind::Unknown, "the program met an error of its own");
            Err(failure.with_next_step("Try again"))
        }
    }
}

fn nothing_ordered() -> Failure {
    Failure::new(ErrorKind::BadRequest, "the task has more results than were ordered")
}

pub(crate) fn key_of(vendor: PictureVendor) -> KeyId {
    match vendor {
        PictureVendor::Replicate => KeyId::Replicate,
        PictureVendor::OpenAi => KeyId::OpenAi,
        PictureVendor::Gemini => KeyId::Gemini,
    }
}

/// A task whose inputs say nothing that its work understands.
fn unreadable(task: &Task, error: &serde_json::Error) -> Failure {
    // What the inputs say is the person's: neither they nor words about them are logged.
    tracing::warn!(task.id = %task.id, task.kind, wrong = ?error.classify(), "a task cannot be read");
    Failure::new(ErrorKind::BadRequest, "the task was written by another version of the program")
}
