//! Inelastic impulses on pairs: they conserve momentum and never pull.

use super::element::{Element, LEAST, Watched};
use crate::force::contact::{Rule, Setting};
use crate::force::friction::Rubs;
use crate::force::scheme::pick;
use crate::linalg::{Vec3, par};
use crate::world::step::Step;
use crate::world::{State, World};

/// Smallest fraction of the sum of squared weights that unconstrained vertices must have. With less, they would leap to
/// make up for the prescribed ones. The mobility of such a pair is increased, so that it is pushed less.
const FREE: f64 = 0.05;
/// Sweeps over the contacts. The linear system, which includes forces, resolves the remaining approach. More sweeps
/// take longer, here and in the linear solve, and hinder sliding.
const SWEEPS: usize = 3;
/// Fraction of the activation distance by which a goal may be missed.
const LACK: f64 = 1e-3;

/// Largest displacement of a vertex that separates a pair, in units of the missing distance. Light vertices with a
/// small weight would leap.
const LEAP: f64 = 4.0;

/// Returns true if the vertex moves by forces.
pub(super) fn free(world: &World, step: &Step, v: u32) -> bool {
    (v as usize) < world.moving && !step.fixed[v as usize]
}

/// Computes the mobility of a pair, `sum(w^2/m)` over its unconstrained vertices [1/kg]; `None` if there are none.
pub fn mobility(world: &World, step: &Step, vertices: &[u32; 4], weights: &[f64; 4]) -> Option<f64> {
    let (mut mobile, mut part, mut all) = (0.0, 0.0, 0.0);
    for (v, w2) in vertices.iter().zip(weights.map(|w| w * w)) {
        all += w2;
        if free(world, step, *v) {
            part += w2;
            mobile += w2 / step.mass[*v as usize];
        }
    }
    (mobile > 0.0).then(|| mobile * (FREE * all / part).max(1.0))
}

/// Data of the impulses on a contact. A sweep reads all of them.
#[derive(Clone, Copy, Debug)]
pub struct Blow {
    vertices: [u32; 4],
    weights: [f64; 4],
    /// Displacement of each vertex per relative displacement; zero for prescribed vertices.
    shares: [f64; 4],
    normal: Vec3,
    /// Gap above its goal [m].
    room: f64,
    /// Activation distance [m].
    reach: f64,
    friction: Rule,
    mass: f64,
    /// Normal displacement by impulses [m].
    pub braked: f64,
}

impl Blow {
    fn new(c: &Element, world: &World, step: &Step) -> Blow {
        let Element { vertices, weights, contact, .. } = c;
        let share = |k: usize| match vertices[k] {
            v if free(world, step, v) => weights[k] * contact.mass / step.mass[v as usize],
            _ => 0.0,
        };
        Blow {
            vertices: *vertices,
            weights: *weights,
            shares: std::array::from_fn(share),
            normal: contact.normal,
            room: contact.gap - contact.goal(),
            reach: contact.reach,
            friction: contact.friction,
            mass: contact.mass,
            braked: 0.0,
        }
    }

    /// Computes the relative displacement and the distance that is missing to the goal, if the goal is missed.
    fn lacking(&self, displacement: &[Vec3]) -> Option<(Vec3, f64)> {
        let displacement: Vec3 = (0..4).map(|k| displacement[self.vertices[k] as usize] * self.weights[k]).sum();
        let lack = -(self.room + self.normal.dot(&displacement));
        (lack > LACK * self.reach).then_some((displacement, lack))
    }

    /// Returns vertices, weights and the force [N] on the first side that displaces it by `push` [m] in a step of `h`
    /// [s].
    pub fn force(&self, push: &Vec3, h: f64) -> (&[u32; 4], &[f64; 4], Vec3) {
        (&self.vertices, &self.weights, push * (self.mass / (h * h)))
    }

    /// Returns true if the displacements miss the goal by more than `part` of the activation distance.
    pub fn misses(&self, displacement: &[Vec3], part: f64) -> bool {
        self.lacking(displacement).is_some_and(|(_, lack)| lack > part * self.reach)
    }
}

/// Collects the impulse data of `contacts`.
pub fn gather(contacts: &[Element], blows: &mut Vec<Blow>, world: &World, step: &Step) {
    let Some(any) = contacts.first() else { return blows.clear() };
    blows.resize(contacts.len(), Blow::new(any, world, step));
    par::fill(blows, |k| Blow::new(&contacts[k], world, step));
}

/// Projected Gauss-Seidel on displacements of free flight, in order of the contacts: impulses along the normal that
/// never pull, with Coulomb friction. Returns true if there were any. Adds them to `pushes` if it has an entry for each
/// [m].
pub fn apply_impulses(
    blows: &mut [Blow],
    displacement: &mut [Vec3],
    setting: &Setting,
    rubs: &Rubs,
    pushes: &mut [Vec3],
) -> bool {
    let mut acts = false;
    for _ in 0..SWEEPS {
        let mut rests = true;
        for (k, blow) in blows.iter_mut().enumerate() {
            let Some((across, lack)) = blow.lacking(displacement) else { continue };
            rests = false;
            blow.braked += lack;
            let n = &blow.normal;
            let across = across - n * n.dot(&across);
            let push = n * lack - blow.friction.rubbed(n, blow.mass, &across, lack, setting, rubs);
            for k in 0..4 {
                displacement[blow.vertices[k] as usize] += push * blow.shares[k];
            }
            if let Some(sum) = pushes.get_mut(k) {
                *sum += push;
            }
        }
        acts |= !rests;
        if rests {
            break;
        }
    }
    acts
}

/// Moves a pair's end positions apart along the direction at the start. Returns the vertices that were moved.
pub fn push_apart(world: &World, state: &State, step: &mut Step, w: &Watched) -> Vec<u32> {
    let start = pick(&state.x, &w.vertices);
    let displacement = pick(&step.displacement, &w.vertices);
    let end: [Vec3; 4] = std::array::from_fn(|k| start[k] + displacement[k]);
    let from = w.pair.separation(&start);
    let to = w.pair.separation(&end);
    // Closest points at the end if they still face the same way, else those at the start.
    let weights = if to.normal.dot(&from.normal) > 0.0 { to.weights } else { from.weights };
    let gap: f64 = (0..4).map(|k| weights[k] * from.normal.dot(&end[k])).sum();
    let wanted = w.distance.min(0.2 * world.distance(&w.vertices)).max(2.0 * LEAST.min(w.distance));
    if gap >= wanted {
        return Vec::new();
    }
    let Some(mobility) = mobility(world, step, &w.vertices, &weights) else { return Vec::new() };
    let yields: [f64; 4] = std::array::from_fn(|k| match w.vertices[k] {
        v if free(world, step, v) => weights[k] / step.mass[v as usize],
        _ => 0.0,
    });
    let farthest = yields.iter().fold(0.0, |most: f64, part| most.max(part.abs()));
    let push = from.normal * ((wanted - gap) / mobility.max(farthest / LEAP));
    let mut moved = Vec::new();
    for (vertex, part) in w.vertices.into_iter().zip(yields).filter(|(_, part)| *part != 0.0) {
        let v = vertex as usize;
        let shift = push * part;
        step.displacement[v] += shift;
        step.velocity[v] += shift / step.effective_dt[v];
        moved.push(vertex);
    }
    moved
}
