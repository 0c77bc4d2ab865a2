//! Parts of objects between which contact is left out, and pairs of obstacles that cross and catch cloth.
//!
//! A part is a set of vertices. It has all triangles and edges with a vertex of the set. A pair of features is left out
//! only if all pairs of triangles with both are, so that all other triangles stay proven.

use super::Object;
use crate::collision::certificate::Pair;
use crate::collision::surface::Surface;
use std::ops::Range;

/// Largest number of entries: bits of a mask.
pub const MOST: usize = 64;

/// Part of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Name of the object.
    pub object: String,
    /// File vertices, ascending; `None` for all of them.
    pub vertices: Option<Vec<u32>>,
}

/// Two parts between which contact is left out. Two parts of obstacles leave out that of cloth caught between them with
/// the second.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// Name in reports.
    pub name: String,
    /// Parts. Two equal ones stand for a part and itself.
    pub parts: [Part; 2],
}

/// Two obstacles that may cross, or two parts of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossed {
    /// Index of the entry.
    pub entry: usize,
    /// Objects.
    pub objects: [usize; 2],
    /// Triangles of the surface that belong to both parts.
    pub triangles: [Vec<u32>; 2],
}

/// Everything that contact leaves out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// Names of the entries.
    pub names: Vec<String>,
    /// Bits of the entries whose first part, and whose second part, has the vertex; empty without entries.
    masks: Vec<[u64; 2]>,
    /// Whether two whole objects are left out, `objects x objects`.
    whole: Vec<bool>,
    /// Number of objects.
    objects: usize,
    /// Entries of two parts of obstacles.
    pub crossed: Vec<Crossed>,
}

impl LeftOut {
    /// Builds the masks of the vertices. `first` is the first vertex of obstacles.
    pub fn new(all: &[Apart], objects: &[Object], surface: &Surface, first: usize) -> LeftOut {
        let mut out = LeftOut { objects: objects.len(), ..LeftOut::default() };
        if all.is_empty() {
            return out;
        }
        out.masks = vec![[0; 2]; surface.vertices];
        out.whole = vec![false; objects.len() * objects.len()];
        for Apart { name, parts } in all.iter().take(MOST) {
            let bit = 1 << out.names.len();
            let place = |part: &Part| objects.iter().position(|object| object.name == part.object);
            let [Some(a), Some(b)] = parts.each_ref().map(place) else { continue };
            let of_obstacles = [a, b].iter().all(|k| objects[*k].vertices.start >= first);
            for (side, (part, k)) in parts.iter().zip([a, b]).enumerate() {
                let object = &objects[k];
                let chosen = part.vertices.as_ref().map(|own| own.iter().map(|v| object.place[*v as usize]));
                let members: Vec<u32> = match chosen {
                    Some(chosen) => chosen.collect(),
                    None => object.vertices.clone().map(|v| v as u32).collect(),
                };
                // Cloth takes the place of the first obstacle while it is caught.
                if !(of_obstacles && side == 0) {
                    members.iter().for_each(|v| out.masks[*v as usize][side] |= bit);
                }
                if of_obstacles {
                    out.add_crossed((side, k), &members, surface);
                }
            }
            if !of_obstacles && parts.iter().all(|part| part.vertices.is_none()) {
                out.whole[a * objects.len() + b] = true;
                out.whole[b * objects.len() + a] = true;
            }
            out.names.push(name.clone());
        }
        out
    }

    fn add_crossed(&mut self, (side, object): (usize, usize), members: &[u32], surface: &Surface) {
        let entry = self.names.len();
        if side == 0 {
            self.crossed.push(Crossed { entry, objects: [object; 2], triangles: Default::default() });
        }
        let mut is_member = vec![false; surface.vertices];
        members.iter().for_each(|v| is_member[*v as usize] = true);
        let Range { start, end } = surface.triangle_ranges[object].clone();
        let has = |t: &u32| surface.triangles[*t as usize].iter().any(|v| is_member[*v as usize]);
        if let Some(crossed) = self.crossed.last_mut() {
            crossed.objects[side] = object;
            crossed.triangles[side] = (start as u32..end as u32).filter(has).collect();
        }
    }

