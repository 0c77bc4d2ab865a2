//! Ordered parallel loops, whose result never depends on the number of threads.
//!
//! Work is cut into blocks of fixed size. One thread computes each block in index order, and blocks are combined in
//! order. This is the only file that names rayon.
//!
//! Idle threads spin for a while before they sleep. Between two colours of a sweep they wait for some ten microseconds,
//! and sleeping and waking take longer.

use super::tasks::{region, task};
use rayon::prelude::*;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Number of elements per block of a loop over light items. The size must not depend on the number of threads.
pub const BLOCK: usize = 512;
/// Number of elements per block of a loop over items of a few operations each.
const LIGHT: usize = 2048;
/// Number of attempts to find work between two yields to other programs.
const LOOKS: u32 = 8;
/// Idle time after which a thread sleeps between attempts, and duration of each sleep.
const REST: [Duration; 2] = [Duration::from_micros(200), Duration::from_micros(20)];

/// Sets `out[i] = f(i)` for all elements.
#[track_caller]
pub fn fill<T: Send>(out: &mut [T], f: impl Fn(usize) -> T + Sync) {
    each_mut(out, |i, slot| *slot = f(i));
}

/// Calls `f(i, &mut items[i])` for every item, in parallel over blocks.
#[track_caller]
pub fn each_mut<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    blocks_mut(items, BLOCK, |first, block| {
        for (k, item) in block.iter_mut().enumerate() {
            f(first + k, item);
        }
    });
}

/// Calls `f(i, &mut items[i], &mut others[i])` for every item of two slices side by side.
#[track_caller]
pub fn each_pair_mut<T: Send, U: Send>(items: &mut [T], others: &mut [U], f: impl Fn(usize, &mut T, &mut U) + Sync) {
    blocks_pair_mut(items, others, BLOCK, |first, items, others| {
        for (k, (item, other)) in items.iter_mut().zip(others).enumerate() {
            f(first + k, item, other);
        }
    });
}

/// Calls `f(i, &mut items[i])` for items of a few operations each, in larger blocks than [`each_mut`]. A second thread
/// takes as long to start as one such block takes to compute.
#[track_caller]
pub fn each_light<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    blocks_mut(items, LIGHT, |first, block| {
        block.iter_mut().enumerate().for_each(|(k, item)| f(first + k, item));
    });
}

/// Calls `f` as [`each_pair_mut`] does, for items of a few operations each.
#[track_caller]
pub fn each_light_pair<T: Send, U: Send>(items: &mut [T], others: &mut [U], f: impl Fn(usize, &mut T, &mut U) + Sync) {
    blocks_pair_mut(items, others, LIGHT, |first, items, others| {
        let pairs = items.iter_mut().zip(others).enumerate();
        pairs.for_each(|(k, (item, other))| f(first + k, item, other));
    });
}

/// Calls `f(first, block)` for consecutive blocks of `size` items.
#[track_caller]
pub fn blocks_mut<T: Send>(items: &mut [T], size: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    blocks(items, size, &f);
}

/// Calls `f(first, block, other)` for consecutive blocks of `size` items of two slices side by side.
#[track_caller]
pub fn blocks_pair_mut<T: Send, U: Send>(
    items: &mut [T],
    others: &mut [U],
    size: usize,
    f: impl Fn(usize, &mut [T], &mut [U]) + Sync,
) {
    pairs(items, others, [size, size], &|b, block, other| f(b * size, block, other));
}

/// Calls `f(i, &mut items[i])` for every item and returns the sum of the results. Blocks are summed in index order,
/// then the sums of the blocks in order. The latter are left in `sums`, one for each [`BLOCK`] of items.
#[track_caller]
pub fn each_mut_sum<T: Send>(items: &mut [T], sums: &mut [f64], f: impl Fn(usize, &mut T) -> f64 + Sync) -> f64 {
    pairs(items, sums, [BLOCK, 1], &|b, items, sums| {
        sums[0] = items.iter_mut().enumerate().fold(0.0, |sum, (k, item)| sum + f(b * BLOCK + k, item));
    });
    sums.iter().sum()
}

