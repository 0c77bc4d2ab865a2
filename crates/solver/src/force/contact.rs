//! Contact: a barrier along the normal, Coulomb friction with bristles across it.
//!
//! With the gap `g` (distance less the thickness), the activation distance `g^` and `s = g/g^`, the barrier's force is
//! `N = m a ((1 - s)/s)^2` for `s < 1`. The pair bears the mass `m`, and `a` is an acceleration of a few times gravity.
//! A single layer rests near 0.6 `g^`, ten near 0.35, and no load closes the gap. The barrier does not depend on the
//! step, so a change of step releases no energy. It stores little energy, so contacts hardly bounce.
//!
//! Cloth bears load by many vertices, and `m` is the pair's effective mass. A body may stand on one vertex, and `m` is
//! all of its mass. Under a larger load, `m a` follows a ninth of the recent mean load of the contact. A thousand times
//! its own weight then leaves a quarter of `g^`. It follows slowly, because a sudden increase would throw off the load.
//! Damping of the normal motion, bounded by a small part of that force, ends oscillation on a contact.
//!
//! A pair that would close the gap faster than the barrier can brake is stopped at a goal no wider than the gap
//! ([`Contact::goal`]): first by inelastic impulses on free flight, then by a penalty toward the goal in another solve.
//! The barrier enters by its chord from the present gap to the expected one. The expected gap follows from the forces
//! of the last step, or from free flight if that is less. A load at rest then has the exact equilibrium of the barrier,
//! whatever the step. Tangents at the expected gap would leave it deeper, and hopping under many times its weight.
//!
//! Where features turn away from each other, the barrier has an activation weight below one. The weight grows as the
//! gap closes, so it is part of the linearisation. Once the gap is used up, a weight that is constant over the step
//! throws off the load.
//!
//! Friction is a bristle per contact whose force is returned to the Coulomb bound: `mu_s N` while it sticks, `mu_d N`
//! while it slides. It enters the linear system by its secant at the displacement to which the forces of the last step
//! would lead. The secant neither chatters nor creeps, and in steady sliding gives the bound itself. The normal force
//! in the bound is the present one. Measured friction ([`super::friction`]) is returned to its own bound in the same
//! way; if that bound depends on the direction, the secant is a tensor.

use super::friction::{Rubs, Secant};
use crate::linalg::{Mat3, Vec3};

/// Barrier acceleration `a` at unit stiffness factor [m/s^2].
const ACCELERATION: f64 = 30.0;
/// Part of the gap, and of the activation distance, to which a step may close the gap; the lesser applies.
const BRAKE: (f64, f64) = (0.9, 0.5);
/// Damping time of the barrier [s], and the part of its force that bounds the damping. Facets that roll or slide on and
/// off lose twice that part of their pressing force. A ball rolls as if its slope were less, a strip slides over a post
/// as if with more friction.
const DAMPING: (f64, f64) = (2e-2, 0.05);
/// Averaging time of the load of a contact [s], and the largest mean load in units of the barrier's strength. The
/// contact rests no deeper than at `s = 1/(1 + sqrt(9))`.
const LOAD: (f64, f64) = (2e-2, 9.0);
/// Stiffness of the penalty toward the goal, times `h^2/m`, and its growth each time it did not suffice.
const STOP: (f64, f64) = (16.0, 8.0);
/// Smallest gap at which the barrier is linearised, in units of the present gap and of the activation distance.
const CLOSEST: (f64, f64) = (0.5, 0.05);
/// Change of the gap below which the chord is the tangent, in activation distances.
const STAYS: f64 = 1e-6;
/// Stiffness of a bristle times `h^2/m` at the largest step.
const BRISTLE: f64 = 20.0;

/// Friction coefficients of a pair of surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Static coefficient.
    pub fixed: f64,
    /// Kinetic coefficient.
    pub sliding: f64,
}

impl Friction {
    /// Combines the coefficients of two surfaces by geometric means, so that equal surfaces have their own
    /// coefficients.
    pub fn between(a: Friction, b: Friction) -> Friction {
        Friction { fixed: (a.fixed * b.fixed).sqrt(), sliding: (a.sliding * b.sliding).sqrt() }
    }
}

