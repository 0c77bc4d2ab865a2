//! Water in cloth: uptake, surface film, wicking and drying.
//!
//! A dry kilogram takes up `A = B (1 - exp(-t/c))` while it is supplied (Chen, Xu & Wu 2004; Park & Byun, Eq. 3). Here
//! it is a rate of the state, `dA/dt = (B - A)/c`, exact over a step. The curve from zero is the same, and it continues
//! from any state. Supplied cloth has a full film on both sides at once. Without supply, the cloth takes up its film at
//! the same rate. Wicking is implicit diffusion of the saturation along the cloth. It moves water by fluxes, so that
//! mass is conserved. Drying takes the film first, and the water of bridges last.

use crate::linalg::diffusion::{Diffusion, Equation, Stop};
use crate::linalg::graph::Graph;
use crate::linalg::{Vec3, par};
use crate::mesh::topology::Topology;
use std::ops::Range;

/// Smallest open part of the pores. A saturated cloth's last pores empty under the least pressure.
const LEAST: f64 = 1e-3;

/// Stopping rule of wicking.
const STOP: Stop = Stop { tolerance: 1e-8, floor: 0.0, progress: 0.0, iterations: 500 };

/// Properties of a fabric with water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Capacity `B`: water that a dry kilogram takes up [kg/kg].
    pub capacity: f64,
    /// Time constant `c` of the uptake [s].
    pub time: f64,
    /// Largest film on a side [kg/m^2].
    pub film: f64,
    /// Diffusivity of the saturation along the cloth [m^2/s].
    pub wicking: f64,
    /// Rate of evaporation without supply [kg/(m^2 s)].
    pub drying: f64,
    /// Friction of the saturated surface relative to that of the dry one.
    pub friction: f64,
    /// Stiffness of the saturated cloth relative to that of the dry one.
    pub stiffness: f64,
    /// Exponent `p` of the relative permeability `(1 - S)^p` at the saturation S.
    pub blocks: f64,
}

impl Fabric {
    /// Returns a fabric whose properties do not change with water. It takes up `capacity` [kg/kg] with the time
    /// constant `time` [s], without a film.
    pub fn plain(capacity: f64, time: f64) -> Fabric {
        Fabric { capacity, time, film: 0.0, wicking: 0.0, drying: 0.0, friction: 1.0, stiffness: 1.0, blocks: 0.0 }
    }
}

/// Water of all moving vertices. All lists are empty without wet cloth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Water {
    /// Mass in the cloth [kg].
    pub absorbed: Vec<f64>,
    /// Mass in the surface film [kg].
    pub film: Vec<f64>,
    /// Mass in bridges [kg].
    pub bridged: Vec<f64>,
    /// Total mass supplied so far, including that of the start [kg].
    pub joined: f64,
    /// Total mass evaporated so far [kg].
    pub dried: f64,
}

impl Water {
    /// Returns no water on `vertices` vertices.
    pub fn none(vertices: usize) -> Water {
        let none = || vec![0.0; vertices];
        Water { absorbed: none(), film: none(), bridged: none(), joined: 0.0, dried: 0.0 }
    }

    /// Returns the mass of water of a vertex [kg].
    pub fn at(&self, v: usize) -> f64 {
        if self.absorbed.is_empty() { 0.0 } else { self.absorbed[v] + self.film[v] + self.bridged[v] }
    }

    /// Returns the mass of water of all vertices [kg].
    pub fn total(&self) -> f64 {
        par::sum(self.absorbed.len(), |v| self.at(v))
    }
}

/// Cloth that takes up water.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Properties with water.
    pub fabric: Fabric,
    /// Dry mass by vertex [kg].
    pub dry: Vec<f64>,
    /// Area of one side by vertex [m^2].
    pub areas: Vec<f64>,
    /// Neighbours of each vertex.
    graph: Graph,
    /// Wicking rate of each edge per saturation [kg/s].
    conducts: Vec<f64>,
}

impl Cloth {
    /// Creates the cloth from vertices at `x` [m] at rest, their triangles, and `dry` mass by vertex [kg].
    pub fn new(vertices: Range<usize>, fabric: Fabric, x: &[Vec3], triangles: &[[u32; 3]], dry: Vec<f64>) -> Cloth {
        let topology = Topology::new(x.len(), triangles);
        let (areas, shapes) = topology.areas_and_shapes(x, triangles);
        let density = dry.iter().sum::<f64>() / areas.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let conduct = |shape: &f64| fabric.wicking * fabric.capacity * density * shape.max(0.0);
        let conducts = shapes.iter().map(conduct).collect();
        Cloth { vertices, fabric, dry, areas, graph: Graph::new(x, topology.edges), conducts }
    }

