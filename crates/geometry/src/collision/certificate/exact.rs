//! Tests of the proofs against integer arithmetic: no unsafe query may be reported as safe.
//!
//! Positions are integers below 2^53, exact in `f64`, times a power of two. For pairs that meet, the place is known by
//! construction and checked in `i128`. Other pairs are decided by subdivision of the step, also in `i128`.

use super::tests::{Random, Truth};
use super::*;

/// Number of parts of an edge or triangle at which features meet.
const PARTS: i64 = 16;
/// Number of parts of the step at which features meet. They are finer than the halvings of a proof.
const TIMES: i64 = 64;

/// Moving pair that is certain to come as near as `apart`.
struct Meeting {
    start: [Vec3; 4],
    end: [Vec3; 4],
    /// Time of the meeting, in parts of the step.
    time: i64,
    /// Weights of the vertices, positive on side A and negative on side B. Magnitudes on each side sum to [`PARTS`].
    weights: [i64; 4],
    /// Vector from the point of side B to the point of side A, times [`TIMES`].
    apart: Vec3,
}

fn whole(x: f64) -> i128 {
    assert!(x.fract() == 0.0 && x.abs() < 2f64.powi(53));
    x as i128
}

impl Meeting {
    /// Checks that the points with these weights are exactly `apart` at that time.
    fn check(&self, pair: Pair) {
        let side = |sign: f64| (0..4).filter(|k| pair.side(*k) == sign).map(|k| self.weights[k]).sum::<i64>();
        assert!(side(1.0) == PARTS && side(-1.0) == -PARTS);
        assert!((0..4).all(|k| self.weights[k] as f64 * pair.side(k) >= 0.0));
        let (t, rest) = (i128::from(self.time), i128::from(TIMES - self.time));
        for axis in 0..3 {
            let at = |k: usize| whole(self.start[k][axis]) * rest + whole(self.end[k][axis]) * t;
            let sum: i128 = (0..4).map(|k| at(k) * i128::from(self.weights[k])).sum();
            assert_eq!(sum, whole(self.apart[axis]) * i128::from(PARTS * TIMES));
        }
    }
}

/// Returns positions (multiples of [`PARTS`]) of features that share a point, and the weights of that point. Kinds are
/// general, coplanar, collinear, coincident vertices, slivers, and edges parallel or nearly so.
fn touching(random: &mut Random, pair: Pair, kind: usize) -> ([Vec3; 4], [i64; 4]) {
    let n = [2, 10, 1000, 1 << 20][kind % 4];
    let mut points: [Vec3; 3] = std::array::from_fn(|_| random.whole(n) * PARTS as f64);
    let hair = random.whole(1) * PARTS as f64;
    match kind / 4 % 8 {
        1 => points.iter_mut().for_each(|p| p.z = 0.0),
        2 => points.iter_mut().for_each(|p| *p = Vec3::repeat(p.x)),
        3 => points[1] = points[0],
        4 => points[2] = points[0],
        5 => points = [points[0]; 3],
        6 => points[2] = points[0] + (points[1] - points[0]) * (random.below(5) - 2) as f64 + hair,
        _ => {}
    }
    let [a, b, c] = points;
    match pair {
        Pair::VertexFace => {
            let i = [0, random.below(PARTS + 1)][random.below(2) as usize];
            let j = [0, random.below(PARTS + 1 - i)][random.below(2) as usize];
            let k = PARTS - i - j;
            let sum = a * i as f64 + b * j as f64 + c * k as f64;
            ([sum / PARTS as f64, a, b, c], [PARTS, -i, -j, -k])
        }
        Pair::EdgeEdge => {
            let i = random.below(PARTS + 1);
            let sum = a * (PARTS - i) as f64 + b * i as f64;
            let j = 1 << random.below(5);
            let d = (sum - c * (PARTS - j) as f64) / j as f64;
            if random.below(2) == 0 {
                ([a, b, c, d], [PARTS - i, i, j - PARTS, -j])
            } else {
                ([a, b, d, c], [PARTS - i, i, -j, j - PARTS])
            }
        }
    }
}

