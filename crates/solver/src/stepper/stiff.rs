//! Bodies with vibrations faster than the step.
//!
//! Vertices in contact use backward Euler, the others of a body BDF2. From rest, their free flights differ by
//! `5/9 h^2 g`. In rubber that is a small strain. In steel its stress is thousands of times that of gravity. A body
//! whose solution is accurate relative to that stress stands still on a slope. A wave crosses such a body within a
//! step, so neither integrator resolves its vibrations. All of its vertices therefore use the same one.

use crate::force::solid::Solid;
use crate::linalg::Vec3;
use crate::world::{Kind, World};
use std::ops::Range;

/// Body and the time in which a shear wave crosses it [s].
#[derive(Clone, Debug, PartialEq)]
struct Crossed {
    vertices: Range<usize>,
    time: f64,
}

/// All bodies of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Stiff(Vec<Crossed>);

impl Stiff {
    /// Creates the list from the shapes at rest.
    pub(super) fn new(world: &World) -> Stiff {
        let bodies = world.objects.iter().filter(|object| object.kind == Kind::Body).zip(&world.elements.bodies);
        let crossed = bodies.map(|(object, body)| {
            let vertices = object.vertices.clone();
            let rest = &world.rest[vertices.clone()];
            let [least, most] = [Vec3::inf, Vec3::sup].map(|of| rest.iter().fold(rest[0], |all, x| of(&all, x)));
            let mass: f64 = world.mass[vertices.clone()].iter().sum();
            let volume = world.elements.tetrahedra.iter().filter(|t| vertices.contains(&(t.vertices[0] as usize)));
            let volume: f64 = volume.map(|t| t.volume).sum();
            let (Solid::Corotational(lame) | Solid::NeoHookean(lame)) = body.solid;
            Crossed { vertices, time: (most - least).norm() * (mass / (volume * lame.mu)).sqrt() }
        });
        Stiff(crossed.collect())
    }

    /// Marks all vertices of a body as in contact if any is. Applies to bodies that a wave crosses in a step of `h`
    /// [s].
    pub(super) fn spread(&self, h: f64, touched: &mut [bool]) {
        for Crossed { vertices, .. } in self.0.iter().filter(|crossed| crossed.time < h) {
            let own = &mut touched[vertices.clone()];
            if own.contains(&true) {
                own.fill(true);
            }
        }
    }
}
