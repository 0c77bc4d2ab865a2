//! Memory and processor time that a process may take to read a file: by the bytes of all that it opens.

use std::sync::Mutex;

/// Memory without any file, and for each byte of one [bytes].
const MEMORY: (u64, u64) = (900 << 20, 64);
/// Processor time of an answer, and for each megabyte that was opened [s].
const TIME: (u64, u64) = (10, 10);
/// Name of the variable by which memory is bounded instead [GB].
pub const VARIABLE: &str = "PERCALE_ARCHIVE_MEMORY";

/// Bytes of all files that were opened; none in a process without bounds.
static OPENED: Mutex<Option<u64>> = Mutex::new(None);

/// This process has bounds from now on.
pub fn begin() {
    more(|opened| Some(opened.unwrap_or_default()));
}

/// A file of so many bytes is opened.
pub fn opened(bytes: u64) {
    more(|opened| opened.map(|all| all.saturating_add(bytes)));
}

/// Another answer begins.
pub fn renew() {
    more(|opened| opened);
}

fn more(change: impl FnOnce(Option<u64>) -> Option<u64>) {
    let Ok(mut opened) = OPENED.lock() else { return };
    *opened = change(*opened);
    if let Some(bytes) = *opened {
        set(bytes);
    }
}

/// Memory that reading files of so many bytes may take [bytes].
fn memory(bytes: u64) -> u64 {
    let own = std::env::var(VARIABLE).ok().and_then(|text| text.parse::<f64>().ok()).filter(|gb| *gb > 0.0);
    own.map_or(bytes.saturating_mul(MEMORY.1).saturating_add(MEMORY.0), |gb| (gb * 1e9) as u64)
}

#[cfg(unix)]
fn set(bytes: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec as u64;
    let time = used.saturating_add(TIME.0).saturating_add(bytes.saturating_mul(TIME.1) >> 20);
    for (resource, current) in [(Resource::As, memory(bytes)), (Resource::Cpu, time), (Resource::Core, 0)] {
        let maximum = getrlimit(resource).maximum;
        let current = maximum.map_or(current, |most| current.min(most));
        // Where the system has no such bound, the other process is what is left.
        let _ = setrlimit(resource, Rlimit { current: Some(current), maximum });
    }
}

#[cfg(not(unix))]
fn set(_: u64) {}
