//! Carries a state into a world in which more vertices of cloths are joined.
//!
//! A joined vertex has the mean position and velocity of its parts, weighted by mass: momentum is kept. Memories follow
//! their vertices, triangles and edges.

use super::yields::{Dent, Slack};
use super::{Pin, State, World};
use crate::collision::certificate::Pair;
use crate::collision::key;
use crate::force::contact::Bristle;
use crate::force::term::{Memory, Section};
use crate::linalg::Vec3;
use std::collections::HashMap;
use std::iter::Sum;

/// Correspondence of two worlds with the same objects.
#[derive(Debug)]
pub struct Carried<'a> {
    /// World before.
    pub from: &'a World,
    /// World in which more vertices are joined.
    pub to: &'a World,
    /// New vertex of each old one.
    pub vertex: Vec<u32>,
    /// Old vertices of each new one, ascending.
    pub parts: Vec<Vec<u32>>,
}

impl<'a> Carried<'a> {
    /// Relates two worlds whose objects have the same files.
    pub fn new(from: &'a World, to: &'a World) -> Carried<'a> {
        let mut vertex = vec![0; from.rest.len()];
        for (old, new) in from.objects.iter().zip(&to.objects) {
            old.place.iter().zip(&new.place).for_each(|(old, new)| vertex[*old as usize] = *new);
        }
        let mut parts = vec![Vec::new(); to.rest.len()];
        (0..).zip(&vertex).for_each(|(old, new): (u32, &u32)| parts[*new as usize].push(old));
        Carried { from, to, vertex, parts }
    }

    /// Returns the sum of the parts of each new vertex.
    pub fn sums<T: Copy + Sum>(&self, values: &[T]) -> Vec<T> {
        let count = if values.len() == self.from.moving { self.to.moving } else { self.to.rest.len() };
        self.parts[..count].iter().map(|parts| parts.iter().map(|v| values[*v as usize]).sum()).collect()
    }

    /// Returns the mean of the parts of each new vertex, weighted by mass.
    pub fn means(&self, values: &[Vec3]) -> Vec<Vec3> {
        let count = if values.len() == self.from.moving { self.to.moving } else { self.to.rest.len() };
        let mean = |parts: &Vec<u32>| match parts[..] {
            [one] => values[one as usize],
            _ => {
                let mass = |v: &u32| self.from.mass[*v as usize];
                let total: f64 = parts.iter().map(mass).sum();
                parts.iter().map(|v| values[*v as usize] * (mass(v) / total)).sum()
            }
        };
        self.parts[..count].iter().map(mean).collect()
    }

    /// Returns features of a pair in the new world, and whether both sides change places. `None` if the pair has become
    /// one of neighbours.
    fn features(&self, pair: Pair, [a, b]: [u32; 2], edges: &HashMap<[u32; 2], u32>) -> Option<([u32; 2], bool)> {
        match pair {
            Pair::VertexFace => {
                let v = self.vertex[a as usize];
                (!self.to.surface.triangles[b as usize].contains(&v)).then_some(([v, b], false))
            }
            Pair::EdgeEdge => {
                let ends = [a, b].map(|e| {
                    let mut ends = self.from.surface.edges[e as usize].map(|v| self.vertex[v as usize]);
                    ends.sort_unstable();
                    ends
                });
                let [first, second] = [*edges.get(&ends[0])?, *edges.get(&ends[1])?];
                let apart = ends[0].iter().all(|v| !ends[1].contains(v));
                apart.then_some(([first.min(second), first.max(second)], first > second))
            }
        }
    }

    /// Returns the friction of contacts.
    fn bristles(&self, old: &[(u64, Bristle)], edges: &HashMap<[u32; 2], u32>) -> Vec<(u64, Bristle)> {
        let mut all: Vec<(u64, Bristle)> = old
            .iter()
            .filter_map(|(key, bristle)| {
                let (pair, features) = key::features(*key);
                let (features, swapped) = self.features(pair, features, edges)?;
                let deflection = if swapped { -bristle.deflection } else { bristle.deflection };
                Some((key::key(pair, features), Bristle { deflection, ..*bristle }))
            })
            .collect();
        all.sort_by_key(|(key, _)| *key);
        all.dedup_by_key(|(key, _)| *key);
        all
    }

    /// Returns the index in a new pin of each vertex of the old one.
    fn places(&self, old: &Pin, new: &Pin) -> Vec<usize> {
        let place = |v: &u32| new.vertices.iter().position(|w| *w == self.vertex[*v as usize]).unwrap_or_default();
        old.vertices.iter().map(place).collect()
    }

    /// Returns the memory of the laws. Memory whose elements have changed begins anew.
    fn memory(&self, old: &Memory, x: &[Vec3]) -> Memory {
        let mut memory = self.to.elements.memory(x);
        for Section { word, version, values } in &mut memory.0 {
            let own = old.0.iter().find(|own| own.word == *word && own.version == *version);
            if let Some(own) = own.filter(|own| own.values.len() == values.len()) {
                values.clone_from(&own.values);
            }
        }
        memory
    }

    /// Returns the anchors of the new world's pins, given those at its start. `places` has the places of each old pin's
    /// vertices.
    fn anchors(
        &self,
        old: &State,
        mut anchors: Vec<Option<Vec<Vec3>>>,
        places: &[Vec<usize>],
    ) -> Vec<Option<Vec<Vec3>>> {
        for (((anchors, old), places), pin) in anchors.iter_mut().zip(&old.anchors).zip(places).zip(pins(self.to)) {
            *anchors = old.as_ref().map(|old| {
                let mut own = vec![Vec3::zeros(); pin.vertices.len()];
                // The first part of a joined vertex has the last word.
                old.iter().zip(places).rev().for_each(|(at, place)| own[*place] = *at);
                own
            });
        }
        anchors
    }

    /// Returns pairs that contact ignores.
    fn ignored(&self, old: &[(Pair, [u32; 2])], edges: &HashMap<[u32; 2], u32>) -> Vec<(Pair, [u32; 2])> {
        let mut ignored: Vec<(Pair, [u32; 2])> = old
            .iter()
            .filter_map(|(pair, features)| Some((*pair, self.features(*pair, *features, edges)?.0)))
            .collect();
        ignored.sort_unstable();
        ignored.dedup();
        ignored
    }

    /// Returns the energy that each component has yet to give back.
    fn energy_drift(&self, old: &[f64]) -> Vec<f64> {
        let Carried { from, to, .. } = self;
        let mut energy_drift = Vec::new();
        if !old.is_empty() {
            energy_drift.resize(to.component_mass.len(), 0.0);
            let mut seen = vec![false; old.len()];
            for (v, component) in from.component.iter().enumerate() {
                if !std::mem::replace(&mut seen[*component as usize], true) {
                    energy_drift[to.component[self.vertex[v] as usize] as usize] += old[*component as usize];
                }
            }
        }
        energy_drift
    }

    /// Returns the state in the new world. `start` is the state at its start.
    pub fn state(&self, old: &State, start: State) -> State {
        let Carried { from, to, .. } = self;
        let edges: HashMap<[u32; 2], u32> = to.surface.edges.iter().copied().zip(0..).collect();
        let x = self.means(&old.x);
        let places: Vec<Vec<usize>> = pins(from).zip(pins(to)).map(|(old, new)| self.places(old, new)).collect();
        let mut slack: Vec<Slack> = old.slack.clone();
        for own in &mut slack {
            own.place = places[own.pin as usize][own.place as usize] as u32;
        }
        slack.sort_by_key(|own| (own.pin, own.place));
        slack.dedup_by_key(|own| (own.pin, own.place));
        let least = |parts: &Vec<u32>| parts.iter().map(|v| old.offset_scale[*v as usize]).fold(1.0, f64::min);
        let offset_scale =
            if old.offset_scale.is_empty() { Vec::new() } else { self.parts.iter().map(least).collect() };
        let entries = |parts: &Vec<u32>| parts.iter().fold(0, |all, v| all | old.passing[*v as usize]);
        let passing = if old.passing.is_empty() { Vec::new() } else { self.parts.iter().map(entries).collect() };
        let mut effects = old.effects.clone();
        effects.carry(self);
        let mut driven = old.driven.clone();
        for (pin, glide) in &mut driven.pins {
            let (Some(places), Some(new)) = (places.get(*pin), to.pins.get(*pin)) else { continue };
            for own in [&mut glide.start, &mut glide.end] {
                *own = in_places(own, places, new);
            }
        }
        for (handle, glide) in &mut driven.handles {
            let (Some(places), Some(new)) = (places.get(from.pins.len() + *handle), to.handles.get(*handle)) else {
                continue;
            };
            for own in [&mut glide.start, &mut glide.end] {
                *own = in_places(own, places, &new.pin);
            }
        }
        State {
            driven,
            memory: self.memory(&old.memory, &x),
            v: self.means(&old.v),
            x_before: self.means(&old.x_before),
            v_before: self.means(&old.v_before),
            guess: self.means(&old.guess),
            bristles: self.bristles(&old.bristles, &edges),
            dents: old
                .dents
                .iter()
                .map(|dent| Dent { vertex: self.vertex[dent.vertex as usize], ..dent.clone() })
                .collect(),
            x,
            anchors: self.anchors(old, start.anchors, &places),
            slack,
            ignored: self.ignored(&old.ignored, &edges),
            energy_drift: self.energy_drift(&old.energy_drift),
            offset_scale,
            passing,
            effects,
            work: old.work.clone(),
            ..*old
        }
    }
}

