//! Forces and work of a step, for probes.
//!
//! All values are those of the accepted step, in double precision. With its solution `dx`, `v~` and `beta` of the
//! integrator (`scheme`) and the velocity `v'` at the end, each vertex satisfies `m (v' - v~)/beta = sum of forces`.
//! The left side is its rate of momentum.
//! - The force of a link is `f - K sum(w dx)`; that of an impulse is its momentum over the step. Both act on each of
//!   their vertices by its weight. They are thus opposite on two objects.
//! - A pinned vertex is eliminated from the system. Its reaction is the residual of its row: rate of momentum minus
//!   weight, links and the row's laws, `f - sum(K dx)`.
//! - Changes of velocity after the solution (strain limits, damping, corrections, returned momentum) count as
//!   corrections. A correction is the equivalent force, `m (v' - v_solved)/beta`. The velocity that a rotating frame
//!   gives a vertex (`turn`) counts likewise.
//!
//! Over the whole simulation, forces between and inside objects cancel. Rate of momentum is thus the sum of weight,
//! pins, handles, obstacles, laws without a reaction (drag, tethers) and corrections. The difference is the residual of
//! the linear solve and the rounding of the matrix. Work of a step is force times displacement, as in backward Euler.

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

/// Forces and system of a step that is about to be committed.
pub(super) struct Acted<'a, T> {
    /// Constants of the run.
    pub world: &'a World,
    /// State at the start of the step.
    pub state: &'a State,
    /// The step.
    pub step: &'a Step,
    /// Integrator of the step.
    pub integrator: Integrator,
    /// System of the step.
    pub assembly: &'a Assembly<T>,
    /// Links of the step.
    pub links: Links<'a>,
    /// Springs of strain limits.
    pub springs: &'a Springs,
}

/// Links in the system of a step.
#[derive(Clone, Copy)]
pub(super) struct Links<'a> {
    /// Handles.
    pub pulls: &'a Pulls,
    /// Contacts.
    pub contacts: &'a ActiveSet,
    /// Effects.
    pub effects: &'a Running,
}

/// Storage, and the forces of the last step.
pub(super) struct ProbeRecorder<T> {
    /// True if a probe measures forces.
    asked: bool,
    /// Velocity of free flight in the last system [m/s].
    predicted: Vec<Vec3>,
    /// Assembly of laws without a reaction.
    outer: Option<Assembly<T>>,
    /// Force of contacts and air on each vertex [N].
    touch: Vec<Vec3>,
    /// Force on each prescribed vertex other than contacts [N].
    pinned: Vec<Vec3>,
    /// Force [N] and work [J] of each handle, then of each source of effects.
    handles: Vec<(Vec3, f64)>,
    /// Force between the objects of each probe with two objects [N].
    between: Vec<Vec3>,
    /// Storage of the low-rank update.
    falls: [Vec<f64>; 2],
    /// Forces by probe [N].
    forces: Vec<Vec<Vec3>>,
}

impl<T: Precision> ProbeRecorder<T> {
    /// Creates the storage for the probes of a world.
    pub(super) fn new(world: &World) -> ProbeRecorder<T> {
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
        ProbeRecorder {
            asked,
            predicted: Vec::new(),
            outer: (asked && any).then(|| Assembly::of(&world.elements, &world.starts, outer)),
            touch: sized(world.rest.len()),
            pinned: sized(world.moving),
            handles: vec![(Vec3::zeros(), 0.0); world.handles.len() + sources.sum::<usize>()],
            between: sized(world.probes.len()),
            falls: Default::default(),
            forces: world.probes.iter().map(|probe| sized(probe.vectors(world).len())).collect(),
        }
    }

    /// Checks whether a probe measures forces.
    pub(super) fn asked(&self) -> bool {
        self.asked
    }

    /// Returns the forces of the last step, by probe [N].
    pub(super) fn forces(&self) -> &[Vec<Vec3>] {
        &self.forces
    }

    /// Keeps the velocity of free flight of the last system.
    pub(super) fn note(&mut self, step: &Step) {
        if self.asked {
            self.predicted.clone_from(&step.velocity);
        }
    }

