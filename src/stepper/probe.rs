//! Forces and work of a step, for probes.
//!
//! All of it is what the accepted step used, in double precision. With `z` its solution, `v~` and `beta` those of the scheme (`scheme`) and `v'`
//! the velocity at the end, the scheme reads `m (v' - v~)/beta = sum of forces` for every vertex, and that is its rate of momentum.
//! - A link's force is `f - K sum(w z)`, that of an impulse the momentum it gave over the step; both act on each of their vertices by its weight,
//!   so on two objects they are opposite.
//! - A pinned vertex is eliminated from the system. Its reaction is what its row lacks: rate of momentum less weight, links and the row's
//!   laws, `f - sum(K z)`.
//! - What is done to velocities after the solution (strain limits, damping, pairs pushed apart, momentum given back) counts as the force that
//!   would have done it in the step: `m (v' - v_solved)/beta`, a correction. So does what a frame that turns gives a vertex (`turn`).
//!
//! Over everything that is simulated, forces between objects and inside of them cancel: weight, pins, handles, obstacles, laws that nothing
//! answers (drag, tethers) and corrections are the rate of momentum, but for the residual of the linear solve and the rounding of
//! the matrix. The work of a step is force times displacement, as backward Euler has it.

use super::limit::Springs;
use super::pull::Pulls;
use super::scheme::{self, Integrator};
use crate::contact::active::ActiveSet;
use crate::effect::Running;
use crate::force::assembly::Assembly;
use crate::force::scheme::Scheme;
use crate::force::term::{Precision, Term};
use crate::linalg::Vec3;
use crate::world::effect::{At, Forces};
use crate::world::probe::{Measure, Source};
use crate::world::step::Step;
use crate::world::{Kind, State, World};

/// What acted in a step that is about to be committed.
pub struct Acted<'a, T> {
    /// What is constant.
    pub world: &'a World,
    /// At the start of the step.
    pub state: &'a State,
    /// The step.
    pub step: &'a Step,
    /// Its scheme.
    pub integrator: Integrator,
    /// Its system.
    pub assembly: &'a Assembly<T>,
    /// Its links.
    pub links: Links<'a>,
    /// Springs of strain limits.
    pub springs: &'a Springs,
}

/// What links the system of a step had.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    /// Handles.
    pub pulls: &'a Pulls,
    /// Contacts.
    pub contacts: &'a ActiveSet,
    /// Effects.
    pub effects: &'a Running,
}

/// Storage, and the forces of the last step.
pub struct Meter<T> {
    /// A probe asks for forces.
    asked: bool,
    /// Velocity of free flight in the last system [m/s].
    flight: Vec<Vec3>,
    /// Laws that nothing answers, by themselves.
    outer: Option<Assembly<T>>,
    /// Force of contacts and air on each vertex [N].
    touch: Vec<Vec3>,
    /// Force on each prescribed vertex of what is no contact [N].
    pinned: Vec<Vec3>,
    /// Force and work of each handle, then of each source of effects [N, J].
    handles: Vec<(Vec3, f64)>,
    /// Force between the objects of each probe that names two [N].
    between: Vec<Vec3>,
    /// Sums of the sums that couple whole regions.
    falls: [Vec<f64>; 2],
    /// By probe [N].
    forces: Vec<Vec<Vec3>>,
}

impl<T: Precision> Meter<T> {
    /// For the probes of a world.
    pub fn new(world: &World) -> Meter<T> {
        let asked = world.probes_forces();
        let outer = |term: &dyn Term| {
            let mut holds = false;
            term.holds(&mut |_| holds = true);
            holds
        };
        let mut any = false;
        world.elements.each_term(|term| any |= outer(term));
        let sources = world.effects.all().map(|effect| effect.sources(world));
        let sized = |count: usize| vec![Vec3::zeros(); if asked { count } else { 0 }];
        Meter {
            asked,
            flight: Vec::new(),
            outer: (asked && any).then(|| Assembly::of(&world.elements, &world.starts, outer)),
            touch: sized(world.rest.len()),
            pinned: sized(world.moving),
            handles: vec![(Vec3::zeros(), 0.0); world.handles.len() + sources.sum::<usize>()],
            between: sized(world.probes.len()),
            falls: Default::default(),
            forces: world.probes.iter().map(|probe| sized(probe.vectors(world).len())).collect(),
        }
    }

    /// A probe asks for forces.
    pub fn asked(&self) -> bool {
        self.asked
    }

    /// Forces by probe, those of the last step [N].
    pub fn forces(&self) -> &[Vec<Vec3>] {
        &self.forces
    }

    /// Notes free flight as the last system had it.
    pub fn note(&mut self, step: &Step) {
        if self.asked {
            self.flight.clone_from(&step.rate);
        }
    }