/// Sums as [`each_mut_sum`] does, for the items of two slices side by side.
#[track_caller]
pub fn each_pair_mut_sum<T: Send, U: Send>(
    items: &mut [T],
    others: &mut [U],
    sums: &mut [f64],
    f: impl Fn(usize, &mut T, &mut U) -> f64 + Sync,
) -> f64 {
    let block: &Triple<T, U> = &|b, items, others, sum| {
        let pairs = items.iter_mut().zip(others).enumerate();
        *sum = pairs.fold(0.0, |sum, (k, (item, other))| sum + f(b * BLOCK + k, item, other));
    };
    let pairs = items.par_chunks_mut(BLOCK).zip(others.par_chunks_mut(BLOCK));
    let tasks = pairs.zip(&mut *sums).enumerate();
    region(Location::caller(), || {
        tasks.for_each(|(b, ((items, others), sum))| task(|| block(b, items, others, sum)));
    });
    sums.iter().sum()
}

// Calls of rayon are compiled for each type of items, not for each loop. Otherwise every loop would have five copies of
// rayon's code.

/// Function of a block's index and its items of two slices.
type Pair<'a, T, U> = dyn Fn(usize, &mut [T], &mut [U]) + Sync + 'a;
/// Function of a block's index, its items of two slices and its sum.
type Triple<'a, T, U> = dyn Fn(usize, &mut [T], &mut [U], &mut f64) + Sync + 'a;

/// Implements [`blocks_mut`] behind a pointer to the function.
#[track_caller]
fn blocks<T: Send>(items: &mut [T], size: usize, f: &(dyn Fn(usize, &mut [T]) + Sync)) {
    if items.len() <= size {
        f(0, items);
    } else {
        let blocks = items.par_chunks_mut(size).enumerate();
        region(Location::caller(), || blocks.for_each(|(b, block)| task(|| f(b * size, block))));
    }
}

/// Calls `f(b, block, other)` with the `b`-th blocks of two slices, of `sizes` items each.
#[track_caller]
fn pairs<T: Send, U: Send>(items: &mut [T], others: &mut [U], sizes: [usize; 2], f: &Pair<T, U>) {
    if items.len() <= sizes[0] && others.len() <= sizes[1] {
        if !items.is_empty() && !others.is_empty() {
            f(0, items, others);
        }
    } else {
        let pairs = items.par_chunks_mut(sizes[0]).zip(others.par_chunks_mut(sizes[1])).enumerate();
        region(Location::caller(), || pairs.for_each(|(b, (block, other))| task(|| f(b, block, other))));
    }
}

/// Returns the results of `f` for each of `n` blocks, which may run on different threads.
#[track_caller]
fn each_block<T: Send>(n: usize, f: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    region(Location::caller(), || (0..n).into_par_iter().map(|b| task(|| f(b))).collect())
}

/// Returns the vector of `f(0) .. f(n - 1)`.
#[track_caller]
pub fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    gather(n, BLOCK, |range, part| part.extend(range.map(&f)))
}

/// Returns the vector of `f(0) .. f(n - 1)`, for few and heavy items. Every item may run on its own thread.
#[track_caller]
pub fn map_heavy<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let f: &(dyn Fn(usize) -> T + Sync) = &f;
    region(Location::caller(), || (0..n).into_par_iter().with_max_len(1).map(|i| task(|| f(i))).collect())
}

/// Concatenates the vectors that `f` fills for blocks of `size` indices below `n`, in order of the blocks.
#[track_caller]
pub fn gather<T: Send>(n: usize, size: usize, f: impl Fn(std::ops::Range<usize>, &mut Vec<T>) + Sync) -> Vec<T> {
    let part = |b: usize| {
        let mut part = Vec::new();
        f(b * size..((b + 1) * size).min(n), &mut part);
        part
    };
    let mut parts = if n <= size { vec![part(0)] } else { each_block(n.div_ceil(size), &part) };
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    for part in parts {
        all.extend(part);
    }
    all
}

