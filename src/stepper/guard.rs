//! No step makes energy.
//!
//! Forces are linear in a step. Where they change much within one (a stiff hinge between slivers, a blow) its solution may hold more energy
//! than there was, and the next one more yet. What touches nothing prescribed that moves, nor a wind, may have, together, no more energy of
//! motion and shape than it had. Of what is fed so, nothing may become many times as fast as it was and as all else is. Where more is found
//! the step is repeated with half the size; the smallest one is damped: towards its mean motion where nothing holds it, which keeps the
//! momentum, else towards rest.
//!
//! What steps err by must not add up either. What nothing unknown does work on has an account, [`State::owed`], of what its steps made, less
//! what they lost and contacts do not store. What is more than a small part of its energy the step gives back at once, out of the motion of
//! those that gained, then of all that touch each other: beside the mean, where nothing holds them.

use super::energies::{self, Acts, Part, after};
use super::free::Free;
use crate::linalg::Vec3;
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Energy of motion that a component may have after a step: in units of what it had and what all else may have given it, for what a heavy
/// thing strikes head on leaves three times as fast as both were; and in units of what its shape had.
const BURST: (f64, f64) = (9.0, 2.0);
/// Speed of a vertex of what is fed after a step, in units of what all have before it, beside what shapes and contacts let go: the root of
/// the mean of the fourth powers, so that one light vertex that is thrown does not allow the next throw.
const FASTER: f64 = 3.0;
/// Speed that it may have in any case [m/s]: forces that laws remember let go what no shape stores.
const SLOW: f64 = 1.0;
/// Part by which the energy of what nothing holds may grow in a step: what schemes of second order, contacts and lags of pressure err by.
const ERRS: f64 = 0.01;
/// The same over all steps.
const OWED: f64 = 0.005;
/// Least part of that motion that giving back leaves in a step.
const LEAVES: f64 = 0.5;
/// Halvings of the motion beside the mean before none of it is left.
const HALVINGS: usize = 8;

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
    /// [`State::owed`] after the step.
    owed: Vec<f64>,
}

impl Part {
    /// Most energy that it may have after the step where nothing holds it [J].
    fn most(&self) -> f64 {
        (1.0 + ERRS) * self.before() + self.slack() + self.fall
    }

    /// Most energy of motion that it may have after the step where something does [J].
    fn burst(&self) -> f64 {
        BURST.0 * (self.motion[0] + self.given)
            + BURST.1 * self.shape[0].max(0.0)
            + self.slack()
            + self.borne
            + self.fall.max(0.0)
    }

    /// It has more than that.
    fn bursts(&self) -> bool {
        self.motion[1] > self.burst()
    }

    /// Fastest that a vertex of some mass [kg] and speed [m/s] may be after the step where something holds it [m/s].
    fn cap(&self, mass: f64, speed: f64, fall: f64) -> f64 {
        let given = 2.0 * (self.shape[0].max(0.0) + self.slack()) / mass;
        ((FASTER * FASTER * self.around).max(speed * speed) + given).sqrt() + fall + SLOW
    }
}

