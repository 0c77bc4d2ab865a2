//! Untangling: takes cloth out of shallow crossings before the first step, by geometry only.
//!
//! The method works in rounds. Vertices on the wrong side of an obstacle return to its surface, and crossing triangles
//! follow its normals ([`solid`]). Another cloth acts as an obstacle if nearly all of the first cloth is on one side of
//! it. Where a cloth crosses itself, or another without a clear side, regions that are cut off move back ([`region`]).
//! Where no region is cut off, both surfaces move so that the curve of the crossing gets shorter ([`contour`]).
//! Neighbouring vertices follow, and edges keep their lengths within a bound. When the exact test finds no crossing,
//! surfaces that are too near are spread. Deep crossings are left as they are.

mod contour;
mod region;
mod solid;

use super::candidates::Candidates;
use super::certificate::{Pair, Separation};
use super::intersect::intersections;
use super::surface::Surface;
use crate::linalg::Vec3;
use region::Regions;
use solid::Solid;
use std::collections::BTreeMap;

/// Maximum number of rounds, and of rounds that only spread.
const ROUNDS: (usize, usize) = (400, 30);
/// Largest displacement of a vertex, relative to the extent of its object. Beyond it a crossing counts as deep.
const DEEP: f64 = 0.05;
/// Bound of the relative change of an edge's length, and number of sweeps over the edges in a round.
const STRAIN: (f64, usize) = (0.08, 2);
/// Largest displacement of a vertex in a round, relative to the mean edge length.
const STRIDE: f64 = 0.25;
/// Displacement of crossing triangles in a round, relative to the mean edge length. The second value is the number of
/// rounds after which it has doubled.
const NUDGE: (f64, f64) = (0.02, 50.0);
/// Number of rings of neighbours that follow, and fraction of the displacement that each passes on.
const ALONG: (usize, f64) = (4, 0.6);

/// Surfaces to untangle, and the vertices that may move.
#[derive(Clone, Copy)]
pub struct Tangle<'a, M> {
    /// All surfaces.
    pub surface: &'a Surface,
    /// Number of vertices that may move: the first ones.
    pub moving: usize,
    /// Half thickness at each vertex [m].
    pub thickness: &'a [f64],
    /// Target gap beyond the thickness [m].
    pub gap: f64,
    /// Predicate for two objects that may not cross.
    pub meet: M,
    /// Predicate for two triangles that may.
    pub may: &'a (dyn Fn(u32, u32) -> bool + Sync),
}

/// Displacements of a round.
struct Round {
    /// Displacement of each moving vertex [m].
    push: Vec<Vec3>,
    /// Whether a vertex is displaced directly, not by its neighbours.
    pushed: Vec<bool>,
}

