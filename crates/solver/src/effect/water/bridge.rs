//! Liquid bridges: capillary force between a vertex of wet cloth and a surface.
//!
//! A bridge is a disc of water of radius r and height h. The pressure in it is below that of the air by the curvature
//! of its side. Surface tension acts at its rim (Lou, Ji & Qiu 2015; Park & Byun, Eq. 5, whose terms in 1/r join):
//!
//! `F = pi r^2 gamma (cos ta + cos tb)/h + pi r gamma sin ta`
//!
//! - [`Law::Volume`]: the angles are constant. The volume V is that of the water at its formation:
//!   `r = min(sqrt(V/(pi h)), cell)`. Rupture is at `(1 + ta/2) V^(1/3)`.
//! - [`Law::Text`], [`Law::Experiments`]: the paper has `r = cell` and two linear maps from height to both angles. They
//!   contradict each other. In section 3.2.1 the angles grow from 0.001 to 90 degrees at the largest height, in 4.1
//!   they fall. Rupture is at that height.
//! - [`Law::Area`] is the alternative in its figure 5. One disc has the area of all cells of the two objects and their
//!   mean height. Its force is shared equally.
//!
//! Heights below that of the film are treated as the film's; nearer surfaces are left to the contact barrier. The
//! squeeze film resists changes of height with `3 pi mu r^4/(2 h^3) dh/dt` (Stefan 1874), implicit. The capillary force
//! is explicit, because its derivative by the height has the wrong sign for a stiffness. A step could stretch a bridge
//! so far that this force takes more work than the bridge stores. Both forces are then replaced by their means over
//! that distance, zero beyond rupture ([`Settings::over`]).

use std::f64::consts::{FRAC_PI_2, PI};

/// Smallest contact angle of the paper [rad].
const LEAST: f64 = 0.001 * PI / 180.0;
/// Even number of intervals of Simpson's rule in the logarithm of the height. From the film to the rupture of 1 mm2,
/// the error is below 0.1 % for the force and 1 % for the damping.
const INTERVALS: u32 = 16;

/// Relative opening, of the height and of the distance to rupture, that takes less work than a bridge stores under any
/// law.
const SURE: f64 = 0.25;

/// Density of water [kg/m^3].
pub const WATER: f64 = 1000.0;

/// Dependence of the force on the height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Constant volume and contact angles.
    Volume,
    /// Angles of the paper's section 3.2.1.
    Text,
    /// Angles of the paper's section 4.1.
    Experiments,
    /// Single force for the whole contact area, shared by its bridges.
    Area,
}

/// Settings of all bridges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Dependence of the force on the height.
    pub law: Law,
    /// Surface tension [N/m].
    pub tension: f64,
    /// Factor of the force.
    pub scale: f64,
    /// Rupture height of the paper's laws [m].
    pub highest: f64,
    /// Largest gap at which a bridge forms [m].
    pub form: f64,
    /// Lower bound of the height [m].
    pub film: f64,
    /// Contact angles with the cloth and with the surface, for constant volume [rad].
    pub angles: [f64; 2],
    /// True if all rims pull, not only those at the border of the wetted area.
    pub all_rims: bool,
    /// True if a cloth has bridges to itself.
    pub to_itself: bool,
    /// Viscosity [Pa s].
    pub viscosity: f64,
}

/// Bridge in the state. A vertex has at most one on each side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bridge {
    /// Vertex of a wet cloth.
    pub vertex: u32,
    /// Side of the cloth: 0 in the direction of the normal, 1 opposite.
    pub side: u8,
    /// Triangle of the surface.
    pub triangle: u32,
    /// Volume of its water [m^3]. Zero if the law does not use it.
    pub volume: f64,
    /// Height [m].
    pub height: f64,
}

/// Disc of water.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Disc {
    /// Largest radius: that of the vertex's part of the cloth [m].
    pub cell: f64,
    /// Volume [m^3].
    pub volume: f64,
    /// True if its rim pulls.
    pub rim: bool,
}

impl Settings {
    /// Returns settings of water at 20 degrees on fully wetted surfaces.
    pub fn water(law: Law) -> Settings {
        Settings {
            law,
            tension: 72.75e-3,
            scale: 1.0,
            highest: 1e-3,
            form: 1e-4,
            film: 1e-4,
            angles: [0.0; 2],
            all_rims: false,
            to_itself: true,
            viscosity: 1e-3,
        }
    }

    /// Checks whether bridges take water from the film.
    pub fn draws(&self) -> bool {
        self.law == Law::Volume
    }

    /// Returns the height of a bridge from its gap [m].
    pub fn height(&self, gap: f64) -> f64 {
        gap.max(self.film)
    }

    /// Returns the radius of a disc of this height [m].
    pub fn radius(&self, disc: &Disc, height: f64) -> f64 {
        match self.law {
            Law::Volume => (disc.volume / (PI * height)).sqrt().min(disc.cell),
            _ => disc.cell,
        }
    }