/// Returns displacements: arbitrary, slow with a common motion, common only, along an axis, or of one vertex. Other
/// kinds are zero, turning, and one side passing the other.
fn moves(random: &mut Random, pair: Pair, x: &[Vec3; 4], kind: usize) -> [Vec3; 4] {
    let n = [1, 30, 3000, 1 << 20][random.below(4) as usize];
    let (common, axis) = (random.whole(n), random.whole(2));
    match kind {
        0 => std::array::from_fn(|_| random.whole(n)),
        1 => std::array::from_fn(|_| common + random.whole(1)),
        2 => [common; 4],
        3 => std::array::from_fn(|_| Vec3::new(0.0, 0.0, random.whole(n).z)),
        4 => std::array::from_fn(|k| if k == 0 { common } else { Vec3::zeros() }),
        5 => [Vec3::zeros(); 4],
        6 => x.map(|p| axis.cross(&p) + random.whole(1)),
        _ => std::array::from_fn(|k| common * pair.side(k)),
    }
}

fn meeting(random: &mut Random, pair: Pair, kind: usize, apart: &Vec3) -> Meeting {
    let (mut x, weights) = touching(random, pair, kind);
    let moves = moves(random, pair, &x, kind / 32 % 8);
    (0..4).filter(|k| pair.side(*k) > 0.0).for_each(|k| x[k] += apart);
    let time = random.below(TIMES + 1);
    let far = random.whole([0, 0, 1 << 30, 1 << 50][kind / 256 % 4]);
    let at = |k: usize, before: i64| x[k] * TIMES as f64 + moves[k] * before as f64 + far;
    Meeting {
        start: std::array::from_fn(|k| at(k, -time)),
        end: std::array::from_fn(|k| at(k, TIMES - time)),
        time,
        weights,
        apart: apart * TIMES as f64,
    }
}

/// Returns a direction to try first: useful, useless, or not a unit vector.
fn hint(random: &mut Random, pair: Pair, m: &Meeting) -> Vec3 {
    match random.below(8) {
        0 => pair.separation(&m.start).normal,
        1 => pair.separation(&m.end).normal,
        2 => m.apart.normalize(),
        3 => (m.start[2] - m.start[1]).cross(&(m.start[3] - m.start[1])).normalize(),
        4 => random.vector() * 1e3,
        5 => Vec3::zeros(),
        6 => Vec3::ith(random.below(3) as usize, 1.0),
        _ => random.vector().normalize(),
    }
}

/// Asserts that two queries for each of `cases` pairs prove nothing. The pairs come nearer than the distance asked for.
fn assert_nothing_is_proven(seed: u64, cases: usize, apart: impl Fn(&mut Random) -> (Vec3, f64)) {
    let mut random = Random(seed);
    for case in 0..cases {
        let pair = [Pair::VertexFace, Pair::EdgeEdge][case % 2];
        let (apart, length) = apart(&mut random);
        let m = meeting(&mut random, pair, case / 2, &apart);
        m.check(pair);
        let hint = hint(&mut random, pair, &m);
        let scale = 2f64.powi([0, -20, 30, -300, 400, 900, -1060][random.below(7) as usize]);
        let (start, end) = (m.start.map(|p| p * scale), m.end.map(|p| p * scale));
        // The smallest number above the length is the smallest distance without a proof.
        let xi = if length > 0.0 { (length * TIMES as f64).next_up() * scale } else { 0.0 };
        let safe = pair.separated(&start, &end, xi) || pair.separated_along(&start, &end, &hint, xi);
        assert!(!safe, "case {case} of seed {seed}: {pair:?} {start:?} {end:?} {hint:?} {xi}");
    }
    println!("certificates: 0 of {} queries wrongly safe, seed {seed}", 2 * cases);
}

/// Returns an integer vector of integer length, so that the distance is exact.
fn distance(random: &mut Random) -> (Vec3, f64) {
    let (v, length) =
        [([1, 0, 0], 1), ([0, 3, 4], 5), ([2, 3, 6], 7), ([1, 4, 8], 9), ([2, 6, 9], 11)][random.below(5) as usize];
    let factor = [1, 7, 1000][random.below(3) as usize] * (1 - 2 * random.below(2));
    let first = random.below(3) as usize;
    (Vec3::from_fn(|i, _| (v[(i + first) % 3] * factor) as f64), (length * factor.abs()) as f64)
}

#[test]
fn no_proof_for_pairs_that_collide() {
    assert_nothing_is_proven(1, 2_000_000, |_| (Vec3::zeros(), 0.0));
}

#[test]
fn no_proof_for_pairs_that_come_too_near() {
    assert_nothing_is_proven(2, 1_000_000, distance);
}

