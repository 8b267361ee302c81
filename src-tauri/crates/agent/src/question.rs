//! One question that is answered in words, in a conversation of its own.

use futures::StreamExt;
use tokio::time::timeout;

use crate::engine::Meter;
use crate::engine::limits::STALL_TIMEOUT;
use crate::error::{ErrorKind, Failure};
use crate::message::UserMessage;
use crate::session::{OutputBudget, ProviderSession, StreamEvent, TokenUsage, ToolChoice};
use crate::spend::{CapReached, SpendCap};

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What was said.
    pub text: String,
    /// What it used.
    pub usage: TokenUsage,
}

/// The answer to a message. The session is a fresh one; what is said is paid of the cap, also where nobody waits for its
/// end.
pub async fn answer(
    session: &mut dyn ProviderSession,
    message: UserMessage,
    cap: &SpendCap,
) -> Result<Answer, Failure> {
    session.append_user(message).map_err(|error| error.failure)?;
    let before_usd = session.total_cost_usd();
    let mut bill = Bill::open(cap, session, before_usd)?;
    let heard = bill.heard(session).await;
    bill.settle(session.total_cost_usd());
    heard
}

/// What a question costs. Dropped, it is paid as far as it was answered.
struct Bill {
    meter: Option<Meter>,
    before_usd: Option<f64>,
}

impl Bill {
    fn open(cap: &SpendCap, session: &dyn ProviderSession, before_usd: Option<f64>) -> Result<Self, Failure> {
        let meter = Meter::open(cap, session.estimate(OutputBudget::Usual), before_usd).map_err(too_dear)?;
        Ok(Self { meter: Some(meter), before_usd })
    }

    /// The answer, read while there is money for it.
    async fn heard(&mut self, session: &mut dyn ProviderSession) -> Result<Answer, Failure> {
        let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
        let mut answer = Answer { text: String::new(), usage: TokenUsage::default() };
        while let Some(event) = timeout(STALL_TIMEOUT, turn.next()).await.map_err(|_| silent())? {
            match event.map_err(|error| error.failure)? {
                StreamEvent::TurnEnded(turn) => answer = Answer { text: turn.text, usage: turn.usage },
                StreamEvent::Text(text) | StreamEvent::Thinking(text) => {
                    self.meter.iter_mut().try_for_each(|meter| meter.streamed(&text)).map_err(too_dear)?;
                }
                _ => {}
            }
        }
        Ok(answer)
    }

    fn settle(mut self, after_usd: Option<f64>) {
        if let Some(meter) = self.meter.take() {
            meter.settle(self.before_usd, after_usd);
        }
    }
}

impl Drop for Bill {
    fn drop(&mut self) {
        if let Some(meter) = self.meter.take() {
            // The vendor counted for nobody.
            let uncounted = None;
            meter.settle(self.before_usd, uncounted);
        }
    }
}

fn silent() -> Failure {
    Failure::new(ErrorKind::Stalled, "the model went silent").with_next_step("Try again")
}

fn too_dear(reached: CapReached) -> Failure {
    Failure::new(ErrorKind::NoCredit, reached.to_string())
}
