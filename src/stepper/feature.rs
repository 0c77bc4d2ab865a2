//! Which contacts count: each nearest point of two surfaces once.
//!
//! Two edges are nearest points of their surfaces along the normals that both have in common (the feasible region of Chen et
//! al. 2025, "Offset Geometric Contact"). An inner edge of a flat part has one normal, which it shares with its triangles,
//! and one in a valley has none: the ends of the other edge are as near or nearer.

use super::touch::Element;
use crate::linalg::Vec3;
use crate::world::{Kind, World};

/// Sum of the sines of the slopes beside an edge up to which it counts as flat.
const FLAT: f64 = 1e-3;

/// Two edges whose nearest points have the direction `normal` from the second to the first, and these weights, act on each
/// other.
pub fn edges_count(world: &World, x: &[Vec3], edges: [u32; 2], normal: &Vec3, weights: &[f64; 4]) -> bool {
    let counts = |edge: u32, other: u32, d: &Vec3, ends: &[f64]| {
        let Some(bend) = world.surface.bend(x, edge as usize, d) else { return false };
        if bend.fall > FLAT {
            return true;
        }
        let owner = world.surface.object[world.surface.edges[edge as usize][0] as usize];
        if bend.fall > -FLAT && world.objects[usize::from(owner)].kind == Kind::Obstacle {
            return false;
        }
        // The other edge's end on that side is as near or nearer, if it is not beyond the triangle there.
        let [a, b] = world.surface.edges[other as usize].map(|v| v as usize);
        let along = x[b] - x[a];
        let end = if along.dot(&bend.higher) > 0.0 { ends[0] } else { ends[1] };
        end.abs() * along.norm() > bend.higher.norm()
    };
    !weights.contains(&0.0)
        && counts(edges[0], edges[1], &-normal, &weights[2..])
        && counts(edges[1], edges[0], normal, &weights[..2])
}

/// Of the contacts of one vertex with faces that share the nearest edge or corner, keeps the nearest: the others are no local
/// minima of the distance, or the same point again. Contacts from `first` on are sorted by vertex.
pub fn keep_local_minima(contacts: &mut Vec<Element>, first: usize) {
    let mut keep = vec![true; contacts.len() - first];
    let mut start = first;
    while start < contacts.len() {
        let v = contacts[start].vertices[0];
        let mut end = start + 1;
        while end < contacts.len() && contacts[end].vertices[0] == v {
            end += 1;
        }
        for i in start..end {
            let c = &contacts[i];
            let feature = |k: &usize| c.weights[*k] != 0.0;
            let on_border = (1..4).filter(feature).count() < 3;
            keep[i - first] = !on_border
                || (start..end).filter(|j| *j != i).all(|j| {
                    let other = &contacts[j];
                    let shares = (1..4).filter(feature).all(|k| other.vertices[1..].contains(&c.vertices[k]));
                    let (a, b) = (c.distance, other.distance * (1.0 + 1e-9));
                    !shares || (a <= b && (b > a * (1.0 + 3e-9) || i < j))
                });
        }
        start = end;
    }
    let mut k = 0;
    contacts.retain(|_| {
        k += 1;
        k <= first || keep[k - 1 - first]
    });
}
