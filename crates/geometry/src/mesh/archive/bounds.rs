//! Limits of memory and processor time for a process that reads files. They grow with the bytes of all opened files.

use std::sync::Mutex;

/// Memory limit without any file, and its increase per byte of file [bytes].
const MEMORY: (u64, u64) = (900 << 20, 64);
/// Processor time limit per answer, and its increase per megabyte opened [s].
const TIME: (u64, u64) = (10, 10);
/// Environment variable that sets the memory limit instead [GB].
pub(super) const VARIABLE: &str = "PERCALE_ARCHIVE_MEMORY";

/// Total bytes of all opened files; none in a process without limits.
static OPENED: Mutex<Option<u64>> = Mutex::new(None);

/// Starts the limits of this process.
pub(super) fn begin() {
    more(|opened| Some(opened.unwrap_or_default()));
}

/// Raises the limits for an opened file of so many bytes.
pub(super) fn opened(bytes: u64) {
    more(|opened| opened.map(|all| all.saturating_add(bytes)));
}

/// Renews the processor time for another answer.
pub(super) fn renew() {
    more(|opened| opened);
}

fn more(change: impl FnOnce(Option<u64>) -> Option<u64>) {
    let Ok(mut opened) = OPENED.lock() else { return };
    *opened = change(*opened);
    if let Some(bytes) = *opened {
        set(bytes);
    }
}

/// Returns the memory that the instances of meshes may take, a fourth of the limit [bytes].
pub(super) fn instances() -> u64 {
    let opened = OPENED.lock().map_or(None, |opened| *opened);
    memory(opened.unwrap_or_default()) / 4
}

/// Returns the memory limit for files of so many bytes [bytes].
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
        // A system may lack this limit. The separate process is then the only protection.
        let _ = setrlimit(resource, Rlimit { current: Some(current), maximum });
    }
}

#[cfg(not(unix))]
fn set(_: u64) {}
