//! Input of measured friction laws: warp and weft directions and pressure at each contact.
//!
//! Pressure does not follow from the force of one contact, because the mesh determines how many contacts share a load.
//! A vertex bears the weighted forces of all contacts on one of its sides. Its area is a third of that of its
//! triangles. The pressure of a contact is the mean over its vertices, and over both surfaces if both have moving
//! vertices. The mesh of a prescribed surface has no influence.

use super::element::Element;
use super::narrow_result::pair_factor;
use crate::force::contact::Rule;
use crate::force::friction::{Rub, Rubs};
use crate::linalg::{Vec3, par};
use crate::world::World;
use crate::world::friction::Pairing;
use crate::world::keyed::Scales;
use crate::world::step::Step;

/// Surface frame at a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    /// Normal, not normalised.
    normal: Vec3,
    /// Third of the area of the triangles around the vertex [m^2].
    area: f64,
    /// Sum of the warp and weft vectors of the triangles (one metre of material each), weighted by area.
    directions: [Vec3; 2],
}

/// Surface frames of measured friction. The storage is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct FrictionFrames {
    /// Triangles at each vertex of the objects with measured friction, grouped by vertex.
    triangles: Vec<u32>,
    /// Offsets of the vertices in `triangles` (CSR, one more than vertices); empty without measured friction.
    starts: Vec<u32>,
    touched: Vec<bool>,
    points: Vec<Point>,
    /// Force on the back and on the face of each vertex [N].
    loads: Vec<[f64; 2]>,
    pressures: Vec<f64>,
    rubs: Vec<Rub>,
}

impl FrictionFrames {
    /// Creates the storage for a world.
    pub(super) fn new(world: &World) -> FrictionFrames {
        if world.frictions.laws.is_empty() {
            return FrictionFrames::default();
        }
        let surface = &world.surface;
        let concerned = (0..surface.objects()).filter(|k| world.frictions.concern(*k));
        let mut corners: Vec<[u32; 2]> = concerned
            .flat_map(|k| surface.triangle_ranges[k].clone())
            .flat_map(|t| surface.triangles[t].map(|v| [v, t as u32]))
            .collect();
        corners.sort_unstable();
        FrictionFrames {
            triangles: corners.iter().map(|[_, t]| *t).collect(),
            starts: (0..=surface.vertices as u32).map(|v| corners.partition_point(|c| c[0] < v) as u32).collect(),
            points: vec![Point::default(); surface.vertices],
            ..FrictionFrames::default()
        }
    }

    /// Returns true if the world has measured friction.
    pub(super) fn acts(&self) -> bool {
        !self.starts.is_empty()
    }

    /// Returns laws and frames for the contacts.
    pub(super) fn rubs<'a>(&'a self, world: &'a World) -> Rubs<'a> {
        Rubs { laws: &world.frictions.laws, rubs: &self.rubs }
    }

    /// Computes the frames at positions `x`, for all contacts of a step.
    pub(super) fn begin(&mut self, world: &World, x: &[Vec3], contacts: &mut [Element], step: &Step) {
        self.touched.resize(x.len(), false);
        self.touched.copy_from_slice(&step.touched);
        let mut points = std::mem::take(&mut self.points);
        par::each_mut(&mut points, |v, point| {
            if self.touched[v] {
                *point = self.point(world, x, v);
            }
        });
        self.points = points;
        let mut rubs = std::mem::take(&mut self.rubs);
        rubs.resize(contacts.len(), Rub::default());
        par::fill(&mut rubs, |k| self.rub(world, &contacts[k], &step.scales));
        self.rubs = rubs;
        par::each_mut(contacts, |k, c| c.place(k));
    }

    /// Computes the frame of one more contact.
    pub(super) fn add(&mut self, world: &World, x: &[Vec3], contact: &mut Element, step: &Step) {
        for v in contact.vertices.map(|v| v as usize) {
            if !self.touched[v] {
                self.points[v] = self.point(world, x, v);
                self.touched[v] = true;
            }
        }
        let rub = self.rub(world, contact, &step.scales);
        contact.place(self.rubs.len());
        self.rubs.push(rub);
    }

    fn point(&self, world: &World, x: &[Vec3], vertex: usize) -> Point {
        let mut point = Point::default();
        for t in &self.triangles[self.starts[vertex] as usize..self.starts[vertex + 1] as usize] {
            let corners = world.surface.triangles[*t as usize].map(|v| x[v as usize]);
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            let area = normal.norm() / 6.0;
            point.normal += normal;
            point.area += area;
            let directions = world.frictions.directions(*t as usize, corners);
            point.directions = [0, 1].map(|k| point.directions[k] + directions[k] * area);
        }
        point
    }