    /// Returns true if nothing is left out.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.masks.is_empty()
    }

    /// Returns true if all of two objects is left out.
    pub fn wholly(&self, i: usize, j: usize) -> bool {
        self.whole.get(i * self.objects + j) == Some(&true)
    }

    /// Returns the bits of the entries that leave out a pair with these vertices on its sides. `passing` has the
    /// entries through whose second part each vertex passes; it may be empty.
    #[inline]
    pub fn entries(&self, passing: &[u64], first: &[u32], second: &[u32]) -> u64 {
        let side = |vertices: &[u32]| {
            vertices.iter().fold([0; 2], |[a, b], v| {
                let [own, other] = self.masks[*v as usize];
                [a | own | passing.get(*v as usize).copied().unwrap_or(0), b | other]
            })
        };
        let ([a, b], [c, d]) = (side(first), side(second));
        a & d | b & c
    }

    /// Returns true if a pair of features is left out.
    #[inline]
    pub fn has(&self, passing: &[u64], pair: Pair, corners: &[u32; 4]) -> bool {
        if self.is_empty() {
            return false;
        }
        let (first, second) = corners.split_at(if pair == Pair::VertexFace { 1 } else { 2 });
        self.entries(passing, first, second) != 0
    }

    /// Returns the bits of the entries that leave out a pair of triangles.
    pub fn of(&self, passing: &[u64], triangles: [&[u32; 3]; 2]) -> u64 {
        if self.is_empty() { 0 } else { self.entries(passing, triangles[0], triangles[1]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair of features is left out only if every pair of triangles with both is.
    #[test]
    fn features_are_left_out_with_all_their_triangles() {
        // Two strips of two triangles each; the first has a part at vertex 0.
        let surface = Surface::new(&[(0..4, vec![[0, 1, 2], [2, 1, 3]]), (4..8, vec![[4, 5, 6], [6, 5, 7]])]);
        let mut out = LeftOut { names: vec!["part".into()], masks: vec![[0; 2]; 8], ..LeftOut::default() };
        out.masks[0] = [1, 0];
        (4..8).for_each(|v| out.masks[v] = [0, 1]);
        let triangles = |s: usize, t: usize| out.of(&[], [s, t].map(|t| &surface.triangles[t])) != 0;
        assert!(triangles(0, 2) && triangles(0, 3) && triangles(2, 0) && !triangles(1, 2) && !triangles(0, 1));
        let mut seen = [0; 2];
        for pair in [Pair::VertexFace, Pair::EdgeEdge] {
            let firsts = if pair == Pair::VertexFace { 8 } else { surface.edges.len() as u32 };
            let seconds = if pair == Pair::VertexFace { 4 } else { surface.edges.len() as u32 };
            for (a, b) in (0..firsts).flat_map(|a| (0..seconds).map(move |b| (a, b))) {
                let corners = surface.corners(pair, [a, b]);
                let (first, second) = corners.split_at(if pair == Pair::VertexFace { 1 } else { 2 });
                let with = |side: &[u32]| -> Vec<usize> {
                    let has = |t: &usize| side.iter().all(|v| surface.triangles[*t].contains(v));
                    (0..4).filter(has).collect()
                };
                let every = with(first).iter().all(|s| with(second).iter().all(|t| triangles(*s, *t)));
                let left = out.has(&[], pair, &corners);
                assert!(!left || every, "{pair:?} {a} {b}");
                seen[usize::from(left)] += 1;
            }
        }
        assert!(seen[0] > 0 && seen[1] > 0);
        // A vertex that passes takes its triangles with it.
        out.masks[0] = [0; 2];
        let passing = [0, 0, 0, 1];
        assert_eq!(out.of(&passing, [&surface.triangles[1], &surface.triangles[2]]), 1);
        assert_eq!(out.of(&passing, [&surface.triangles[0], &surface.triangles[2]]), 0);
    }
}
