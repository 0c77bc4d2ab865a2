//! Worlds for validation: one or several cloths, plain settings, states in file order.

use percale::effect::air::AirLayers;
use percale::effect::air::balloon::BalloonInput;
use percale::effect::air::layer::AirInput;
use percale::force::contact::Friction;
use percale::force::solid::{Body, Solid};
use percale::linalg::{Vec2, Vec3};
use percale::mesh::generate::{self, Diagonals, equilateral_sheet, random_sheet, sheet};
use percale::mesh::{TetMesh, TriMesh, obj};
use percale::scene;
use percale::stepper::{Advance, Integrator, Settings, stepper};
use percale::world::build::{BodyInput, ClothInput, Input, build};
use percale::world::effect::Remember;
use percale::world::{Pin, State, World};

/// Acceleration of gravity [m/s^2].
pub const G: f64 = 9.81;
/// Mass per area [kg/m^2].
pub const DENSITY: f64 = 0.2;

/// Triangulation of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    Aligned,
    Alternating,
    Equilateral,
    Random,
}

/// Makes a sheet of `n` x `m` cells (about as many if the triangulation has no cells).
pub fn cut(kind: Cut, n: usize, m: usize, width: f64, height: f64, place: impl Fn(Vec2) -> Vec3) -> TriMesh {
    match kind {
        Cut::Aligned => sheet(n + 1, m + 1, width, height, Diagonals::Aligned, place),
        Cut::Alternating => sheet(n + 1, m + 1, width, height, Diagonals::Alternating, place),
        Cut::Equilateral => equilateral_sheet(width, height, width / n as f64, place),
        Cut::Random => random_sheet(n + 1, m + 1, width, height, 7, place),
    }
}

/// Makes a cloth without bending, drag, damping, friction, pins or self-contact; Poisson's ratio 0.
pub fn cloth(mesh: TriMesh, young: f64) -> ClothInput {
    ClothInput::plain(mesh, young, DENSITY)
}

/// Makes a bar along x of `cells` cubes of side `size` [m], six tetrahedra each.
pub fn bar(cells: [usize; 3], size: f64) -> TetMesh {
    generate::brick(cells, Vec3::repeat(size))
}

/// Makes a body of 100 kg/m^3 without damping, friction, pins or self-contact.
pub fn body(mesh: TetMesh, solid: Solid) -> BodyInput {
    BodyInput {
        name: "body".into(),
        mesh,
        law: Body { solid, damping: 0.0 },
        density: 100.0,
        drag: 0.0,
        thickness: 0.0,
        friction: Friction { fixed: 0.0, sliding: 0.0 },
        velocity: Vec3::zeros(),
        self_contact: false,
        pins: Vec::new(),
        handles: Vec::new(),
    }
}

/// Returns the input of a body under gravity, without contact.
pub fn solid(gravity: Vec3, body: BodyInput) -> Input {
    Input { bodies: vec![body], ..empty(gravity) }
}

/// Returns the input of a cloth under gravity, in still air, without contact.
pub fn input(gravity: Vec3, cloth: ClothInput) -> Input {
    Input { cloths: vec![cloth], ..empty(gravity) }
}

fn empty(gravity: Vec3) -> Input {
    let mut input = Input::empty(gravity);
    input.contact.enabled = false;
    input
}

/// Returns settings with fixed steps of `step` [s], solved to `tolerance`.
pub fn settings(integrator: Integrator, step: f64, tolerance: f64) -> Settings {
    Settings { integrator, step, min_step: step, accuracy: f64::INFINITY, tolerance, iterations: 20_000 }
}

/// World with state and stepper, solved in double precision.
pub struct Bench {
    pub world: World,
    pub state: State,
    pub stepper: Box<dyn Advance>,
}

/// Input of a world with air.
#[derive(Clone, Debug)]
pub struct Airy {
    pub input: Input,
    pub airs: Vec<AirInput>,
    pub balloons: Vec<BalloonInput>,
}

impl std::ops::Deref for Airy {
    type Target = Input;
    fn deref(&self) -> &Input {
        &self.input
    }
}

