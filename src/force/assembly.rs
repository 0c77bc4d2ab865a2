//! Sum of all elements into one linear system, by subdomain.
//!
//! A step of the implicit scheme has new positions `x + y + z`: `y` is the displacement of free flight (prescribed for pinned
//! vertices), `z` the unknown. The new velocity is `v~ + z/beta`. Linearised at `x`:
//! `(M/beta^2 + K + tau K_material/beta) z = f(x) - K y - tau K_material v~`, where `tau` is the damping time of the law.
//! Hinges of a plate are coupled beyond a hinge's four vertices, which the matrix is not to know: it holds `Kb >= K` instead, hinge
//! by hinge (see [`super::plate::Patch::bounds`]). `K` acts on the displacement and rate of a step at the present velocity, known
//! beforehand, `Kb` on the rest of `y` and on `z`. The difference acts on the change of velocity alone: it is of second order,
//! does nothing in balance, and is stable as mass would be.
//! Each subdomain evaluates every element that touches it and keeps its own rows: no two threads write one place and the
//! order of summation is fixed.

mod bonds;
mod cells;

use super::bending::{Bending, Bent, Hinge, fold};
use super::elements::Elements;
use super::jam::{jam, jams, part2};
use super::membrane::{Membrane, Triangle};
use super::plate::NONE;
use super::sheet::Sheet;
use crate::linalg::matrix::{Block, Domain, Lanes, Matrix, NOWHERE, Real};
use crate::linalg::{Mat3, Vec2, Vec3, par};
use bonds::Bonds;
use cells::Cells;

/// What the scheme says of this step, by moving vertex.
#[derive(Clone, Copy, Debug)]
pub struct Scheme<'a> {
    /// Positions to linearise at [m].
    pub x: &'a [Vec3],
    /// Displacement of free flight `y` [m].
    pub y: &'a [Vec3],
    /// Velocity `v~` at `z = 0` [m/s].
    pub rate: &'a [Vec3],
    /// Velocity at `x` [m/s].
    pub v: &'a [Vec3],
    /// Masses [kg].
    pub mass: &'a [f64],
    /// Effective step `beta` [s].
    pub beta: f64,
    /// Effective step of each vertex's inertia [s].
    pub betas: &'a [f64],
}

impl Scheme<'_> {
    /// Velocity at `z = 0` that damping sees [m/s]. The matrix adds `z/beta` to it at every vertex, though `z/betas` is the truth: the
    /// change of velocity is scaled alike, so that what does not accelerate is damped by its velocity.
    #[inline]
    fn damped(&self, v: usize) -> Vec3 {
        self.v[v] + (self.rate[v] - self.v[v]) * (self.betas[v] / self.beta)
    }
}

/// What one subdomain evaluates: every element that touches it. It stores the blocks in its own rows, and between two own
/// vertices the one above the diagonal.
#[derive(Clone, Debug)]
struct Part<T> {
    faces: Vec<Face>,
    /// Hinges that touch it, then those that share a triangle with one of them.
    hinges: Vec<Hinge>,
    /// For each hinge that touches it, those that share a triangle with it.
    links: Vec<Link>,
    /// What the hinges do in this step.
    turns: Vec<Turn>,
    /// What hinges add to blocks, block by block: sixteen times the hinge, four times its vertex of the row, its vertex of the
    /// column.
    shares: Vec<u32>,
    /// End of each block's `shares`.
    ends: Vec<u32>,
    /// Gradients of the hinges' angles times the root of the stiffness.
    slopes: Vec<[Lanes<T>; 4]>,
    /// A third of the area vectors of each own vertex's triangles [m^2].
    areas: Vec<Vec3>,
    /// Diagonal blocks and right-hand side that were kept.
    kept: (Vec<T>, Vec<Vec3>),
    cells: Cells,
    bonds: Bonds,
}

