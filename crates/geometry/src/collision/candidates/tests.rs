mod timing;

use super::*;
use crate::collision::certificate::Pair;
use crate::linalg::random::Random;
use std::collections::BTreeMap;
use std::ops::Range;

type Objects = Vec<(Range<usize>, Vec<[u32; 3]>)>;

fn quads(n: u32, first: u32) -> Vec<[u32; 3]> {
    let quad = |i: u32| [[i, i + 1, i + n], [i + 1, i + n + 1, i + n]].map(|t| t.map(|v| v + first));
    (0..n * (n - 1)).filter(|k| k % n != n - 1).flat_map(quad).collect()
}

/// Builds a bumpy sheet with degenerate triangles, a soup with an unused vertex, a large ground and a fine sheet.
fn scene(random: &mut Random) -> (Vec<Vec3>, Objects) {
    let n = 14u32;
    let mut x: Vec<Vec3> =
        (0..n * n).map(|k| Vec3::new(f64::from(k % n) * 0.1, 0.12 * random.signed(), f64::from(k / n) * 0.1)).collect();
    let mut sheet = quads(n, 0);
    sheet.extend([[3, 3, 40], [7, 7, 7], [1, 2, 3]]);
    let mut objects = vec![(0..x.len(), sheet)];
    let first = x.len();
    x.extend((0..61).map(|_| Vec3::new(random.signed(), 0.1 * random.signed(), random.signed())));
    let soup = (0..20u32).map(|k| [0, 1, 2].map(|c| first as u32 + 3 * k + c)).collect();
    objects.push((first..x.len(), soup));
    let p = x.len() as u32;
    x.extend([[-500.0, -500.0], [500.0, -500.0], [500.0, 500.0], [-500.0, 500.0]].map(|[a, b]| Vec3::new(a, -0.1, b)));
    objects.push((p as usize..x.len(), vec![[p, p + 2, p + 1], [p, p + 3, p + 2]]));
    let first = x.len();
    x.extend((0..100).map(|k| Vec3::new(f64::from(k % 10) * 0.01, 0.01 * random.signed(), f64::from(k / 10) * 0.01)));
    objects.push((first..x.len(), quads(10, first as u32)));
    (x, objects)
}

type Pairs = BTreeMap<(bool, u32, u32), f64>;

/// Half thickness of each object [m].
const THICKNESS: [f64; 4] = [0.01, 0.0, 0.02, 0.005];

fn meet(a: usize, b: usize) -> bool {
    (a, b) != (2, 2) && a.min(b) != 1 || a.max(b) != 2
}

fn thickness(objects: &Objects) -> Vec<f64> {
    objects.iter().zip(THICKNESS).flat_map(|((range, _), t)| range.clone().map(move |_| t)).collect()
}

/// Returns the distance of every candidate pair within reach and without a common vertex, by `(edges, a, b)`.
fn exhaustive(x: &[Vec3], surface: &Surface, distance: f64) -> Pairs {
    let at = |v: u32| &x[v as usize];
    let object = |v: u32| surface.object[v as usize] as usize;
    let within = |a: u32, b: u32, d: f64| {
        let (a, b) = (object(a), object(b));
        meet(a, b) && d <= distance + THICKNESS[a] + THICKNESS[b]
    };
    let mut used: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut pairs = Pairs::new();
    for v in used {
        for (t, f) in surface.triangles.iter().enumerate() {
            let d = Pair::VertexFace.separation(&[v, f[0], f[1], f[2]].map(|v| *at(v))).distance;
            if !f.contains(&v) && within(v, f[0], d) {
                pairs.insert((false, v, t as u32), d);
            }
        }
    }
    for (i, a) in surface.edges.iter().enumerate() {
        for (j, b) in surface.edges.iter().enumerate().skip(i + 1) {
            let d = Pair::EdgeEdge.separation(&[a[0], a[1], b[0], b[1]].map(|v| *at(v))).distance;
            if !a.contains(&b[0]) && !a.contains(&b[1]) && within(a[0], b[0], d) {
                pairs.insert((true, i as u32, j as u32), d);
            }
        }
    }
    pairs
}

