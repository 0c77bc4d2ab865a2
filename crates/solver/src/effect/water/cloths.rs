//! Wet cloths, their sources of water, and the area of each vertex.

use super::bridge::Settings;
use super::capillary::{Cloth, Fabric, Water};
use crate::linalg::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::lattice::Lattice;
use crate::mesh::topology::Topology;
use crate::world::{Object, World};
use std::f64::consts::PI;

/// Constants of water in a run.
#[derive(Clone, Debug)]
pub struct Wet {
    /// Cloths that take up water.
    pub cloths: Vec<Cloth>,
    /// Sources of water.
    pub sources: Vec<Source>,
    /// Settings of bridges to surfaces in contact.
    pub bridges: Settings,
    /// Radius of each moving vertex's part of the cloth [m]. Zero for vertices that are not wet.
    pub radius: Vec<f64>,
    /// True for wet cloths, by object.
    pub wets: Vec<bool>,
    /// Water at the start.
    pub start: Water,
}

/// Source: place and time of supply of water to a cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Index of the wet cloth.
    pub cloth: usize,
    /// Place of the supply.
    pub place: Place,
    /// Start time [s].
    pub from: f64,
    /// End time [s].
    pub until: f64,
    /// Velocity of the water [m/s]. Without one, the water has that of the cloth.
    pub velocity: Option<Vec3>,
}

/// Place of a supply of water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// The whole cloth.
    Everywhere,
    /// Box between its lowest and highest corner [m].
    Inside(Vec3, Vec3),
    /// Contact with an object.
    On(usize),
}

/// Wet cloth in the scene description.
#[derive(Clone, Debug)]
pub struct WetInput {
    /// Name of the cloth.
    pub cloth: String,
    /// Properties with water.
    pub fabric: Fabric,
    /// Saturation at the start.
    pub saturation: f64,
    /// True if its film is full at the start.
    pub filmed: bool,
}

impl Wet {
    /// Creates the wet cloths of a world. Inputs for missing objects are skipped.
    pub fn new(world: &World, inputs: &[WetInput], bridges: Settings) -> Wet {
        let mut water = Water::none(world.moving);
        let mut wet = Wet {
            cloths: Vec::new(),
            sources: Vec::new(),
            bridges,
            radius: vec![0.0; world.moving],
            wets: vec![false; world.objects.len()],
            start: Water::none(0),
        };
        for input in inputs {
            let Some((k, object)) = world.objects.iter().enumerate().find(|(_, o)| o.name == input.cloth) else {
                continue;
            };
            let first = object.vertices.start;
            let placed = |v: u32| object.place[v as usize] - first as u32;
            let triangles: Vec<[u32; 3]> = object.triangles.iter().map(|t| t.map(placed)).collect();
            let (x, dry) = (&world.rest[object.vertices.clone()], world.mass[object.vertices.clone()].to_vec());
            let cloth = Cloth::new(object.vertices.clone(), input.fabric, x, &triangles, dry);
            let half = spacing(world, object).map(|spacing| spacing / 2.0);
            for (k, area) in cloth.areas.iter().enumerate() {
                wet.radius[first + k] = half.unwrap_or((area / PI).sqrt());
                water.absorbed[first + k] = input.saturation * cloth.capacity(k);
                water.film[first + k] = if input.filmed { cloth.most_film(k) } else { 0.0 };
            }
            wet.wets[k] = true;
            wet.cloths.push(cloth);
        }
        water.joined = water.total();
        wet.start = water;
        wet
    }

    /// Sets a value for each moving vertex: `of` on wet cloths, `other` elsewhere.
    fn spread(&self, all: &mut Vec<f64>, moving: usize, other: f64, of: impl Fn(&Cloth, usize) -> f64) {
        all.clear();
        all.resize(moving, other);
        for cloth in &self.cloths {
            all[cloth.vertices.clone()].iter_mut().enumerate().for_each(|(k, value)| *value = of(cloth, k));
        }
    }

    /// Sets the relative growth of friction of each moving vertex. Empty if no cloth's friction changes.
    pub fn roughen(&self, water: &Water, moving: usize, growth: &mut Vec<f64>) {
        growth.clear();
        if self.rubs() {
            self.spread(growth, moving, 0.0, |cloth, k| (cloth.fabric.friction - 1.0) * cloth.saturation(water, k));
        }
    }

    /// Sets the relative stiffness of each moving vertex. Empty if no cloth's stiffness changes.
    pub fn soften(&self, water: &Water, moving: usize, stiffness_scale: &mut Vec<f64>) {
        if self.softens() {
            self.spread(stiffness_scale, moving, 1.0, |cloth, k| {
                1.0 + (cloth.fabric.stiffness - 1.0) * cloth.saturation(water, k)
            });
        }
    }

    /// Sets the relative permeability of each moving vertex.
    pub fn block(&self, water: &Water, moving: usize, lets_through: &mut Vec<f64>) {
        self.spread(lets_through, moving, 1.0, |cloth, k| cloth.lets_through(water, k));
    }

    /// Checks whether water changes the friction of any cloth.
    fn rubs(&self) -> bool {
        self.cloths.iter().any(|cloth| cloth.fabric.friction != 1.0)
    }

    /// Checks whether water changes the stiffness of any cloth.
    fn softens(&self) -> bool {
        self.cloths.iter().any(|cloth| cloth.fabric.stiffness != 1.0)
    }

    /// Returns the wet cloth of a vertex, and the index of the vertex in it.
    pub fn cloth_of(&self, v: usize) -> Option<(&Cloth, usize)> {
        let cloth = self.cloths.iter().find(|cloth| cloth.vertices.contains(&v))?;
        Some((cloth, v - cloth.vertices.start))
    }
}

/// Returns the spacing of a lattice [m]. Half of it is the radius of a vertex's bridge, as in the paper.
fn spacing(world: &World, object: &Object) -> Option<f64> {
    let positions: Vec<Vec3> = object.place.iter().map(|v| world.rest[*v as usize]).collect();
    let mesh = TriMesh { positions, triangles: object.triangles.clone(), ..TriMesh::default() };
    let lattice = Lattice::of(&mesh, &Topology::new(mesh.positions.len(), &mesh.triangles))?;
    let at = |column: usize, row: usize| mesh.positions[lattice.at(column, row) as usize];
    let along = (at(lattice.columns - 1, 0) - at(0, 0)).norm() / (lattice.columns - 1) as f64;
    let across = (at(0, lattice.rows - 1) - at(0, 0)).norm() / (lattice.rows - 1) as f64;
    Some((along * across).sqrt())
}
