//! Signed distances of the covers of three pillows: surface traversal compared with every triangle within reach,
//! alternately on one thread. Inputs are `scenes/three-pillows.toml` as simulated, and analytic pillows. With
//! `-- --plot`: draws each step of the scene into `docs/traversal.svg`.

#[path = "common/grid.rs"]
mod grid;
#[path = "common/pillows.rs"]
mod pillows;

use grid::Grid;
use percale::collision::traversal::{Traversal, Work};
use percale::linalg::{Vec3, par};
use percale::scene;
use percale::scene::build::build;
use percale::stepper::{Integrator, Settings, stepper};
use percale::world::{Kind, State};
use pillows::Pillows;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Number of steps of which times are the medians. The first step has no previous result and is left out.
const STEPS: usize = 32;
/// Number of plotted steps: 1.5 s.
const PLOTTED: usize = 450;
/// Creep of a cover over its pillow per step [m].
const CREEP: f64 = 1e-3;
/// Largest thickness of a cover (bounded by 2 L / 3), and activation distance beyond it [m].
const REPULSION: [f64; 2] = [4e-3, 1e-3];
/// Cell sizes of the grid [m]; the fastest counts.
const CELLS: [f64; 6] = [0.014, 0.018, 0.024, 0.032, 0.044, 0.060];

const COLUMNS: [&str; 13] = [
    "from",
    "body, cover triangles",
    "queries",
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

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|argument| argument == "--plot") {
        let whole = simulated("scenes/three-pillows.toml", &[0.0], PLOTTED)?;
        return par::with_threads(1, || plot(&whole[0]).map_err(|e| e.to_string()))?.map_err(Into::into);
    }
    println!("| {} |", COLUMNS.join(" | "));
    println!("|{}", "---|".repeat(COLUMNS.len()));
    let mut courses = simulated("scenes/three-pillows.toml", &[0.2, 0.5, 1.0, 1.4], STEPS)?;
    courses.extend([[28, 71], [44, 62], [54, 54]].map(|[body, cover]| made(&Pillows::new(body, cover))));
    Ok(par::with_threads(1, || courses.iter().for_each(measure))?)
}

/// Surface and points in successive steps.
struct Course {
    /// Name in the table.
    name: String,
    triangles: Vec<[u32; 3]>,
    cover_triangles: usize,
    /// Longest edge of a cover [m].
    cover_edge: f64,
    /// Vertices of the surface and points, for each step [m].
    frames: Vec<[Vec<Vec3>; 2]>,
}

fn made(scene: &Pillows) -> Course {
    Course {
        name: "made up".to_string(),
        triangles: scene.triangles.clone(),
        cover_triangles: scene.cover_triangles,
        cover_edge: scene.cover_edge,
        frames: (0..=STEPS).map(|s| [scene.surface(s), scene.covers(s, CREEP)]).collect(),
    }
}

/// Simulates `steps` steps of a scene from each of the given times [s].
fn simulated(file: &str, times: &[f64], steps: usize) -> Result<Vec<Course>, String> {
    let path = &Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let scene = scene::read(path, &[]).map_err(|faults| format!("{faults:?}"))?;
    let built = build(&scene, path).map_err(|refusal| format!("{:?}", refusal.faults))?;
    let (world, mut state) = (built.world, built.state);
    // Settings of the scene, which gives neither integrator nor precision.
    let settings = Settings {
        integrator: Integrator::Bdf2,
        step: scene.step(),
        min_step: scene.time.min_step,
        accuracy: scene.time.accuracy,
        tolerance: scene.solver.tolerance,
        iterations: scene.solver.max_iterations as usize,
    };
    let mut stepper = stepper(&world, settings, false);
    // Consecutive indices for the vertices of the surface.
    let mut names: Vec<u32> = vec![u32::MAX; world.rest.len()];
    let (mut surface, mut triangles) = (vec![], vec![]);
    for object in world.objects.iter().filter(|object| object.kind == Kind::Body) {
        for corners in &object.triangles {
            triangles.push(corners.map(|v| {
                let vertex = object.place[v as usize];
                let name = &mut names[vertex as usize];
                if *name == u32::MAX {
                    *name = surface.len() as u32;
                    surface.push(vertex as usize);
                }
                *name
            }));
        }
    }
    let covers: Vec<_> = world.cloths.iter().map(|cloth| &world.objects[cloth.object]).collect();
    let points: Vec<usize> = covers.iter().flat_map(|cover| cover.vertices.clone()).collect();
    let cover_triangles = covers.iter().map(|cover| cover.triangles.len()).sum();
    let edges = covers.iter().flat_map(|cover| {
        let at = |v: u32| world.rest[cover.place[v as usize] as usize];
        cover
            .triangles
            .iter()
            .flat_map(move |[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]])
            .map(move |[a, b]| (at(a) - at(b)).norm())
    });
    let cover_edge = edges.fold(0.0, f64::max);
    let mut courses = vec![];
    for time in times {
        let mut to = |state: &mut State, until: f64| {
            stepper.step(&world, state, until).map_err(|stuck| stuck.describe(&world, state)).map(|_| ())
        };
        while state.time < *time {
            to(&mut state, *time)?;
        }
        let mut frames = vec![];
        while frames.len() <= steps {
            frames.push([&surface, &points].map(|list| list.iter().map(|v| state.x[*v]).collect()));
            to(&mut state, f64::INFINITY)?;
        }
        let name = format!("{time} s");
        courses.push(Course { name, triangles: triangles.clone(), cover_triangles, cover_edge, frames });
    }
    Ok(courses)
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