/// Folds consecutive indices below `n` that have equal keys. Returns key and result of each run, in order. A run ends
/// with its block, and indices without a key are skipped.
#[track_caller]
pub fn runs<T: Default + Send>(
    n: usize,
    key: impl Fn(usize) -> Option<usize> + Sync,
    add: impl Fn(&mut T, usize) + Sync,
) -> Vec<(usize, T)> {
    gather(n, LIGHT, |range, runs: &mut Vec<(usize, T)>| {
        for i in range {
            let Some(key) = key(i) else { continue };
            match runs.last_mut() {
                Some((last, folded)) if *last == key => add(folded, i),
                _ => {
                    let mut folded = T::default();
                    add(&mut folded, i);
                    runs.push((key, folded));
                }
            }
        }
    })
}

/// Sums `f(i)` over `0..n`: blocks in index order, then the block sums in order.
#[track_caller]
pub fn sum(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let block = |b: usize| (b * BLOCK..((b + 1) * BLOCK).min(n)).fold(0.0, |s, i| s + f(i));
    let blocks = n.div_ceil(BLOCK);
    if blocks <= 4 {
        return (0..blocks).fold(0.0, |s, b| s + block(b));
    }
    each_block(blocks, &block).iter().sum()
}

/// Returns the largest of `f(i)` over `0..n`, or `f64::NEG_INFINITY` for an empty range. NaN wins.
#[track_caller]
pub fn max(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let larger = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
    let block = |b: usize| (b * BLOCK..((b + 1) * BLOCK).min(n)).map(&f).fold(f64::NEG_INFINITY, larger);
    let blocks = n.div_ceil(BLOCK);
    if blocks <= 4 {
        return (0..blocks).map(block).fold(f64::NEG_INFINITY, larger);
    }
    each_block(blocks, &block).into_iter().fold(f64::NEG_INFINITY, larger)
}

/// Returns whether `f` holds for at least one item.
#[track_caller]
pub fn any<T: Sync>(items: &[T], f: impl Fn(&T) -> bool + Sync) -> bool {
    let blocks: &(dyn Fn(&[T]) -> bool + Sync) = &|block| block.iter().any(&f);
    region(Location::caller(), || items.par_chunks(BLOCK).any(|block| task(|| blocks(block))))
}

/// Returns whether `f` holds for at least one index below `n`.
#[track_caller]
pub fn any_index(n: usize, f: impl Fn(usize) -> bool + Sync) -> bool {
    let block = |b: usize| (b * LIGHT..((b + 1) * LIGHT).min(n)).any(&f);
    let blocks = n.div_ceil(LIGHT);
    if blocks <= 1 { blocks == 1 && block(0) } else { each_block(blocks, &block).contains(&true) }
}

/// Flags that many threads may raise.
#[derive(Debug, Default)]
pub struct Marks(Vec<AtomicBool>);

impl Marks {
    /// Creates `n` lowered flags.
    pub fn new(n: usize) -> Marks {
        Marks((0..n).map(|_| AtomicBool::new(false)).collect())
    }

    /// Raises flag `k`.
    pub fn raise(&self, k: usize) {
        self.0[k].store(true, Ordering::Relaxed);
    }

    /// Copies the flags into `raised` and lowers them.
    pub fn take(&mut self, raised: &mut [bool]) {
        raised.iter_mut().zip(&mut self.0).for_each(|(raised, flag)| *raised = std::mem::take(flag.get_mut()));
    }
}

/// Runs two closures, possibly at the same time.
#[track_caller]
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    region(Location::caller(), || both(|| task(a), || task(b)))
}

/// Runs two closures as [`join`] does, within a loop that has its own tasks.
fn both<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let (taken, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let first = || {
        let result = a();
        if taken.load(Ordering::Acquire) {
            work_until(&done);
        }
        result
    };
    let second = || {
        taken.store(true, Ordering::Release);
        let _done = Raise(&done);
        b()
    };
    rayon::join(first, second)
}

/// Executes work that other threads have left until `done`.
fn work_until(done: &AtomicBool) {
    let mut idle: Option<(Instant, u32)> = None;
    while !done.load(Ordering::Acquire) {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            idle = None;
            continue;
        }
        let (since, looks) = idle.get_or_insert_with(|| (Instant::now(), 0));
        *looks += 1;
        if *looks % LOOKS != 0 {
            std::hint::spin_loop();
        } else if since.elapsed() < REST[0] {
            std::thread::yield_now();
        } else {
            std::thread::sleep(REST[1]);
        }
    }
}

