//! Attachments: vertices of a cloth held at points of a surface, from a time on: buttons, hooks, straps, belts.
//!
//! At its time each vertex is bound to the point of the surface next to it, at the offset `d` that it has there or is
//! drawn to, in the frame of the triangle. With the deviation `r = x - sum w_k x_k - d` from that place the force is
//! `-k r`. Its opposite acts on the corners of the triangle by the weights `w_k`. The frame is that of free
//! flight. A load across the offset therefore has the small moment `d x F`.
//!
//! A bond breaks for good where its force exceeds the strength. Bonds leave all contact as it is.

use super::order;
use crate::collision::closest::point_triangle;
use crate::force::links::{Couples, Link};
use crate::linalg::{Mat3, Vec3, par};
use crate::mesh::number_text::rounded;
use crate::world::carry::Carried;
use crate::world::effect::{At, Effect, EffectReport, Join, Made, Notice, Remember, Tallies, Tally};
use crate::world::snapshot::{Piece, pieces};
use crate::world::step::Step;
use crate::world::window::Window;
use crate::world::{State, World};

/// Tolerance of times [s].
const SAME: f64 = 1e-9;

/// Vertices of a cloth that are attached to a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Attach {
    /// Name for messages.
    pub name: String,
    /// Vertices of the world.
    pub vertices: Vec<u32>,
    /// Time after the start of the window at which each of them is bound [s].
    pub delays: Vec<f64>,
    /// Index of the object whose surface holds them.
    pub to: usize,
    /// Triangles of the world's surface that may hold them.
    pub triangles: Vec<u32>,
    /// Time after the start of the run in which it acts.
    pub window: Window,
    /// Distance beyond which a vertex is not bound [m].
    pub within: f64,
    /// Height to which a vertex is drawn [m]; `None` keeps the height that it has.
    pub gap: Option<f64>,
    /// Time in which it is drawn [s].
    pub over: f64,
    /// Force per deviation of a vertex [N/m].
    pub stiffness: f64,
    /// Force at which a vertex comes off [N]; infinite if it never does.
    pub strength: f64,
}

/// Attachments of a world.
#[derive(Clone, Debug, Default)]
pub struct Attaches(pub Vec<Attach>);

/// Bond of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bond {
    /// Vertex of the world.
    vertex: u32,
    /// Triangle of the surface; `None` before its time, and for vertices that are too far.
    triangle: Option<u32>,
    /// Weights of its corners.
    weights: Vec3,
    /// Offset from that point when it was bound, in the frame of the triangle [m].
    offset: Vec3,
    /// Time after the start of the run at which it was bound [s].
    since: f64,
    /// True once it was looked for.
    sought: bool,
    /// True once it has come off.
    broken: bool,
}

/// Bonds of all vertices, in the order of the attachments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bonds(Vec<Bond>);

/// Bonds that hold.
pub static ATTACHED: Tally =
    Tally { word: "attached", unit: "", sentence: "Vertices that are attached.", whole: true, join: Join::Last };
/// Bonds that have come off.
pub static ATTACH_BROKEN: Tally =
    Tally { word: "attach_broken", sentence: "Attached vertices that have come off.", ..ATTACHED };
/// Largest force of a bond.
pub static ATTACH_FORCE: Tally = Tally {
    word: "attach_force",
    unit: "N",
    sentence: "Largest force of an attached vertex [N].",
    whole: false,
    join: Join::Last,
};

pieces! {
    Bond { vertex, triangle, weights, offset, since, sought, broken }
}

