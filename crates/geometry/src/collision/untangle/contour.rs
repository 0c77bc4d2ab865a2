//! Descent out of a crossing of two sheets, along the gradient of the length of their intersection curve (after Volino
//! & Magnenat-Thalmann 2006, "Resolving surface collisions through intersection contour minimization").
//!
//! The curve is a polyline whose corners are the points `P` where an edge pierces a face. `R` are the unit directions
//! from `P` along the curve into each triangle on the edge. `E` is the unit direction of the edge, `N` the normal of
//! the face. A motion of the edge by `u` and of the face by `w` moves `P` by `u + E ((w - u).N)/(E.N)`. The length
//! changes by `-R` times that.

use crate::collision::intersect::pierces;
use crate::linalg::Vec3;

/// Lower bound of the sine between edge and face. Divided by less, a grazing edge would move too far.
const GRAZING: f64 = 0.05;

/// Calls `push` with the descent of the curve's length at the vertices of two triangles that cross.
pub(super) fn descend(x: &[Vec3], [s, t]: [&[u32; 3]; 2], mut push: impl FnMut(u32, Vec3)) {
    let normal = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| x[v as usize]);
        (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default()
    };
    for (sides, face) in [(s, t), (t, s)] {
        let (n, line) = (normal(face), normal(face).cross(&normal(sides)));
        let Some(line) = line.try_normalize(1e-12) else { continue };
        for k in 0..3 {
            let [p, q, opposite] = [0, 1, 2].map(|i| sides[(k + i) % 3]);
            let [a, b] = [p, q].map(|v| x[v as usize]);
            let Some(edge) = (b - a).try_normalize(0.0) else { continue };
            if face.contains(&p) || face.contains(&q) || !pierces(x, [p, q], face) {
                continue;
            }
            // Direction into the triangle: away from the edge on the side of the opposite corner.
            let rise = x[opposite as usize] - a;
            let inward = rise - edge * rise.dot(&edge);
            let along = line * if line.dot(&inward) < 0.0 { -1.0 } else { 1.0 };
            let sine = edge.dot(&n);
            let slide = n * (along.dot(&edge) / sine.abs().max(GRAZING) * sine.signum());
            let corners = face.map(|v| x[v as usize]);
            let [from, to] = [a, b].map(|p| (p - corners[0]).dot(&n));
            let at = (from / (from - to)).clamp(0.0, 1.0);
            push(p, (along - slide) * (1.0 - at));
            push(q, (along - slide) * at);
            let point = a.lerp(&b, at);
            let whole = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).dot(&n);
            for i in 0..3 {
                let [u, v] = [corners[(i + 1) % 3], corners[(i + 2) % 3]];
                let weight = ((u - point).cross(&(v - point)).dot(&n) / whole).clamp(0.0, 1.0);
                push(face[i], slide * weight);
            }
        }
    }
}