/// Pairs of four vertices on and above the diagonal, row by row.
const UPPER: [[usize; 2]; 10] = [[0, 0], [0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [1, 3], [2, 2], [2, 3], [3, 3]];

/// Row of the stiffness of all hinges of a cloth: the hinge itself and the other hinges of its two triangles.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    /// Indices of the others; any where the stiffness is zero.
    others: [u32; 4],
    /// Stiffness per rigidity: itself, others [-].
    stiffness: [f64; 5],
}

/// A hinge in this step.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// Angle away from rest, if the velocity stays as it is [rad].
    away: f64,
    /// What free flight adds to it [rad].
    late: f64,
    /// Stiffness by itself [N m].
    stiffness: f64,
    /// Gradient of the angle by vertex [rad/m].
    gradient: [Vec3; 4],
}

/// A triangle as one subdomain sees it: its vertices in such an order, own ones first and ascending, that the blocks to store
/// are on and above the diagonal.
#[derive(Clone, Copy, Debug)]
struct Face {
    triangle: Triangle,
    /// A sixth; negative where the order turns the triangle over.
    sixth: f64,
    /// Places of the blocks on and above the diagonal, row by row.
    places: [u32; 6],
}

/// The linear system and where each element goes.
#[derive(Clone, Debug)]
pub struct Assembly<T> {
    /// The matrix.
    pub matrix: Matrix<T>,
    /// The right-hand side [N].
    pub force: Vec<Vec3>,
    parts: Vec<Part<T>>,
}

impl<T: Real> Assembly<T> {
    /// Sparsity and places for `elements` on the vertex ranges `starts`.
    pub fn new(elements: &Elements, starts: &[usize]) -> Assembly<T> {
        let triangle_pairs = elements.triangles.iter().flat_map(|t| pairs(&t.vertices));
        let hinge_pairs = elements.hinges.iter().flat_map(|h| pairs(&h.vertices));
        let tetrahedron_pairs = elements.tetrahedra.iter().flat_map(|t| pairs(&t.vertices));
        let bond_pairs = elements.bonds.iter().flat_map(|b| pairs(&b.vertices));
        let sheet_pairs = triangle_pairs.chain(hinge_pairs);
        let matrix = Matrix::<T>::new(starts, sheet_pairs.chain(tetrahedron_pairs).chain(bond_pairs));
        let links = links(elements);
        let parts = par::map_heavy(matrix.domains.len(), |k| Part::new(elements, &links, &matrix.domains[k]));
        let size = matrix.size();
        Assembly { matrix, force: vec![Vec3::zeros(); size], parts }
    }

    /// Inertia and all elements: overwrites the matrix (moving blocks removed) and the right-hand side.
    pub fn assemble(&mut self, elements: &Elements, scheme: &Scheme) {
        self.each_part(|part, domain, force| {
            domain.entries.clear();
            force.fill(Vec3::zeros());
            part.areas.fill(Vec3::zeros());
            part.bend(&elements.sheets, scheme, domain, force);
            part.stretch(&elements.sheets, scheme, domain, force);
            part.cells.add(&elements.bodies, scheme, domain, force);
            part.bonds.add(scheme, domain, force);
            for i in 0..domain.count {
                let v = domain.first + i;
                let inertia = scheme.mass[v] / (scheme.betas[v] * scheme.betas[v]);
                domain.add(i as u32, &Mat3::from_diagonal_element(inertia));
            }
        });
    }

    /// Adds to each vertex the force and the diagonal block that `f` gives for its index and a third of the area vectors of its
    /// triangles [m^2].
    pub fn add_each(&mut self, f: impl Fn(usize, &Vec3) -> Option<(Vec3, Mat3)> + Sync) {
        self.each_part(|part, domain, force| {
            for (i, (area, force)) in part.areas.iter().zip(force).enumerate() {
                if let Some((push, block)) = f(domain.first + i, area) {
                    *force += push;
                    domain.add(i as u32, &block);
                }
            }
        });
    }

