//! Triangulation of polygons.
//!
//! A convex polygon becomes a fan about its first corner. The fan may have a triangle without area, as next to corners
//! in the middle of a side. Such polygons, and those that are not convex, get the triangulation whose worst triangle is
//! best (Klincsek 1980: from all triangulations of all parts).
//!
//! Quality has the sign of the area along the polygon's normal. The areas add up to that of the polygon for every
//! triangulation, so one whose triangles are all positive lies inside.
//!
//! No diagonal may be an existing edge, which would then have more than two triangles. So two quads that share two
//! edges are cut by different diagonals.

use crate::linalg::Vec3;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Largest number of corners of a polygon that no fan cuts well. Time grows with the cube of the corners.
const LIMIT: usize = 512;
/// Smallest quality of the worst triangle at which a fan is accepted.
const GOOD: f64 = 1e-3;

/// Triangles of all faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cut {
    /// Corners of each triangle, as indices into the list of all corners.
    pub triangles: Vec<[u32; 3]>,
    /// Face of each triangle; empty if each face is one triangle.
    pub faces: Vec<u32>,
    /// Notes on content that was left out: a face, and a message.
    pub notes: Vec<(usize, String)>,
}

/// Returns the outline of the triangles of one polygon: its corners in order, as triangle and corner. Returns none if
/// the triangles do not form a polygon.
pub fn outline(triangles: &[[u32; 3]]) -> Option<Vec<[usize; 2]>> {
    let side = |t: usize, k: usize| [triangles[t][k], triangles[t][(k + 1) % 3]];
    let all = || (0..triangles.len()).flat_map(|t| (0..3).map(move |k| [t, k]));
    let inner = |[a, b]: [u32; 2]| all().any(|[t, k]| side(t, k) == [b, a]);
    let outer: Vec<[usize; 2]> = all().filter(|[t, k]| !inner(side(*t, *k))).collect();
    let first = *outer.first()?;
    let mut loop_ = vec![first];
    let mut end = side(first[0], first[1])[1];
    while end != triangles[first[0]][first[1]] {
        let next = outer.iter().find(|[t, k]| triangles[*t][*k] == end)?;
        if loop_.contains(next) {
            return None;
        }
        loop_.push(*next);
        end = side(next[0], next[1])[1];
    }
    (loop_.len() == outer.len() && loop_.len() == triangles.len() + 2).then_some(loop_)
}

/// Joins triangles to faces. Each of `counts` is a number of consecutive triangles of one polygon. Returns the corners
/// of every face, as triangle and corner. Triangles that cannot be joined stay single, as all do without counts.
pub fn faces(triangles: &[[u32; 3]], counts: &[u32]) -> Vec<Vec<[usize; 2]>> {
    let single = |t: usize| (0..3).map(|k| [t, k]).collect::<Vec<[usize; 2]>>();
    let fits = counts.iter().map(|n| *n as usize).sum::<usize>() == triangles.len();
    let mut all = Vec::with_capacity(counts.len());
    let mut start = 0;
    for count in counts.iter().filter(|_| fits) {
        let own = &triangles[start..start + *count as usize];
        match outline(own) {
            Some(places) => all.push(places.into_iter().map(|[t, k]| [start + t, k]).collect()),
            None => all.extend((start..start + own.len()).map(single)),
        }
        start += own.len();
    }
    all.extend((start..triangles.len()).map(single));
    all
}

/// Returns the numbers of consecutive triangles of one face, from the face of each. Returns none if each face is one
/// triangle.
pub fn counts(faces: &[u32]) -> Vec<u32> {
    faces.chunk_by(|a, b| a == b).map(|run| run.len() as u32).collect()
}

