//! No step makes energy.
//!
//! Forces are linear in a step. Where they change much within one (a stiff hinge between slivers, a blow) its solution may hold more energy
//! than there was, and the next one more yet. What touches nothing that is prescribed may have, together, no more energy of motion and shape
//! than it had. Of what is held, whose energy others change, nothing may become many times as fast as it was and as all else is. Where
//! more is found the step is repeated with half the size; the smallest one is damped towards its mean motion, which keeps the momentum.

use super::bridge::Bridges;
use super::free::Free;
use crate::linalg::Vec3;
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{Pull, State, World};

/// Energy of motion that a component may have after a step, in units of what it had of motion and shape, and of what it has as fast as
/// the fastest of all else.
const BURST: f64 = 25.0;
/// Speed at which thickness that grows pushes what is near apart, in units of that growth.
const PUSHED: f64 = 3.0;
/// Part by which the energy of what nothing holds may grow in a step: what schemes of second order, contacts and lags of pressure err by.
const ERRS: f64 = 0.01;
/// Halvings of the motion beside the mean before none of it is left.
const HALVINGS: usize = 8;

/// What is known of a component in a step.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Energy of motion before and after it [J].
    motion: [f64; 2],
    /// Square of the speed of its fastest vertex before [m^2/s^2].
    fastest: f64,
    /// What handles, contacts and air inside can do [J].
    work: f64,
    /// What gravity does [J].
    fall: f64,
    /// Energy of the shape before and after it [J].
    shape: [f64; 2],
}

impl Part {
    /// Most energy that it may have after the step where nothing holds it [J].
    fn most(&self) -> f64 {
        (1.0 + ERRS) * (self.motion[0] + self.shape[0]) + self.work + self.fall
    }

    /// Most energy of motion that it may have after the step, where others may have `given` it some [J].
    fn burst(&self, given: f64) -> f64 {
        BURST * (self.motion[0] + self.shape[0] + given) + self.work + self.fall.max(0.0)
    }

    /// Energy that it has after the step [J].
    fn after(&self) -> f64 {
        self.motion[1] + self.shape[1]
    }
}

/// When a step is looked at.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// Contacts were stopped in it, or edges are stretched much by it.
    pub violent: bool,
    /// It cannot be shorter.
    pub smallest: bool,
    /// Its end positions stay.
    pub proven: bool,
}

/// Storage of the look at energies.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// By component.
    parts: Vec<Part>,
    /// Energy of motion that others may have given each component [J].
    given: Vec<f64>,
}

