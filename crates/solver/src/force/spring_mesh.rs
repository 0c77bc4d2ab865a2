//! Springs from the mesh of a cloth.
//!
//! A lattice (see [`Lattice`]) has structural springs along rows and columns, and shear springs over both diagonals of
//! its cells. Its flexion springs connect vertices at distance two in rows and columns (Provot 1995; Choi & Ko 2002,
//! figure 1). Any other mesh has structural springs at its edges and flexion springs between the corners opposite
//! across an edge.
//!
//! Stiffness may come from a material. A lattice of square cells with structural springs `k1`, shear springs `k2` and
//! linear flexion springs `k3` is a membrane with `C11 = k1 + k2 + 4 k3`, `C12 = C66 = k2`. Springs on its border
//! represent half a cell. Other meshes have `k = Y (A1 + A2)/L^2` (Van Gelder 1998), which is exact for equilateral
//! triangles and Poisson's ratio 1/3.
//!
//! Neither kind of flexion spring has a bending rigidity that is independent of the spacing. A linear spring has none,
//! because its chord shortens with the square of the curvature. A beam has none on its ramp, and a finer mesh stays on
//! the ramp up to a larger curvature. The bending of a material is therefore that of its plate (see
//! [`super::plate_mesh`]).

use super::membrane::Isotropic;
use super::spring::{Jacobian, Role, Spring, Tension};
use crate::linalg::{Vec2, Vec3};
use crate::mesh::TriMesh;
use crate::mesh::lattice::Lattice;
use crate::mesh::topology::{NONE, Topology};

/// Source of the stiffness of structural and shear springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stretch {
    /// Stiffness of structural and of shear springs [N/m].
    Given([f64; 2]),
    /// Stiffness of a membrane.
    Material(Isotropic),
}

/// Resistance to bending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flexion {
    /// Linear springs of this stiffness [N/m]; no springs if zero.
    Linear(f64),
    /// Buckling springs.
    Buckling {
        /// Bending rigidity [N m^2].
        rigidity: f64,
        /// Force per shortening before buckling [N/m].
        ramp: f64,
    },
    /// Plate of the cloth's law, without springs.
    Sheet,
}

/// Parameters of the springs of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Stiffness of structural and shear springs.
    pub stretch: Stretch,
    /// Whether structural and shear springs are tension-only.
    pub taut: bool,
    /// Damping of these springs [N s/m].
    pub damping: f64,
    /// Additional damping per stiffness [s].
    pub damping_time: f64,
    /// Resistance to bending.
    pub flexion: Flexion,
    /// Stiffness matrix of linear springs in the system.
    pub jacobian: Jacobian,
    /// Largest shortening and elongation of structural and shear springs, relative to the rest length.
    pub bounds: [f64; 2],
}

/// Cloth for which springs are made.
#[derive(Clone, Copy, Debug)]
pub struct Knit<'a> {
    /// Mesh of the cloth.
    pub mesh: &'a TriMesh,
    /// Topology of the mesh.
    pub topology: &'a Topology,
    /// Material coordinates of each triangle's vertices [m].
    pub material: &'a [[Vec2; 3]],
    /// Parameters of the springs.
    pub network: &'a Network,
    /// Stiffness factors by vertex, along the cloth and of bending; 1 where absent.
    pub weights: [&'a [f64]; 2],
    /// Whether the rest shape is flat, even if the mesh is bent.
    pub flat: bool,
    /// Index of the cloth.
    pub cloth: u32,
}

/// Edge lengths of a cloth, at rest and at the start.
struct Shape<'a> {
    knit: &'a Knit<'a>,
    /// Rest length of each edge of the mesh [m].
    rest: Vec<f64>,
    /// Initial length of each edge [m].
    start: Vec<f64>,
}

/// Reason why no springs can be made from a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// A spring between these vertices has no rest length.
    NoLength([u32; 2]),
    /// A structural spring between these vertices has negative stiffness, because the others are stiffer than the
    /// material.
    Pushing([u32; 2]),
    /// No two vertices are at distance two, so nothing resists bending.
    NoFlexion,
}

