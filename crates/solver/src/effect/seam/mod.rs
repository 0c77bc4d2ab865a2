//! Seams that close: ties between the border vertices of a cloth's panels.
//!
//! A pair of vertices at the distance `g`, of the seam's length `s`, is drawn together by
//! `F = min(k s (g - l), f s)` where `g > l`. The rest length `l` falls from the initial distance to zero within the
//! time of the seam, by a smoothstep. A bounded force per length `f` stretches no cloth by more than `f` over its
//! stiffness. Once a pair is so near that the bound does not act, it is held without one.
//!
//! At the end of a frame the closed pairs of a seam are joined: a world is built in which both vertices are one. An
//! elastic seam stays as it is, and its pairs break at its strength.
//!
//! Contact would keep the borders apart by their thickness. Vertices of near pairs therefore have contacts of a small
//! part of their distance, which are proven as all others.
//!
//! Cloth has no weight until its seams have had their time. Panels would fall before they hold each other.

/// Law of a seam.
mod sewing;

use super::order;
use crate::force::links::{Couples, Link};
use crate::linalg::{Mat3, Vec3};
use crate::mesh::number_text::rounded;
use crate::world::effect::{At, Effect, EffectReport, Join, Made, Notice, Remember, Tallies, Tally};
use crate::world::keyed::Of;
use crate::world::snapshot::{Piece, pieces};
use crate::world::step::Step;
use crate::world::{State, World};
use sewing::Phase;
pub use sewing::{HELD, Hold, Sewing};

/// Distance of a pair, in units of thickness and activation distance, at which its contacts shrink.
const NEAR: f64 = 2.0;
/// Part of their distance that contacts of near pairs have.
const ROOM: f64 = 0.03;
/// Time within which the weight grows to the whole [s].
const GROWTH: f64 = 0.2;
/// Largest norm of a right-hand side to which residuals are compared, in units of its lower bound. What is left of the
/// forces of seams in balance would move a free cloth.
const PULLS: f64 = 30.0;
/// Opening of a pair up to which it is joined, in units of the length of seam that belongs to it.
const CLOSED: f64 = 0.05;
/// Distance above which a pair is open [m].
const OPEN: f64 = 1e-3;

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
    /// True once both vertices are one.
    joined: bool,
    /// True once its seam has broken.
    broken: bool,
}

impl Closing {
    /// Returns whether the pair has a tie.
    fn is_tied(&self) -> bool {
        !self.joined && !self.broken
    }
}

/// Progress of all pairs, in the order of the seams.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Closings(Vec<Closing>);

impl Closings {
    /// Returns whether each pair is joined.
    pub fn joined(&self) -> Vec<bool> {
        self.0.iter().map(|closing| closing.joined).collect()
    }

    /// Marks pairs as joined.
    pub fn join(&mut self, pairs: &[usize]) {
        pairs.iter().for_each(|k| self.0[*k].joined = true);
    }
}

/// Largest distance of a pair of seams that have had their time.
pub static SEAM_GAP: Tally = Tally {
    word: "seam_gap",
    unit: "m",
    sentence: "Largest distance of two vertices of an unbroken seam that has had its time and a quarter of it [m].",
    whole: false,
    join: Join::Last,
};
/// Pairs that are joined.
pub static SEAM_JOINED: Tally =
    Tally { word: "seam_joined", unit: "", sentence: "Pairs of seams that are one vertex.", whole: true, ..SEAM_GAP };
/// Pairs that have broken.
pub static SEAM_BROKEN: Tally =
    Tally { word: "seam_broken", sentence: "Pairs of elastic seams that have broken.", ..SEAM_JOINED };
/// Largest force of an elastic seam.
pub static SEAM_FORCE: Tally = Tally {
    word: "seam_force",
    unit: "N/m",
    sentence: "Largest force per length of a closed elastic seam [N/m].",
    ..SEAM_GAP
};

pieces! {
    Closing { start, near, held, joined, broken }
}

impl Remember for Closings {
    const SECTIONS: &'static [(&'static str, u32)] = &[("seams", 2)];

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

impl Seams {
    /// Iterates over all pairs: seam, vertices and length, in order.
    fn pairs(&self) -> impl Iterator<Item = (&Sewing, [u32; 2], f64)> {
        self.sewing.iter().flat_map(|sewing| {
            sewing.pairs.iter().zip(&sewing.lengths).map(move |(pair, length)| (sewing, *pair, *length))
        })
    }

