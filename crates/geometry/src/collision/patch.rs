//! Patches: small, spatially compact parts of the surfaces, each followed in the frame of its mean motion.
//!
//! Neighbouring parts of cloth move nearly alike, so they approach each other by far less than they travel. Lists of
//! pairs between patches outlive lists between objects by the same factor.

use super::surface::Surface;
use super::tree::{Box3, Tree};
use crate::linalg::Vec3;

/// Number of triangles of a patch.
const TRIANGLES: usize = 64;

/// Patch: triangles of one object, the edges and vertices assigned to them, and their motion.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Index of the object.
    pub object: usize,
    /// Largest half thickness of the vertices [m].
    pub thickness: f64,
    /// Mean edge length when the patch was made [m].
    pub edge: f64,
    /// Vertices of the patch. Each vertex, edge and triangle belongs to one patch.
    pub vertices: Tree,
    /// Edges of the patch.
    pub edges: Tree,
    /// Triangles of the patch.
    pub triangles: Tree,
    /// All vertices of the patch's features.
    corners: Vec<u32>,
    /// Mean position of the corners [m].
    pub mean: Vec3,
    /// Sum over all steps of the largest displacement of a corner relative to the mean [m].
    pub drift: f64,
    /// Expected next displacement of the mean [m].
    pub step: Vec3,
    /// Largest expected displacement relative to the mean [m].
    pub own: f64,
    /// Largest difference of a corner's displacement from the expected one [m].
    pub deviation: f64,
    /// Largest difference of a corner's displacement from the one that the lists cover [m].
    pub stray: f64,
    /// Displacement of the mean that was last compared, and the largest displacement relative to it [m].
    pub pace: (Vec3, f64),
    /// Box around the corners and their expected next positions.
    pub swept: Box3,
    /// Whether the boxes of the trees are those of the present positions and displacements.
    fitted: bool,
    /// Whether the boxes are needed.
    pub wanted: bool,
}

impl Patch {
    /// Cuts all surfaces at positions `x` into patches [m]. `thickness` is the half thickness of each vertex [m].
    pub fn cut(x: &[Vec3], surface: &Surface, thickness: &[f64]) -> Vec<Patch> {
        let at = |v: u32| x[v as usize];
        let (mut vertex_free, mut edge_free) = (vec![true; surface.vertices], vec![true; surface.edges.len()]);
        let mut patches = Vec::new();
        for object in 0..surface.objects() {
            let all: Vec<u32> = surface.triangle_ranges[object].clone().map(|t| t as u32).collect();
            let centre = |t: &u32| surface.triangles[*t as usize].map(at).iter().sum::<Vec3>() / 3.0;
            let order = Tree::new(&all, &all.iter().map(centre).collect::<Vec<_>>()).items;
            for triangles in order.chunks(TRIANGLES) {
                let mut corners: Vec<u32> = triangles.iter().flat_map(|t| surface.triangles[*t as usize]).collect();
                corners.sort_unstable();
                corners.dedup();
                let mut edges: Vec<u32> = triangles.iter().flat_map(|t| surface.sides(object, *t)).flatten().collect();
                edges.sort_unstable();
                edges.dedup();
                edges.retain(|e| std::mem::take(&mut edge_free[*e as usize]));
                let vertices: Vec<u32> =
                    corners.iter().copied().filter(|v| std::mem::take(&mut vertex_free[*v as usize])).collect();
                let length = |e: &u32| {
                    let [a, b] = surface.edges[*e as usize].map(at);
                    (a - b).norm()
                };
                let middle = |e: &u32| surface.edges[*e as usize].map(at).iter().sum::<Vec3>() / 2.0;
                patches.push(Patch {
                    object,
                    thickness: corners.iter().fold(0.0, |m: f64, v| m.max(thickness[*v as usize])),
                    edge: edges.iter().map(length).sum::<f64>() / edges.len().max(1) as f64,
                    vertices: Tree::new(&vertices, &vertices.iter().map(|v| at(*v)).collect::<Vec<_>>()),
                    edges: Tree::new(&edges, &edges.iter().map(middle).collect::<Vec<_>>()),
                    triangles: Tree::new(triangles, &triangles.iter().map(centre).collect::<Vec<_>>()),
                    mean: corners.iter().map(|v| at(*v)).sum::<Vec3>() / corners.len() as f64,
                    corners,
                    drift: 0.0,
                    step: Vec3::zeros(),
                    own: 0.0,
                    deviation: 0.0,
                    stray: 0.0,
                    pace: (Vec3::zeros(), 0.0),
                    swept: Box3::EMPTY,
                    fitted: false,
                    wanted: false,
                });
            }
        }
        patches
    }

