//! Rigidity of the triangles of a mesh that makes the mesh a plate.
//!
//! A mesh bent by constant curvatures stores `kappa^T D kappa/2` per area while its vertices lie on the surface.
//! Relaxed, it sheds a part of that (see [`super::calibrate`]). The rest is also a quadratic form of the curvature, the
//! effective rigidity of the mesh. Three scalars, `D = diag(xx, yy, xy)`, are fitted so that the effective rigidity for
//! bending along warp, along weft and for twist is the plate's.
//!
//! The mesh keeps its own Poisson's ratio: zero with aligned diagonals or equilateral triangles, -0.04 on random
//! meshes, and `1 - sqrt(2) = -0.41` with alternating diagonals. In the last case a strip that may bend across is a
//! beam of 5/6 the rigidity. A coupling of xx and yy in `D` could correct that, but it would make pinned vertices, and
//! so clamps, several times as stiff. A strip six times as long as wide is measured as a beam (see [`super::strip`]).

use super::bending::PLATE;
use super::calibrate::{FlatHinge, counted, inner, within};
use super::plate::{FlatPatch, NONE};
use super::strip::Strip;
use crate::linalg::{Mat3, Vec3, par};

/// Number of times that heights are relaxed and the rigidity is corrected.
const ROUNDS: usize = 5;
/// Conjugate gradient iterations per round, from the heights of the last round.
const ITERATIONS: usize = 16;
/// Bounds of a scalar, relative to the plate's.
const BOUNDS: (f64, f64) = (0.3, 3.0);

/// Returns `C` of every patch of a plate whose diagonal of `D` is `plate`. `count` is the number of vertices.
///
/// Triangles are weighted by their vertices well inside, as in [`super::calibrate::coefficients`].
pub fn stiffnesses(plate: &[f64; 3], hinges: &[FlatHinge], patches: &[FlatPatch], count: usize) -> Vec<Mat3> {
    let apart = par::map(patches.len(), |k| patches[k].is_apart());
    let each = |scale: &[f64; 3]| par::map(patches.len(), |k| patches[k].stiffness(plate, scale, apart[k]));
    let mut sheet = Relaxed::new(hinges, patches, count);
    let counted = counted(hinges, count);
    let mut scale = [1.0; 3];
    for _ in 0..ROUNDS {
        let stiffness = each(&scale);
        sheet.relax(&stiffness);
        let Some(form) = sheet.form(&stiffness, &counted) else { break };
        for k in 0..3 {
            scale[k] = scaled(scale[k] * plate[k], form[(k, k)]);
        }
    }
    let laid: Vec<_> = hinges.iter().map(|h| (h.vertices, h.points)).collect();
    if let Some(strip) = Strip::of(count, &laid) {
        sheet.free.clone_from(&strip.free);
        let stiffness = each(&scale);
        (0..ROUNDS).for_each(|_| sheet.relax(&stiffness));
        if let Some(form) = sheet.form(&stiffness, &strip.counted) {
            let wanted = if *plate == PLATE { 1.0 } else { strip.beam(plate) };
            scale = scale.map(|scale| scaled(scale * wanted, strip.rigidity(&form)));
        }
    }
    each(&scale)
}

/// Corrects a scalar of a mesh whose rigidity is `part` of the wanted one.
fn scaled(scale: f64, part: f64) -> f64 {
    if part > 0.0 { (scale / part).clamp(BOUNDS.0, BOUNDS.1) } else { scale }
}

/// Heights above the surfaces of unit curvature xx, yy, xy that minimise the energy. They are zero on the border and on
/// the ring next to it.
struct Relaxed<'a> {
    hinges: &'a [FlatHinge],
    patches: &'a [FlatPatch],
    slopes: Vec<[f64; 4]>,
    free: Vec<bool>,
    heights: Vec<Vec3>,
    /// Increase of each hinge's angle by the heights, and the restoring moments.
    turns: Vec<Vec3>,
    moments: Vec<Vec3>,
    /// Moments by patch.
    parts: Vec<Mat3>,
    /// Sides of patches at each hinge. Side `i` of patch `k` is `3 k + i`.
    sides: Lists,
    /// Corners of hinges at each vertex. Corner `a` of hinge `h` is `4 h + a`.
    corners: Lists,
}

