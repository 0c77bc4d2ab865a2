//! Wet cloths: which there are, where water comes from, and how large the part of the cloth is that each vertex stands for.

use super::{Object, State, World};
use crate::field::water::{Cloth, Fabric, Water};
use crate::force::bridge::{Bridge, Settings};
use crate::linalg::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::lattice::Lattice;
use crate::mesh::topology::Topology;
use std::f64::consts::PI;

/// Part of its pores that a full cloth has open: the last of them empty under the least pressure.
const LEAST: f64 = 1e-3;

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
    /// For a world that has its objects; gives the water at the start beside it.
    pub fn new(world: &World, inputs: &[WetInput], bridges: Settings) -> (Wet, Water) {
        let mut water = Water::none(world.moving);
        let mut wet = Wet {
            cloths: Vec::new(),
            sources: Vec::new(),
            bridges,
            radius: vec![0.0; world.moving],
            wets: vec![false; world.objects.len()],
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
        (wet, water)
    }

    /// Part of the dry friction that a surface has between vertices with these weights, of which the first ones are of one side.
    pub fn friction(&self, water: &Water, vertices: &[u32], weights: &[f64]) -> f64 {
        let (mut sum, mut all) = (0.0, 0.0);
        for (v, weight) in vertices.iter().zip(weights.iter().map(|weight| weight.abs())) {
            let grows = self
                .cloth_of(*v as usize)
                .map_or(0.0, |(cloth, k)| (cloth.fabric.friction - 1.0) * cloth.saturation(water, k));
            sum += weight * grows;
            all += weight;
        }
        if all > 0.0 { 1.0 + sum / all } else { 1.0 }
    }

    /// Water changes the friction of some cloth.
    pub fn rubs(&self) -> bool {
        self.cloths.iter().any(|cloth| cloth.fabric.friction != 1.0)
    }

    /// Water changes the stiffness of some cloth.
    fn softens(&self) -> bool {
        self.cloths.iter().any(|cloth| cloth.fabric.stiffness != 1.0)
    }

    /// Part of the air that vertex `v` lets through, of what it does dry; none where water does not matter.
    pub fn lets_through(&self, water: &Water, v: usize) -> Option<f64> {
        let (cloth, k) = self.cloth_of(v)?;
        let Fabric { blocks, .. } = cloth.fabric;
        (blocks != 0.0).then(|| (1.0 - cloth.saturation(water, k)).max(LEAST).powf(blocks))
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

impl World {
    /// Wets cloths: sets what is constant, and the water of `state`.
    pub fn wet(&mut self, inputs: &[WetInput], bridges: Settings, state: &mut State) {
        let (wet, water) = Wet::new(self, inputs, bridges);
        self.wet = Some(wet);
        state.water = water;
        state.bridges.clear();
    }

    /// Part of its dry stiffness that each moving vertex has; empty where water changes none.
    pub fn softness(&self, water: &Water) -> Vec<f64> {
        let mut soft = Vec::new();
        self.soften(water, &mut soft);
        soft
    }

    /// [`World::softness`] in storage that is kept.
    pub fn soften(&self, water: &Water, soft: &mut Vec<f64>) {
        soft.clear();
        if let Some(wet) = self.wet.as_ref().filter(|wet| wet.softens()) {
            soft.resize(self.moving, 1.0);
            for cloth in &wet.cloths {
                let part = |k: usize| 1.0 + (cloth.fabric.stiffness - 1.0) * cloth.saturation(water, k);
                soft[cloth.vertices.clone()].iter_mut().enumerate().for_each(|(k, soft)| *soft = part(k));
            }
        }
    }
}

impl State {
    /// Every bridge is of a vertex and a triangle of a wet world.
    pub fn bridges_fit(&self, world: &World) -> bool {
        let fits = |b: &Bridge| {
            (b.vertex as usize) < world.moving && (b.triangle as usize) < world.surface.triangles.len() && b.side < 2
        };
        self.bridges.is_empty() || world.wet.is_some() && self.bridges.iter().all(fits)
    }

    /// Mass of a moving vertex with the water it has [kg].
    pub fn mass(&self, world: &World, v: usize) -> f64 {
        world.mass[v] + self.water.at(v)
    }
}
