//! Random scenes from a seed.

use super::shapes::{self, Random};
use percale::collision::intersect::intersections;
use percale::effect::air::balloon::BalloonInput;
use percale::effect::air::gas::Supply;
use percale::effect::permeability::PermeabilityLaw;
use percale::force::bending::Bending;
use percale::force::cloth_law::{ClothLaw, Damping};
use percale::force::contact::Friction;
use percale::force::drag::Drag;
use percale::force::glue::STIFFNESS;
use percale::force::internal_friction::InternalFriction;
use percale::force::membrane::{Isotropic, Membrane};
use percale::force::solid::{Body, Lame, Solid};
use percale::force::spring::Jacobian;
use percale::force::spring_mesh::{Flexion, Network, Stretch};
use percale::linalg::{Rotation, UnitVec3, Vec3};
use percale::mesh::check::{Severity, check};
use percale::mesh::refine::offset;
use percale::mesh::{TriMesh, generate};
use percale::stepper::{Integrator, Settings};
use percale::world::build::{BodyInput, ClothInput, Input, ObstacleInput, Rest, Weights};
use percale::world::glue::Glue;
use percale::world::motion::{Keyframe, Motion};
use percale::world::recording::{Clock, Recorder};
use percale::world::wind::Wind;
use percale::world::window::Window;
use percale::world::{ContactSettings, Course, Pin};

/// Largest initial speed of objects [m/s].
const FASTEST: f64 = 60.0;
/// Largest distance between objects, in sizes of the first cloth, or in metres if larger.
const FARTHEST: f64 = 1.0;

/// Scene and its run settings.
pub struct Scene {
    pub input: Input,
    pub balloons: Vec<BalloonInput>,
    pub settings: Settings,
    /// Whether the matrix is in double precision.
    pub double: bool,
    pub frames: usize,
    /// Time between frames [s].
    pub interval: f64,
    /// Whether gravity is the only external influence.
    pub closed: bool,
    /// Short description.
    pub says: String,
}

/// Random generator and shared parameters of a scene.
struct Draw {
    r: Random,
    /// Simulated time [s].
    time: f64,
    /// Size of the first cloth [m].
    size: f64,
    thickest: f64,
    slowest: f64,
    /// Direction of the first cloth's motion, if any.
    heading: Option<Vec3>,
    /// Points of all objects placed so far [m].
    placed: Vec<Vec3>,
    says: String,
}

