//! All laws of the moving vertices, with their elements.

use super::bending::Hinge;
use super::cloth_law::ClothLaw;
use super::drag::{AeroSurface, DraggedBody, Drags};
use super::glue::{Bond, Glue};
use super::inertia::Inertia;
use super::membrane::Triangle;
use super::membrane::rows::Membranes;
use super::membrane::yielding as stretch;
use super::plate::yielding::{Yielding, Yieldings};
use super::plate::{Crease, Patch, Plates};
use super::scheme::Shape;
use super::solid::{Body, Solids, Tetrahedron};
use super::spring::{Role, Spring, Springs};
use super::term::{Law, Memory, Name, Section, Term};
use crate::linalg::{Vec3, par};
use std::sync::Arc;

/// All laws of the moving vertices, with their elements.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// Laws by cloth.
    pub cloth_laws: Vec<ClothLaw>,
    /// Membrane elements.
    pub triangles: Vec<Triangle>,
    /// Hinges. Each stores bending energy by itself if the law is a table.
    pub hinges: Vec<Hinge>,
    /// Plate elements: bending of the cloths whose rigidity is not a table.
    pub patches: Vec<Patch>,
    /// Stresses that depend on the curvature of triangles.
    pub creases: Vec<Crease>,
    /// Triangles whose bending yields.
    pub yieldings: Vec<Yielding>,
    /// Triangles whose stretch yields.
    pub stretchings: Vec<stretch::Yielding>,
    /// Index of each triangle among these, or [`super::membrane::NONE`]. Empty: none yields.
    pub yields: Vec<u32>,
    /// Springs of cloths that are mass-spring systems.
    pub springs: Vec<Spring>,
    /// Laws by body.
    pub bodies: Vec<Body>,
    /// Solid elements.
    pub tetrahedra: Vec<Tetrahedron>,
    /// Glue of cloths to bodies.
    pub bonds: Vec<Bond>,
    /// Cloths with drag.
    pub aero_surfaces: Vec<AeroSurface>,
    /// Bodies with drag.
    pub dragged_bodies: Vec<DraggedBody>,
    /// All other laws, each once.
    pub others: Vec<Arc<dyn Term>>,
}

impl Elements {
    /// Gives `f` all terms in the order in which they enter the system. Bending comes first because it overwrites
    /// blocks.
    pub fn each_term(&self, mut f: impl FnMut(&dyn Term)) {
        self.with_terms(|terms| terms.iter().for_each(|term| f(*term)));
    }

    /// Returns the results of `f` for all terms, in the same order. Each may run on a thread of its own.
    pub fn map_terms<R: Send>(&self, f: impl Fn(&dyn Term) -> R + Sync) -> Vec<R> {
        self.with_terms(|terms| par::map_heavy(terms.len(), |k| f(terms[k])))
    }

    fn with_terms<R>(&self, f: impl FnOnce(&[&dyn Term]) -> R) -> R {
        let (plates, membranes, springs) = (self.plates(), self.membranes(), Springs(&self.springs));
        let (solids, glue, drags) = (
            self.solids(),
            self.glue(),
            Drags { aero_surfaces: &self.aero_surfaces, dragged_bodies: &self.dragged_bodies },
        );
        let mut terms: Vec<&dyn Term> = vec![&plates, &membranes, &springs, &solids, &glue, &Inertia, &drags];
        let yieldings = self.yieldings();
        if !self.yieldings.is_empty() {
            terms.push(&yieldings);
        }
        let stretchings = self.stretchings();
        if !self.stretchings.is_empty() {
            terms.push(&stretchings);
        }
        terms.extend(self.others.iter().map(|term| &**term as &dyn Term));
        f(&terms)
    }

    /// Returns the membranes of all cloths.
    pub fn membranes(&self) -> Membranes<'_> {
        Membranes { cloth_laws: &self.cloth_laws, triangles: &self.triangles, yields: &self.yields }
    }

    /// Returns the bending of all cloths.
    pub fn plates(&self) -> Plates<'_> {
        Plates { cloth_laws: &self.cloth_laws, hinges: &self.hinges, patches: &self.patches, creases: &self.creases }
    }

    /// Returns the yielding of the stretch of all cloths.
    pub fn stretchings(&self) -> stretch::Yieldings<'_> {
        stretch::Yieldings { cloth_laws: &self.cloth_laws, list: &self.stretchings }
    }

    /// Returns the yielding of the bending of all cloths.
    pub fn yieldings(&self) -> Yieldings<'_> {
        Yieldings { hinges: &self.hinges, list: &self.yieldings }
    }

    /// Returns the elasticity of all bodies.
    pub fn solids(&self) -> Solids<'_> {
        Solids { bodies: &self.bodies, tetrahedra: &self.tetrahedra }
    }

    /// Returns all bonds.
    pub fn glue(&self) -> Glue<'_> {
        Glue(&self.bonds)
    }

    /// Returns the elastic energy of the solids and of the glue between cloths and bodies [J].
    pub fn solid_energy(&self, x: &[Vec3]) -> f64 {
        self.solids().energy(x) + self.glue().energy(x)
    }

    /// Returns the energy of stretch and shear of all cloths, and that of bending [J].
    pub fn energy<'a>(&self, shape: impl Into<Shape<'a>>) -> (f64, f64) {
        let shape = shape.into();
        let springs = Springs(&self.springs);
        let [along, across] =
            [false, true].map(|bends| springs.energy(&shape, |role| (role == Role::Flexion) == bends));
        (self.membranes().energy(&shape) + along, self.plates().energy(&shape) + across)
    }

    /// Returns the work done so far against the internal friction of cloths [J].
    pub fn friction_work(&self, memory: &Memory) -> f64 {
        let (membranes, plates) = (self.membranes(), self.plates());
        membranes.work(memory.of(Law::name(&membranes))) + plates.work(memory.of(Law::name(&plates)))
    }

    /// Gives `add` the energy [J] of every element, each with one of its vertices.
    pub fn each_energy<'a>(&self, shape: impl Into<Shape<'a>>, memory: &Memory, mut add: impl FnMut(u32, f64)) {
        let shape = shape.into();
        self.each_term(|term| term.each_energy(&shape, memory.of(term.name()), &mut add));
    }

    /// Returns the initial memory of all laws.
    pub fn memory(&self, x: &[Vec3]) -> Memory {
        let mut memory = Memory::default();
        self.each_term(|term| {
            let (Name { word, version }, values) = (term.name(), term.memory(x));
            if !values.is_empty() {
                memory.0.push(Section { word: word.to_string(), version, values });
            }
        });
        memory
    }

    /// Updates the memory of all laws to the end of a step with positions `x` [m].
    pub fn commit(&self, x: &[Vec3], memory: &mut Memory) {
        if memory.0.is_empty() {
            return;
        }
        self.each_term(|term| {
            let own = memory.0.iter_mut().find(|section| section.word == term.name().word);
            own.into_iter().for_each(|section| term.commit(x, &mut section.values));
        });
    }
}