impl Guard {
    /// Damps what has more energy after the step than it can have, if this is the smallest; `violent` tells that a blow
    /// may have made some. True where something has. Of positions that are `proven` free of crossings only the velocities are damped, where something
    /// prescribed holds them; else they have to be proven anew.
    ///
    /// # Errors
    /// The fastest vertex of it, where the step can be shorter.
    pub fn check(
        &mut self,
        world: &World,
        state: &State,
        step: &mut Step,
        (free, bridges): (&Free, &Bridges),
        When { violent, smallest, proven }: When,
    ) -> Result<bool, StepError> {
        self.measure(world, state, step);
        let bursts = |(part, given): (&Part, &f64)| part.motion[1] > part.burst(*given);
        // Of what flies on without a blow motion grows by no more than gravity gives, or else its shape is looked at as well.
        let flies = |part: &Part| [(1.0 + ERRS) * part.motion[0] + part.fall, part.motion[1]];
        let grows =
            || free.together(self.parts.iter().map(flies)).into_iter().flatten().any(|[most, after]| after > most);
        let suspect = violent || self.parts.iter().zip(&self.given).any(bursts) || free.any() && grows();
        if !suspect {
            return Ok(false);
        }
        let Guard { parts, given } = self;
        shapes(world, state, &state.x, parts, 0);
        shapes(world, state, &after(state, step), parts, 1);
        work(world, state, step, parts);
        bridges.each_work(step, |v, work| {
            if let Some(component) = world.component.get(v as usize) {
                parts[*component as usize].work += work;
            }
        });
        let bursts: Vec<bool> = parts.iter().zip(&*given).map(bursts).collect();
        // What touches each other and nothing else, together: who has gained loses it.
        let sums = free.together(parts.iter().map(|part| [part.most(), part.after()]));
        let alone = |k: usize| sums[k].is_some_and(|[most, after]| after > most) && parts[k].after() > parts[k].most();
        let gained: Vec<bool> = (0..parts.len()).map(|k| bursts[k] || alone(k)).collect();
        if !smallest && let Some(k) = gained.iter().position(|gained| *gained) {
            let speed = |v: &usize| step.rate[*v].norm_squared();
            let own = (0..world.moving).filter(|v| world.component[*v] as usize == k);
            let fastest = own.max_by(|a, b| speed(a).total_cmp(&speed(b))).unwrap_or_default();
            return Err(StepError::Gained { vertex: fastest as u32, speed: step.rate[fastest].norm() });
        }
        for k in (0..parts.len()).filter(|k| gained[*k]) {
            let set = free.sets()[k];
            let own = |with: &dyn Fn(usize) -> bool| -> Vec<usize> {
                (0..world.moving).filter(|v| !step.fixed[*v] && with(world.component[*v] as usize)).collect()
            };
            if proven && sums[k].is_some() {
                // What was corrected cannot be damped without crossing: nothing of it moves against the rest in this step.
                freeze(state, step, &own(&|other| free.sets()[other] == set));
            } else {
                let bears = |motion: f64, shape: &[f64]| match sums[k] {
                    Some(_) => motion + shape[k] <= parts[k].most(),
                    None => motion <= parts[k].burst(given[k]),
                };
                damp(world, state, step, (&own(&|other| other == k), proven), bears);
            }
        }
        Ok(gained.contains(&true))
    }

    /// Motion of all components, and what others may have given each of it.
    fn measure(&mut self, world: &World, state: &State, step: &Step) {
        let Guard { parts, given } = self;
        parts.clear();
        parts.resize(world.component_mass.len(), Part::default());
        // Fastest of what is prescribed, and of the air.
        let mut outside = step.breeze * step.breeze;
        for v in 0..state.v.len() {
            if step.fixed.get(v).copied().unwrap_or(true) {
                outside = outside.max(step.moved[v].norm_squared() / (step.h * step.h));
                continue;
            }
            let part = &mut parts[world.component[v] as usize];
            let speeds = [&state.v[v], &step.rate[v]].map(Vec3::norm_squared);
            for (motion, speed) in part.motion.iter_mut().zip(speeds) {
                *motion += 0.5 * step.mass[v] * speed;
            }
            part.fall += step.mass[v] * world.gravity.dot(&step.moved[v]);
            part.fastest = part.fastest.max(speeds[0]);
        }
        // The fastest of all, and of all but that component.
        let first = (0..parts.len()).max_by(|a, b| parts[*a].fastest.total_cmp(&parts[*b].fastest));
        let at = |k: Option<usize>| k.map_or(0.0, |k| parts[k].fastest);
        let second = (0..parts.len()).filter(|k| Some(*k) != first).map(|k| parts[k].fastest).fold(0.0, f64::max);
        let other = |k: usize| if Some(k) == first { second } else { at(first) };
        given.clear();
        given.extend(world.component_mass.iter().enumerate().map(|(k, mass)| 0.5 * mass * other(k).max(outside)));
    }
}

/// Positions after the step.
fn after(state: &State, step: &Step) -> Vec<Vec3> {
    state.x.iter().zip(&step.moved).map(|(x, moved)| x + moved).collect()
}

/// Adds the energies of all shapes at positions `x`, before the step or after it.
fn shapes(world: &World, state: &State, x: &[Vec3], parts: &mut [Part], when: usize) {
    world
        .elements
        .each_energy(x, &state.memory, |v, energy| parts[world.component[v as usize] as usize].shape[when] += energy);
}

