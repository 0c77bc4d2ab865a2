//! Signed distance and closest point of many points on a triangle surface, kept from step to step.
//!
//! The search starts where the last one ended and walks across edges while the distance decreases (surface traversal:
//! Chen, Feng & Wang 2013, "Modeling friction and air effects between cloth and deformable bodies", section 4). A walk
//! ends in a local minimum. The paper then tests the side of the triangles within reach of the motion, which corrects
//! the sign. Here the reach is the distance found, and all triangles within it are visited. The result is thus the
//! minimum over all triangles, for any distance and any motion. Nearby points share a tree query. The triangles of a
//! leaf are rejected eight at a time by a lower bound of their distance (`facet`). The bound follows from the plane and
//! the half planes of the sides.
//!
//! The result equals that of an exhaustive search bit for bit. Ties of computed distances go to the lowest index. The
//! result depends neither on the start of the search nor on the number of threads. No state of the search needs to be
//! saved.

mod facet;
mod side;

use super::closest::{Feature, PointTriangle, point_triangle, point_triangles};
use super::tree::{Box3, Lanes, Tree, WIDTH, bits, margin2};
use crate::linalg::four::Four;
use crate::linalg::{Vec3, par};
use crate::mesh::topology::{NONE, Topology};
use facet::Facets;
use side::sign;

/// Number of points that share a tree query.
const BLOCK: usize = 16;
/// Number of blocks in a parallel task.
const BLOCKS: usize = 4;
/// Number of updates after which points are regrouped.
const REORDER: u32 = 32;
/// Number of groups of eight leaves near a block that are held at a time.
const HELD: usize = 8;

/// Closest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Triangle of the surface.
    pub triangle: u32,
    /// Barycentric weights of the closest point: none negative, sum one.
    pub weights: [f64; 3],
    /// Distance; negative on the side opposite to the normals [m].
    pub distance: f64,
}

/// Work of an update, summed over all points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of triangles visited: closest points computed.
    pub visits: u64,
    /// Number of triangles visited in the walk.
    pub walked: u64,
    /// Number of triangles whose lower bound of the distance was computed.
    pub bounds: u64,
}

/// Surface with the closest points on it.
#[derive(Clone, Debug, Default)]
pub struct Traversal {
    mesh: Mesh,
    /// Tree over the leaves of the triangles.
    tree: Tree,
    /// Distance bounds of the triangles of each leaf.
    facets: Vec<Facets>,
    blocks: Vec<Block>,
    /// Position of each point: block and lane in one number.
    slots: Vec<u32>,
    /// Triangle and point, sorted.
    order: Vec<(u32, u32)>,
    /// Number of updates since points were regrouped.
    age: u32,
}

/// Triangles, numbered in the order of the tree, and their adjacency.
#[derive(Clone, Debug, Default)]
struct Mesh {
    triangles: Vec<[u32; 3]>,
    /// Index of each triangle in the surface as given.
    names: Vec<u32>,
    /// Triangle across the edge opposite to each corner, or [`NONE`].
    across: Vec<[u32; 3]>,
    /// Vertex-to-triangle adjacency in CSR form (offsets, indices), for vertices from `first` on.
    first: u32,
    starts: Vec<u32>,
    around: Vec<u32>,
}

/// Block of nearby points.
#[derive(Clone, Debug)]
struct Block {
    points: [u32; BLOCK],
    /// Start of the next search; [`NONE`] before the first.
    triangles: [u32; BLOCK],
    found: [Closest; BLOCK],
    count: usize,
    work: Work,
}

