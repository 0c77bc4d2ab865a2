//! Liquid bridges in a step.
//!
//! A bridge forms where a vertex of wet cloth with water in its film touches a surface. It follows the nearest point of
//! the surface by a walk over triangles. It breaks at its rupture height, when the cloth has turned its other side, or
//! with the surface. Contacts give the candidates. Heights are measured at the proven positions, so that candidate
//! lists have no influence. The activation distance matters only for the formation. In the system a bridge is a link
//! along the gap. Its forces are a pair, so linear and angular momentum are conserved.

use super::bridge::{Bridge, Disc, Law, WATER};
use super::cloths::Wet;
use super::{WaterState, transport};
use crate::collision::closest::{Feature, point_triangle};
use crate::contact::element::thickness;
use crate::contact::impulse::mobility;
use crate::force::links::{Couples, Link};
use crate::linalg::{Vec3, par};
use crate::world::effect::{At, Forces, Made, Touching};
use crate::world::step::Step;
use crate::world::{State, World};
use std::collections::BTreeMap;

/// Largest number of triangles in a walk.
const WALK: usize = 64;
/// Cosine between the cloth's normal and the gap below which the other side faces the surface. A smaller magnitude
/// could be cloth on edge.
const TURNED: f64 = -0.5;
/// Upper bound of the right-hand side of components with bridges, relative to the floor.
const CLINGS: f64 = 10.0;
/// Factor of a bridge whose other surface is wet cloth too, with bridges of its own.
const HALF: f64 = 0.5;

/// Bridge in a step.
#[derive(Clone, Copy, Debug, Default)]
struct Acting {
    /// Vertex, then the corners of the triangle.
    vertices: [u32; 4],
    /// Weight 1 of the vertex, then the negative weights of the corners.
    weights: [f64; 4],
    /// Unit vector from the surface to the vertex.
    normal: Vec3,
    disc: Disc,
    /// Distance minus thickness, and the height of the bridge [m].
    gap: f64,
    height: f64,
    /// Part of the full pull.
    share: f64,
    /// Attractive force along the normal [N].
    pull: f64,
    /// Damping force per speed along the normal [N s/m].
    damping: f64,
    /// Force on the vertex at `z = 0` [N], and its decrease with the opening [N/m].
    force: f64,
    stiffness: f64,
    /// True if the step stretches the bridge beyond its work.
    overdrawn: bool,
}

impl Acting {
    /// Returns the opening of the gap for displacements `displacement` of vertices [m].
    fn opens(&self, displacement: impl Fn(usize) -> Vec3) -> f64 {
        (0..4).map(|k| self.normal.dot(&displacement(self.vertices[k] as usize)) * self.weights[k]).sum()
    }

    /// Sets force and stiffness from parts of pull and damping. `predicted` is the opening in free flight [m].
    fn act(&mut self, [pull, damping]: [f64; 2], predicted: f64, h: f64) {
        self.stiffness = damping * self.damping / h;
        self.force = -pull * self.pull - self.stiffness * predicted;
    }
}

/// Closest point of a surface to a vertex.
#[derive(Clone, Copy, Debug)]
struct Over {
    triangle: u32,
    weights: [f64; 3],
    /// Unit vector from the surface to the vertex.
    normal: Vec3,
    /// Distance minus thickness [m].
    gap: f64,
}

/// Storage of bridges.
#[derive(Default)]
pub struct Bridges {
    acting: Vec<Acting>,
    /// Surface triangles around each vertex in CSR form: indices, offsets.
    around: (Vec<u32>, Vec<u32>),
    /// Sides on which each moving vertex has a bridge.
    sides: Vec<[bool; 2]>,
}

impl Bridges {
    /// Creates the storage for a world.
    pub fn new(world: &World) -> Bridges {
        let mut starts = vec![0u32; world.rest.len() + 1];
        let corners = || (0..).zip(&world.surface.triangles).flat_map(|(t, corners)| corners.map(|v| (v, t)));
        corners().for_each(|(v, _)| starts[v as usize + 1] += 1);
        (0..world.rest.len()).for_each(|v| starts[v + 1] += starts[v]);
        let mut next = starts.clone();
        let mut around = vec![0u32; world.surface.triangles.len() * 3];
        for (v, t) in corners() {
            around[next[v as usize] as usize] = t;
            next[v as usize] += 1;
        }
        Bridges { around: (around, starts), sides: vec![[false; 2]; world.moving], ..Bridges::default() }
    }