/// Adds what handles, contacts and the air in balloons do at most.
fn work(world: &World, state: &State, step: &Step, parts: &mut [Part]) {
    for (handle, _) in world.handles.iter().zip(&state.anchors[world.pins.len()..]).filter(|(_, open)| open.is_some()) {
        for v in handle.pin.vertices.iter().map(|v| *v as usize) {
            let most = match handle.pull {
                Pull::Force(force) => force.norm() / handle.pin.vertices.len().max(1) as f64,
                Pull::Spring { most, .. } => most,
            };
            parts[world.component[v] as usize].work += most * step.moved[v].norm();
        }
    }
    for (_, pick, vertex, _) in world.grips(state) {
        let v = vertex as usize;
        parts[world.component[v] as usize].work += pick.force * step.moved[v].norm();
    }
    // What contacts may have stored: the weight of all, over the distance in which they act; and what distances that grow push apart.
    let thickest = world.half_thickness.iter().fold(0.0, |most: f64, half| most.max(*half));
    let reach = world.contact.distance + 2.0 * thickest;
    let weight = step.mass.iter().sum::<f64>() * world.gravity.norm();
    let speed = if state.room.is_empty() { 0.0 } else { PUSHED * reach / world.contact.ease.max(step.h) };
    for (part, mass) in parts.iter_mut().zip(&world.component_mass).filter(|_| world.contact.enabled) {
        part.work += weight * reach + 0.5 * mass * speed * speed;
    }
    // Layers of air store and pass on what is not known here.
    for k in world.airs.iter().flat_map(|air| air.objects) {
        for v in world.objects[k].vertices.clone().filter(|v| *v < world.moving) {
            parts[world.component[v] as usize].work = f64::INFINITY;
        }
    }
    for (balloon, inside) in world.balloons.iter().zip(&state.balloons) {
        let Some(first) = balloon.vertices().first() else { continue };
        let end = |v: usize| state.x[v] + step.moved[v];
        let [before, after] = [balloon.volume(|v| state.x[v]), balloon.volume(end)];
        let time = state.time + step.h;
        let excess = balloon.chamber.held(time).unwrap_or(inside.excess);
        let source = balloon.chamber.source(inside, before, time, step.h);
        parts[world.component[*first as usize] as usize].work += (excess * (after - before)).abs() + source;
    }
}

/// Lets vertices go on as one by their mean velocity, with half of what each had beside that.
fn freeze(state: &State, step: &mut Step, vertices: &[usize]) {
    let mass: f64 = vertices.iter().map(|v| step.mass[*v]).sum();
    let mean = vertices.iter().map(|v| state.v[*v] * step.mass[*v]).sum::<Vec3>() / mass;
    for v in vertices {
        step.moved[*v] = mean * step.h;
        step.rate[*v] = mean + (state.v[*v] - mean) * 0.5;
    }
}

