//! Work on several threads.

use std::sync::Mutex;
use std::thread;

/// So much is done at once: as many as the smallest machine has cores.
const AT_ONCE: usize = 2;

/// Does work on several threads; what comes of it keeps its order.
pub fn in_parallel<T: Send, R: Send>(work: Vec<T>, each: impl Fn(T) -> Option<R> + Sync) -> Vec<R> {
    let left = Mutex::new(work.into_iter().enumerate());
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().next();
                    let Some((at, next)) = next else { break };
                    if let Some(result) = each(next) {
                        done.lock().unwrap().push((at, result));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
