//! Shared code of the benches: the command line, the reference scene, the settings.

use percale::force::bending::Bending;
use percale::force::cloth_law::{ClothLaw, Damping};
use percale::force::contact::Friction;
use percale::force::drag::Drag;
use percale::force::internal_friction::InternalFriction;
use percale::force::membrane::{Isotropic, Membrane};
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use percale::mesh::generate::{self, Diagonals};
use percale::stepper::{Integrator, Settings};
use percale::world::build::{ClothInput, Input, ObstacleInput, Rest, Weights, build};
use percale::world::motion::Motion;
use percale::world::wind::Wind;
use percale::world::window::Window;
use percale::world::{ContactSettings, Course, State, World};

/// Arguments of `cargo bench --bench NAME -- [VERTICES [STEP [THREADS]]]`.
pub struct Arguments {
    /// Numbers of vertices of the sheet, with a run for each.
    pub sizes: Vec<usize>,
    /// Largest time step [s]. The argument is in milliseconds and defaults to 1.
    pub step: f64,
    /// Number of threads; 0, the default, is one per processor.
    pub threads: usize,
}

impl Arguments {
    /// Reads the arguments. `sizes` are the default for VERTICES.
    ///
    /// # Errors
    /// An argument is not a number.
    pub fn read(sizes: &[usize]) -> Result<Arguments, String> {
        let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
        let wrong = |word: &str| format!("'{word}': give numbers, VERTICES STEP_MS THREADS");
        let count = |k: usize| words.get(k).map(|w| w.parse::<usize>().map_err(|_| wrong(w))).transpose();
        let step = words.get(1).map(|w| w.parse::<f64>().map_err(|_| wrong(w))).transpose()?;
        Ok(Arguments {
            sizes: count(0)?.map_or(sizes.to_vec(), |one| vec![one]),
            step: step.unwrap_or(1.0) * 1e-3,
            threads: count(2)?.unwrap_or(0),
        })
    }
}

/// Builds the drop of `scenes/drape.toml` with a sheet of about `vertices` vertices, rounded to a square number: 1 m x
/// 1 m, 0.2 kg/m2, 261 N/m, Poisson 0.243, bending 2.3e-6 N m, friction 0.3, from 0.85 m onto a sphere of radius 0.25 m
/// centred 0.3 m above the floor.
pub fn scene(vertices: usize) -> (World, State) {
    let side = (vertices as f64).sqrt().round() as usize;
    let friction = Friction { fixed: 0.3, sliding: 0.3 };
    let mut mesh = generate::sheet(side, side, 1.0, 1.0, Diagonals::Alternating, generate::lying(1.0, 1.0));
    mesh.positions.iter_mut().for_each(|p| p.y += 0.85);
    let obstacle = |name: &str, mesh: TriMesh| ObstacleInput {
        name: name.to_string(),
        mesh,
        course: Course::Rigid(Motion::Fixed),
        friction,
        thickness: 0.0,
        window: Window::ALWAYS,
    };
    build(Input {
        gravity: Vec3::new(0.0, -9.81, 0.0),
        wind: Wind::none(),
        contact: ContactSettings::default(),
        cloths: vec![ClothInput {
            name: "sheet".to_string(),
            mesh,
            seams: vec![],
            law: ClothLaw {
                membrane: Membrane::Isotropic(Isotropic { young: 261.0, poisson: 0.243 }),
                bending: Bending::Constant(2.3e-6),
                damping: Damping::even(5e-4),
                inner: InternalFriction::default(),
            },
            springs: None,
            density: 0.2,
            vertex_mass: None,
            thickness: 3e-4,
            friction,
            drag: Drag::default(),
            warp: Vec3::x(),
            rest: Rest::Mesh,
            flat: false,
            limit: None,
            velocity: Vec3::zeros(),
            self_contact: true,
            weights: Weights::default(),
            shrinks: Vec::new(),
            gathers: Vec::new(),
            folds: Vec::new(),
            yields: None,
            gives: None,
            bands: Vec::new(),
            pins: vec![],
            handles: vec![],
        }],
        bodies: Vec::new(),
        obstacles: vec![
            obstacle("ball", generate::sphere(Vec3::new(0.0, 0.3, 0.0), 0.25, 0.078 * 0.25)),
            obstacle("floor", generate::plane(Vec3::zeros(), Vec3::y(), 2.0, 6.0)),
        ],
        frictions: Vec::new(),
        glues: Vec::new(),
        apart: Vec::new(),
        shaped: 0.0,
    })
}

/// Returns the default settings of a scene file, with the given largest step [s].
pub fn settings(step: f64) -> Settings {
    let min_step = step.min(2e-5);
    Settings { integrator: Integrator::Bdf2, step, min_step, accuracy: f64::INFINITY, tolerance: 1e-3, iterations: 500 }
}