/// Positions of each item in a sequence of items, in order (CSR form).
struct Lists {
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Lists {
    /// Lists the positions of items below `count`.
    fn new(count: usize, items: impl Iterator<Item = u32> + Clone) -> Lists {
        let known = || (0..).zip(items.clone()).filter(|(_, item)| (*item as usize) < count);
        let mut starts = vec![0; count + 1];
        known().for_each(|(_, item)| starts[item as usize + 1] += 1);
        (0..count).for_each(|k| starts[k + 1] += starts[k]);
        let (mut next, mut places) = (starts.clone(), vec![0; starts[count] as usize]);
        for (place, item) in known() {
            places[next[item as usize] as usize] = place;
            next[item as usize] += 1;
        }
        Lists { starts, places }
    }

    fn of(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        let range = self.starts[item] as usize..self.starts[item + 1] as usize;
        self.places[range].iter().map(|place| *place as usize)
    }
}

impl<'a> Relaxed<'a> {
    fn new(hinges: &'a [FlatHinge], patches: &'a [FlatPatch], count: usize) -> Relaxed<'a> {
        Relaxed {
            slopes: hinges.iter().map(FlatHinge::slopes).collect(),
            free: within(hinges, &inner(hinges, count)),
            heights: vec![Vec3::zeros(); count],
            turns: vec![Vec3::zeros(); hinges.len()],
            moments: vec![Vec3::zeros(); hinges.len()],
            parts: vec![Mat3::zeros(); patches.len()],
            sides: Lists::new(hinges.len(), patches.iter().flat_map(|p| p.hinges)),
            corners: Lists::new(count, hinges.iter().flat_map(|h| h.vertices)),
            hinges,
            patches,
        }
    }

    /// Computes the increase of each hinge's angle by the heights on the three surfaces.
    fn turn(&mut self, heights: &[Vec3]) {
        let Relaxed { hinges, slopes, turns, .. } = self;
        par::fill(turns, |h| (0..4).map(|a| heights[hinges[h].vertices[a] as usize] * slopes[h][a]).sum());
    }

    /// Returns the turns of a patch's hinges (rows) by surface (columns).
    fn by_patch(patch: &FlatPatch, turns: &[Vec3]) -> Mat3 {
        let row = |h: u32| if h == NONE { Vec3::zeros() } else { turns[h as usize] };
        Mat3::from_columns(&patch.hinges.map(row)).transpose()
    }

    /// Returns twice the energy of each patch as a form of the curvature.
    fn energies(&mut self, stiffness: &[Mat3]) -> Vec<Mat3> {
        let heights = std::mem::take(&mut self.heights);
        self.turn(&heights);
        self.heights = heights;
        par::map(self.patches.len(), |k| {
            let angles = self.patches[k].theta() + Self::by_patch(&self.patches[k], &self.turns);
            angles.transpose() * stiffness[k] * angles
        })
    }

    /// Returns twice the energy per area as a form of the curvature; `None` without area. Triangles are weighted by how
    /// many of their vertices are `counted`.
    fn form(&mut self, stiffness: &[Mat3], counted: &[f64]) -> Option<Mat3> {
        let energies = self.energies(stiffness);
        let share = |p: &FlatPatch| p.vertices.iter().map(|v| counted[*v as usize]).sum::<f64>() / 3.0;
        let area: f64 = self.patches.iter().map(|p| share(p) * p.area).sum();
        let mean = |sum: Mat3, (patch, energy): (&FlatPatch, &Mat3)| sum + energy * (share(patch) / area);
        (area > 0.0 && area.is_finite()).then(|| self.patches.iter().zip(&energies).fold(Mat3::zeros(), mean))
    }

    /// Computes the derivative of the energy by the height of each free vertex. Heights turn the hinges, and with
    /// `surfaces` the curved surfaces as well.
    fn forces(&mut self, stiffness: &[Mat3], heights: &[Vec3], surfaces: bool, forces: &mut [Vec3]) {
        self.turn(heights);
        let Relaxed { patches, slopes, free, turns, moments, parts, sides, corners, .. } = self;
        par::fill(parts, |k| {
            let angles = Self::by_patch(&patches[k], turns);
            stiffness[k] * if surfaces { patches[k].theta() + angles } else { angles }
        });
        par::fill(moments, |h| sides.of(h).map(|side| parts[side / 3].row(side % 3).transpose()).sum());
        par::fill(forces, |v| {
            let force = |place: usize| moments[place / 4] * slopes[place / 4][place % 4];
            if free[v] { corners.of(v).map(force).sum() } else { Vec3::zeros() }
        });
    }

