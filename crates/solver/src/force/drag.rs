//! Drag of the air.
//!
//! Drag of cloth is linear: `f = -A (c_n (n.w) n + c_t (w - (n.w) n))` for the velocity `w` relative to the air, the
//! vertex's area `A` and unit normal `n` (Chen, Feng & Wang 2013, section 3: linear drag on the cloth only; split by
//! direction). In an airflow, the force on each vertex comes from the flow (`resistance`). Drag of a body is
//! proportional to mass and velocity, whatever the wind. All drag is implicit.

use super::scheme::{Exchange, Scheme};
use super::term::{Law, Name, Own, Rows};
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Mat3, Vec3};
use std::ops::Range;

/// Drag coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag {
    /// Along the normal [N s/m^3].
    pub normal: f64,
    /// Along the surface [N s/m^3].
    pub tangent: f64,
}

impl Drag {
    /// Returns the damping matrix [N s/m] of a vertex. `area` is its area vector (length: area in m^2, direction:
    /// normal). The force is `-matrix w`. The matrix is positive semidefinite.
    pub fn matrix(&self, area: &Vec3) -> Mat3 {
        let size = area.norm();
        if size == 0.0 {
            return Mat3::zeros();
        }
        let along = area * area.transpose() / size;
        Mat3::from_diagonal_element(size * self.tangent) + along * (self.normal - self.tangent)
    }
}

/// A cloth with drag.
#[derive(Clone, Debug, PartialEq)]
pub struct AeroSurface {
    /// Vertices of the cloth.
    pub vertices: Range<usize>,
    /// Triangles of the cloth.
    pub faces: Vec<[u32; 3]>,
    /// Drag coefficients.
    pub drag: Drag,
}

/// A body with drag.
#[derive(Clone, Debug, PartialEq)]
pub struct DraggedBody {
    /// Vertices of the body.
    pub vertices: Range<usize>,
    /// Force per mass and velocity [1/s].
    pub rate: f64,
}

/// Cloths and bodies with drag.
#[derive(Clone, Copy, Debug)]
pub struct Drags<'a> {
    /// Cloths.
    pub aero_surfaces: &'a [AeroSurface],
    /// Bodies.
    pub dragged_bodies: &'a [DraggedBody],
}

/// Drag in a subdomain, which is part of one object.
pub struct Dragged {
    drag: Option<Drag>,
    /// Vertices of each triangle, own ones first and ascending, and 1/6, negative if that order flips the triangle.
    faces: Vec<([u32; 3], f64)>,
    /// A third of the area vectors of each own vertex's triangles [m^2].
    areas: Vec<Vec3>,
    rate: Option<f64>,
}

impl Law for Drags<'_> {
    type Rows<T: Real> = Dragged;

    fn name(&self) -> Name {
        Name::first("drag")
    }

    fn holds(&self, hold: &mut dyn FnMut(u32)) {
        let all = self
            .aero_surfaces
            .iter()
            .map(|surface| &surface.vertices)
            .chain(self.dragged_bodies.iter().map(|body| &body.vertices));
        all.for_each(|vertices| vertices.clone().for_each(|v| hold(v as u32)));
    }

    fn rows<T: Real>(&self, domain: &Domain<T>) -> Dragged {
        let own = Own::of(domain);
        let within = |vertices: &Range<usize>| vertices.contains(&domain.first);
        let surface = self.aero_surfaces.iter().find(|surface| within(&surface.vertices));
        let face = |face: &[u32; 3]| {
            let order = own.order(face);
            let even = (order[1] + 3 - order[0]) % 3 == 1;
            (order.map(|k| face[k]), if even { 1.0 / 6.0 } else { -1.0 / 6.0 })
        };
        let faces = surface.map_or(Vec::new(), |surface| {
            let near = own.near(surface.faces.len(), |k| surface.faces[k]);
            near.into_iter().map(|k| face(&surface.faces[k as usize])).collect()
        });
        Dragged {
            drag: surface.map(|surface| surface.drag),
            faces,
            areas: vec![Vec3::zeros(); if surface.is_some() { domain.count } else { 0 }],
            rate: self.dragged_bodies.iter().find(|body| within(&body.vertices)).map(|body| body.rate),
        }
    }
}

impl<T: Real> Rows<T> for Dragged {
    fn add(&mut self, scheme: &Scheme, _memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]) {
        let Dragged { drag, faces, areas, rate } = self;
        if let Some(drag) = drag {
            if let Some(exchanges) = scheme.exchange.get(domain.first..domain.first + domain.count) {
                for (i, (Exchange { force: push, matrix }, force)) in exchanges.iter().zip(&mut *force).enumerate() {
                    *force += push - matrix * scheme.velocity[domain.first + i];
                    domain.add(i as u32, &(matrix / scheme.effective_dt[domain.first + i]));
                }
                return;
            }
            areas.fill(Vec3::zeros());
            for (vertices, sixth) in faces {
                let [a, b, c] = vertices.map(|v| scheme.x[v as usize]);
                let area = (b - a).cross(&(c - a)) * *sixth;
                for v in vertices {
                    if let Some(sum) = areas.get_mut((*v as usize).wrapping_sub(domain.first)) {
                        *sum += area;
                    }
                }
            }
            for (i, (area, force)) in areas.iter().zip(&mut *force).enumerate() {
                let v = domain.first + i;
                let matrix = drag.matrix(area) * scheme.drag.get(v).copied().unwrap_or(1.0);
                *force += -(matrix * (scheme.velocity[v] - scheme.wind));
                domain.add(i as u32, &(matrix / scheme.effective_dt[v]));
            }
        }
        if let Some(rate) = rate {
            for (i, force) in force.iter_mut().enumerate() {
                let v = domain.first + i;
                let drag = scheme.mass[v] * *rate;
                *force -= scheme.velocity[v] * drag;
                domain.add(i as u32, &Mat3::from_diagonal_element(drag / scheme.effective_dt[v]));
            }
        }
    }
}