impl Scene {
    /// Makes the scene of a seed; `None` if a mesh is not sound or crosses itself.
    pub fn new(seed: u64) -> Option<Scene> {
        let mut r = Random(seed);
        // Bodies have their own random sequence, so that scenes without bodies do not change.
        let body_seed = Random(seed ^ 0x5eed_b0d1).bits();
        let step = r.size(2e-4, 1e-2);
        let (frames, parts) = (r.whole(10, 20), r.whole(1, 2));
        let interval = step * parts as f64;
        let size = if r.chance(0.7) { r.size(0.05, 1.0) } else { r.size(0.01, 100.0) };
        let count = r.size(100.0, 900.0) as usize;
        let cloths = *[1, 1, 1, 2, 2, 3, 5].get(r.whole(0, 6))?;
        // Distances larger than triangles are rare, since they are slow.
        let edge = size / (count as f64 / cloths as f64).sqrt();
        let most = if r.chance(0.1) { f64::INFINITY } else { 0.5 * edge };
        let distance = r.size(2e-4, 5e-3).min(most);
        let thickest = if r.chance(0.3) { 0.0 } else { r.size(1e-5, 1e-2).min(most) };
        let says = format!("step {:.2} ms, distance {:.2} mm", step * 1e3, distance * 1e3);
        let time = frames as f64 * interval;
        let slowest = if r.chance(0.5) { 1.0 } else { 10.0 };
        let mut draw = Draw { r, time, size, thickest, slowest, heading: None, placed: Vec::new(), says };
        let mut cloths = (0..cloths).map(|k| draw.cloth(k, count / cloths)).collect::<Option<Vec<_>>>()?;
        let bodies = draw.bodies(body_seed);
        let glues = draw.covers(body_seed, &mut cloths, &bodies);
        draw.knit(body_seed, &mut cloths);
        let mut balloons = draw.balloons(body_seed, &cloths);
        let obstacles = draw.obstacles()?;
        let Draw { mut r, mut says, .. } = draw;
        let gravity = if r.chance(0.2) { r.direction() * r.size(1.0, 100.0) } else { Vec3::y() * -9.81 };
        let wind = Wind { velocity: r.direction() * r.real(0.0, 20.0), ..Wind::none() };
        // In some scenes, all external influences are removed.
        let closed = Random(seed ^ 0xc1_05ed).chance(0.25);
        let (mut wind, mut obstacles) = (wind, obstacles);
        if closed {
            wind = Wind::none();
            obstacles.clear();
            close(&mut cloths, &mut balloons);
            says += "; closed";
        }
        let stiffness = if r.chance(0.8) { 1.0 } else { r.size(0.1, 10.0) };
        let contact = ContactSettings { distance, stiffness, ..ContactSettings::default() };
        let integrator = if r.chance(0.85) { Integrator::Bdf2 } else { Integrator::BackwardEuler };
        let tolerance = if r.chance(0.8) { 1e-3 } else { 1e-6 };
        Some(Scene {
            input: Input {
                gravity,
                wind,
                contact,
                cloths,
                bodies,
                obstacles,
                frictions: Vec::new(),
                glues,
                apart: Vec::new(),
                shaped: 0.0,
            },
            balloons,
            settings: settings(integrator, step, tolerance),
            double: r.chance(0.2),
            frames,
            interval,
            closed,
            says,
        })
    }
}

fn settings(integrator: Integrator, step: f64, tolerance: f64) -> Settings {
    Settings { integrator, step, min_step: step.min(2e-5), accuracy: f64::INFINITY, tolerance, iterations: 500 }
}

/// Removes external influences on cloths.
fn close(cloths: &mut [ClothInput], balloons: &mut [BalloonInput]) {
    balloons.iter_mut().for_each(|balloon| balloon.supply = Supply::None);
    for cloth in cloths {
        cloth.pins.clear();
        cloth.drag = Drag::default();
    }
}

impl Draw {
    /// Draws a log-uniform speed [m/s].
    fn speed(&mut self) -> f64 {
        self.r.size(self.slowest, FASTEST)
    }

    fn friction(&mut self) -> Friction {
        let sliding = self.r.real(0.0, 1.0);
        Friction { fixed: sliding * self.r.real(1.0, 1.5), sliding }
    }

    fn law(&mut self, young: f64) -> ClothLaw {
        ClothLaw {
            membrane: Membrane::Isotropic(Isotropic { young, poisson: self.r.real(0.0, 0.45) }),
            bending: Bending::Constant(self.r.size(1e-8, 1e-3)),
            damping: if self.r.chance(0.3) { Damping::default() } else { Damping::even(self.r.size(1e-5, 1e-2)) },
            inner: InternalFriction::default(),
        }
    }

    fn thickness(&mut self) -> f64 {
        self.thickest * self.r.real(0.2, 1.0)
    }

    /// Rotates a mesh and places it beyond all others along `to`, so that they collide before the end at the speed
    /// `closing` [m/s].
    fn place(&mut self, mesh: &mut TriMesh, to: &Vec3, closing: f64) {
        let turn = self.r.rotation();
        mesh.positions.iter_mut().for_each(|p| *p = turn * *p);
        if !self.placed.is_empty() {
            // The gap is sometimes smaller than the thickness.
            let gap = (self.r.real(0.0, 0.5) * closing * self.time).clamp(2e-4, FARTHEST * self.size.max(1.0));
            let far = self.placed.iter().map(|p| p.dot(to)).fold(f64::NEG_INFINITY, f64::max);
            let near = mesh.positions.iter().map(|p| p.dot(to)).fold(f64::INFINITY, f64::min);
            // A small sideways offset.
            let beside = self.r.direction() * self.r.real(0.0, 0.3 * self.size);
            let beside = beside - to * to.dot(&beside);
            let shift = to * (far + gap - near) + beside;
            mesh.positions.iter_mut().for_each(|p| *p += shift);
        }
    }

