//! Signals that ask a run to stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Time after the first signal [s] within which a second one counts as part of it. `timeout` sends two at once, to the
/// process and to its group.
#[cfg(unix)]
const SOON: std::time::Duration = std::time::Duration::from_secs(2);

/// Returns a flag that the first signal raises: INT, TERM, USR1, and HUP, XCPU and USR2, which terminals and batch
/// systems send. A signal more than two seconds later ends the process at once. HUP stays ignored if it was at the
/// start, as by `nohup`.
///
/// # Errors
/// The system does not allow listening to signals.
#[cfg(unix)]
pub(super) fn stop() -> Result<Arc<AtomicBool>, String> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
    use std::sync::atomic::Ordering;
    use std::time::Instant;
    let all = [SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGHUP];
    let heeded = all.into_iter().filter(|signal| *signal != SIGHUP || !hangs_on());
    let describe = |error: std::io::Error| format!("cannot listen to signals: {error}");
    let mut signals = signal_hook::iterator::Signals::new(heeded).map_err(describe)?;
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let listen = move || {
        let mut first = None;
        for signal in signals.forever() {
            raised.store(true, Ordering::Relaxed);
            if first.get_or_insert_with(Instant::now).elapsed() > SOON {
                std::process::exit(128 + signal);
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).map_err(describe)?;
    Ok(stop)
}

/// Returns a flag that the first signal raises. A second signal ends the process at once.
///
/// # Errors
/// The system does not allow listening to signals.
#[cfg(not(unix))]
pub fn stop() -> Result<Arc<AtomicBool>, String> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag::{register, register_conditional_shutdown};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))
            .and_then(|_| register(signal, Arc::clone(&stop)))
            .map_err(|error| format!("cannot listen to signals: {error}"))?;
    }
    Ok(stop)
}

/// Returns whether HUP is ignored, as Linux reports it. On other systems this is unknown.
#[cfg(unix)]
fn hangs_on() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    ignored.and_then(|bits| u64::from_str_radix(bits, 16).ok()).is_some_and(|bits| bits & 1 == 1)
}