/// Returns values of an old pin's vertices for those of the new one. `places` has the place in it of each old vertex.
fn in_places(old: &[Vec3], places: &[usize], new: &Pin) -> Vec<Vec3> {
    let mut own = vec![Vec3::zeros(); new.vertices.len()];
    old.iter().zip(places).rev().for_each(|(at, place)| own[*place] = *at);
    own
}

/// Iterates over the pins of a world, then those of its handles.
fn pins(world: &World) -> impl Iterator<Item = &Pin> {
    world.pins.iter().chain(world.handles.iter().map(|handle| &handle.pin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec2;
    use crate::mesh::TriMesh;
    use crate::mesh::seam::Seam;
    use crate::world::build::{ClothInput, Input, build};
    use crate::world::glide::Glide;
    use crate::world::{Handle, Pull};

    /// Two squares side by side, 0.2 mm apart, whose facing borders are joined in the second world.
    fn worlds() -> (World, World, State, State) {
        let square = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
        let corners = square(0.0).into_iter().chain(square(1.0002));
        let uv: Vec<Vec2> = corners.map(Vec2::from).collect();
        let positions = uv.iter().map(|p| Vec3::new(p.x, p.y, 0.0)).collect();
        let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
        // A pattern has a chart, by which its mass does not depend on where the panels are.
        let mesh = TriMesh { positions, uv, uv_triangles: triangles.clone(), triangles, ..TriMesh::default() };
        let seams = vec![Seam { pairs: vec![[1, 4], [2, 7]], ..Seam::default() }];
        let of = |joined: Vec<u32>| {
            let mesh = TriMesh { joined, ..mesh.clone() };
            let mut input = Input::empty(Vec3::zeros());
            let pins = vec![Pin::fixed(vec![0, 1, 4])];
            let handles = vec![Handle::new(Pin::fixed(vec![4, 1, 2]), Pull::Force(Vec3::zeros()))];
            input.cloths.push(ClothInput {
                seams: seams.clone(),
                pins,
                handles,
                ..ClothInput::plain(mesh, 100.0, 0.1)
            });
            build(input)
        };
        let (from, mut state) = of(Vec::new());
        let (to, start) = of(vec![0, 1, 2, 3, 1, 5, 6, 2]);
        for (v, own) in state.v.iter_mut().enumerate() {
            *own = Vec3::new(v as f64, 1.0 - v as f64, 0.3 * v as f64);
        }
        (from, to, state, start)
    }

    /// Mass and both momenta of the parts are those of the whole. Vertices that are not joined keep their bits.
    #[test]
    fn momentum_is_kept() {
        let (from, to, state, start) = worlds();
        let carried = Carried::new(&from, &to);
        let after = carried.state(&state, start);
        assert_eq!((from.moving, to.moving), (8, 6));
        let sum = |world: &World, x: &[Vec3]| -> Vec3 { (0..world.moving).map(|v| x[v] * world.mass[v]).sum() };
        assert!((from.mass.iter().sum::<f64>() - to.mass.iter().sum::<f64>()).abs() < 1e-15);
        assert!((sum(&from, &state.v) - sum(&to, &after.v)).norm() < 1e-14);
        assert!((sum(&from, &state.x) - sum(&to, &after.x)).norm() < 1e-14);
        let file = |world: &World, f: usize| world.objects[0].place[f] as usize;
        for f in [0, 3, 5, 6] {
            assert_eq!(state.v[file(&from, f)], after.v[file(&to, f)]);
            assert!(!to.joined[file(&to, f)]);
        }
        assert!(file(&to, 1) == file(&to, 4) && to.joined[file(&to, 1)]);
    }

    /// Ways of pins and handles stay with their vertices, also where two of these are joined.
    #[test]
    fn ways_of_pins_stay_with_their_vertices() {
        let (from, to, mut state, start) = worlds();
        let above = |v: &u32| state.x[*v as usize] + Vec3::z();
        let end: Vec<Vec3> = from.pins[0].vertices.iter().map(above).collect();
        state.driven.pins = vec![(0, Glide { from: 0.0, until: 1.0, start: end.clone(), end })];
        let end: Vec<Vec3> = from.handles[0].pin.vertices.iter().map(|v| state.x[*v as usize] + Vec3::z()).collect();
        state.driven.handles = vec![(0, Glide { from: 0.0, until: 1.0, start: end.clone(), end })];
        let after = Carried::new(&from, &to).state(&state, start);
        assert!(after.driven.fits(&to));
        for (pin, (_, glide)) in [(&to.pins[0], &after.driven.pins[0]), (&to.handles[0].pin, &after.driven.handles[0])]
        {
            assert_eq!(pin.vertices.len(), 2, "{:?}", pin.vertices);
            for (v, end) in pin.vertices.iter().zip(&glide.end) {
                // The joined vertex is between its parts, which are 0.2 mm apart.
                assert!((end - after.x[*v as usize] - Vec3::z()).norm() < 2e-4);
            }
            assert_eq!(glide.start, glide.end);
        }
    }

    /// Friction of contacts stays at the same features, and that of an edge pair keeps its direction.
    #[test]
    fn friction_stays_at_its_features() {
        let (from, to, mut state, start) = worlds();
        let edge = |world: &World, ends: [usize; 2]| {
            let mut ends = ends.map(|f| world.objects[0].place[f]);
            ends.sort_unstable();
            world.surface.edges.iter().position(|edge| *edge == ends).unwrap() as u32
        };
        let pair = |world: &World| [edge(world, [0, 3]), edge(world, [5, 6])];
        let sorted = |[a, b]: [u32; 2]| ([a.min(b), a.max(b)], if a > b { -1.0 } else { 1.0 });
        let vertex = |world: &World| world.objects[0].place[5];
        let (features, sign) = sorted(pair(&from));
        let bristle = |x: f64| Bristle { deflection: Vec3::x() * x, ..Bristle::default() };
        state.bristles = vec![
            (key::key(Pair::VertexFace, [vertex(&from), 0]), bristle(1.0)),
            (key::key(Pair::EdgeEdge, features), bristle(2.0 * sign)),
        ];
        state.bristles.sort_by_key(|(key, _)| *key);
        let after = Carried::new(&from, &to).state(&state, start);
        let (features, sign) = sorted(pair(&to));
        let face = key::key(Pair::VertexFace, [vertex(&to), 0]);
        assert_eq!(after.bristles, [(face, bristle(1.0)), (key::key(Pair::EdgeEdge, features), bristle(2.0 * sign))]);
    }
}
