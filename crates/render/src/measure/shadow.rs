//! Shadow of a surface on a plane: its area, and the folds of its outline.

use crate::linalg::Vec2;
use std::f64::consts::TAU;

/// Number of directions from the centre in which the outline is looked for.
const DIRECTIONS: usize = 360;
/// Half width of the mean over directions that smooths the outline.
const SMOOTH: usize = 4;
/// Depth of a fold of the outline below its neighbours that counts, as part of the outline's whole range.
const FOLD: f64 = 0.15;
/// Range of the outline below which it has no folds, as part of its mean radius.
const ROUND: f64 = 0.02;

/// Shadow of triangles on a plane, as cells that are covered.
#[derive(Clone, Debug)]
pub struct Shadow {
    cells: Vec<bool>,
    low: Vec2,
    size: [usize; 2],
    cell: f64,
}

impl Shadow {
    /// Casts the shadow of triangles whose corners lie at `x` on the plane [m]. `cell` is the edge of a cell [m]. A
    /// cell is covered where its centre is in a triangle.
    pub fn new(x: &[Vec2], triangles: &[[u32; 3]], cell: f64) -> Shadow {
        let start = (Vec2::repeat(f64::INFINITY), Vec2::repeat(f64::NEG_INFINITY));
        let (low, high) = x.iter().fold(start, |(l, h), p| (l.inf(p), h.sup(p)));
        let size = if x.is_empty() { [0, 0] } else { [0, 1].map(|k| ((high[k] - low[k]) / cell).ceil() as usize + 1) };
        let mut cells = vec![false; size[0] * size[1]];
        for t in triangles {
            let [a, b, c] = t.map(|v| (x[v as usize] - low) / cell);
            let rows = [a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y)];
            for row in (rows[0] - 0.5).ceil().max(0.0) as usize..=(rows[1] - 0.5).floor().max(0.0) as usize {
                let y = row as f64 + 0.5;
                let crossed = [(a, b), (b, c), (c, a)].into_iter().filter_map(|(p, q)| {
                    let span = q.y - p.y;
                    let s = (y - p.y) / span;
                    (span != 0.0 && (0.0..=1.0).contains(&s)).then(|| p.x + s * (q.x - p.x))
                });
                let (l, h) = crossed.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
                if l > h {
                    continue;
                }
                let (first, end) = ((l - 0.5).ceil().max(0.0) as usize, (h - 0.5).floor() + 1.0);
                let end = (end.max(0.0) as usize).min(size[0]);
                if first < end {
                    cells[row * size[0] + first..row * size[0] + end].fill(true);
                }
            }
        }
        Shadow { cells, low, size, cell }
    }

    /// Returns the covered area [m^2].
    pub fn area(&self) -> f64 {
        self.cells.iter().filter(|covered| **covered).count() as f64 * self.cell * self.cell
    }

    /// Returns the number of folds of the outline around `centre`: its maxima, each beyond a minimum that is deep
    /// enough.
    pub fn folds(&self, centre: Vec2) -> usize {
        let mut far = vec![0.0f64; DIRECTIONS];
        for (k, _) in self.cells.iter().enumerate().filter(|(_, covered)| **covered) {
            let at = Vec2::new((k % self.size[0]) as f64 + 0.5, (k / self.size[0]) as f64 + 0.5);
            let p = self.low + at * self.cell - centre;
            let direction = (p.y.atan2(p.x).rem_euclid(TAU) / TAU * DIRECTIONS as f64) as usize % DIRECTIONS;
            far[direction] = far[direction].max(p.norm());
        }
        let mean = |k: usize| {
            let around = (0..=2 * SMOOTH).map(|d| far[(k + d + DIRECTIONS - SMOOTH) % DIRECTIONS]);
            around.sum::<f64>() / (2 * SMOOTH + 1) as f64
        };
        let outline: Vec<f64> = (0..DIRECTIONS).map(mean).collect();
        let (low, high) = outline.iter().fold((f64::INFINITY, 0.0f64), |(l, h), r| (l.min(*r), h.max(*r)));
        if high - low < ROUND * 0.5 * (low + high) {
            return 0;
        }
        let lowest = outline.iter().position(|r| *r == low).unwrap_or_default();
        let deep = FOLD * (high - low);
        // From the lowest point on: up by the depth, then down by it from the top.
        let (mut count, mut rising, mut turned) = (0, true, low);
        for k in 1..=DIRECTIONS {
            let r = outline[(lowest + k) % DIRECTIONS];
            if rising {
                if r > turned + deep {
                    (count, rising) = (count + 1, false);
                }
                turned = if rising { turned.min(r) } else { r };
            } else {
                turned = turned.max(r);
                if r < turned - deep {
                    (rising, turned) = (true, r);
                }
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fan of triangles around the origin whose rim has `waves` waves.
    fn flower(waves: f64, depth: f64) -> (Vec<Vec2>, Vec<[u32; 3]>) {
        let n = 720;
        let rim = (0..n).map(|k| {
            let angle = TAU * k as f64 / n as f64;
            (1.0 + depth * (waves * angle).cos()) * Vec2::new(angle.cos(), angle.sin())
        });
        let x = std::iter::once(Vec2::zeros()).chain(rim).collect();
        (x, (0..n as u32).map(|k| [0, 1 + k, 1 + (k + 1) % n as u32]).collect())
    }

    /// The area of `1 + d cos(n a)` is `pi (1 + d^2/2)`. A cell at the border is right or wrong by half of itself on
    /// average, a perimeter of about 7 m has 7/cell of them, and their errors add like a random walk.
    #[test]
    fn area_and_folds_of_a_flower() {
        for waves in [5.0, 8.0] {
            let (x, triangles) = flower(waves, 0.1);
            let shadow = Shadow::new(&x, &triangles, 0.004);
            let exact = std::f64::consts::PI * (1.0 + 0.005);
            let tolerance = 3.0 * (7.0 / 0.004f64).sqrt() * 0.5 * 0.004 * 0.004 + exact * 3e-5;
            assert!((shadow.area() - exact).abs() < tolerance, "{} for {exact}", shadow.area());
            assert_eq!(shadow.folds(Vec2::zeros()), waves as usize);
        }
        let (x, triangles) = flower(6.0, 0.0);
        assert_eq!(Shadow::new(&x, &triangles, 0.004).folds(Vec2::zeros()), 0);
    }

    /// Layers count once.
    #[test]
    fn what_lies_twofold_is_one_shadow() {
        let x = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|[x, y]| Vec2::new(x, y));
        let once = Shadow::new(&x, &[[0, 1, 2], [1, 3, 2]], 0.01);
        let twice = Shadow::new(&x, &[[0, 1, 2], [1, 3, 2], [0, 2, 1], [0, 1, 3]], 0.01);
        assert!((once.area() - 1.0).abs() < 0.021, "{}", once.area());
        assert_eq!(once.area(), twice.area());
    }
}
