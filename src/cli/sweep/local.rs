//! Runs cases on this machine, several at once.

use super::{Case, Plan, table};
use crate::cli::failure::Failure;
use crate::cli::say;
use crate::cli::signals;
use crate::sequence::DiskError;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Interval at which a case is polled.
const LOOK: Duration = Duration::from_millis(50);

/// Runs all cases, resumes those that were stopped, then gathers the results.
///
/// # Errors
/// A case failed, a signal stopped the sweep, or the disk refuses.
pub(super) fn run(plan: &Plan) -> Result<(), Failure> {
    let stop = signals::stop().map_err(Failure::input)?;
    let next = AtomicUsize::new(0);
    let slot = || -> Result<(), Failure> {
        while let Some(case) = plan.cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let code = simulate(plan, case, &stop)?;
            let how = match code {
                Some(0) => "finished".to_string(),
                Some(73) => format!("another run is at work in its folder; see log/{}.log", case.name),
                Some(75) => "stopped".to_string(),
                Some(code) => format!("failed with code {code}; see log/{}.log", case.name),
                None => format!("ended by a signal; see log/{}.log", case.name),
            };
            say(&format!("case {} of {}: {how}", case.name, plan.cases.len()));
        }
        Ok(())
    };
    let slots = usize::from(plan.jobs).min(plan.cases.len());
    let ended: Vec<Result<(), Failure>> = thread::scope(|scope| {
        let all: Vec<_> = (0..slots).map(|_| scope.spawn(slot)).collect();
        let gone = || Err(Failure::Simulation("a thread of the sweep ended".to_string()));
        all.into_iter().map(|thread| thread.join().unwrap_or_else(|_| gone())).collect()
    });
    ended.into_iter().collect::<Result<Vec<()>, Failure>>()?;
    let finished = table::gather(plan)?;
    let count = plan.cases.len();
    if stop.load(Ordering::Relaxed) && finished < count {
        return Err(Failure::Stopped(format!(
            "by a signal, {finished} of {count} cases are finished; run again to go on"
        )));
    }
    if finished < count {
        return Err(Failure::Simulation(format!("{} of {count} cases are not finished", count - finished)));
    }
    Ok(())
}

/// Runs a case in a process of its own. Returns its exit code.
fn simulate(plan: &Plan, case: &Case, stop: &AtomicBool) -> Result<Option<i32>, DiskError> {
    let path = plan.out.join(format!("log/{}.log", case.name));
    let log = File::options().create(true).append(true).open(&path).map_err(|error| DiskError::new(&path, &error))?;
    let both = log.try_clone().map_err(|error| DiskError::new(&path, &error))?;
    let mut command = Command::new(&plan.program);
    command.args(plan.arguments(case, true)).args(["--progress", "plain"]);
    if let Some(threads) = plan.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    command.stdin(Stdio::null()).stdout(log).stderr(both);
    // A terminal sends its signals to the whole process group. In a group of its own, a case gets only the sweep's
    // signal. A second one would end it at once.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| DiskError::new(&plan.program, &error))?;
    let mut reported = false;
    loop {
        if let Some(status) = child.try_wait().map_err(|error| DiskError::new(&plan.program, &error))? {
            return Ok(status.code());
        }
        if stop.load(Ordering::Relaxed) && !reported {
            reported = true;
            terminate(&child);
        }
        thread::sleep(LOOK);
    }
}

/// Asks a case to stop after a checkpoint.
fn terminate(child: &Child) {
    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
}
