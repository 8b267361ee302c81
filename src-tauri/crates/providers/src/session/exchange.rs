//! One request and the reply to it.

use std::collections::VecDeque;
use std::time::Duration;

use facsimile_agent::{ErrorKind, OutputBudget, SessionError, StreamEvent, ToolChoice};
use tokio::time::Instant;

use super::Session;
use crate::draft::{ReplyEnd, Step, TurnReader};
use crate::endpoint::Family;
use crate::error::{Complaint, MAX_WAIT_MS, Rejection};
use crate::http::{Answer, bad_address};
use crate::optional::{Omitted, OptionalField, refused_field};
use crate::sse::{EventReader, SseEvent};

/// All bytes of one reply.
const MAX_REPLY_BYTES: usize = 64 * 1024 * 1024;
/// A reply that has said its end is not waited for longer than this.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// So many fields may be refused one after the other.
const MAX_REFUSED_FIELDS: usize = OptionalField::ALL.len();
/// The pause after a rate limit that names none.
const USUAL_RATE_PAUSE: Duration = Duration::from_secs(2);
/// What is kept of a body that turns out to hold no events.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The reply to one request. Dropping it closes the connection.
pub(super) struct Exchange<'a> {
    session: &'a mut Session,
    choice: ToolChoice,
    budget: OutputBudget,
    state: State,
    ready: VecDeque<StreamEvent>,
    /// Told once everything that came before it was.
    failure: Option<SessionError>,
}

enum State {
    Unsent,
    Open(Box<Open>),
    Over,
}

struct Open {
    answer: Answer,
    bytes: EventReader,
    reader: Box<dyn TurnReader>,
    events: VecDeque<SseEvent>,
    received: usize,
    /// The beginning of the body, until the first event shows that it is a stream.
    head: Option<Vec<u8>>,
    /// Why nothing more will come.
    ended: Option<Option<Rejection>>,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(session: &'a mut Session, choice: ToolChoice, budget: OutputBudget) -> Self {
        Self { session, choice, budget, state: State::Unsent, ready: VecDeque::new(), failure: None }
    }

    /// The next item of the reply; `None` after its end.
    pub(super) async fn next(&mut self) -> Option<Result<StreamEvent, SessionError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if let Some(failure) = self.failure.take() {
                return Some(Err(failure));
            }
            let step = match &mut self.state {
                State::Over => return None,
                State::Unsent => self.send().await,
                State::Open(open) => open.advance(&mut self.ready, self.session.link.idle_timeout()).await,
            };
            match step {
                Ok(Progress::Goes) => {}
                Ok(Progress::Ended) => self.settle(ReplyEnd::Whole),
                Err(rejection) => {
                    self.settle(ReplyEnd::Cut);
                    self.note_rate_limit(&rejection);
                    self.failure = Some(self.session.told(rejection));
                }
            }
        }
    }

    async fn send(&mut self) -> Result<Progress, Rejection> {
        self.wait_for_slot()?;
        let place = self.session.place();
        let path = self.session.dialect.path(&self.session.model.id);
        let url = self.session.endpoint.base.join(&path).map_err(|refused| bad_address(&refused))?;
        for _ in 0..=MAX_REFUSED_FIELDS {
            let omitted = self.session.memory.omitted(&place);
            let body = self.body(&omitted);
            let answer = self.session.link.post(url.clone(), body.clone()).await?;
            let dialect = &self.session.dialect;
            let reader = dialect.reader(&self.session.ask(self.choice, self.budget, &omitted));
            let rejection = match opened(answer, dialect.family(), reader).await {
                Ok(open) => {
                    self.state = State::Open(Box::new(open));
                    return Ok(Progress::Goes);
                }
                Err(rejection) => rejection,
            };
            let sent = self.session.dialect.optional_fields().difference(&omitted).copied().collect();
            let Some(field) = refused_field(&rejection, &sent) else { return Err(rejection) };
            let with_field = Omitted::from_iter(omitted.iter().copied().chain([field]));
            if self.body(&with_field) == body {
                return Err(rejection);
            }
            self.session.memory.omit(&place, field);
        }
        Err(Rejection::protocol("the endpoint refuses one field after the other"))
    }

    fn body(&self, omitted: &Omitted) -> Vec<u8> {
        let ask = self.session.ask(self.choice, self.budget, omitted);
        self.session.dialect.body(&self.session.conversation, &ask).to_string().into_bytes()
    }

    /// Another session was told to wait: so does this one, where the user can see it.
    fn wait_for_slot(&mut self) -> Result<(), Rejection> {
        let now = Instant::now();
        if self.session.slot.take().is_some_and(|slot| slot <= now) {
            return Ok(());
        }
        let address = self.session.endpoint.base.to_string();
        let Some(slot) = self.session.memory.slot(&address, now) else { return Ok(()) };
        self.session.slot = Some(slot);
        let words = "another request was told to wait";
        let mut rejection = Rejection::without_answer(ErrorKind::RateLimit, words).retryable();
        rejection.retry_after_ms = u64::try_from((slot - now).as_millis()).ok().map(|wait| wait + 1);
        Err(rejection)
    }

    fn note_rate_limit(&mut self, rejection: &Rejection) {
        let is_answer = rejection.status.is_some();
        if rejection.kind != ErrorKind::RateLimit || !rejection.is_retryable || !is_answer {
            return;
        }
        let wait_ms = rejection.retry_after_ms.filter(|wait_ms| *wait_ms <= MAX_WAIT_MS);
        let until = Instant::now() + wait_ms.map_or(USUAL_RATE_PAUSE, Duration::from_millis);
        self.session.memory.close_until(&self.session.endpoint.base.to_string(), until);
        // Whoever was told keeps the first place; without a hint the engine's own pause decides.
        self.session.slot = Some(if wait_ms.is_some() { until } else { Instant::now() });
    }

    /// Counts what the reply used, whether it was completed or not, and closes the connection.
    fn settle(&mut self, end: ReplyEnd) {
        if let State::Open(open) = std::mem::replace(&mut self.state, State::Over) {
            self.count(open, end);
        }
    }

    fn count(&mut self, mut open: Box<Open>, end: ReplyEnd) {
        let draft = open.reader.draft();
        if let Some(usage) = draft.used(end, self.session.input_tokens()) {
            self.session.count(usage, draft.cost_usd);
        }
    }
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        self.settle(ReplyEnd::Cut);
    }
}