impl<M: Fn(usize, usize) -> bool + Sync> Tangle<'_, M> {
    /// Moves vertices until no triangles cross. Returns whether that was reached; otherwise `x` is unchanged.
    pub fn resolve(&self, x: &mut [Vec3]) -> bool {
        let start = x.to_vec();
        let lengths: Vec<([usize; 2], f64)> = self
            .surface
            .edges
            .iter()
            .map(|e| e.map(|v| v as usize))
            .filter(|e| e.iter().all(|v| *v < self.moving))
            .map(|[a, b]| ([a, b], (x[a] - x[b]).norm()))
            .collect();
        let edge = lengths.iter().map(|(_, l)| l).sum::<f64>() / lengths.len().max(1) as f64;
        let mut walls = BTreeMap::new();
        let mut clean: Option<Vec<Vec3>> = None;
        let mut spread = 0;
        for round in 0..ROUNDS.0 {
            let pairs = self.crossing(x);
            let mut now = Round { push: vec![Vec3::zeros(); self.moving], pushed: vec![false; self.moving] };
            if pairs.is_empty() {
                clean = Some(x.to_vec());
                spread += 1;
                if spread > ROUNDS.1 || !self.spread(x, &start, &mut now) {
                    break;
                }
            } else {
                let nudge = NUDGE.0 * edge * (1.0 + round as f64 / NUDGE.1);
                let left = self.leave(x, &pairs, nudge, &mut walls, &mut now);
                self.separate(x, &left, nudge, &mut now);
            }
            self.bring_along(&mut now);
            for (p, push) in x.iter_mut().zip(&now.push) {
                *p += push.cap_magnitude(STRIDE * edge);
            }
            for _ in 0..STRAIN.1 {
                keep_lengths(x, &lengths);
            }
            if self.deep(x, &start) {
                break;
            }
        }
        x.copy_from_slice(clean.as_ref().unwrap_or(&start));
        clean.is_some()
    }

    /// Returns whether a vertex has moved too far for the extent of its object.
    fn deep(&self, x: &[Vec3], start: &[Vec3]) -> bool {
        self.surface.vertex_ranges.iter().filter(|range| range.end <= self.moving).any(|range| {
            let all = &start[range.clone()];
            let far = Vec3::repeat(f64::INFINITY);
            let (low, high) = all.iter().fold((far, -far), |(low, high), p| (low.inf(p), high.sup(p)));
            range.clone().any(|v| (x[v] - start[v]).norm() > DEEP * (high - low).norm())
        })
    }

    fn object(&self, t: u32) -> usize {
        usize::from(self.surface.object[self.surface.triangles[t as usize][0] as usize])
    }

    fn crossing(&self, x: &[Vec3]) -> Vec<[u32; 2]> {
        let skip = |s, t| !(self.meet)(self.object(s), self.object(t)) || (self.may)(s, t);
        intersections(x, &self.surface.triangles, skip).pairs
    }

    fn moves(&self, object: usize) -> bool {
        self.surface.vertex_ranges[object].start < self.moving
    }

    /// Separates cloth from itself, or from cloth without a clear side. Regions that are cut off go back. Elsewhere
    /// vertices descend along the gradient of the curve's length, by `nudge` where it is steep.
    fn separate(&self, x: &[Vec3], pairs: &[[u32; 2]], nudge: f64, now: &mut Round) {
        if pairs.is_empty() {
            return;
        }
        let regions = Regions::new(x, self.surface, self.moving, pairs);
        let mut descent: BTreeMap<u32, Vec3> = BTreeMap::new();
        for pair in pairs {
            let triangles = pair.map(|t| &self.surface.triangles[t as usize]);
            if triangles.iter().any(|corners| regions.cut_off(corners)) {
                continue;
            }
            contour::descend(x, triangles, |v, push| *descent.entry(v).or_default() += push);
        }
        for (v, push) in descent {
            // The descent is dimensionless: zero for a straight curve, of order one at a corner.
            now.push[v as usize] += push * (nudge / (push.norm_squared() + 0.01).sqrt());
            now.pushed[v as usize] = true;
        }
        let mut sum = vec![(Vec3::zeros(), 0.0f64); self.moving];
        let gap = |v: u32| 2.0 * self.thickness[v as usize] + self.gap;
        regions.take_back(x, self.surface, pairs, gap, |v, push| {
            sum[v as usize].0 += push;
            sum[v as usize].1 += 1.0;
        });
        for (v, (push, count)) in sum.into_iter().enumerate().filter(|(_, (_, count))| *count > 0.0) {
            now.push[v] += push / count;
            now.pushed[v] = true;
        }
    }

    /// Separates cloth from obstacles, and from cloth on a clear side. Vertices on the wrong side, searched from the
    /// crossing on, go back. Crossing triangles move along the normals. Returns the pairs that are not handled.
    fn leave(
        &self,
        x: &[Vec3],
        pairs: &[[u32; 2]],
        nudge: f64,
        walls: &mut BTreeMap<[usize; 2], Option<Solid>>,
        now: &mut Round,
    ) -> Vec<[u32; 2]> {
        let mut meetings: BTreeMap<[usize; 2], Vec<[u32; 2]>> = BTreeMap::new();
        for pair in pairs {
            meetings.entry(pair.map(|t| self.object(t))).or_default().push(*pair);
        }
        let mut left = Vec::new();
        for ([first, second], pairs) in meetings {
            // Cloths precede obstacles.
            let both = self.moves(second);
            let mut clear = Vec::new();
            for [cloth, other] in [[first, second], [second, first]] {
                if first == second || !self.moves(cloth) {
                    continue;
                }
                let range = self.surface.vertex_ranges[cloth].clone();
                let wall = walls.entry([cloth, other]).or_insert_with(|| {
                    Some(Solid::new(x, self.surface, other, range, both)).filter(|s| !both || s.clear())
                });
                if let Some(solid) = wall {
                    if both {
                        solid.follow(x, self.surface, other);
                    }
                    clear.push([cloth, other]);
                }
            }
            let share = 1.0 / clear.len().max(1) as f64;
            if clear.is_empty() {
                left.extend(&pairs);
            }
            for objects in clear {
                let Some(Some(solid)) = walls.get(&objects) else { continue };
                let pairs = pairs.iter().map(|[s, t]| if objects[0] == first { [*s, *t] } else { [*t, *s] });
                self.go_back(x, objects[1], solid, pairs, [nudge, share], now);
            }
        }
        left
    }

    /// Moves cloth triangles back that cross a wall (the second of each pair), by a fraction `share`. Vertices on the
    /// wrong side go back to the surface.
    fn go_back(
        &self,
        x: &[Vec3],
        wall: usize,
        solid: &Solid,
        pairs: impl Iterator<Item = [u32; 2]>,
        [nudge, share]: [f64; 2],
        now: &mut Round,
    ) {
        let thick = self.surface.vertex_ranges[wall].clone().fold(0.0, |m: f64, v| m.max(self.thickness[v]));
        let first = self.surface.triangle_ranges[wall].start;
        // Vertices to examine, with a distance within which the surface is.
        let mut near: BTreeMap<u32, f64> = BTreeMap::new();
        let mut outward: BTreeMap<u32, Vec3> = BTreeMap::new();
        for [s, t] in pairs {
            let corners = self.surface.triangles[s as usize];
            let [a, b, c] = corners.map(|v| x[v as usize]);
            let longest = (a - b).norm().max((b - c).norm()).max((c - a).norm());
            for v in corners {
                near.insert(v, longest);
                *outward.entry(v).or_default() += solid.normal(t as usize - first);
            }
        }
        let mut open: Vec<u32> = near.keys().copied().collect();
        while let Some(v) = open.pop() {
            let place = solid.place(&x[v as usize], near[&v] * 1.01);
            let push = match place {
                Some(place) if place.distance < 0.0 => {
                    for w in self.surface.around(v as usize) {
                        let reach = near[&v] + (x[*w as usize] - x[v as usize]).norm();
                        near.entry(*w).or_insert_with(|| {
                            open.push(*w);
                            reach
                        });
                    }
                    place.outward * (share * (thick + self.thickness[v as usize] + self.gap - place.distance))
                }
                _ => match outward.get(&v).and_then(|n| n.try_normalize(1e-6)) {
                    Some(n) => n * (share * nudge),
                    None => continue,
                },
            };
            now.push[v as usize] += push;
            now.pushed[v as usize] = true;
        }
    }

    /// Pushes pairs with a displaced vertex apart to the gap. Returns false when all pairs have it.
    fn spread(&self, x: &[Vec3], start: &[Vec3], now: &mut Round) -> bool {
        let mut candidates = Candidates::new(x, self.surface, self.thickness, self.gap, &self.meet);
        candidates.update(x, self.surface, &vec![Vec3::zeros(); x.len()]);
        let mut count = vec![0.0f64; self.moving];
        let mut any = false;
        for list in &candidates.lists {
            for (pair, nears) in [(Pair::VertexFace, &list.vertex_face), (Pair::EdgeEdge, &list.edge_edge)] {
                for near in nears {
                    let vertices = self.surface.corners(pair, [near.a, near.b]).map(|v| v as usize);
                    if vertices.iter().all(|v| x[*v] == start[*v]) {
                        continue;
                    }
                    let at = |x: &[Vec3]| vertices.map(|v| x[v]);
                    let Separation { distance, normal, weights } = pair.separation(&at(x));
                    let mut goal =
                        self.gap + (0..4).map(|k| self.thickness[vertices[k]] * weights[k].abs()).sum::<f64>();
                    if self.surface.object[vertices[0]] == self.surface.object[vertices[3]] {
                        // Neighbours are near each other from the beginning.
                        goal = goal.min(0.5 * pair.separation(&at(start)).distance).max(0.1 * self.gap);
                    }
                    let movable: f64 =
                        (0..4).filter(|k| vertices[*k] < self.moving).map(|k| weights[k] * weights[k]).sum();
                    if distance >= 0.9 * goal || movable == 0.0 {
                        continue;
                    }
                    any = true;
                    for k in (0..4).filter(|k| vertices[*k] < self.moving && weights[*k] != 0.0) {
                        now.push[vertices[k]] += normal * (weights[k] / movable * (goal - distance));
                        now.pushed[vertices[k]] = true;
                        count[vertices[k]] += 1.0;
                    }
                }
            }
        }
        for (push, count) in now.push.iter_mut().zip(count) {
            *push /= count.max(1.0);
        }
        any
    }

    /// Moves the neighbours of pushed vertices by a fraction of the mean displacement of their own neighbours.
    fn bring_along(&self, now: &mut Round) {
        for _ in 0..ALONG.0 {
            let push = now.push.clone();
            for v in (0..self.moving).filter(|v| !now.pushed[*v]) {
                let around = self.surface.around(v);
                let mean = around.iter().map(|w| push[*w as usize]).sum::<Vec3>() / around.len().max(1) as f64;
                now.push[v] = mean * ALONG.1;
            }
        }
    }
}

/// Restores edges to within the bound of their lengths.
fn keep_lengths(x: &mut [Vec3], lengths: &[([usize; 2], f64)]) {
    for ([a, b], length) in lengths {
        let between = x[*b] - x[*a];
        let now = between.norm();
        let wanted = now.clamp(length * (1.0 - STRAIN.0), length * (1.0 + STRAIN.0));
        if wanted != now && now > 0.0 {
            let push = between * (0.5 * (now - wanted) / now);
            x[*a] += push;
            x[*b] -= push;
        }
    }
}

#[cfg(test)]
mod tests;