    /// Keeps the diagonal and the right-hand side as they are now.
    pub fn keep(&mut self) {
        self.each_part(|part, domain, force| {
            let (blocks, forces) = &mut part.kept;
            blocks.clear();
            blocks.extend_from_slice(&domain.blocks[..9 * domain.count]);
            forces.clear();
            forces.extend_from_slice(force);
        });
    }

    /// Takes back what was added to the diagonal and the right-hand side, and all moving blocks, since [`Assembly::keep`].
    pub fn restore(&mut self) {
        self.each_part(|part, domain, force| {
            domain.entries.clear();
            let (blocks, forces) = &part.kept;
            domain.blocks[..blocks.len()].copy_from_slice(blocks);
            force.copy_from_slice(forces);
        });
    }

    /// Calls `f(part, domain, force)` for every subdomain, in parallel.
    fn each_part(&mut self, f: impl Fn(&mut Part<T>, &mut Domain<T>, &mut [Vec3]) + Sync) {
        let mut items: Vec<_> = self.parts.iter_mut().zip(&mut self.matrix.domains).collect();
        par::each_part(&mut items, &mut self.force, &self.matrix.starts, &|_, (part, domain), force| {
            f(part, domain, force)
        });
    }

    /// Adds a 3x3 block to a vertex's diagonal.
    pub fn add_diagonal(&mut self, vertex: usize, block: &Mat3) {
        let k = self.matrix.starts.partition_point(|s| *s <= vertex) - 1;
        let domain = &mut self.matrix.domains[k];
        domain.add((vertex - domain.first) as u32, block);
    }
}

