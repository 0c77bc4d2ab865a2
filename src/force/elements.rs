//! All elements of the moving vertices.

use super::assembly::pick;
use super::bending::{Bending, Hinge};
use super::glue::Bond;
use super::membrane::Triangle;
use super::plate::{NONE, Patch};
use super::sheet::Sheet;
use super::solid::{Body, Tetrahedron};
use crate::linalg::{Vec3, par};

/// All elements of the moving vertices.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// Laws by cloth.
    pub sheets: Vec<Sheet>,
    /// Membrane elements.
    pub triangles: Vec<Triangle>,
    /// Hinges: bending elements by themselves where the law is a table.
    pub hinges: Vec<Hinge>,
    /// Bending elements of the cloths whose rigidity is constant.
    pub patches: Vec<Patch>,
    /// Laws by body.
    pub bodies: Vec<Body>,
    /// Solid elements.
    pub tetrahedra: Vec<Tetrahedron>,
    /// Glue of cloths to bodies.
    pub bonds: Vec<Bond>,
}

impl Elements {
    /// Elastic energy of the solids, and of what glues cloths to them [J].
    pub fn solid_energy(&self, x: &[Vec3]) -> f64 {
        let solid = par::sum(self.tetrahedra.len(), |k| {
            let t = &self.tetrahedra[k];
            t.energy(&self.bodies[t.body as usize].solid, &pick(x, &t.vertices))
        });
        solid + par::sum(self.bonds.len(), |k| self.bonds[k].energy(&pick(x, &self.bonds[k].vertices)))
    }

    /// Gives `add` the elastic energy [J] of every element, each with one of its vertices.
    pub fn each_energy(&self, x: &[Vec3], mut add: impl FnMut(u32, f64)) {
        let membrane = par::map(self.triangles.len(), |k| {
            let t = &self.triangles[k];
            t.energy(&self.sheets[t.cloth as usize].membrane, &pick(x, &t.vertices))
        });
        self.triangles.iter().zip(membrane).for_each(|(t, energy)| add(t.vertices[0], energy));
        let away = par::map(self.hinges.len(), |k| self.hinges[k].away(&pick(x, &self.hinges[k].vertices)));
        for h in &self.hinges {
            if let law @ Bending::Table(_) = &self.sheets[h.cloth as usize].bending {
                add(h.vertices[0], h.energy(law, &pick(x, &h.vertices)));
            }
        }
        for patch in &self.patches {
            if let Bending::Constant(rigidity) = self.sheets[patch.cloth as usize].bending {
                let one = patch.hinges.into_iter().find(|h| *h != NONE).map(|h| self.hinges[h as usize].vertices[0]);
                add(one.unwrap_or_default(), patch.energy(rigidity, |h| away[h as usize]));
            }
        }
        let solid = par::map(self.tetrahedra.len(), |k| {
            let t = &self.tetrahedra[k];
            t.energy(&self.bodies[t.body as usize].solid, &pick(x, &t.vertices))
        });
        self.tetrahedra.iter().zip(solid).for_each(|(t, energy)| add(t.vertices[0], energy));
        for bond in &self.bonds {
            add(bond.vertices[0], bond.energy(&pick(x, &bond.vertices)));
        }
    }

    /// Membrane and bending energy [J].
    pub fn energy(&self, x: &[Vec3]) -> (f64, f64) {
        (self.membrane_energy(x), self.bending_energy(x))
    }

    /// Energy of stretching and shearing [J].
    pub fn membrane_energy(&self, x: &[Vec3]) -> f64 {
        par::sum(self.triangles.len(), |k| {
            let t = &self.triangles[k];
            t.energy(&self.sheets[t.cloth as usize].membrane, &pick(x, &t.vertices))
        })
    }

    /// Energy of bending [J].
    pub fn bending_energy(&self, x: &[Vec3]) -> f64 {
        let hinges = par::sum(self.hinges.len(), |k| {
            let h = &self.hinges[k];
            match &self.sheets[h.cloth as usize].bending {
                Bending::Constant(_) => 0.0,
                law => h.energy(law, &pick(x, &h.vertices)),
            }
        });
        let away = par::map(self.hinges.len(), |k| self.hinges[k].away(&pick(x, &self.hinges[k].vertices)));
        let patches = par::sum(self.patches.len(), |k| {
            let patch = &self.patches[k];
            match self.sheets[patch.cloth as usize].bending {
                Bending::Constant(rigidity) => patch.energy(rigidity, |h| away[h as usize]),
                Bending::Table(_) => 0.0,
            }
        });
        hinges + patches
    }
}