    fn cloth(&mut self, k: usize, count: usize) -> Option<ClothInput> {
        let size = if k == 0 { self.size } else { self.size * self.r.size(0.5, 1.5) };
        let (name, mut mesh) = shapes::cloth(&mut self.r, count.max(25), size);
        let to = self.r.direction();
        let velocity = if k == 0 && self.r.chance(0.5) {
            Vec3::zeros()
        } else {
            -(to + self.r.direction() * self.r.real(0.0, 0.8)) * self.speed()
        };
        self.place(&mut mesh, &to, velocity.norm());
        if k == 0 {
            self.heading = velocity.try_normalize(0.0);
        }
        // Some scenes are far from the origin, where files have the coarsest rounding.
        if k == 0 && self.r.chance(0.15) {
            let away = self.r.direction() * self.r.real(0.0, 25.0);
            mesh.positions.iter_mut().for_each(|p| *p += away);
        }
        if !sound(&mesh) {
            return None;
        }
        self.placed.extend(&mesh.positions);
        let pins = self.pins(&mesh);
        let r = &mut self.r;
        let young = r.size(1.0, 1e4);
        let limit = r.chance(0.2).then(|| r.size(0.02, 0.5));
        self.says += &format!("; {name} of {} vertices, {size:.2} m, {:.1} m/s", mesh.positions.len(), velocity.norm());
        self.says +=
            &format!(", {} pins, {young:.0} N/m{}", pins.len(), if limit.is_some() { ", limited" } else { "" });
        let rest = if !mesh.uv.is_empty() && limit.is_none() && self.r.chance(0.7) { Rest::Chart } else { Rest::Mesh };
        Some(ClothInput {
            name: format!("{name} {k}"),
            law: self.law(young),
            springs: None,
            density: self.r.size(0.03, 1.0),
            vertex_mass: None,
            thickness: self.thickness(),
            friction: self.friction(),
            drag: if self.r.chance(0.5) {
                Drag::default()
            } else {
                Drag { normal: self.r.real(0.0, 3.0), tangent: 0.1 }
            },
            warp: Vec3::x(),
            rest,
            flat: self.r.chance(0.5),
            limit,
            velocity,
            self_contact: self.r.chance(0.9),
            weights: Weights::default(),
            shrinks: Vec::new(),
            gathers: Vec::new(),
            folds: Vec::new(),
            yields: None,
            gives: None,
            bands: Vec::new(),
            pins,
            handles: Vec::new(),
            seams: Vec::new(),
            mesh,
        })
    }

    /// Makes none, one or two blocks, heavy compared with the cloth, that fly at it or lie next to it.
    fn bodies(&mut self, seed: u64) -> Vec<BodyInput> {
        let mut r = Random(seed);
        let count = [0, 0, 1, 2][r.whole(0, 3)];
        std::mem::swap(&mut self.r, &mut r);
        let mut bodies = Vec::new();
        for k in 0..count {
            let cells = [0; 3].map(|_| self.r.whole(1, 4));
            let size = self.size * self.r.size(0.05, 0.3);
            let mut mesh = generate::brick(cells, Vec3::repeat(size));
            let to = self.r.direction();
            let velocity = if self.r.chance(0.3) { Vec3::zeros() } else { -to * self.speed() };
            let mut surface = TriMesh { positions: mesh.positions, ..TriMesh::default() };
            self.place(&mut surface, &to, velocity.norm().max(1.0));
            mesh.positions = surface.positions;
            self.placed.extend(&mesh.positions);
            let lame = Lame::new(self.r.size(1e4, 1e7), self.r.real(0.0, 0.45));
            let solid = if self.r.chance(0.5) { Solid::Corotational(lame) } else { Solid::NeoHookean(lame) };
            self.says +=
                &format!("; block of {} vertices, {size:.3} m cells, {:.1} m/s", mesh.positions.len(), velocity.norm());
            bodies.push(BodyInput {
                name: format!("block {k}"),
                mesh,
                law: Body { solid, damping: self.r.size(1e-5, 1e-2) },
                density: self.r.size(30.0, 2000.0),
                drag: 0.0,
                thickness: self.thickness(),
                friction: self.friction(),
                velocity,
                self_contact: false,
                pins: Vec::new(),
                handles: Vec::new(),
            });
        }
        std::mem::swap(&mut self.r, &mut r);
        bodies
    }

