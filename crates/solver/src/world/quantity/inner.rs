//! Internal friction at the vertices of a cloth.

use crate::force::cloth_law::ClothLaw;
use crate::force::dahl::Dahl;
use crate::force::plate::{Crease, NONE, STRAIN};
use crate::force::term::Law;
use crate::world::{Object, State, World};

/// State of one strain component of an element: vertices, weight, law, strain and stress.
type Rubbed<'a> = (&'a [u32], f64, &'a Dahl, [f64; 2]);

/// Computes the weighted mean over the elements at each vertex; `None` if no element of the object has friction.
fn means(world: &World, object: &Object, values: impl Fn(&mut dyn FnMut(Rubbed, f64))) -> Option<Vec<f64>> {
    let (mut sums, mut weights) = (vec![0.0; world.moving], vec![0.0; world.moving]);
    let own = |v: &u32| object.vertices.contains(&(*v as usize));
    values(&mut |(vertices, weight, ..), value| {
        for v in vertices.iter().filter(|v| own(v)).map(|v| *v as usize) {
            sums[v] += weight * value;
            weights[v] += weight;
        }
    });
    if weights.iter().all(|weight| *weight == 0.0) || object.vertices.end > world.moving {
        return None;
    }
    let mean = |v: &u32| if weights[*v as usize] > 0.0 { sums[*v as usize] / weights[*v as usize] } else { 0.0 };
    Some(object.place.iter().map(mean).collect())
}

/// Friction law of weft, with its strain and stress.
type Weft<'a> = (&'a Dahl, [f64; 2]);

/// Calls `f` for each triangle with friction of stretch along warp. Passes the state of warp, and law, strain and
/// stress of weft.
fn stretched(world: &World, state: &State, f: &mut dyn FnMut(Rubbed, Option<Weft>, &ClothLaw)) {
    let membranes = world.elements.membranes();
    let memory = state.memory.of(Law::name(&membranes));
    membranes.each_rubbing(memory, |t, laws, own| {
        if let Some(dahl) = &laws[0] {
            let weft = laws[1].as_ref().map(|law| (law, [own[1], own[4]]));
            f((&t.vertices, t.area, dahl, [own[0], own[3]]), weft, &world.elements.cloth_laws[t.cloth as usize]);
        }
    });
}

/// Calls `f` for each element with friction of bending along warp. The vertices of an element are those of its hinges.
fn bent(world: &World, state: &State, f: &mut dyn FnMut(Rubbed, &ClothLaw)) {
    let plates = world.elements.plates();
    let memory = state.memory.of(Law::name(&plates));
    plates.each_rubbing(memory, |crease: &Crease, laws, own| {
        let hinges = crease.hinges.iter().filter(|h| **h != NONE);
        let ends: Vec<u32> =
            hinges.flat_map(|h| world.elements.hinges[*h as usize].vertices[..2].iter().copied()).collect();
        if let Some(dahl) = &laws[0] {
            f((&ends, crease.area, dahl, [own[0], own[2]]), &world.elements.cloth_laws[crease.cloth as usize]);
        }
    });
}

/// Computes the stress of internal friction along warp, relative to its largest: of stretch, else of bending.
pub fn frictions(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    let part = |rubbed: Rubbed| rubbed.3[1] / rubbed.2.most(rubbed.3[0]).max(f64::MIN_POSITIVE);
    let stretch = |add: &mut dyn FnMut(Rubbed, f64)| stretched(world, state, &mut |r, _, _| add(r, part(r)));
    let bend = |add: &mut dyn FnMut(Rubbed, f64)| bent(world, state, &mut |r, _| add(r, part(r)));
    means(world, object, stretch).or_else(|| means(world, object, bend))
}

/// Iterations that solve for the residual strains of warp and weft. Each depends on the friction of the other.
const ROUNDS: usize = 4;

/// Computes the Green strain along warp at which the stresses of warp and weft vanish, by vertex.
pub fn residuals(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    means(world, object, |add| {
        stretched(world, state, &mut |r, weft, cloth_law| {
            let nu = cloth_law.membrane.crosswise();
            let Some((law, at)) = weft else { return add(r, rest(r, |e| cloth_law.membrane.pulled(0, e))) };
            let across = (r.0, r.1, law, at);
            let friction = |(_, _, law, [e, s]): Rubbed, to: f64| law.go(e, s, to).0;
            let (mut along, mut beside) = (r.3[0], at[0]);
            for _ in 0..ROUNDS {
                along = rest(r, |e| cloth_law.membrane.pulled(0, e) - nu[0] * friction(across, beside));
                beside = rest(across, |e| cloth_law.membrane.pulled(1, e) - nu[1] * friction(r, along));
            }
            add(r, along);
        });
    })
}

/// Computes the curvature along warp at which its moment vanishes, by vertex [1/m].
pub fn residual_curvatures(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    means(world, object, |add| {
        bent(world, state, &mut |r, cloth_law| add(r, rest(r, |e| cloth_law.bending.moment(0, e / STRAIN)) / STRAIN));
    })
}

/// Finds the strain at which elastic stress and friction balance, during unloading from the present strain.
fn rest((_, _, dahl, [e, s]): Rubbed, elastic: impl Fn(f64) -> f64) -> f64 {
    let stress = |to: f64| elastic(to) + dahl.go(e, s, to).0;
    let sign = stress(e).signum();
    let mut by = 1e-3 * dahl.tau;
    let mut far = e;
    for _ in 0..60 {
        far = e - sign * by;
        if stress(far) * sign <= 0.0 {
            break;
        }
        by *= 2.0;
    }
    let mut near = e;
    for _ in 0..50 {
        let middle = 0.5 * (near + far);
        *if stress(middle) * sign > 0.0 { &mut near } else { &mut far } = middle;
    }
    0.5 * (near + far)
}
