//! Mean volumes of vertex rings, on which the pressure of a nearly incompressible solid depends.
//!
//! Linear tetrahedra that each keep their volume leave a mesh hardly any motion (locking). Volume is therefore kept by
//! the ring of elements around each vertex, for the part `lambda` of the bulk modulus (J. Bonet, A. J. Burton, "A
//! simple average nodal pressure tetrahedral element for incompressible and nearly incompressible dynamic explicit
//! applications", Communications in Numerical Methods in Engineering 14, 1998). With `V_a = sum V_e/4` and
//! `J_a = sum V_e J_e/4/V_a` over the ring of vertex `a`, the energy is `sum V_a lambda (J_a - 1)^2/2`. In an element's
//! stress the mean of `J_a - 1` over its vertices then replaces `J - 1`.

use super::Tetrahedron;

/// Part of an element in the ring of each of its vertices.
pub const SHARE: f64 = 0.25;
/// Ring index of a vertex without a ring.
const NONE: u32 = u32::MAX;

/// Rings of all vertices of some elements.
#[derive(Clone, Debug)]
pub struct Rings {
    /// Elements of the rings in the world's order, with the ring of each vertex, else [`NONE`].
    members: Vec<(Tetrahedron, [u32; 4])>,
    /// Rings of the vertices of each element that needs them.
    asked: Vec<[u32; 4]>,
    /// Rest volume of each ring [m^3].
    volumes: Vec<f64>,
    /// Mean values of each ring.
    means: Vec<[f64; 2]>,
}

impl Rings {
    /// Builds the rings of the vertices of the elements `asked` from `all` elements, in their order.
    pub fn new<'a>(asked: &[Tetrahedron], all: impl Iterator<Item = &'a Tetrahedron>) -> Rings {
        let mut known: Vec<u32> = asked.iter().flat_map(|t| t.vertices).collect();
        known.sort_unstable();
        known.dedup();
        let [first, last] = [known.first(), known.last()].map(|v| v.copied().unwrap_or(NONE));
        let ring = |v: u32| match (first..=last).contains(&v) {
            true => known.binary_search(&v).map_or(NONE, |k| k as u32),
            false => NONE,
        };
        let near = all.map(|t| (*t, t.vertices.map(ring)));
        let members: Vec<(Tetrahedron, [u32; 4])> = near.filter(|(_, own)| own.iter().any(|k| *k != NONE)).collect();
        let mut rings = Rings {
            asked: asked.iter().map(|t| t.vertices.map(ring)).collect(),
            volumes: vec![0.0; known.len()],
            means: vec![[0.0; 2]; known.len()],
            members,
        };
        for (t, own) in &rings.members {
            own.iter().filter(|k| **k != NONE).for_each(|k| rings.volumes[*k as usize] += SHARE * t.volume);
        }
        rings
    }

    /// Computes the mean over each ring of two values per element, weighted by volume.
    pub fn fill(&mut self, of: impl Fn(&Tetrahedron) -> [f64; 2]) {
        let Rings { members, volumes, means, .. } = self;
        means.fill([0.0; 2]);
        for (t, own) in members {
            let values = of(t);
            for k in own.iter().filter(|k| **k != NONE) {
                let part = SHARE * t.volume / volumes[*k as usize];
                means[*k as usize].iter_mut().zip(values).for_each(|(mean, value)| *mean += part * value);
            }
        }
    }

    /// Returns the means over the four rings of the element `k` of `asked`.
    pub fn of(&self, k: usize) -> [f64; 2] {
        let rings = self.asked[k].map(|ring| self.means[ring as usize]);
        [0, 1].map(|i| SHARE * rings.iter().map(|mean| mean[i]).sum::<f64>())
    }
}
