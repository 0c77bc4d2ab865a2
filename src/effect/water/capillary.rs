//! Water in cloth: what it takes up, what stands on it as a film, what wicks along it and dries.
//!
//! A dry kilogram takes up `A = B (1 - exp(-t/c))` while it is supplied (Chen, Xu & Wu 2004; Park & Byun, Eq. 3), here as the rate of the
//! state, `dA/dt = (B - A)/c`, exact over a step: the same curve from zero, and it goes on from anywhere. What is supplied has a full
//! film on both sides at once; where nothing is supplied the cloth takes up its film at the same rate. Wicking is diffusion of the
//! saturation along the cloth, implicit, and moves water by fluxes, so none is lost. Drying takes the film first, what is in
//! bridges last.

use crate::linalg::diffusion::{Diffusion, Equation, Stop};
use crate::linalg::graph::Graph;
use crate::linalg::{Vec3, par};
use crate::mesh::topology::Topology;
use std::ops::Range;

/// Part of its pores that a full cloth has open: the last of them empty under the least pressure.
const LEAST: f64 = 1e-3;

/// How accurate wicking is.
const STOP: Stop = Stop { tolerance: 1e-8, floor: 0.0, progress: 0.0, iterations: 500 };

/// What a fabric does with water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// `B`: water that a dry kilogram takes up [kg/kg].
    pub capacity: f64,
    /// `c`: time in which it takes up all but 1/e of that [s].
    pub time: f64,
    /// Film that a side holds [kg/m^2].
    pub film: f64,
    /// Diffusivity of the saturation along the cloth [m^2/s].
    pub wicking: f64,
    /// Water that evaporates where none is supplied [kg/(m^2 s)].
    pub drying: f64,
    /// Friction of its surface when it is full of water, in units of that when it is dry.
    pub friction: f64,
    /// Its stiffness when it is full of water, in units of that when it is dry.
    pub stiffness: f64,
    /// `p`: it lets air through by the part `(1 - S)^p` of what it does dry, at the saturation S.
    pub blocks: f64,
}

impl Fabric {
    /// Dry and wet alike but for the water: takes up `capacity` [kg/kg] in the time `time` [s], without a film.
    pub fn plain(capacity: f64, time: f64) -> Fabric {
        Fabric { capacity, time, film: 0.0, wicking: 0.0, drying: 0.0, friction: 1.0, stiffness: 1.0, blocks: 0.0 }
    }
}

/// Water of all moving vertices; all empty where no cloth is wet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Water {
    /// In the cloth [kg].
    pub absorbed: Vec<f64>,
    /// On its surface [kg].
    pub film: Vec<f64>,
    /// In bridges [kg].
    pub bridged: Vec<f64>,
    /// All that has joined so far, what was there at the start included [kg].
    pub joined: f64,
    /// All that has evaporated so far [kg].
    pub dried: f64,
}

impl Water {
    /// None, of so many vertices.
    pub fn none(vertices: usize) -> Water {
        let none = || vec![0.0; vertices];
        Water { absorbed: none(), film: none(), bridged: none(), joined: 0.0, dried: 0.0 }
    }

    /// Of a vertex [kg].
    pub fn at(&self, v: usize) -> f64 {
        if self.absorbed.is_empty() { 0.0 } else { self.absorbed[v] + self.film[v] + self.bridged[v] }
    }

    /// Of all vertices [kg].
    pub fn total(&self) -> f64 {
        par::sum(self.absorbed.len(), |v| self.at(v))
    }
}

/// A cloth that takes up water.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// Its vertices.
    pub vertices: Range<usize>,
    /// What it does with water.
    pub fabric: Fabric,
    /// Dry mass by vertex [kg].
    pub dry: Vec<f64>,
    /// Area of one side by vertex [m^2].
    pub areas: Vec<f64>,
    /// Who is next to whom.
    graph: Graph,
    /// What wicks along each edge, per second and saturation [kg/s].
    conducts: Vec<f64>,
}

impl Cloth {
    /// With vertices at `x` [m] at rest and triangles of these; `dry` mass by vertex [kg].
    pub fn new(vertices: Range<usize>, fabric: Fabric, x: &[Vec3], triangles: &[[u32; 3]], dry: Vec<f64>) -> Cloth {
        let topology = Topology::new(x.len(), triangles);
        let (areas, shapes) = topology.areas_and_shapes(x, triangles);
        let density = dry.iter().sum::<f64>() / areas.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let conduct = |shape: &f64| fabric.wicking * fabric.capacity * density * shape.max(0.0);
        let conducts = shapes.iter().map(conduct).collect();
        Cloth { vertices, fabric, dry, areas, graph: Graph::new(x, topology.edges), conducts }
    }

    /// Most water that vertex `k` of it takes up [kg].
    pub fn capacity(&self, k: usize) -> f64 {
        self.fabric.capacity * self.dry[k]
    }

    /// Most film on both sides of vertex `k` [kg].
    pub fn most_film(&self, k: usize) -> f64 {
        2.0 * self.fabric.film * self.areas[k]
    }

    /// Part of its capacity that vertex `k` has.
    pub fn saturation(&self, water: &Water, k: usize) -> f64 {
        let capacity = self.capacity(k);
        if capacity > 0.0 { (water.absorbed[self.vertices.start + k] / capacity).min(1.0) } else { 0.0 }
    }

    /// Part of the air that vertex `k` of it lets through, of what it does dry.
    pub fn lets_through(&self, water: &Water, k: usize) -> f64 {
        match self.fabric.blocks {
            0.0 => 1.0,
            blocks => (1.0 - self.saturation(water, k)).max(LEAST).powf(blocks),
        }
    }

    /// Takes up and loses water over `h` seconds; `supplied` tells which of its vertices are, and `joins` gets what joins each [kg].
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

    /// Wicks along the cloth over `h` seconds; gives `f` from which of its vertices to which, and how much [kg].
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
        // Capacities are positive, so is the matrix; one that is not leaves the guess, and the fluxes of that.
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

    /// Methods D34: cotton takes up 0.531 g/g in the time c, whatever the steps.
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

    /// Drawn up from the film, wicked along and dried: what joined is there or has evaporated.
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

    /// A wave of saturation along a strip decays by `exp(-D k^2 t)`.
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
        // Backward Euler: half a step's rate; cells: (k dx)^2/12.
        assert!(
            (found / exact - 1.0).abs() < 0.5 * 2e-6 * k2 * h * 2e-6 * k2 * h * f64::from(steps) + 2e-3,
            "{found} {exact}"
        );
    }
}
