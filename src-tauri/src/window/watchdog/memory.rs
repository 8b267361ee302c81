//! How much memory the processes that draw pages hold.

use std::fs;
use std::path::Path;

/// The name of such a process, as far as the system keeps it.
const WEB_PROCESS: &str = "WebKitWebProces";
/// Thrice what a page of a million elements takes.
const MOST_KIB: u64 = 3 * 1024 * 1024;

/// Whether a web process of ours holds more than any page should.
pub fn is_beyond_measure() -> bool {
    children().iter().any(|child| {
        let process = Path::new("/proc").join(child);
        let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
        name.trim() == WEB_PROCESS
            && resident_kib(&fs::read_to_string(process.join("status")).unwrap_or_default()) > MOST_KIB
    })
}

/// The ids of the processes that this one has started.
fn children() -> Vec<String> {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn resident_kib(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_process_is_read_from_its_status() {
        let status = "Name:\tx\nVmPeak:\t 900 kB\nVmRSS:\t  4242 kB\nThreads:\t1\n";
        assert_eq!((resident_kib(status), resident_kib("")), (4242, 0));
    }

    #[test]
    fn what_is_started_from_here_is_found() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let found = children().contains(&child.id().to_string());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found);
    }
}