impl Remember for Bonds {
    const SECTIONS: &'static [(&'static str, u32)] = &[("attach", 1)];

    fn put(&self, _: usize, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(&mut self, _: usize, from: &mut &[u8]) -> Option<()> {
        self.0 = Piece::take(from)?;
        Some(())
    }

    /// Triangles keep their numbers. A vertex that has become a corner of its triangle is no longer bound.
    fn carry(&mut self, carried: &Carried) {
        let [from, to] = [carried.from, carried.to].map(|world| world.effects.get::<Attaches>());
        let (Some(from), Some(to)) = (from, to) else { return };
        let mut old = self.0.iter().copied();
        let mut bonds = Vec::new();
        for (before, after) in from.0.iter().zip(&to.0) {
            let own: Vec<Bond> = old.by_ref().take(before.vertices.len()).collect();
            bonds.extend(after.vertices.iter().map(|vertex| {
                let first = own.iter().find(|bond| carried.vertex[bond.vertex as usize] == *vertex);
                let bond = first.copied().unwrap_or_default();
                let corner = |t: &u32| carried.to.surface.triangles[*t as usize].contains(vertex);
                Bond { vertex: *vertex, triangle: bond.triangle.filter(|t| !corner(t)), ..bond }
            }));
        }
        self.0 = bonds;
    }

    fn misfit(&self, start: &Bonds, world: &World) -> Option<&'static str> {
        let there = |bond: &Bond| bond.triangle.is_none_or(|t| (t as usize) < world.surface.triangles.len());
        let same = self.0.iter().map(|bond| bond.vertex).eq(start.0.iter().map(|bond| bond.vertex));
        (!same || !self.0.iter().all(there)).then_some("attached vertices")
    }
}

/// Bond in a step.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    vertices: [u32; 4],
    weights: [f64; 4],
    force: Vec3,
    stiffness: f64,
}

impl Couples for Vec<Pull> {
    fn count(&self) -> usize {
        self.len()
    }

    fn corners(&self, out: &mut [([u32; 4], [f64; 4])]) {
        out.iter_mut().zip(self).for_each(|(out, pull)| *out = (pull.vertices, pull.weights));
    }

    fn links(&self, out: &mut [Link]) {
        for (out, pull) in out.iter_mut().zip(self) {
            let stiffness = Mat3::from_diagonal_element(pull.stiffness);
            *out = Link { weights: pull.weights, force: pull.force, stiffness };
        }
    }
}

impl Attach {
    /// Finds the point of the surface next to a vertex, if it is near enough. A vertex of the surface, to which
    /// a seam may have joined it, needs no bond.
    fn bind(&self, world: &World, x: &[Vec3], vertex: u32, time: f64) -> Bond {
        let p = &x[vertex as usize];
        let corners = |t: u32| world.surface.triangles[t as usize].map(|v| x[v as usize]);
        let mut best = (self.within * self.within, None);
        let own = self.triangles.iter().any(|t| world.surface.triangles[*t as usize].contains(&vertex));
        for t in self.triangles.iter().filter(|_| !own) {
            let [a, b, c] = corners(*t);
            let found = point_triangle(p, &a, &b, &c);
            if found.distance2 < best.0 {
                best = (found.distance2, Some((*t, found.weights)));
            }
        }
        let mut bond = Bond { vertex, since: time, sought: true, ..Bond::default() };
        if let Some((triangle, [u, v, w])) = best.1 {
            let [a, b, c] = corners(triangle);
            bond.triangle = Some(triangle);
            bond.weights = Vec3::new(u, v, w);
            bond.offset = frame(&[a, b, c]).tr_mul(&(p - a * u - b * v - c * w));
        }
        bond
    }

    /// Describes the vertices that are too far from the surface at the start; `None` if there are none, or if it acts
    /// only later.
    pub fn free_at_the_start(&self, world: &World, state: &State) -> Option<String> {
        if !self.acts(world, state, state.time) {
            return None;
        }
        let wide = Attach { within: f64::INFINITY, ..self.clone() };
        let distance = |v: &u32| wide.bind(world, &state.x, *v, 0.0).offset.norm();
        let now = self.vertices.iter().zip(&self.delays).filter(|(_, delay)| self.comes(state.time, **delay));
        let far: Vec<f64> = now.map(|(v, _)| distance(v)).filter(|distance| *distance > self.within).collect();
        let least = far.iter().copied().reduce(f64::min)?;
        Some(format!(
            "{} of {} vertices are further than {} m from '{}', the nearest {} m; they stay free: give a larger 'within'",
            far.len(),
            self.vertices.len(),
            rounded(self.within),
            world.name(self.to),
            rounded(least)
        ))
    }

