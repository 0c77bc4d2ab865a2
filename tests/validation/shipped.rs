//! Scenes as users write them: read from text, with materials of the library, at the default damping, tolerance and
//! precision.

use crate::common::Bench;
use percale::linalg::Vec3;
use percale::scene::{self, Scene};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Default step [s].
pub const STEP: f64 = 1e-3;

/// Returns the fabrics of the library, including measured ones.
pub fn fabrics() -> impl Iterator<Item = &'static str> {
    scene::library().materials.all.iter().map(|material| material.name.as_str())
}

/// Returns the solids of the library.
pub fn solids() -> impl Iterator<Item = &'static str> {
    scene::library().solids.all.iter().map(|solid| solid.name.as_str())
}

/// Makes a folder for the meshes of a test's scenes.
pub fn folder(name: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shipped-{name}-{}-{count}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a horizontal sheet of `n` x `m` cells of `cell` [m] as OBJ, its first corner at the origin, along x and -z,
/// with alternating diagonals.
pub fn sheet(path: &Path, [n, m]: [usize; 2], cell: f64) {
    let mut text = String::new();
    for j in 0..=m {
        (0..=n).for_each(|i| text += &format!("v {} 0 {}\n", i as f64 * cell, -(j as f64) * cell));
    }
    for (j, i) in (0..m).flat_map(|j| (0..n).map(move |i| (j, i))) {
        let a = j * (n + 1) + i + 1;
        let [b, c, d] = [a + 1, a + n + 1, a + n + 2];
        text += &match (i + j) % 2 {
            0 => format!("f {a} {b} {d}\nf {a} {d} {c}\n"),
            _ => format!("f {a} {b} {c}\nf {b} {d} {c}\n"),
        };
    }
    fs::write(path, text).unwrap();
}

/// Writes a sheet as [`sheet`] does, with aligned diagonals and a chart whose warp is turned against x [degrees].
pub fn turned(path: &Path, [n, m]: [usize; 2], cell: f64, degrees: f64) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut text = String::new();
    for (j, i) in (0..=m).flat_map(|j| (0..=n).map(move |i| (j, i))) {
        let [x, z] = [i as f64 * cell, -(j as f64) * cell];
        text += &format!("v {x} 0 {z}\nvt {} {}\n", cos * x - sin * z, -sin * x - cos * z);
    }
    for (j, i) in (0..m).flat_map(|j| (0..n).map(move |i| (j, i))) {
        let a = j * (n + 1) + i + 1;
        let [b, c, d] = [a + 1, a + n + 1, a + n + 2];
        text += &format!("f {a}/{a} {b}/{b} {d}/{d}\nf {a}/{a} {d}/{d} {c}/{c}\n");
    }
    fs::write(path, text).unwrap();
}

/// Builds a scene of a folder from its text, with a step [s].
pub fn bench(folder: &Path, text: &str, step: f64) -> Bench {
    let path = folder.join("scene.toml");
    let text = format!("{text}\n[time]\nstep = {step:e}\n");
    let read = scene::read_text(&path, text.as_bytes(), &[]);
    let scene: Scene = read.unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    let built = scene::build::build(&scene, &path).unwrap_or_else(|refusal| panic!("{:?}\n{text}", refusal.faults));
    let stepper = scene::build::stepper(&scene, &built.world);
    Bench { world: built.world, state: built.state, stepper }
}

/// Returns the results of `measure` at the default step, and at half of it.
pub fn halved<const N: usize>(measure: impl Fn(f64) -> [f64; N]) -> [[f64; 2]; N] {
    let [full, half] = [STEP, STEP / 2.0].map(measure);
    std::array::from_fn(|k| [full[k], half[k]])
}

/// Angular momentum of all moving vertices about their centre [kg m^2/s], and their kinetic and elastic energy [J].
pub struct Whole {
    pub angular: Vec3,
    pub energy: f64,
}

impl Whole {
    pub fn of(bench: &Bench) -> Whole {
        let Bench { world, state, .. } = bench;
        let (centre, _) = mean(bench);
        let (mut angular, mut energy) = (Vec3::zeros(), 0.0);
        world.elements.each_energy(&state.x, &state.memory, |_, part| energy += part);
        for v in 0..world.moving {
            angular += (state.x[v] - centre).cross(&state.v[v]) * world.mass[v];
            energy += 0.5 * world.mass[v] * state.v[v].norm_squared();
        }
        Whole { angular, energy }
    }
}

/// Returns the mass-weighted mean position [m] and velocity [m/s].
pub fn mean(bench: &Bench) -> (Vec3, Vec3) {
    let Bench { world, state, .. } = bench;
    let (mut mass, mut x, mut v) = (0.0, Vec3::zeros(), Vec3::zeros());
    for k in 0..world.moving {
        mass += world.mass[k];
        x += state.x[k] * world.mass[k];
        v += state.v[k] * world.mass[k];
    }
    (x / mass, v / mass)
}