    /// Relaxes the heights by conjugate gradients with diagonal preconditioner, the three curvatures side by side.
    fn relax(&mut self, stiffness: &[Mat3]) {
        let mut diagonal = vec![0.0; self.free.len()];
        for (patch, stiffness) in self.patches.iter().zip(stiffness) {
            for (i, h) in patch.hinges.iter().enumerate().filter(|(_, h)| **h != NONE) {
                let h = *h as usize;
                for (v, slope) in self.hinges[h].vertices.iter().zip(&self.slopes[h]) {
                    diagonal[*v as usize] += stiffness[(i, i)] * slope * slope;
                }
            }
        }
        let dot = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).fold(Vec3::zeros(), |sum, (a, b)| sum + a.component_mul(b));
        let mut heights = std::mem::take(&mut self.heights);
        let [mut residual, mut scaled, mut search, mut image] =
            std::array::from_fn(|_| vec![Vec3::zeros(); heights.len()]);
        self.forces(stiffness, &heights, true, &mut residual);
        let mut before = Vec3::repeat(f64::INFINITY);
        for _ in 0..ITERATIONS {
            par::fill(&mut scaled, |v| if self.free[v] { residual[v] / diagonal[v] } else { Vec3::zeros() });
            let now = dot(&scaled, &residual);
            let keep = now.zip_map(&before, |now, before| if before > 0.0 { now / before } else { 0.0 });
            par::each_mut(&mut search, |v, search| *search = scaled[v] + search.component_mul(&keep));
            self.forces(stiffness, &search, false, &mut image);
            let step = now.zip_map(&dot(&search, &image), |now, bend| if bend > 0.0 { now / bend } else { 0.0 });
            par::each_pair_mut(&mut heights, &mut residual, |v, height, residual| {
                *height -= search[v].component_mul(&step);
                *residual -= image[v].component_mul(&step);
            });
            before = now;
        }
        self.heights = heights;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;
    use crate::mesh::generate::{Diagonals, equilateral_sheet, hanging, random_sheet, sheet};
    use crate::mesh::topology::Topology;

    /// Returns the hinges and patches of a flat mesh.
    fn flat(mesh: &TriMesh) -> (Vec<FlatHinge>, Vec<FlatPatch>) {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let area = |t: u32| {
            let [a, b, c] = mesh.triangles[t as usize].map(|v| mesh.uv[v as usize]);
            (b - a).perp(&(c - a)).abs() / 2.0
        };
        let blank = |t: usize| FlatPatch::new(mesh.triangles[t], area(t as u32));
        let mut patches: Vec<FlatPatch> = (0..mesh.triangles.len()).map(blank).collect();
        let mut hinges = Vec::new();
        for hinge in &topology.hinges {
            let [a, b, c, d] = hinge.vertices;
            let both = area(hinge.triangles[0]) + area(hinge.triangles[1]);
            let inner = [a, b].map(|v| !topology.boundary[v as usize]);
            let flat = FlatHinge {
                vertices: hinge.vertices,
                points: hinge.vertices.map(|v| mesh.uv[v as usize]),
                area: both,
                inner,
            };
            for (t, opposite) in hinge.triangles.into_iter().zip([c, d]) {
                let patch = &mut patches[t as usize];
                let k = patch.vertices.iter().position(|v| *v == opposite).unwrap();
                patch.hinges[k] = hinges.len() as u32;
                patch.angles[k] = flat.angles();
                patch.curvature[k] = (flat.points[1] - flat.points[0]).norm() / both;
            }
            hinges.push(flat);
        }
        (hinges, patches)
    }

    /// Returns the energy per area of the relaxed mesh, relative to half the plate's rigidity, as a form of the
    /// curvature.
    fn effective(mesh: &TriMesh, plate: &[f64; 3]) -> Mat3 {
        let (hinges, patches) = flat(mesh);
        let count = mesh.positions.len();
        let stiffness = stiffnesses(plate, &hinges, &patches, count);
        let mut sheet = Relaxed::new(&hinges, &patches, count);
        (0..20).for_each(|_| sheet.relax(&stiffness));
        sheet.form(&stiffness, &counted(&hinges, count)).unwrap()
    }

