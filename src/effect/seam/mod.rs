//! Seams that close: ties between the border vertices of a cloth's panels.
//!
//! A pair of vertices at the distance `g`, of the seam's length `s`, is drawn together by
//! `F = min(k s (g - l), f s)` where `g > l`. The rest length `l` falls from the initial distance to zero within the
//! time of the seam, by a smoothstep. A bounded force per length `f` stretches no cloth by more than `f` over its
//! stiffness. Once a pair is so near that the bound does not act, it is held without one.
//!
//! Contact would keep the borders apart by their thickness. Vertices of near pairs therefore have contacts of a small
//! part of their distance, which are proven as all others.
//!
//! Cloth has no weight until its seams have had their time. Panels would fall before they hold each other.

use super::order;
use crate::force::links::{Couples, Link};
use crate::linalg::{Mat3, Vec3};
use crate::mesh::told::rounded;
use crate::world::effect::{At, Effect, Join, Made, Notice, Remember, Tallies, Tally, Told};
use crate::world::snapshot::{Piece, pieces};
use crate::world::step::Step;
use crate::world::{State, World};

/// Stiffness of a seam per length [N/m^2]. It is that of cloth of 300 N/m and a centimetre.
const HELD: f64 = 3e4;
/// Distance of a pair, in units of thickness and activation distance, at which its contacts shrink.
const NEAR: f64 = 2.0;
/// Part of their distance that contacts of near pairs have.
const ROOM: f64 = 0.03;
/// Time within which the weight grows to the whole [s].
const GROWTH: f64 = 0.2;
/// Largest norm of a right-hand side to which residuals are compared, in units of its lower bound. What is left of the
/// forces of seams in balance would move a free cloth.
const PULLS: f64 = 30.0;
/// Tolerance of times [s].
const SAME: f64 = 1e-9;
/// Distance above which a pair is open [m], and by which part of its time a seam may be late before that is told.
const OPEN: (f64, f64) = (1e-3, 0.25);

/// Seam in the making.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sewing {
    /// Name.
    pub name: String,
    /// Vertices of the world that meet.
    pub pairs: Vec<[u32; 2]>,
    /// Length of the seam that belongs to each pair [m].
    pub lengths: Vec<f64>,
    /// Start after the start of the run [s].
    pub from: f64,
    /// Time in which the seam closes [s].
    pub over: f64,
    /// Largest force per length while it closes [N/m].
    pub force: f64,
}

/// Cloth without weight until its seams are closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weightless {
    /// Index of the cloth's object.
    pub object: usize,
    /// Time after the start of the run from which its weight grows [s].
    pub until: f64,
}

/// Seams of a world.
#[derive(Clone, Debug, Default)]
pub struct Seams {
    /// Seams.
    pub sewing: Vec<Sewing>,
    /// Cloths without weight at the start.
    pub weightless: Vec<Weightless>,
}

/// Progress of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Closing {
    /// Distance at the start [m].
    start: f64,
    /// True once its contacts have shrunk.
    near: bool,
    /// True once it is held without a bound.
    held: bool,
}

/// Progress of all pairs, in the order of the seams.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Closings(Vec<Closing>);

/// Largest distance of a pair of seams that have had their time.
pub static SEAM_GAP: Tally = Tally {
    word: "seam_gap",
    unit: "m",
    sentence: "Largest distance of two vertices of a seam that has had its time and a quarter of it [m].",
    whole: false,
    join: Join::Last,
};

pieces! {
    Closing { start, near, held }
}

impl Remember for Closings {
    const SECTIONS: &'static [(&'static str, u32)] = &[("seams", 1)];

    fn put(&self, _: usize, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(&mut self, _: usize, from: &mut &[u8]) -> Option<()> {
        self.0 = Piece::take(from)?;
        Some(())
    }

    /// Pairs are told apart by their distances at the start, which other seams do not share.
    fn misfit(&self, start: &Closings, _: &World) -> Option<&'static str> {
        let same = self.0.iter().map(|own| own.start).eq(start.0.iter().map(|own| own.start));
        (!same).then_some("pairs of seams")
    }
}

/// Tie of a pair in a step.
#[derive(Clone, Copy, Debug)]
pub struct Tie {
    vertices: [u32; 2],
    /// Force on the first vertex [N].
    force: Vec3,
    stiffness: Mat3,
}

/// Ties and weights of a step.
#[derive(Debug, Default)]
pub struct Ties {
    ties: Vec<Tie>,
    /// Forces that carry weightless cloths: first vertex, and the force on each from there on [N].
    carried: Vec<(usize, Vec<Vec3>)>,
}

impl Couples for Vec<Tie> {
    fn count(&self) -> usize {
        self.len()
    }