    /// Makes covers for some bodies, with the material of the first cloth, glued to them at some vertices.
    fn covers(&mut self, seed: u64, cloths: &mut Vec<ClothInput>, bodies: &[BodyInput]) -> Vec<Glue> {
        let mut r = Random(seed ^ 1);
        let mut glues = Vec::new();
        for body in bodies {
            let Some(first) = cloths.first().filter(|_| r.chance(0.4)) else { continue };
            let mut mesh = TriMesh {
                positions: body.mesh.positions.clone(),
                triangles: body.mesh.boundary(),
                ..TriMesh::default()
            };
            offset(&mut mesh, r.size(5e-4, 5e-3));
            keep_used(&mut mesh);
            let cover = ClothInput {
                name: format!("cover of {}", body.name),
                velocity: body.velocity,
                rest: Rest::Mesh,
                limit: None,
                weights: Weights::default(),
                shrinks: Vec::new(),
                gathers: Vec::new(),
                bands: Vec::new(),
                pins: Vec::new(),
                ..first.clone()
            };
            let cover = ClothInput { mesh, ..cover };
            let part = r.real(0.1, 1.0);
            let vertices = (0..cover.mesh.positions.len() as u32).filter(|_| r.chance(part)).collect();
            glues.push(Glue::new((&cover.name, &cover.mesh.positions), (&body.name, &body.mesh), vertices, STIFFNESS));
            self.says += &format!("; glued {}", cover.name);
            cloths.push(cover);
        }
        glues
    }

    /// Replaces finite elements in some cloths by springs of similar stiffness.
    fn knit(&mut self, seed: u64, cloths: &mut [ClothInput]) {
        let mut r = Random(seed ^ 3);
        for cloth in cloths {
            let (Membrane::Isotropic(law), Some(rigidity)) = (cloth.law.membrane, cloth.law.bending.plate()) else {
                continue;
            };
            if !r.chance(0.25) {
                continue;
            }
            let ramp = law.young * r.size(1e-2, 1.0);
            let flexion = match r.whole(0, 2) {
                0 => Flexion::Linear(law.young * r.size(1e-3, 1.0)),
                // As for rows a hundredth of the cloth apart.
                1 => Flexion::Buckling { rigidity: 0.01 * self.size * rigidity, ramp },
                _ => Flexion::Sheet,
            };
            let bounded = r.chance(0.3);
            let network = Network {
                stretch: Stretch::Given([law.young, law.young * r.real(0.1, 1.0)]),
                taut: r.chance(0.3),
                damping: 0.0,
                damping_time: cloth.law.damping.stretch,
                flexion,
                jacobian: if r.chance(0.2) { Jacobian::Isotropic } else { Jacobian::Full },
                bounds: [0; 2].map(|_| if bounded { r.size(0.02, 0.5) } else { f64::INFINITY }),
            };
            self.says += &format!("; {} of springs{}", cloth.name, if bounded { ", bounded" } else { "" });
            (cloth.springs, cloth.limit) = (Some(network), None);
        }
    }