/// Polynomial over the step in Bernstein form, times a constant factor.
#[derive(Clone)]
struct Bernstein(Vec<i128>);

impl Bernstein {
    /// Converts a polynomial with at most five power coefficients.
    fn new(powers: &[i128]) -> Bernstein {
        let n = powers.len() - 1;
        let choose = |n: usize, k: usize| (0..k).fold(1, |c, i| c * (n - i) as i128 / (i + 1) as i128);
        // The factor 12 is a multiple of all binomials of up to four.
        let coefficient = |i: usize| (0..=i).map(|j| powers[j] * choose(i, j) * (12 / choose(n, j))).sum();
        Bernstein((0..=n).map(coefficient).collect())
    }

    /// Returns the polynomials over both halves (de Casteljau without division).
    fn halves(&self) -> [Bernstein; 2] {
        let n = self.0.len() - 1;
        let (mut row, mut left, mut right) = (self.0.clone(), vec![0; n + 1], vec![0; n + 1]);
        for level in 0..=n {
            left[level] = row[0] << (n - level);
            right[n - level] = row[n - level] << (n - level);
            (0..n - level).for_each(|i| row[i] += row[i + 1]);
        }
        [Bernstein(left), Bernstein(right)]
    }

    fn positive(&self) -> bool {
        self.0.iter().all(|c| *c > 0)
    }

    fn negative(&self) -> bool {
        self.0.iter().all(|c| *c < 0)
    }
}

/// Multiplies polynomials given by their power coefficients.
fn times(a: &[i128], b: &[i128]) -> Vec<i128> {
    let mut product = vec![0; a.len() + b.len() - 1];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            product[i + j] += a * b;
        }
    }
    product
}

fn plus(a: &[i128], b: &[i128], factor: i128) -> Vec<i128> {
    a.iter().zip(b).map(|(a, b)| a + factor * b).collect()
}

/// Vector of polynomials.
type Vector = [Vec<i128>; 3];

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| plus(&a[i], &b[i], -1))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        plus(&times(&a[j], &b[k]), &times(&a[k], &b[j]), -1)
    })
}

fn dot(a: &Vector, b: &Vector) -> Vec<i128> {
    (1..3).fold(times(&a[0], &b[0]), |sum, i| plus(&sum, &times(&a[i], &b[i]), 1))
}

/// Returns a polynomial that is zero when the four vertices are coplanar. The other polynomials are positive when the
/// features then meet inside.
fn conditions(pair: Pair, start: &[Vec3; 4], end: &[Vec3; 4]) -> (Bernstein, Vec<Bernstein>) {
    let [a, b, c, d]: [Vector; 4] = std::array::from_fn(|k| {
        std::array::from_fn(|i| vec![whole(start[k][i]), whole(end[k][i]) - whole(start[k][i])])
    });
    let (plane, inside) = match pair {
        Pair::VertexFace => {
            let [pb, pc, pd] = [minus(&b, &a), minus(&c, &a), minus(&d, &a)];
            let n = cross(&minus(&c, &b), &minus(&d, &b));
            let weights = [[&pc, &pd], [&pd, &pb], [&pb, &pc]].map(|[x, y]| dot(&cross(x, y), &n));
            (dot(&pb, &n), weights.to_vec())
        }
        Pair::EdgeEdge => {
            let (u, v, r) = (minus(&b, &a), minus(&d, &c), minus(&c, &a));
            let n = cross(&u, &v);
            let (whole, s, t) = (dot(&n, &n), dot(&cross(&r, &v), &n), dot(&cross(&r, &u), &n));
            (dot(&r, &n), vec![plus(&whole, &s, -1), plus(&whole, &t, -1), s, t])
        }
    };
    (Bernstein::new(&plane), inside.iter().map(|p| Bernstein::new(p)).collect())
}