/// Cuts faces into triangles. `corners` are vertices face by face, and `ends` the end of each face in them. A corner
/// repeated next to itself is left out. A face with fewer than three different corners is left out.
///
/// # Errors
/// Returns face and reason for fewer than three corners, or more than 512 where no fan is good enough.
pub fn cut(positions: &[Vec3], corners: &[u32], ends: &[usize]) -> Result<Cut, (usize, String)> {
    let mut cutter = Cutter { positions, corners, sides: sides(corners, ends), ..Cutter::default() };
    let mut start = 0;
    for (f, end) in ends.iter().enumerate() {
        let all = start as u32..*end as u32;
        start = *end;
        if all.len() < 3 {
            return Err((f, format!("a face needs at least 3 vertices, this one has {}", all.len())));
        }
        cutter.take(f, all.collect()).map_err(|reason| (f, reason))?;
    }
    let mut cut = Cut::default();
    for (f, triangles) in cutter.cuts.iter().enumerate() {
        cut.triangles.extend(triangles);
        cut.faces.extend(triangles.iter().map(|_| f as u32));
    }
    if cut.faces.iter().enumerate().all(|(t, f)| t == *f as usize) {
        cut.faces.clear();
    }
    let others = |n: usize| match n {
        1 => String::new(),
        2 => ", and so does 1 more".to_string(),
        n => format!(", and so do {} more", n - 1),
    };
    if let Some(first) = cutter.repeated.first() {
        let others = others(cutter.repeated.len());
        cut.notes.push((*first, format!("this face names a corner twice in a row{others}; the second is left out")));
    }
    if let Some(first) = cutter.empty.first() {
        let others = others(cutter.empty.len());
        cut.notes.push((*first, format!("this face has fewer than three different corners{others}; left out")));
    }
    Ok(cut)
}

/// Returns the sides of all faces, sorted. Returns none if all faces are triangles, which have no diagonals.
fn sides(corners: &[u32], ends: &[usize]) -> Vec<[u32; 2]> {
    let mut sides = Vec::new();
    if corners.len() == 3 * ends.len() {
        return sides;
    }
    let mut start = 0;
    for end in ends {
        let face = &corners[start..*end];
        start = *end;
        sides.extend(face.iter().zip(face.iter().cycle().skip(1)).map(|(a, b)| key(*a, *b)));
    }
    sides.sort_unstable();
    sides.dedup();
    sides
}

fn key(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

#[derive(Default)]
struct Cutter<'a> {
    positions: &'a [Vec3],
    corners: &'a [u32],
    sides: Vec<[u32; 2]>,
    /// Triangles of each face so far, and the corners of faces with diagonals.
    cuts: Vec<Vec<[u32; 3]>>,
    rings: BTreeMap<usize, Vec<u32>>,
    /// First face on a set of vertices, in ascending order.
    known: HashMap<Vec<u32>, usize>,
    /// Face of each diagonal so far.
    diagonals: BTreeMap<[u32; 2], usize>,
    repeated: Vec<usize>,
    empty: Vec<usize>,
}

