//! Air layers in a step.
//!
//! Pressure follows the gap without delay. A sealed gap of 20 mm has a stiffness of 5 MN/m^3. Pressure spreads at the
//! speed of sound, half a metre in a step of 2 ms. Pressure is therefore predicted for free flight. Its change by a
//! deviation of the gap from free flight is part of the linear system. With `S` the matrix of the layer (`equation`)
//! that change is `dp = -S^-1 P A dd`. `S^-1` is dense; `stiffness` has its approximation. Forces act in pairs along
//! the line between both points, the gradient of the volume. Linear and angular momentum are thus conserved. After the
//! step the pressures are solved again with all of `S` at the final gaps.

use super::equation::{Ahead, Work};
use super::inflation::Inflation;
use super::layer::AirLayer;
use super::stiffness::Stiffness;
use super::{AirLayers, AirState};
use crate::collision::traversal::Traversal;
use crate::force::links::{Couples, Link};
use crate::linalg::matrix::LowRank;
use crate::linalg::skyline::SkylineCholesky;
use crate::linalg::{Vec3, par};
use crate::world::World;
use crate::world::effect::{At, Forces, Made};
use crate::world::step::Step;

/// Column of air between a cloth vertex and the point below it.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Cloth vertex, then the corners of the triangle below.
    pub vertices: [u32; 4],
    /// Weight 1 of the cloth vertex, then the negative weights of the corners.
    pub weights: [f64; 4],
    /// Unit vector upwards.
    pub normal: Vec3,
    /// Force on the cloth at `z = 0` [N].
    push: f64,
    /// Decrease of the force as this gap alone opens [N/m].
    stiffness: f64,
    /// Force per pressure times the square root of the pressure [m^2 Pa^1/2].
    strength: f64,
    /// Index of its sum in the low-rank update.
    sum: u32,
}

impl Column {
    /// Returns the difference of positions or displacements between the vertex and the point below.
    fn between(&self, of: &[Vec3]) -> Vec3 {
        (0..4).map(|k| of[self.vertices[k] as usize] * self.weights[k]).sum()
    }
}

impl Couples for Vec<Column> {
    fn count(&self) -> usize {
        self.len()
    }

    fn corners(&self, out: &mut [([u32; 4], [f64; 4])]) {
        par::fill(out, |k| (self[k].vertices, self[k].weights));
    }

    fn links(&self, out: &mut [Link]) {
        par::fill(out, |k| {
            let Column { weights, normal, push, stiffness, .. } = self[k];
            Link { weights, force: normal * push, stiffness: normal * normal.transpose() * stiffness }
        });
    }
}

/// Storage of all layers and balloons.
#[derive(Default)]
pub struct Columns {
    layers: Vec<Storage>,
    /// Columns of all layers, one layer after the other.
    columns: Vec<Column>,
    balloons: Vec<Inflation>,
    /// Low-rank update.
    low_rank: LowRank,
    /// Index of the last entry of each vertex in the low-rank update.
    places: Vec<u32>,
    /// Positions of vertices at the last search for points below [m].
    seen: Vec<Vec3>,
}

struct Storage {
    below: Traversal,
    /// Predicted pressures [Pa].
    expected: Vec<f64>,
    work: Work,
    /// Height, and its increase in free flight, by vertex [m].
    predicted: Vec<[f64; 2]>,
    /// Strength as in [`Column`], and increase of the height in free flight, by vertex.
    strengths: Vec<[f64; 2]>,
    /// Height at the end of the step [m].
    gaps: Vec<f64>,
    outside: Vec<f64>,
    stiffness: Stiffness,
}

impl Columns {
    /// Creates the storage for a world.
    pub fn new(airs: &AirLayers, world: &World) -> Columns {
        let storage = |layer: &AirLayer| Storage {
            below: Traversal::new(&layer.below, &world.rest, layer.layer.size()),
            expected: Vec::new(),
            work: Work::default(),
            gaps: vec![0.0; layer.layer.size()],
            predicted: vec![[0.0; 2]; layer.layer.size()],
            strengths: vec![[0.0; 2]; layer.layer.size()],
            outside: Vec::new(),
            stiffness: Stiffness::default(),
        };
        let balloons = airs.balloons.iter().map(|_| Inflation::default()).collect();
        Columns { layers: airs.layers.iter().map(storage).collect(), balloons, ..Columns::default() }
    }

    /// Returns the columns of all layers.
    pub fn columns(&self) -> &Vec<Column> {
        &self.columns
    }

    /// Swaps the low-rank update, found in [`Columns::press`], with `low_rank`.
    pub fn exchange(&mut self, low_rank: &mut LowRank) {
        std::mem::swap(&mut self.low_rank, low_rank);
    }