    /// Fills some closed cloths with air.
    fn balloons(&mut self, seed: u64, cloths: &[ClothInput]) -> Vec<BalloonInput> {
        let mut r = Random(seed ^ 2);
        let mut balloons = Vec::new();
        for cloth in cloths.iter().filter(|c| c.name.starts_with("pillow")) {
            let duration = self.time * r.real(0.1, 1.0);
            let supply = match r.whole(0, 3) {
                0 => continue,
                1 => Supply::None,
                2 => Supply::Held { excess: r.size(1.0, 1e3), duration },
                _ => Supply::Filled { times: r.real(1.0, 2.0), duration },
            };
            self.says += &format!("; {supply:?} in {}", cloth.name);
            let through = PermeabilityLaw::darcy(if r.chance(0.5) { 0.0 } else { 0.1 }, 200.0);
            balloons.push(BalloonInput { cloth: cloth.name.clone(), atmosphere: 101_325.0, through, supply });
        }
        balloons
    }

    /// Makes pins for neither, one or both ends along a direction, or for some vertices: static, turning or moving.
    fn pins(&mut self, mesh: &TriMesh) -> Vec<Pin> {
        let along = self.r.direction();
        let heights: Vec<f64> = mesh.positions.iter().map(|p| p.dot(&along)).collect();
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let room = self.r.real(0.0, 0.2) * (high - low);
        let all = 0..heights.len() as u32;
        let bottom: Vec<u32> = all.clone().filter(|v| heights[*v as usize] <= low + room).collect();
        let top: Vec<u32> = all.clone().filter(|v| heights[*v as usize] >= high - room).collect();
        let groups = match self.r.whole(0, 5) {
            0..=2 => vec![],
            3 => vec![bottom],
            4 => vec![bottom, top],
            _ => vec![all.filter(|_| self.r.chance(0.03)).collect::<Vec<u32>>()],
        };
        let groups: Vec<Vec<u32>> = groups.into_iter().filter(|g| !g.is_empty()).collect();
        groups
            .into_iter()
            .map(|vertices| {
                let centre = mesh.positions[vertices[0] as usize];
                let motion = match self.r.whole(0, 3) {
                    0 | 1 => Motion::Fixed,
                    2 => {
                        let speed = self.r.size(0.5, 10.0) / self.size;
                        self.turning(UnitVec3::new_normalize(along), centre, speed)
                    }
                    _ => {
                        let direction = self.r.direction();
                        let speed = self.r.size(0.1, 10.0);
                        self.going(direction * speed, centre)
                    }
                };
                Pin { motion, ..Pin::fixed(vertices) }
            })
            .collect()
    }

    fn turning(&mut self, axis: UnitVec3, origin: Vec3, speed: f64) -> Motion {
        Motion::Rotation { axis, origin, speed, from: 0.0, until: f64::INFINITY }
    }

    /// Makes a motion at a velocity [m/s], perhaps with rotation, and perhaps back.
    fn going(&mut self, velocity: Vec3, origin: Vec3) -> Motion {
        let turn = if self.r.chance(0.3) { self.r.direction() * self.r.real(0.0, 2.0) } else { Vec3::zeros() };
        let key = |time: f64, part: f64| Keyframe {
            time,
            turn: turn * part,
            origin,
            translation: velocity * (part * self.time),
        };
        let mut keys = vec![key(0.0, 0.0), key(self.time, 1.0)];
        if self.r.chance(0.2) {
            keys =
                vec![keys[0], Keyframe { time: 0.5 * self.time, ..keys[1] }, Keyframe { time: self.time, ..keys[0] }];
        }
        Motion::Keyframes(keys)
    }

    fn obstacles(&mut self) -> Option<Vec<ObstacleInput>> {
        let mut all = Vec::new();
        let waits = self.heading.filter(|_| self.r.chance(0.4));
        let to = waits.unwrap_or(self.r.direction());
        let closing = self.speed();
        match self.r.whole(0, 6) {
            0..=2 => all.push(self.obstacle(0, &to, closing, waits.is_some())?),
            3 | 4 => {
                // Obstacles from two sides.
                all.push(self.obstacle(0, &to, closing, waits.is_some())?);
                all.push(self.obstacle(1, &-to, closing, false)?);
            }
            _ => {
                for k in 0..3 {
                    let to = self.r.direction();
                    all.push(self.obstacle(k, &to, closing, false)?);
                }
            }
        }
        Some(all)
    }