    /// Computes geometry, pull and damping of the state's bridges at its positions.
    pub fn look(&mut self, wet: &Wet, At { world, state }: At, bridges: &[Bridge]) {
        let Bridges { acting, sides, .. } = self;
        acting.resize(bridges.len(), Acting::default());
        sides.fill([false; 2]);
        for bridge in bridges {
            sides[bridge.vertex as usize][usize::from(bridge.side)] = true;
        }
        let sides = &*sides;
        par::fill(acting, |k| {
            let bridge = &bridges[k];
            let over = above(world, &state.x, bridge.vertex, bridge.triangle);
            let disc = disc(world, wet, sides, bridge);
            let height = wet.bridges.height(over.gap);
            let share = if shared(world, wet, bridge) { HALF } else { 1.0 };
            let [a, b, c] = world.surface.triangles[bridge.triangle as usize];
            let [p, q, r] = over.weights;
            Acting {
                vertices: [bridge.vertex, a, b, c],
                weights: [1.0, -p, -q, -r],
                normal: over.normal,
                disc,
                gap: over.gap,
                height,
                share,
                pull: share * wet.bridges.pull(&disc, height),
                damping: share * wet.bridges.damping(&disc, height),
                ..Acting::default()
            }
        });
        if wet.bridges.law == Law::Area {
            spread(world, wet, acting);
        }
    }

    /// Computes the forces for free flight.
    pub fn pull(&mut self, wet: &Wet, world: &World, step: &Step) {
        let law = &wet.bridges;
        par::each_mut(&mut self.acting, |_, acting| {
            let Acting { disc, gap, vertices, weights, pull, .. } = *acting;
            let way = acting.opens(|v| step.displacement[v]);
            // A bridge cannot stop a motion whose kinetic energy exceeds its work.
            let passes = |holds: f64| {
                let mobility = mobility(world, step, &vertices, &weights).unwrap_or(0.0);
                0.5 * (way / step.h).powi(2) > pull * holds * mobility
            };
            acting.overdrawn = law.overdrawn(&disc, gap, way).is_some_and(passes);
            let parts = if acting.overdrawn { law.over(&disc, gap, way) } else { [1.0; 2] };
            acting.act(parts, way, step.h);
        });
    }

    /// Replaces the forces of bridges that a solution stretches beyond their work by means over the distance. Returns
    /// true if there are more of them.
    pub fn let_go(&mut self, wet: &Wet, step: &Step) -> bool {
        let law = &wet.bridges;
        let held = |acting: &Acting| {
            acting.overdrawn
                || law.overdrawn(&acting.disc, acting.gap, acting.opens(|v| step.displacement[v])).is_none()
        };
        if !par::any(&self.acting, |acting| !held(acting)) {
            return false;
        }
        par::each_mut(&mut self.acting, |_, acting| {
            if !held(acting) {
                // A vertex without a bridge moves about as far as in free flight.
                let [predicted, way] =
                    [acting.opens(|v| step.predicted(v as u32)), acting.opens(|v| step.displacement[v])];
                acting.act(law.over(&acting.disc, acting.gap, predicted.max(way)), predicted, step.h);
                acting.overdrawn = true;
            }
        });
        true
    }

    /// Bounds the right-hand sides of components with bridges, from the floors. Adhesion presses such cloth with many
    /// times its weight, but the tolerance shall be that for the weight alone.
    pub fn bound(&self, world: &World, floors: &[f64], ceilings: &mut [f64]) {
        for k in self.coupled().flatten().filter_map(|v| world.component.get(v as usize)) {
            ceilings[*k as usize] = CLINGS * floors[*k as usize];
        }
    }

    /// Iterates over the vertices of each bridge with nonzero weight.
    pub fn coupled(&self) -> impl Iterator<Item = impl Iterator<Item = u32>> {
        self.acting.iter().map(|acting| {
            acting.vertices.into_iter().zip(acting.weights).filter(|(_, weight)| *weight != 0.0).map(|(v, _)| v)
        })
    }