    /// Iterates over the pairs that have a tie, with their progress.
    fn tied<'a>(&'a self, memory: &'a Closings) -> impl Iterator<Item = (&'a Sewing, [u32; 2], f64, &'a Closing)> {
        let all = self.pairs().zip(&memory.0).filter(|(_, closing)| closing.is_tied());
        all.map(|((sewing, pair, length), closing)| (sewing, pair, length, closing))
    }

    /// Returns the pairs that have closed and are to be joined: those of seams that have closed as a whole, and of
    /// seams that have had their time and a quarter of it.
    pub fn closed(&self, state: &State, memory: &Closings) -> Vec<usize> {
        let (mut all, mut first) = (Vec::new(), 0);
        for sewing in &self.sewing {
            let own = first..first + sewing.pairs.len();
            first = own.end;
            if sewing.hold != Hold::Joined || state.time + sewing::SAME < sewing.from + sewing.over {
                continue;
            }
            let late = sewing.is_late(state.time);
            let near = |k: &usize| {
                let at = *k - own.start;
                between(&state.x, sewing.pairs[at]).norm() <= CLOSED * sewing.lengths[at]
            };
            let open: Vec<usize> = own.clone().filter(|k| !memory.0[*k].joined).collect();
            let ready: Vec<usize> = open.iter().copied().filter(near).collect();
            if late || ready.len() == open.len() {
                all.extend(ready);
            }
        }
        all
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
    const TALLIES: &'static [&'static Tally] = &[&SEAM_GAP, &SEAM_FORCE, &SEAM_JOINED, &SEAM_BROKEN];

    fn start(&self, _: &World, _: &State) -> Closings {
        let starts = self.sewing.iter().flat_map(|sewing| &sewing.starts);
        Closings(starts.map(|start| Closing { start: *start, ..Closing::default() }).collect())
    }

    fn work(&self, _: &World) -> Ties {
        Ties::default()
    }

    fn joins(&self, _: &World, join: &mut dyn FnMut(&mut dyn Iterator<Item = usize>)) {
        self.pairs().for_each(|(_, pair, _)| join(&mut pair.into_iter().map(|v| v as usize)));
    }

    fn stores(&self, _: &World, store: &mut dyn FnMut(usize)) {
        self.pairs().for_each(|(_, pair, _)| pair.iter().for_each(|v| store(*v as usize)));
    }

    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize)) {
        self.weightless.iter().flat_map(|own| world.objects[own.object].vertices.clone()).for_each(feed);
    }

    fn update(&self, At { world, state }: At, memory: &Closings, work: &mut Ties, step: &Step, _: &mut Tallies) {
        work.ties.clear();
        let none = |vertices| Tie { vertices, force: Vec3::zeros(), stiffness: Mat3::zeros() };
        work.ties.extend(self.tied(memory).map(|(_, pair, ..)| none(pair)));
        work.carried.clear();
        for Weightless { object, until } in &self.weightless {
            let weight = ((state.time + step.h - until) / GROWTH).clamp(0.0, 1.0);
            if weight < 1.0 {
                let vertices = world.objects[*object].vertices.clone();
                let times = [state.time, state.time + step.h];
                let gravity = world.gravity * world.keyed.of_step(Of::Gravity, None, times);
                let force = |v: usize| gravity * (step.mass[v] * (weight - 1.0));
                work.carried.push((vertices.start, vertices.map(force).collect()));
            }
        }
    }

    fn links<'a>(&self, work: &'a Ties) -> Option<&'a dyn Couples> {
        Some(&work.ties)
    }

    fn linearise(&self, At { state, .. }: At, memory: &Closings, work: &mut Ties, step: &Step) {
        let end = state.time + step.h;
        for ((sewing, pair, length, closing), tie) in self.tied(memory).zip(&mut work.ties) {
            let d = between(&state.x, pair) + between(&step.displacement, pair);
            let phase = if closing.held { Phase::Held } else { Phase::Closing(closing.start * sewing.left(end)) };
            let begun = end > sewing.from;
            (tie.force, tie.stiffness) =
                if begun { sewing.tie(d, length, phase) } else { (Vec3::zeros(), Mat3::zeros()) };
        }
    }

    fn bound(&self, world: &World, work: &Ties, floors: &[f64], ceilings: &mut [f64]) {
        for v in work.ties.iter().flat_map(|tie| tie.vertices) {
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
        report: &mut EffectReport,
    ) {
        let mut near = Vec::new();
        for ((sewing, pair, _), closing) in self.pairs().zip(&mut memory.0).filter(|(_, closing)| closing.is_tied()) {
            let gap = between(&state.x, pair).norm();
            let thick: f64 = pair.iter().map(|v| world.half_thickness[*v as usize]).sum();
            let begun = state.time > sewing.from;
            let pull = gap * sewing.hold.stiffness();
            // While it closes, a seam pulls with the force of the scene, however strong it is.
            closing.broken = closing.held && sewing.is_late(state.time) && pull > sewing.hold.strength();
            if closing.broken {
                let why = ("breaks", "its 'strength' is less than the load");
                report.notice(notice(sewing, At { world, state }, pair, why, state.time));
            }
            closing.near |= begun && gap < NEAR * (thick + world.contact.distance);
            closing.held |= closing.near && pull < sewing.force;
            if closing.near && !closing.broken {
                near.extend(pair);
            }
        }
        if !near.is_empty() && state.offset_scale.is_empty() {
            state.offset_scale.resize(world.rest.len(), 1.0);
        }
        // Contacts regain their distance in each step; those that began with less keep it.
        for v in near {
            let scale = &mut state.offset_scale[v as usize];
            *scale = scale.min(ROOM);
        }
        self.tell(At { world, state }, memory, made.step, report);
    }

    fn tally(&self, At { state, .. }: At, memory: &Closings, tallies: &mut Tallies) {
        let gap = |pair| between(&state.x, pair).norm();
        let done = self.tied(memory).filter(|(sewing, ..)| sewing.is_late(state.time));
        tallies.tell(&SEAM_GAP, done.map(|(_, pair, ..)| gap(pair)).fold(0.0, f64::max));
        let held = self.tied(memory).filter(|(sewing, .., closing)| closing.held && sewing.hold != Hold::Joined);
        let pull = held.map(|(sewing, pair, ..)| gap(pair) * sewing.hold.stiffness());
        tallies.tell(&SEAM_FORCE, pull.fold(0.0, f64::max));
        let count = |is: fn(&Closing) -> bool| memory.0.iter().filter(|closing| is(closing)).count() as f64;
        tallies.tell(&SEAM_JOINED, count(|closing| closing.joined));
        tallies.tell(&SEAM_BROKEN, count(|closing| closing.broken));
    }
}