impl Mesh {
    fn new(triangles: &[[u32; 3]], names: Vec<u32>) -> Mesh {
        let triangles: Vec<[u32; 3]> = names.iter().map(|t| triangles[*t as usize]).collect();
        let corners = || triangles.iter().flatten().copied();
        let first = corners().min().unwrap_or(0);
        let end = corners().max().map_or(first, |v| v + 1);
        let local: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v - first)).collect();
        let topology = Topology::new((end - first) as usize, &local);
        let across = topology.triangle_edges.iter().enumerate().map(|(t, edges)| {
            edges.map(|e| {
                let sides = topology.edge_triangles[e as usize];
                if sides[0] == t as u32 { sides[1] } else { sides[0] }
            })
        });
        Mesh {
            across: across.collect(),
            triangles,
            names,
            first,
            starts: topology.vertex_triangle_start,
            around: topology.vertex_triangle_list,
        }
    }

    #[inline(always)]
    fn corners<'a>(&self, x: &'a [Vec3], t: u32) -> [&'a Vec3; 3] {
        self.triangles[t as usize].map(|v| &x[v as usize])
    }
}

/// State of the search for a point.
#[derive(Clone, Copy)]
struct Search {
    p: Vec3,
    triangle: u32,
    best: PointTriangle,
    /// Distance of the best closest point [m].
    distance: f64,
    /// Triangle visited last without becoming the best, or the previous best.
    vain: u32,
    visits: u32,
}

impl Search {
    const NONE: Search = Search {
        p: Vec3::new(0.0, 0.0, 0.0),
        triangle: NONE,
        best: PointTriangle { weights: [0.0; 3], distance2: f64::INFINITY },
        distance: f64::INFINITY,
        vain: NONE,
        visits: 0,
    };

    /// Computes the closest point of triangle `t`. Returns true if it is nearer.
    #[inline(always)]
    fn visit(&mut self, mesh: &Mesh, x: &[Vec3], t: u32) -> bool {
        let [a, b, c] = mesh.corners(x, t);
        let here = point_triangle(&self.p, a, b, c);
        self.visits += 1;
        let nearer = here.distance2 < self.best.distance2 || self.triangle == NONE;
        if nearer
            || (here.distance2 == self.best.distance2 && mesh.names[t as usize] < mesh.names[self.triangle as usize])
        {
            (self.best, self.vain, self.triangle) = (here, self.triangle, t);
            self.distance = here.distance2.sqrt();
        } else {
            self.vain = t;
        }
        nearer
    }

    /// Begins with triangle `t`, whose closest point is known.
    #[inline(always)]
    fn begin(&mut self, t: u32, here: PointTriangle) {
        (self.triangle, self.best, self.distance, self.visits) = (t, here, here.distance2.sqrt(), 1);
    }

    /// Walks from the triangle across the edge that the closest point is on, while the distance decreases. At a corner,
    /// the walk crosses the edge that the point is farther beyond.
    #[inline(always)]
    fn walk(&mut self, mesh: &Mesh, x: &[Vec3]) {
        loop {
            let edge = match self.best.feature() {
                Feature::Face => return,
                Feature::Edge(k) => k,
                Feature::Vertex(k) => self.beyond(mesh, x, self.triangle, k),
            };
            let t = mesh.across[self.triangle as usize][edge as usize];
            if t == NONE || !self.visit(mesh, x, t) {
                return;
            }
        }
    }

    /// Returns the edge at corner `k` of triangle `t` that the point is farther beyond, named by its opposite corner.
    fn beyond(&self, mesh: &Mesh, x: &[Vec3], t: u32, k: u8) -> u8 {
        let corners = mesh.corners(x, t);
        let [i, j] = [(k + 1) % 3, (k + 2) % 3];
        let to = |m: u8| corners[m as usize] - corners[k as usize];
        let (u, v, p) = (to(i), to(j), self.p - corners[k as usize]);
        // Signed distances of p from the lines along v and along u, times a common factor.
        let (uu, uv, vv, pu, pv) = (u.dot(&u), u.dot(&v), v.dot(&v), p.dot(&u), p.dot(&v));
        let (from_v, from_u) = ((pu * vv - pv * uv) * uu.sqrt(), (pv * uu - pu * uv) * vv.sqrt());
        if from_v < from_u { i } else { j }
    }
}

