//! Internal friction of a cloth: strains that have it, and the memory of an element.
//!
//! An element has `N` scalar strains and `2 N + 1` memory values: strains and stresses at the end of the last step, and
//! the work done so far against friction [J]. That work comes from kinetic and elastic energy. A part of it is given
//! back when a strain reverses.

use super::dahl::Dahl;

/// Initial stress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// No stress, as after long and small shaking.
    #[default]
    None,
    /// Stress of the straight path from the rest shape to the initial shape.
    Virgin,
    /// Largest stress, with the sign of the strain.
    Saturated,
}

/// Internal friction of a cloth; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InternalFriction {
    /// Laws of warp, weft and shear. Strains are the Green strains E11, E22, 2 E12; stress in N/m.
    pub stretch: [Option<Dahl>; 3],
    /// Laws of bending along warp and weft. The strain is three times the curvature [1/m] (Miguel et al. 2013, section
    /// 2.1); stress in N.
    pub bend: [Option<Dahl>; 2],
    /// Initial stress.
    pub start: Start,
}

impl InternalFriction {
    /// Returns whether stretch or shear has friction.
    pub fn stretches(&self) -> bool {
        self.stretch.iter().any(Option::is_some)
    }

    /// Returns whether stretch along warp, and bending along warp, have friction. Fields show these two.
    pub fn along_warp(&self) -> [bool; 2] {
        [self.stretch[0].is_some(), self.bend[0].is_some()]
    }

    /// Returns whether bending has friction.
    pub fn bends(&self) -> bool {
        self.bend.iter().any(Option::is_some)
    }
}

/// Largest expected change of strain in a step for which the chord is used, in units of `tau`.
const NEAR: f64 = 0.5;

/// Returns the memory size of an element with this many strains.
pub const fn numbers(strains: usize) -> usize {
    2 * strains + 1
}

/// Internal friction of one element.
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

    /// Initialises the memory at the strains `e`.
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

    /// Updates the memory to the strains `e` at the end of a step.
    pub fn advance(&self, e: [f64; N], memory: &mut [f64]) {
        self.each(|k, law| {
            let (stress, work) = law.go(memory[k], memory[N + k], e[k]);
            memory[N + k] = stress;
            memory[2 * N] += self.share * work;
        });
        memory[..N].copy_from_slice(&e);
    }

    /// Returns the work done against friction so far, if the strains were now `e` [J].
    pub fn work(&self, e: [f64; N], memory: &[f64]) -> f64 {
        let mut work = memory[2 * N];
        self.each(|k, law| work += self.share * law.go(memory[k], memory[N + k], e[k]).1);
        work
    }

    /// Linearises the friction of a step. Returns the stresses after a change `here` of the strains, and the slopes.
    /// Strains change by `ahead` at the present velocities, and by `expected` if forces act as in the last step.
    ///
    /// For changes up to half of `tau` the line is the chord of the expected path. For larger changes that chord would
    /// be nearly level, and a strain that reverses unexpectedly would meet no friction. There the line goes through the
    /// stress to which the present velocity leads. Its slope is that of the chord of a reversal of that length.
    /// Friction then stops motion where it can, and reverses none.
    #[inline]
    pub fn respond(&self, [here, ahead, expected]: [[f64; N]; 3], memory: &[f64]) -> [[f64; N]; 2] {
        let (mut stress, mut slopes) = ([0.0; N], [0.0; N]);
        self.each(|k, law| {
            let (e, s) = (memory[k], memory[N + k]);
            if expected[k].abs().max(ahead[k].abs()) <= NEAR * law.tau {
                slopes[k] = law.secant(e, s, e + expected[k]);
                stress[k] = s + slopes[k] * here[k];
            } else {
                slopes[k] = law.turn(e, s, ahead[k].abs());
                stress[k] = law.go(e, s, e + ahead[k]).0 + slopes[k] * (here[k] - ahead[k]);
            }
        });
        [stress, slopes]
    }
}
