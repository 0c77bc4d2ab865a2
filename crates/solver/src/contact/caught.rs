//! Cloth caught between two obstacles that cross, such as a sleeve between an arm and a torso.
//!
//! Between the surfaces of such a pair there is no room. Cloth where they are nearer to each other than it needs stays
//! at the first surface and passes through the second. Contact with the second leaves out all triangles with a vertex
//! that passes. A vertex passes until it is outside of the second surface with room, and until none of its triangles
//! intersects it.

use super::offset_ramp::ramp_offset;
use crate::collision::intersect::Test;
use crate::collision::traversal::Traversal;
use crate::linalg::Vec3;
use crate::world::left_out::Crossed;
use crate::world::step::Step;
use crate::world::{State, World};

/// Room between two surfaces below which cloth is caught: a multiple of the thickness there, for two layers, and one of
/// the contact distance.
const ROOM: (f64, f64) = (2.0, 4.0);
/// Room at which a vertex may be let go, relative to that.
const OPEN: f64 = 1.25;
/// Distance from the first surface up to which its pins, or cloth that passes, take cloth into the second one; relative
/// to the room.
const BESIDE: f64 = 5.0;
/// Length of an edge, relative to that at rest, at which cloth that passes draws its neighbours along.
const DRAWN: f64 = 1.1;
/// Barycentric weight below which a closest point is not near a corner.
const NONE: f64 = 1e-9;

/// Part of an obstacle, with the points next to vertices of cloth.
struct Side {
    search: Traversal,
    /// Triangles of the surface.
    triangles: Vec<u32>,
    /// Corners of the triangles.
    corners: Vec<[u32; 3]>,
    /// Vertices of the part, ascending.
    vertices: Vec<u32>,
    /// Whether each vertex of the part is at its border.
    border: Vec<bool>,
}

/// Point of a part next to a vertex.
struct Next {
    /// Signed distance [m].
    distance: f64,
    /// Unit direction away from the part; zero on it.
    away: Vec3,
    /// Displacement of the point in the step along that direction [m].
    displacement: f64,
}

impl Side {
    fn new(world: &World, triangles: &[u32], count: usize) -> Side {
        let corners: Vec<[u32; 3]> = triangles.iter().map(|t| world.surface.triangles[*t as usize]).collect();
        let mut vertices: Vec<u32> = corners.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut sides: Vec<[u32; 2]> = corners
            .iter()
            .flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| [*a.min(b), *a.max(b)])
            .collect();
        sides.sort_unstable();
        let mut border = vec![false; vertices.len()];
        for edge in sides.chunk_by(|a, b| a == b).filter(|edge| edge.len() == 1) {
            edge[0].iter().filter_map(|v| vertices.binary_search(v).ok()).for_each(|k| border[k] = true);
        }
        let search = Traversal::new(&corners, &world.rest, count);
        Side { search, triangles: triangles.to_vec(), corners, vertices, border }
    }

    /// Returns the point next to vertex `k` at `p`. `None` if that is at the border of the part, where inside and
    /// outside are not known.
    fn next(&self, k: usize, p: &Vec3, x: &[Vec3], displacement: &[Vec3]) -> Option<Next> {
        let closest = self.search.closest(k);
        let corners = self.corners.get(closest.triangle as usize)?;
        let at_border = |v: &u32| self.vertices.binary_search(v).is_ok_and(|k| self.border[k]);
        let mut near = corners.iter().zip(closest.weights).filter(|(_, weight)| *weight > NONE);
        if closest.weights.contains(&0.0) && near.all(|(v, _)| at_border(v)) {
            return None;
        }
        let mean = |of: &[Vec3]| -> Vec3 { (0..3).map(|k| of[corners[k] as usize] * closest.weights[k]).sum() };
        let away = if closest.distance.abs() < NONE { Vec3::zeros() } else { (p - mean(x)) / closest.distance };
        let displacement = if displacement.is_empty() { 0.0 } else { mean(displacement).dot(&away) };
        Some(Next { distance: closest.distance, away, displacement })
    }

    fn has(&self, v: u32) -> bool {
        self.vertices.binary_search(&v).is_ok()
    }

    /// Returns the bounding box of the part over a step.
    fn bounds(&self, x: &[Vec3], displacement: &[Vec3]) -> [Vec3; 2] {
        let start = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
        self.vertices.iter().map(|v| *v as usize).fold(start, |[low, high], v| {
            let end = x[v] + displacement[v];
            [low.inf(&x[v]).inf(&end), high.sup(&x[v]).sup(&end)]
        })
    }
}

