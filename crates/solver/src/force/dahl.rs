//! Internal friction of cloth: Dahl's law for one scalar strain (Dahl 1968; Miguel et al. 2013, section 3).
//!
//! With `d` the sign of the strain's change, `ds/de = (smax(e) - d s)/tau` and `smax(e) = a + b |e|` (Eq. 2). The
//! stress `s` depends on the path of the strain and not on time. On a long path in one direction it approaches
//! `d smax`; after a reversal it follows within a few `tau`. A path from `e` to `e'` with `q = exp(-|e' - e|/tau)` and
//! `b' = b sign(e)` has a closed form:
//! - exact: `s' = d smax(e') - b' tau + (s - d smax(e) + b' tau) q`;
//! - fitted: as exact, without `b' tau` (Eq. 3). The tables of that paper were made with this form;
//! - power `gamma` (Eq. 1), for `b = 0`: `y = 1 - d s/smax` follows `dy/d|e| = -y^gamma/tau`.
//!
//! A path through `e = 0` is split there. Since `smax` falls with the strain, the exact stress may exceed it by
//! `b tau`.

/// Closed form of the stress along a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Form {
    /// Exact solution of Eq. 2.
    #[default]
    Exact,
    /// Eq. 3 of the paper.
    Fitted,
    /// Eq. 1 with this exponent, for a constant largest stress.
    Power(f64),
}

/// Dahl's law. Stress is in N/m for strains of stretch, in N for the strain `3 kappa` [1/m] of bending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dahl {
    /// Largest stress at zero strain.
    pub a: f64,
    /// Increase of the largest stress per strain.
    pub b: f64,
    /// Strain within which the stress follows a reversal.
    pub tau: f64,
    /// Closed form.
    pub form: Form,
}

/// Longest step in units of `sqrt(m/k)`, the time scale of a vertex on the slope of a steep friction. In longer steps
/// strains reverse by so many `tau` that the linearised friction adds energy to fast motion. At a slope of 75 times the
/// stiffness that is nothing at 7, a quarter of the energy of a blow at 14, and half at 19.
const STEPS: f64 = 7.0;
/// Ratio of the slope of friction to the stiffness of elasticity above which friction is steep. At 12 no energy was
/// added in steps of 75 times `sqrt(m/k)`. Measured fabrics have up to 4.
const STEEP: f64 = 10.0;
/// Strain at which the slope of friction is evaluated.
const STRETCHED: f64 = 0.1;
/// Expected change of strain, in units of `tau`, below which the initial slope is used.
const SMALL: f64 = 1e-3;

impl Dahl {
    /// Returns the law of a constant largest stress `most`. A reversal by `turn` brings the stress to 95 % of its
    /// opposite. The cloth then keeps the strain at which elasticity has that stress (section 3.1).
    pub fn tuned(most: f64, turn: f64) -> Dahl {
        Dahl { a: most, b: 0.0, tau: turn / (2.0f64 / (1.0 - 0.95)).ln(), form: Form::Exact }
    }

    /// Returns the largest stress at a strain.
    #[inline]
    pub fn most(&self, e: f64) -> f64 {
        self.a + self.b * e.abs()
    }

    /// Returns the longest step in which friction adds hardly any energy to stretch [s]. `mass` is that of a vertex
    /// [kg], `stiffness` that of elasticity [N/m]. In a step `h`, friction of the slope `smax/tau` changes a strain by
    /// `h^2 smax/(m tau)` times its `tau`. There is no bound if that slope is at most [`STEEP`] times the stiffness.
    pub fn longest_step(&self, mass: f64, stiffness: f64) -> f64 {
        let slope = self.most(STRETCHED) / self.tau;
        if slope > STEEP * stiffness { STEPS * (mass / slope).sqrt() } else { f64::INFINITY }
    }

