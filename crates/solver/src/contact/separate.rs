//! Initial separation of surfaces that touch: a pair at zero distance has no direction, and no certificate.
//!
//! A vertex that moves by forces, or is pinned, moves away from the other surface. Its direction is the normal of a
//! closed surface, or its own side of an open one. Where two borders meet, as at a seam, vertices move back into their
//! own triangles.

use super::element::LEAST;
use super::ignore::excuses;
use super::offset_ramp::each_near;
use crate::collision::certificate::{Pair, Separation};
use crate::force::scheme::pick;
use crate::linalg::Vec3;
use crate::world::{State, World};

/// Distance below which a pair counts as touching, in hard minima. A pair that starts at one hard minimum cannot move.
const NEAR: f64 = 1.5;
/// Displacement of a vertex in each iteration, in hard minima. The resulting distance can be certified.
const AWAY: f64 = 2.0;
/// Iterations. Stacked layers separate one after the other.
const TRIES: usize = 40;
/// Smallest length of the mean of all directions of a vertex for which it moves.
const AGREE: f64 = 0.3;
/// Halvings of a displacement that would cross another surface, before it is dropped.
const HALVINGS: usize = 5;
/// Distance below which a pair has no direction of its own [m].
const NONE: f64 = 1e-9;

/// Result of the initial separation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separated {
    /// Number of vertices that were moved.
    pub vertices: usize,
    /// Largest displacement [m].
    pub most: f64,
    /// Objects of the first touching pair.
    pub objects: [usize; 2],
    /// Position of the first touching pair [m].
    pub place: Vec3,
    /// Nothing touches any more; otherwise nothing was moved.
    pub apart: bool,
}

/// Touching pair.
#[derive(Clone, Copy)]
struct Touching<'a> {
    pair: Pair,
    features: [u32; 2],
    corners: &'a [u32; 4],
    separation: &'a Separation,
}

/// Separates touching surfaces. Returns `None` if nothing touches.
pub fn separate(world: &World, state: &mut State) -> Option<Separated> {
    if !world.contact.proven() {
        return None;
    }
    let start = state.x.clone();
    let closed: Vec<bool> = (0..world.surface.objects()).map(|k| is_closed(world, k)).collect();
    let mut found: Option<Separated> = None;
    for _ in 0..TRIES {
        let mut away = vec![Vec3::zeros(); world.moving];
        let mut counts = vec![0.0; world.moving];
        // Vertices at zero distance from another feature, with their direction away from it.
        let mut lie: Vec<(usize, Vec3)> = Vec::new();
        let mut touching = false;
        each_touching(world, state, |pair, features, corners, separation| {
            touching = true;
            let objects = [corners[0], corners[3]].map(|v| usize::from(world.surface.object[v as usize]));
            let place = state.x[corners[0] as usize];
            found.get_or_insert(Separated { vertices: 0, most: 0.0, objects, place, apart: false });
            for k in 0..4 {
                let v = corners[k] as usize;
                if separation.weights[k].abs() > 0.1
                    && let Some(away) = away.get_mut(v)
                {
                    let touching = Touching { pair, features, corners, separation };
                    let out = outward(world, &state.x, &closed, &touching, k);
                    *away += out;
                    counts[v] += 1.0;
                    if separation.distance <= NONE {
                        lie.push((v, out));
                    }
                }
            }
        });
        if !touching {
            break;
        }
        displace(&mut away, &counts, &lie);
        restrain(world, state, &mut away);
        state.x.iter_mut().zip(&away).for_each(|(x, away)| *x += away);
    }
    let mut parted = found?;
    let mut touching = false;
    each_touching(world, state, |_, _, _, _| touching = true);
    let excused = |pair: &[u32; 2]| excuses(world, state, *pair);
    let crossings = world.crossings(&mut world.test(), &state.x, state.now());
    parted.apart = !touching && crossings.iter().flat_map(|crossing| &crossing.pairs).all(excused);
    if parted.apart {
        let ways = start.iter().zip(&state.x).map(|(a, b)| (b - a).norm());
        for way in ways.filter(|way| *way > 0.0) {
            parted.vertices += 1;
            parted.most = parted.most.max(way);
        }
        state.x_before.copy_from_slice(&state.x[..world.moving]);
    } else {
        state.x = start;
    }
    Some(parted)
}

/// Turns sums of `counts` directions into displacements. A vertex that lies on a feature does not move into it.
fn displace(away: &mut [Vec3], counts: &[f64], lie: &[(usize, Vec3)]) {
    for (away, count) in away.iter_mut().zip(counts) {
        // A vertex pushed from both sides stays until one of them has moved away.
        let direction = away.try_normalize(AGREE * count + 1e-12).unwrap_or_default();
        *away = direction * (AWAY * LEAST);
    }
    for (v, out) in lie {
        let into = out.dot(&away[*v]).min(0.0);
        away[*v] -= out * into;
    }
}