/// Two parts that may cross.
struct Zone {
    objects: [usize; 2],
    /// Bit of the entry.
    bit: u64,
    sides: [Side; 2],
}

/// Pairs of obstacles that may cross and catch cloth.
#[derive(Default)]
pub struct Caught {
    zones: Vec<Zone>,
    /// Vertices of simulated surfaces.
    vertices: Vec<u32>,
    test: Option<Test>,
}

/// Returns the room that cloth needs at a vertex between two parts [m].
fn room(world: &World, v: u32, sides: &[Side; 2]) -> f64 {
    let half = |v: u32| world.half_thickness[v as usize];
    let others: f64 = sides.iter().map(|side| side.vertices.first().map_or(0.0, |v| half(*v))).sum();
    ROOM.0 * (2.0 * half(v) + others) + ROOM.1 * world.contact.distance
}

impl Zone {
    fn new(world: &World, crossed: &Crossed, count: usize) -> Zone {
        let sides = crossed.triangles.each_ref().map(|triangles| Side::new(world, triangles, count));
        Zone { objects: crossed.objects, bit: 1 << crossed.entry, sides }
    }

    fn catches(&self, state: &State) -> bool {
        state.passing.iter().any(|entries| entries & self.bit != 0)
    }

    /// Returns true if the parts may come so near to each other in a step that they catch cloth.
    fn near(&self, world: &World, state: &State, step: &Step, most: f64) -> bool {
        let there = self.objects.iter().all(|object| world.there(*object, step.begin));
        let [a, b] = self.sides.each_ref().map(|side| side.bounds(&state.x, &step.displacement));
        there && (0..3).all(|k| a[0][k] <= b[1][k] + most && b[0][k] <= a[1][k] + most)
    }

    /// Returns true if a vertex, point `k` of the search, has no room in a step: between both parts, between its pin
    /// and the second one, or where neighbours that pass draw it into that.
    fn is_caught(&self, world: &World, state: &State, step: &Step, (k, v): (usize, u32)) -> bool {
        let v = v as usize;
        let next = |side: &Side| side.next(k, &state.x[v], &state.x, &step.displacement);
        let [Some(a), Some(b)] = self.sides.each_ref().map(next) else { return false };
        let room = room(world, v as u32, &self.sides);
        if a.distance + b.distance - (a.displacement + b.displacement).max(0.0) < room {
            return true;
        }
        let closing = b.displacement - step.displacement[v].dot(&b.away) * f64::from(step.fixed.get(v) == Some(&true));
        if a.distance > BESIDE * room || b.distance - closing.max(0.0) > room {
            return false;
        }
        let drawn = |w: &u32| {
            let length = |x: &[Vec3]| (x[*w as usize] - x[v]).norm();
            self.has(state, *w) && length(&state.x) > DRAWN * length(&world.rest)
        };
        step.fixed[v] || world.surface.around(v).iter().any(drawn)
    }

    fn has(&self, state: &State, v: u32) -> bool {
        state.passing.get(v as usize).is_some_and(|entries| entries & self.bit != 0)
    }

    /// Lets vertices pass. Returns true if one of them did not.
    fn pass(&self, state: &mut State, vertices: &[u32]) -> bool {
        let any = vertices.iter().any(|v| !self.has(state, *v));
        if any {
            state.passing.resize(state.x.len(), 0);
            vertices.iter().for_each(|v| state.passing[*v as usize] |= self.bit);
        }
        any
    }

    fn search(&mut self, x: &[Vec3], vertices: &[u32]) {
        self.sides.iter_mut().for_each(|side| {
            side.search.update(x, |k| x[vertices[k] as usize]);
        });
    }
}