    fn angles(&self, height: f64) -> [f64; 2] {
        let part = (height / self.highest).min(1.0);
        match self.law {
            Law::Volume => self.angles,
            Law::Text => [LEAST + (FRAC_PI_2 - LEAST) * part; 2],
            Law::Experiments | Law::Area => [FRAC_PI_2 + (LEAST - FRAC_PI_2) * part; 2],
        }
    }

    /// Returns the pull of a disc of this height, along the gap [N].
    pub fn pull(&self, disc: &Disc, height: f64) -> f64 {
        let r = self.radius(disc, height);
        let [a, b] = self.angles(height);
        let rim = if disc.rim { PI * r * self.tension * a.sin() } else { 0.0 };
        self.scale * (PI * r * r * self.tension * (a.cos() + b.cos()) / height + rim)
    }

    /// Returns the rupture height of a disc [m].
    pub fn rupture(&self, volume: f64) -> f64 {
        match self.law {
            Law::Volume => (1.0 + self.angles[0] / 2.0) * volume.cbrt(),
            _ => self.highest,
        }
    }

    /// Returns the distance over which the pull at the gap [m] does the work that remains until rupture. `None` if the
    /// opening `way` [m] does not exceed that distance.
    pub fn overdrawn(&self, disc: &Disc, gap: f64, way: f64) -> Option<f64> {
        let left = (self.rupture(disc.volume) - gap).max(0.0);
        if way <= SURE * self.height(gap).min(left) {
            return None;
        }
        let holds = self.over(disc, gap, left)[0] * left;
        (way > holds).then_some(holds)
    }

    /// Returns the mean pull and damping of a disc while its gap [m] opens by `way` [m]. Both are relative to the
    /// values at the gap.
    pub fn over(&self, disc: &Disc, gap: f64, way: f64) -> [f64; 2] {
        let (low, high) = (self.height(gap), (gap + way).min(self.rupture(disc.volume)));
        if high <= gap {
            return [0.0; 2];
        }
        let at = |height: f64| [self.pull(disc, height), self.damping(disc, height)];
        // Within the film, pull and damping are those of the film's height.
        let film = (low - gap).min(high - gap).max(0.0);
        let mut sums = at(low).map(|value| value * film);
        if high > low {
            let step = (high / low).ln() / f64::from(INTERVALS);
            for k in 0..=INTERVALS {
                let height = low * (step * f64::from(k)).exp();
                let weight = if k == 0 || k == INTERVALS { 1.0 } else { [2.0, 4.0][k as usize % 2] };
                let share = weight * height * step / 3.0;
                sums.iter_mut().zip(at(height)).for_each(|(sum, value)| *sum += share * value);
            }
        }
        let [pull, damping] = at(low);
        let part = |sum: f64, whole: f64| if whole == 0.0 { 1.0 } else { sum / (whole * way) };
        [part(sums[0], pull), part(sums[1], damping)]
    }