/// Halves how the vertices move beside their mean, or else beside the mean they had, until `bears` their energies of motion and, by
/// component, of shape [J].
fn damp(
    world: &World,
    state: &State,
    step: &mut Step,
    (vertices, proven): (&[usize], bool),
    bears: impl Fn(f64, &[f64]) -> bool,
) {
    let mass: f64 = vertices.iter().map(|v| step.mass[*v]).sum();
    let mean = |of: &[Vec3]| vertices.iter().map(|v| of[*v] * step.mass[*v]).sum::<Vec3>() / mass;
    let (moved, rate, had) = (mean(&step.moved), mean(&step.rate), mean(&state.v));
    for (moved, rate, halvings) in [(moved, rate, HALVINGS), (had * step.h, had, 0)] {
        for turn in 0..=halvings {
            let left = if turn < halvings { 0.5 } else { 0.0 };
            for v in vertices {
                if !proven {
                    step.moved[*v] = moved + (step.moved[*v] - moved) * left;
                }
                step.rate[*v] = rate + (step.rate[*v] - rate) * left;
            }
            let motion = vertices.iter().map(|v| 0.5 * step.mass[*v] * step.rate[*v].norm_squared()).sum();
            let mut shape = vec![0.0; world.component_mass.len()];
            let mut add = |v: u32, energy: f64| shape[world.component[v as usize] as usize] += energy;
            world.elements.each_energy(&after(state, step), &state.memory, &mut add);
            if bears(motion, &shape) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::bending::Bending;

    use crate::force::membrane::{Isotropic, Membrane};

    use crate::mesh::generate::{Diagonals, sheet};
    use crate::world::build::{ClothInput, Input, build};

    const H: f64 = 1e-3;

    /// A sheet that flies at 2 m/s in nothing.
    fn flying() -> (World, State, Free) {
        let mesh = sheet(5, 5, 0.1, 0.1, Diagonals::Alternating, |m| Vec3::new(m.x, 0.0, m.y));
        let mut cloth = ClothInput::plain(mesh, 100.0, 0.2);
        cloth.sheet.membrane = Membrane::Isotropic(Isotropic { young: 100.0, poisson: 0.3 });
        cloth.sheet.bending = Bending::Constant(1e-4);
        cloth.velocity = Vec3::new(0.0, 2.0, 0.0);
        let (world, state) = build(Input { cloths: vec![cloth], ..Input::empty(Vec3::zeros()) });
        let free = Free::new(&world);
        (world, state, free)
    }

    /// A step at whose end every vertex goes about `by` [m/s] somewhere beside what it did, with the same momentum.
    fn step(world: &World, state: &State, by: f64) -> Step {
        let way = |v: usize| Vec3::new((3.0 * v as f64).sin(), (5.0 * v as f64).cos(), (7.0 * v as f64).sin());
        let mass: f64 = world.mass.iter().sum();
        let mean = (0..world.moving).map(|v| way(v) * world.mass[v]).sum::<Vec3>() / mass;
        let rate: Vec<Vec3> = (0..world.moving).map(|v| state.v[v] + (way(v) - mean) * by).collect();
        let moved = rate.iter().map(|rate| rate * H).collect();
        Step {
            h: H,
            moved,
            rate,
            fixed: vec![false; world.moving],
            betas: vec![H; world.moving],
            mass: world.mass.clone(),
            ..Step::default()
        }
    }

    fn energy(world: &World, state: &State, step: &Step) -> f64 {
        let mut energy: f64 = (0..world.moving).map(|v| 0.5 * world.mass[v] * step.rate[v].norm_squared()).sum();
        world.elements.each_energy(&after(state, step), &state.memory, |_, shape| energy += shape);
        energy
    }

    fn momentum(world: &World, step: &Step) -> Vec3 {
        step.rate.iter().zip(&world.mass).map(|(rate, mass)| rate * *mass).sum()
    }

    #[test]
    fn a_step_that_makes_energy_is_repeated_and_the_smallest_is_damped() {
        let none = Bridges::default();
        let (world, state, mut free) = flying();
        let still = energy(&world, &state, &step(&world, &state, 0.0));
        for proven in [false, true] {
            let (mut wild, mut guard) = (step(&world, &state, 30.0), Guard::default());
            free.begin(&world, &wild, &[], std::iter::empty::<std::iter::Empty<u32>>());
            let (before, had) = (energy(&world, &state, &wild), momentum(&world, &wild));
            assert!(before > 10.0 * still, "{before} J, {still} J at the start");
            let mut when = When { violent: true, smallest: false, proven };
            let refused = guard.check(&world, &state, &mut wild, (&free, &none), when);
            assert!(matches!(refused, Err(StepError::Gained { .. })), "{refused:?}");
            when.smallest = true;
            assert_eq!(guard.check(&world, &state, &mut wild, (&free, &none), when), Ok(true));
            let damped = energy(&world, &state, &wild);
            assert!(damped <= (1.0 + ERRS) * still, "{damped} J, {still} J at the start");
            assert!((momentum(&world, &wild) - had).norm() < 1e-12 * had.norm());
        }
    }

    #[test]
    fn what_flies_on_or_slows_is_left_alone() {
        let none = Bridges::default();
        let (world, state, mut free) = flying();
        for by in [0.0, 1e-3] {
            let mut calm = step(&world, &state, by);
            calm.rate.iter_mut().for_each(|rate| *rate *= 0.999);
            free.begin(&world, &calm, &[], std::iter::empty::<std::iter::Empty<u32>>());
            let before = calm.rate.clone();
            let when = When { violent: true, smallest: true, proven: false };
            assert_eq!(Guard::default().check(&world, &state, &mut calm, (&free, &none), when), Ok(false));
            assert_eq!(calm.rate, before);
        }
    }
}
