//! Times of the tasks of parallel loops, and how long they would take on many threads.
//!
//! A machine with two cores cannot show what sixty-four would do. [`record`] times every task of every loop of
//! [`super::par`] on one thread; [`Schedule`] then hands the tasks of each loop to the first thread that is free, in
//! order, as a loop with all threads awake does. Caches and memory are those of one thread, so times are lower bounds.

use std::cell::RefCell;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Number of records that are being taken, on any thread.
static RECORDS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static RECORD: RefCell<Option<Record>> = const { RefCell::new(None) };
}

/// Place in the source that began a loop.
pub type Place = &'static Location<'static>;

/// Piece of work in the order of its execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Seconds of one thread.
    Serial(f64),
    /// Tasks that may run at the same time, each a sequence of pieces.
    Parallel(Place, Vec<Vec<Work>>),
}

/// Record in the making.
struct Record {
    /// Sequences that have begun. Each but the first belongs to a task of the last loop in the sequence before.
    sequences: Vec<Vec<Work>>,
    /// End of the last piece.
    since: Instant,
}

impl Record {
    /// Adds the time since the last piece to the current sequence.
    fn close(&mut self) {
        let now = Instant::now();
        let seconds = (now - self.since).as_secs_f64();
        self.sequences.last_mut().expect("a record has a sequence").push(Work::Serial(seconds));
        self.since = now;
    }
}

/// Calls `change` with the record of this thread, if one is being taken.
fn with(change: impl FnOnce(&mut Record)) {
    if RECORDS.load(Ordering::Relaxed) > 0 {
        RECORD.with_borrow_mut(|record| record.as_mut().map(change));
    }
}

/// Calls `work` on this thread and returns its result with the record of its loops. The pool must have one thread.
pub fn record<T>(work: impl FnOnce() -> T) -> (T, Vec<Work>) {
    RECORD.set(Some(Record { sequences: vec![Vec::new()], since: Instant::now() }));
    RECORDS.fetch_add(1, Ordering::Relaxed);
    let result = work();
    RECORDS.fetch_sub(1, Ordering::Relaxed);
    let mut record = RECORD.take().expect("begun above");
    record.close();
    (result, record.sequences.pop().expect("the first is never taken away"))
}

/// Runs a loop that was begun at a place of the source.
pub(super) fn region<T>(place: Place, work: impl FnOnce() -> T) -> T {
    with(|record| {
        record.close();
        record.sequences.last_mut().expect("a record has a sequence").push(Work::Parallel(place, Vec::new()));
    });
    let result = work();
    // Time between tasks belongs to the loop itself.
    with(|record| record.since = Instant::now());
    result
}

/// Runs a task of the current loop.
pub(super) fn task<T>(work: impl FnOnce() -> T) -> T {
    with(|record| {
        record.sequences.push(Vec::new());
        record.since = Instant::now();
    });
    let result = work();
    with(|record| {
        record.close();
        let done = record.sequences.pop().expect("begun above");
        if let Some(Work::Parallel(_, tasks)) = record.sequences.last_mut().and_then(|sequence| sequence.last_mut()) {
            tasks.push(done);
        }
    });
    result
}

/// Keeps of each piece the smaller time of two records of the same work, since another program may interrupt a piece.
/// Returns whether both have the same pieces.
pub fn keep_least(sequence: &mut [Work], other: &[Work]) -> bool {
    let alike = |pair: (&mut Work, &Work)| match pair {
        (Work::Serial(least), Work::Serial(seconds)) => {
            *least = least.min(*seconds);
            true
        }
        (Work::Parallel(place, tasks), Work::Parallel(there, others)) => {
            place == there
                && tasks.len() == others.len()
                && tasks.iter_mut().zip(others).all(|(task, other)| keep_least(task, other))
        }
        _ => false,
    };
    sequence.len() == other.len() && sequence.iter_mut().zip(other).all(alike)
}

/// Returns the seconds of a sequence on one thread.
pub fn seconds(sequence: &[Work]) -> f64 {
    let of = |work: &Work| match work {
        Work::Serial(seconds) => *seconds,
        Work::Parallel(_, tasks) => tasks.iter().map(|task| seconds(task)).sum(),
    };
    sequence.iter().map(of).sum()
}