impl Block {
    const EMPTY: Block = Block {
        points: [0; BLOCK],
        triangles: [NONE; BLOCK],
        found: [Closest { triangle: NONE, weights: [0.0; 3], distance: f64::INFINITY }; BLOCK],
        count: 0,
        work: Work { visits: 0, walked: 0, bounds: 0 },
    };
}

impl Traversal {
    /// Builds the search on the surface of `triangles`, over some vertices of an array, for `points` points. Positions
    /// `x` are only used to group nearby triangles.
    pub fn new(triangles: &[[u32; 3]], x: &[Vec3], points: usize) -> Traversal {
        let items: Vec<u32> = (0..triangles.len() as u32).collect();
        let centres: Vec<Vec3> =
            triangles.iter().map(|t| t.iter().map(|v| x[*v as usize]).sum::<Vec3>() / 3.0).collect();
        let names = Tree::new(&items, &centres).items;
        let leaves = names.len().div_ceil(WIDTH);
        Traversal {
            // Triangles are numbered in the order of the tree.
            mesh: Mesh::new(triangles, names),
            facets: vec![Facets::NONE; leaves],
            tree: Tree::over(leaves),
            blocks: vec![Block::EMPTY; points.div_ceil(BLOCK)],
            slots: (0..points as u32).collect(),
            order: (0..points as u32).map(|p| (NONE, p)).collect(),
            age: REORDER,
        }
    }

    /// Returns the closest point of point `p` in the last update.
    #[inline]
    pub fn closest(&self, p: usize) -> &Closest {
        let slot = self.slots[p] as usize;
        &self.blocks[slot / BLOCK].found[slot % BLOCK]
    }

    /// Finds the closest points of all points `at(0)`, `at(1)`, ... on the surface with its vertices at `x`. Without
    /// triangles the distance is infinite.
    pub fn update(&mut self, x: &[Vec3], at: impl Fn(usize) -> Vec3 + Sync) -> Work {
        let Traversal { mesh, tree, facets, .. } = self;
        if mesh.triangles.is_empty() {
            return Work::default();
        }
        let mesh = &*mesh;
        facet::fit(facets, mesh.triangles.len(), |t| mesh.corners(x, t));
        tree.refit(|leaf| facets[leaf as usize].around);
        if self.age >= REORDER {
            self.reorder(&at);
        }
        self.age += 1;
        let Traversal { mesh, tree, facets, blocks, .. } = self;
        par::blocks_mut(blocks, BLOCKS, |_, blocks| {
            for block in blocks {
                block.update(mesh, tree, facets, x, &at);
            }
        });
        blocks.iter().fold(Work::default(), |sum, block| Work {
            visits: sum.visits + block.work.visits,
            walked: sum.walked + block.work.walked,
            bounds: sum.bounds + block.work.bounds,
        })
    }

    /// Sorts points into blocks in the tree's order of their triangles. A point without a triangle begins in a leaf
    /// nearby.
    fn reorder(&mut self, at: &(impl Fn(usize) -> Vec3 + Sync)) {
        let Traversal { tree, blocks, slots, order, .. } = self;
        let (old, before) = (&*blocks, &*slots);
        par::each_mut(order, |_, (triangle, p)| {
            let slot = before[*p as usize] as usize;
            *triangle = match old[slot / BLOCK].triangles[slot % BLOCK] {
                NONE => (tree.toward(&at(*p as usize)) * WIDTH * WIDTH) as u32,
                t => t,
            };
        });
        par::sort(order);
        for (block, points) in blocks.iter_mut().zip(order.chunks(BLOCK)) {
            block.count = points.len();
            for (k, (triangle, p)) in points.iter().enumerate() {
                block.points[k] = *p;
                block.triangles[k] = *triangle;
            }
        }
        for (slot, (_, p)) in order.iter().enumerate() {
            slots[*p as usize] = slot as u32;
        }
        self.age = 0;
    }
}