impl Guard {
    /// Damps what has more energy after the step than it can have, if this is the smallest; `violent` tells that a blow may have made
    /// some. True where end positions have changed and have to be proven anew. Of positions that are `proven` free of crossings only the
    /// velocities are damped, where something prescribed holds them.
    ///
    /// # Errors
    /// The fastest vertex of it, where the step can be shorter.
    pub fn check(
        &mut self,
        world: &World,
        state: &State,
        step: &mut Step,
        acts: Acts,
        When { violent, smallest, proven }: When,
    ) -> Result<bool, StepError> {
        self.owed.clear();
        let outside = energies::motion(world, state, step, &mut self.parts);
        energies::give(world, outside, &mut self.parts);
        let fall = world.gravity.norm() * step.h;
        let leaps = |part: &Part| part.fastest[1].sqrt() > part.cap(f64::INFINITY, part.fastest[0].sqrt(), fall);
        let suspect = violent || self.parts.iter().any(|part| part.bursts() || leaps(part));
        // Where motion grows by more than gravity gives, shapes are looked at as well; of what is free always, for its account.
        let known = |part: &Part| [(1.0 + ERRS) * part.motion[0] + part.fall, part.motion[1]];
        let grows = || acts.free.together(self.parts.iter().map(known)).into_iter().flatten().any(|[a, b]| b > a);
        if !suspect && !acts.free.any_left_alone() && !grows() {
            return Ok(false);
        }
        self.weigh(world, state, step, (outside, acts));
        let parts = &self.parts;
        // What touches each other, together: who has gained loses it.
        let sums = acts.free.together(parts.iter().map(|part| [part.most(), part.after()]));
        let alone = |k: usize| sums[k].is_some_and(|[most, after]| after > most) && parts[k].after() > parts[k].most();
        let gained: Vec<usize> = (0..parts.len()).filter(|k| parts[*k].bursts() || alone(*k)).collect();
        let component = |v: usize| world.component[v] as usize;
        let cap = |v: usize| parts[component(v)].cap(step.mass[v], state.v[v].norm(), fall);
        let leapt = |v: &usize| !step.fixed[*v] && sums[component(*v)].is_none() && step.rate[*v].norm() > cap(*v);
        let leapt: Vec<(usize, f64)> = (0..world.moving).filter(leapt).map(|v| (v, cap(v))).collect();
        if !smallest {
            let own =
                (0..world.moving).filter(|v| gained.contains(&component(*v))).chain(leapt.iter().map(|(v, _)| *v));
            let speed = |v: usize| step.rate[v].norm();
            return match own.max_by(|a, b| speed(*a).total_cmp(&speed(*b))) {
                Some(v) => Err(StepError::Gained { vertex: v as u32, speed: speed(v) }),
                None => {
                    self.give_back(world, state, step, acts.free);
                    Ok(false)
                }
            };
        }
        for k in &gained {
            let set = acts.free.sets()[*k];
            let own = |with: &dyn Fn(usize) -> bool| -> Vec<usize> {
                (0..world.moving).filter(|v| !step.fixed[*v] && with(component(*v))).collect()
            };
            if proven && !acts.free.held(*k) {
                // What was corrected cannot be damped without crossing: nothing of it moves against the rest in this step.
                freeze(state, step, &own(&|other| acts.free.sets()[other] == set));
            } else {
                let part = &parts[*k];
                let bears = |motion: f64, shape: &[f64]| match sums[*k] {
                    Some(_) => motion + shape[*k] <= part.most(),
                    None => motion <= part.burst(),
                };
                let free = !acts.free.held(*k);
                damp(world, state, step, (&own(&|other| other == *k), proven, free), bears);
            }
        }
        for (v, cap) in leapt {
            step.rate[v] = step.rate[v].cap_magnitude(cap);
        }
        if !gained.is_empty() {
            self.weigh(world, state, step, (outside, acts));
        }
        self.give_back(world, state, step, acts.free);
        Ok(!gained.is_empty())
    }

    /// The accounts after the step, for its state.
    pub fn owed(&self) -> &Vec<f64> {
        &self.owed
    }

    /// All that is known of the energies of the step.
    fn weigh(&mut self, world: &World, state: &State, step: &Step, (outside, acts): (f64, Acts)) {
        let parts = &mut self.parts;
        energies::motion(world, state, step, parts);
        energies::shapes(world, state, step, parts);
        energies::work(world, state, step, acts, parts);
        energies::give(world, outside, parts);
    }

    /// Accounts of what nothing unknown does work on; takes what is owed beyond [`OWED`] out of the velocities of those that gained.
    fn give_back(&mut self, world: &World, state: &State, step: &mut Step, free: &Free) {
        let Guard { parts, owed } = self;
        let had = |k: usize| state.owed.get(k).copied().unwrap_or(0.0);
        let known = |(k, part): (usize, &Part)| {
            let most = OWED * part.before() + part.eased;
            [had(k), part.stored, part.gain(), most, part.gain().max(0.0), part.after()]
        };
        let sums = free.together(parts.iter().enumerate().map(known));
        let mut taken = vec![0.0; parts.len()];
        for (k, part) in parts.iter().enumerate() {
            let Some([had, stored, gain, most, gains, _]) = sums[k] else { continue };
            let excess = had.max(-stored) + gain - most;
            if excess > 0.0 && part.gain() > 0.0 {
                let own = (0..world.moving).filter(|v| !step.fixed[*v] && world.component[*v] as usize == k);
                let own: Vec<usize> = own.collect();
                taken[free.sets()[k] as usize] += slow(step, &own, free.held(k), excess * part.gain() / gains);
            }
        }
        // What the mean motions of those that touch have gained against each other.
        for (k, sum) in sums.iter().enumerate().filter(|(k, _)| free.sets()[*k] as usize == *k) {
            let Some([had, stored, gain, most, ..]) = sum else { continue };
            let excess = had.max(-stored) + gain - most - taken[k];
            if excess > 0.0 {
                let set = |v: &usize| free.sets()[world.component[*v] as usize] as usize == k;
                let own: Vec<usize> = (0..world.moving).filter(|v| !step.fixed[*v] && set(v)).collect();
                taken[k] += slow(step, &own, free.held(k), excess);
            }
        }
        owed.extend(sums.iter().zip(&*parts).enumerate().map(|(k, (sum, part))| {
            let Some([had, stored, gain, _, _, after]) = sum else { return 0.0 };
            let all = had.max(-stored) + gain - taken[free.sets()[k] as usize];
            if *after > 0.0 { all * part.after() / after } else { 0.0 }
        }));
        if owed.iter().all(|owed| *owed == 0.0) {
            owed.clear();
        }
    }
}