/// Flag that is raised on drop, even by a panic.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs `work` on a thread of a pool while all other threads of the pool wait for tasks from it.
fn awake<T>(work: impl FnOnce() -> T) -> T {
    let own = rayon::current_thread_index();
    let (awake, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    rayon::in_place_scope(|scope| {
        scope.spawn_broadcast(|_, thread| {
            awake.fetch_add(1, Ordering::AcqRel);
            if Some(thread.index()) != own {
                work_until(&done);
            }
        });
        let _done = Raise(&done);
        // All threads must have begun to wait before `work` starts. A thread that began within a task of `work` would
        // resume that task only after all work is done.
        while awake.load(Ordering::Acquire) < rayon::current_num_threads() {
            rayon::yield_now();
        }
        work()
    })
}

/// Sorts by key. Equal keys keep their order, so the result is unique.
pub fn sort_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
    items.par_sort_by_key(key);
}

/// Sorts items that are all different.
pub fn sort<T: Send + Ord>(items: &mut [T]) {
    items.par_sort_unstable();
}

/// Runs `work` on a pool of `threads` threads, which stay awake meanwhile. Zero means as many as the machine has.
///
/// # Errors
/// Returns a message if the pool cannot be started.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map(|pool| pool.install(|| awake(work)))
        .map_err(|e| format!("cannot start {threads} threads: {e}"))
}

/// Returns the number of threads of the current pool.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Calls `f(k, &mut items[k], part)` for every item, each possibly on its own thread. The parts of `data` begin at
/// `starts`, counted from `starts[0]`, with one entry more than `items`.
#[track_caller]
pub fn each_part<W: Send, T: Send>(
    items: &mut [W],
    data: &mut [T],
    starts: &[usize],
    f: impl Fn(usize, &mut W, &mut [T]) + Sync,
) {
    region(Location::caller(), || halves(0, items, data, starts, &f));
}

fn halves<W: Send, T: Send>(
    first: usize,
    items: &mut [W],
    data: &mut [T],
    starts: &[usize],
    f: &(dyn Fn(usize, &mut W, &mut [T]) + Sync),
) {
    match items {
        [] => {}
        [one] => task(|| f(first, one, data)),
        _ => {
            let middle = items.len() / 2;
            let (items_a, items_b) = items.split_at_mut(middle);
            let (data_a, data_b) = data.split_at_mut(starts[middle] - starts[0]);
            let (starts_a, starts_b) = (&starts[..=middle], &starts[middle..]);
            both(
                || halves(first, items_a, data_a, starts_a, f),
                || halves(first + middle, items_b, data_b, starts_b, f),
            );
        }
    }
}

/// Calls `f(k, &mut items[k])` for few and heavy items.
#[track_caller]
pub fn each_heavy<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    let f: &(dyn Fn(usize, &mut T) + Sync) = &f;
    let tasks = items.par_iter_mut().enumerate().with_max_len(1);
    region(Location::caller(), || tasks.for_each(|(k, item)| task(|| f(k, item))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Runs ten loops, then joins two calls of itself unless `depth` is 0.
    fn nested(depth: u32) -> f64 {
        let mut items = vec![1.0; 4 * BLOCK];
        for _ in 0..10 {
            each_mut(&mut items, |i, item| *item += (i % 7) as f64);
        }
        let all = sum(items.len(), |i| items[i]);
        if depth == 0 {
            return all;
        }
        let (a, b) = join(|| nested(depth - 1), || nested(depth - 1));
        all + a - b / 3.0
    }

    #[test]
    fn work_within_work_ends_on_any_number_of_threads() {
        // Pools are started often, since errors occur while threads begin.
        let one = with_threads(1, || nested(3)).unwrap();
        for threads in 1..=9 {
            for _ in 0..30 {
                assert_eq!(with_threads(threads, || nested(3)).unwrap(), one);
            }
        }
    }

    #[test]
    fn a_panic_ends_the_wait_for_it() {
        for slow in [false, true] {
            let part = |panics: bool| {
                if panics == slow {
                    std::thread::sleep(Duration::from_millis(5));
                }
                assert!(!panics, "on purpose");
            };
            for first in [true, false] {
                let work = || with_threads(2, || join(|| part(first), || part(!first)));
                assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
            }
        }
    }
}
