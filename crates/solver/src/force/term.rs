//! Interface of all laws on elements.
//!
//! A law declares the vertices that it couples, its contribution to the linear system (one subdomain at a time), its
//! energy, and its memory. Memory changes only once per step, at the end of a successful step; nothing else can write
//! it.

use super::scheme::{Scheme, Shape};
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Vec3, par};
use std::fmt::Debug;

/// Name of a law in records, checkpoints and statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Identifier of the law.
    pub word: &'static str,
    /// Version of the memory layout. Increases when the layout changes.
    pub version: u32,
}

impl Name {
    /// Names a law that has no memory, or the first version of its memory layout.
    pub const fn first(word: &'static str) -> Name {
        Name { word, version: 1 }
    }
}

/// Description of a quantity at vertices that a law computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Name in scenes and files.
    pub word: &'static str,
    /// Name in legends.
    pub label: &'static str,
    /// Unit; may be empty.
    pub unit: &'static str,
    /// Description, one sentence.
    pub sentence: &'static str,
}

/// Entry of a law in statistics, files and pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Name of the law.
    pub name: Name,
    /// Description of its energy.
    pub energy: &'static str,
    /// Quantities at vertices.
    pub channels: &'static [Channel],
}

/// Memory of all laws. Each law that has memory has one section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory(pub Vec<Section>);

/// Memory of one law.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Identifier of the law.
    pub word: String,
    /// Version of the layout.
    pub version: u32,
    /// Values by element.
    pub values: Vec<f64>,
}

impl Memory {
    /// Returns the memory of a law, empty if the law has none.
    pub fn of(&self, name: Name) -> &[f64] {
        self.0.iter().find(|section| section.word == name.word).map_or(&[], |section| &section.values)
    }
}

/// Part of a law that one subdomain evaluates.
pub trait Rows<T: Real>: Send {
    /// Adds forces and blocks to the subdomain's rows, in the order of its elements. `memory` is the memory of the
    /// whole law, `force` the right-hand side of the rows [N].
    fn add(&mut self, scheme: &Scheme, memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]);

    /// Returns how many leading blocks this term overwrites instead of adding to them. These blocks need not be cleared
    /// before. Only the first term may overwrite blocks.
    fn overwrites(&self) -> usize {
        0
    }
}

/// Computes at each vertex the mean of the values of its elements; zero where it has none.
pub fn mean_of_elements(elements: impl Iterator<Item = ([u32; 3], f64)>, values: &mut [f64]) {
    let mut count = vec![0.0; values.len()];
    for (vertices, value) in elements {
        for v in vertices.map(|v| v as usize) {
            values[v] += value;
            count[v] += 1.0;
        }
    }
    values.iter_mut().zip(count).for_each(|(value, count)| *value /= f64::max(count, 1.0));
}

/// Rows of a law that acts through the rest shapes of others.
pub struct NoRows;

impl<T: Real> Rows<T> for NoRows {
    fn add(&mut self, _: &Scheme, _: &[f64], _: &mut Domain<T>, _: &mut [Vec3]) {}
}

/// A law and all of its elements.
pub trait Law: Debug + Send + Sync {
    /// Part of the law that one subdomain evaluates.
    type Rows<T: Real>: Rows<T> + Send + 'static;

    /// Returns the law's name.
    fn name(&self) -> Name;

    /// Calls `_couple` for every two different vertices that the law couples by a block.
    fn pairs(&self, _couple: &mut dyn FnMut(u32, u32)) {}

    /// Returns whether vertices that this law couples belong to the same component. Residual, momentum and energy are
    /// checked per component.
    fn joins(&self) -> bool {
        true
    }

    /// Gives `hold` the vertices on which this law exerts an external force, without a reaction on other vertices.
    /// Momentum and energy of their components are not conserved.
    fn holds(&self, _hold: &mut dyn FnMut(u32)) {}

    /// Gives `mark` the vertices whose rotation this law resists as it resists stretch. Angular momentum of their
    /// components is not conserved.
    fn resists(&self, _mark: &mut dyn FnMut(u32)) {}

    /// Returns the law's elements that touch a subdomain.
    fn rows<T: Real>(&self, domain: &Domain<T>) -> Self::Rows<T>;

    /// Returns [`Law::rows`] of all subdomains.
    fn all_rows<T: Real>(&self, domains: &[Domain<T>]) -> Vec<Self::Rows<T>> {
        par::map_heavy(domains.len(), |k| self.rows(&domains[k]))
    }

    /// Gives `add` the energy of each element [J], with one of its vertices.
    fn each_energy(&self, _shape: &Shape, _memory: &[f64], _add: &mut dyn FnMut(u32, f64)) {}

    /// Gives `add` the mass that this law adds to vertices [kg], beyond the mass of cloths and bodies.
    fn mass(&self, _memory: &[f64], _add: &mut dyn FnMut(u32, f64)) {}

    /// Returns the initial memory, values by element; empty if the law has no memory.
    fn memory(&self, _x: &[Vec3]) -> Vec<f64> {
        Vec::new()
    }

    /// Updates the memory to the end of a step with positions `x` [m].
    fn commit(&self, _x: &[Vec3], _memory: &mut [f64]) {}

    /// Writes one of the law's channels into `values`, by vertex. `values` are zero before.
    fn channel(&self, _word: &str, _x: &[Vec3], _memory: &[f64], _values: &mut [f64]) {}
}