    /// Returns half the width of the widest steady loop about zero strain in which [`Form::Fitted`] yields energy; 0
    /// for other forms.
    ///
    /// Between `-e` and `e`, with `x = e/tau`, a loop dissipates `4 tau (a (x - tanh x) + b tau (x^2/2 - x tanh x))`.
    /// The second term is there because, without its `b' tau`, this form adds `b |de|` to the stress on every path. The
    /// first term grows as `x^3`, the second as `-x^2`. Therefore small loops yield energy for any positive `b`. With
    /// `b tau` up to `a` these loops are narrower than about `tau`, where there is little friction; with zero `a`, all
    /// loops up to 1.92 `tau` yield energy.
    pub fn gives(&self) -> f64 {
        if self.form != Form::Fitted || self.b <= 0.0 {
            return 0.0;
        }
        let takes = |x: f64| self.a * (x - x.tanh()) + self.b * self.tau * x * (0.5 * x - x.tanh());
        let [mut low, mut high] = [0.0, 2.0];
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            *if takes(middle) < 0.0 { &mut low } else { &mut high } = middle;
        }
        low * self.tau
    }

    /// Returns the stress after a path from the strain `e` to `to`, and the work done on it. The initial stress is `s`.
    #[inline]
    pub fn go(&self, e: f64, s: f64, to: f64) -> (f64, f64) {
        if e * to < 0.0 {
            let (middle, first) = self.straight(e, s, 0.0);
            let (end, second) = self.straight(0.0, middle, to);
            (end, first + second)
        } else {
            self.straight(e, s, to)
        }
    }

    /// Evaluates [`Dahl::go`] for a path on which the strain keeps its sign.
    fn straight(&self, e: f64, s: f64, to: f64) -> (f64, f64) {
        let way = (to - e).abs();
        if way == 0.0 {
            return (s, 0.0);
        }
        let d = (to - e).signum();
        let Dahl { tau, .. } = *self;
        let lag = match self.form {
            // The sign is that of the strain on the path.
            Form::Exact => self.b * (e + to).signum() * tau,
            Form::Fitted => 0.0,
            Form::Power(gamma) => return power(self.a, gamma, way / tau, d, s, tau),
        };
        let [from, end] = [e, to].map(|e| d * self.most(e) - lag);
        let less = (-way / tau).exp_m1();
        (end + (s - from) * (1.0 + less), d * (0.5 * (from + end) * way - (s - from) * tau * less))
    }

    /// Returns the largest slope of the stress at a strain, over both directions.
    #[inline]
    pub fn steepest(&self, e: f64, s: f64) -> f64 {
        (self.most(e) + s.abs()) / self.tau
    }

    /// Returns the slope of the chord of a path of length `way` that reverses the stress: the steeper of both
    /// directions.
    #[inline]
    pub fn turn(&self, e: f64, s: f64, way: f64) -> f64 {
        let part = way / self.tau;
        let level = if part > SMALL { -(-part).exp_m1() / part } else { 1.0 };
        self.steepest(e, s) * level
    }

    /// Returns the slope of the chord of an expected path from `e`, with stress `s`, to `to`. An implicit step adds
    /// this slope to its stiffness. The slope is clamped to zero, because the exact stress can fall with its bound, and
    /// to the steepest slope.
    #[inline]
    pub fn secant(&self, e: f64, s: f64, to: f64) -> f64 {
        let steepest = self.steepest(e, s);
        if (to - e).abs() < SMALL * self.tau {
            return steepest;
        }
        ((self.go(e, s, to).0 - s) / (to - e)).clamp(0.0, steepest)
    }
}