    /// All vertices of a lattice are equivalent, so they stay on their surface, where each patch is exact.
    #[test]
    fn a_lattice_is_a_plate_as_it_is() {
        let mesh = sheet(20, 15, 1.0, 0.6, Diagonals::Aligned, hanging());
        let (hinges, patches) = flat(&mesh);
        for (patch, stiffness) in patches.iter().zip(stiffnesses(&PLATE, &hinges, &patches, mesh.positions.len())) {
            let expected = patch.stiffness(&PLATE, &[1.0; 3], patch.is_apart());
            assert!((stiffness - expected).norm() < 1e-9 * expected.norm(), "{stiffness} {expected}");
        }
        // The columns at the ends of an equilateral sheet are not a lattice.
        for (mesh, tolerance) in [(mesh, 1e-9), (equilateral_sheet(1.0, 1.0, 0.05, hanging()), 0.01)] {
            let form = effective(&mesh, &PLATE);
            for k in 0..16 {
                let (sin, cos) = (f64::from(k) * std::f64::consts::PI / 16.0).sin_cos();
                let kappa = Vec3::new(cos * cos, sin * sin, cos * sin);
                assert!((kappa.dot(&(form * kappa)) - 1.0).abs() < tolerance, "cylinder {k}: {form}");
            }
            for kappa in [Vec3::new(1.0, -1.0, 0.0), Vec3::z()] {
                assert!((kappa.dot(&(form * kappa)) - 2.0).abs() < 2.0 * tolerance, "{kappa}: {form}");
            }
        }
    }

    /// Warp, weft and twist are the plate's on any mesh (five rounds of sixteen iterations leave 0.2 %). The mesh keeps
    /// its own Poisson's ratio.
    #[test]
    fn warp_weft_and_twist_are_the_plates() {
        let alternating = sheet(30, 30, 1.0, 1.0, Diagonals::Alternating, hanging());
        for (mesh, poisson, tolerance) in
            [(alternating, 1.0 - 2f64.sqrt(), 0.02), (random_sheet(30, 30, 1.0, 1.0, 7, hanging()), -0.04, 0.02)]
        {
            let form = effective(&mesh, &PLATE);
            for k in 0..3 {
                assert!((form[(k, k)] / PLATE[k] - 1.0).abs() < 0.005, "{form}");
            }
            assert!((form[(0, 1)] - poisson).abs() < tolerance, "{form}");
            assert!(form[(0, 2)].abs() < 0.05 && form[(1, 2)].abs() < 0.05, "{form}");
        }
    }

    /// An orthotropic plate has its rigidity along warp, along weft and in twist on irregular meshes, whatever the
    /// ratio. Alternating diagonals give way in zigzags that the softer thread holds: 4 % of the stiffer rigidity at a
    /// ratio of three. With aligned diagonals all vertices are equivalent, and cylinders of every direction are exact.
    #[test]
    fn meshes_are_orthotropic_plates() {
        for (plate, stiffness_scale) in
            [([1.5, 0.5, 1.7], Some(0.05)), ([0.4, 1.6, 0.9], None), ([1.7, 0.3, 1.2], None)]
        {
            let alternating = stiffness_scale
                .map(|stiffness_scale| (sheet(30, 30, 1.0, 1.0, Diagonals::Alternating, hanging()), stiffness_scale));
            for (mesh, stiffness_scale) in
                alternating.into_iter().chain([(random_sheet(30, 30, 1.0, 1.0, 7, hanging()), 0.01)])
            {
                let form = effective(&mesh, &plate);
                for k in 0..3 {
                    assert!((form[(k, k)] / plate[k] - 1.0).abs() < stiffness_scale, "{plate:?}: {form}");
                }
            }
            let form = effective(&sheet(20, 15, 1.0, 0.6, Diagonals::Aligned, hanging()), &plate);
            for k in 0..16 {
                let (sin, cos) = (f64::from(k) * std::f64::consts::PI / 16.0).sin_cos();
                let kappa = Vec3::new(cos * cos, sin * sin, cos * sin);
                let wanted: f64 = (0..3).map(|k| plate[k] * kappa[k] * kappa[k]).sum();
                assert!((kappa.dot(&(form * kappa)) / wanted - 1.0).abs() < 0.01, "{plate:?}, cylinder {k}: {form}");
            }
        }
    }

    /// No vertex of a strip of one cell has a closed ring. All of the strip counts, and every scalar stays within its
    /// bounds.
    #[test]
    fn a_strip_of_one_cell_is_taken_whole() {
        let mesh = sheet(30, 2, 3.0, 0.1, Diagonals::Aligned, hanging());
        let (hinges, patches) = flat(&mesh);
        for (patch, stiffness) in patches.iter().zip(stiffnesses(&PLATE, &hinges, &patches, mesh.positions.len())) {
            let [low, high] = [BOUNDS.0, BOUNDS.1].map(|scale| patch.stiffness(&PLATE, &[scale; 3], patch.is_apart()));
            let least = |form: Mat3| form.symmetric_eigenvalues().min();
            assert!(least(stiffness - low) > -1e-9 * low.norm() && least(high - stiffness) > -1e-9 * low.norm());
        }
        assert!(stiffnesses(&PLATE, &[], &[], 0).is_empty());
    }
}
