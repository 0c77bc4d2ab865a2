//! Time integration: linearised BDF2 with variable steps, and backward Euler.
//!
//! Both have the form `x' = x~ + beta v'`, `v' = v~ + beta f'/m`. Backward Euler: `x~ = x`, `v~ = v`, `beta = h`. BDF2
//! with `w = h/h_before`: `x~ = ((1 + w) x - w^2/(1 + w) x_before)/a`, `v~` likewise, `a = (1 + 2w)/(1 + w)`,
//! `beta = h/a` (Choi & Ko 2002 for w = 1). The first step has no history and is backward Euler, so the stepper makes
//! it short. With `y = x~ + beta (v~ + beta g) - x` the unknown is `dx = x' - x - y`.

use super::turn::Turns;
use super::yields;
use crate::linalg::{Vec3, par};
use crate::world::step::{Step, Tug};
use crate::world::{Limit, State, World};

/// Largest acceleration of a vertex in contact that is no impact, relative to gravity.
const CALM: f64 = 2.0;

/// Time integration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// Second order.
    Bdf2,
    /// First order, with more damping.
    BackwardEuler,
}

/// Returns the weights of the present and previous state, and `a`, for a step of `h` after one of `last` [s]. `last` is
/// 0 at the start.
pub(super) fn weights(integrator: Integrator, h: f64, last: f64) -> (f64, f64, f64) {
    if integrator == Integrator::BackwardEuler || last == 0.0 {
        return (1.0, 0.0, 1.0);
    }
    let w = h / last;
    (1.0 + w, w * w / (1.0 + w), (1.0 + 2.0 * w) / (1.0 + w))
}

/// Computes `beta`, and displacement `y` and velocity of free flight under gravity.
pub(super) fn free_flight(world: &World, state: &State, integrator: Integrator, step: &mut Step) {
    let (now, before, a) = weights(integrator, step.h, state.last);
    let beta = step.h / a;
    step.beta = beta;
    par::each_mut(&mut step.velocity, |v, velocity| {
        *velocity = (state.v[v] * now - state.v_before[v] * before) / a + world.gravity * beta;
    });
    let velocity = &step.velocity;
    par::each_mut(&mut step.displacement[..world.moving], |v, displacement| {
        // This form avoids the cancellation in (now x - before x_before)/a - x, as now - before = a.
        *displacement = (state.x[v] - state.x_before[v]) * (before / a) + velocity[v] * beta;
    });
}

/// Applies the implicit Euler restart: vertices in contact take the step by backward Euler, in the rotating frame of
/// their component. The history of BDF2 would turn an impact into a bounce at half its speed.
pub(super) fn restart_touched(world: &World, state: &State, turns: &Turns, step: &mut Step) {
    let Step { h, beta, effective_dt, displacement, velocity, drift, touched, fixed, .. } = step;
    let grounded = |v: usize| touched[v] && !fixed[v];
    par::fill(effective_dt, |v| if grounded(v) { *h } else { *beta });
    par::each_pair_mut(velocity, &mut displacement[..world.moving], |v, velocity, displacement| {
        if grounded(v) {
            (*displacement, *velocity) = turns.predict(world, state, *h, v);
        }
    });
    let velocity = &*velocity;
    par::fill(drift, |v| if grounded(v) { velocity[v] - (state.v[v] + world.gravity * *h) } else { Vec3::zeros() });
}

/// Applies the implicit Euler restart to cloths with active strain limits, for the same reason. The solution is kept,
/// relative to the new free flight. Returns true if any vertex changed its integrator.
pub(super) fn restart_implicit_euler(world: &World, state: &State, turns: &Turns, step: &mut Step) -> bool {
    let mut any = false;
    for cloth in &world.cloths {
        let mut outside = cloth.limits.iter().map(|Limit { ends, least, most }| {
            let [a, b] = ends.map(|v| state.x[v as usize] + step.displacement[v as usize]);
            !(*least..=*most).contains(&(a - b).norm())
        });
        let vertices = world.objects[cloth.object].vertices.clone();
        if step.limited[vertices.start] || !outside.any(|outside| outside) {
            continue;
        }
        for v in vertices {
            step.limited[v] = true;
            if step.fixed[v] || step.touched[v] {
                continue;
            }
            any = true;
            step.effective_dt[v] = step.h;
            (step.predicted[v], step.velocity[v]) = turns.predict(world, state, step.h, v);
            step.drift[v] = step.velocity[v] - (state.v[v] + world.gravity * step.h);
            step.dx[v] = step.displacement[v] - step.predicted[v];
        }
    }
    any
}

/// Computes the displacements of obstacles, with dents where they gave way.
fn move_obstacles(world: &World, state: &State, step: &mut Step) {
    let Step { h, end, held, displacement, dents, .. } = step;
    dents.clone_from(&state.dents);
    let (h, end, waits) = (*h, *end, *held == 1.0);
    for obstacle in &world.obstacles {
        let range = world.objects[obstacle.object].vertices.clone();
        let displacement = &mut displacement[range.clone()];
        if waits || obstacle.course.still() {
            displacement.fill(Vec3::zeros());
        } else {
            obstacle.course.place(&obstacle.rest, end, displacement);
            world.press_in(obstacle, dents, displacement, |dent, normal, path| {
                yields::follow(dent, normal, path, state, h)
            });
            for (displacement, x) in displacement.iter_mut().zip(&state.x[range]) {
                *displacement -= x;
            }
        }
    }
}