    /// Finds what all probes measure; adds the work of the step to that of each.
    pub fn measure(&mut self, at: &Acted<T>, work: &mut [f64]) {
        self.links(at);
        self.rows(at);
        let balance = self.balance(at);
        let mut works = work.iter_mut();
        for k in 0..at.world.probes.len() {
            match &at.world.probes[k].measure {
                Measure::Force(source) => self.force(at, k, source, &balance),
                Measure::Work(source) => works.next().into_iter().for_each(|sum| *sum += self.work(at, source)),
                _ => (),
            }
        }
    }

    /// Forces of contacts, air and handles.
    fn links(&mut self, at: &Acted<T>) {
        let Meter { touch, pinned, handles, between, falls: [falls, scratch], .. } = self;
        let Acted { world, state, step, assembly, links: Links { pulls, contacts, effects }, .. } = at;
        touch.fill(Vec3::zeros());
        pinned.fill(Vec3::zeros());
        between.fill(Vec3::zeros());
        handles.fill((Vec3::zeros(), 0.0));
        let pairs: Vec<(usize, [usize; 2])> = (0..)
            .zip(&world.probes)
            .filter_map(|(k, probe)| match probe.asks() {
                Some(Source::Object { object, from: Some(from) }) => Some((k, [*object, *from])),
                _ => None,
            })
            .collect();
        let common = &assembly.matrix.common;
        falls.clear();
        falls.resize(common.size(), 0.0);
        scratch.resize(2 * common.size(), 0.0);
        for (v, sum, part) in &common.entries {
            falls[*sum as usize] += part.dot(&step.solved(*v));
        }
        common.apply(falls, scratch);
        let mut gathered = Gathered { world, step, pairs: &pairs, touch, pinned, handles, between, first: 0 };
        contacts.each_force(step, |vertices, weights, force| gathered.between(vertices, weights, force));
        pulls.each_force(world, state, step, &mut gathered);
        gathered.first = world.handles.len();
        effects.each_force(At { world, state }, step, falls, &mut gathered);
    }

    /// Reactions of prescribed vertices, in place of what else acts on them.
    fn rows(&mut self, at: &Acted<T>) {
        let Meter { touch, pinned, .. } = self;
        let Acted { world, step, assembly, springs, links, .. } = at;
        let mut act = |v: u32, force: Vec3| pinned[v as usize] += force;
        springs.each_force(step, |[a, b], force| {
            act(a, force);
            act(b, -force);
        });
        let mut product = vec![Vec3::zeros(); world.moving];
        let solved: Vec<Vec3> = (0..world.moving).map(|v| step.solved(v as u32)).collect();
        assembly.matrix.add_product(&solved, |v| step.fixed[v], &mut product);
        for v in 0..world.moving {
            pinned[v] = if step.fixed[v] {
                let others = pinned[v] + touch[v] + assembly.force[v] - product[v];
                self::rate(at, v) - world.gravity * step.mass[v] - others
            } else {
                Vec3::zeros()
            };
        }
        // A pin pulls at what gave way.
        links.pulls.each_slack(step, |v, force| pinned[v] = force);
    }

    /// The balance of everything, as [`crate::world::probe::BALANCE`] has it.
    fn balance(&mut self, at: &Acted<T>) -> [Vec3; 8] {
        let Acted { world, step, .. } = at;
        let gravity = world.gravity * step.mass.iter().sum::<f64>();
        let pins: Vec3 = self.pinned.iter().sum();
        let handles: Vec3 = self.handles.iter().map(|(force, _)| force).sum();
        let obstacles = -self.touch[world.moving..].iter().sum::<Vec3>();
        let laws = self.outer(at);
        let corrections = (0..world.moving).map(|v| self.correction(at, v)).sum();
        let momentum = (0..world.moving).map(|v| rate(at, v)).sum();
        [gravity + pins + handles + obstacles + laws, gravity, pins, handles, obstacles, laws, corrections, momentum]
    }

    /// What laws do that nothing answers [N].
    fn outer(&mut self, at: &Acted<T>) -> Vec3 {
        let Some(outer) = &mut self.outer else { return Vec3::zeros() };
        let Acted { world, state, step, .. } = at;
        let scheme = Scheme { rate: &self.flight, ..step.scheme(world, state) };
        outer.assemble(&scheme, &state.memory);
        let solved: Vec<Vec3> = (0..world.moving).map(|v| step.solved(v as u32)).collect();
        let mut product = vec![Vec3::zeros(); world.moving];
        outer.matrix.add_product(&solved, |_| true, &mut product);
        outer.force.iter().sum::<Vec3>() - product.iter().sum::<Vec3>()
    }

    /// What was done to a vertex after the solution [N].
    fn correction(&self, at: &Acted<T>, v: usize) -> Vec3 {
        let Step { rate, z, betas, mass, fixed, drift, .. } = at.step;
        if fixed[v] {
            return Vec3::zeros();
        }
        (rate[v] - (self.flight[v] + z[v] / betas[v]) + drift[v]) * (mass[v] / betas[v])
    }

