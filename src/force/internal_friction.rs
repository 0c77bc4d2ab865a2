//! Internal friction of a cloth: which strains have it, and what an element remembers of them.
//!
//! An element has `N` scalar strains and remembers `2 N + 1` numbers: strains and stresses at the end of the last step, and the work done
//! against its friction so far [J], which is what it has taken from motion and shape, and gives back in part where a strain turns.

use super::dahl::Dahl;

/// What the stress is at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Nothing, as after long and small shaking.
    #[default]
    None,
    /// That of the straight way from the rest shape to the start.
    Virgin,
    /// Its largest, with the sign of the strain.
    Saturated,
}

/// Internal friction of a cloth; by default there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InternalFriction {
    /// Of warp, weft and shear: Green strains E11, E22, 2 E12; stress in N/m.
    pub stretch: [Option<Dahl>; 3],
    /// Of bending along warp and weft: three times the curvature [1/m] (Miguel et al. 2013, section 2.1); stress in N.
    pub bend: [Option<Dahl>; 2],
    /// What it is at the start.
    pub start: Start,
}

impl InternalFriction {
    /// It has friction of stretch or shear.
    pub fn stretches(&self) -> bool {
        self.stretch.iter().any(Option::is_some)
    }

    /// It has friction of stretch along warp, and of bending along warp: what fields show.
    pub fn along_warp(&self) -> [bool; 2] {
        [self.stretch[0].is_some(), self.bend[0].is_some()]
    }

    /// It has friction of bending.
    pub fn bends(&self) -> bool {
        self.bend.iter().any(Option::is_some)
    }
}

/// Changes within a step up to this part of `tau` are foreseen by what is expected.
const NEAR: f64 = 0.5;

/// Numbers that an element of so many strains remembers.
pub const fn numbers(strains: usize) -> usize {
    2 * strains + 1
}

/// Friction of one element.
#[derive(Clone, Copy, Debug)]
pub struct Rubbing<'a, const N: usize> {
    /// Law of each strain.
    pub laws: &'a [Option<Dahl>; N],
    /// Work per stress and strain: an area [m^2].
    pub share: f64,
}

impl<const N: usize> Rubbing<'_, N> {
    /// Calls `f(k, law)` for each strain that has a law.
    #[inline]
    fn each(&self, mut f: impl FnMut(usize, &Dahl)) {
        for (k, law) in self.laws.iter().enumerate() {
            if let Some(law) = law {
                f(k, law);
            }
        }
    }

    /// Writes what it remembers at the start, at the strains `e`.
    pub fn start(&self, start: Start, e: [f64; N], memory: &mut [f64]) {
        memory.fill(0.0);
        memory[..N].copy_from_slice(&e);
        self.each(|k, law| {
            memory[N + k] = match start {
                Start::None => 0.0,
                Start::Virgin => law.go(0.0, 0.0, e[k]).0,
                Start::Saturated if e[k] == 0.0 => 0.0,
                Start::Saturated => e[k].signum() * law.most(e[k]),
            };
        });
    }

    /// Brings the memory up to the strains `e` at the end of a step.
    pub fn advance(&self, e: [f64; N], memory: &mut [f64]) {
        self.each(|k, law| {
            let (stress, work) = law.go(memory[k], memory[N + k], e[k]);
            memory[N + k] = stress;
            memory[2 * N] += self.share * work;
        });
        memory[..N].copy_from_slice(&e);
    }

    /// Work done against it so far, were the strains `e` [J].
    pub fn work(&self, e: [f64; N], memory: &[f64]) -> f64 {
        let mut work = memory[2 * N];
        self.each(|k, law| work += self.share * law.go(memory[k], memory[N + k], e[k]).1);
        work
    }

    /// Stress at no change and slopes of the line that stands for the friction of a step in which the strains change by `ahead` at the
    /// present velocities, and by `expected` if forces act as in the last step.
    ///
    /// Up to half of `tau` it is the chord of the expected way. Where more is expected the chord would be nearly level, and a strain that turns
    /// against what was expected would meet nothing: there the line goes through the stress to which the present velocity leads, as
    /// steep as the chord of a turn of that length, so that friction stops what it can stop and turns nothing round.
    #[inline]
    pub fn respond(&self, ahead: [f64; N], expected: [f64; N], memory: &[f64]) -> [[f64; N]; 2] {
        let (mut stress, mut slopes) = ([0.0; N], [0.0; N]);
        self.each(|k, law| {
            let (e, s) = (memory[k], memory[N + k]);
            if expected[k].abs().max(ahead[k].abs()) <= NEAR * law.tau {
                (stress[k], slopes[k]) = (s, law.secant(e, s, e + expected[k]));
            } else {
                slopes[k] = law.turn(e, s, ahead[k].abs());
                stress[k] = law.go(e, s, e + ahead[k]).0 - slopes[k] * ahead[k];
            }
        });
        [stress, slopes]
    }
}
