use super::*;
use crate::collision::closest::point_triangle;
use crate::linalg::Rotation;

/// Pseudorandom number generator (splitmix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: i64) -> i64 {
        (self.bits() % n as u64) as i64
    }

    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    /// Returns integer coordinates up to `n` in magnitude.
    pub(super) fn whole(&mut self, n: i64) -> Vec3 {
        Vec3::from_fn(|_, _| (self.below(2 * n + 1) - n) as f64)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Safe,
    Unsafe,
    Unknown,
}

/// Decides by conservative advancement: the distance changes no faster than the fastest relative motion of two
/// vertices.
fn truth(pair: Pair, start: &[Vec3; 4], end: &[Vec3; 4], xi: f64) -> Truth {
    let moves: [Vec3; 4] = std::array::from_fn(|k| end[k] - start[k]);
    let mut fastest = 0.0f64;
    for i in 0..4 {
        for j in 0..4 {
            if pair.side(i) > pair.side(j) {
                fastest = fastest.max((moves[i] - moves[j]).norm());
            }
        }
    }
    let size = start.iter().chain(end).fold(0.0f64, |m, p| m.max((p - start[0]).norm()));
    let mut t = 0.0;
    for _ in 0..3000 {
        let x: [Vec3; 4] = std::array::from_fn(|k| start[k] * (1.0 - t) + end[k] * t);
        let distance = pair.separation(&x).distance;
        if distance < xi - 1e-11 * size {
            return Truth::Unsafe;
        }
        if distance < xi + 1e-11 * size {
            return Truth::Unknown;
        }
        t += (distance - xi) / fastest;
        if t >= 1.0 {
            return Truth::Safe;
        }
    }
    Truth::Unknown
}

/// Returns a moving pair: far, near, thin, flat or parallel; slow, fast, turning, or in common motion.
fn moving(random: &mut Random, pair: Pair, kind: usize) -> ([Vec3; 4], [Vec3; 4]) {
    let mut x: [Vec3; 4] = std::array::from_fn(|_| random.vector());
    let small = [0.5, 0.05, 1e-3, 1e-6][kind % 4];
    match kind / 4 % 6 {
        1 => x[3] = x[2] + random.vector() * small,
        2 => x[3] = x[2] + (x[1] - x[0]) * random.unit() + random.vector() * (small * small),
        3 => x.iter_mut().for_each(|p| p.z *= small),
        4 => {
            // Features that nearly touch.
            let between = pair.separation(&x);
            let shift = between.normal * (between.distance * (1.0 - small));
            (0..4).filter(|k| pair.side(*k) > 0.0).for_each(|k| x[k] -= shift);
        }
        5 => x[1] = x[2],
        _ => {}
    }
    let moves: [Vec3; 4] = match kind / 24 % 5 {
        0 => std::array::from_fn(|_| random.vector()),
        1 => std::array::from_fn(|_| random.vector() * small),
        2 => {
            let common = random.vector() * 10.0;
            std::array::from_fn(|_| common + random.vector() * small)
        }
        3 => {
            let v = random.vector();
            let turn = Rotation::from_scaled_axis(v * 2.0);
            std::array::from_fn(|k| turn * x[k] - x[k] + random.vector() * (0.1 * small))
        }
        _ => {
            // Side A passes side B.
            let v = random.vector() * 3.0;
            std::array::from_fn(|k| v * pair.side(k))
        }
    };
    let far = Vec3::repeat([0.0, 0.0, 0.0, 1000.0][kind / 120 % 4]);
    (x.map(|p| p + far), std::array::from_fn(|k| x[k] + far + moves[k]))
}

#[test]
fn proofs_agree_with_conservative_advancement() {
    let mut random = Random(3);
    let (mut safe, mut proven, mut collide, mut unknown) = (0, 0, 0, 0);
    let (mut slow_safe, mut slow_proven) = (0, 0);
    for k in 0..200_000usize {
        let pair = [Pair::VertexFace, Pair::EdgeEdge][k % 2];
        let (start, end) = moving(&mut random, pair, k / 2);
        let xi = [0.0, 1e-4, 0.01][k % 3];
        let truth = truth(pair, &start, &end, xi);
        let hint = pair.separation(&end).normal;
        let said = pair.separated(&start, &end, xi);
        let hinted = pair.separated_along(&start, &end, &hint, xi);
        assert!(truth != Truth::Unsafe || (!said && !hinted), "{k}: {pair:?} {start:?} {end:?}");
        match truth {
            Truth::Safe => {
                safe += 1;
                proven += usize::from(said);
                if k / 2 / 24 % 5 == 1 {
                    slow_safe += 1;
                    slow_proven += usize::from(said);
                }
            }
            Truth::Unsafe => collide += 1,
            Truth::Unknown => unknown += 1,
        }
    }
    println!("of {safe} safe {proven} proven; slow: of {slow_safe} {slow_proven}; {collide} unsafe, {unknown} unknown");
    assert!(collide > 15_000 && unknown < 20_000);
    assert!(proven as f64 > 0.95 * f64::from(safe) && slow_proven as f64 > 0.99 * f64::from(slow_safe));
}