/// Friction law of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Coulomb friction with coefficients.
    Coulomb(Friction),
    /// Measured friction: index in [`Rubs::rubs`].
    Measured(u32),
}

impl Rule {
    /// Returns the part of the displacement `across` the `normal` that friction removes, if `lack` is removed along the
    /// normal in the step [m]. `mass` is the effective mass of both sides [kg].
    pub fn rubbed(self, normal: &Vec3, mass: f64, across: &Vec3, lack: f64, setting: &Setting, rubs: &Rubs) -> Vec3 {
        match self {
            Rule::Coulomb(friction) => {
                let slide = across.norm();
                let held = (friction.sliding * lack).min(slide);
                across * if slide > 0.0 { held / slide } else { 0.0 }
            }
            Rule::Measured(place) => {
                let stiffness = mass / (setting.h * setting.h);
                let rub = &rubs.rubs[place as usize];
                let law = &rubs.laws[rub.law as usize];
                law.secant(rub, normal, lack * stiffness, across, stiffness, true).force(across) / stiffness
            }
        }
    }
}

/// Memory of a contact from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bristle {
    /// Tangential deflection [m].
    pub deflection: Vec3,
    /// Whether the contact slid in the last step.
    pub sliding: bool,
    /// Whether the contact keeps full activation weight, because it had to be stopped once.
    pub kept: bool,
    /// Recent mean load [N].
    pub load: f64,
}

/// Activation weight: part of the barrier that acts at the present gap, and its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Part in [0, 1], less than one where the features turn away from each other.
    pub part: f64,
    /// Increase of the part as the gap closes with its surroundings fixed [1/m].
    pub growth: f64,
}

impl Share {
    /// Activation weight zero.
    pub const NONE: Share = Share { part: 0.0, growth: 0.0 };
    /// Activation weight one.
    pub const WHOLE: Share = Share { part: 1.0, growth: 0.0 };

    /// Clamps `part` to [0, 1]. A clamped part does not grow.
    pub fn bounded(part: f64, growth: f64) -> Share {
        Share { part: part.clamp(0.0, 1.0), growth: if part > 0.0 && part < 1.0 { growth } else { 0.0 } }
    }

    /// Multiplies two activation weights.
    pub fn of(self, other: Share) -> Share {
        Share { part: self.part * other.part, growth: self.growth * other.part + self.part * other.growth }
    }
}

/// Pair of features in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Unit direction in which side A is pushed.
    pub normal: Vec3,
    /// Gap at the linearisation point [m].
    pub gap: f64,
    /// Activation distance `g^` [m].
    pub reach: f64,
    /// Effective mass `1/sum(w^2/m)` of the pair [kg].
    pub mass: f64,
    /// Mass for whose weight the barrier is made, no less than the effective mass [kg].
    pub bears: f64,
    /// Part of the barrier that acts, above zero.
    pub share: Share,
    /// Friction of the two surfaces.
    pub friction: Rule,
    /// Memory; `None` if the contact is new.
    pub bristle: Option<Bristle>,
    /// Relative displacement in the step under the forces of the last step, without common rotation [m]. The force of a
    /// new contact is not included.
    pub expected: Vec3,
}

/// Parameters common to all contacts of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Stiffness factor of the barrier.
    pub stiffness: f64,
    /// Step [s].
    pub h: f64,
    /// Largest step, for which the stiffness of bristles is made [s]. The stiffness does not change with the step.
    pub largest: f64,
    /// Bound of a contact's mean load [N]. In a pinch that does not open, the load would grow without end.
    pub most: f64,
    /// Whether prescribed motion waits in a pinch. An obstacle then presses in a gap that does not open, and mean loads
    /// do not grow.
    pub waits: bool,
}

impl Setting {
    /// Returns the setting for a world with moving mass `mass` [kg], barrier factor `stiffness` and largest step [s].
    pub fn new(mass: f64, stiffness: f64, largest: f64) -> Setting {
        Setting { stiffness, h: largest, largest, most: mass * ACCELERATION, waits: false }
    }
}