/// A [`Law`] as a trait object.
pub trait Term: Debug + Send + Sync {
    /// See [`Law::name`].
    fn name(&self) -> Name;
    /// See [`Law::pairs`].
    fn pairs(&self, couple: &mut dyn FnMut(u32, u32));
    /// See [`Law::joins`].
    fn joins(&self) -> bool;
    /// See [`Law::holds`].
    fn holds(&self, hold: &mut dyn FnMut(u32));
    /// See [`Law::resists`].
    fn resists(&self, mark: &mut dyn FnMut(u32));
    /// Returns [`Law::all_rows`] in single precision.
    fn single(&self, domains: &[Domain<f32>]) -> Vec<Box<dyn Rows<f32>>>;
    /// Returns [`Law::all_rows`] in double precision.
    fn double(&self, domains: &[Domain<f64>]) -> Vec<Box<dyn Rows<f64>>>;
    /// See [`Law::each_energy`].
    fn each_energy(&self, shape: &Shape, memory: &[f64], add: &mut dyn FnMut(u32, f64));
    /// See [`Law::mass`].
    fn mass(&self, memory: &[f64], add: &mut dyn FnMut(u32, f64));
    /// See [`Law::memory`].
    fn memory(&self, x: &[Vec3]) -> Vec<f64>;
    /// See [`Law::commit`].
    fn commit(&self, x: &[Vec3], memory: &mut [f64]);
    /// See [`Law::channel`].
    fn channel(&self, word: &str, x: &[Vec3], memory: &[f64], values: &mut [f64]);
}

impl<L: Law> Term for L {
    fn name(&self) -> Name {
        Law::name(self)
    }
    fn pairs(&self, couple: &mut dyn FnMut(u32, u32)) {
        Law::pairs(self, couple);
    }
    fn joins(&self) -> bool {
        Law::joins(self)
    }
    fn holds(&self, hold: &mut dyn FnMut(u32)) {
        Law::holds(self, hold);
    }
    fn resists(&self, mark: &mut dyn FnMut(u32)) {
        Law::resists(self, mark);
    }
    fn single(&self, domains: &[Domain<f32>]) -> Vec<Box<dyn Rows<f32>>> {
        boxed(self.all_rows(domains))
    }
    fn double(&self, domains: &[Domain<f64>]) -> Vec<Box<dyn Rows<f64>>> {
        boxed(self.all_rows(domains))
    }
    fn each_energy(&self, shape: &Shape, memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        Law::each_energy(self, shape, memory, add);
    }
    fn mass(&self, memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        Law::mass(self, memory, add);
    }
    fn memory(&self, x: &[Vec3]) -> Vec<f64> {
        Law::memory(self, x)
    }
    fn commit(&self, x: &[Vec3], memory: &mut [f64]) {
        Law::commit(self, x, memory);
    }
    fn channel(&self, word: &str, x: &[Vec3], memory: &[f64], values: &mut [f64]) {
        Law::channel(self, word, x, memory, values);
    }
}

fn boxed<T: Real>(rows: Vec<impl Rows<T> + 'static>) -> Vec<Box<dyn Rows<T>>> {
    rows.into_iter().map(|rows| Box::new(rows) as Box<dyn Rows<T>>).collect()
}

/// Matrix precision for which terms have rows.
pub trait Precision: Real {
    /// Returns the rows of a term in this precision, by subdomain.
    fn rows(term: &dyn Term, domains: &[Domain<Self>]) -> Vec<Box<dyn Rows<Self>>>;
}

impl Precision for f32 {
    fn rows(term: &dyn Term, domains: &[Domain<f32>]) -> Vec<Box<dyn Rows<f32>>> {
        term.single(domains)
    }
}

impl Precision for f64 {
    fn rows(term: &dyn Term, domains: &[Domain<f64>]) -> Vec<Box<dyn Rows<f64>>> {
        term.double(domains)
    }
}

/// Couples all vertices of an element with each other.
pub fn couple_all<const N: usize>(vertices: &[u32; N], couple: &mut dyn FnMut(u32, u32)) {
    for a in 0..N {
        for b in 0..a {
            couple(vertices[a], vertices[b]);
        }
    }
}

/// Pairs of four vertices on and above the diagonal, row by row.
pub const UPPER: [[usize; 2]; 10] = [[0, 0], [0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [1, 3], [2, 2], [2, 3], [3, 3]];

/// Vertices of a subdomain. Its order of an element's vertices has own vertices first, ascending, then all others.
#[derive(Clone, Debug)]
pub struct Own(std::ops::Range<usize>);

impl Own {
    /// Returns the vertices of a subdomain.
    pub fn of<T>(domain: &Domain<T>) -> Own {
        Own(domain.first..domain.first + domain.count)
    }

    fn has(&self, v: u32) -> bool {
        self.0.contains(&(v as usize))
    }

    fn rank(&self, v: u32) -> (bool, u32) {
        (!self.has(v), v)
    }

    /// Returns whether an element has one of these vertices.
    pub fn touches(&self, vertices: &[u32]) -> bool {
        vertices.iter().any(|v| self.has(*v))
    }

    /// Returns the indices of elements that have one of these vertices. Neighbours in space are adjacent in the list.
    pub fn near<const N: usize>(&self, count: usize, vertices: impl Fn(usize) -> [u32; N]) -> Vec<u32> {
        let mut near: Vec<u32> = (0..count).filter(|k| self.touches(&vertices(*k))).map(|k| k as u32).collect();
        near.sort_by_key(|k| vertices(*k as usize).map(|v| self.rank(v)).into_iter().min());
        near
    }

    /// Orders an element's vertices so that the blocks to store are on and above the diagonal.
    pub fn order<const N: usize>(&self, vertices: &[u32; N]) -> [usize; N] {
        let mut order = std::array::from_fn(|k| k);
        order.sort_unstable_by_key(|k| self.rank(vertices[*k]));
        order
    }
}