/// Shortens displacements until no vertex crosses a feature that it does not touch.
fn restrain(world: &World, state: &State, away: &mut [Vec3]) {
    let mut near = Vec::new();
    let meet = |i, j| world.meet_at(i, j, state.now());
    each_near(world, (state, &state.x), 2.0 * AWAY * LEAST, meet, |pair, _, corners, separation| {
        if separation.distance > NONE {
            near.push((pair, *corners));
        }
    });
    for turn in 0..2 * HALVINGS {
        let end = |v: u32| state.x[v as usize] + away.get(v as usize).copied().unwrap_or_default();
        let crosses =
            |(pair, corners): &(Pair, [u32; 4])| !pair.separated(&pick(&state.x, corners), &corners.map(end), 0.0);
        let mut through: Vec<u32> =
            near.iter().filter(|near| crosses(near)).flat_map(|(_, corners)| *corners).collect();
        if through.is_empty() {
            return;
        }
        through.sort_unstable();
        through.dedup();
        let part = if turn < HALVINGS { 0.5 } else { 0.0 };
        for v in through {
            if let Some(away) = away.get_mut(v as usize) {
                *away *= part;
            }
        }
    }
}

/// Calls `f` for each pair with a movable side whose distance is zero, or too small for a step to keep.
fn each_touching(world: &World, state: &State, mut f: impl FnMut(Pair, [u32; 2], &[u32; 4], &Separation)) {
    let meet = |i, j| world.meet_at(i, j, state.now());
    each_near(world, (state, &state.x), NEAR * LEAST, meet, |pair, features, corners, separation| {
        let moves = corners.iter().any(|v| (*v as usize) < world.moving);
        if separation.distance < NEAR * LEAST && moves {
            f(pair, features, corners, separation);
        }
    });
}

/// Returns true if every edge of the object has two triangles.
fn is_closed(world: &World, object: usize) -> bool {
    let surface = &world.surface;
    surface.edge_ranges[object].clone().all(|e| !surface.wings[e].contains(&surface.edges[e][0]))
}

/// Returns the unit direction in which corner `k` of a pair moves away from the other side.
fn outward(world: &World, x: &[Vec3], closed: &[bool], touching: &Touching, k: usize) -> Vec3 {
    let Touching { pair, features, corners, separation } = *touching;
    let surface = &world.surface;
    let sign = pair.side(k);
    if separation.distance > NONE {
        return separation.normal * sign;
    }
    let v = corners[k] as usize;
    let (own, other): (Vec<usize>, Vec<usize>) = (0..4).partition(|c| pair.side(*c) == sign);
    let [own, other] = [own, other].map(|side| side.into_iter().map(|c| corners[c] as usize).collect::<Vec<_>>());
    let objects = [own[0], other[0]].map(|v| usize::from(surface.object[v]));
    // Seam: everything that a border vertex touches lies ahead of it, so it moves back into its own triangles.
    let inward = inward(world, x, v);
    let seen = features[usize::from(sign > 0.0)];
    let middle = match other.len() {
        1 => x[other[0]],
        3 => other.iter().map(|c| x[*c]).sum::<Vec3>() / 3.0,
        _ => {
            let wings = surface.wings[seen as usize].map(|w| x[w as usize]);
            (wings[0] + wings[1]) / 2.0
        }
    };
    let ahead = (middle - x[v]).dot(&inward);
    if inward != Vec3::zeros()
        && ahead <= 1e-9 * inward.norm()
        && on_border(world, x, separation, corners, &other, seen)
        && !closed[objects[1]]
    {
        return inward.normalize();
    }
    let at = |v: usize| x[v];
    let normal: Vec3 = other.iter().map(|c| surface.normal(*c, at)).sum();
    let normal = match other.len() {
        3 => (x[other[1]] - x[other[0]]).cross(&(x[other[2]] - x[other[0]])).normalize(),
        _ => normal.try_normalize(1e-6).unwrap_or_default(),
    };
    if closed[objects[1]] {
        return normal;
    }
    if closed[objects[0]] {
        return -surface.normal(v, at);
    }
    // Side of the other surface on which the neighbours lie.
    let around = surface.around(v);
    let (side, way) = around.iter().fold((0.0, 0.0), |(side, way), w| {
        let d = x[*w as usize] - x[v];
        (side + d.dot(&normal), way + d.norm())
    });
    if side.abs() > 1e-6 * way {
        return normal * side.signum();
    }
    if objects[1] >= world.simulated() {
        return normal;
    }
    // Coplanar surfaces: objects separate by their order, in one direction for both. Two layers of one cloth each move
    // to their own side.
    match objects[0].cmp(&objects[1]) {
        std::cmp::Ordering::Greater => normal,
        std::cmp::Ordering::Less => -surface.normal(v, at),
        std::cmp::Ordering::Equal => surface.normal(v, at),
    }
}

/// Returns the direction from a border vertex to its neighbours; zero for an interior vertex.
fn inward(world: &World, x: &[Vec3], v: usize) -> Vec3 {
    let around = world.surface.around(v);
    let turns: Vec3 = around.iter().map(|w| x[*w as usize] - x[v]).sum();
    let way: f64 = around.iter().map(|w| (x[*w as usize] - x[v]).norm()).sum();
    if turns.norm() > 0.2 * way { turns } else { Vec3::zeros() }
}

/// Returns true if the closest point on the other side lies on a border.
fn on_border(
    world: &World,
    x: &[Vec3],
    separation: &Separation,
    corners: &[u32; 4],
    other: &[usize],
    seen: u32,
) -> bool {
    let surface = &world.surface;
    if other.len() == 2 {
        return surface.wings[seen as usize].contains(&surface.edges[seen as usize][0]);
    }
    let near = |v: &&usize| corners.iter().zip(separation.weights).any(|(c, w)| *c as usize == **v && w.abs() > 1e-6);
    let near: Vec<&usize> = other.iter().filter(near).collect();
    near.len() < 3 && near.into_iter().all(|v| inward(world, x, *v) != Vec3::zeros())
}