/// Returns all listed pairs that may come within reach. Each must be listed once.
fn listed(candidates: &Candidates) -> Pairs {
    let mut pairs = Pairs::new();
    for list in &candidates.lists {
        let mut add = |edges: bool, near: &Near| {
            if f64::from(near.distance) < list.reach.min(f64::from(near.reach)) + list.approach {
                let before = pairs.insert((edges, near.a, near.b), f64::from(near.distance));
                assert!(before.is_none(), "{near:?} twice");
            }
        };
        list.vertex_face.iter().for_each(|near| add(false, near));
        list.edge_edge.iter().for_each(|near| add(true, near));
    }
    pairs
}

fn random_move(random: &mut Random, size: f64) -> Vec3 {
    random.vector() * size
}

#[test]
fn distances_are_those_of_the_exhaustive_search() {
    let mut random = Random::new(77);
    let (x, objects) = scene(&mut random);
    let surface = Surface::new(&objects);
    for distance in [0.0, 0.03, 0.15, 3.0] {
        let mut candidates = Candidates::new(&x, &surface, &thickness(&objects), distance, meet);
        assert!(candidates.update(&x, &surface, &vec![Vec3::zeros(); x.len()]) > 0);
        let (wanted, listed) = (exhaustive(&x, &surface, distance), listed(&candidates));
        assert!(wanted.len() > 50);
        for (pair, d) in wanted.iter().filter(|(_, d)| **d > 0.0) {
            let near = listed.get(pair).unwrap_or_else(|| panic!("{pair:?} at {d} is missing"));
            assert!(near <= d && *near >= d * (1.0 - 2e-6));
        }
        // Pairs just beyond reach may be listed, since distances are rounded down.
        assert!(listed.iter().all(|(pair, d)| wanted.contains_key(pair) || *d > distance * (1.0 - 1e-5)));
    }
}

/// Above the maximum of pairs or lists there are no pairs. All pairs are back once the maximum suffices.
#[test]
fn what_would_fill_the_memory_is_not_listed() {
    let mut random = Random::new(77);
    let (x, objects) = scene(&mut random);
    let surface = Surface::new(&objects);
    let mut candidates = Candidates::new(&x, &surface, &thickness(&objects), 0.15, meet);
    let still = vec![Vec3::zeros(); x.len()];
    candidates.update(&x, &surface, &still);
    let (all, most) = (listed(&candidates), candidates.most);
    assert!(!candidates.crowded() && all.len() > 50);
    for few in [(10, most.1), (most.0, 1)] {
        let mut crowded = Candidates::new(&x, &surface, &thickness(&objects), 0.15, meet);
        crowded.most = few;
        crowded.update(&x, &surface, &still);
        assert!(crowded.crowded() && crowded.lists.is_empty());
        crowded.most = most;
        crowded.update(&x, &surface, &still);
        assert!(!crowded.crowded() && listed(&crowded) == all);
    }
}

/// Returns the rest positions of the scene if `given`, else none.
fn at_rest(x: &[Vec3], given: bool) -> Vec<Vec3> {
    if given { x.to_vec() } else { Vec::new() }
}

/// Returns whether the pair is a candidate at distance `d`. Within an object, `d` must not exceed half the rest
/// distance or `distance`.
fn is_wanted(surface: &Surface, rest: &[Vec3], (edges, a, b): (bool, u32, u32), d: f64, distance: f64) -> bool {
    let pair = if edges { Pair::EdgeEdge } else { Pair::VertexFace };
    let corners = surface.corners(pair, [a, b]);
    let [i, j] = [corners[0], corners[3]].map(|v| surface.object[v as usize]);
    rest.is_empty() || i != j || {
        let there = pair.separation(&corners.map(|v| rest[v as usize])).distance;
        d <= distance.max(0.5 * there)
    }
}