/// Computes the prescribed motion: displacement of obstacles and pinned vertices, and the integrator's velocity of the
/// latter. Vertices without mass (in no triangle or tetrahedron) stay. Returns true for vertices that a pin releases;
/// the list is empty if none does.
pub(super) fn prescribe(world: &World, state: &mut State, step: &mut Step) -> Vec<bool> {
    move_obstacles(world, state, step);
    let Step { h, beta, begin: now, end, held, displacement, velocity, fixed, pulled, .. } = step;
    let (h, now, end, waits) = (*h, *now, *end, *held == 1.0);
    par::fill(fixed, |v| world.mass[v] == 0.0);
    for v in (0..fixed.len()).filter(|v| fixed[*v]) {
        displacement[v] = Vec3::zeros();
        velocity[v] = Vec3::zeros();
    }
    let State { x, anchors, .. } = state;
    let mut freed = Vec::new();
    for (pin, _) in
        world.pins.iter().zip(&*anchors).filter(|(pin, a)| a.is_some() && !(pin.from <= now && now < pin.until))
    {
        freed.resize(world.moving, false);
        pin.vertices.iter().for_each(|v| freed[*v as usize] = true);
    }
    for (pin, anchors) in world.pins.iter().chain(world.handles.iter().map(|h| &h.pin)).zip(anchors) {
        let open = pin.from <= now && now < pin.until;
        if !open {
            *anchors = None;
        } else if anchors.is_none() {
            *anchors = Some(pin.vertices.iter().map(|v| x[*v as usize]).collect());
        }
    }
    pulled.clear();
    for (number, (pin, anchors)) in world.pins.iter().zip(&state.anchors).enumerate() {
        let Some(anchors) = anchors else { continue };
        let carry = pin.carry(end);
        let yielding = yields::of_pin(&state.slack, number);
        let before = (!yielding.is_empty()).then(|| pin.carry(now));
        let mut slack = yielding.iter().peekable();
        for (k, (v, anchor)) in pin.vertices.iter().map(|v| *v as usize).zip(anchors).enumerate() {
            let path = carry.apply(k, anchor);
            let slack = slack.next_if(|slack| slack.place as usize == k);
            if let Some(slack) = slack.filter(|slack| !slack.back) {
                let way = path - before.as_ref().map_or(path, |before| before.apply(k, anchor));
                pulled.push(Tug { vertex: v as u32, path, way, stiffness: slack.stiffness });
                continue;
            }
            let off = slack.map_or(Vec3::zeros(), |slack| slack.off * yields::left(h));
            let shift = if waits { Vec3::zeros() } else { path + off - state.x[v] };
            // Velocity of the integrator for a vertex at x + shift: v~ + (shift - y)/beta.
            velocity[v] += (shift - displacement[v]) / *beta;
            displacement[v] = shift;
            fixed[v] = true;
        }
    }
    freed.iter_mut().zip(fixed).for_each(|(freed, fixed)| *freed &= !*fixed);
    freed
}

/// Checks whether delayed prescribed motion can rejoin its path in a step of size `h`. The distance must not exceed the
/// activation distance, or twice the displacement of the path in such a step.
pub(super) fn rejoins(world: &World, state: &State, h: f64) -> bool {
    let (now, end) = (state.time, state.time + h);
    let (mut away, mut stride) = (0.0f64, 0.5 * world.contact.distance);
    let mut compare = |x: &Vec3, before: Vec3, after: Vec3| {
        away = away.max((after - x).norm());
        stride = stride.max((after - before).norm());
    };
    for obstacle in world.obstacles.iter().filter(|o| o.window.open(state.now())) {
        let range = world.objects[obstacle.object].vertices.clone();
        let (mut before, mut after) = (obstacle.rest.clone(), obstacle.rest.clone());
        obstacle.course.place(&obstacle.rest, now, &mut before);
        obstacle.course.place(&obstacle.rest, end, &mut after);
        for ((x, before), after) in state.x[range].iter().zip(before).zip(after) {
            compare(x, before, after);
        }
    }
    for (pin, anchors) in world.pins.iter().zip(&state.anchors) {
        let [before, after] = [now, end].map(|t| pin.carry(t));
        for (k, (v, anchor)) in pin.vertices.iter().zip(anchors.iter().flatten()).enumerate() {
            compare(&state.x[*v as usize], before.apply(k, anchor), after.apply(k, anchor));
        }
    }
    away <= 2.0 * stride
}

