//! Wet cloths: which there are, where water comes from, and how large the part of the cloth is that each vertex stands for.

use super::bridge::Settings;
use super::capillary::{Cloth, Fabric, Water};
use crate::linalg::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::lattice::Lattice;
use crate::mesh::topology::Topology;
use crate::world::{Object, World};
use std::f64::consts::PI;

/// Everything about water that is constant in a run.
#[derive(Clone, Debug)]
pub struct Wet {
    /// Cloths that take up water.
    pub cloths: Vec<Cloth>,
    /// Where it comes from.
    pub sources: Vec<Source>,
    /// Bridges between them and what they touch.
    pub bridges: Settings,
    /// Radius of the part of the cloth that each moving vertex stands for; zero of what is not wet [m].
    pub radius: Vec<f64>,
    /// By object: it is a wet cloth.
    pub wets: Vec<bool>,
    /// Water at the start.
    pub start: Water,
}

/// Where and when water joins a cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Which of the wet cloths.
    pub cloth: usize,
    /// Where.
    pub place: Place,
    /// From when on [s].
    pub from: f64,
    /// Until when [s].
    pub until: f64,
    /// Velocity of the water; that of the cloth it joins where there is none [m/s].
    pub velocity: Option<Vec3>,
}

/// Where water is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// All over the cloth.
    Everywhere,
    /// In a box, between its lowest and its highest corner [m].
    Inside(Vec3, Vec3),
    /// On an object that the cloth touches.
    On(usize),
}

/// What a cloth has of water.
#[derive(Clone, Debug)]
pub struct WetInput {
    /// Name of the cloth.
    pub cloth: String,
    /// What it does with water.
    pub fabric: Fabric,
    /// Part of its capacity that it has at the start.
    pub saturation: f64,
    /// Its film is full at the start.
    pub filmed: bool,
}

impl Wet {
    /// For a world that has its objects.
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

    /// Values of wet vertices, by moving vertex; `other` for all others.
    fn spread(&self, all: &mut Vec<f64>, moving: usize, other: f64, of: impl Fn(&Cloth, usize) -> f64) {
        all.clear();
        all.resize(moving, other);
        for cloth in &self.cloths {
            all[cloth.vertices.clone()].iter_mut().enumerate().for_each(|(k, value)| *value = of(cloth, k));
        }
    }

    /// Sets the relative growth of friction of each moving vertex; nothing where no cloth's changes.
    pub fn roughen(&self, water: &Water, moving: usize, growth: &mut Vec<f64>) {
        growth.clear();
        if self.rubs() {
            self.spread(growth, moving, 0.0, |cloth, k| (cloth.fabric.friction - 1.0) * cloth.saturation(water, k));
        }
    }

    /// Sets the part of its stiffness that each moving vertex has; nothing where no cloth's changes.
    pub fn soften(&self, water: &Water, moving: usize, soft: &mut Vec<f64>) {
        if self.softens() {
            self.spread(soft, moving, 1.0, |cloth, k| {
                1.0 + (cloth.fabric.stiffness - 1.0) * cloth.saturation(water, k)
            });
        }
    }

    /// Sets the part of its permeability that each moving vertex has.
    pub fn block(&self, water: &Water, moving: usize, lets_through: &mut Vec<f64>) {
        self.spread(lets_through, moving, 1.0, |cloth, k| cloth.lets_through(water, k));
    }

    /// Water changes the friction of some cloth.
    fn rubs(&self) -> bool {
        self.cloths.iter().any(|cloth| cloth.fabric.friction != 1.0)
    }

    /// Water changes the stiffness of some cloth.
    fn softens(&self) -> bool {
        self.cloths.iter().any(|cloth| cloth.fabric.stiffness != 1.0)
    }

    /// The wet cloth that a vertex is of, and the vertex's number there.
    pub fn cloth_of(&self, v: usize) -> Option<(&Cloth, usize)> {
        let cloth = self.cloths.iter().find(|cloth| cloth.vertices.contains(&v))?;
        Some((cloth, v - cloth.vertices.start))
    }
}

/// Spacing of a lattice [m]: half of it is the radius of a vertex's bridge, as the paper has it.
fn spacing(world: &World, object: &Object) -> Option<f64> {
    let positions: Vec<Vec3> = object.place.iter().map(|v| world.rest[*v as usize]).collect();
    let mesh = TriMesh { positions, triangles: object.triangles.clone(), ..TriMesh::default() };
    let lattice = Lattice::of(&mesh, &Topology::new(mesh.positions.len(), &mesh.triangles))?;
    let at = |column: usize, row: usize| mesh.positions[lattice.at(column, row) as usize];
    let along = (at(lattice.columns - 1, 0) - at(0, 0)).norm() / (lattice.columns - 1) as f64;
    let across = (at(0, lattice.rows - 1) - at(0, 0)).norm() / (lattice.rows - 1) as f64;
    Some((along * across).sqrt())
}