    /// Returns the largest uptake of its vertex `k` [kg].
    pub fn capacity(&self, k: usize) -> f64 {
        self.fabric.capacity * self.dry[k]
    }

    /// Returns the largest film on both sides of vertex `k` [kg].
    pub fn most_film(&self, k: usize) -> f64 {
        2.0 * self.fabric.film * self.areas[k]
    }

    /// Returns the saturation of vertex `k`.
    pub fn saturation(&self, water: &Water, k: usize) -> f64 {
        let capacity = self.capacity(k);
        if capacity > 0.0 { (water.absorbed[self.vertices.start + k] / capacity).min(1.0) } else { 0.0 }
    }

    /// Returns the permeability at its vertex `k` relative to that when dry.
    pub fn lets_through(&self, water: &Water, k: usize) -> f64 {
        match self.fabric.blocks {
            0.0 => 1.0,
            blocks => (1.0 - self.saturation(water, k)).max(LEAST).powf(blocks),
        }
    }

    /// Takes up and evaporates water over `h` seconds. `supplied` marks its supplied vertices, and `joins` receives the
    /// supply of each [kg].
    pub fn soak(&self, water: &mut Water, supplied: &[bool], h: f64, joins: &mut [f64]) {
        let Fabric { time, drying, .. } = self.fabric;
        let rate = -(-h / time).exp_m1();
        for (k, v) in self.vertices.clone().enumerate() {
            let Water { absorbed, film, bridged, dried, .. } = &mut *water;
            let (absorbed, film, bridged) = (&mut absorbed[v], &mut film[v], &mut bridged[v]);
            let gain = (self.capacity(k) - *absorbed).max(0.0) * rate;
            if supplied[k] {
                let grows = (self.most_film(k) - *bridged - *film).max(0.0);
                *absorbed += gain;
                *film += grows;
                joins[k] = gain + grows;
                continue;
            }
            let gain = gain.min(*film);
            *absorbed += gain;
            *film -= gain;
            let mut dries = drying * self.areas[k] * h;
            for from in [film, absorbed, bridged] {
                let part = dries.min(*from).max(0.0);
                *from -= part;
                dries -= part;
                *dried += part;
            }
            joins[k] = 0.0;
        }
        water.joined += joins.iter().sum::<f64>();
    }

    /// Wicks along the cloth over `h` seconds. Calls `f` for each flux between its vertices: from, to, mass [kg].
    pub fn wick(&self, water: &mut Water, h: f64, work: &mut Work, mut f: impl FnMut(usize, usize, f64)) {
        if self.fabric.wicking == 0.0 {
            return;
        }
        let Work { diffusion, vertex, edge, right, saturation } = work;
        let first = self.vertices.start;
        vertex.clear();
        vertex.extend((0..self.dry.len()).map(|k| self.capacity(k)));
        edge.clear();
        edge.extend(self.conducts.iter().map(|conducts| h * conducts));
        right.clear();
        right.extend_from_slice(&water.absorbed[self.vertices.clone()]);
        saturation.clear();
        saturation.extend((0..self.dry.len()).map(|k| self.saturation(water, k)));
        let fixed: Vec<bool> = vertex.iter().map(|capacity| *capacity == 0.0).collect();
        let equation = Equation { graph: &self.graph, vertex, edge, fixed: &fixed };
        // Capacities are positive, so the matrix is positive definite. Otherwise the guess remains, with its fluxes.
        diffusion.solve(&equation, right, saturation, STOP);
        for ([a, b], conducts) in self.graph.edges.iter().map(|e| e.map(|v| v as usize)).zip(&*edge) {
            let flux = conducts * (saturation[a] - saturation[b]);
            let (from, to, flux) = if flux > 0.0 { (a, b, flux) } else { (b, a, -flux) };
            water.absorbed[first + from] -= flux;
            water.absorbed[first + to] += flux;
            f(from, to, flux);
        }
    }
}