/// Commits the step: history, positions, velocities. Vertices stopped by an impact lose their history except for
/// gravity. A vertex that leaves contact thus has the free flight of its neighbours. All vertices of a cloth with an
/// active limit lose it too, so that its momentum is conserved.
pub(super) fn commit(world: &World, state: &mut State, turns: &Turns, step: &Step) {
    let Step { h, displacement, velocity, touched, limited, dx, effective_dt, .. } = step;
    let calm = CALM * world.gravity.norm();
    let before = &*state;
    let history = |i: usize| {
        if !touched[i] && !limited[i] {
            return None;
        }
        let acceleration = (velocity[i] - before.v[i]) / *h;
        let beside = acceleration - turns.acceleration(world, before, i);
        Some(if touched[i] && beside.norm() <= calm { acceleration } else { world.gravity })
    };
    let history: Vec<Option<Vec3>> = par::map(world.moving, history);
    let State { x, v, x_before, v_before, guess, dents, .. } = state;
    par::fill(x_before, |i| match history[i] {
        Some(acts) => x[i] + displacement[i] - (velocity[i] - acts * (h / 2.0)) * *h,
        None => x[i],
    });
    par::fill(v_before, |i| history[i].map_or(v[i], |acts| velocity[i] - acts * *h));
    par::each_mut(&mut x[..world.moving], |i, x| *x += displacement[i]);
    par::fill(&mut v[..world.moving], |i| velocity[i]);
    par::fill(guess, |i| dx[i] / (effective_dt[i] * effective_dt[i]));
    state.time += step.h;
    // After a jump of a factor the scheme begins anew, since its history has the acceleration of before.
    state.last = if world.keyed.jumps(state.time) { 0.0 } else { step.h };
    state.step += 1;
    state.lag = state.time - step.end;
    let mut pressed = Vec::new();
    if step.held < 1.0 {
        world.place_obstacles(step.end, x);
        dents.clone_from(&step.dents);
        for obstacle in world.obstacles.iter().filter(|_| !step.dents.is_empty()) {
            let range = world.objects[obstacle.object].vertices.clone();
            world.press_in(obstacle, dents, &mut x[range], |dent, normal, _| {
                pressed.push((dent.vertex as usize, normal * (dent.depth - dent.was)));
                dent.was = dent.depth;
            });
        }
    }
    state.held = step.held;
    for (v, displacement) in v.iter_mut().zip(&step.displacement).skip(world.moving) {
        *v = displacement / step.h;
    }
    // The velocity of an obstacle is that of its path, without the speed at which its surface yields in a step.
    pressed.into_iter().for_each(|(k, pressed)| v[k] += pressed / step.h);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::build::{Input, build};

    /// Size of the committed step, and of the next one [s].
    const H: [f64; 2] = [2e-3, 1.5e-3];

    fn gravity() -> Vec3 {
        Vec3::new(0.0, -9.81, 0.0)
    }

    /// Returns displacement and velocity of free flight of a vertex whose velocity changed from `before` to `after` in
    /// the last step. The change is by contact, or else uniform.
    fn next(touched: bool, before: Vec3, after: Vec3) -> [Vec3; 2] {
        let (mut world, _) = build(Input::empty(gravity()));
        world.moving = 1;
        (world.component, world.component_mass) = (vec![0], vec![1.0]);
        let none = || vec![Vec3::zeros()];
        let mut state =
            State { x: none(), v: vec![before], x_before: none(), v_before: none(), guess: none(), ..State::default() };
        let mean = if touched { after } else { (before + after) / 2.0 };
        let mut step = Step {
            h: H[0],
            displacement: vec![mean * H[0]],
            velocity: vec![after],
            dx: none(),
            effective_dt: vec![H[0]],
            touched: vec![touched],
            limited: vec![false],
            ..Step::default()
        };
        commit(&world, &mut state, &Turns::new(&world), &step);
        step.h = H[1];
        free_flight(&world, &state, Integrator::Bdf2, &mut step);
        [step.displacement[0], step.velocity[0]]
    }

    fn close(a: [Vec3; 2], b: [Vec3; 2]) -> bool {
        (a[0] - b[0]).norm() < 1e-15 && (a[1] - b[1]).norm() < 1e-13
    }

    /// At rest, under uniform acceleration, or falling with its surroundings: contact leaves no trace in the history.
    #[test]
    fn what_leaves_contact_goes_on_as_it_did() {
        let before = Vec3::new(0.3, -0.2, 0.0);
        for acceleration in [Vec3::zeros(), gravity(), Vec3::new(15.0, 3.0, -4.0), gravity() * -1.9] {
            let after = before + acceleration * H[0];
            let [touched, free] = [true, false].map(|touched| next(touched, before, after));
            assert!(close(touched, free), "{acceleration:?}: {touched:?}, without contact {free:?}");
        }
    }

    /// The history of an impact would turn it into a bounce.
    #[test]
    fn what_an_impact_stopped_falls_from_there() {
        let [_, h] = H;
        for before in [Vec3::new(0.3, -3.0, 0.0), Vec3::new(0.0, -0.05, 0.0), Vec3::new(9.0, 0.0, 0.0)] {
            let after = Vec3::new(0.25, 0.0, 0.0);
            let fall = [after * h + gravity() * (h * h / 2.0), after + gravity() * h];
            let got = next(true, before, after);
            assert!(close(got, fall), "from {before:?}: {got:?}, not {fall:?}");
        }
    }
}
