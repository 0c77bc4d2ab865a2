//! Permeability of cloth to air (Darcy 1856; Forchheimer 1901).
//!
//! A pressure difference `dP` across the cloth drives air through it at the speed `w`: `dP = a w + b w|w|`. The first
//! term is viscous friction in narrow pores, Darcy's law, with the permeance `1/a`. The second is the inertia of the
//! air in wide pores. One measurement gives `a`, two give both.

/// Smallest pressure difference in the root [Pa]. Without friction, the secant and tangent would be infinite at zero
/// pressure.
const LEAST: f64 = 1e-5;
/// Relative size below which a coefficient is rounding of the measurements.
const ROUNDING: f64 = 1e-12;

/// Permeability law of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PermeabilityLaw {
    /// Permeance `1/a` [m/(s Pa)]. Zero for impermeable cloth, infinite without friction.
    pub permeance: f64,
    /// Inertial coefficient `b` [Pa s^2/m^2]. Zero in Darcy's law.
    pub inertia: f64,
}

/// Reason why two measurements do not fit the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The second speed or pressure does not exceed the first.
    Order,
    /// The speed grows faster than the pressure.
    Fast,
    /// The speed grows slower than the square root of the pressure.
    Slow,
}

impl PermeabilityLaw {
    /// Returns Darcy's law, given that `pressure` [Pa] drives `speed` [m/s].
    pub fn darcy(speed: f64, pressure: f64) -> PermeabilityLaw {
        PermeabilityLaw { permeance: speed / pressure, inertia: 0.0 }
    }

    /// Fits the law to two measurements of speed [m/s] and pressure [Pa]. Both are larger in the second.
    ///
    /// # Errors
    /// Returns a [`Mismatch`] if the measurements do not increase, or if a coefficient would be negative.
    pub fn measured([[slow, low], [fast, high]]: [[f64; 2]; 2]) -> Result<PermeabilityLaw, Mismatch> {
        if !(0.0 < slow && slow < fast && 0.0 < low && low < high) {
            return Err(Mismatch::Order);
        }
        let resistances = [low / slow, high / fast];
        let inertia = (resistances[1] - resistances[0]) / (fast - slow);
        let friction = resistances[0] - inertia * slow;
        let least = ROUNDING * resistances[0];
        if inertia * slow < -least {
            return Err(Mismatch::Fast);
        }
        if friction < -least {
            return Err(Mismatch::Slow);
        }
        if inertia * slow <= least {
            return Ok(PermeabilityLaw::darcy(slow, low));
        }
        Ok(PermeabilityLaw { permeance: if friction <= least { f64::INFINITY } else { 1.0 / friction }, inertia })
    }

    /// Returns speed over pressure at the pressure difference `across` [Pa] [m/(s Pa)].
    pub fn secant(&self, across: f64) -> f64 {
        if self.inertia == 0.0 {
            return self.permeance;
        }
        let friction = 1.0 / self.permeance;
        2.0 / (friction + self.root(across))
    }

    /// Returns the derivative of speed by pressure at the pressure difference `across` [Pa] [m/(s Pa)].
    pub fn tangent(&self, across: f64) -> f64 {
        if self.inertia == 0.0 { self.permeance } else { 1.0 / self.root(across) }
    }

    /// Returns `a + 2 b w` [Pa s/m].
    fn root(&self, across: f64) -> f64 {
        let friction = 1.0 / self.permeance;
        (friction * friction + 4.0 * self.inertia * across.abs().max(LEAST)).sqrt()
    }

    /// Returns the pressure difference `y` [Pa] that solves `volume y + flow w(y) = right`. `volume` [m^3] and `flow`
    /// [Pa m^2 s] are positive.
    pub fn balance(&self, volume: f64, flow: f64, right: f64) -> f64 {
        let friction = 1.0 / self.permeance;
        let linear = volume * friction + flow;
        let speed = 2.0 * right.abs() / (linear + (linear * linear + 4.0 * volume * self.inertia * right.abs()).sqrt());
        (friction * speed + self.inertia * speed * speed).copysign(right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_measurements_give_both_terms() {
        let law = |speed: f64| 1000.0 * speed + 1e5 * speed * speed;
        let through = PermeabilityLaw::measured([[0.01, law(0.01)], [0.03, law(0.03)]]).unwrap();
        assert!((through.permeance * 1000.0 - 1.0).abs() < 1e-12 && (through.inertia / 1e5 - 1.0).abs() < 1e-12);
        for speed in [1e-3, 0.01, 0.5] {
            let (step, across) = (1e-4 * speed, law(speed));
            let slope = 2.0 * step / (law(speed + step) - law(speed - step));
            for across in [across, -across] {
                assert!((through.secant(across) * across.abs() / speed - 1.0).abs() < 1e-12);
                assert!((through.tangent(across) / slope - 1.0).abs() < 1e-9);
            }
            for sign in [1.0, -1.0] {
                let balance = through.balance(2e-6, 3e-3, sign * (2e-6 * across + 3e-3 * speed));
                assert!((balance / (sign * across) - 1.0).abs() < 1e-12, "{balance} {across}");
            }
        }
        let inertia = PermeabilityLaw::measured([[0.1, 10.0], [0.2, 40.0]]).unwrap();
        assert_eq!((inertia.permeance, inertia.inertia.round()), (f64::INFINITY, 1000.0));
        assert!((inertia.secant(90.0) * 90.0 - 0.3).abs() < 1e-12 && inertia.secant(0.0).is_finite());
    }

    #[test]
    fn proportional_measurements_are_darcys_law() {
        for factor in [1.1, 2.0, 3.7] {
            let through = PermeabilityLaw::measured([[0.1, 200.0], [0.1 * factor, 200.0 * factor]]).unwrap();
            assert_eq!(through, PermeabilityLaw::darcy(0.1, 200.0));
            assert_eq!((through.secant(7.0), through.tangent(-3.0)), (0.1 / 200.0, 0.1 / 200.0));
        }
        let sealed = PermeabilityLaw { permeance: 0.0, inertia: 1.0 };
        assert_eq!((sealed.secant(5.0), sealed.tangent(5.0)), (0.0, 0.0));
    }

    #[test]
    fn measurements_that_follow_no_law_are_refused() {
        let describe = |second| PermeabilityLaw::measured([[0.1, 100.0], second]).unwrap_err();
        assert_eq!(describe([0.1, 200.0]), Mismatch::Order);
        assert_eq!(describe([0.2, 100.0]), Mismatch::Order);
        assert_eq!(describe([0.21, 200.0]), Mismatch::Fast);
        assert_eq!(describe([0.11, 200.0]), Mismatch::Slow);
        assert_eq!(PermeabilityLaw::measured([[0.0, 100.0], [0.1, 200.0]]), Err(Mismatch::Order));
    }
}