#[test]
fn a_common_motion_costs_nothing() {
    let x = [[0.2, 1e-3, 0.2], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
    let fall = Vec3::new(3.0, -50.0, 1.0);
    assert!(Pair::VertexFace.separated(&x, &x.map(|p| p + fall), 0.999e-3));
    assert!(!Pair::VertexFace.separated(&x, &x.map(|p| p + fall), 1.001e-3));
}

#[test]
fn a_turning_plane_proves_what_a_fixed_one_cannot() {
    // Two parallel edges, both turned about the vertical by 0.6 rad. No fixed plane separates them at both ends.
    let x = [[-0.5, 0.1, 0.0], [0.5, 0.1, 0.0], [-0.5, -0.1, 0.0], [0.5, -0.1, 0.0]].map(Vec3::from);
    let turn = Rotation::from_scaled_axis(Vec3::new(0.0, 0.0, 0.6));
    let end = x.map(|p| turn * p);
    let step = Step::new(Pair::EdgeEdge, &x, &end, 0.1);
    let [from, to] = [Vec3::y(), turn * Vec3::y()];
    assert!(!step.translating(&from) && !step.translating(&to) && step.rotating(&from, &to));
}

#[test]
fn separation_is_its_weights() {
    let mut random = Random(4);
    for k in 0..20_000usize {
        let pair = [Pair::VertexFace, Pair::EdgeEdge][k % 2];
        let (x, _) = moving(&mut random, pair, k / 2);
        let s = pair.separation(&x);
        let sum: Vec3 = (0..4).map(|k| x[k] * s.weights[k]).sum();
        let size = x.iter().fold(0.0f64, |m, p| m.max(p.norm()));
        assert!((s.normal.dot(&sum) - s.distance).abs() <= 1e-14 * size);
        assert!((0..4).all(|k| s.weights[k] * pair.side(k) >= 0.0) && s.weights.iter().sum::<f64>().abs() < 1e-15);
        assert!(s.distance == 0.0 || (s.normal.norm() - 1.0).abs() < 1e-14);
    }
}

/// The bound holds all along the motion, in random and degenerate pairs, and some pairs attain it.
#[test]
fn features_come_no_nearer_than_their_bound() {
    let mut random = Random(6);
    let mut reached = [0.0f64; 2];
    for k in 0..40_000usize {
        let pair = [Pair::VertexFace, Pair::EdgeEdge][k % 2];
        let (start, mut end) = moving(&mut random, pair, k / 2);
        let from = pair.separation(&start);
        if k % 3 == 0 {
            // Each vertex moves along the normal by its own amount, on top of a common motion.
            let common = random.vector();
            end = start.map(|p| p + common + from.normal * random.unit());
        }
        let moved: [Vec3; 4] = std::array::from_fn(|k| end[k] - start[k]);
        let bound = closer(pair, &moved);
        let size = start.iter().chain(&end).fold(0.0f64, |m, p| m.max(p.norm()));
        for part in (1..=40).map(|i| f64::from(i) / 40.0) {
            let x: [Vec3; 4] = std::array::from_fn(|k| start[k] + moved[k] * part);
            let closer = from.distance - pair.separation(&x).distance;
            assert!(closer <= bound * part + 1e-12 * size, "{k}: {pair:?} {start:?} {end:?}: {closer} > {bound}");
            if bound > 1e-6 * size {
                reached[k % 2] = reached[k % 2].max(closer / (bound * part));
            }
        }
    }
    println!("of the bound reached: vertex and face {}, edges {}", reached[0], reached[1]);
    assert!(reached.iter().all(|part| *part > 0.99));
}

/// Returns the bound for one pair.
fn closer(pair: Pair, moved: &[Vec3; 4]) -> f64 {
    pair.closer(&std::array::from_fn(|corner| Four::from_fn(|_| &moved[corner]))).to_array()[0]
}

#[test]
fn what_moves_along_comes_no_nearer() {
    let mut random = Random(7);
    for _ in 0..1000 {
        let common = random.vector() * 10.0;
        let own: [Vec3; 4] = std::array::from_fn(|_| random.vector() * 1e-6);
        let differ = |i: usize, j: usize| (own[i] - own[j]).norm();
        let most = (0..16).map(|k| differ(k / 4, k % 4)).fold(0.0, f64::max);
        for pair in [Pair::VertexFace, Pair::EdgeEdge] {
            assert_eq!(closer(pair, &[common; 4]), 0.0);
            assert!(closer(pair, &own.map(|m| common + m)) <= 2.0 * most + 1e-14);
        }
    }
}

#[test]
fn what_is_not_a_number_proves_nothing() {
    let x = [[0.0, 1.0, 0.0], [-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0]].map(Vec3::from);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for k in 0..4 {
            let mut y = x;
            y[k].x = bad;
            for pair in [Pair::VertexFace, Pair::EdgeEdge] {
                assert!(!pair.separated(&x, &y, 0.0) && !pair.separated_along(&x, &y, &Vec3::y(), 0.0));
                assert!(!pair.separated(&y, &x, 0.0) && !pair.separated_along(&y, &x, &Vec3::y(), 0.0));
            }
        }
    }
    assert!(Pair::VertexFace.separated(&x, &x, 0.5));
}