impl Seams {
    /// Warns, in the step in which the time of a seam ends, where it is open; and after as long again, where it is
    /// closed and not joined.
    fn tell(&self, At { world, state }: At, memory: &Closings, step: &Step, report: &mut EffectReport) {
        let ends = |sewing: &Sewing| sewing.is_late(state.time) && !sewing.is_late(state.time - step.h);
        for (sewing, pair, ..) in self.tied(memory).filter(|(sewing, ..)| ends(sewing)) {
            let gap = between(&state.x, pair).norm();
            if gap > OPEN {
                let remedy = "give it more time or force, or room; a flat panel folds only where 'wrap' bends it";
                let what = format!("has had its time and is open by {} mm", rounded(1e3 * gap));
                report.notice(notice(sewing, At { world, state }, pair, (&what, remedy), -gap));
            }
        }
        let stays = |sewing: &Sewing| {
            let ended = |t: f64| sewing.is_late(t - sewing.over);
            sewing.hold == Hold::Joined && ended(state.time) && !ended(state.time - step.h)
        };
        for (sewing, pair, ..) in self.tied(memory).filter(|(sewing, ..)| stays(sewing)) {
            let gap = between(&state.x, pair).norm();
            if gap <= OPEN {
                let what = "is closed and stays two rows";
                let why = "joined, its triangles would cross, or be three at an edge";
                report.notice(notice(sewing, At { world, state }, pair, (what, why), -gap));
            }
        }
    }
}

/// Returns a warning about a pair of a seam.
fn notice(sewing: &Sewing, now: At, [at, _]: [u32; 2], (what, remedy): (&str, &str), measure: f64) -> Notice {
    let At { world, state } = now;
    let (t, name, at) = (world.shot.shot(state.time), &sewing.name, state.x[at as usize] + world.origin);
    let text = format!("t={t:.6} s: seam '{name}' {what} near ({:.3}, {:.3}, {:.3}) m: {remedy}", at.x, at.y, at.z);
    Notice { text, measure, subject: ("seam", sewing.number) }
}