    fn force(&mut self, at: &Acted<T>, k: usize, source: &Source, balance: &[Vec3; 8]) {
        let Acted { world, .. } = at;
        let mut out = std::mem::take(&mut self.forces[k]);
        let values: &[Vec3] = match source {
            Source::Everything => balance,
            Source::Pins(pins) => &[self.reactions(at, pins).map(|(_, force)| force).sum()],
            Source::Handles(handles) => &[handles.iter().map(|k| self.handles[*k].0).sum()],
            Source::Object { from: Some(_), .. } => &[self.between[k]],
            Source::Object { object, from: None } => {
                let Some(object) = world.objects.get(*object) else { return };
                let vertices = object.vertices.clone();
                let force = self.touch[vertices.clone()].iter().sum();
                let corrections = match object.kind {
                    Kind::Obstacle => Vec3::zeros(),
                    _ => vertices.map(|v| self.correction(at, v)).sum(),
                };
                &[force, corrections]
            }
        };
        out.iter_mut().zip(values).for_each(|(out, value)| *out = *value);
        self.forces[k] = out;
    }

    /// Vertices of pins that hold, and the reaction at each [N].
    fn reactions<'a>(&'a self, at: &'a Acted<T>, pins: &'a [usize]) -> impl Iterator<Item = (usize, Vec3)> + 'a {
        let Acted { world, state, .. } = at;
        let holds = |k: &&usize| state.anchors.get(**k).is_some_and(Option::is_some);
        let vertices = pins.iter().filter(holds).flat_map(|k| &world.pins[*k].vertices);
        vertices.map(|v| (*v as usize, self.pinned[*v as usize]))
    }

    /// Work of a step [J].
    fn work(&self, at: &Acted<T>, source: &Source) -> f64 {
        let Acted { world, step, .. } = at;
        let of_vertices =
            |range: std::ops::Range<usize>| -> f64 { range.map(|v| -self.touch[v].dot(&step.moved[v])).sum() };
        match source {
            Source::Pins(pins) => self.reactions(at, pins).map(|(v, force)| force.dot(&step.moved[v])).sum(),
            Source::Handles(handles) => handles.iter().map(|k| self.handles[*k].1).sum(),
            Source::Object { object, .. } => {
                world.objects.get(*object).map_or(0.0, |object| of_vertices(object.vertices.clone()))
            }
            Source::Everything => {
                let pins: f64 = (0..world.moving).map(|v| self.pinned[v].dot(&step.moved[v])).sum();
                let handles: f64 = self.handles.iter().map(|(_, work)| work).sum();
                pins + handles + of_vertices(world.moving..world.rest.len())
            }
        }
    }
}

/// Forces of links and effects, as they are told.
struct Gathered<'a> {
    world: &'a World,
    step: &'a Step,
    /// Probes that name two objects, and these.
    pairs: &'a [(usize, [usize; 2])],
    touch: &'a mut [Vec3],
    pinned: &'a mut [Vec3],
    handles: &'a mut [(Vec3, f64)],
    between: &'a mut [Vec3],
    /// Number of the first source.
    first: usize,
}

impl Forces for Gathered<'_> {
    fn between(&mut self, vertices: &[u32; 4], weights: &[f64; 4], force: Vec3) {
        for (v, weight) in vertices.iter().zip(weights) {
            self.touch[*v as usize] += force * *weight;
        }
        // Vertex, or the first edge, then what is opposite.
        let side = |k: usize| self.world.object_of(vertices[k] as usize);
        for (k, [object, from]) in self.pairs {
            match [side(0), side(3)] {
                [Some(a), Some(b)] if [a, b] == [*object, *from] => self.between[*k] += force,
                [Some(a), Some(b)] if [b, a] == [*object, *from] => self.between[*k] -= force,
                _ => (),
            }
        }
    }

    fn on(&mut self, vertex: u32, force: Vec3) {
        self.pinned[vertex as usize] += force;
    }

    fn from(&mut self, source: usize, vertex: u32, force: Vec3) {
        let (sum, work) = &mut self.handles[self.first + source];
        *sum += force;
        *work += force.dot(&self.step.moved[vertex as usize]);
        self.pinned[vertex as usize] += force;
    }
}

/// Rate of a vertex's momentum, as the scheme has it [N].
fn rate<T>(at: &Acted<T>, v: usize) -> Vec3 {
    let Acted { state, step, integrator, .. } = at;
    let (now, before, a) = scheme::weights(*integrator, step.h, state.last);
    // Vertices in contact go by backward Euler, whose effective step is the step.
    let from = match step.betas[v] == step.h {
        true => state.v[v],
        false => (state.v[v] * now - state.v_before[v] * before) / a,
    };
    (step.rate[v] - from) * (step.mass[v] / step.betas[v])
}