impl std::ops::DerefMut for Airy {
    fn deref_mut(&mut self) -> &mut Input {
        &mut self.input
    }
}

impl From<Input> for Airy {
    fn from(input: Input) -> Airy {
        Airy { input, airs: Vec::new(), balloons: Vec::new() }
    }
}

impl Bench {
    pub fn new(input: impl Into<Airy>, settings: Settings) -> Bench {
        let Airy { input, airs, balloons } = input.into();
        let (mut world, mut state) = build(input);
        if !airs.is_empty() || !balloons.is_empty() {
            let airs = AirLayers::new(&world, &airs, &balloons);
            world.plug(airs, &mut state);
        }
        let stepper = stepper(&world, settings, true);
        Bench { world, state, stepper }
    }

    /// Returns the air layers and balloons.
    pub fn airs(&self) -> &AirLayers {
        self.world.effects.get().unwrap()
    }

    /// Returns the state of an effect.
    pub fn memory<M: Remember>(&self) -> &M {
        self.state.effects.get().unwrap()
    }

    /// Returns the state of an effect, mutably.
    pub fn memory_mut<M: Remember>(&mut self) -> &mut M {
        self.state.effects.get_mut().unwrap()
    }

    /// Steps until a time.
    pub fn run(&mut self, until: f64) {
        if let Err(stuck) = self.stepper.advance(&self.world, &mut self.state, until) {
            panic!("{}", stuck.describe(&self.world, &self.state));
        }
    }

    /// Advances by a time `h`: a single step if `h` is within the settings and the last steps were not much shorter.
    pub fn step(&mut self, h: f64) {
        self.run(self.state.time + h);
    }

    /// Steps until no vertex is faster than `slow` [m/s]; panics after 60 s.
    pub fn settle(&mut self, slow: f64) {
        loop {
            self.step(self.stepper.settings().step);
            let fastest = self.state.v.iter().fold(0.0f64, |m, v| m.max(v.norm()));
            if fastest < slow {
                return;
            }
            assert!(self.state.time < 60.0, "still {fastest} m/s after {} s", self.state.time);
        }
    }

    /// Returns the positions of the first object in file order.
    pub fn positions(&self) -> Vec<Vec3> {
        self.world.in_file_order(&self.world.objects[0], &self.state.x)
    }
}

/// Builds a scene from its text, with its own settings; `mesh` is its `mesh.obj`.
pub fn shipped(name: &str, mesh: &TriMesh, text: &str) -> Bench {
    let folder = std::env::temp_dir().join(format!("percale-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mesh.obj"), obj::write(mesh)).unwrap();
    let file = folder.join("scene.toml");
    let scene = scene::read_text(&file, text.as_bytes(), &[]).unwrap_or_else(|faults| panic!("{faults:?}"));
    let built = scene::build::build(&scene, &file).unwrap_or_else(|refusal| panic!("{:?}", refusal.faults));
    std::fs::remove_dir_all(&folder).unwrap();
    let stepper = scene::build::stepper(&scene, &built.world);
    Bench { world: built.world, state: built.state, stepper }
}

/// Returns the vertices whose chart point satisfies a condition.
pub fn select(mesh: &TriMesh, wanted: impl Fn(&Vec2) -> bool) -> Vec<u32> {
    (0..mesh.uv.len() as u32).filter(|v| wanted(&mesh.uv[*v as usize])).collect()
}

/// Returns a pin of the vertices whose chart point satisfies a condition.
pub fn hold(mesh: &TriMesh, wanted: impl Fn(&Vec2) -> bool) -> Pin {
    Pin::fixed(select(mesh, wanted))
}

/// Prints a row and asserts that `measured` is `expected` within the relative `tolerance`.
pub fn close(test: &str, measured: f64, expected: f64, tolerance: f64) {
    let error = measured / expected - 1.0;
    println!("| {test} | {expected:.6} | {measured:.6} | {:+.3} % | {} % |", 100.0 * error, 100.0 * tolerance);
    assert!(error.abs() <= tolerance, "{test}: {measured} instead of {expected}");
}