#[test]
#[ignore = "timing"]
fn timing() {
    let mut random = Random(5);
    // Pairs 1 mm apart with sides of 10 mm. Each vertex moves by up to 0.5 mm on top of a common 3 mm.
    let steps: Vec<([Vec3; 4], [Vec3; 4])> = (0..4096)
        .map(|k| {
            let pair = [Pair::VertexFace, Pair::EdgeEdge][k % 2];
            let mut x: [Vec3; 4] = std::array::from_fn(|_| random.vector() * 0.01);
            let between = pair.separation(&x);
            let shift = between.normal * (between.distance - 1e-3);
            (0..4).filter(|k| pair.side(*k) > 0.0).for_each(|k| x[k] -= shift);
            let common = random.vector() * 3e-3;
            (x, x.map(|p| p + common + random.vector() * 5e-4))
        })
        .collect();
    type Query<'a> = &'a dyn Fn(Pair, &[Vec3; 4], &[Vec3; 4]) -> bool;
    let time = |name: &str, f: Query| {
        let (mut best, mut yes) = (f64::INFINITY, 0);
        for _ in 0..30 {
            let start = std::time::Instant::now();
            yes = (0..steps.len())
                .filter(|k| f([Pair::VertexFace, Pair::EdgeEdge][k % 2], &steps[*k].0, &steps[*k].1))
                .count();
            best = best.min(start.elapsed().as_secs_f64() / steps.len() as f64);
        }
        println!("{name}: {:.1} ns, {yes} of {}", best * 1e9, steps.len());
    };
    time("separation, mixed", &|pair, x, _| pair.separation(x).distance < 2e-3);
    time("point-triangle", &|_, x, _| point_triangle(&x[0], &x[1], &x[2], &x[3]).distance2 < 4e-6);
    time("edge-edge", &|_, x, _| Pair::EdgeEdge.separation(x).distance < 2e-3);
    time("certificate", &|pair, x, y| pair.separated(x, y, 1e-5));
}

/// An edge or a vertex slides past the border of a wall, 1 mm above it, with a small rotation. The displacement is 5 to
/// 100 times that height.
#[test]
fn what_slides_past_a_border_is_proven() {
    for turn in [0.0, 0.02] {
        for way in [5e-3, 20e-3, 100e-3] {
            let (before, after) = (Vec3::new(0.0, 0.4 * way, 1e-3), Vec3::new(0.0, -0.6 * way, 1e-3));
            let wall = [Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::y()];
            let end = Vec3::new(0.01, 0.01 * turn, -0.01 * turn);
            let edges = |by: Vec3, end: Vec3| [by, by + end, wall[0], wall[1]];
            let proven = Pair::EdgeEdge.separated(&edges(before, Vec3::x() * 0.01), &edges(after, end), 1e-5);
            assert!(proven, "edge, {way}, {turn}");
            let [start, end] = [before, after].map(|by| [by, wall[0], wall[1], wall[2]]);
            assert!(Pair::VertexFace.separated(&start, &end, 1e-5), "vertex, {way}");
        }
    }
}