    /// Reports to `forces` the force of each bridge in the step [N].
    pub fn each_force(&self, step: &Step, forces: &mut dyn Forces) {
        for Acting { vertices, weights, normal, force, stiffness, .. } in &self.acting {
            let opens: f64 = (0..4).map(|k| normal.dot(&step.solved(vertices[k])) * weights[k]).sum();
            forces.between(vertices, weights, normal * (force - stiffness * opens));
        }
    }

    /// Calls `add` with the vertices of each bridge that closes, and the work of its pull in the step [J].
    pub fn each_work(&self, step: &Step, add: &mut dyn FnMut(usize, f64)) {
        for Acting { vertices, weights, normal, pull, .. } in &self.acting {
            let closes: f64 = (0..4).map(|k| -normal.dot(&step.displacement[vertices[k] as usize]) * weights[k]).sum();
            if closes > 0.0 {
                vertices
                    .iter()
                    .zip(weights)
                    .filter(|(_, w)| **w != 0.0)
                    .for_each(|(v, _)| add(*v as usize, pull * closes));
            }
        }
    }

    /// Returns the number of bridges and the sum of their pulls [N].
    pub fn summary(&self) -> (usize, f64) {
        (self.acting.len(), self.acting.iter().fold(0.0, |sum, acting| sum + acting.pull))
    }

    /// Updates bridges after a step: they follow, break and form at the positions of `state`.
    pub fn commit(&mut self, wet: &Wet, world: &World, state: &mut State, memory: &mut WaterState, made: Made) {
        let old = std::mem::take(&mut memory.bridges);
        let followed = par::map(old.len(), |k| self.follow(wet, At { world, state }, made.step, &old[k]));
        let mut all = Vec::with_capacity(old.len());
        for (bridge, followed) in old.iter().zip(followed) {
            match followed {
                Some(bridge) => all.push(bridge),
                None => give_back(wet, world, state, memory, bridge),
            }
        }
        let mut new = self.form(wet, At { world, state }, memory, &all, made.touching);
        share_film(memory, &mut new);
        for bridge in &new {
            let (v, mass) = (bridge.vertex as usize, bridge.volume * WATER);
            memory.water.film[v] -= mass;
            memory.water.bridged[v] += mass;
        }
        if !new.is_empty() {
            all.extend(new);
            all.sort_unstable_by_key(|bridge| (bridge.vertex, bridge.side));
        }
        memory.bridges = all;
    }

    /// Returns a bridge at new positions. `None` if it breaks.
    fn follow(&self, wet: &Wet, At { world, state }: At, step: &Step, bridge: &Bridge) -> Option<Bridge> {
        let other = world.surface.object[world.surface.triangles[bridge.triangle as usize][0] as usize];
        if !world.there(usize::from(other), step.next) {
            return None;
        }
        let over = self.walk(world, &state.x, bridge.vertex, bridge.triangle);
        let height = wet.bridges.height(over.gap);
        let faces = faces(world, &state.x, bridge.vertex, &over.normal) * if bridge.side == 0 { 1.0 } else { -1.0 };
        let holds = height <= wet.bridges.rupture(bridge.volume) && faces >= TURNED;
        holds.then_some(Bridge { triangle: over.triangle, height, ..*bridge })
    }