fn measure(scene: &Course) {
    let frames = &scene.frames;
    let points = frames[0][1].len();
    let motions = frames.windows(2).map(|f| largest(&f[0][0], &f[1][0]) + largest(&f[0][1], &f[1][1]));
    let bound = motions.fold(0.0, f64::max);
    let held = REPULSION[0].min(2.0 / 3.0 * scene.cover_edge) + REPULSION[1];
    let mut search = Traversal::new(&scene.triangles, &frames[0][0], points);
    let farthest = |[x, at]: &[Vec<Vec3>; 2]| {
        search.update(x, |k| at[k]);
        (0..points).map(|k| search.closest(k).distance.abs()).fold(0.0, f64::max)
    };
    // Reach at which each point has a nearest triangle, from the distances of the traversal.
    let all = frames.iter().map(farthest).skip(1).fold(0.0, f64::max).next_up();
    // The first reach uses the relative speed of closest points, which a search cannot know beforehand. The second uses
    // the sum of the largest motions.
    for reach in [2.0 * CREEP + held, bound + held, all] {
        let mut search = Traversal::new(&scene.triangles, &frames[0][0], points);
        let (mut grids, mut tries) = (vec![vec![]; CELLS.len()], vec![vec![]; CELLS.len()]);
        let (mut walks, mut work, mut near, mut differ) = (vec![], Work::default(), 0, 0);
        let (mut grid, mut all) = (Grid::default(), Vec::with_capacity(points));
        for (step, [x, at]) in frames.iter().enumerate() {
            let done = timed(&mut walks, || search.update(x, |k| at[k]));
            if step == 0 {
                walks.clear();
                continue;
            }
            work.visits += done.visits;
            work.walked += done.walked;
            work.bounds += done.bounds;
            for (k, cell) in CELLS.into_iter().enumerate() {
                timed(&mut grids[k], || grid.build(x, &scene.triangles, cell));
                all.clear();
                timed(&mut tries[k], || {
                    all.extend(at.iter().map(|p| grid.closest(x, &scene.triangles, p, reach, &mut near)));
                });
                // Beyond the reach, the exhaustive search finds no triangle, or not the closest.
                let found = (0..all.len()).map(|k| search.closest(k).distance.abs());
                differ += found.zip(&all).filter(|(d, (_, best))| *d < reach && *d != best.distance2.sqrt()).count();
            }
        }
        assert_eq!(differ, 0, "the two must find the same");
        let times = grids.into_iter().zip(tries).map(|(grid, all)| (median(grid), median(all)));
        let best = times.zip(CELLS).min_by(|a, b| (a.0.0 + a.0.1).total_cmp(&(b.0.0 + b.0.1)));
        let Some(((grid, exhaustive), cell)) = best else { return };
        let (n, walk) = (points as f64, median(walks));
        let each = |count: u64| count as f64 / (n * STEPS as f64);
        let cells = [
            scene.name.clone(),
            format!("{}, {}", scene.triangles.len(), scene.cover_triangles),
            points.to_string(),
            format!("{:.1}", reach * 1e3),
            format!("{:.1}", each(near) / CELLS.len() as f64),
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

/// Plots the times of each step: surface traversal, and exhaustive search with the fastest cell size overall.
fn plot(scene: &Course) -> Result<(), Box<dyn Error>> {
    let frames = &scene.frames;
    let points = frames[0][1].len();
    let held = REPULSION[0].min(2.0 / 3.0 * scene.cover_edge) + REPULSION[1];
    let mut search = Traversal::new(&scene.triangles, &frames[0][0], points);
    let (mut walks, mut tries) = (vec![], vec![vec![]; CELLS.len()]);
    let (mut grid, mut near) = (Grid::default(), 0);
    for (k, [x, at]) in frames.iter().enumerate() {
        timed(&mut walks, || search.update(x, |k| at[k]));
        let before = &frames[k.saturating_sub(1)];
        let reach = largest(&before[0], x) + largest(&before[1], at) + held;
        for (cell, tries) in CELLS.into_iter().zip(&mut tries) {
            timed(tries, || {
                grid.build(x, &scene.triangles, cell);
                at.iter()
                    .filter(|p| grid.closest(x, &scene.triangles, p, reach, &mut near).1.distance2.is_finite())
                    .count()
            });
        }
    }
    let sum = |times: &[f64]| times[1..].iter().sum::<f64>();
    let best = tries.iter().min_by(|a, b| sum(a).total_cmp(&sum(b))).ok_or("no cells")?;
    println!(
        "{} steps: {:.1} times as long with every triangle within reach",
        walks.len() - 1,
        sum(best) / sum(&walks)
    );
    let area = SVGBackend::new("docs/traversal.svg", (640, 320)).into_drawing_area();
    area.fill(&WHITE)?;
    let most = best[1..].iter().copied().fold(0.0, f64::max) * 1e3;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(0..walks.len(), 0.0..1.1 * most)?;
    chart.configure_mesh().x_desc("step").y_desc("time of the search [ms]").draw()?;
    for (times, colour, label) in [(best, BLACK, "every triangle within reach"), (&walks, RED, "traversal")] {
        let line = times.iter().enumerate().skip(1).map(|(k, seconds)| (k, 1e3 * seconds));
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour);
        chart.draw_series(LineSeries::new(line, &colour))?.label(label).legend(legend);
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}