impl Cutter<'_> {
    fn vertex(&self, corner: u32) -> u32 {
        self.corners[corner as usize]
    }

    fn take(&mut self, f: usize, mut ring: Vec<u32>) -> Result<(), String> {
        let count = ring.len();
        self.close(&mut ring);
        if ring.len() < 3 {
            self.empty.push(f);
            self.cuts.push(Vec::new());
            return Ok(());
        }
        if ring.len() < count {
            self.repeated.push(f);
        }
        if let [a, b, c] = ring[..] {
            self.cuts.push(vec![[a, b, c]]);
            return Ok(());
        }
        let polygon = self.polygon(&ring);
        let taken = |this: &Self, ends: [u32; 2]| this.sides.binary_search(&ends).is_ok();
        let mut best = polygon.cut(|_| false).ok_or_else(|| {
            let n = ring.len();
            format!("a face of {n} vertices that no fan cuts well; cut faces of more than {LIMIT} vertices into smaller ones")
        })?;
        let clash = |this: &Self, cut: &[[usize; 3]]| {
            polygon.diagonals(cut).find(|d| taken(this, *d) || this.diagonals.contains_key(d))
        };
        let mut vertices: Vec<u32> = ring.iter().map(|k| self.vertex(*k)).collect();
        vertices.sort_unstable();
        if let Some(sides) = self.known.get(&vertices).map(|f| self.sides_of(*f)) {
            // A second face on the same vertices has the same shape. If cut alike, it is reported as a duplicate.
            best = polygon.cut(|d| !sides.contains(&d)).unwrap_or(best);
        } else if let Some(at) = clash(self, &best) {
            let free = polygon.cut(|d| taken(self, d) || self.diagonals.contains_key(&d));
            let free = free.filter(|cut| clash(self, cut).is_none());
            let quality = free.as_ref().map_or(0.0, |cut| polygon.quality(cut));
            // If the diagonal belongs to another face, that face may have the better alternative.
            if !self.turn_other(at, quality)
                && let Some(free) = free.filter(|_| quality > 0.0)
            {
                best = free;
            }
        }
        for d in polygon.diagonals(&best) {
            self.diagonals.entry(d).or_insert(f);
        }
        self.cuts.push(best.into_iter().map(|t| t.map(|k| ring[k])).collect());
        self.rings.insert(f, ring);
        self.known.entry(vertices).or_insert(f);
        Ok(())
    }

    /// Returns the sides of the triangles of a face.
    fn sides_of(&self, face: usize) -> Vec<[u32; 2]> {
        let ends = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]];
        let sides = self.cuts[face].iter().flat_map(ends);
        sides.map(|[a, b]| key(self.vertex(a), self.vertex(b))).collect()
    }

    /// Cuts the face with the diagonal `at` another way, if that is better than `quality`. Returns whether it did.
    fn turn_other(&mut self, at: [u32; 2], quality: f64) -> bool {
        let Some(&other) = self.diagonals.get(&at) else { return false };
        let Some(ring) = self.rings.get(&other) else { return false };
        let polygon = self.polygon(ring);
        let taken = |d: [u32; 2]| {
            d == at || self.sides.binary_search(&d).is_ok() || self.diagonals.get(&d).is_some_and(|f| *f != other)
        };
        let Some(cut) = polygon.cut(taken) else { return false };
        if polygon.diagonals(&cut).any(taken) || polygon.quality(&cut) <= quality {
            return false;
        }
        let diagonals: Vec<[u32; 2]> = polygon.diagonals(&cut).collect();
        let cut: Vec<[u32; 3]> = cut.into_iter().map(|t| t.map(|k| ring[k])).collect();
        for [a, b, c] in std::mem::replace(&mut self.cuts[other], cut) {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                let ends = key(self.vertex(a), self.vertex(b));
                if self.diagonals.get(&ends) == Some(&other) {
                    self.diagonals.remove(&ends);
                }
            }
        }
        self.diagonals.extend(diagonals.into_iter().map(|d| (d, other)));
        true
    }

    /// Removes repeated corners, and corners at the tip of a path there and back.
    fn close(&self, ring: &mut Vec<u32>) {
        let same = |a: u32, b: u32| self.vertex(a) == self.vertex(b);
        while ring.len() >= 3 {
            let n = ring.len();
            if let Some(k) = (1..=n).find(|k| same(ring[k - 1], ring[k % n])) {
                ring.remove(k.min(n - 1));
            } else if let Some(k) = (0..n).find(|k| same(ring[(k + n - 1) % n], ring[(k + 1) % n])) {
                ring.remove(k);
            } else {
                return;
            }
        }
    }

    fn polygon(&self, ring: &[u32]) -> Polygon {
        let vertices: Vec<u32> = ring.iter().map(|k| self.vertex(*k)).collect();
        let corners: Vec<Vec3> =
            vertices.iter().map(|v| self.positions.get(*v as usize).copied().unwrap_or_default()).collect();
        let normal = newell_normal(&corners);
        Polygon { vertices, corners, normal: normal.try_normalize(0.0).unwrap_or_default() }
    }
}