    /// Finds new bridges at contacts of wet vertices without a bridge on that side. Each has the nearest surface point.
    fn form(
        &self,
        wet: &Wet,
        At { world, state }: At,
        memory: &WaterState,
        old: &[Bridge],
        touching: &dyn Touching,
    ) -> Vec<Bridge> {
        // Bridges of a vertex are consecutive.
        let has = |v: u32| {
            let from = old.partition_point(|bridge| bridge.vertex < v);
            old[from..].iter().take_while(move |bridge| bridge.vertex == v)
        };
        let asks = |v: u32, t: u32| {
            let other = world.surface.triangles[t as usize][0] as usize;
            let itself = world.surface.object[v as usize] == world.surface.object[other];
            wet.radius.get(v as usize).is_some_and(|radius| *radius > 0.0)
                && (!wet.bridges.draws() || memory.water.film[v as usize] > 0.0)
                && (wet.bridges.to_itself || !itself)
                && memory.water.at(v as usize) > 0.0
                && !has(v).any(|bridge| bridge.triangle == t)
        };
        let mut asked: Vec<(u32, u32)> = Vec::new();
        touching.each(&mut |touch| {
            asked.extend(touch.triangle.map(|t| (touch.vertices[0], t)).filter(|(v, t)| asks(*v, *t)));
        });
        // Contacts with a penalty come last, so the list is sorted.
        asked.sort_unstable();
        let looked = par::map(asked.len(), |k| {
            let (v, t) = asked[k];
            let over = self.walk(world, &state.x, v, t);
            let side = u8::from(faces(world, &state.x, v, &over.normal) < 0.0);
            (over, side)
        });
        let mut new: Vec<(f64, Bridge)> = Vec::new();
        for ((vertex, _), (over, side)) in asked.into_iter().zip(looked) {
            // A vertex that passes over an edge would get two bridges over one gap.
            if over.gap > wet.bridges.form || has(vertex).any(|b| b.side == side || b.triangle == over.triangle) {
                continue;
            }
            let volume = volume(wet, memory, vertex as usize);
            let height = wet.bridges.height(over.gap);
            if height > wet.bridges.rupture(volume) {
                continue;
            }
            let bridge = Bridge { vertex, side, triangle: over.triangle, volume, height };
            match new.iter_mut().rev().take(2).find(|(_, other)| (other.vertex, other.side) == (vertex, side)) {
                Some(nearest) if nearest.0 > over.gap => *nearest = (over.gap, bridge),
                Some(_) => (),
                None => new.push((over.gap, bridge)),
            }
        }
        new.into_iter().map(|(_, bridge)| bridge).collect()
    }

    /// Walks from a triangle to the nearest point, as long as neighbours are nearer.
    fn walk(&self, world: &World, x: &[Vec3], vertex: u32, from: u32) -> Over {
        let (around, starts) = &self.around;
        let surface = &world.surface;
        let at = |t: u32| {
            let [a, b, c] = surface.triangles[t as usize].map(|v| &x[v as usize]);
            point_triangle(&x[vertex as usize], a, b, c)
        };
        let (mut here, mut best) = (from, at(from));
        for _ in 0..WALK {
            let corners = surface.triangles[here as usize];
            let on = match best.feature() {
                Feature::Face => break,
                Feature::Edge(k) => corners[(usize::from(k) + 1) % 3],
                Feature::Vertex(k) => corners[usize::from(k)],
            };
            let near = &around[starts[on as usize] as usize..starts[on as usize + 1] as usize];
            let mut next = None;
            for t in near.iter().filter(|t| **t != here && !surface.triangles[**t as usize].contains(&vertex)) {
                let found = at(*t);
                if found.distance2 < best.distance2 {
                    (next, best) = (Some(*t), found);
                }
            }
            match next {
                Some(t) => here = t,
                None => break,
            }
        }
        above(world, x, vertex, here)
    }
}

/// Returns the closest point of a triangle to a vertex.
fn above(world: &World, x: &[Vec3], vertex: u32, triangle: u32) -> Over {
    let corners = world.surface.triangles[triangle as usize];
    let [a, b, c] = corners.map(|v| x[v as usize]);
    let p = x[vertex as usize];
    let closest = point_triangle(&p, &a, &b, &c);
    let weights = closest.weights;
    let away = p - (a * weights[0] + b * weights[1] + c * weights[2]);
    let distance = away.norm();
    let normal = if distance > 0.0 { away / distance } else { Vec3::zeros() };
    let [i, j, k] = corners;
    let [u, v, w] = weights;
    let thick = thickness(world, &[vertex, i, j, k], &[1.0, u, v, w]);
    Over { triangle, weights, normal, gap: distance - thick }
}

/// Returns the cosine between a vertex's normal and the direction to the surface. It is positive if the front of the
/// cloth faces the surface.
fn faces(world: &World, x: &[Vec3], vertex: u32, normal: &Vec3) -> f64 {
    -world.surface.normal(vertex as usize, |v| x[v]).dot(normal)
}

/// Checks whether the triangle belongs to a wet cloth, whose own vertices have bridges over the same area.
fn shared(world: &World, wet: &Wet, bridge: &Bridge) -> bool {
    let corner = world.surface.triangles[bridge.triangle as usize][0] as usize;
    wet.wets[usize::from(world.surface.object[corner])]
}

