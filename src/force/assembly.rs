//! Sum of all elements into one linear system, by subdomain.
//!
//! A step of the implicit scheme has new positions `x + y + z`: `y` is the displacement of free flight (prescribed for pinned
//! vertices), `z` the unknown. The new velocity is `v~ + z/beta`. Linearised at `x`:
//! `(M/beta^2 + K + tau K_material/beta) z = f(x) - K y - tau K_material v~`, where `tau` is the damping time.
//! Each subdomain evaluates every element that touches it and keeps its own rows: no two threads write one place and the
//! order of summation is fixed.

use super::bending::{Bending, Hinge};
use super::membrane::{Membrane, Triangle};
use crate::linalg::matrix::{Matrix, NOWHERE, Real};
use crate::linalg::{Mat3, Vec3, par};

/// The laws of one cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// In-plane law.
    pub membrane: Membrane,
    /// Out-of-plane law.
    pub bending: Bending,
    /// Stiffness-proportional damping time [s].
    pub damping: f64,
}

/// All elements of the moving vertices.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// Laws by cloth.
    pub sheets: Vec<Sheet>,
    /// Membrane elements.
    pub triangles: Vec<Triangle>,
    /// Bending elements.
    pub hinges: Vec<Hinge>,
}

impl Elements {
    /// Membrane and bending energy [J].
    pub fn energy(&self, x: &[Vec3]) -> (f64, f64) {
        let membrane = par::sum(self.triangles.len(), |k| {
            let t = &self.triangles[k];
            t.energy(&self.sheets[t.cloth as usize].membrane, &pick(x, &t.vertices))
        });
        let bending = par::sum(self.hinges.len(), |k| {
            let h = &self.hinges[k];
            h.energy(&self.sheets[h.cloth as usize].bending, &pick(x, &h.vertices))
        });
        (membrane, bending)
    }
}

/// What the scheme says of this step, by moving vertex.
#[derive(Clone, Copy, Debug)]
pub struct Scheme<'a> {
    /// Positions to linearise at [m].
    pub x: &'a [Vec3],
    /// Displacement of free flight `y` [m].
    pub y: &'a [Vec3],
    /// Velocity `v~` at `z = 0` [m/s].
    pub rate: &'a [Vec3],
    /// Masses [kg].
    pub mass: &'a [f64],
    /// Effective step `beta` [s].
    pub beta: f64,
    /// Effective step of each vertex's inertia [s].
    pub betas: &'a [f64],
}

/// Elements of one subdomain with the places of their blocks.
#[derive(Clone, Debug, Default)]
struct Part {
    triangles: Vec<(u32, [u32; 9])>,
    hinges: Vec<(u32, [u32; 16])>,
}

/// The linear system and where each element goes.
#[derive(Clone, Debug)]
pub struct Assembly<T> {
    /// The matrix.
    pub matrix: Matrix<T>,
    /// The right-hand side [N].
    pub force: Vec<Vec3>,
    parts: Vec<Part>,
}

impl<T: Real> Assembly<T> {
    /// Sparsity and places for `elements` on the vertex ranges `starts`.
    pub fn new(elements: &Elements, starts: &[usize]) -> Assembly<T> {
        let triangle_pairs = elements.triangles.iter().flat_map(|t| pairs(&t.vertices));
        let hinge_pairs = elements.hinges.iter().flat_map(|h| pairs(&h.vertices));
        let matrix = Matrix::<T>::new(starts, triangle_pairs.chain(hinge_pairs));
        let parts = par::map_heavy(matrix.domains.len(), |k| {
            let place = |a: u32, b: u32| matrix.domains[k].place(a as usize, b as usize);
            let used = |places: &[u32]| places.iter().any(|p| *p != NOWHERE);
            let mut part = Part::default();
            for (i, t) in elements.triangles.iter().enumerate() {
                let places: [u32; 9] = std::array::from_fn(|p| place(t.vertices[p / 3], t.vertices[p % 3]));
                if used(&places) {
                    part.triangles.push((i as u32, places));
                }
            }
            for (i, h) in elements.hinges.iter().enumerate() {
                let places: [u32; 16] = std::array::from_fn(|p| place(h.vertices[p / 4], h.vertices[p % 4]));
                if used(&places) {
                    part.hinges.push((i as u32, places));
                }
            }
            part
        });
        let size = matrix.size();
        Assembly { matrix, force: vec![Vec3::zeros(); size], parts }
    }