/// Decides whether features meet within a part of the step. A pair that is undecided after `halvings` meets on a
/// border, if at all.
fn meets(plane: &Bernstein, inside: &[Bernstein], halvings: u32) -> Truth {
    if plane.positive() || plane.negative() || inside.iter().any(Bernstein::negative) {
        return Truth::Safe;
    }
    let (first, last) = (plane.0[0], plane.0[plane.0.len() - 1]);
    if first.signum() * last.signum() <= 0 && inside.iter().all(Bernstein::positive) {
        return Truth::Unsafe;
    }
    // The pair is coplanar throughout, or too close to call.
    if halvings == 0 || plane.0.iter().all(|c| *c == 0) {
        return Truth::Unknown;
    }
    let planes = plane.halves();
    let insides: Vec<[Bernstein; 2]> = inside.iter().map(Bernstein::halves).collect();
    let half = |k: usize| {
        let inside: Vec<Bernstein> = insides.iter().map(|p| p[k].clone()).collect();
        meets(&planes[k], &inside, halvings - 1)
    };
    match half(0) {
        Truth::Unsafe => Truth::Unsafe,
        Truth::Safe => half(1),
        Truth::Unknown if half(1) == Truth::Unsafe => Truth::Unsafe,
        Truth::Unknown => Truth::Unknown,
    }
}

/// Returns integer positions below 2^11 of a moving pair. Half of the kinds come near a meeting at half time.
fn near(random: &mut Random, pair: Pair, kind: usize) -> ([Vec3; 4], [Vec3; 4]) {
    let n = [4, 30, 200][kind % 3];
    let mut x: [Vec3; 4] = std::array::from_fn(|_| random.whole(n));
    if kind / 3 % 3 == 1 {
        // Thin pairs: nearly flat, or with edges side by side.
        x.iter_mut().for_each(|p| p.z = random.below(3) as f64);
    } else if kind / 3 % 3 == 2 {
        x[3] = x[2] + random.whole(1);
    }
    let small = random.below(n / 4 + 1) + 1;
    let (common, axis) = (random.whole(n), random.whole(1));
    let moved: [Vec3; 4] = match kind / 9 % 5 {
        0 => std::array::from_fn(|_| random.whole(n)),
        1 => std::array::from_fn(|_| random.whole(small)),
        2 => std::array::from_fn(|_| common + random.whole(small)),
        3 => x.map(|p| axis.cross(&p) + random.whole(1)),
        _ => std::array::from_fn(|k| common * pair.side(k)),
    };
    if (kind / 45).is_multiple_of(2) {
        let weights = match pair {
            Pair::VertexFace => [1.0, -0.25, -0.35, -0.4],
            Pair::EdgeEdge => [0.4, 0.6, -0.7, -0.3],
        };
        let apart: Vec3 = (0..4).map(|k| (x[k] + moved[k] / 2.0) * weights[k]).sum();
        (0..4).filter(|k| pair.side(*k) > 0.0).for_each(|k| x[k] -= apart.map(f64::round));
    }
    (x, std::array::from_fn(|k| x[k] + moved[k]))
}

/// Compares every answer with the decision of integer arithmetic. The proven percentage of the safe pairs is printed.
#[test]
fn proofs_agree_with_exact_decisions() {
    const MOTIONS: [&str; 5] = ["any", "slow", "moved along", "turning", "passing"];
    let mut random = Random(3);
    let mut counts = [[0u32; 4]; 5];
    for case in 0..100_000usize {
        let pair = [Pair::VertexFace, Pair::EdgeEdge][case % 2];
        let (start, end) = near(&mut random, pair, case / 2);
        let (plane, inside) = conditions(pair, &start, &end);
        let truth = meets(&plane, &inside, 17);
        let said = pair.separated(&start, &end, 0.0);
        let hint = pair.separation(&end).normal;
        let hinted = pair.separated_along(&start, &end, &hint, 0.0);
        assert!(truth != Truth::Unsafe || (!said && !hinted), "case {case}: {pair:?} {start:?} {end:?}");
        assert!(!said || hinted, "a hint undoes the proof of case {case}: {pair:?} {start:?} {end:?}");
        let count = &mut counts[case / 2 / 9 % 5];
        count[truth as usize] += 1;
        count[3] += u32::from(said && truth == Truth::Safe);
    }
    for (motion, [safe, collide, unknown, proven]) in MOTIONS.iter().zip(counts) {
        let share = 100.0 * f64::from(proven) / f64::from(safe);
        println!("certificates, {motion}: of {safe} safe {share:.2} % proven; {collide} meet, {unknown} on a border");
    }
    let sum = |k: usize| counts.iter().map(|c| c[k]).sum::<u32>();
    println!("certificates: {:.2} % of the safe proven", 100.0 * f64::from(sum(3)) / f64::from(sum(0)));
    assert!(sum(1) > 10_000 && sum(2) < 10_000);
}