    /// Returns the offset of a bond in the frame of its triangle, at a time after the start of the run [m].
    fn offset(&self, bond: &Bond, time: f64) -> Vec3 {
        let Some(gap) = self.gap else { return bond.offset };
        let part = ((time - bond.since) / self.over.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let smooth = part * part * (3.0 - 2.0 * part);
        let away = bond.offset.try_normalize(0.0).unwrap_or(Vec3::z());
        bond.offset + (away * gap - bond.offset) * smooth
    }

    /// Returns the deviation of a vertex from its place on a triangle [m].
    fn deviation(&self, bond: &Bond, corners: &[Vec3; 3], p: &Vec3, time: f64) -> Vec3 {
        let [a, b, c] = corners;
        let foot = a * bond.weights.x + b * bond.weights.y + c * bond.weights.z;
        p - foot - frame(corners) * self.offset(bond, time)
    }

    /// Returns whether the time of a vertex with this delay has come.
    fn comes(&self, time: f64, delay: f64) -> bool {
        time + SAME >= self.window.from + delay
    }

    /// Returns whether it acts at a time after the start of the run.
    fn acts(&self, world: &World, state: &State, time: f64) -> bool {
        time + SAME >= self.window.from && time <= self.window.until + SAME && world.there(self.to, state.now())
    }
}

/// Returns the unit vectors along the first side of a triangle, across it in the plane, and along the normal. They are
/// zero for a triangle without area.
fn frame([a, b, c]: &[Vec3; 3]) -> Mat3 {
    let along = (b - a).try_normalize(0.0).unwrap_or_default();
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
    Mat3::from_columns(&[along, normal.cross(&along), normal])
}

impl Attaches {
    /// Iterates over the bonds that hold, each with its attachment, vertex and triangle.
    fn held<'a>(
        &'a self,
        At { world, state }: At<'a>,
        bonds: &'a Bonds,
        time: f64,
    ) -> impl Iterator<Item = (&'a Attach, u32, u32, &'a Bond)> {
        let all = self.0.iter().flat_map(|attach| attach.vertices.iter().map(move |vertex| (attach, *vertex)));
        all.zip(&bonds.0).filter_map(move |((attach, vertex), bond)| {
            let holds = !bond.broken && attach.acts(world, state, time);
            Some((attach, vertex, bond.triangle.filter(|_| holds)?, bond))
        })
    }

    /// Binds the vertices of attachments whose time has come.
    fn seek(&self, world: &World, state: &State, bonds: &mut Bonds) {
        let mut first = 0;
        for attach in &self.0 {
            let own = first..first + attach.vertices.len();
            first = own.end;
            let bonds = &mut bonds.0[own];
            let comes = |k: &usize| !bonds[*k].sought && attach.comes(state.time, attach.delays[*k]);
            if !attach.acts(world, state, state.time) {
                continue;
            }
            let now: Vec<usize> = (0..bonds.len()).filter(comes).collect();
            let found =
                par::map_heavy(now.len(), |k| attach.bind(world, &state.x, attach.vertices[now[k]], state.time));
            now.iter().zip(found).for_each(|(k, bond)| bonds[*k] = bond);
        }
    }
}

