//! Ordered parallel loops: the result never depends on the number of threads.
//!
//! Work is cut into blocks of fixed size; each block is computed by one thread in index order and blocks are combined in
//! order. This is the only file that names rayon.

use rayon::prelude::*;

/// Elements per block of a loop over light items. Fixed: it must not depend on the number of threads.
pub const BLOCK: usize = 512;

/// Overwrites `out[i] = f(i)`.
pub fn fill<T: Send>(out: &mut [T], f: impl Fn(usize) -> T + Sync) {
    each_mut(out, |i, slot| *slot = f(i));
}

/// Calls `f(i, &mut items[i])` for every item, in parallel over blocks.
pub fn each_mut<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    blocks_mut(items, BLOCK, |first, block| {
        for (k, item) in block.iter_mut().enumerate() {
            f(first + k, item);
        }
    });
}

/// Calls `f(i, &mut items[i], &mut others[i])` for every item of two slices side by side.
pub fn each_pair_mut<T: Send, U: Send>(items: &mut [T], others: &mut [U], f: impl Fn(usize, &mut T, &mut U) + Sync) {
    let block = |(b, (items, others)): (usize, (&mut [T], &mut [U]))| {
        for (k, (item, other)) in items.iter_mut().zip(others).enumerate() {
            f(b * BLOCK + k, item, other);
        }
    };
    items.par_chunks_mut(BLOCK).zip(others.par_chunks_mut(BLOCK)).enumerate().for_each(block);
}

/// Calls `f(first, block)` for consecutive blocks of `size` items.
pub fn blocks_mut<T: Send>(items: &mut [T], size: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    if items.len() <= size {
        f(0, items);
    } else {
        items.par_chunks_mut(size).enumerate().for_each(|(b, block)| f(b * size, block));
    }
}

/// Calls `f(i, &mut items[i])` for every item and sums what it gives: blocks in index order, then the sums of the blocks in order, which
/// are left in `sums`, one for each [`BLOCK`] of items.
pub fn each_mut_sum<T: Send>(items: &mut [T], sums: &mut [f64], f: impl Fn(usize, &mut T) -> f64 + Sync) -> f64 {
    let block = |b: usize, (items, sum): (&mut [T], &mut f64)| {
        *sum = items.iter_mut().enumerate().fold(0.0, |sum, (k, item)| sum + f(b * BLOCK + k, item));
    };
    if sums.len() <= 1 {
        items.chunks_mut(BLOCK).zip(&mut *sums).enumerate().for_each(|(b, pair)| block(b, pair));
    } else {
        items.par_chunks_mut(BLOCK).zip(&mut *sums).enumerate().for_each(|(b, pair)| block(b, pair));
    }
    sums.iter().sum()
}

/// As [`each_mut_sum`], for the items of two slices side by side.
pub fn each_pair_mut_sum<T: Send, U: Send>(
    items: &mut [T],
    others: &mut [U],
    sums: &mut [f64],
    f: impl Fn(usize, &mut T, &mut U) -> f64 + Sync,
) -> f64 {
    let pairs = items.par_chunks_mut(BLOCK).zip(others.par_chunks_mut(BLOCK));
    pairs.zip(&mut *sums).enumerate().for_each(|(b, ((items, others), sum))| {
        let pairs = items.iter_mut().zip(others).enumerate();
        *sum = pairs.fold(0.0, |sum, (k, (item, other))| sum + f(b * BLOCK + k, item, other));
    });
    sums.iter().sum()
}

/// The vector of `f(0) .. f(n - 1)`.
pub fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..n).into_par_iter().with_min_len(BLOCK).map(f).collect()
}

/// As [`map`], for few and heavy items: every item may go to a thread of its own.
pub fn map_heavy<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..n).into_par_iter().with_max_len(1).map(f).collect()
}

