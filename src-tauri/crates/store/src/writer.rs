//! The thread that does every write, one after the other.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use rusqlite::Connection;

use crate::batch::{Appended, Batch, RefusalOf};
use crate::error::StoreError;
use crate::place::Place;

const SAVE_EVENTS: &str = "save the events of a run";

/// Work that answers its caller itself. It is handed an error when events before it could not be saved.
pub(crate) type Work = Box<dyn FnOnce(Result<&mut Connection, StoreError>) + Send>;

/// What the thread can be asked to do.
pub(crate) enum Job {
    Append(Appended),
    Work(Work),
    Flush { refusals: RefusalOf, answer: SyncSender<Result<(), StoreError>> },
}

/// The thread and the way to it. Dropping it finishes all that was asked and waits for the end.
pub(crate) struct Writer {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Gives the connection to a thread of its own.
    pub(crate) fn start(connection: Connection, place: Place) -> Result<Self, StoreError> {
        let (jobs, inbox) = mpsc::channel();
        let folder = place.database();
        let thread = thread::Builder::new()
            .name("history-writer".to_owned())
            .spawn(move || WritingLoop { connection, place, batch: Batch::default() }.run(&inbox))
            .map_err(|source| StoreError::from_io("start writing the history", folder, source))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Puts a job at the end of the queue.
    pub(crate) fn ask(&self, operation: &'static str, job: Job) -> Result<(), StoreError> {
        let sent = self.jobs.as_ref().map(|jobs| jobs.send(job));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(StoreError::Closed { operation }),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the history's writer thread ended by a panic");
        }
    }
}

struct WritingLoop {
    connection: Connection,
    place: Place,
    batch: Batch,
}

impl WritingLoop {
    fn run(mut self, inbox: &Receiver<Job>) {
        loop {
            let next = match self.batch.due() {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => inbox.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            match next {
                Ok(Job::Append(appended)) => self.batch.push(appended),
                Ok(Job::Work(work)) => match self.save_events() {
                    Ok(()) => work(Ok(&mut self.connection)),
                    Err(error) => work(Err(error)),
                },
                Ok(Job::Flush { refusals, answer }) => {
                    let flushed = self.save_events().and_then(|()| self.batch.take_refusal(refusals));
                    // The caller waits for it and cannot have gone.
                    let _ = answer.send(flushed);
                }
                Err(RecvTimeoutError::Timeout) => self.save_events_unasked(),
                Err(RecvTimeoutError::Disconnected) => break self.save_events_unasked(),
            }
            if self.batch.due().is_some_and(|due| due <= Instant::now()) {
                self.save_events_unasked();
            }
        }
    }

    fn save_events(&mut self) -> Result<(), StoreError> {
        let saved = self.batch.save(&mut self.connection);
        saved.map_err(|stop| self.place.explain(SAVE_EVENTS, stop))
    }

    /// Saves when nobody asked; the next one who asks hears of a failure, because the events stay.
    fn save_events_unasked(&mut self) {
        if let Err(error) = self.save_events() {
            tracing::warn!(%error, "events wait to be saved");
        }
    }
}