/// Returns why springs cannot be made; `None` if they can.
pub fn fault(knit: &Knit) -> Option<Fault> {
    let all = Shape::new(knit).springs();
    let none = all
        .iter()
        .find(|spring| spring.rest.is_nan() || spring.rest <= 0.0)
        .map(|spring| Fault::NoLength(spring.vertices));
    let pushing = || all.iter().find(|s| s.tension.stiffest() < 0.0).map(|s| Fault::Pushing(s.vertices));
    let wanted = || matches!(knit.network.flexion, Flexion::Buckling { rigidity, .. } if rigidity > 0.0);
    let flexion = || (wanted() && !all.iter().any(|spring| spring.role == Role::Flexion)).then_some(Fault::NoFlexion);
    none.or_else(pushing).or_else(flexion)
}

/// Returns the springs of a cloth's mesh: structural, then shear, then flexion. Springs of zero rest length or
/// stiffness are omitted.
pub fn springs(knit: &Knit) -> Vec<Spring> {
    let mut all = Shape::new(knit).springs();
    all.retain(|spring| spring.rest > 0.0 && spring.tension.stiffest() > 0.0);
    all
}

impl Shape<'_> {
    fn new<'a>(knit: &'a Knit<'a>) -> Shape<'a> {
        let Knit { mesh, topology, material, .. } = *knit;
        let rest = |edge: usize| {
            let t = topology.edge_triangles[edge][0] as usize;
            let [a, b] = topology.edges[edge].map(|v| mesh.triangles[t].iter().position(|w| *w == v).unwrap_or(0));
            (material[t][a] - material[t][b]).norm()
        };
        let start = |edge: usize| {
            let [a, b] = topology.edges[edge].map(|v| mesh.positions[v as usize]);
            (a - b).norm()
        };
        let all = 0..topology.edges.len();
        Shape { knit, rest: all.clone().map(rest).collect(), start: all.map(start).collect() }
    }

    fn springs(&self) -> Vec<Spring> {
        let mut all = Vec::new();
        match Lattice::of(self.knit.mesh, self.knit.topology) {
            Some(lattice) => self.on_lattice(&lattice, &mut all),
            None => self.on_mesh(&mut all),
        }
        all
    }

    fn edge(&self, a: u32, b: u32) -> Option<usize> {
        self.knit.topology.edges.binary_search(&[a.min(b), a.max(b)]).ok()
    }

    /// Returns the rest length of the edge between two vertices [m]; zero if there is no edge.
    fn length(&self, a: u32, b: u32) -> f64 {
        self.edge(a, b).map_or(0.0, |edge| self.rest[edge])
    }

    /// Returns the initial distance [m].
    fn apart(&self, a: u32, b: u32) -> f64 {
        (self.knit.mesh.positions[a as usize] - self.knit.mesh.positions[b as usize]).norm()
    }

    fn weighted(&self, [a, b]: [u32; 2], map: usize) -> f64 {
        let factor = |v: u32| self.knit.weights[map].get(v as usize).copied().unwrap_or(1.0);
        0.5 * (factor(a) + factor(b))
    }

    /// Makes a structural or shear spring.
    fn along(&self, vertices: [u32; 2], rest: f64, stiffness: f64) -> Spring {
        let role = if self.edge(vertices[0], vertices[1]).is_some() { Role::Edge } else { Role::Diagonal };
        let Network { taut, damping, damping_time, jacobian, .. } = *self.knit.network;
        let stiffness = stiffness * self.weighted(vertices, 0);
        let damping = damping + damping_time * stiffness;
        let tension =
            if taut { Tension::Taut { stiffness, damping } } else { Tension::Linear { stiffness, damping, jacobian } };
        Spring { vertices, rest, tension, role, cloth: self.knit.cloth }
    }

    /// Makes a flexion spring. `unfolded` has its lengths in the flat cloth, at rest and at the start. Returns `None`
    /// for [`Flexion::Sheet`].
    fn across(&self, vertices: [u32; 2], unfolded: [f64; 2]) -> Option<Spring> {
        let factor = self.weighted(vertices, 1);
        let [rest, start] = unfolded;
        let bent = self.apart(vertices[0], vertices[1]) / start;
        let rest = if self.knit.flat || !bent.is_finite() { rest } else { rest * bent };
        let tension = match self.knit.network.flexion {
            Flexion::Linear(stiffness) => {
                let jacobian = self.knit.network.jacobian;
                Tension::Linear { stiffness: stiffness * factor, damping: 0.0, jacobian }
            }
            Flexion::Buckling { rigidity, ramp } => Tension::beam(rest, rigidity * factor, ramp),
            Flexion::Sheet => return None,
        };
        Some(Spring { vertices, rest, tension, role: Role::Flexion, cloth: self.knit.cloth })
    }

    fn on_lattice(&self, lattice: &Lattice, all: &mut Vec<Spring>) {
        let Lattice { columns, rows, .. } = *lattice;
        // Lines along rows, then along columns; vertex `i` of line `j`.
        let lines = [(columns, rows), (rows, columns)];
        let at = |way: usize, i: usize, j: usize| if way == 0 { lattice.at(i, j) } else { lattice.at(j, i) };
        let flexion = if let Flexion::Linear(stiffness) = self.knit.network.flexion { stiffness } else { 0.0 };
        for (way, (count, lines)) in lines.into_iter().enumerate() {
            for j in 0..lines {
                for i in 1..count {
                    let [a, b] = [at(way, i - 1, j), at(way, i, j)];
                    let rest = self.length(a, b);
                    let stiffness = match self.knit.network.stretch {
                        Stretch::Given([structural, _]) => structural,
                        Stretch::Material(law) => {
                            let beside = [j.checked_sub(1), (j + 1 < lines).then_some(j + 1)];
                            let cell = |k: usize| law.structural(rest, self.length(a, at(way, i - 1, k)), flexion);
                            beside.into_iter().flatten().map(|k| 0.5 * cell(k)).sum()
                        }
                    };
                    all.push(self.along([a, b], rest, stiffness));
                }
            }
        }
        for j in 1..rows {
            for i in 1..columns {
                let [a, b, c, d] = [[i - 1, j - 1], [i, j - 1], [i, j], [i - 1, j]].map(|[i, j]| lattice.at(i, j));
                let stiffness = match self.knit.network.stretch {
                    Stretch::Given([_, shear]) => shear,
                    Stretch::Material(law) => law.shear(self.length(a, b), self.length(a, d)),
                };
                for [v, w] in [[a, c], [b, d]] {
                    let rest =
                        self.edge(v, w).map_or_else(|| self.opposite([a, b, c, d], &self.rest), |e| self.rest[e]);
                    all.push(self.along([v, w], rest, stiffness));
                }
            }
        }
        for (way, (count, lines)) in lines.into_iter().enumerate() {
            for j in 0..lines {
                for i in 2..count {
                    let [a, b, c] = [i - 2, i - 1, i].map(|i| at(way, i, j));
                    let rest = self.length(a, b) + self.length(b, c);
                    let start = self.apart(a, b) + self.apart(b, c);
                    all.extend(self.across([a, c], [rest, start]));
                }
            }
        }
    }

    fn on_mesh(&self, all: &mut Vec<Spring>) {
        let Knit { topology, material, network, .. } = *self.knit;
        let area = |t: u32| {
            let Some([a, b, c]) = material.get(t as usize).filter(|_| t != NONE) else { return 0.0 };
            (b - a).perp(&(c - a)).abs() / 2.0
        };
        for (edge, ends) in topology.edges.iter().enumerate() {
            let rest = self.rest[edge];
            let stiffness = match network.stretch {
                Stretch::Given([structural, _]) => structural,
                Stretch::Material(law) => {
                    law.young * topology.edge_triangles[edge].map(area).iter().sum::<f64>() / (rest * rest)
                }
            };
            all.push(self.along(*ends, rest, stiffness));
        }
        for hinge in &topology.hinges {
            let [a, b, c, d] = hinge.vertices;
            if c == d || self.edge(c, d).is_some() {
                continue;
            }
            let unfolded = [&self.rest, &self.start].map(|lengths| self.opposite([a, c, b, d], lengths));
            all.extend(self.across([c, d], unfolded));
        }
    }

    /// Returns the flat distance of the two corners of a quadrilateral that no edge joins [m]. Corners are in order
    /// around it.
    fn opposite(&self, [a, b, c, d]: [u32; 4], lengths: &[f64]) -> f64 {
        let [a, b, c, d] = if self.edge(a, c).is_some() { [a, b, c, d] } else { [b, c, d, a] };
        let length = |a: u32, b: u32| self.edge(a, b).map_or(0.0, |edge| lengths[edge]);
        let edge = length(a, c);
        let apex = |v: u32| {
            let (p, q) = (length(a, v), length(c, v));
            let along = (p * p - q * q + edge * edge) / (2.0 * edge);
            Vec2::new(along, (p * p - along * along).max(0.0).sqrt())
        };
        let (p, q) = (apex(b), apex(d));
        (p - Vec2::new(q.x, -q.y)).norm()
    }
}

