//! The interface through which every law on elements enters a step.
//!
//! A law says which vertices it couples, what it adds to the linear system (one subdomain at a time), what energy it stores, and what it
//! remembers from one step to the next. Its memory changes once a step, at the end of one that succeeds: nothing else can write it.

use super::scheme::{Scheme, Shape};
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Vec3, par};
use std::fmt::Debug;

/// What records, checkpoints and statistics call a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its word.
    pub word: &'static str,
    /// Version of its memory: grows when the layout changes.
    pub version: u32,
}

impl Name {
    /// Of a law whose memory has its first layout, or none.
    pub const fn first(word: &'static str) -> Name {
        Name { word, version: 1 }
    }
}

/// A quantity of vertices that a law knows, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its word in scenes and files.
    pub word: &'static str,
    /// Its word in legends.
    pub label: &'static str,
    /// Its unit; may be empty.
    pub unit: &'static str,
    /// What it is.
    pub sentence: &'static str,
}

/// What a law shows of itself in statistics, files and pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What it is called.
    pub name: Name,
    /// Whose energy it is, in words.
    pub energy: &'static str,
    /// Quantities of vertices.
    pub channels: &'static [Channel],
}

/// What laws remember, each that remembers anything once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory(pub Vec<Section>);

/// What one law remembers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The law's word.
    pub word: String,
    /// Version of the layout.
    pub version: u32,
    /// Numbers by element.
    pub values: Vec<f64>,
}

impl Memory {
    /// What a law remembers; nothing where it does not.
    pub fn of(&self, name: Name) -> &[f64] {
        self.0.iter().find(|section| section.word == name.word).map_or(&[], |section| &section.values)
    }
}

/// What one subdomain evaluates of a law.
pub trait Rows<T: Real>: Send {
    /// Adds forces and blocks in the subdomain's rows, in the order of its elements. `memory` is that of the whole law, `force` the
    /// right-hand side of the rows [N].
    fn add(&mut self, scheme: &Scheme, memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]);

    /// So many first blocks it overwrites instead of adding to them: they need not be cleared before. Only of the first term.
    fn overwrites(&self) -> usize {
        0
    }
}

/// A law and all of its elements.
pub trait Law: Debug + Send + Sync {
    /// What one subdomain evaluates.
    type Rows<T: Real>: Rows<T> + Send + 'static;

    /// What it is called.
    fn name(&self) -> Name;

    /// Every two different vertices that it couples by a block.
    fn pairs(&self, _couple: &mut dyn FnMut(u32, u32)) {}

    /// What it couples moves as one thing whose error, momentum and energy are looked at together.
    fn joins(&self) -> bool {
        true
    }

    /// Gives `hold` the vertices on which it acts and nothing answers: their momentum and energy are not their own.
    fn holds(&self, _hold: &mut dyn FnMut(u32)) {}

    /// Gives `mark` the vertices whose turning it resists as it does stretching: their angular momentum is not kept.
    fn resists(&self, _mark: &mut dyn FnMut(u32)) {}

    /// Its elements that touch a subdomain.
    fn rows<T: Real>(&self, domain: &Domain<T>) -> Self::Rows<T>;

    /// Those of all subdomains.
    fn all_rows<T: Real>(&self, domains: &[Domain<T>]) -> Vec<Self::Rows<T>> {
        par::map_heavy(domains.len(), |k| self.rows(&domains[k]))
    }

    /// Gives `add` the energy that each element stores in a shape [J], with one of its vertices.
    fn each_energy(&self, _shape: &Shape, _memory: &[f64], _add: &mut dyn FnMut(u32, f64)) {}

    /// Gives `add` the mass that it adds to vertices [kg], beside that of cloths and bodies.
    fn mass(&self, _memory: &[f64], _add: &mut dyn FnMut(u32, f64)) {}

    /// Its memory at the start, numbers by element; none where it remembers nothing.
    fn memory(&self, _x: &[Vec3]) -> Vec<f64> {
        Vec::new()
    }

    /// Brings the memory up to the end of a step, whose positions are `x` [m].
    fn commit(&self, _x: &[Vec3], _memory: &mut [f64]) {}

    /// Writes the values of one of its channels into `values`, which are zero, by vertex.
    fn channel(&self, _word: &str, _x: &[Vec3], _memory: &[f64], _values: &mut [f64]) {}
}

/// A [`Law`] behind a pointer.
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
    /// [`Law::all_rows`] in single precision.
    fn single(&self, domains: &[Domain<f32>]) -> Vec<Box<dyn Rows<f32>>>;
    /// [`Law::all_rows`] in double precision.
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

/// A precision of the matrix for which terms have rows.
pub trait Precision: Real {
    /// The rows of a term in this precision, by subdomain.
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

/// Vertices as a subdomain sees them: own ones first and ascending, then the others.
#[derive(Clone, Debug)]
pub struct Own(std::ops::Range<usize>);

impl Own {
    /// Those of a subdomain.
    pub fn of<T>(domain: &Domain<T>) -> Own {
        Own(domain.first..domain.first + domain.count)
    }

    fn has(&self, v: u32) -> bool {
        self.0.contains(&(v as usize))
    }

    fn rank(&self, v: u32) -> (bool, u32) {
        (!self.has(v), v)
    }

    /// An element has one of them.
    pub fn touches(&self, vertices: &[u32]) -> bool {
        vertices.iter().any(|v| self.has(*v))
    }

    /// Numbers of the elements that have one of them, neighbours in space next to each other.
    pub fn near<const N: usize>(&self, count: usize, vertices: impl Fn(usize) -> [u32; N]) -> Vec<u32> {
        let mut near: Vec<u32> = (0..count).filter(|k| self.touches(&vertices(*k))).map(|k| k as u32).collect();
        near.sort_by_key(|k| vertices(*k as usize).map(|v| self.rank(v)).into_iter().min());
        near
    }

    /// Order of an element's vertices in which the blocks to store are on and above the diagonal.
    pub fn order<const N: usize>(&self, vertices: &[u32; N]) -> [usize; N] {
        let mut order = std::array::from_fn(|k| k);
        order.sort_unstable_by_key(|k| self.rank(vertices[*k]));
        order
    }
}