    fn corners(&self, out: &mut [([u32; 4], [f64; 4])]) {
        for (out, Tie { vertices: [a, b], .. }) in out.iter_mut().zip(self) {
            *out = ([*a, *b, 0, 0], [1.0, -1.0, 0.0, 0.0]);
        }
    }

    fn links(&self, out: &mut [Link]) {
        for (out, Tie { force, stiffness, .. }) in out.iter_mut().zip(self) {
            *out = Link { weights: [1.0, -1.0, 0.0, 0.0], force: *force, stiffness: *stiffness };
        }
    }
}

impl Sewing {
    /// Returns the part of the initial distance that is left at a time after the start of the run.
    fn left(&self, time: f64) -> f64 {
        let part = ((time - self.from) / self.over.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        1.0 - part * part * (3.0 - 2.0 * part)
    }

    /// Returns the force on the first vertex of a pair [N] and its stiffness [N/m], for the vector `d` from the second
    /// to the first vertex and the rest length `rest` [m]. A `held` pair has no bound.
    fn tie(&self, d: Vec3, rest: f64, length: f64, held: bool) -> (Vec3, Mat3) {
        let gap = d.norm();
        if gap <= rest {
            return (Vec3::zeros(), Mat3::zeros());
        }
        let (stiffness, most) = (HELD * length, self.force * length);
        let along = d / gap;
        let beyond = stiffness * (gap - rest);
        let force = if held { beyond } else { beyond.min(most) };
        // Across the tie a force turns with it; along it a bounded force does not grow.
        let (across, own) = (force / gap, if force < beyond { 0.0 } else { stiffness });
        let outer = along * along.transpose();
        (along * -force, (Mat3::identity() - outer) * across + outer * own)
    }
}

impl Seams {
    /// Iterates over all pairs: seam, vertices and length, in order.
    fn pairs(&self) -> impl Iterator<Item = (&Sewing, [u32; 2], f64)> {
        self.sewing.iter().flat_map(|sewing| {
            sewing.pairs.iter().zip(&sewing.lengths).map(move |(pair, length)| (sewing, *pair, *length))
        })
    }
}

/// Returns the vector from the second vertex of a pair to the first.
fn between(x: &[Vec3], [a, b]: [u32; 2]) -> Vec3 {
    x[a as usize] - x[b as usize]
}

impl Effect for Seams {
    type Memory = Closings;
    type Work = Ties;
    const ORDER: u32 = order::SEAMS;
    const TALLIES: &'static [&'static Tally] = &[&SEAM_GAP];

    fn start(&self, _: &World, state: &State) -> Closings {
        let closing = |pair| Closing { start: between(&state.x, pair).norm(), ..Closing::default() };
        Closings(self.pairs().map(|(_, pair, _)| closing(pair)).collect())
    }

    fn work(&self, _: &World) -> Ties {
        Ties::default()
    }

