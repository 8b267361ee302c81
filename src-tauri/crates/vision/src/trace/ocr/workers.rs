//! One job after the other on as many threads as there are pools; results keep the order of the jobs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use rten::ThreadPool;

use crate::trace::{Stage, TraceError, Watch};

// How late a cancel may be noticed while all workers are busy with one tile.
const CANCEL_POLL: Duration = Duration::from_millis(40);

pub(super) fn each<Job: Sync, Outcome: Send>(
    pools: &[Arc<ThreadPool>],
    jobs: &[Job],
    stage: Stage,
    watch: &mut Watch,
    work: impl Fn(&Arc<ThreadPool>, &Job) -> Result<Outcome, TraceError> + Sync,
) -> Result<Vec<Outcome>, TraceError> {
    watch.report(stage, 0, jobs.len())?;
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    let mut outcomes: Vec<Option<Outcome>> = jobs.iter().map(|_| None).collect();
    let result = std::thread::scope(|scope| {
        for pool in pools.iter().take(jobs.len()) {
            let (sender, next, stopped, work) = (sender.clone(), &next, &stopped, &work);
            scope.spawn(move || {
                while !stopped.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    if sender.send((index, work(pool, job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut done = 0;
        let outcome = loop {
            match receiver.recv_timeout(CANCEL_POLL) {
                Ok((index, outcome)) => {
                    done += 1;
                    let kept = outcome.and_then(|value| {
                        if let Some(slot) = outcomes.get_mut(index) {
                            *slot = Some(value);
                        }
                        watch.report(stage, done, jobs.len())
                    });
                    if let Err(error) = kept {
                        break Err(error);
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if let Err(error) = watch.check() {
                        break Err(error);
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break Ok(()),
            }
        };
        stopped.store(true, Ordering::Relaxed);
        outcome
    });
    result.map(|()| outcomes.into_iter().flatten().collect())
}