#[test]
fn what_comes_within_reach_is_listed_before() {
    let counts = [false, true].map(comes_within_reach);
    assert!(counts[1] < counts[0], "{counts:?}");
}

/// Returns the number of listed pairs.
fn comes_within_reach(with_rest: bool) -> usize {
    let mut random = Random::new(12);
    let (mut x, objects) = scene(&mut random);
    let surface = Surface::new(&objects);
    let distance = 0.02;
    let rest = at_rest(&x, with_rest);
    let mut candidates = Candidates::new(&x, &surface, &thickness(&objects), distance, meet).with_rest(&rest);
    let mut count = 0;
    let mut common = Vec3::zeros();
    let (mut kept, mut built, mut brief) = (0, 0, 0);
    for round in 0..18 {
        // Some rounds shake all vertices, some only translate them. Expected displacements need not come true.
        common += random_move(&mut random, 0.02);
        let size = if round % 6 == 0 { 0.05 } else { 1e-3 };
        let moved: Vec<Vec3> = x.iter().map(|_| common + random_move(&mut random, size)).collect();
        let builds = candidates.update(&x, &surface, &moved);
        built += builds;
        kept += candidates.lists.len() as u64 - builds;
        brief += candidates.lists.iter().filter(|list| list.brief).count();
        let listed = listed(&candidates);
        count += listed.len();
        for part in [0.0, 0.3, 0.7, 1.0] {
            let at: Vec<Vec3> = x.iter().zip(&moved).map(|(x, m)| x + m * part).collect();
            let all = exhaustive(&at, &surface, distance - 1e-9);
            for (pair, d) in all.into_iter().filter(|(p, d)| is_wanted(&surface, &rest, *p, *d, distance - 1e-9)) {
                assert!(listed.contains_key(&pair), "round {round}, at {part}: {pair:?} at {d} is missing");
            }
        }
        for (x, m) in x.iter_mut().zip(&moved) {
            *x += m * if round % 3 == 2 { 0.5 } else { 1.0 };
        }
    }
    assert!(kept > built && brief > 50, "{kept} lists kept, {built} built, {brief} brief");
    count
}

/// Lists reuse the storage of removed lists, whose content must not count.
#[test]
fn lists_come_and_go() {
    let mut random = Random::new(9);
    let (mut x, objects) = scene(&mut random);
    let surface = Surface::new(&objects);
    let distance = 0.02;
    let mut candidates = Candidates::new(&x, &surface, &thickness(&objects), distance, meet);
    for round in 0..40 {
        // The soup shakes hard and is away every other round. The fine sheet passes through the bumpy one.
        let leap = if round % 2 == 0 { 5.0 } else { -5.0 };
        let moved: Vec<Vec3> = (0..x.len() as u32)
            .map(|v| match surface.object[v as usize] {
                1 => Vec3::new(0.0, leap, 0.0) + random_move(&mut random, 0.3),
                3 => Vec3::new(0.03, 0.0, 0.03) + random_move(&mut random, 1e-3),
                _ => random_move(&mut random, 1e-3),
            })
            .collect();
        x.iter_mut().zip(&moved).for_each(|(x, m)| *x += m);
        candidates.update(&x, &surface, &vec![Vec3::zeros(); x.len()]);
        let listed = listed(&candidates);
        for (pair, d) in exhaustive(&x, &surface, distance - 1e-9) {
            assert!(listed.contains_key(&pair), "round {round}: {pair:?} at {d} is missing");
        }
    }
}