    fn joins(&self, _: &World, join: &mut dyn FnMut(&mut dyn Iterator<Item = usize>)) {
        self.pairs().for_each(|(_, pair, _)| join(&mut pair.into_iter().map(|v| v as usize)));
    }

    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize)) {
        self.pairs().for_each(|(_, pair, _)| pair.iter().for_each(|v| feed(*v as usize)));
        self.weightless.iter().flat_map(|own| world.objects[own.object].vertices.clone()).for_each(feed);
    }

    fn update(&self, At { world, state }: At, _: &Closings, work: &mut Ties, step: &Step, _: &mut Tallies) {
        work.ties.clear();
        let none = |vertices| Tie { vertices, force: Vec3::zeros(), stiffness: Mat3::zeros() };
        work.ties.extend(self.pairs().map(|(_, pair, _)| none(pair)));
        work.carried.clear();
        for Weightless { object, until } in &self.weightless {
            let weight = ((state.time + step.h - until) / GROWTH).clamp(0.0, 1.0);
            if weight < 1.0 {
                let vertices = world.objects[*object].vertices.clone();
                let force = |v: usize| world.gravity * (step.mass[v] * (weight - 1.0));
                work.carried.push((vertices.start, vertices.map(force).collect()));
            }
        }
    }

    fn links<'a>(&self, work: &'a Ties) -> Option<&'a dyn Couples> {
        Some(&work.ties)
    }

    fn linearise(&self, At { state, .. }: At, memory: &Closings, work: &mut Ties, step: &Step) {
        let end = state.time + step.h;
        for (((sewing, pair, length), closing), tie) in self.pairs().zip(&memory.0).zip(&mut work.ties) {
            let d = between(&state.x, pair) + between(&step.moved, pair);
            let rest = if closing.held { 0.0 } else { closing.start * sewing.left(end) };
            let begun = end > sewing.from;
            let (force, stiffness) =
                if begun { sewing.tie(d, rest, length, closing.held) } else { (Vec3::zeros(), Mat3::zeros()) };
            (tie.force, tie.stiffness) = (force, stiffness);
        }
    }

    fn bound(&self, world: &World, _: &Ties, floors: &[f64], ceilings: &mut [f64]) {
        for v in self.pairs().flat_map(|(_, pair, _)| pair) {
            let k = world.component[v as usize] as usize;
            ceilings[k] = ceilings[k].min(PULLS * floors[k]);
        }
    }

    fn push(&self, work: &Ties, force: &mut [Vec3]) {
        for (first, own) in &work.carried {
            force[*first..].iter_mut().zip(own).for_each(|(force, own)| *force += own);
        }
    }

    fn commit(
        &self,
        world: &World,
        state: &mut State,
        memory: &mut Closings,
        _: &mut Ties,
        made: Made,
        told: &mut Told,
    ) {
        let mut near = Vec::new();
        for ((sewing, pair, _), closing) in self.pairs().zip(&mut memory.0) {
            let gap = between(&state.x, pair).norm();
            let thick: f64 = pair.iter().map(|v| world.half_thickness[*v as usize]).sum();
            let begun = state.time > sewing.from;
            closing.near |= begun && gap < NEAR * (thick + world.contact.distance);
            closing.held |= closing.near && gap * HELD < sewing.force;
            if closing.near {
                near.extend(pair);
            }
        }
        if !near.is_empty() && state.room.is_empty() {
            state.room.resize(world.rest.len(), 1.0);
        }
        // Contacts regain their distance in each step; those that began with less keep it.
        for v in near {
            let room = &mut state.room[v as usize];
            *room = room.min(ROOM);
        }
        self.tell(state, made.step, told);
    }

    fn tally(&self, At { state, .. }: At, _: &Closings, tallies: &mut Tallies) {
        let done = self.pairs().filter(|(sewing, ..)| state.time >= sewing.from + (1.0 + OPEN.1) * sewing.over);
        let gap = done.map(|(_, pair, _)| between(&state.x, pair).norm()).fold(0.0, f64::max);
        tallies.tell(&SEAM_GAP, gap);
    }
}

impl Seams {
    /// Warns, in the step in which the time of a seam ends, where it is open.
    fn tell(&self, state: &State, step: &Step, told: &mut Told) {
        for (k, sewing) in self.sewing.iter().enumerate() {
            let ends = sewing.from + (1.0 + OPEN.1) * sewing.over;
            if state.time + SAME < ends || state.time - step.h + SAME >= ends {
                continue;
            }
            let gap = |pair: &[u32; 2]| (between(&state.x, *pair).norm(), *pair);
            let Some((gap, [a, _])) = sewing.pairs.iter().map(gap).max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            if gap > OPEN.0 {
                let at = state.x[a as usize];
                let text = format!(
                    "t={:.6} s: seam '{}' has had its time and is open by {} mm near ({:.3}, {:.3}, {:.3}) m: give it \
                     more time or force, or room; a flat panel folds only where 'wrap' bends it",
                    state.time,
                    sewing.name,
                    rounded(1e3 * gap),
                    at.x,
                    at.y,
                    at.z
                );
                told.notice(Notice { text, measure: -gap, subject: ("seam", k) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seam() -> Sewing {
        Sewing { from: 0.2, over: 1.0, force: 5.0, ..Sewing::default() }
    }

    #[test]
    fn the_distance_falls_from_the_start_to_zero() {
        let left = [0.0, 0.2, 0.7, 1.2, 2.0].map(|t| seam().left(t));
        assert!(left.iter().zip([1.0, 1.0, 0.5, 0.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{left:?}");
    }

    /// The force is bounded until the pair is held. Its derivative is the negative stiffness, except that a bounded
    /// force does not grow.
    #[test]
    fn a_tie_pulls_with_a_bounded_force() {
        let (length, d) = (0.01, Vec3::new(0.03, 0.0, 0.04));
        let (force, _) = seam().tie(d, 0.02, length, false);
        assert!((force + d / 0.05 * 5.0 * length).norm() < 1e-12);
        assert_eq!(seam().tie(d, 0.06, length, false).0, Vec3::zeros());
        for (rest, held) in [(0.0, true), (0.02, true), (0.05 - 1e-5, false), (0.02, false)] {
            let (force, stiffness) = seam().tie(d, rest, length, held);
            for k in 0..3 {
                let mut by = Vec3::zeros();
                by[k] = 1e-8;
                let change = (seam().tie(d + by, rest, length, held).0 - force) / 1e-8;
                let bound = 1e-5 * (stiffness.norm() + 1.0);
                assert!((change + stiffness.column(k)).norm() < bound, "{rest} {held}: {change} {stiffness}");
            }
        }
    }
}
