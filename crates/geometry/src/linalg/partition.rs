//! Order of vertices and subdomains by recursive bisection of positions.
//!
//! Bisection down to single vertices gives neighbours nearby indices, as a Morton order does. The upper levels of the
//! same bisection are the subdomains of the preconditioner. The number of subdomains depends on the number of vertices
//! alone. Results thus do not depend on the number of threads.

use super::Vec3;

/// Target number of vertices of a subdomain on a surface. It fits the second-level cache and suffices for the
/// preconditioner.
pub const SURFACE: usize = 640;
/// Target number of vertices of a subdomain in a solid. A row has twice as many blocks as on a surface, a vertex three
/// times as many elements.
pub const SOLID: usize = 256;
/// Maximum number of subdomains.
const MOST: usize = 64;

/// Order of points, cut into subdomains.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    /// Permutation: `order[new] = old`.
    pub order: Vec<u32>,
    /// Offset of each subdomain: `d` has the new indices `starts[d]..starts[d + 1]`.
    pub starts: Vec<usize>,
}

impl Partition {
    /// Bisects `points` along their longest extent recursively, down to subdomains of about `aim` points.
    pub fn new(points: &[Vec3], aim: usize) -> Partition {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let domains = (points.len() / aim).next_power_of_two().clamp(1, MOST);
        let mut starts = vec![0];
        bisect(points, &mut order, 0, domains, &mut starts);
        Partition { order, starts }
    }
}

fn bisect(points: &[Vec3], part: &mut [u32], first: usize, domains: usize, starts: &mut Vec<usize>) {
    if part.len() > 1 {
        let (mut low, mut high) = (points[part[0] as usize], points[part[0] as usize]);
        for &i in part.iter() {
            low = low.inf(&points[i as usize]);
            high = high.sup(&points[i as usize]);
        }
        let axis = (high - low).imax();
        let middle = part.len() / 2;
        // Ties are broken by index, so that the order is unique.
        let before = |a: &u32, b: &u32| points[*a as usize][axis].total_cmp(&points[*b as usize][axis]).then(a.cmp(b));
        part.select_nth_unstable_by(middle, before);
        let (a, b) = part.split_at_mut(middle);
        bisect(points, a, first, domains / 2, starts);
        bisect(points, b, first + middle, domains / 2, starts);
    }
    if domains == 1 {
        starts.push(first + part.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_once_and_domains_even() {
        let points: Vec<Vec3> = (0..5000).map(|i| Vec3::new((i % 71) as f64, (i / 71) as f64, 0.0)).collect();
        let partition = Partition::new(&points, SURFACE);
        let mut seen = partition.order.clone();
        seen.sort_unstable();
        assert!(seen.iter().enumerate().all(|(i, &o)| i == o as usize));
        assert_eq!(partition.starts.len(), 9);
        assert_eq!(*partition.starts.last().unwrap(), 5000);
        assert!(partition.starts.windows(2).all(|w| (624..=626).contains(&(w[1] - w[0]))));
    }

    #[test]
    fn few_points_make_one_domain() {
        for n in [0, 1, 2, 7] {
            let points: Vec<Vec3> = (0..n).map(|i| Vec3::new(i as f64, 0.0, 0.0)).collect();
            assert_eq!(Partition::new(&points, SURFACE).starts, vec![0, n]);
        }
    }
}