    /// Returns the damping force per speed of the height [N s/m].
    pub fn damping(&self, disc: &Disc, height: f64) -> f64 {
        1.5 * PI * self.viscosity * self.radius(disc, height).powi(4) / height.powi(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disc(volume: f64, rim: bool) -> Disc {
        Disc { cell: 5e-3, volume, rim }
    }

    /// Returns the work to stretch a disc from `from` to `to` [J], by Simpson's rule in the logarithm of the height.
    fn work(settings: &Settings, disc: &Disc, from: f64, to: f64) -> f64 {
        let (n, step) = (2000, (to / from).ln() / 2000.0);
        let at = |k: usize| {
            let h = from * (step * k as f64).exp();
            settings.pull(disc, h) * h
        };
        let weight = |k: usize| if k == 0 || k == n { 1.0 } else { [2.0, 4.0][k % 2] };
        (0..=n).map(|k| weight(k) * at(k)).sum::<f64>() * step / 3.0
    }

    /// Methods D33: a fully wetted disc of 5 mm pulls with 11.43 mN at 1 mm and 114.3 mN at 0.1 mm. Its rim alone pulls
    /// with 1.143 mN.
    #[test]
    fn pulls_are_those_of_the_closed_form() {
        let full = Settings::water(Law::Volume);
        let wide = disc(1.0, false);
        let expected = PI * 25e-6 * 72.75e-3 * 2.0;
        for h in [1e-3, 1e-4] {
            assert!((full.pull(&wide, h) - expected / h).abs() < 1e-12 * expected / h);
        }
        assert!((full.pull(&wide, 1e-3) - 11.43e-3).abs() < 5e-6);
        let upright = Settings { angles: [FRAC_PI_2; 2], ..full };
        let rim = upright.pull(&disc(1.0, true), 1e-3);
        assert!((rim - PI * 5e-3 * 72.75e-3).abs() < 1e-12 && (rim - 1.143e-3).abs() < 5e-7);
    }

    /// Spec M-8: the law of the text gives 228 mN at 0.05 mm and 1.14 mN at 1 mm. The law of the experiments gives
    /// 19.1 mN at contact and 11.4 mN at 1 mm.
    #[test]
    fn the_papers_laws_are_what_was_computed_by_hand() {
        let of = |law: Law, h: f64| Settings::water(law).pull(&disc(0.0, true), h) * 1e3;
        assert!((of(Law::Text, 5e-5) - 228.0).abs() < 0.5, "{}", of(Law::Text, 5e-5));
        assert!((of(Law::Text, 1e-3) - 1.143).abs() < 1e-3);
        assert!((of(Law::Experiments, 1e-7) - 19.1).abs() < 0.05, "{}", of(Law::Experiments, 1e-7));
        assert!((of(Law::Experiments, 1e-3) - 11.43).abs() < 5e-3);
        // A single vertex is an area of one cell.
        assert_eq!(of(Law::Area, 3e-4), of(Law::Experiments, 3e-4));
    }

    /// Work to separate a bridge of constant volume, methods A.4:
    /// `V gamma (cos ta + cos tb)(1/h0 - 1/h1) + 2 gamma sin ta sqrt(pi V) (sqrt h1 - sqrt h0)` for a free radius. For
    /// the radius of the cell it has a logarithm.
    #[test]
    fn the_work_of_separation_is_the_integral() {
        let [ta, tb] = [0.4, 0.2];
        let settings = Settings { angles: [ta, tb], ..Settings::water(Law::Volume) };
        let disc = disc(1e-8, true);
        let Settings { tension: gamma, .. } = settings;
        let cosines = ta.cos() + tb.cos();
        // Height at which it becomes narrower than the cell.
        let free = disc.volume / (PI * disc.cell * disc.cell);
        let (h0, h1) = (1e-4, settings.rupture(disc.volume));
        assert!(h0 < free && free < h1 && (h1 - 1.2 * 1e-8f64.cbrt()).abs() < 1e-15);
        let wide = PI * disc.cell.powi(2) * gamma * cosines * (free / h0).ln()
            + PI * disc.cell * gamma * ta.sin() * (free - h0);
        let narrow = disc.volume * gamma * cosines * (1.0 / free - 1.0 / h1)
            + 2.0 * gamma * ta.sin() * (PI * disc.volume).sqrt() * (h1.sqrt() - free.sqrt());
        let [low, high] = [work(&settings, &disc, h0, free), work(&settings, &disc, free, h1)];
        assert!((low - wide).abs() < 1e-9 * wide, "{low} {wide}");
        assert!((high - narrow).abs() < 1e-9 * narrow, "{high} {narrow}");
    }

    /// For any distance in one step, the mean pull does the work of the law, and no more than the remaining work. This
    /// includes film and rupture on the way.
    #[test]
    fn a_step_takes_the_work_of_the_law() {
        for law in [Law::Volume, Law::Text, Law::Experiments] {
            let settings = Settings { angles: [0.4, 0.2], ..Settings::water(law) };
            let disc = disc(3e-9, true);
            let end = settings.rupture(disc.volume);
            for gap in [5e-5, 1e-4, 2e-4, 0.9 * end] {
                let left = |to: f64| {
                    let film = (settings.film.min(to) - gap).max(0.0) * settings.pull(&disc, settings.film);
                    film + work(&settings, &disc, gap.max(settings.film), to.max(settings.film))
                };
                let pull = settings.pull(&disc, settings.height(gap));
                for way in [2e-5, 1e-4, 5e-4, 5e-3, 0.1] {
                    let taken = pull * settings.over(&disc, gap, way)[0] * way;
                    let wanted = left((gap + way).min(end));
                    assert!((taken / wanted - 1.0).abs() < 1e-3, "{law:?}, {gap} {way}: {taken} {wanted}");
                    let drawn = settings.overdrawn(&disc, gap, way);
                    assert_eq!(drawn.is_some(), pull * way > left(end), "{law:?}, {gap} {way}");
                    assert!(drawn.is_none_or(|holds| (pull * holds / left(end) - 1.0).abs() < 1e-3));
                }
            }
        }
    }

    /// The squeeze film of a disc of 5 mm at 0.1 mm has a damping of 2.9 N s/m.
    #[test]
    fn the_film_damps_as_stefan_has_it() {
        let damping = Settings::water(Law::Experiments).damping(&disc(0.0, false), 1e-4);
        assert!((damping - 1.5 * PI * 1e-3 * 6.25e-10 / 1e-12).abs() < 1e-12 * damping);
        assert!((damping - 2.945).abs() < 1e-3);
    }
}
