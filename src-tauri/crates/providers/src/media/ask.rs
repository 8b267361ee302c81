//! Requests to an image service: sent again where that helps, given up where it was stopped.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use facsimile_agent::ports::TaskStage;
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;

use super::patience::Patience;
use super::{NotMade, Pace};
use crate::endpoint::Endpoint;
use crate::error::Rejection;
use crate::http::{Answer, Link, bad_address};

/// Tries after the first one.
const MAX_RETRIES: u32 = 4;
/// The longest pause that is not asked for by the service.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// A service hears of a stop in this time, or not.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// Pictures come as base64 in JSON: this much is read.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// The way to one service.
#[derive(Debug, Clone)]
pub(super) struct Asking {
    pub(super) link: Link,
    pub(super) endpoint: Endpoint,
    pub(super) who: &'static str,
    pub(super) pace: Pace,
    pub(super) stages: Stages,
    /// Whether answers hold the pictures themselves.
    pub(super) brings_pictures: bool,
}

/// Who hears of the stages of a picture.
#[derive(Clone, Default)]
pub(super) struct Stages(pub(super) Option<Arc<dyn Fn(TaskStage) + Send + Sync>>);

impl Stages {
    pub(super) fn is_at(&self, stage: TaskStage) {
        if let Some(listener) = &self.0 {
            listener(stage);
        }
    }
}

impl fmt::Debug for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "heard" } else { "unheard" })
    }
}

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Question<'a> {
    /// A plain GET.
    Get,
    /// A POST of these bytes of that type.
    Post(&'a [u8], &'a str),
}

impl Asking {
    /// Asks until there is an answer, an error that stays, or an end of the patience.
    pub(super) async fn json(
        &self,
        path: &str,
        question: Question<'_>,
        patience: Patience<'_>,
    ) -> Result<Value, NotMade> {
        let mut retries = 0;
        loop {
            if self.brings_pictures {
                self.stages.is_at(TaskStage::BeingMade);
            }
            let asked = patience.with(self.once(path, question)).await?;
            let rejection = match asked {
                Ok(answer) => return Ok(answer),
                Err(rejection) => rejection,
            };
            // Without an answer nobody knows whether the work was begun; only a look can be repeated then.
            let may_repeat = rejection.status.is_some() || matches!(question, Question::Get);
            if !rejection.is_retryable || !may_repeat || retries == MAX_RETRIES {
                let told = rejection.masked(self.link.mask()).told_by(self.who);
                return Err(NotMade::Failed(told.failure));
            }
            let own = (self.pace.retry * 2_u32.pow(retries)).min(LONGEST_PAUSE);
            let pause = rejection.retry_after_ms.map_or(own, Duration::from_millis);
            retries += 1;
            patience.with(tokio::time::sleep(pause)).await?;
        }
    }

    /// Asks once and does not care for the answer.
    pub(super) async fn tell(&self, path: &str) {
        let told = self.once(path, Question::Post(b"", "application/json"));
        match tokio::time::timeout(LAST_WORDS, told).await {
            Ok(Ok(_)) => {}
            Ok(Err(rejection)) => {
                tracing::debug!(kind = ?rejection.kind, "a service did not hear that it is to stop");
            }
            Err(_) => tracing::debug!("a service did not answer that it is to stop"),
        }
    }

    async fn once(&self, path: &str, question: Question<'_>) -> Result<Value, Rejection> {
        let url: Url = self.endpoint.base.join(path).map_err(|refused| bad_address(&refused))?;
        let answer: Answer = match question {
            Question::Get => self.link.get(url).await?,
            Question::Post(body, mime) => {
                let headers = [(CONTENT_TYPE, mime), (ACCEPT, "application/json")];
                self.link.post_with(url, &headers, body.to_vec(), self.pace.total).await?
            }
        };
        let status = answer.status();
        if !(200..300).contains(&status) {
            let facts = answer.facts();
            let body = answer.error_body().await;
            return Err(Rejection::from_answer(self.endpoint.family, status, &body, facts));
        }
        if self.brings_pictures {
            self.stages.is_at(TaskStage::Downloading);
        }
        let body = answer.whole_body(MAX_ANSWER_BYTES).await?;
        serde_json::from_slice(&body).map_err(|_| Rejection::protocol("the answer is no JSON"))
    }
}