impl Block {
    fn update(
        &mut self,
        mesh: &Mesh,
        tree: &Tree,
        facets: &[Facets],
        x: &[Vec3],
        at: &(impl Fn(usize) -> Vec3 + Sync),
    ) {
        let mut all = [Search::NONE; BLOCK];
        let searches = &mut all[..self.count];
        self.work = Work::default();
        // All points are read first, so that memory accesses overlap.
        for (search, point) in searches.iter_mut().zip(&self.points) {
            search.p = at(*point as usize);
        }
        let (mut low, mut high) = (searches[0].p, searches[0].p);
        let mut farthest: f64 = 0.0;
        for (searches, triangles) in searches.chunks_mut(4).zip(self.triangles.chunks(4)) {
            let last = searches.len() - 1;
            let corner = |j: usize| Four::from_fn(|k| mesh.corners(x, triangles[k.min(last)])[j]);
            let points = Four::from_fn(|k| &searches[k.min(last)].p);
            let found = point_triangles([points, corner(0), corner(1), corner(2)]).to_array();
            for ((search, t), here) in searches.iter_mut().zip(triangles).zip(found) {
                search.begin(*t, here);
            }
        }
        for search in searches.iter_mut() {
            search.walk(mesh, x);
            self.work.walked += u64::from(search.visits);
            low = low.inf(&search.p);
            high = high.sup(&search.p);
            farthest = farthest.max(search.distance);
        }
        let (around, reach) = (Box3::around([&low, &high], 0.0), margin2(farthest));
        let mut near = [0u32; HELD * WIDTH];
        let mut count = 0;
        tree.query(&around, reach, 0, |leaves| {
            tree.within(leaves, &around, reach, |leaf| {
                near[count] = leaf;
                count += 1;
                if count == near.len() {
                    self.work.bounds += compare(searches, &near, mesh, tree, facets, x);
                    count = 0;
                }
            });
        });
        self.work.bounds += compare(searches, &near[..count], mesh, tree, facets, x);
        for (k, search) in searches.iter().enumerate() {
            self.work.visits += u64::from(search.visits);
            let distance = sign(mesh, x, &search.p, search.triangle, &search.best) * search.distance;
            self.triangles[k] = search.triangle;
            let triangle = mesh.names[search.triangle as usize];
            self.found[k] = Closest { triangle, weights: search.best.weights, distance };
        }
    }
}

/// Visits the triangles in these leaves that no bound rejects. Returns the number of bounds.
#[inline(always)]
fn compare(searches: &mut [Search], leaves: &[u32], mesh: &Mesh, tree: &Tree, facets: &[Facets], x: &[Vec3]) -> u64 {
    let mut bounds = 0;
    let mut boxes = [Lanes::EMPTY; HELD];
    for (lanes, leaves) in boxes.iter_mut().zip(leaves.chunks(WIDTH)) {
        *lanes = Lanes::new(leaves.iter().map(|leaf| tree.item(*leaf as usize)));
    }
    for search in searches {
        let here = Box3::around([&search.p], 0.0);
        for (lanes, leaves) in boxes.iter().zip(leaves.chunks(WIDTH)) {
            for k in bits(lanes.within(&here, margin2(search.distance))) {
                // Unused lanes are empty, yet within an infinite distance.
                let Some(leaf) = leaves.get(k).map(|leaf| *leaf as usize) else { break };
                bounds += WIDTH as u64;
                let mut near = facets[leaf].within(&search.p, search.distance);
                let own = (search.triangle as usize).wrapping_sub(leaf * WIDTH);
                near &= !(u32::from(own < WIDTH) << (own % WIDTH));
                for k in bits(near) {
                    let t = (leaf * WIDTH + k) as u32;
                    if t != search.vain && t != search.triangle {
                        search.visit(mesh, x, t);
                    }
                }
            }
        }
    }
    bounds
}

#[cfg(test)]
mod tests;