    /// Makes an obstacle placed along `to`, which moves at the speed `closing` [m/s], or is static if it `waits`.
    fn obstacle(&mut self, k: usize, to: &Vec3, closing: f64, waits: bool) -> Option<ObstacleInput> {
        let size = self.size * self.r.size(0.1, 2.0);
        let (name, mut mesh) = shapes::obstacle(&mut self.r, size);
        self.place(&mut mesh, to, closing);
        let errors = |mesh: &TriMesh| check(mesh).iter().any(|f| f.severity == Severity::Error);
        if errors(&mesh) {
            return None;
        }
        let centre = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
        let (moves, course) = match self.r.whole(0, 9) {
            _ if waits => ("still", Course::Rigid(Motion::Fixed)),
            0..=5 => ("coming", Course::Rigid(self.going(-to * closing, centre))),
            6 => {
                let axis = UnitVec3::new_normalize(self.r.direction());
                let origin = centre - to * size;
                let motion = self.turning(axis, origin, closing / size);
                ("turning", Course::Rigid(motion))
            }
            _ => {
                let (interval, frames) = self.sequence(&mesh, -to * closing, &centre);
                let mut recorder = Recorder::default();
                frames.iter().for_each(|frame| recorder.add(frame).unwrap());
                let clock = Clock::Even { start: 0.0, interval };
                ("deforming", Course::Recorded(recorder.finish(clock, false).unwrap()))
            }
        };
        let speed = if moves == "still" { 0.0 } else { closing };
        self.says += &format!("; {moves} {name} of {} vertices, {size:.2} m, {speed:.1} m/s", mesh.positions.len());
        Some(ObstacleInput {
            name: format!("{name} {k}"),
            mesh,
            course,
            friction: self.friction(),
            thickness: if self.r.chance(0.7) { 0.0 } else { self.thickness() },
            window: Window::ALWAYS,
        })
    }

    /// Makes recorded shapes that move, swell along an axis and twist about it.
    fn sequence(&mut self, mesh: &TriMesh, velocity: Vec3, centre: &Vec3) -> (f64, Vec<Vec<Vec3>>) {
        let frames = self.r.whole(3, 12);
        let interval = self.time / (frames - 1) as f64;
        let axis = self.r.direction();
        let (swell, twist) = (self.r.real(-0.5, 1.0), self.r.real(-3.0, 3.0) / self.size);
        let shape = |k: usize| {
            let part = k as f64 / (frames - 1) as f64;
            let at = |p: &Vec3| {
                let q = p - centre;
                let height = axis.dot(&q);
                let turned =
                    Rotation::from_scaled_axis(axis * (twist * part * height)) * (q + axis * (swell * part * height));
                centre + turned + velocity * (part * self.time)
            };
            mesh.positions.iter().map(at).collect()
        };
        (interval, (0..frames).map(shape).collect())
    }
}

/// Removes vertices without triangles.
fn keep_used(mesh: &mut TriMesh) {
    let mut place = vec![u32::MAX; mesh.positions.len()];
    let mut positions = Vec::new();
    for v in mesh.triangles.iter_mut().flatten() {
        let old = *v as usize;
        if place[old] == u32::MAX {
            place[old] = positions.len() as u32;
            positions.push(mesh.positions[old]);
        }
        *v = place[old];
    }
    mesh.positions = positions;
}

/// Returns whether a mesh can be simulated and does not cross itself.
fn sound(mesh: &TriMesh) -> bool {
    check(mesh).iter().all(|f| f.severity == Severity::Warning)
        && intersections(&mesh.positions, &mesh.triangles, |_, _| false).pairs.is_empty()
}