/// Storage of wicking.
#[derive(Clone, Debug, Default)]
pub struct Work {
    diffusion: Diffusion,
    vertex: Vec<f64>,
    edge: Vec<f64>,
    right: Vec<f64>,
    saturation: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Diagonals, lying, sheet};

    fn cloth(fabric: Fabric) -> Cloth {
        let mesh = sheet(9, 9, 0.08, 0.08, Diagonals::Alternating, lying(0.08, 0.08));
        let dry = vec![1e-4; mesh.positions.len()];
        Cloth::new(0..dry.len(), fabric, &mesh.positions, &mesh.triangles, dry)
    }

    fn cotton() -> Fabric {
        Fabric { film: 0.1, ..Fabric::plain(0.84, 8.884 * 60.0) }
    }

    /// Methods D34: cotton takes up 0.531 g/g in the time c, for any step size.
    #[test]
    fn it_takes_up_what_the_curve_says() {
        let cloth = cloth(cotton());
        for steps in [1, 7, 1000] {
            let mut water = Water::none(cloth.dry.len());
            let (supplied, mut joins) = (vec![true; cloth.dry.len()], vec![0.0; cloth.dry.len()]);
            for _ in 0..steps {
                cloth.soak(&mut water, &supplied, cloth.fabric.time / f64::from(steps), &mut joins);
            }
            let part = water.absorbed[5] / cloth.dry[5];
            assert!((part - 0.84 * (1.0 - (-1f64).exp())).abs() < 1e-12 && (part - 0.531).abs() < 1e-3);
            assert!((water.joined - water.total()).abs() < 1e-12 * water.total());
        }
    }

    /// With uptake from the film, wicking and drying, the supplied mass equals the mass present plus that evaporated.
    #[test]
    fn no_water_is_lost() {
        let cloth = cloth(Fabric { wicking: 1e-6, drying: 1e-4, time: 2.0, ..cotton() });
        let mut water = Water::none(cloth.dry.len());
        let mut supplied = vec![false; cloth.dry.len()];
        let (mut joins, mut work) = (vec![0.0; cloth.dry.len()], Work::default());
        for step in 0..400 {
            supplied[..20].fill(step < 200);
            cloth.soak(&mut water, &supplied, 0.01, &mut joins);
            cloth.wick(&mut water, 0.01, &mut work, |_, _, _| ());
            let balance = water.total() + water.dried - water.joined;
            assert!(balance.abs() < 1e-12 * water.joined, "{balance}");
            assert!(water.absorbed.iter().chain(&water.film).all(|kg| *kg > -1e-15));
        }
        assert!(water.dried > 0.0 && water.absorbed[40] > 0.0);
    }

    /// A wave of saturation along a strip decays as `exp(-D k^2 t)`.
    #[test]
    fn it_wicks_as_heat_spreads() {
        let (length, n) = (0.2, 80);
        let mesh = sheet(n + 1, 3, length, 0.005, Diagonals::Alternating, lying(length, 0.005));
        let x = &mesh.positions;
        let dry: Vec<f64> = {
            let plain = Cloth::new(0..x.len(), cotton(), x, &mesh.triangles, vec![1.0; x.len()]);
            plain.areas.iter().map(|area| 0.2 * area).collect()
        };
        let fabric = Fabric { wicking: 2e-6, ..cotton() };
        let cloth = Cloth::new(0..x.len(), fabric, x, &mesh.triangles, dry);
        let low = x.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
        let wave = |v: usize| (std::f64::consts::PI * (x[v].x - low) / length).cos();
        let mut water = Water::none(x.len());
        for v in 0..x.len() {
            water.absorbed[v] = cloth.capacity(v) * (0.5 + 0.3 * wave(v));
        }
        let (h, steps) = (5.0, 200);
        let mut work = Work::default();
        for _ in 0..steps {
            cloth.wick(&mut water, h, &mut work, |_, _, _| ());
        }
        let k2 = (std::f64::consts::PI / length).powi(2);
        let exact = 0.3 * (-2e-6 * k2 * h * f64::from(steps)).exp();
        let found = cloth.saturation(&water, 0) - 0.5;
        let found = found / wave(0);
        // Error of backward Euler: half a step's rate. Error of the mesh: (k dx)^2/12.
        assert!(
            (found / exact - 1.0).abs() < 0.5 * 2e-6 * k2 * h * 2e-6 * k2 * h * f64::from(steps) + 2e-3,
            "{found} {exact}"
        );
    }
}