/// Returns the disc of a bridge. Its rim pulls at the border of the wetted area on that side of the cloth.
fn disc(world: &World, wet: &Wet, sides: &[[bool; 2]], bridge: &Bridge) -> Disc {
    let v = bridge.vertex as usize;
    let surrounded = |w: &u32| sides.get(*w as usize).is_some_and(|sides| sides[usize::from(bridge.side)]);
    let rim = wet.bridges.all_rims || world.surface.is_border(v) || !world.surface.around(v).iter().all(surrounded);
    Disc { cell: wet.radius[v], volume: bridge.volume, rim }
}

/// Returns the volume of water for a new bridge of a vertex [m^3]: the vertex's film, at most that of one side.
fn volume(wet: &Wet, memory: &WaterState, v: usize) -> f64 {
    match wet.cloth_of(v) {
        Some((cloth, k)) if wet.bridges.draws() => memory.water.film[v].min(0.5 * cloth.most_film(k)) / WATER,
        _ => 0.0,
    }
}

/// Divides the film of a vertex between bridges that form on both sides at once. Bridges of a vertex are consecutive.
fn share_film(memory: &WaterState, new: &mut [Bridge]) {
    let vertices: Vec<u32> = new.iter().map(|bridge| bridge.vertex).collect();
    for (k, bridge) in new.iter_mut().enumerate() {
        let beside = [k.wrapping_sub(1), k + 1].into_iter().filter_map(|other| vertices.get(other));
        if beside.into_iter().any(|other| *other == bridge.vertex) {
            bridge.volume = bridge.volume.min(0.5 * memory.water.film[bridge.vertex as usize] / WATER);
        }
    }
}

/// Applies the area law: all bridges between two objects are one disc of their mean height, whose pull they share.
fn spread(world: &World, wet: &Wet, acting: &mut [Acting]) {
    let pair = |a: &Acting| [a.vertices[0], a.vertices[1]].map(|v| world.surface.object[v as usize]);
    // Area over pi, sum of heights, number.
    let mut sums: BTreeMap<[u16; 2], (f64, f64, f64)> = BTreeMap::new();
    for one in acting.iter() {
        let sum = sums.entry(pair(one)).or_default();
        sum.0 += wet.radius[one.vertices[0] as usize].powi(2);
        sum.1 += one.height;
        sum.2 += 1.0;
    }
    for one in acting {
        let (square, heights, count) = sums[&pair(one)];
        let disc = Disc { cell: square.sqrt(), volume: 0.0, rim: true };
        one.pull = one.share * wet.bridges.pull(&disc, heights / count) / count;
    }
}

/// Returns the water of a broken bridge to the film. If both sides are wet cloth, half goes to the other side, up to
/// its capacity.
fn give_back(wet: &Wet, world: &World, state: &mut State, memory: &mut WaterState, bridge: &Bridge) {
    let v = bridge.vertex as usize;
    let mass = (bridge.volume * WATER).min(memory.water.bridged[v]);
    memory.water.bridged[v] -= mass;
    memory.water.film[v] += mass;
    if !shared(world, wet, bridge) {
        return;
    }
    let over = above(world, &state.x, bridge.vertex, bridge.triangle);
    for (w, weight) in world.surface.triangles[bridge.triangle as usize].iter().zip(over.weights) {
        let w = *w as usize;
        let Some((cloth, k)) = wet.cloth_of(w) else { continue };
        let room = (cloth.most_film(k) - memory.water.film[w] - memory.water.bridged[w]).max(0.0);
        transport::pass(world, (state, &mut memory.water), [v, w], (0.5 * mass * weight).min(room));
    }
}

impl Couples for Bridges {
    fn count(&self) -> usize {
        self.acting.len()
    }

    fn corners(&self, out: &mut [([u32; 4], [f64; 4])]) {
        par::fill(out, |k| (self.acting[k].vertices, self.acting[k].weights));
    }

    fn links(&self, out: &mut [Link]) {
        par::fill(out, |k| {
            let Acting { weights, normal, force, stiffness, .. } = self.acting[k];
            Link { weights, force: normal * force, stiffness: normal * normal.transpose() * stiffness }
        });
    }
}