    fn rub(&self, world: &World, c: &Element, scales: &Scales) -> Rub {
        let objects = [c.vertices[0], c.vertices[3]].map(|v| world.surface.object[v as usize]);
        let Some(Pairing::Measured { law, swapped }) = world.frictions.of(objects[0], objects[1]) else {
            return Rub::default();
        };
        let measured = &world.frictions.laws[law as usize];
        let rougher = pair_factor(scales, c.key, &c.vertices, &c.weights) - 1.0;
        let mut rub = Rub { law, rougher, ..Rub::default() };
        if measured.area.is_some() {
            rub.spread = self.mean(world, c, |point, _, weight| weight / point.area);
        }
        if measured.is_even() {
            return rub;
        }
        let n = &c.contact.normal;
        // Warp and weft of the law's surfaces, on the side pushed along the normal or against it.
        let sides = [swapped, !swapped].map(|against| {
            let mut sum = [Vec3::zeros(); 2];
            for (v, weight) in c.vertices.iter().zip(c.weights).filter(|(_, w)| (*w < 0.0) == against) {
                let directions = &self.points[*v as usize].directions;
                sum = [0, 1].map(|k| sum[k] + directions[k] * weight.abs());
            }
            (against, sum)
        });
        let first = if measured.grounds[0].is_some() { sides[0].1[0] } else { sides[1].1[0] };
        let axis = first - n * n.dot(&first);
        let axis = if axis.norm() > 1e-9 * first.norm() { axis } else { n.cross(&Vec3::ith(n.iamin(), 1.0)) };
        rub.axis = axis.normalize();
        let second = n.cross(&rub.axis);
        rub.warps = sides.map(|(against, [warp, weft])| {
            let [a, b] = [rub.axis.dot(&warp), second.dot(&warp)];
            let [c, d] = [rub.axis.dot(&weft), second.dot(&weft)];
            // Right-angled frame closest to warp and weft, by least squares.
            let hand = if a * d - b * c < 0.0 { -1.0 } else { 1.0 };
            let [along, across] = [a + hand * d, b - hand * c];
            let length = along.hypot(across);
            // Seen from the pushed side, the other side slides in the opposite direction.
            let sign = if against { 1.0 } else { -1.0 };
            if length > 0.0 { [sign * along / length, sign * across / length, hand] } else { [sign, 0.0, 1.0] }
        });
        rub
    }

    /// Computes the weighted mean of `value` over the moving vertices of a contact. Its arguments are the point, the
    /// vertex with its side (0: back, 1: face), and the weight.
    fn mean(&self, world: &World, c: &Element, value: impl Fn(&Point, (usize, usize), f64) -> f64) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (v, weight) in c.vertices.iter().map(|v| *v as usize).zip(c.weights) {
            let point = &self.points[v];
            if v < world.moving && weight != 0.0 && point.area > 0.0 {
                sum += weight.abs() * value(point, (v, face(point, c, weight)), weight.abs());
                weights += weight.abs();
            }
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }

    /// Computes the pressures from the normal forces of all contacts.
    pub(super) fn press(&mut self, world: &World, contacts: &[Element], normal: impl Fn(&Element) -> f64 + Sync) {
        if world.frictions.laws.iter().all(|law| law.area.is_none()) {
            return;
        }
        self.pressures.resize(contacts.len(), 0.0);
        par::fill(&mut self.pressures, |k| normal(&contacts[k]));
        self.loads.clear();
        self.loads.resize(world.moving, [0.0; 2]);
        // Serial loop: the order of summation is that of the contacts.
        for (c, force) in contacts.iter().zip(&self.pressures) {
            for (v, weight) in c.vertices.iter().map(|v| *v as usize).zip(c.weights) {
                if let Some(loads) = self.loads.get_mut(v) {
                    loads[face(&self.points[v], c, weight)] += weight.abs() * force;
                }
            }
        }
        let mut pressures = std::mem::take(&mut self.pressures);
        par::fill(&mut pressures, |k| {
            self.mean(world, &contacts[k], |point, (v, face), _| self.loads[v][face] / point.area)
        });
        self.pressures = pressures;
        for (c, pressure) in contacts.iter().zip(&self.pressures) {
            if let Rule::Measured(place) = c.contact.friction {
                self.rubs[place as usize].pressure = *pressure;
            }
        }
    }
}

/// Returns the side of a vertex on which a contact lies, by the vertex's weight in the contact: 0 the back, 1 the face.
fn face(point: &Point, c: &Element, weight: f64) -> usize {
    usize::from((c.contact.normal.dot(&point.normal) > 0.0) == (weight < 0.0))
}