/// Evaluates a path of [`Form::Power`]. `way` is in units of `tau`.
fn power(most: f64, gamma: f64, way: f64, d: f64, s: f64, tau: f64) -> (f64, f64) {
    if most == 0.0 {
        return (0.0, 0.0);
    }
    let y = (1.0 - d * s / most).max(0.0);
    // Integral of y^-p from the end to the start.
    let between = |p: f64, y: f64, end: f64| {
        if (p - 1.0).abs() < 1e-9 { (y / end).ln() } else { (y.powf(1.0 - p) - end.powf(1.0 - p)) / (1.0 - p) }
    };
    let end = if y == 0.0 {
        0.0
    } else if (gamma - 1.0).abs() < 1e-9 {
        y * (-way).exp()
    } else {
        (y.powf(1.0 - gamma) - (1.0 - gamma) * way).max(0.0).powf(1.0 / (1.0 - gamma))
    };
    let area = if y == 0.0 { 0.0 } else { between(gamma - 1.0, y, end) };
    (d * most * (1.0 - end), most * tau * (way - area))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random::Random;

    fn all() -> [Dahl; 5] {
        let with = |form, b| Dahl { a: 2.2, b, tau: 0.006, form };
        [
            with(Form::Exact, 3.16),
            with(Form::Fitted, 3.16),
            with(Form::Power(1.0), 0.0),
            with(Form::Power(0.5), 0.0),
            with(Form::Power(1.7), 0.0),
        ]
    }

    /// A path in pieces gives the stress and work of the whole path, through zero as well.
    #[test]
    fn ways_in_pieces_are_the_whole() {
        let mut random = Random::new(1);
        for dahl in all() {
            for _ in 0..2000 {
                let (e, to) = (0.02 * random.signed(), 0.02 * random.signed());
                let s = dahl.most(e) * random.signed();
                let whole = dahl.go(e, s, to);
                let mut pieces = (s, 0.0);
                let mut at = e;
                let mut cuts: Vec<f64> = (0..7).map(|_| random.unit()).collect();
                cuts.push(1.0);
                cuts.sort_by(f64::total_cmp);
                for cut in cuts {
                    let next = if cut == 1.0 { to } else { e + (to - e) * cut };
                    let (stress, work) = dahl.go(at, pieces.0, next);
                    (pieces, at) = ((stress, pieces.1 + work), next);
                }
                // The square root of a cancelled bound has half the digits.
                let digits = if matches!(dahl.form, Form::Power(g) if g != 1.0) { 1e-7 } else { 1e-12 };
                assert!((whole.0 - pieces.0).abs() < digits * dahl.most(0.02), "{dahl:?} {whole:?} {pieces:?}");
                assert!((whole.1 - pieces.1).abs() < digits * dahl.most(0.02) * 0.02, "{dahl:?} {whole:?} {pieces:?}");
            }
        }
    }

    /// Stress and work solve their differential equations.
    #[test]
    fn ways_solve_the_equation() {
        let mut random = Random::new(2);
        for dahl in all().into_iter().filter(|dahl| dahl.form != Form::Fitted) {
            for _ in 0..500 {
                let e = 0.01 + 0.005 * random.signed();
                let s = 0.9 * dahl.most(e) * random.signed();
                for d in [1.0, -1.0] {
                    let h = 1e-5 * dahl.tau;
                    let (there, work) = dahl.go(e, s, e + d * h);
                    let gamma = if let Form::Power(gamma) = dahl.form { gamma } else { 1.0 };
                    let most = dahl.most(e);
                    let slope = most / dahl.tau * (1.0 - d * s / most).powf(gamma);
                    // The next term of the series is a few h/tau of the slope; rounding leaves 1e-11 of it.
                    let (found, bound) = ((there - s) / (d * h), 4e-5 * (most + s.abs()) / dahl.tau);
                    assert!((found - slope).abs() < bound, "{dahl:?} {e} {s} {d}: {found} {slope}");
                    let mean = 0.5 * (there + s) * d * h;
                    assert!((work - mean).abs() < 1e-6 * most * h, "{dahl:?}: {work} {mean}");
                }
            }
        }
    }

    /// Steady loops. For a constant bound over a range D of strain, the stress reverses at `smax tanh(D/2 tau)`, and a
    /// loop dissipates `2 smax (D - 2 tau tanh(D/2 tau))`. For a bound that grows, the values between two strains are
    /// solved from the closed form.
    #[test]
    fn steady_loops_are_those_of_the_equation() {
        let steady = |dahl: Dahl, low: f64, high: f64| {
            let (mut s, mut loss) = (0.0, 0.0);
            let mut top = 0.0;
            for _ in 0..200 {
                let up = dahl.go(low, s, high);
                let down = dahl.go(high, up.0, low);
                (s, top, loss) = (down.0, up.0, up.1 + down.1);
            }
            (top, s, loss)
        };
        let (most, tau) = (2.22, 0.006);
        let constant = Dahl { a: most, b: 0.0, tau, form: Form::Exact };
        for (range, published) in [(0.005, 1.2014e-3), (0.02, 3.9190e-2), (0.04, 1.24455e-1)] {
            let (top, bottom, loss) = steady(constant, 0.0, range);
            let tip = most * (0.5 * range / tau).tanh();
            assert!((top - tip).abs() < 1e-12 && (bottom + tip).abs() < 1e-12, "{top} {bottom} {tip}");
            assert!((loss - 2.0 * most * (range - 2.0 * tau * (0.5 * range / tau).tanh())).abs() < 1e-12);
            assert!((loss / published - 1.0).abs() < 1e-4, "{loss}");
        }
        let spandex = |form| Dahl { a: 0.40, b: 4.84, tau: 0.088, form };
        let cotton = Dahl { a: 2.22, b: 3.16, tau: 0.006, form: Form::Exact };
        for (dahl, low, high, wanted) in [
            (spandex(Form::Exact), 0.2, 0.6, [2.8498, -1.7241]),
            (spandex(Form::Fitted), 0.2, 0.6, [3.2757, -1.2982]),
            (cotton, 0.0, 0.04, [2.3218, -2.2330]),
        ] {
            let (top, bottom, _) = steady(dahl, low, high);
            assert!((top - wanted[0]).abs() < 6e-5 && (bottom - wanted[1]).abs() < 6e-5, "{dahl:?}: {top} {bottom}");
        }
    }

    /// Loops about zero strain of the fitted form yield energy if narrower than the bound, and dissipate it if wider.
    /// Loops of the exact form dissipate. 1.2 and 0.8 of the bound are far from the root.
    #[test]
    fn narrow_loops_of_the_fitted_form_give() {
        let loss = |dahl: Dahl, reach: f64| {
            let (mut s, mut loss) = (0.0, 0.0);
            for _ in 0..200 {
                let up = dahl.go(-reach, s, reach);
                let down = dahl.go(reach, up.0, -reach);
                (s, loss) = (down.0, up.1 + down.1);
            }
            loss
        };
        for (a, b, tau) in
            [(0.4, 4.84, 0.088), (4e-6, 6.4e-5, 10.2), (0.0, 1.0, 0.1), (2.0, 2000.0, 0.006), (1.0, 1.0, 1.0)]
        {
            let fitted = Dahl { a, b, tau, form: Form::Fitted };
            let bound = fitted.gives();
            assert!(loss(fitted, 1.2 * bound) > 0.0 && loss(fitted, 0.8 * bound) < 0.0, "{fitted:?} {bound}");
            assert!(bound < 1.92 * tau && (b * tau > a || bound < 1.1 * tau), "{fitted:?} {bound}");
            let x = bound / tau;
            let closed = 4.0 * tau * (a * (x - x.tanh()) + b * tau * x * (0.5 * x - x.tanh()));
            assert!(
                (loss(fitted, bound) - closed).abs() < 1e-9 * (a + b * tau) * tau
                    && closed.abs() < 1e-9 * (a + b * tau) * tau
            );
            let exact = Dahl { form: Form::Exact, ..fitted };
            assert!(exact.gives() == 0.0 && loss(exact, 0.8 * bound) > 0.0, "{exact:?}");
        }
    }

    /// The store `tau s^2/(2 smax)` of a constant bound is the work that a reversal may give back. On any path, work
    /// exceeds its growth by `s^2/smax` for each strain: friction makes no energy.
    #[test]
    fn no_path_makes_energy() {
        let mut random = Random::new(4);
        let dahl = Dahl { a: 2.2, b: 0.0, tau: 0.006, form: Form::Exact };
        let store = |s: f64| dahl.tau * s * s / (2.0 * dahl.a);
        let (mut e, mut s) = (0.0, 0.0);
        for _ in 0..10_000 {
            let to = e + 10f64.powf(3.0 * random.unit() - 4.0) * random.signed();
            let (end, work) = dahl.go(e, s, to);
            let lost = work - (store(end) - store(s));
            let least = if s * end > 0.0 { s.abs().min(end.abs()).powi(2) / dahl.a * (to - e).abs() } else { 0.0 };
            assert!(lost >= least - 1e-12 * dahl.a * dahl.tau, "{e} to {to}: {lost} {least}");
            (e, s) = (to, end);
        }
    }

    /// Tuned by a permanent strain of 2 % at a stiffness of 100 N/m: the way back from saturation at 10 % turns the
    /// stress to 95 % of its opposite.
    #[test]
    fn tuned_by_what_stays() {
        let dahl = Dahl::tuned(100.0 * 0.02, 0.1 - 0.02);
        assert!((dahl.most(0.05) - 2.0).abs() < 1e-15);
        let (turned, _) = dahl.go(0.1, dahl.most(0.1), 0.02);
        assert!((turned / dahl.most(0.0) + 0.95).abs() < 1e-12, "{turned}");
    }

    /// The linearisation of the paper (Eq. 9) differs from the closed form by the square of the step.
    #[test]
    fn the_linearisation_of_the_paper_is_of_first_order() {
        let dahl = all()[0];
        let linear = |e: f64, s: f64, by: f64| {
            let d = by.signum();
            s + (dahl.most(e) - d * s + dahl.b * by.abs()) / (dahl.tau + by.abs()) * by
        };
        for (e, s, d) in [(0.01, 1.0, 1.0), (0.02, -0.7, 1.0), (0.02, 2.0, -1.0)] {
            let error = |h: f64| (linear(e, s, d * h) - dahl.go(e, s, e + d * h).0).abs();
            let order = (error(2e-4) / error(1e-4)).log2();
            assert!((order - 2.0).abs() < 0.05, "{order}");
        }
    }

    /// A reversal in each step, a thousand times, does not drift.
    #[test]
    fn a_turn_each_step_does_not_drift() {
        for dahl in all() {
            let (mut low, mut s) = (0.0, 0.3);
            for _ in 0..1000 {
                let (up, _) = dahl.go(0.01, s, 0.0101);
                let (down, _) = dahl.go(0.0101, up, 0.01);
                (low, s) = (down - s, down);
            }
            assert!(low.abs() < 1e-9, "{dahl:?}: {low}");
        }
    }

    /// The chord's slope lies between zero and the steepest slope. Where it is not clamped, the chord ends on the
    /// closed form.
    #[test]
    fn chords_are_bounded() {
        let mut random = Random::new(3);
        for dahl in all() {
            for _ in 0..1000 {
                let (e, to) = (0.05 * random.signed(), 0.05 * random.signed());
                let s = dahl.most(e) * random.signed();
                let slope = dahl.secant(e, s, to);
                assert!((0.0..=dahl.steepest(e, s)).contains(&slope));
                if slope > 0.0 && (to - e).abs() > 1e-3 * dahl.tau && slope < dahl.steepest(e, s) {
                    assert!((s + slope * (to - e) - dahl.go(e, s, to).0).abs() < 1e-12);
                }
            }
        }
    }
}