#[test]
fn carried_along_nothing_is_built_anew() {
    let mut random = Random::new(5);
    let (mut x, objects) = scene(&mut random);
    let surface = Surface::new(&objects);
    let mut candidates = Candidates::new(&x, &surface, &thickness(&objects), 0.02, meet);
    let along = Vec3::new(0.3, -0.2, 0.1);
    let moved = vec![along; x.len()];
    let lists = candidates.update(&x, &surface, &moved);
    assert_eq!(lists, candidates.lists.len() as u64);
    for _ in 0..10 {
        x.iter_mut().for_each(|x| *x += along);
        assert_eq!(candidates.update(&x, &surface, &moved), 0);
    }
}

/// Pairs within reach and rate are listed and read, whether the lists were built just now or steps before.
#[test]
fn what_is_looked_at_does_not_depend_on_when_lists_were_built() {
    [false, true].into_iter().for_each(looks_are_the_same);
}

fn looks_are_the_same(with_rest: bool) {
    let mut random = Random::new(21);
    let (mut x, objects) = scene(&mut random);
    let start = x.clone();
    let surface = Surface::new(&objects);
    let rest = at_rest(&start, with_rest);
    let new = || Candidates::new(&start, &surface, &thickness(&objects), 0.03, meet).with_rest(&rest);
    let looked_at = |candidates: &Candidates, x: &[Vec3]| {
        let mut pairs = Vec::new();
        for list in &candidates.lists {
            let mut look = |pair: Pair, near: &Near| {
                let corners = surface.corners(pair, [near.a, near.b]).map(|v| x[v as usize]);
                let reach = list.reach.min(f64::from(near.reach));
                let within = f64::from(near.distance) < reach + list.approach;
                if within && pair.separation(&corners).distance < reach + list.rate {
                    pairs.push((pair, near.a, near.b));
                }
            };
            list.vertex_face.iter().for_each(|near| look(Pair::VertexFace, near));
            list.edge_edge.iter().for_each(|near| look(Pair::EdgeEdge, near));
        }
        pairs.sort_unstable();
        pairs
    };
    let mut kept = new();
    let (mut older, mut brief, mut count) = (0, 0, 0);
    for k in 0..40 {
        // The last object moves to and fro, the others tremble.
        let stride = Vec3::new(0.003, -0.01, 0.004) * f64::from(k).cos();
        let last = objects[3].0.clone();
        let moved: Vec<Vec3> = (0..x.len())
            .map(|v| random_move(&mut random, 1e-4) + if last.contains(&v) { stride } else { Vec3::zeros() })
            .collect();
        let built = kept.update(&x, &surface, &moved);
        older += usize::from((built as usize) < kept.lists.len());
        brief += kept.lists.iter().filter(|list| list.brief).count();
        let mut fresh = new();
        fresh.update(&x, &surface, &moved);
        let pairs = looked_at(&kept, &x);
        count += pairs.len();
        assert!(pairs == looked_at(&fresh, &x), "step {k}");
        x.iter_mut().zip(moved).for_each(|(x, moved)| *x += moved);
    }
    assert!(older > 30 && brief > 50 && count > 1000, "{older} {brief} {count}");
}