impl Effect for Attaches {
    type Memory = Bonds;
    type Work = Vec<Pull>;
    const ORDER: u32 = order::ATTACHES;
    const TALLIES: &'static [&'static Tally] = &[&ATTACHED, &ATTACH_FORCE, &ATTACH_BROKEN];

    fn start(&self, world: &World, state: &State) -> Bonds {
        let all = self.0.iter().flat_map(|attach| &attach.vertices);
        let mut bonds = Bonds(all.map(|vertex| Bond { vertex: *vertex, ..Bond::default() }).collect());
        self.seek(world, state, &mut bonds);
        bonds
    }

    fn work(&self, _: &World) -> Vec<Pull> {
        Vec::new()
    }

    fn stores(&self, world: &World, feed: &mut dyn FnMut(usize)) {
        for attach in &self.0 {
            attach.vertices.iter().for_each(|v| feed(*v as usize));
            let moving = world.objects[attach.to].vertices.clone().filter(|v| *v < world.moving);
            moving.for_each(&mut *feed);
        }
    }

    fn update(&self, at: At, memory: &Bonds, work: &mut Vec<Pull>, step: &Step, _: &mut Tallies) {
        work.clear();
        work.extend(self.held(at, memory, at.state.time + step.h).map(|(attach, vertex, triangle, bond)| {
            let [a, b, c] = at.world.surface.triangles[triangle as usize];
            let [u, v, w] = bond.weights.into();
            Pull {
                vertices: [vertex, a, b, c],
                weights: [1.0, -u, -v, -w],
                force: Vec3::zeros(),
                stiffness: attach.stiffness,
            }
        }));
    }

    fn links<'a>(&self, work: &'a Vec<Pull>) -> Option<&'a dyn Couples> {
        Some(work)
    }

    fn linearise(&self, at: At, memory: &Bonds, work: &mut Vec<Pull>, step: &Step) {
        let end = at.state.time + step.h;
        let place = |v: u32| at.state.x[v as usize] + step.displacement[v as usize];
        for ((attach, _, _, bond), pull) in self.held(at, memory, end).zip(work) {
            let [p, a, b, c] = pull.vertices.map(place);
            pull.force = attach.deviation(bond, &[a, b, c], &p, end) * -attach.stiffness;
        }
    }

    fn each_coupled(&self, work: &Vec<Pull>, couple: &mut dyn FnMut(&mut dyn Iterator<Item = u32>)) {
        work.iter().for_each(|pull| couple(&mut pull.vertices.into_iter()));
    }

    fn commit(
        &self,
        world: &World,
        state: &mut State,
        memory: &mut Bonds,
        _: &mut Vec<Pull>,
        _: Made,
        report: &mut EffectReport,
    ) {
        let mut first = 0;
        for (k, attach) in self.0.iter().enumerate() {
            let own = first..first + attach.vertices.len();
            first = own.end;
            if !attach.acts(world, state, state.time) {
                continue;
            }
            for (vertex, bond) in attach.vertices.iter().zip(&mut memory.0[own]) {
                let Some(triangle) = bond.triangle.filter(|_| !bond.broken) else { continue };
                let corners = world.surface.triangles[triangle as usize].map(|v| state.x[v as usize]);
                let p = state.x[*vertex as usize];
                let force = attach.stiffness * attach.deviation(bond, &corners, &p, state.time).norm();
                bond.broken = force > attach.strength;
                if bond.broken {
                    report.notice(Notice {
                        text: came_off(world, state, attach, &p, force),
                        measure: -force,
                        subject: ("attach", k),
                    });
                }
            }
        }
        self.seek(world, state, memory);
    }

    fn tally(&self, at: At, memory: &Bonds, tallies: &mut Tallies) {
        let (mut count, mut most) = (0.0, 0.0_f64);
        for (attach, vertex, triangle, bond) in self.held(at, memory, at.state.time) {
            let corners = at.world.surface.triangles[triangle as usize].map(|v| at.state.x[v as usize]);
            let p = at.state.x[vertex as usize];
            count += 1.0;
            most = most.max(attach.stiffness * attach.deviation(bond, &corners, &p, at.state.time).norm());
        }
        tallies.tell(&ATTACHED, count);
        tallies.tell(&ATTACH_FORCE, most);
        tallies.tell(&ATTACH_BROKEN, memory.0.iter().filter(|bond| bond.broken).count() as f64);
    }
}

fn came_off(world: &World, state: &State, attach: &Attach, p: &Vec3, force: f64) -> String {
    let at = p + world.origin;
    format!(
        "t={:.6} s: '{}' comes off near ({:.3}, {:.3}, {:.3}) m, at {} N; its strength is {} N a vertex",
        world.shot.shot(state.time),
        attach.name,
        at.x,
        at.y,
        at.z,
        rounded(force),
        rounded(attach.strength)
    )
}