impl Isotropic {
    /// Returns the stiffness of a structural spring in a lattice [N/m]. Cells have length `along` in its direction and
    /// width `across`; linear flexion springs have stiffness `flexion` [N/m].
    fn structural(&self, along: f64, across: f64, flexion: f64) -> f64 {
        let [c11, .., c66] = super::membrane::Membrane::Isotropic(*self).moduli(&Vec3::zeros());
        (c11 - c66 * (along / across).powi(2)) * across / along - 4.0 * flexion
    }

    /// Returns the stiffness of the springs over the diagonals of a cell [N/m].
    fn shear(&self, along: f64, across: f64) -> f64 {
        let [.., c66] = super::membrane::Membrane::Isotropic(*self).moduli(&Vec3::zeros());
        c66 * (along * along + across * across) / (2.0 * along * across)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::scheme::Shape;
    use crate::force::spring::Springs;
    use crate::mesh::generate::{Diagonals, equilateral_sheet, lying, sheet};

    const LAW: Isotropic = Isotropic { young: 300.0, poisson: 0.25 };

    fn network(stretch: Stretch, flexion: Flexion) -> Network {
        Network {
            stretch,
            taut: false,
            damping: 0.0,
            damping_time: 0.0,
            flexion,
            jacobian: Jacobian::Full,
            bounds: [1.0, f64::INFINITY],
        }
    }

    /// Makes the springs of a mesh in the plane, whose material coordinates are x and z.
    fn knit(mesh: &TriMesh, network: &Network) -> Vec<Spring> {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let at = |v: u32| Vec2::new(mesh.positions[v as usize].x, mesh.positions[v as usize].z);
        let material: Vec<[Vec2; 3]> = mesh.triangles.iter().map(|t| t.map(at)).collect();
        let weights: [&[f64]; 2] = [&[], &[]];
        let knit = Knit { mesh, topology: &topology, material: &material, network, weights, flat: true, cloth: 0 };
        assert_eq!(fault(&knit), None);
        springs(&knit)
    }

    /// Returns the energy per area of a mesh under a small strain `(e11, e22, 2 e12)` [N/m].
    fn density(mesh: &TriMesh, springs: &[Spring], [e11, e22, shear]: [f64; 3]) -> f64 {
        let strained = |p: &Vec3| p + Vec3::new(e11 * p.x + shear * p.z / 2.0, 0.0, e22 * p.z + shear * p.x / 2.0);
        let x: Vec<Vec3> = mesh.positions.iter().map(strained).collect();
        Springs(springs).energy(&Shape::from(&x), |role| role != Role::Flexion) / area(mesh)
    }

    fn area(mesh: &TriMesh) -> f64 {
        let corner = |v: u32| mesh.positions[v as usize];
        let area = |[a, b, c]: &[u32; 3]| (corner(*b) - corner(*a)).cross(&(corner(*c) - corner(*a))).norm() / 2.0;
        mesh.triangles.iter().map(area).sum()
    }

    /// Returns the moduli from second differences of the energy, which is quadratic except for the rotation of
    /// diagonals. That error is of the order of the strain squared, 1e-12, against rounding of 1e-16/1e-6 squared.
    fn moduli(mesh: &TriMesh, springs: &[Spring]) -> [f64; 4] {
        let h = 1e-4;
        let at = |e: [f64; 3]| 0.5 * (density(mesh, springs, e) + density(mesh, springs, e.map(|e| -e)));
        let one = |k: usize| 2.0 * at(std::array::from_fn(|i| if i == k { h } else { 0.0 })) / (h * h);
        let both = 2.0 * at([h, h, 0.0]) / (h * h);
        let [c11, c22, c66] = [0, 1, 2].map(one);
        [c11, (both - c11 - c22) / 2.0, c22, c66]
    }

    /// Square and oblong cells have the moduli of their material, with `C12 = C66`, whether or not Poisson's ratio is
    /// 1/3. The energy of a rotating diagonal has an error of its elongation squared, of the order of h = 1e-4 squared.
    #[test]
    fn a_lattice_has_the_moduli_of_its_material() {
        for height in [0.5, 0.4] {
            for diagonals in [Diagonals::Aligned, Diagonals::Alternating] {
                let mesh = sheet(6, 6, 0.5, height, diagonals, lying(0.5, height));
                let springs = knit(&mesh, &network(Stretch::Material(LAW), Flexion::Linear(0.0)));
                let c11 = LAW.young / (1.0 - LAW.poisson * LAW.poisson);
                let c66 = LAW.young / (2.0 * (1.0 + LAW.poisson));
                for (found, wanted) in moduli(&mesh, &springs).into_iter().zip([c11, c66, c11, c66]) {
                    assert!((found - wanted).abs() < 1e-7 * c11, "{height} {diagonals:?}: {found} {wanted}");
                }
            }
        }
    }

    /// Given springs have `C11 = k1 + k2 + 4 k3`, `C12 = C66 = k2` in the interior. A cloth of n cells has one more row
    /// of springs on its border, and one flexion spring less.
    #[test]
    fn a_lattice_of_given_springs_has_the_moduli_of_the_formula() {
        let (k1, k2, k3) = (30.0, 12.0, 5.0);
        let n = 20;
        let mesh = sheet(n + 1, n + 1, 0.5, 0.5, Diagonals::Alternating, lying(0.5, 0.5));
        let springs = knit(&mesh, &network(Stretch::Given([k1, k2]), Flexion::Linear(0.0)));
        let [c11, c12, c22, c66] = moduli(&mesh, &springs);
        let rows = (n + 1) as f64 / n as f64;
        for (found, wanted) in [(c11, k1 * rows + k2), (c22, k1 * rows + k2), (c12, k2), (c66, k2)] {
            assert!((found - wanted).abs() < 1e-6 * wanted, "{found} {wanted}");
        }
        let bent = knit(&mesh, &network(Stretch::Given([k1, k2]), Flexion::Linear(k3)));
        let flexion: Vec<Spring> =
            bent.iter().filter(|s| s.role == Role::Flexion).map(|s| Spring { role: Role::Edge, ..*s }).collect();
        let [c11, ..] = moduli(&mesh, &flexion);
        let wanted = 4.0 * k3 * rows * (n - 1) as f64 / n as f64;
        assert!((c11 - wanted).abs() < 1e-6 * wanted, "{c11} {wanted}");
    }

    /// Equilateral triangles with Poisson's ratio 1/3, except at the edge of the cloth, which has a row of halves.
    #[test]
    fn equilateral_triangles_have_the_moduli_of_their_material() {
        let law = Isotropic { poisson: 1.0 / 3.0, ..LAW };
        let mesh = equilateral_sheet(1.0, 1.0, 0.02, lying(1.0, 1.0));
        let springs = knit(&mesh, &network(Stretch::Material(law), Flexion::Linear(0.0)));
        let c11 = law.young / (1.0 - law.poisson * law.poisson);
        let wanted = [c11, c11 / 3.0, c11, c11 / 3.0];
        for (found, wanted) in moduli(&mesh, &springs).into_iter().zip(wanted) {
            // 50 rows of height 0.02 and not 0.0173 sqrt(..): the triangles are equilateral within 0.5 %, two rows of
            // 58 are halves.
            assert!((found - wanted).abs() < 0.03 * wanted, "{found} {wanted}");
        }
    }

    /// A mesh without vertices at distance two cannot bend; stiff flexion springs leave a structural spring negative.
    #[test]
    fn what_has_no_springs_is_told() {
        let mesh = sheet(2, 2, 0.1, 0.1, Diagonals::Aligned, lying(0.1, 0.1));
        let network = network(Stretch::Material(LAW), Flexion::Linear(200.0));
        let topology = Topology::new(4, &mesh.triangles);
        let material: Vec<[Vec2; 3]> = mesh
            .triangles
            .iter()
            .map(|t| t.map(|v| Vec2::new(mesh.positions[v as usize].x, mesh.positions[v as usize].z)))
            .collect();
        let weights: [&[f64]; 2] = [&[], &[]];
        let knit = |network| Knit {
            mesh: &mesh,
            topology: &topology,
            material: &material,
            network,
            weights,
            flat: true,
            cloth: 0,
        };
        assert!(matches!(fault(&knit(&network)), Some(Fault::Pushing(_))));
        let beams = Network {
            flexion: Flexion::Buckling { rigidity: 1e-8, ramp: 1.0 },
            stretch: Stretch::Given([1.0; 2]),
            ..network
        };
        assert_eq!(fault(&knit(&beams)), Some(Fault::NoFlexion));
    }
}