    /// Finds the columns without their forces.
    pub fn look(&mut self, airs: &AirLayers, At { world, state }: At) {
        self.look_below(airs, world, &state.x);
        let blank = Column {
            vertices: [0; 4],
            weights: [0.0; 4],
            normal: Vec3::zeros(),
            push: 0.0,
            stiffness: 0.0,
            strength: 0.0,
            sum: 0,
        };
        self.columns.resize(airs.layers.iter().map(|l| l.layer.size()).sum(), blank);
        let mut rest = &mut self.columns[..];
        for (air, storage) in airs.layers.iter().zip(&self.layers) {
            let (columns, others) = rest.split_at_mut(air.layer.size());
            rest = others;
            let first = world.objects[air.objects[0]].vertices.start;
            let normals = normals(&air.normal_triangles, &state.x, first, columns.len());
            par::each_mut(columns, |v, column| {
                let closest = storage.below.closest(v);
                let [a, b, c] = air.below[closest.triangle as usize];
                let [p, q, r] = closest.weights;
                (column.vertices, column.weights) = ([(first + v) as u32, a, b, c], [1.0, -p, -q, -r]);
                // A vertex on the surface uses the triangle's normal.
                column.normal = if closest.distance.abs() > 1e-9 {
                    column.between(&state.x) / air.gap(closest.distance)
                } else {
                    let [a, b, c] = [a, b, c].map(|v| state.x[v as usize]);
                    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default()
                };
                if let Some(normal) = normals.get(v) {
                    column.normal = if normal.dot(&column.normal) < 0.0 { -normal } else { *normal };
                }
            });
        }
    }

    /// Predicts the pressures at the end of the step at the columns found, and linearises them.
    pub fn press(&mut self, airs: &AirLayers, At { world, state }: At, memory: &AirState, step: &Step) {
        let Columns { layers, columns, balloons, low_rank, places, .. } = self;
        low_rank.entries.clear();
        places.resize(world.rest.len(), 0);
        low_rank.inner.resize_with(airs.layers.len() + airs.balloons.len(), SkylineCholesky::default);
        low_rank.less.clear();
        let mut rest = &mut columns[..];
        let (regions, wholes) = low_rank.inner.split_at_mut(airs.layers.len());
        for (((air, storage), state_air), regions) in airs.layers.iter().zip(layers).zip(&memory.layers).zip(regions) {
            let (columns, others) = rest.split_at_mut(air.layer.size());
            rest = others;
            let begin = low_rank.less.len() as u32;
            let Storage { below, expected, work, predicted, strengths, outside, stiffness, .. } = storage;
            par::each_pair_mut(columns, predicted, |v, column, predicted| {
                let pressure = (air.gas.pressure + state_air.excess[v]).max(0.0);
                column.strength = if air.layer.open[v] { 0.0 } else { air.layer.areas[v] * pressure.sqrt() };
                column.sum = begin + air.layer.group(v);
                *predicted =
                    [air.gap(below.closest(v).distance), column.normal.dot(&column.between(&step.displacement))];
            });
            air.outside(state.time + step.h, outside);
            let (above, entries) = (&*columns, &mut low_rank.entries);
            let foresee = || {
                let ahead = Ahead { predicted, outside, h: step.h };
                state_air.foresee(&air.layer, &air.gas, ahead, expected, work);
                par::fill(strengths, |v| [above[v].strength, predicted[v][1]]);
                stiffness.find(&air.layer, work, |v| strengths[v], regions);
            };
            let couple = || air.layer.groups().for_each(|members| couple(above, members, step, entries, places));
            par::join(foresee, couple);
            par::each_mut(columns, |v, column| {
                let group = air.layer.group(v);
                column.stiffness = stiffness.alone(group) * column.strength;
                column.push =
                    air.layer.areas[v] * expected[v] - stiffness.drag(group, column.strength, predicted[v][1]);
            });
            low_rank.less.extend(&stiffness.less);
        }
        for (((balloon, inflation), inside), whole) in
            airs.balloons.iter().zip(balloons).zip(&memory.balloons).zip(wholes)
        {
            if whole.size() == 0 {
                *whole = SkylineCholesky::one();
            }
            inflation.press(balloon, inside, At { world, state }, step, (&mut low_rank.entries, &mut low_rank.less));
        }
        low_rank.sort();
    }

    /// Finds the points below for vertices at `x` [m], if any vertex moved.
    fn look_below(&mut self, airs: &AirLayers, world: &World, x: &[Vec3]) {
        if self.layers.is_empty() || self.seen == x {
            return;
        }
        for (air, storage) in airs.layers.iter().zip(&mut self.layers) {
            let first = world.objects[air.objects[0]].vertices.start;
            storage.below.update(x, |v| x[first + v]);
        }
        self.seen.clear();
        self.seen.extend_from_slice(x);
    }

    /// Adds the forces of balloons in free flight [N].
    pub fn inflate(&self, airs: &AirLayers, force: &mut [Vec3]) {
        for (balloon, inflation) in airs.balloons.iter().zip(&self.balloons) {
            inflation.add(balloon, force);
        }
    }