/// Looks at the head of an answer before its body is taken for events.
async fn opened(answer: Answer, family: Family, reader: Box<dyn TurnReader>) -> Result<Open, Rejection> {
    let status = answer.status();
    if let Some(host) = answer.redirect_host() {
        let words = format!(
            "it redirects to {host}, where the key was not sent; if that is the right place, use its address"
        );
        let mut rejection = Rejection::without_answer(ErrorKind::Network, words);
        (rejection.status, rejection.is_retryable) = (Some(status), false);
        return Err(rejection);
    }
    if !(200..300).contains(&status) {
        let facts = answer.facts();
        let body = answer.error_body().await;
        return Err(Rejection::from_answer(family, status, &body, facts));
    }
    if let Some(packing) = answer.packing() {
        return Err(Rejection::protocol(format!("it came packed as {packing}, which was not asked for")));
    }
    if !answer.may_be_events() {
        let body = answer.error_body().await;
        return Err(no_events(family, &body));
    }
    Ok(Open {
        answer,
        bytes: EventReader::new(),
        reader,
        events: VecDeque::new(),
        received: 0,
        head: Some(Vec::new()),
        ended: None,
    })
}

enum Progress {
    Goes,
    Ended,
}

impl Open {
    /// Takes one event, or some bytes.
    async fn advance(
        &mut self,
        ready: &mut VecDeque<StreamEvent>,
        idle_timeout: Duration,
    ) -> Result<Progress, Rejection> {
        if let Some(event) = self.events.pop_front() {
            let step = self.reader.take(&event);
            ready.extend(self.reader.draft().take_events());
            return match step? {
                Step::More => Ok(Progress::Goes),
                Step::Ended(turn) => {
                    ready.push_back(StreamEvent::TurnEnded(*turn));
                    Ok(Progress::Ended)
                }
            };
        }
        if let Some(cause) = self.ended.take() {
            return self.end(cause, ready);
        }
        let patience = if self.reader.has_ended() { LAST_WORDS.min(idle_timeout) } else { idle_timeout };
        let piece = match self.answer.next_piece(patience).await {
            Ok(Some(piece)) => piece,
            Ok(None) => return self.close(None),
            Err(cause) => return self.close(Some(cause)),
        };
        let piece = piece.as_ref();
        self.received += piece.len();
        if self.received > MAX_REPLY_BYTES {
            return Err(Rejection::protocol("the reply is larger than 64 MiB"));
        }
        let mut events = Vec::new();
        self.bytes.push(piece, &mut events).map_err(|error| Rejection::protocol(error.to_string()))?;
        if events.is_empty() {
            if let Some(head) = self.head.as_mut().filter(|head| head.len() < MAX_HEAD_BYTES) {
                head.extend_from_slice(piece);
            }
            // A keep-alive is a sign of life for whoever watches the stream.
            ready.push_back(StreamEvent::Alive);
        } else {
            self.head = None;
        }
        self.events.extend(events);
        Ok(Progress::Goes)
    }

    fn close(&mut self, cause: Option<Rejection>) -> Result<Progress, Rejection> {
        let mut events = Vec::new();
        self.bytes.finish(&mut events);
        self.events.extend(events);
        self.ended = Some(cause);
        Ok(Progress::Goes)
    }

    fn end(
        &mut self,
        cause: Option<Rejection>,
        ready: &mut VecDeque<StreamEvent>,
    ) -> Result<Progress, Rejection> {
        if let (Some(cause), false) = (cause, self.reader.has_ended()) {
            return Err(cause);
        }
        let head = self.head.take().map(|head| String::from_utf8_lossy(&head).into_owned());
        if let Some(head) = head.filter(|head| head.trim_start().starts_with(['<', '{', '['])) {
            return Err(no_events(Family::OpenAiChat, &head));
        }
        let turn = self.reader.finish();
        ready.extend(self.reader.draft().take_events());
        ready.push_back(StreamEvent::TurnEnded(turn?));
        Ok(Progress::Ended)
    }
}

/// A good status with a body that is no stream: an error all the same, or somebody's web page.
fn no_events(family: Family, body: &str) -> Rejection {
    let complaint = Complaint::read(body);
    let is_error = serde_json::from_str::<serde_json::Value>(body)
        .is_ok_and(|value| value.get("error").is_some() || value.get("message").is_some());
    if is_error {
        return Rejection::in_stream(family, complaint);
    }
    let words = match complaint.message.trim() {
        _ if complaint.is_structured => "it answered with JSON instead of a stream".to_owned(),
        "" => "it answered with nothing".to_owned(),
        words => words.to_owned(),
    };
    Rejection::protocol(words)
}