    /// Updates the motion: the corners have moved from `seen` to `x`. They are expected to move on by `moved`, which
    /// was `covered` before [m].
    pub fn follow(&mut self, seen: &[Vec3], x: &[Vec3], covered: &[Vec3], moved: &[Vec3]) {
        self.fitted &= self.corners.iter().all(|v| covered[*v as usize] == moved[*v as usize]);
        let (mut mean, mut step) = (Vec3::zeros(), Vec3::zeros());
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for v in self.corners.iter().map(|v| *v as usize) {
            let (from, to) = (x[v], x[v] + moved[v]);
            mean += from;
            step += moved[v];
            low = low.inf(&from).inf(&to);
            high = high.sup(&from).sup(&to);
        }
        let count = self.corners.len() as f64;
        self.step = step / count;
        let travel = mean / count - self.mean;
        let (mut drift, mut own) = (0.0f64, 0.0f64);
        for v in self.corners.iter().map(|v| *v as usize) {
            drift = drift.max((x[v] - seen[v] - travel).norm_squared());
            own = own.max((moved[v] - self.step).norm_squared());
        }
        self.own = own.sqrt();
        if drift > 0.0 || travel != Vec3::zeros() {
            self.mean = mean / count;
            self.drift += drift.sqrt();
            self.fitted = false;
        }
        self.swept = Box3::around([&low, &high], 0.0);
    }

    /// Compares displacements of the corners with the expected ones.
    pub fn compare(&mut self, expected: &[Vec3], moved: &[Vec3]) {
        self.deviation = self.differ(expected, moved);
        let moved = || self.corners.iter().map(|v| &moved[*v as usize]);
        let mean = moved().sum::<Vec3>() / self.corners.len() as f64;
        let own = moved().map(|moved| (moved - mean).norm_squared()).fold(0.0, f64::max);
        self.pace = (mean, own.sqrt());
    }

    /// Returns the largest difference of a corner's displacement from another one [m].
    pub fn differ(&self, other: &[Vec3], moved: &[Vec3]) -> f64 {
        let difference = |v: &u32| (moved[*v as usize] - other[*v as usize]).norm_squared();
        self.corners.iter().map(difference).fold(0.0, f64::max).sqrt()
    }

    /// Refits the trees, if needed, to the positions `x` and to the displacements `moved` relative to the mean. The
    /// lists then cover these displacements.
    pub fn fit(&mut self, x: &[Vec3], surface: &Surface, moved: &[Vec3]) {
        self.stray = 0.0;
        if !std::mem::take(&mut self.wanted) || self.fitted {
            return;
        }
        self.fitted = true;
        let step = self.step;
        let ends = |v: u32| [x[v as usize], x[v as usize] + (moved[v as usize] - step)];
        self.vertices.refit(|v| {
            let [a, b] = ends(v);
            Box3::around([&a, &b], 0.0)
        });
        self.edges.refit(|e| {
            let [[a, b], [c, d]] = surface.edges[e as usize].map(ends);
            Box3::around([&a, &b, &c, &d], 0.0)
        });
        self.triangles.refit(|t| {
            let [[a, b], [c, d], [e, f]] = surface.triangles[t as usize].map(ends);
            Box3::around([&a, &b, &c, &d, &e, &f], 0.0)
        });
    }
}