    /// Measures all probes, and adds the work of the step to each sum.
    pub(super) fn measure(&mut self, at: &Acted<T>, work: &mut [f64]) {
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

    /// Computes the forces of contacts, air and handles.
    fn links(&mut self, at: &Acted<T>) {
        let ProbeRecorder { touch, pinned, handles, between, falls: [falls, scratch], .. } = self;
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
        let low_rank = &assembly.matrix.low_rank;
        falls.clear();
        falls.resize(low_rank.size(), 0.0);
        scratch.resize(2 * low_rank.size(), 0.0);
        for (v, sum, part) in &low_rank.entries {
            falls[*sum as usize] += part.dot(&step.solved(*v));
        }
        low_rank.apply(falls, scratch);
        let mut gathered = Gathered { world, step, pairs: &pairs, touch, pinned, handles, between, first: 0 };
        contacts.each_force(step, |vertices, weights, force| gathered.between(vertices, weights, force));
        pulls.each_force(world, state, step, &mut gathered);
        gathered.first = world.handles.len();
        effects.each_force(At { world, state }, step, falls, &mut gathered);
    }

    /// Computes the reactions of prescribed vertices, in place of other forces on them.
    fn rows(&mut self, at: &Acted<T>) {
        let ProbeRecorder { touch, pinned, .. } = self;
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
                self::velocity(at, v) - world.gravity * step.mass[v] - others
            } else {
                Vec3::zeros()
            };
        }
        // A pin pulls the vertices that gave way.
        links.pulls.each_slack(step, |v, force| pinned[v] = force);
    }

    /// Returns the balance of the whole simulation, as in [`crate::world::probe::BALANCE`].
    fn balance(&mut self, at: &Acted<T>) -> [Vec3; 8] {
        let Acted { world, step, .. } = at;
        let gravity = world.gravity * step.mass.iter().sum::<f64>();
        let pins: Vec3 = self.pinned.iter().sum();
        let handles: Vec3 = self.handles.iter().map(|(force, _)| force).sum();
        let obstacles = -self.touch[world.moving..].iter().sum::<Vec3>();
        let laws = self.outer(at);
        let corrections = (0..world.moving).map(|v| self.correction(at, v)).sum();
        let momentum = (0..world.moving).map(|v| velocity(at, v)).sum();
        [gravity + pins + handles + obstacles + laws, gravity, pins, handles, obstacles, laws, corrections, momentum]
    }

    /// Returns the force of laws without a reaction [N].
    fn outer(&mut self, at: &Acted<T>) -> Vec3 {
        let Some(outer) = &mut self.outer else { return Vec3::zeros() };
        let Acted { world, state, step, .. } = at;
        let mut scheme = step.scheme(world, state);
        if step.found.is_empty() {
            scheme = Scheme { velocity: &self.predicted, ..scheme };
        }
        outer.assemble(&scheme, &state.memory);
        let found = |v: usize| step.found.get(v).copied().unwrap_or_default();
        let solved: Vec<Vec3> = (0..world.moving).map(|v| step.solved(v as u32) - found(v)).collect();
        let mut product = vec![Vec3::zeros(); world.moving];
        outer.matrix.add_product(&solved, |_| true, &mut product);
        outer.force.iter().sum::<Vec3>() - product.iter().sum::<Vec3>()
    }

    /// Returns the correction of a vertex after the solution [N].
    fn correction(&self, at: &Acted<T>, v: usize) -> Vec3 {
        let Step { velocity, dx, effective_dt, mass, fixed, drift, .. } = at.step;
        if fixed[v] {
            return Vec3::zeros();
        }
        (velocity[v] - (self.predicted[v] + dx[v] / effective_dt[v]) + drift[v]) * (mass[v] / effective_dt[v])
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

    /// Iterates over the vertices of open pins, with their reactions [N].
    fn reactions<'a>(&'a self, at: &'a Acted<T>, pins: &'a [usize]) -> impl Iterator<Item = (usize, Vec3)> + 'a {
        let Acted { world, state, .. } = at;
        let holds = |k: &&usize| state.anchors.get(**k).is_some_and(Option::is_some);
        let vertices = pins.iter().filter(holds).flat_map(|k| &world.pins[*k].vertices);
        vertices.map(|v| (*v as usize, self.pinned[*v as usize]))
    }

    /// Returns the work of a step [J].
    fn work(&self, at: &Acted<T>, source: &Source) -> f64 {
        let Acted { world, step, .. } = at;
        let of_vertices =
            |range: std::ops::Range<usize>| -> f64 { range.map(|v| -self.touch[v].dot(&step.displacement[v])).sum() };
        match source {
            Source::Pins(pins) => self.reactions(at, pins).map(|(v, force)| force.dot(&step.displacement[v])).sum(),
            Source::Handles(handles) => handles.iter().map(|k| self.handles[*k].1).sum(),
            Source::Object { object, .. } => {
                world.objects.get(*object).map_or(0.0, |object| of_vertices(object.vertices.clone()))
            }
            Source::Everything => {
                let pins: f64 = (0..world.moving).map(|v| self.pinned[v].dot(&step.displacement[v])).sum();
                let handles: f64 = self.handles.iter().map(|(_, work)| work).sum();
                pins + handles + of_vertices(world.moving..world.rest.len())
            }
        }
    }
}

/// Collects the forces of links and effects.
struct Gathered<'a> {
    world: &'a World,
    step: &'a Step,
    /// Probes with two objects, and these objects.
    pairs: &'a [(usize, [usize; 2])],
    touch: &'a mut [Vec3],
    pinned: &'a mut [Vec3],
    handles: &'a mut [(Vec3, f64)],
    between: &'a mut [Vec3],
    /// Index of the first source.
    first: usize,
}

impl Forces for Gathered<'_> {
    fn between(&mut self, vertices: &[u32; 4], weights: &[f64; 4], force: Vec3) {
        for (v, weight) in vertices.iter().zip(weights) {
            self.touch[*v as usize] += force * *weight;
        }
        // Vertex or first edge, then the opposite face or edge.
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
        *work += force.dot(&self.step.displacement[vertex as usize]);
        self.pinned[vertex as usize] += force;
    }
}

/// Returns a vertex's rate of momentum, as in the integrator [N].
fn velocity<T>(at: &Acted<T>, v: usize) -> Vec3 {
    let Acted { state, step, integrator, .. } = at;
    let (now, before, a) = scheme::weights(*integrator, step.h, state.last);
    // Vertices in contact use backward Euler, whose effective step is the step.
    let from = match step.effective_dt[v] == step.h {
        true => state.v[v],
        false => (state.v[v] * now - state.v_before[v] * before) / a,
    };
    (step.velocity[v] - from) * (step.mass[v] / step.effective_dt[v])
}