/// Polygon of four corners or more.
struct Polygon {
    vertices: Vec<u32>,
    corners: Vec<Vec3>,
    normal: Vec3,
}

impl Polygon {
    /// Returns twice the area of a triangle along the normal, over its longest side squared.
    fn worth(&self, [a, b, c]: [usize; 3]) -> f64 {
        let (a, b, c) = (self.corners[a], self.corners[b], self.corners[c]);
        let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
        if longest > 0.0 { (b - a).cross(&(c - a)).dot(&self.normal) / longest } else { 0.0 }
    }

    fn quality(&self, cut: &[[usize; 3]]) -> f64 {
        cut.iter().map(|t| self.worth(*t)).fold(f64::INFINITY, f64::min)
    }

    /// Returns the sides of triangles that are not sides of the polygon, as vertices.
    fn diagonals<'a>(&'a self, cut: &'a [[usize; 3]]) -> impl Iterator<Item = [u32; 2]> + 'a {
        let n = self.vertices.len();
        let inner = move |[a, b]: &[usize; 2]| (a + 1) % n != *b && (b + 1) % n != *a;
        let sides = cut.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).filter(inner);
        let once: BTreeSet<[u32; 2]> = sides.map(|[a, b]| key(self.vertices[a], self.vertices[b])).collect();
        once.into_iter()
    }

    /// Returns the fan about the first corner if it is good and has no diagonal that is `taken`, else the best
    /// triangulation. Returns `None` if there are too many corners for that.
    fn cut(&self, taken: impl Fn([u32; 2]) -> bool) -> Option<Vec<[usize; 3]>> {
        let n = self.corners.len();
        let fan: Vec<[usize; 3]> = (1..n - 1).map(|i| [0, i, i + 1]).collect();
        let convex = (0..n).all(|i| self.worth([i, (i + 1) % n, (i + 2) % n]) >= 0.0);
        let quality = self.quality(&fan);
        let free = !self.diagonals(&fan).any(&taken);
        if free && convex && quality >= if n > LIMIT { f64::MIN_POSITIVE } else { GOOD } {
            return Some(fan);
        }
        (n <= LIMIT).then(|| self.best(taken))
    }

    /// Returns the triangulation whose worst triangle is best. It avoids diagonals that are `taken`, where possible.
    fn best(&self, taken: impl Fn([u32; 2]) -> bool) -> Vec<[usize; 3]> {
        let n = self.corners.len();
        // Entry for the part from corner i to corner j: quality of the worst triangle of its best triangulation, and
        // the corner of the triangle on its chord.
        let mut parts = vec![(f64::INFINITY, 0u32); n * n];
        for width in 2..n {
            for i in 0..n - width {
                let j = i + width;
                let mut best = (f64::NEG_INFINITY, i as u32 + 1);
                for k in i + 1..j {
                    let worst = self.worth([i, k, j]).min(parts[i * n + k].0).min(parts[k * n + j].0);
                    if worst > best.0 {
                        best = (worst, k as u32);
                    }
                }
                if width < n - 1 && taken(key(self.vertices[i], self.vertices[j])) {
                    // This is worse than any triangle, but still ordered.
                    best.0 -= 4.0;
                }
                parts[i * n + j] = best;
            }
        }
        let mut cut = Vec::with_capacity(n - 2);
        let mut todo = vec![[0, n - 1]];
        while let Some([i, j]) = todo.pop() {
            if j < i + 2 {
                continue;
            }
            let k = parts[i * n + j].1 as usize;
            cut.push([i, k, j]);
            todo.extend([[k, j], [i, k]]);
        }
        cut
    }
}

/// Returns the sum of the cross products of consecutive corners, which is twice the vector area.
fn newell_normal(corners: &[Vec3]) -> Vec3 {
    let mut normal = Vec3::zeros();
    if let Some(&first) = corners.first() {
        for pair in corners.windows(2) {
            normal += (pair[0] - first).cross(&(pair[1] - first));
        }
    }
    normal
}

#[cfg(test)]
mod tests;