/// Contact linearised for one step: force `force - stiffness dx` on the relative displacement `dx`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear {
    /// Force on side A at `z = 0` [N].
    pub force: Vec3,
    normal: f64,
    normal_stiffness: f64,
    /// Isotropic stiffness of friction.
    tangent_stiffness: f64,
    /// Vector whose outer product with itself is the additional stiffness in one direction.
    along: Vec3,
}

/// Normal force of a contact, linearised.
#[derive(Clone, Copy, Debug)]
struct Press {
    /// Normal force at free flight [N].
    normal: f64,
    /// Stiffness of the normal force [N/m].
    stiffness: f64,
    /// Normal force in the friction bound [N].
    pressing: f64,
}

/// Returns barrier force [N] and stiffness [N/m] at a gap in (0, `reach`), for `force = m a` [N].
pub fn barrier(force: f64, reach: f64, gap: f64) -> (f64, f64) {
    if gap >= reach {
        return (0.0, 0.0);
    }
    let s = gap / reach;
    let r = (1.0 - s) / s;
    (force * r * r, 2.0 * force * r / (s * s * reach))
}

/// Returns the barrier energy [J]: the integral of [`barrier`] from `gap` to `reach`.
pub fn barrier_energy(force: f64, reach: f64, gap: f64) -> f64 {
    if gap >= reach {
        return 0.0;
    }
    let s = gap / reach;
    force * reach * (1.0 / s + 2.0 * s.ln() - s)
}

impl Contact {
    fn bristle_stiffness(&self, setting: &Setting) -> f64 {
        BRISTLE * self.mass / (setting.largest * setting.largest)
    }

    /// Returns the force of the whole barrier at half the activation distance [N].
    fn strength(&self, stiffness: f64) -> f64 {
        (self.bears * ACCELERATION * stiffness).max(self.bristle.unwrap_or_default().load / LOAD.1)
    }

    /// Returns an upper bound of the barrier energy at the present gap, with activation weight one [J].
    pub fn stored(&self, stiffness: f64) -> f64 {
        barrier_energy(self.strength(stiffness), self.reach, self.gap.max(CLOSEST.1 * self.reach))
    }

    /// Returns the least gap that free flight may leave at the end of a step [m].
    pub fn goal(&self) -> f64 {
        (BRAKE.0 * self.gap).min(BRAKE.1 * self.reach)
    }

    /// Returns the normal force in the friction bound at the linearisation [N], not negative.
    pub fn pressing(&self, free: &Vec3, stops: i32, setting: &Setting) -> f64 {
        self.press(free, stops, setting).pressing.max(0.0)
    }

    /// Linearises the force along the normal.
    #[inline]
    fn press(&self, free: &Vec3, stops: i32, setting: &Setting) -> Press {
        let n = &self.normal;
        let predicted = self.gap + n.dot(free);
        let at =
            (self.gap + n.dot(&self.expected)).min(predicted).max(CLOSEST.0 * self.gap).max(CLOSEST.1 * self.reach);
        let bears = self.share.part * self.strength(setting.stiffness);
        let (force, tangent) = barrier(bears, self.reach, at);
        // Chord from the present gap. It is exact at the present and at the expected gap, and no less than the barrier
        // in between.
        let now = self.gap.clamp(CLOSEST.1 * self.reach, self.reach);
        let (present, _) = barrier(bears, self.reach, now);
        let way = now - at;
        let mut normal_stiffness = if way.abs() > STAYS * self.reach { (force - present) / way } else { tangent };
        let mut normal = force + normal_stiffness * (at - predicted);
        // The force at the present gap bounds friction, because free flight closes the gap by more than the step will.
        let mut pressing = force + normal_stiffness * (at - self.gap);
        // The activation weight changes with the gap as well: to no more than one as it closes, by no more than itself
        // as it opens.
        let opening = n.dot(&self.expected).min(n.dot(free));
        let change = if opening < 0.0 { 1.0 - self.share.part } else { 1.0 };
        let growth = force.max(pressing) / self.share.part * self.share.growth.min(change / opening.abs());
        normal -= growth * n.dot(free);
        normal_stiffness += growth;
        // Damping acts on closing and opening, because single contacts that come and go would keep each other going.
        let travel = n.dot(&self.expected).abs().max(1e-12 * self.reach);
        let viscous = (normal_stiffness * DAMPING.0 / setting.h).min(DAMPING.1 * force / travel);
        normal -= viscous * n.dot(free);
        normal_stiffness += viscous;
        if stops > 0 {
            let stiffness = STOP.0 * STOP.1.powi(stops - 1) * self.mass / (setting.h * setting.h);
            normal += stiffness * (self.goal() - predicted);
            normal_stiffness += stiffness;
            pressing = normal;
        }
        Press { normal, stiffness: normal_stiffness, pressing }
    }

