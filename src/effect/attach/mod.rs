//! Attachments: vertices of a cloth held at points of a surface, from a time on: buttons, hooks, straps, belts.
//!
//! At its time each vertex is bound to the point of the surface next to it, at the height that it has there or is drawn
//! to. With the deviation `r = x - sum w_k x_k - d n` from that place the force on the vertex is `-k r`. Its opposite
//! acts on the corners of the triangle by the weights `w_k`. The normal `n` is that of free flight. A load along the
//! surface therefore has the small moment `d n x F`.
//!
//! A bond breaks for good where its force exceeds the strength. Bonds leave all contact as it is.

use super::order;
use crate::collision::closest::point_triangle;
use crate::force::links::{Couples, Link};
use crate::linalg::{Mat3, Vec3, par};
use crate::mesh::told::rounded;
use crate::world::carry::Carried;
use crate::world::effect::{At, Effect, Join, Made, Notice, Remember, Tallies, Tally, Told};
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
    /// Triangle of the surface; `None` before its time, and for vertices that are too far.
    triangle: Option<u32>,
    /// Weights of its corners.
    u: f64,
    v: f64,
    w: f64,
    /// Height over the triangle when it was bound, negative below [m].
    height: f64,
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
    Bond { triangle, u, v, w, height, sought, broken }
}

impl Bond {
    fn weights(&self) -> [f64; 3] {
        [self.u, self.v, self.w]
    }
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

    /// Triangles keep their numbers, and attachments name vertices of their own world.
    fn carry(&mut self, _: &Carried) {}

    fn misfit(&self, start: &Bonds, world: &World) -> Option<&'static str> {
        let there = |bond: &Bond| bond.triangle.is_none_or(|t| (t as usize) < world.surface.triangles.len());
        (self.0.len() != start.0.len() || !self.0.iter().all(there)).then_some("attached vertices")
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
    /// Finds the point of the surface next to a vertex, if it is near enough.
    fn bind(&self, world: &World, x: &[Vec3], vertex: u32) -> Bond {
        let p = &x[vertex as usize];
        let corners = |t: u32| world.surface.triangles[t as usize].map(|v| x[v as usize]);
        let mut best = (self.within * self.within, None);
        for t in self.triangles.iter().filter(|t| !world.surface.triangles[**t as usize].contains(&vertex)) {
            let [a, b, c] = corners(*t);
            let found = point_triangle(p, &a, &b, &c);
            if found.distance2 < best.0 {
                best = (found.distance2, Some((*t, found.weights)));
            }
        }
        let Some((triangle, [u, v, w])) = best.1 else { return Bond { sought: true, ..Bond::default() } };
        let [a, b, c] = corners(triangle);
        let foot = a * u + b * v + c * w;
        let height = (p - foot).dot(&normal(&[a, b, c]));
        // The foot is not below a vertex beside an edge. Its height is then the whole distance.
        let height = best.0.sqrt().copysign(height);
        Bond { triangle: Some(triangle), u, v, w, height, sought: true, broken: false }
    }

    /// Describes the vertices that are too far from the surface at the start; `None` if there are none, or if it acts
    /// only later.
    pub fn free_at_the_start(&self, world: &World, state: &State) -> Option<String> {
        if !self.acts(world, state, state.time) {
            return None;
        }
        let wide = Attach { within: f64::INFINITY, ..self.clone() };
        let distance = |v: &u32| wide.bind(world, &state.x, *v).height.abs();
        let far: Vec<f64> = self.vertices.iter().map(distance).filter(|distance| *distance > self.within).collect();
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

    /// Returns the height of a bond at a time after the start of the run [m].
    fn height(&self, bond: &Bond, time: f64) -> f64 {
        let Some(gap) = self.gap else { return bond.height };
        let part = ((time - self.window.from) / self.over.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let smooth = part * part * (3.0 - 2.0 * part);
        bond.height + (gap.copysign(bond.height) - bond.height) * smooth
    }

    /// Returns the deviation of a vertex from its place on a triangle at positions given by `at` [m].
    fn deviation(&self, bond: &Bond, corners: &[Vec3; 3], p: &Vec3, time: f64) -> Vec3 {
        let [u, v, w] = bond.weights();
        let [a, b, c] = corners;
        p - a * u - b * v - c * w - normal(corners) * self.height(bond, time)
    }

    /// Returns whether it acts at a time after the start of the run.
    fn acts(&self, world: &World, state: &State, time: f64) -> bool {
        time + SAME >= self.window.from && time <= self.window.until + SAME && world.there(self.to, state.now())
    }
}

/// Returns the unit normal of a triangle; zero without area.
fn normal([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default()
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
            let comes = attach.acts(world, state, state.time) && !bonds.0[own.clone()].iter().any(|bond| bond.sought);
            if comes {
                let found = par::map_heavy(own.len(), |k| attach.bind(world, &state.x, attach.vertices[k]));
                bonds.0[own].copy_from_slice(&found);
            }
        }
    }
}

impl Effect for Attaches {
    type Memory = Bonds;
    type Work = Vec<Pull>;
    const ORDER: u32 = order::ATTACHES;
    const TALLIES: &'static [&'static Tally] = &[&ATTACHED, &ATTACH_FORCE, &ATTACH_BROKEN];

    fn start(&self, world: &World, state: &State) -> Bonds {
        let mut bonds = Bonds(vec![Bond::default(); self.0.iter().map(|attach| attach.vertices.len()).sum()]);
        self.seek(world, state, &mut bonds);
        bonds
    }

    fn work(&self, _: &World) -> Vec<Pull> {
        Vec::new()
    }

    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize)) {
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
            let [u, v, w] = bond.weights();
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
        let moved = |v: u32| at.state.x[v as usize] + step.moved[v as usize];
        for ((attach, _, _, bond), pull) in self.held(at, memory, end).zip(work) {
            let [p, a, b, c] = pull.vertices.map(moved);
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
        told: &mut Told,
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
                    told.notice(Notice {
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
    format!(
        "t={:.6} s: '{}' comes off near ({:.3}, {:.3}, {:.3}) m, at {} N; its strength is {} N a vertex",
        world.shot.shot(state.time),
        attach.name,
        p.x,
        p.y,
        p.z,
        rounded(force),
        rounded(attach.strength)
    )
}