/// Appends what each block of indices `first..last` pushes, in order of the blocks.
pub fn gather<T: Send>(n: usize, size: usize, f: impl Fn(std::ops::Range<usize>, &mut Vec<T>) + Sync) -> Vec<T> {
    let parts: Vec<Vec<T>> = (0..n.div_ceil(size))
        .into_par_iter()
        .map(|b| {
            let mut part = Vec::new();
            f(b * size..((b + 1) * size).min(n), &mut part);
            part
        })
        .collect();
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    for part in parts {
        all.extend(part);
    }
    all
}

/// Sum of `f(i)` over `0..n`: blocks summed in index order, then the block sums in order.
pub fn sum(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let block = |b: usize| (b * BLOCK..((b + 1) * BLOCK).min(n)).fold(0.0, |s, i| s + f(i));
    let blocks = n.div_ceil(BLOCK);
    if blocks <= 4 {
        return (0..blocks).fold(0.0, |s, b| s + block(b));
    }
    let parts: Vec<f64> = (0..blocks).into_par_iter().map(block).collect();
    parts.iter().sum()
}

/// Largest of `f(i)` over `0..n`, or `f64::NEG_INFINITY` for an empty range; NaN wins.
pub fn max(n: usize, f: impl Fn(usize) -> f64 + Sync + Send) -> f64 {
    let larger = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
    (0..n).into_par_iter().with_min_len(BLOCK).map(f).reduce(|| f64::NEG_INFINITY, larger)
}

/// `f` holds for one of the items at least.
pub fn any<T: Sync>(items: &[T], f: impl Fn(&T) -> bool + Sync + Send) -> bool {
    items.par_chunks(BLOCK).any(|block| block.iter().any(&f))
}

/// Runs two closures, possibly at once.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(a, b)
}

/// Sorts by key; equal keys keep their order, so the result is unique.
pub fn sort_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
    items.par_sort_by_key(key);
}

/// Sorts items that are all different.
pub fn sort<T: Send + Ord>(items: &mut [T]) {
    items.par_sort_unstable();
}

/// Runs `work` on a pool of `threads` threads (0: as many as the machine has).
///
/// # Errors
/// The pool could not be started.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map(|pool| pool.install(work))
        .map_err(|e| format!("cannot start {threads} threads: {e}"))
}

/// Number of threads of the pool this is called from.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Calls `f(k, &mut items[k], part)` for every item, each possibly on its own thread: the parts of `data` that begin at `starts`, which
/// has one entry more than `items` and counts from `starts[0]`.
pub fn each_part<W: Send, T: Send>(
    items: &mut [W],
    data: &mut [T],
    starts: &[usize],
    f: &(impl Fn(usize, &mut W, &mut [T]) + Sync),
) {
    halves(0, items, data, starts, f);
}

fn halves<W: Send, T: Send>(
    first: usize,
    items: &mut [W],
    data: &mut [T],
    starts: &[usize],
    f: &(impl Fn(usize, &mut W, &mut [T]) + Sync),
) {
    match items {
        [] => {}
        [one] => f(first, one, data),
        _ => {
            let middle = items.len() / 2;
            let (items_a, items_b) = items.split_at_mut(middle);
            let (data_a, data_b) = data.split_at_mut(starts[middle] - starts[0]);
            let (starts_a, starts_b) = (&starts[..=middle], &starts[middle..]);
            rayon::join(
                || halves(first, items_a, data_a, starts_a, f),
                || halves(first + middle, items_b, data_b, starts_b, f),
            );
        }
    }
}

/// Calls `f(k, &mut items[k])` for few and heavy items.
pub fn each_heavy<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    items.par_iter_mut().enumerate().with_max_len(1).for_each(|(k, item)| f(k, item));
}

/// Calls `f(scratch, &mut items[k])` for few and heavy items, with storage from `new` that one thread uses for many of them.
pub fn each_heavy_with<T: Send, S>(
    items: &mut [T],
    new: impl Fn() -> S + Sync + Send,
    f: impl Fn(&mut S, &mut T) + Sync + Send,
) {
    items.par_iter_mut().for_each_init(new, f);
}