/// Unexpected displacements, with lists kept or rebuilt. Pairs that come near are listed if their patches deviate by
/// more than `spare`. No pair comes nearer than its bound.
#[test]
fn what_strays_is_listed_as_well() {
    let mut random = Random::new(31);
    let (x, objects) = scene(&mut random);
    let surface = Surface::new(&objects);
    let (distance, spare) = (0.03, 0.02);
    let mut candidates = Candidates::new(&x, &surface, &thickness(&objects), distance, meet);
    let expected: Vec<Vec3> = x.iter().map(|_| random_move(&mut random, 0.02)).collect();
    let (mut kept, mut anew, mut brief, mut count, mut missing) = (0, 0, 0, 0, 0);
    for round in 0..80 {
        if round % 8 == 0 {
            candidates.update(&x, &surface, &expected);
        }
        let size = [0.002, 0.005, 0.01, 0.012, 0.015, 0.011, 0.3, 0.01][round % 8];
        let strays = |v: usize| if round % 2 == 0 || objects[0].0.contains(&v) { size } else { 0.0 };
        let moved: Vec<Vec3> =
            expected.iter().enumerate().map(|(v, m)| m + random_move(&mut random, strays(v))).collect();
        candidates.compare(&expected, &moved);
        candidates.cover(&x, &surface, &moved, spare);
        if candidates.patches.iter().all(|p| p.stray == 0.0) {
            anew += 1
        } else {
            kept += 1
        }
        brief += candidates.lists.iter().filter(|list| list.brief).count();
        let deviates = |edges: bool, a: u32, b: u32| {
            let of = |item: u32, tree: fn(&Patch) -> &Tree| {
                candidates.patches.iter().position(|p| tree(p).items.contains(&item)).unwrap() as u32
            };
            let patches = if edges {
                [of(a, |p| &p.edges), of(b, |p| &p.edges)]
            } else {
                [of(a, |p| &p.vertices), of(b, |p| &p.triangles)]
            };
            candidates.deviation(&patches) > spare
        };
        let mut least = Pairs::new();
        for list in &candidates.lists {
            let mut add = |edges: bool, near: &Near| {
                let end = f64::from(near.distance) - list.passed - candidates.closing(list);
                least.insert((edges, near.a, near.b), end);
            };
            list.vertex_face.iter().for_each(|near| add(false, near));
            list.edge_edge.iter().for_each(|near| add(true, near));
        }
        let end: Vec<Vec3> = x.iter().zip(&moved).map(|(x, m)| x + m).collect();
        for (pair, d) in exhaustive(&end, &surface, distance - spare) {
            let Some(reported) = least.get(&pair) else {
                assert!(!deviates(pair.0, pair.1, pair.2), "round {round}: {pair:?} at {d} is missing");
                missing += 1;
                continue;
            };
            assert!(*reported <= d + 1e-12, "round {round}: {pair:?} at {d}, told {reported}");
            count += 1;
        }
    }
    assert!(kept >= 20 && anew > 5 && count > 1000, "{kept} kept, {anew} anew, {count} pairs");
    assert!(brief > 200 && missing < count / 20, "{brief} brief lists, {missing} pairs missing");
}

#[test]
fn deviations_are_told_by_patch() {
    let mut random = Random::new(5);
    let (x, objects) = scene(&mut random);
    let surface = Surface::new(&objects);
    let mut candidates = Candidates::new(&x, &surface, &thickness(&objects), 0.02, meet);
    let expected = vec![Vec3::zeros(); x.len()];
    candidates.update(&x, &surface, &expected);
    let mut moved = expected.clone();
    moved[0].x = 0.25;
    assert_eq!(candidates.compare(&expected, &moved), 0.25);
    let deviations: Vec<f64> = candidates.lists.iter().map(|list| candidates.deviation(&list.patches)).collect();
    assert!(deviations.contains(&0.5) && deviations.contains(&0.25) && deviations.contains(&0.0));
}

#[test]
fn threads_do_not_change_the_lists() {
    let mut random = Random::new(3);
    let (x, objects) = scene(&mut random);
    let surface = Surface::new(&objects);
    let moved: Vec<Vec3> = x.iter().map(|_| random_move(&mut random, 0.02)).collect();
    let of = |threads: usize| {
        par::with_threads(threads, || {
            let mut candidates = Candidates::new(&x, &surface, &thickness(&objects), 0.2, meet);
            candidates.update(&x, &surface, &moved);
            let lists = candidates.lists.into_iter();
            lists.map(|list| (list.patches, list.vertex_face, list.edge_edge, list.approach)).collect::<Vec<_>>()
        })
    };
    let one = of(1).unwrap();
    assert!(one.iter().any(|list| !list.1.is_empty()) && one.iter().any(|list| !list.2.is_empty()));
    assert!(one == of(2).unwrap() && one == of(3).unwrap());
}