/// Takes `energy` [J] out of how the vertices move, beside their mean where they are not `held`; gives how much it was.
fn slow(step: &mut Step, vertices: &[usize], held: bool, energy: f64) -> f64 {
    let mass: f64 = vertices.iter().map(|v| step.mass[*v]).sum();
    let sum: Vec3 = vertices.iter().map(|v| step.rate[*v] * step.mass[*v]).sum();
    let mean = if held { Vec3::zeros() } else { sum / mass };
    let beside: f64 = vertices.iter().map(|v| 0.5 * step.mass[*v] * (step.rate[*v] - mean).norm_squared()).sum();
    if beside <= 0.0 {
        return 0.0;
    }
    let left = (1.0 - energy / beside).max(LEAVES);
    vertices.iter().for_each(|v| step.rate[*v] = mean + (step.rate[*v] - mean) * left.sqrt());
    beside * (1.0 - left)
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

/// Halves how the vertices move beside their mean, or else beside the mean they had, or, where they are not `free`, at all, until `bears`
/// their energies of motion and, by component, of shape [J].
fn damp(
    world: &World,
    state: &State,
    step: &mut Step,
    (vertices, proven, free): (&[usize], bool, bool),
    bears: impl Fn(f64, &[f64]) -> bool,
) {
    let mass: f64 = vertices.iter().map(|v| step.mass[*v]).sum();
    let mean = |of: &[Vec3]| {
        let sum: Vec3 = vertices.iter().map(|v| of[*v] * step.mass[*v]).sum();
        if free { sum / mass } else { Vec3::zeros() }
    };
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
            world.elements.each_energy(step.shape(&after(state, step)), &state.memory, &mut add);
            if bears(motion, &shape) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pull::Pulls;
    use super::*;
    use crate::effect::Running;
    use crate::force::bending::Bending;

    use crate::force::membrane::{Isotropic, Membrane};

    use crate::mesh::generate::{Diagonals, sheet};
    use crate::world::Pin;
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
        let (world, state, mut free) = flying();
        let still = energy(&world, &state, &step(&world, &state, 0.0));
        for proven in [false, true] {
            let (mut wild, mut guard) = (step(&world, &state, 30.0), Guard::default());
            let none = Running::new(&world);
            free.begin(&world, &wild, &[], &none);
            let acts = Acts { free: &free, pulls: &Pulls::default(), effects: &none, contacts: &[] };
            let (before, had) = (energy(&world, &state, &wild), momentum(&world, &wild));
            assert!(before > 10.0 * still, "{before} J, {still} J at the start");
            let mut when = When { violent: true, smallest: false, proven };
            let refused = guard.check(&world, &state, &mut wild, acts, when);
            assert!(matches!(refused, Err(StepError::Gained { .. })), "{refused:?}");
            when.smallest = true;
            assert_eq!(guard.check(&world, &state, &mut wild, acts, when), Ok(true));
            let damped = energy(&world, &state, &wild);
            assert!(damped <= (1.0 + ERRS) * still, "{damped} J, {still} J at the start");
            assert!((momentum(&world, &wild) - had).norm() < 1e-12 * had.norm());
        }
    }

    /// Held by a pin that moves, a vertex that was thrown at 100 m/s may stay so fast, but not allow the next to be: it is 1 of 25.
    #[test]
    fn one_throw_allows_no_other() {
        let (mut world, mut state, mut free) = flying();
        world.pins.push(Pin::fixed(vec![0]));
        state.anchors.push(None);
        state.v[24] = Vec3::new(0.0, 100.0, 0.0);
        let calm = |v: usize, speed: f64| {
            let mut calm = step(&world, &state, 0.0);
            calm.fixed[0] = true;
            calm.rate[v].y = speed;
            calm
        };
        let mut check = |mut wild: Step, smallest: bool| {
            let none = Running::new(&world);
            free.begin(&world, &wild, &[], &none);
            let acts = Acts { free: &free, pulls: &Pulls::default(), effects: &none, contacts: &[] };
            let checked = Guard::default().check(
                &world,
                &state,
                &mut wild,
                acts,
                When { violent: true, smallest, proven: false },
            );
            (checked.is_ok(), wild.rate)
        };
        assert!(check(calm(24, 101.0), false).0);
        for (v, speed) in [(24, 250.0), (12, 250.0)] {
            assert!(!check(calm(v, speed), false).0, "{v}");
            let (_, rate) = check(calm(v, speed), true);
            assert!(rate[v].norm() < 160.0, "{v}: {}", rate[v]);
        }
    }

    #[test]
    fn what_flies_on_or_slows_is_left_alone() {
        let (world, state, mut free) = flying();
        for by in [0.0, 1e-3] {
            let mut calm = step(&world, &state, by);
            calm.rate.iter_mut().for_each(|rate| *rate *= 0.999);
            let none = Running::new(&world);
            free.begin(&world, &calm, &[], &none);
            let acts = Acts { free: &free, pulls: &Pulls::default(), effects: &none, contacts: &[] };
            let before = calm.rate.clone();
            let when = When { violent: true, smallest: true, proven: false };
            assert_eq!(Guard::default().check(&world, &state, &mut calm, acts, when), Ok(false));
            assert_eq!(calm.rate, before);
        }
    }
}