/// Number of threads and the time that a loop takes to reach one of them.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Number of threads, all awake.
    pub threads: usize,
    /// Time from the start of a loop to the first task on another thread [s]. It is spent once for each doubling of
    /// the threads that a loop can use, as halves are handed on.
    pub waking: f64,
}

impl Schedule {
    /// Returns the seconds that a sequence takes.
    pub fn seconds(&self, sequence: &[Work]) -> f64 {
        let of = |work: &Work| match work {
            Work::Serial(seconds) => *seconds,
            Work::Parallel(_, tasks) => self.parallel(tasks),
        };
        sequence.iter().map(of).sum()
    }

    /// Returns the seconds that the tasks of a loop take: each begins on the thread that is free first.
    ///
    /// Tasks with loops in them count with their own schedule on all threads, and all together with no less than their
    /// sum over the threads (Brent's bound).
    pub fn parallel(&self, tasks: &[Vec<Work>]) -> f64 {
        let threads = self.threads.min(tasks.len()).max(1);
        let waking = self.waking * f64::from(usize::BITS - (threads - 1).leading_zeros());
        let nested = |task: &Vec<Work>| task.iter().any(|work| matches!(work, Work::Parallel(..)));
        if tasks.iter().any(nested) {
            let longest = tasks.iter().map(|task| self.seconds(task)).fold(0.0, f64::max);
            let sum: f64 = tasks.iter().map(|task| seconds(task)).sum();
            return waking + longest.max(sum / self.threads as f64);
        }
        let mut busy = vec![0.0_f64; threads];
        for task in tasks {
            let first = busy.iter_mut().min_by(|a, b| a.total_cmp(b)).expect("there is a thread");
            *first += seconds(task);
        }
        waking + busy.into_iter().fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::super::par;
    use super::*;

    fn task_of(seconds: f64) -> Vec<Work> {
        vec![Work::Serial(seconds)]
    }

    #[test]
    fn tasks_go_to_the_thread_that_is_free_first() {
        let tasks: Vec<_> = [3.0, 1.0, 1.0, 2.0, 1.0].map(task_of).to_vec();
        let on = |threads| Schedule { threads, waking: 0.125 }.parallel(&tasks);
        // On two: 3 + 1 and 1 + 1 + 2. On four 3, and two doublings.
        assert_eq!([on(1), on(2), on(4)], [8.0, 4.125, 3.25]);
    }

    #[test]
    fn loops_within_tasks_share_the_threads() {
        let place = Location::caller();
        let inner = vec![Work::Parallel(place, vec![task_of(1.0); 4])];
        let all = [Work::Serial(0.5), Work::Parallel(place, vec![inner.clone(), inner])];
        let on = |threads| Schedule { threads, waking: 0.0 }.seconds(&all);
        assert_eq!([on(1), on(2), on(4), on(64)], [8.5, 4.5, 2.5, 1.5]);
        assert_eq!(seconds(&all), 8.5);
    }

    #[test]
    fn a_record_has_each_task_of_each_loop() {
        let work = || {
            let mut items = vec![0.0; 4 * par::BLOCK];
            par::each_mut(&mut items, |i, item| *item = (i as f64).sqrt());
            par::join(|| par::sum(items.len() * 2, |i| items[i / 2]), || ())
        };
        let (_, sequence) = par::with_threads(1, || record(work)).unwrap();
        let tasks: Vec<usize> = sequence
            .iter()
            .filter_map(|work| if let Work::Parallel(_, tasks) = work { Some(tasks.len()) } else { None })
            .collect();
        assert_eq!(tasks, [4, 2]);
        let Some(Work::Parallel(_, both)) = sequence.iter().rfind(|work| matches!(work, Work::Parallel(..))) else {
            panic!("no join: {sequence:?}");
        };
        assert!(both[0].iter().any(|work| matches!(work, Work::Parallel(_, tasks) if tasks.len() == 8)), "{both:?}");
        assert!(seconds(&sequence) > 0.0);
        // Another record of the work has equal pieces.
        let (_, again) = par::with_threads(1, || record(work)).unwrap();
        let mut least = sequence.clone();
        assert!(keep_least(&mut least, &again) && seconds(&least) <= seconds(&sequence).min(seconds(&again)));
        assert!(!keep_least(&mut least, &again[1..]));
        // Nothing is recorded once the record is taken.
        with(|_| panic!("still recording"));
    }
}