    /// Linearises for a step of size `h` at the expected displacement. `free` is the relative displacement of the sides
    /// in free flight [m]. If `stops` is above zero, adds the penalty toward the goal.
    pub fn linearise(&self, free: &Vec3, stops: i32, setting: &Setting, rubs: &Rubs) -> Linear {
        let n = &self.normal;
        let Press { normal, stiffness: normal_stiffness, pressing } = self.press(free, stops, setting);
        let across = |v: &Vec3| v - n * n.dot(v);
        let deflection = self.bristle.unwrap_or_default().deflection;
        let bristle = self.bristle_stiffness(setting);
        let expected = across(&(deflection + self.expected));
        match self.friction {
            Rule::Coulomb(friction) => {
                let length = expected.norm();
                let (bound, holds) = self.bound(&friction, pressing.max(0.0), bristle * length);
                let tangent_stiffness = if holds { bristle } else { bound / length };
                let force = n * normal - across(&(deflection + free)) * tangent_stiffness;
                Linear { force, normal, normal_stiffness, tangent_stiffness, along: Vec3::zeros() }
            }
            Rule::Measured(place) => {
                let secant = self.secant(place, pressing.max(0.0), &expected, bristle, rubs);
                let force = n * normal - secant.force(&across(&(deflection + free)));
                Linear { force, normal, normal_stiffness, tangent_stiffness: secant.even, along: secant.along }
            }
        }
    }

    fn secant(&self, place: u32, pressing: f64, e: &Vec3, stiffness: f64, rubs: &Rubs) -> Secant {
        let rub = &rubs.rubs[place as usize];
        let sliding = self.bristle.is_some_and(|b| b.sliding);
        rubs.laws[rub.law as usize].secant(rub, &self.normal, pressing, e, stiffness, sliding)
    }

    /// Returns the stiffness [N/m], symmetric positive semidefinite.
    #[inline]
    pub fn stiffness(&self, linear: &Linear) -> Mat3 {
        let n = &self.normal;
        let stiffness = n * n.transpose() * (linear.normal_stiffness - linear.tangent_stiffness)
            + Mat3::from_diagonal_element(linear.tangent_stiffness);
        let along = &linear.along;
        if *along == Vec3::zeros() { stiffness } else { stiffness + along * along.transpose() }
    }

    /// Returns the Coulomb bound for a normal force, and whether the bristle's force sticks.
    fn bound(&self, friction: &Friction, normal: f64, force: f64) -> (f64, bool) {
        let sliding = self.bristle.is_some_and(|b| b.sliding);
        let mu = if sliding { friction.sliding } else { friction.fixed };
        if force <= mu * normal { (mu * normal, true) } else { (friction.sliding * normal, false) }
    }

    /// Returns the normal force at the end of the step [N], for the displacement `displacement` instead of `free` [m].
    pub fn normal_force(&self, linear: &Linear, displacement: &Vec3, free: &Vec3) -> f64 {
        (linear.normal - linear.normal_stiffness * self.normal.dot(&(displacement - free))).max(0.0)
    }