    /// Inertia and all elements: overwrites the matrix (moving blocks removed) and the right-hand side.
    pub fn assemble(&mut self, elements: &Elements, scheme: &Scheme) {
        let Assembly { matrix, force, parts } = self;
        let starts = matrix.starts.clone();
        matrix.entries.clear();
        par::each_part(&mut matrix.domains, force, &starts, &|k, domain, force| {
            domain.blocks.fill(T::default());
            force.fill(Vec3::zeros());
            for i in 0..domain.count {
                let v = domain.first + i;
                let inertia = scheme.mass[v] / (scheme.betas[v] * scheme.betas[v]);
                domain.add(i as u32, &Mat3::from_diagonal_element(inertia));
            }
            let own = domain.first..domain.first + domain.count;
            let mut push = |vertex: u32, f: &Vec3| {
                if own.contains(&(vertex as usize)) {
                    force[vertex as usize - own.start] += f;
                }
            };
            for (index, places) in &parts[k].triangles {
                let t = &elements.triangles[*index as usize];
                let sheet = &elements.sheets[t.cloth as usize];
                let rate = pick(scheme.rate, &t.vertices).map(|v| v * sheet.damping);
                let damping = 1.0 + sheet.damping / scheme.beta;
                let (x, y) = (pick(scheme.x, &t.vertices), pick(scheme.y, &t.vertices));
                let r = t.respond(&sheet.membrane, &x, &y, &rate, damping);
                push(t.vertices[0], &-(r.force[0] + r.force[1]));
                push(t.vertices[1], &r.force[0]);
                push(t.vertices[2], &r.force[1]);
                let [k11, k12, k22] = r.stiffness;
                let (k10, k20) = (-(k11 + k12), -(k12.transpose() + k22));
                domain.add(places[0], &-(k10 + k20));
                domain.add(places[1], &k10.transpose());
                domain.add(places[2], &k20.transpose());
                domain.add(places[3], &k10);
                domain.add(places[4], &k11);
                domain.add(places[5], &k12);
                domain.add(places[6], &k20);
                domain.add(places[7], &k12.transpose());
                domain.add(places[8], &k22);
            }
            for (index, places) in &parts[k].hinges {
                let h = &elements.hinges[*index as usize];
                let sheet = &elements.sheets[h.cloth as usize];
                let (y, rate) = (pick(scheme.y, &h.vertices), pick(scheme.rate, &h.vertices));
                let u: [Vec3; 4] = std::array::from_fn(|a| y[a] + rate[a] * sheet.damping);
                let (moment, stiffness, g) = h.respond(&sheet.bending, &pick(scheme.x, &h.vertices), &u);
                let stiffness = stiffness * (1.0 + sheet.damping / scheme.beta);
                for a in 0..4 {
                    push(h.vertices[a], &(g[a] * -moment));
                    let scaled = g[a] * stiffness;
                    for b in 0..4 {
                        if places[4 * a + b] != NOWHERE {
                            domain.add(places[4 * a + b], &(scaled * g[b].transpose()));
                        }
                    }
                }
            }
        });
    }

    /// Adds a 3x3 block to a vertex's diagonal.
    pub fn add_diagonal(&mut self, vertex: usize, block: &Mat3) {
        let k = self.matrix.starts.partition_point(|s| *s <= vertex) - 1;
        let domain = &mut self.matrix.domains[k];
        domain.add((vertex - domain.first) as u32, block);
    }
}

fn pairs<const N: usize>(vertices: &[u32; N]) -> Vec<(u32, u32)> {
    (0..N).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| (vertices[a], vertices[b])).collect()
}

/// The values of an element's vertices.
#[inline]
pub fn pick<const N: usize>(values: &[Vec3], vertices: &[u32; N]) -> [Vec3; N] {
    std::array::from_fn(|a| values[vertices[a] as usize])
}