    /// Reports to `forces` the force on each column, and the decrease since free flight on each balloon vertex [N].
    /// `falls` is `(E^-1 - F) U^T z` of the low-rank update.
    pub fn each_force(&self, airs: &AirLayers, step: &Step, falls: &[f64], forces: &mut dyn Forces) {
        for column in &self.columns {
            let Column { vertices, weights, normal, push, stiffness, strength, sum } = column;
            let opens: f64 = (0..4).map(|k| normal.dot(&step.solved(vertices[k])) * weights[k]).sum();
            let fall = falls.get(*sum as usize).copied().unwrap_or(0.0);
            forces.between(vertices, weights, normal * (push - stiffness * opens - strength * fall));
        }
        let first = falls.len().saturating_sub(self.balloons.len());
        for ((balloon, inflation), fall) in airs.balloons.iter().zip(&self.balloons).zip(&falls[first..]) {
            inflation.each_fall(balloon, *fall, |v, force| forces.on(v, force));
        }
    }

    /// Updates the air at the end of the step, whose positions `state` has. Only balloons whose valve closes in this
    /// step have a result. Returns the cloth and the filled part of the least filled one.
    pub fn commit(
        &mut self,
        airs: &AirLayers,
        At { world, state }: At,
        memory: &mut AirState,
        Made { step, touching }: Made,
    ) -> Option<(usize, f64)> {
        self.look_below(airs, world, &state.x);
        for ((air, storage), at) in airs.layers.iter().zip(&mut self.layers).zip(&mut memory.layers) {
            if air.blockage.is_finite() {
                at.free.clear();
                at.free.resize(air.layer.size(), 0.0);
                touching.load(world, step, air.objects, &mut at.free);
                par::each_mut(&mut at.free, |v, free| *free = air.free(v, *free));
            }
            if !step.lets_through.is_empty() {
                let first = world.objects[air.objects[0]].vertices.start;
                if !air.blockage.is_finite() {
                    at.free.clear();
                    at.free.resize(air.layer.size(), 1.0);
                }
                par::each_mut(&mut at.free, |v, free| *free *= step.lets_through[first + v]);
            }
            let Storage { below, gaps, outside, work, .. } = storage;
            par::fill(gaps, |v| air.gap(below.closest(v).distance));
            air.outside(state.time, outside);
            at.advance(&air.layer, &air.gas, gaps, outside, step.h, work);
        }
        let balloons = airs.balloons.iter().zip(&self.balloons).zip(&mut memory.balloons);
        let filled = balloons.filter_map(|((balloon, inflation), inside)| {
            let reached = inflation.commit(balloon, inside, &state.x, state.time, step.h)?;
            Some((balloon.cloth, reached))
        });
        filled.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Returns the normals of `count` vertices from `first` on, from the triangles around them. Empty without triangles.
fn normals(triangles: &[[u32; 3]], x: &[Vec3], first: usize, count: usize) -> Vec<Vec3> {
    let mut normals = vec![Vec3::zeros(); if triangles.is_empty() { 0 } else { count }];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| x[v as usize]);
        let area = (b - a).cross(&(c - a));
        triangle.iter().for_each(|v| normals[*v as usize - first] += area);
    }
    normals.iter_mut().for_each(|normal| *normal = normal.try_normalize(0.0).unwrap_or_default());
    normals
}

/// Adds the low-rank entries of a group's columns, one for each vertex and sum. `places` has the last entry of each
/// vertex.
fn couple(columns: &[Column], members: &[u32], step: &Step, entries: &mut Vec<(u32, u32, Vec3)>, places: &mut [u32]) {
    let begin = entries.len();
    let free = |vertex: u32| step.fixed.get(vertex as usize) == Some(&false);
    let mut add = |entries: &mut Vec<(u32, u32, Vec3)>, vertex: u32, sum: u32, part: Vec3| {
        let place = &mut places[vertex as usize];
        match entries.get_mut(*place as usize) {
            Some(last) if last.0 == vertex && *place as usize >= begin => last.2 += part,
            _ => {
                *place = entries.len() as u32;
                entries.push((vertex, sum, part));
            }
        }
    };
    // Neighbouring columns are usually over the same triangle.
    let (mut corners, mut parts, mut sum) = ([0; 3], [Vec3::zeros(); 3], 0);
    let mut flush = |entries: &mut Vec<(u32, u32, Vec3)>, corners: [u32; 3], parts: [Vec3; 3], sum: u32| {
        for (vertex, part) in corners.into_iter().zip(parts) {
            if free(vertex) && part != Vec3::zeros() {
                add(entries, vertex, sum, part);
            }
        }
    };
    for column in members.iter().map(|v| &columns[*v as usize]).filter(|column| column.strength != 0.0) {
        let [vertex, below @ ..] = column.vertices;
        let along = column.normal * column.strength;
        if free(vertex) {
            entries.push((vertex, column.sum, along));
        }
        if below != corners {
            flush(entries, corners, std::mem::take(&mut parts), sum);
            corners = below;
        }
        sum = column.sum;
        parts.iter_mut().zip(&column.weights[1..]).for_each(|(part, weight)| *part += along * *weight);
    }
    flush(entries, corners, parts, sum);
}
