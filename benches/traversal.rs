//! Signed distances of the covers of three pillows: surface traversal against every triangle within reach, on one thread, in turn.

#[path = "common/grid.rs"]
mod grid;
#[path = "common/pillows.rs"]
mod pillows;

use grid::Grid;
use percale::collision::traversal::{Traversal, Work};
use percale::linalg::{Vec3, par};
use pillows::Pillows;
use std::time::Instant;

/// Steps of which times are the medians; the first, which begins with nothing, is left out.
const STEPS: usize = 32;
/// How far a cover creeps over its pillow in a step [m].
const CREEP: f64 = 1e-3;
/// Distance within which a cover is held off, its thickness 2 L / 3 or less, and within which it is repelled beyond it [m].
const REPULSION: [f64; 2] = [4e-3, 1e-3];
/// Cells of the grid [m]; the best counts.
const CELLS: [f64; 5] = [0.010, 0.014, 0.018, 0.024, 0.032];

const COLUMNS: [&str; 13] = [
    "body, cover triangles",
    "queries",
    "U, mm",
    "reach, mm",
    "S",
    "cell, mm",
    "grid, us",
    "exhaustive, us",
    "traversal, us",
    "ratio",
    "visited",
    "walked",
    "side tests",
];

fn main() -> Result<(), String> {
    par::with_threads(1, || {
        println!("| {} |", COLUMNS.join(" | "));
        println!("|{}", "---|".repeat(COLUMNS.len()));
        for [body, cover] in [[28, 71], [34, 67], [44, 62], [54, 54]] {
            measure(&Pillows::new(body, cover));
        }
    })
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2] * 1e6
}

fn largest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

fn timed<T>(times: &mut Vec<f64>, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    times.push(start.elapsed().as_secs_f64());
    done
}

fn measure(scene: &Pillows) {
    let frames: Vec<[Vec<Vec3>; 2]> = (0..=STEPS).map(|s| [scene.surface(s), scene.covers(s, CREEP)]).collect();
    let motions = frames.windows(2).map(|f| largest(&f[0][0], &f[1][0]) + largest(&f[0][1], &f[1][1]));
    let bound = motions.fold(0.0, f64::max);
    let held = REPULSION[0].min(2.0 / 3.0 * scene.cover_edge) + REPULSION[1];
    // What no search can know beforehand, how fast nearest points move against each other; and the sum of the largest motions.
    for motion in [2.0 * CREEP, bound] {
        let reach = motion + held;
        let mut search = Traversal::new(&scene.triangles, &frames[0][0], scene.points());
        let (mut grids, mut tries) = (vec![vec![]; CELLS.len()], vec![vec![]; CELLS.len()]);
        let (mut walks, mut work, mut near, mut differ) = (vec![], Work::default(), 0, 0);
        let mut grid = Grid::default();
        for (step, [x, points]) in frames.iter().enumerate() {
            let done = timed(&mut walks, || search.update(x, |k| points[k]));
            if step == 0 {
                walks.clear();
                continue;
            }
            work.visits += done.visits;
            work.walked += done.walked;
            work.bounds += done.bounds;
            for (k, cell) in CELLS.into_iter().enumerate() {
                timed(&mut grids[k], || grid.build(x, &scene.triangles, cell));
                near = 0;
                let all: Vec<_> = timed(&mut tries[k], || {
                    points.iter().map(|p| grid.closest(x, &scene.triangles, p, reach, &mut near)).collect()
                });
                // Beyond the reach the exhaustive search finds nothing, or not the closest.
                let found = (0..all.len()).map(|k| search.closest(k).distance.abs());
                differ += found.zip(&all).filter(|(d, (_, best))| *d < reach && *d != best.distance2.sqrt()).count();
            }
        }
        assert_eq!(differ, 0, "the two must find the same");
        let times = grids.into_iter().zip(tries).map(|(grid, all)| (median(grid), median(all)));
        let best = times.zip(CELLS).min_by(|a, b| (a.0.0 + a.0.1).total_cmp(&(b.0.0 + b.0.1)));
        let Some(((grid, exhaustive), cell)) = best else { return };
        let (n, walk) = (scene.points() as f64, median(walks));
        let each = |count: u64| count as f64 / (n * STEPS as f64);
        let cells = [
            format!("{}, {}", scene.triangles.len(), scene.cover_triangles),
            scene.points().to_string(),
            format!("{:.1}", motion * 1e3),
            format!("{:.1}", reach * 1e3),
            format!("{:.1}", near as f64 / n),
            format!("{:.0}", cell * 1e3),
            format!("{grid:.0}"),
            format!("{exhaustive:.0}"),
            format!("{walk:.0}"),
            format!("{:.1}", (grid + exhaustive) / walk),
            format!("{:.2}", each(work.visits)),
            format!("{:.2}", each(work.walked)),
            format!("{:.1}", each(work.bounds)),
        ];
        println!("| {} |", cells.join(" | "));
    }
}