impl<T: Real> Part<T> {
    fn new(elements: &Elements, links: &[Link], domain: &Domain<T>) -> Part<T> {
        let own = domain.first..domain.first + domain.count;
        let rank = |v: u32| (!own.contains(&(v as usize)), v);
        let place = |a: u32, b: u32| domain.place(a as usize, b as usize);
        let touches = |vertices: &[u32]| vertices.iter().any(|v| own.contains(&(*v as usize)));
        // Neighbours in space are neighbours in memory.
        let mut triangles: Vec<&Triangle> = elements.triangles.iter().filter(|t| touches(&t.vertices)).collect();
        triangles.sort_by_key(|t| t.vertices.map(rank).into_iter().min());
        let count = elements.hinges.len() as u32;
        let mut list: Vec<u32> = (0..count).filter(|h| touches(&elements.hinges[*h as usize].vertices)).collect();
        list.sort_by_key(|h| elements.hinges[*h as usize].vertices.map(rank).into_iter().min());
        let touching = list.len();
        let mut known: Vec<(u32, u32)> = list.iter().enumerate().map(|(k, h)| (*h, k as u32)).collect();
        known.sort_unstable();
        let find = |h: u32, known: &[(u32, u32)]| known.binary_search_by_key(&h, |k| k.0).map(|k| known[k].1);
        let mut beyond: Vec<u32> = list.iter().flat_map(|h| links[*h as usize].others).collect();
        beyond.sort_unstable();
        beyond.dedup();
        beyond.retain(|h| find(*h, &known).is_err());
        list.extend(&beyond);
        known.extend(beyond.iter().enumerate().map(|(k, h)| (*h, (touching + k) as u32)));
        known.sort_unstable();
        let link = |h: &u32| {
            let Link { others, stiffness } = links[*h as usize];
            Link { others: others.map(|h| find(h, &known).unwrap_or(0)), stiffness }
        };
        let own_links: Vec<Link> = list[..touching].iter().map(link).collect();
        let hinges: Vec<Hinge> = list.iter().map(|h| elements.hinges[*h as usize]).collect();

        let mut faces = Vec::new();
        for t in triangles {
            let mut order = [0, 1, 2];
            order.sort_unstable_by_key(|k| rank(t.vertices[*k]));
            let triangle = t.reordered(order);
            let even = (order[1] + 3 - order[0]) % 3 == 1;
            let [a, b, c] = triangle.vertices;
            let places = [place(a, a), place(a, b), place(a, c), place(b, b), place(b, c), place(c, c)];
            faces.push(Face { triangle, sixth: if even { 1.0 / 6.0 } else { -1.0 / 6.0 }, places });
        }
        let mut shares: Vec<(u32, u32)> = Vec::new();
        for (k, h) in hinges[..touching].iter().enumerate() {
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                shares.push((place(h.vertices[a], h.vertices[b]), (16 * k + 4 * a + b) as u32));
            }
        }
        shares.retain(|s| s.0 != NOWHERE);
        shares.sort_unstable();
        let blocks = (domain.cross_base() + domain.cross_col.len()) as u32;
        Part {
            faces,
            slopes: vec![Default::default(); touching],
            turns: vec![Turn::default(); hinges.len()],
            links: own_links,
            hinges,
            ends: (0..blocks).map(|k| shares.partition_point(|s| s.0 <= k) as u32).collect(),
            shares: shares.into_iter().map(|s| s.1).collect(),
            areas: vec![Vec3::zeros(); domain.count],
            kept: Default::default(),
            cells: Cells::new(&elements.tetrahedra, &elements.bodies, domain),
            bonds: Bonds::new(&elements.bonds, domain),
        }
    }

    /// Adds the membrane elements, some of them side by side.
    fn stretch(&mut self, sheets: &[Sheet], scheme: &Scheme, domain: &mut Domain<T>, force: &mut [Vec3]) {
        let mut fields = [[[Wide::default(); 3]; 2]; 3];
        let (mut gradients, mut moduli) = ([Wide::default(); 4], [Wide::default(); 4]);
        let (mut area, mut damping) = (Wide::default(), Wide::default());
        let mut forces = [[Wide::default(); 3]; 3];
        let mut blocks = [[[T::default(); WIDE]; 9]; 6];
        let mut parts = Wide::default();
        for faces in self.faces.chunks(WIDE) {
            for (l, Face { triangle: t, .. }) in faces.iter().enumerate() {
                let sheet = &sheets[t.cloth as usize];
                let v = t.vertices.map(|v| v as usize);
                for k in 0..2 {
                    put(&mut fields[0][k], l, scheme.x[v[k + 1]] - scheme.x[v[0]]);
                    put(&mut fields[1][k], l, scheme.y[v[k + 1]] - scheme.y[v[0]]);
                    put(&mut fields[2][k], l, (scheme.damped(v[k + 1]) - scheme.damped(v[0])) * sheet.damping.stretch);
                    gradients[2 * k][l] = t.gradients[k].x;
                    gradients[2 * k + 1][l] = t.gradients[k].y;
                }
                area[l] = t.area;
                damping[l] = 1.0 + sheet.damping.stretch / scheme.beta;
                let c = match sheet.membrane {
                    Membrane::Isotropic(_) => sheet.membrane.moduli(&Vec3::zeros()),
                    Membrane::Table(_) => sheet.membrane.moduli(&t.strain(&pick(scheme.x, &t.vertices))),
                };
                for (row, c) in moduli.iter_mut().zip(c) {
                    row[l] = c;
                }
            }
            for l in 0..WIDE {
                let g = [0, 1].map(|k| Vec2::new(gradients[2 * k][l], gradients[2 * k + 1][l]));
                let c = [moduli[0][l], moduli[1][l], moduli[2][l], moduli[3][l]];
                let edges = [0, 1, 2].map(|f| [take(&fields[f][0], l), take(&fields[f][1], l)]);
                parts[l] = part2(g[0].perp(&g[1]), &edges[0]);
                let r = Triangle::respond::<T>(&g, area[l], &c, edges, damping[l]);
                forces.iter_mut().zip(r.force).for_each(|(rows, f)| put(rows, l, f));
                for (rows, block) in blocks.iter_mut().zip(&r.stiffness) {
                    rows.iter_mut().zip(block).for_each(|(row, value)| row[l] = *value);
                }
            }
            for l in (0..faces.len()).filter(|l| jams(parts[*l])) {
                let density = (gradients[0][l] * gradients[3][l] - gradients[1][l] * gradients[2][l]).abs();
                let [x, y] = [0, 1].map(|f| [take(&fields[f][0], l), take(&fields[f][1], l)]);
                let Some(jam) = jam(density, moduli[0][l].max(moduli[2][l]) * area[l], &x, &y) else { continue };
                for (k, g) in jam.gradient.iter().enumerate() {
                    let force = take(&forces[k], l) - g * jam.force;
                    put(&mut forces[k], l, force);
                }
                for (rows, [a, b]) in blocks.iter_mut().zip([[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]) {
                    let block = jam.gradient[a] * jam.gradient[b].transpose() * jam.stiffness;
                    rows.iter_mut().zip(block.iter()).for_each(|(row, value)| row[l] += T::of(*value));
                }
            }
            for (l, Face { triangle: t, sixth, places }) in faces.iter().enumerate() {
                for (place, block) in places.iter().zip(&blocks).filter(|(place, _)| **place != NOWHERE) {
                    let at = 9 * *place as usize;
                    for (value, row) in domain.blocks[at..at + 9].iter_mut().zip(block) {
                        *value += row[l];
                    }
                }
                let area = take(&fields[0][0], l).cross(&take(&fields[0][1], l)) * *sixth;
                for (v, push) in t.vertices.iter().zip(&forces) {
                    let row = (*v as usize).wrapping_sub(domain.first);
                    if let (Some(force), Some(sum)) = (force.get_mut(row), self.areas.get_mut(row)) {
                        *force += take(push, l);
                        *sum += area;
                    }
                }
            }
        }
    }

    /// Adds the forces of the bending elements and overwrites all blocks with theirs.
    fn bend(&mut self, sheets: &[Sheet], scheme: &Scheme, domain: &mut Domain<T>, force: &mut [Vec3]) {
        self.turn(sheets, scheme);
        for (k, link) in self.links.iter().enumerate() {
            let (h, turn) = (&self.hinges[k], &self.turns[k]);
            let sheet = &sheets[h.cloth as usize];
            let bent = match sheet.bending {
                Bending::Constant(rigidity) => {
                    let others = link.others.iter().zip(&link.stiffness[1..]);
                    let sum: f64 = others.map(|(o, c)| c * self.turns[*o as usize].away).sum();
                    rigidity * (link.stiffness[0] * turn.away + sum)
                }
                Bending::Table(_) => turn.stiffness * turn.away,
            };
            let moment = bent + turn.stiffness * turn.late;
            let root = (turn.stiffness * (1.0 + sheet.damping.bend / scheme.beta)).sqrt();
            for ((v, g), slope) in h.vertices.iter().zip(&turn.gradient).zip(&mut self.slopes[k]) {
                if let Some(force) = force.get_mut((*v as usize).wrapping_sub(domain.first)) {
                    *force -= g * moment;
                }
                *slope = [T::of(g.x * root), T::of(g.y * root), T::of(g.z * root), T::default()];
            }
        }
        self.write(domain);
    }

    /// Angles of the hinges, some of them side by side.
    fn turn(&mut self, sheets: &[Sheet], scheme: &Scheme) {
        let mut edges = [[Wide::default(); 3]; 3];
        let mut gradients = [[Wide::default(); 3]; 4];
        let (mut sin, mut cos) = (Wide::default(), Wide::default());
        for (hinges, turns) in self.hinges.chunks(WIDE).zip(self.turns.chunks_mut(WIDE)) {
            for (l, h) in hinges.iter().enumerate() {
                let v = h.vertices.map(|v| v as usize);
                for k in 0..3 {
                    put(&mut edges[k], l, scheme.x[v[k + 1]] - scheme.x[v[0]]);
                }
            }
            for l in 0..WIDE {
                let bent = fold([take(&edges[0], l), take(&edges[1], l), take(&edges[2], l)]);
                (sin[l], cos[l]) = (bent.sin, bent.cos);
                gradients.iter_mut().zip(bent.gradient).for_each(|(rows, g)| put(rows, l, g));
            }
            for (l, (h, turn)) in hinges.iter().zip(turns).enumerate() {
                let sheet = &sheets[h.cloth as usize];
                let gradient = [0, 1, 2, 3].map(|a| take(&gradients[a], l));
                let (away, stiffness) = h.state(&sheet.bending, Bent { sin: sin[l], cos: cos[l], gradient }.angle());
                let (mut whole, mut late) = (0.0, 0.0);
                for (v, g) in h.vertices.iter().zip(&gradient) {
                    let v = *v as usize;
                    let damped = scheme.damped(v);
                    whole += g.dot(&(scheme.y[v] + damped * sheet.damping.bend));
                    late += g.dot(&(scheme.rate[v] - scheme.v[v])) * scheme.betas[v];
                    late += g.dot(&(damped - scheme.v[v])) * sheet.damping.bend;
                }
                *turn = Turn { away: away + whole - late, late, stiffness, gradient };
            }
        }
    }

    /// Overwrites each block with the sum of the hinges' shares.
    fn write(&self, domain: &mut Domain<T>) {
        let mut start = 0;
        // In two loops, so that sums are made in lanes of four and not of nine.
        let mut sums = [Block::default(); 32];
        for (chunk, ends) in self.ends.chunks(sums.len()).enumerate() {
            for (sum, end) in sums.iter_mut().zip(ends) {
                let mut block = Block::default();
                for share in &self.shares[start..*end as usize] {
                    let slopes = &self.slopes[(share >> 4) as usize];
                    let (row, column) = (&slopes[(share >> 2 & 3) as usize], &slopes[(share & 3) as usize]);
                    for c in 0..3 {
                        for l in 0..4 {
                            block[c][l] += row[l] * column[c];
                        }
                    }
                }
                *sum = block;
                start = *end as usize;
            }
            for (k, block) in sums[..ends.len()].iter().enumerate() {
                domain.put(chunk * 32 + k, block);
            }
        }
    }
}