    /// Returns the bristle after the surfaces slid by `slid` [m] under the normal force `normal` [N].
    pub fn advance(&self, linear: &Linear, slid: &Vec3, normal: f64, setting: &Setting, rubs: &Rubs) -> Bristle {
        let n = &self.normal;
        let had = self.bristle.unwrap_or_default().load;
        // The load is that of the barrier, without penalties toward the goal.
        let gap = (self.gap + n.dot(slid)).max(CLOSEST.1 * self.reach);
        let borne = barrier(self.share.part * self.strength(setting.stiffness), self.reach, gap).0;
        let most = if setting.waits { had } else { setting.most };
        let load = had + (borne.min(most) - had) * setting.h / (setting.h + LOAD.0);
        let deflection = self.bristle.unwrap_or_default().deflection + slid;
        let deflection = deflection - n * n.dot(&deflection);
        let stiffness = self.bristle_stiffness(setting);
        let friction = match self.friction {
            Rule::Coulomb(friction) => friction,
            Rule::Measured(place) => {
                let secant = self.secant(place, normal, &deflection, stiffness, rubs);
                let deflection = secant.force(&deflection) / stiffness;
                return Bristle { deflection, sliding: !secant.holds, kept: false, load };
            }
        };
        let (bound, holds) = self.bound(&friction, normal, stiffness * deflection.norm());
        if holds && linear.tangent_stiffness == stiffness {
            return Bristle { deflection, sliding: false, kept: false, load };
        }
        let most = bound / stiffness;
        let length = deflection.norm();
        Bristle {
            deflection: if length > most { deflection * (most / length) } else { deflection },
            sliding: !holds,
            kept: false,
            load,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Presses a gram on a contact for two seconds. Returns its largest speed in the second half, and its last gap
    /// [m/s, m]. A spring of `spring` times `m/h^2` presses it `depth` [m] beyond the gap of zero activation weight,
    /// which grows by 2 per mm. There the gap is used up.
    fn pressed(spring: f64, depth: f64, linearised: bool) -> (f64, f64) {
        let setting = Setting::new(1.0, 1.0, 2e-3);
        let (h, mass, growth) = (setting.h, 1e-3, 2e3);
        let inertia = mass / (h * h);
        let (mut gap, mut speed, mut last, mut fastest) = (1e-5, 0.0, 0.0, 0.0f64);
        for k in 0..1000 {
            let free = speed * h;
            let share = Share::bounded(-growth * gap, if linearised { growth } else { 0.0 });
            let mut linear = Linear::default();
            if share.part > 0.0 {
                let contact = Contact {
                    normal: Vec3::y(),
                    gap,
                    reach: 1e-3,
                    mass,
                    bears: mass,
                    share,
                    friction: Rule::Coulomb(Friction { fixed: 0.0, sliding: 0.0 }),
                    bristle: None,
                    expected: Vec3::y() * (free + last),
                };
                linear = contact.linearise(&(Vec3::y() * free), 0, &setting, &Rubs { laws: &[], rubs: &[] });
            }
            let force = linear.force.y - spring * inertia * (depth + gap + free);
            last = force / (inertia * (1.0 + spring) + linear.normal_stiffness);
            gap += free + last;
            speed = (free + last) / h;
            fastest = if k < 500 { 0.0 } else { fastest.max(speed.abs()) };
        }
        (fastest, gap)
    }

    /// A mass under many times its weight rests where the barrier bears that load, whatever the step and the initial
    /// gap.
    #[test]
    fn what_is_pressed_rests_where_the_barrier_bears_it() {
        let (mass, reach, gravity) = (1e-3, 1e-3, 9.81);
        for (h, load, start) in [5e-4, 2e-3, 5e-3]
            .into_iter()
            .flat_map(|h| [0.0, 3.0, 50.0, 200.0, 600.0].map(|load| (h, load)))
            .flat_map(|(h, load)| [3e-3, 2e-5].map(|start| (h, load, start)))
        {
            let setting = Setting::new(1e3, 1.0, h);
            let inertia = mass / (h * h);
            let (mut gap, mut speed, mut last, mut fastest) = (start, 0.0, 0.0, 0.0f64);
            for k in 0..1500 {
                let free = (speed - gravity * h) * h;
                let contact = Contact {
                    normal: Vec3::y(),
                    gap,
                    reach,
                    mass,
                    bears: mass,
                    share: Share::WHOLE,
                    friction: Rule::Coulomb(Friction { fixed: 0.0, sliding: 0.0 }),
                    bristle: None,
                    expected: Vec3::y() * (free + last),
                };
                let linear = contact.linearise(&(Vec3::y() * free), 0, &setting, &Rubs { laws: &[], rubs: &[] });
                last = (linear.force.y - load * mass * gravity) / (inertia + linear.normal_stiffness);
                gap += free + last;
                speed = (free + last) / h;
                fastest = if k < 1400 { 0.0 } else { fastest.max(speed.abs()) };
            }
            // m (1 + load) g = m a ((1 - s)/s)^2.
            let exact = 1.0 / (1.0 + ((1.0 + load) * gravity / ACCELERATION).sqrt());
            let s = gap / reach;
            assert!(
                (s / exact - 1.0).abs() < 1e-3 && fastest < 1e-6,
                "{h} s, {load} times: {s}, not {exact}; {fastest} m/s"
            );
        }
    }

    /// A light mass bears a hundred to a hundred thousand times its weight. It rests where the barrier bears that load.
    /// Under larger loads the strength is a ninth of the load, and it rests at a quarter of the activation distance.
    #[test]
    fn what_is_pressed_by_more_than_it_can_bear_grows_stronger() {
        let (mass, reach, gravity) = (1e-3, 1e-3, 9.81);
        for (h, load) in [1e-3, 4e-3].into_iter().flat_map(|h| [1e2, 1e3, 1e4, 1e5].map(|load| (h, load))) {
            let setting = Setting::new(1e3, 1.0, h);
            let (mut gap, mut speed, mut last, mut bristle) = (0.5 * reach, 0.0, 0.0, Bristle::default());
            // The load has inertia as well.
            let inertia = (1.0 + load) * mass / (h * h);
            for _ in 0..(2.0 / h) as usize {
                let free = Vec3::y() * (speed - gravity * h) * h;
                let contact = Contact {
                    normal: Vec3::y(),
                    gap,
                    reach,
                    mass,
                    bears: mass,
                    share: Share::WHOLE,
                    friction: Rule::Coulomb(Friction { fixed: 0.0, sliding: 0.0 }),
                    bristle: Some(bristle),
                    expected: free + Vec3::y() * last,
                };
                let rubs = Rubs { laws: &[], rubs: &[] };
                let linear = contact.linearise(&free, 0, &setting, &rubs);
                last = linear.force.y / (inertia + linear.normal_stiffness);
                let displacement = free + Vec3::y() * last;
                bristle = contact.advance(
                    &linear,
                    &displacement,
                    contact.normal_force(&linear, &displacement, &free),
                    &setting,
                    &rubs,
                );
                gap += displacement.y;
                speed = displacement.y / h;
            }
            let borne = (1.0 + load) * mass * gravity;
            let exact = 1.0 / (1.0 + (borne / (mass * ACCELERATION).max(borne / LOAD.1)).sqrt());
            let s = gap / reach;
            assert!(
                (s / exact - 1.0).abs() < 0.01 && speed.abs() < 1e-4,
                "{h} s, {load} times: {s}, not {exact}; {speed} m/s"
            );
        }
    }

    /// Once the gap is used up, an activation weight that is constant over a step throws off the load forever.
    #[test]
    fn what_presses_on_a_growing_share_comes_to_rest() {
        for spring in [0.3, 1.0, 4.0, 12.0, 40.0] {
            for depth in [3e-6, 1e-5, 3e-5, 1e-4, 3e-4] {
                let (speed, gap) = pressed(spring, depth, true);
                assert!(speed < 1e-12 && gap > -depth && gap < 0.0, "{spring}, {depth}: {speed} m/s at {gap} m");
                let (held, _) = pressed(spring, depth, false);
                assert!(held > 1e-3, "{spring}, {depth}: {held} m/s, so this shows nothing");
            }
        }
    }
}
