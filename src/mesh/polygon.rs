//! Polygons cut into triangles.

use crate::linalg::Vec3;

/// Most corners of a polygon that is not convex: ear clipping takes time cubic in the corners.
const CONCAVE_LIMIT: usize = 512;

/// Cuts a polygon of `corners` into triangles of corner numbers and passes each to `emit`, `corners.len() - 2` in all.
///
/// Convex polygons become a fan about the first corner, others are cut by ear clipping in the plane of their Newell
/// normal; of a polygon that crosses itself the rest is fanned.
///
/// # Errors
/// Fewer than three corners, or a polygon of more than 512 corners that is not convex.
pub fn triangulate(corners: &[Vec3], mut emit: impl FnMut([usize; 3])) -> Result<(), String> {
    let n = corners.len();
    if n < 3 {
        return Err(format!("a face needs at least 3 vertices, this one has {n}"));
    }
    let normal = newell_normal(corners);
    let turn = |a: usize, b: usize, c: usize| match (corners.get(a), corners.get(b), corners.get(c)) {
        (Some(a), Some(b), Some(c)) => (b - a).cross(&(c - b)).dot(&normal),
        _ => 0.0,
    };
    if n == 3 || (0..n).all(|i| turn(i, (i + 1) % n, (i + 2) % n) >= 0.0) {
        (1..n - 1).for_each(|i| emit([0, i, i + 1]));
        return Ok(());
    }
    if n > CONCAVE_LIMIT {
        return Err(format!(
            "a face of {n} vertices that is not convex; cut faces of more than {CONCAVE_LIMIT} vertices into smaller ones"
        ));
    }
    let mut rest: Vec<usize> = (0..n).collect();
    while rest.len() > 3 {
        let m = rest.len();
        let ear = (0..m).find(|&i| {
            let (a, b, c) = (rest[(i + m - 1) % m], rest[i], rest[(i + 1) % m]);
            turn(a, b, c) > 0.0
                && rest.iter().all(|&p| {
                    p == a
                        || p == b
                        || p == c
                        || corners[p] == corners[a]
                        || corners[p] == corners[b]
                        || corners[p] == corners[c]
                        || turn(a, b, p) < 0.0
                        || turn(b, c, p) < 0.0
                        || turn(c, a, p) < 0.0
                })
        });
        let Some(i) = ear else { break };
        emit([rest[(i + m - 1) % m], rest[i], rest[(i + 1) % m]]);
        rest.remove(i);
    }
    (1..rest.len() - 1).for_each(|i| emit([rest[0], rest[i], rest[i + 1]]));
    Ok(())
}

/// Sum of the cross products of consecutive corners: twice the vector area.
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
mod tests {
    use super::*;

    fn cut(points: &[(f64, f64)]) -> (usize, f64, f64) {
        let corners: Vec<Vec3> = points.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
        let (mut count, mut smallest, mut sum) = (0, f64::INFINITY, 0.0);
        triangulate(&corners, |[a, b, c]| {
            let area = 0.5 * (corners[b] - corners[a]).cross(&(corners[c] - corners[a])).z;
            count += 1;
            smallest = f64::min(smallest, area);
            sum += area;
        })
        .unwrap();
        (count, smallest, sum)
    }

    #[test]
    fn a_concave_quad_is_cut_inside() {
        // The first corner sees the reflex corner only along the right diagonal.
        let (count, smallest, sum) = cut(&[(0.0, 0.0), (2.0, 0.0), (0.5, 0.5), (0.0, 2.0)]);
        assert_eq!(count, 2);
        assert!(smallest > 0.0 && (sum - 1.0).abs() < 1e-12);
        let (_, smallest, sum) = cut(&[(2.0, 0.0), (0.5, 0.5), (0.0, 2.0), (0.0, 0.0)]);
        assert!(smallest > 0.0 && (sum - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_comb_keeps_its_area() {
        let comb = [(0.0, 0.0), (5.0, 0.0), (5.0, 2.0), (4.0, 0.5), (3.0, 2.0), (2.0, 0.5), (1.0, 2.0), (0.0, 0.5)];
        let shoelace: f64 = (0..comb.len())
            .map(|i| {
                let (a, b) = (comb[i], comb[(i + 1) % comb.len()]);
                0.5 * (a.0 * b.1 - a.1 * b.0)
            })
            .sum();
        let (count, smallest, sum) = cut(&comb);
        assert_eq!(count, comb.len() - 2);
        assert!(smallest > 0.0 && (sum - shoelace).abs() < 1e-12);
    }

    #[test]
    fn a_bow_tie_still_gives_all_triangles() {
        let (count, _, _) = cut(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.2)]);
        assert_eq!(count, 3);
    }
}