impl Caught {
    /// Creates the storage.
    pub fn new(world: &World) -> Caught {
        if world.left_out.crossed.is_empty() {
            return Caught::default();
        }
        let moving = |v: &u32| !world.surface.around(*v as usize).is_empty();
        let vertices: Vec<u32> = (0..world.moving as u32).filter(moving).collect();
        let zone = |crossed: &Crossed| Zone::new(world, crossed, vertices.len());
        Caught { zones: world.left_out.crossed.iter().map(zone).collect(), vertices, test: None }
    }

    /// Finds the vertices that a step may catch. They pass from then on.
    pub fn catch(&mut self, world: &World, state: &mut State, step: &Step) {
        let Caught { zones, vertices, .. } = self;
        for zone in zones {
            let most = vertices.iter().map(|v| room(world, *v, &zone.sides)).fold(0.0, f64::max);
            if !zone.near(world, state, step, most) {
                continue;
            }
            zone.search(&state.x, vertices);
            let caught = |(k, v): &(usize, &u32)| zone.is_caught(world, state, step, (*k, **v));
            let found: Vec<u32> = vertices.iter().enumerate().filter(caught).map(|(_, v)| *v).collect();
            zone.pass(state, &found);
        }
    }

    /// Lets cloth of a pinched pair pass where the second of two parts closes on it, against the first or against pins.
    /// Returns true if there is any that did not.
    pub fn pinched(&self, world: &World, state: &mut State, pair: &[u32; 4], between: [u32; 2]) -> bool {
        let cloth: Vec<u32> = pair.iter().copied().filter(|v| (*v as usize) < world.moving).collect();
        let closes = |zone: &&Zone| {
            let [first, second] = zone.sides.each_ref().map(|side| between.map(|v| side.has(v)));
            let pin = between.map(|v| (v as usize) < world.moving);
            (0..2).any(|k| second[k] && (first[1 - k] || pin[1 - k]))
        };
        self.zones.iter().filter(closes).fold(false, |any, zone| zone.pass(state, &cloth) | any)
    }

    /// Lets go of the vertices that are out, after a step that ends at the time `now` of prescribed motion [s].
    pub fn let_go(&mut self, world: &World, state: &mut State, now: f64) {
        if state.passing.is_empty() {
            return;
        }
        let Caught { zones, vertices, test } = self;
        for zone in zones {
            if !zone.catches(state) {
                continue;
            }
            zone.search(&state.x, vertices);
            let mut out: Vec<u32> = Vec::new();
            for (k, v) in vertices.iter().enumerate().filter(|(_, v)| state.passing[**v as usize] & zone.bit != 0) {
                let p = &state.x[*v as usize];
                let [a, b] = zone.sides.each_ref().map(|side| side.next(k, p, &state.x, &[]).map(|next| next.distance));
                let room = OPEN * room(world, *v, &zone.sides);
                if b.is_none_or(|b| b > 0.5 * room / OPEN && a.is_none_or(|a| a + b > room)) {
                    out.push(*v);
                }
            }
            if out.is_empty() {
                continue;
            }
            let mut is_out = vec![false; world.rest.len()];
            out.iter().for_each(|v| is_out[*v as usize] = true);
            let surface = &world.surface;
            let other = |t: u32| zone.sides[1].triangles.binary_search(&t).is_ok();
            let goes = |t: u32| surface.triangles[t as usize].iter().any(|v| is_out[*v as usize]);
            let test = test.get_or_insert_with(|| world.test());
            let found = test.intersections(&state.x, &surface.triangles, |s, t| !(goes(s) && other(t)));
            for v in found.pairs.iter().flat_map(|[s, _]| surface.triangles[*s as usize]) {
                is_out[v as usize] = false;
            }
            out.retain(|v| is_out[*v as usize]);
            out.iter().for_each(|v| state.passing[*v as usize] &= !zone.bit);
            if !out.is_empty() {
                let meet = |i, j| world.meet_at(i, j, now) && [i, j].contains(&zone.objects[1]);
                ramp_offset(world, state, meet, |v| is_out[v as usize]);
            }
        }
        if state.passing.iter().all(|entries| *entries == 0) {
            state.passing.clear();
        }
    }
}