/// Elements that are evaluated side by side: their numbers stand in rows, so that loops over them run in lanes.
const WIDE: usize = 8;
/// One number for each of them.
type Wide = [f64; WIDE];

#[inline(always)]
fn put(rows: &mut [Wide; 3], l: usize, v: Vec3) {
    rows[0][l] = v.x;
    rows[1][l] = v.y;
    rows[2][l] = v.z;
}

#[inline(always)]
fn take(rows: &[Wide; 3], l: usize) -> Vec3 {
    Vec3::new(rows[0][l], rows[1][l], rows[2][l])
}

/// The row of each hinge; empty where its law is a table.
fn links(elements: &Elements) -> Vec<Link> {
    let alone = |h: usize| Link { others: [h as u32; 4], ..Link::default() };
    let mut links: Vec<Link> = (0..elements.hinges.len()).map(alone).collect();
    let mut filled = vec![0; links.len()];
    for patch in &elements.patches {
        let there = || (0..3).filter(|k| patch.hinges[*k] != NONE);
        for i in there() {
            let h = patch.hinges[i] as usize;
            links[h].stiffness[0] += patch.stiffness[(i, i)];
            for j in there().filter(|j| *j != i) {
                links[h].others[filled[h]] = patch.hinges[j];
                links[h].stiffness[1 + filled[h]] = patch.stiffness[(i, j)];
                filled[h] += 1;
            }
        }
    }
    links
}

fn pairs<const N: usize>(vertices: &[u32; N]) -> Vec<(u32, u32)> {
    (0..N).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| (vertices[a], vertices[b])).collect()
}

/// The values of an element's vertices.
#[inline]
pub fn pick<const N: usize>(values: &[Vec3], vertices: &[u32; N]) -> [Vec3; N] {
    std::array::from_fn(|a| values[vertices[a] as usize])
}
