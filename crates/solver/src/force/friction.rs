//! Measured friction: load-force curves in directions to the warp (Chen, Feng & Wang 2013, "Modeling Friction and Air
//! Effects between Cloth and Deformable Bodies", section 5; two tensors after Pabst, Thomaszewski & Strasser 2009).
//!
//! A sled drawn over cloth under the load `N` meets the force `F0`, `F45` or `F90` by its direction to the warp. With
//! `F = (F0, F45 - (F0 + F90)/2; ., F90)` in warp and weft, sliding in any unit direction `u` meets `u.F u`.
//!
//! Two laws give the direction of that force ([`Flow`]). The first is opposite to the sliding, as in the paper. The
//! second maximises dissipation: the force lies on the ellipse `f.F^-2 f = 1`, whose normal there is the direction of
//! sliding. This force is `f = -F^2 u/|F u|`, minus the gradient of the dissipation `|F v|`. Along warp and weft both
//! laws agree. Curves against the warp or the weft may be given as well. Then `F0` and `F90` are those of the quadrant
//! into which the other surface slides; `u.F u` has no jump between quadrants.
//!
//! A bristle whose elastic force is `k e` is returned to the bound. For the first law it is shortened. For the second
//! it moves to the nearest point of the ellipse: `e = d + l F^-2 d` and `f = k (1 + l F^-2)^-1 e`. That symmetric
//! positive definite tensor is the secant; for long `e` it approaches `F^2/|F e|`.

use super::curve::Curve;
use crate::linalg::Vec3;

/// Direction of friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Opposite to the sliding.
    Antiparallel,
    /// Direction of maximal dissipation: the sliding is normal to the bound.
    Associated,
}

/// Load-force curves at angles to the warp.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Curve along the warp, or in every direction if no other is given.
    pub warp: Curve,
    /// Curve against the warp, if different.
    pub against_warp: Option<Curve>,
    /// Curve along the weft, if different.
    pub weft: Option<Curve>,
    /// Curve against the weft, if different.
    pub against_weft: Option<Curve>,
    /// Curve at 45 degrees, if different from the mean of warp and weft.
    pub between: Option<Curve>,
}

/// Symmetric tensor by its elements 00, 01, 11.
type Tensor = [f64; 3];

impl Curves {
    /// Returns one curve for every direction.
    pub fn even(curve: Curve) -> Curves {
        Curves { warp: curve, against_warp: None, weft: None, against_weft: None, between: None }
    }

    /// Returns whether friction is equal in every direction.
    pub fn is_even(&self) -> bool {
        self.weft.is_none()
    }

    /// Returns whether friction against warp or weft differs from friction along it.
    pub fn is_one_way(&self) -> bool {
        self.against_warp.is_some() || self.against_weft.is_some()
    }

    /// Returns the coefficients `F/N` in warp and weft at a load, if the other surface slides in the direction `u`.
    pub fn tensor(&self, load: f64, u: [f64; 2]) -> Tensor {
        let warp = self.warp.coefficient(load);
        let Some(weft) = &self.weft else { return [warp, 0.0, warp] };
        let weft = weft.coefficient(load);
        let between = match &self.between {
            Some(between) => between.coefficient(load) - (warp + weft) / 2.0,
            None => 0.0,
        };
        let of = |against: &Option<Curve>, along: f64, u: f64| match against {
            Some(curve) if u < 0.0 => curve.coefficient(load),
            _ => along,
        };
        [of(&self.against_warp, warp, u[0]), between, of(&self.against_weft, weft, u[1])]
    }

    fn all(&self) -> impl Iterator<Item = &Curve> {
        let others = [&self.against_warp, &self.weft, &self.against_weft, &self.between];
        std::iter::once(&self.warp).chain(others.into_iter().flatten())
    }

    /// Iterates over force per load at each measured load of each curve.
    pub fn coefficients(&self) -> impl Iterator<Item = f64> {
        self.all().flat_map(|curve| curve.loads().iter().map(|load| curve.coefficient(*load)))
    }

    /// Finds a load at which the tensor is not positive definite in some quadrant. Friction would then drive some
    /// direction of sliding. Tests the measured loads and points between them.
    pub fn indefinite(&self) -> Option<f64> {
        let mut loads: Vec<f64> = self.all().flat_map(|c| c.loads()).copied().chain([0.0]).collect();
        loads.sort_by(f64::total_cmp);
        loads.dedup();
        let between = loads.windows(2).flat_map(|w| (0..16).map(|k| w[0] + (w[1] - w[0]) * f64::from(k) / 16.0));
        between.chain(loads.last().copied()).find(|load| {
            [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]].iter().any(|u| {
                let [a, b, c] = self.tensor(*load, *u);
                !(a > 0.0 && c > 0.0 && a * c > b * b)
            })
        })
    }
}

/// Measurement with one of the two surfaces as the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// Static friction: the peak at the start of sliding.
    pub peak: Curves,
    /// Kinetic friction: the plateau that follows.
    pub plateau: Curves,
}

/// Measured friction of two surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Direction of friction.
    pub flow: Flow,
    /// Area of the sled [m^2]. Curves are evaluated at a pressure times this area. If `None`, they are evaluated at the
    /// load of each contact, as in the paper; then a finer mesh has less load per contact.
    pub area: Option<f64>,
    /// Measurements by the warp of the first and of the second surface, at least one of them. With both, their mean
    /// acts.
    pub grounds: [Option<Ground>; 2],
}

/// Data of one contact for measured friction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rub {
    /// Index of the law.
    pub law: u32,
    /// Unit direction across the normal.
    pub axis: Vec3,
    /// Orientation of each surface of the law: two components of its warp in the axes `axis` and `normal x axis`, then
    /// the side of its weft. The warp is reversed for the surface that is pushed along the normal. The side is 1 if the
    /// weft is a quarter turn further about the normal than the warp, else -1.
    pub warps: [[f64; 3]; 2],
    /// Pressure that the surfaces bear here [Pa].
    pub pressure: f64,
    /// Pressure per force of the contact, if no other contact is near [1/m^2].
    pub spread: f64,
    /// Relative increase of both coefficients.
    pub rougher: f64,
}

/// Laws of measured friction, and their data for the contacts of a step.
#[derive(Clone, Copy, Debug)]
pub struct Rubs<'a> {
    /// Laws.
    pub laws: &'a [Measured],
    /// Data of the contacts with measured friction.
    pub rubs: &'a [Rub],
}

/// Secant of a bristle's force after the return to the friction bound: `even e + along (along.e)`, `e` across the
/// normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Secant {
    /// Whether the contact sticks.
    pub holds: bool,
    /// Isotropic part.
    pub even: f64,
    /// Vector whose outer product with itself is the additional part in one direction.
    pub along: Vec3,
}

impl Secant {
    /// Returns the force for `e` across the normal.
    pub fn force(&self, e: &Vec3) -> Vec3 {
        e * self.even + self.along * self.along.dot(e)
    }
}

impl Measured {
    /// Returns whether friction is equal in every direction.
    pub fn is_even(&self) -> bool {
        self.grounds.iter().flatten().all(|g| g.peak.is_even() && g.plateau.is_even())
    }

    /// Returns the coefficients in the axes of a contact. `e` is the displacement of the surface pushed along the
    /// normal.
    fn tensor(&self, rub: &Rub, load: f64, holds: bool, e: [f64; 2]) -> Tensor {
        let (mut sum, mut count) = ([0.0; 3], 0.0);
        for (ground, [c, s, h]) in self.grounds.iter().zip(rub.warps) {
            let Some(ground) = ground else { continue };
            let curves = if holds { &ground.peak } else { &ground.plateau };
            let [f00, f01, f11] = curves.tensor(load, [c * e[0] + s * e[1], h * (c * e[1] - s * e[0])]);
            count += 1.0;
            if curves.is_even() {
                sum[0] += f00;
                sum[2] += f11;
                continue;
            }
            let mixed = 2.0 * h * c * s * f01;
            sum[0] += c * c * f00 - mixed + s * s * f11;
            sum[1] += c * s * (f00 - f11) + h * (c * c - s * s) * f01;
            sum[2] += s * s * f00 + mixed + c * c * f11;
        }
        sum.map(|f| f / count)
    }

    /// Returns the secant of the bristle `e` across `normal`, of stiffness `k`, under the normal force `pressing` [N].
    /// The bristle sticks within the peak, or within the plateau if it was `sliding`. Otherwise its force is returned
    /// to the plateau.
    pub fn secant(&self, rub: &Rub, normal: &Vec3, pressing: f64, e: &Vec3, k: f64, sliding: bool) -> Secant {
        let load = match self.area {
            Some(area) => rub.pressure.max(pressing * rub.spread) * area,
            None => pressing,
        };
        let bears = pressing * (1.0 + rub.rougher);
        if self.is_even() {
            return self.even(load, bears, e.norm(), k, sliding);
        }
        let second = normal.cross(&rub.axis);
        let e = [rub.axis.dot(e), second.dot(e)];
        let bound = |holds: bool| self.tensor(rub, load, holds, e).map(|f| f * bears);
        let holds = self.returned(&bound(!sliding), k, e).is_none();
        let slides = if holds { None } else { self.returned(&bound(false), k, e) };
        match slides {
            None => Secant { holds, even: k, along: Vec3::zeros() },
            Some((even, [x, y])) => Secant { holds, even, along: rub.axis * x + second * y },
        }
    }

    /// Evaluates [`Measured::secant`] if friction is equal in every direction.
    fn even(&self, load: f64, pressing: f64, length: f64, k: f64, sliding: bool) -> Secant {
        let bound = |holds: bool| {
            let grounds = self.grounds.iter().flatten();
            let of = |g: &Ground| if holds { g.peak.warp.coefficient(load) } else { g.plateau.warp.coefficient(load) };
            let count = grounds.clone().count() as f64;
            grounds.map(of).sum::<f64>() / count * pressing
        };
        let within = |bound: f64| k * length <= bound;
        let holds = within(bound(!sliding));
        let slides = bound(false);
        let even = if holds || within(slides) { k } else { slides / length };
        Secant { holds, even, along: Vec3::zeros() }
    }

    /// Returns the secant that brings `k e` to the bound `f` [N]; `None` if the force is within the bound.
    fn returned(&self, f: &Tensor, k: f64, e: [f64; 2]) -> Option<(f64, [f64; 2])> {
        let square = e[0] * e[0] + e[1] * e[1];
        if self.flow == Flow::Antiparallel {
            let bound = (f[0] * e[0] * e[0] + 2.0 * f[1] * e[0] * e[1] + f[2] * e[1] * e[1]).max(0.0);
            // The force is k |e|, the bound is u.F u.
            let length = square.sqrt();
            return (k * length * square > bound).then(|| (bound / (length * square), [0.0; 2]));
        }
        nearest(f, k, e)
    }
}

/// Returns the secant `k (1 + l F^-2)^-1`, which moves the force `k e` to the nearest point of the ellipse
/// `f.F^-2 f = 1`. The result is the lesser eigenvalue, and the excess of the other as a vector; `None` if the force is
/// within the ellipse.
fn nearest(f: &Tensor, k: f64, e: [f64; 2]) -> Option<(f64, [f64; 2])> {
    // Half axes and their directions, the longer first.
    let (mean, half) = ((f[0] + f[2]) / 2.0, (f[0] - f[2]) / 2.0);
    let radius = half.hypot(f[1]);
    // The direction of the longer axis has twice its angle along (half, f01).
    let u = match radius {
        0.0 => [1.0, 0.0],
        _ if half >= 0.0 => normalized([radius + half, f[1]]),
        _ => normalized([f[1].abs(), (radius - half) * f[1].signum()]),
    };
    let squares = [mean + radius, (mean - radius).max(1e-6 * mean)].map(|a| a * a);
    if squares[0] == 0.0 {
        return Some((0.0, [0.0; 2]));
    }
    let forces = [u[0] * e[0] + u[1] * e[1], u[0] * e[1] - u[1] * e[0]].map(|e| k * e);
    let inside = |l: f64| {
        let part = |k: usize| forces[k] * forces[k] * squares[k] / (squares[k] + l).powi(2);
        part(0) + part(1)
    };
    if forces == [0.0; 2] || inside(0.0) <= 1.0 {
        return None;
    }
    // 1/sqrt(inside) is concave and nearly straight. Newton's steps come from the left and are few (More & Sorensen
    // 1983). The initial value is a lower bound of the multiplier, with the longer half axis in both denominators.
    let most = (forces[0] * forces[0] * squares[0] + forces[1] * forces[1] * squares[1]).sqrt();
    let mut l = (most - squares[0]).max(0.0);
    for _ in 0..50 {
        let value = inside(l);
        let part = |k: usize| forces[k] * forces[k] * squares[k] / (squares[k] + l).powi(3);
        let step = value * (value.sqrt() - 1.0) / (part(0) + part(1));
        l += step;
        if step.abs() <= 1e-14 * (l + squares[0]) {
            break;
        }
    }
    let [more, less] = squares.map(|a| k * a / (a + l));
    let root = (more - less).max(0.0).sqrt();
    Some((less, u.map(|u| u * root)))
}

fn normalized([x, y]: [f64; 2]) -> [f64; 2] {
    let length = x.hypot(y);
    [x / length, y / length]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(warp: f64, weft: f64, between: f64) -> Curves {
        Curves {
            warp: Curve::constant(warp),
            against_warp: None,
            weft: Some(Curve::constant(weft)),
            against_weft: None,
            between: Some(Curve::constant(between)),
        }
    }

    fn law(flow: Flow, curves: Curves) -> Measured {
        let ground = Ground { peak: curves.clone(), plateau: curves };
        Measured { flow, area: None, grounds: [Some(ground), None] }
    }

    /// Pushed surface: its warp is reversed.
    fn rub(angle: f64) -> Rub {
        let warp = [-angle.cos(), -angle.sin(), 1.0];
        Rub { axis: Vec3::x(), warps: [warp, [1.0, 0.0, 1.0]], ..Rub::default() }
    }

    fn vector(angle: f64) -> Vec3 {
        Vec3::new(angle.cos(), 0.0, -angle.sin())
    }

    /// The normal is along y and `normal x axis` is -z, so angles run from x to -z.
    fn force(law: &Measured, angle: f64, pressing: f64, e: &Vec3, k: f64) -> Secant {
        law.secant(&rub(angle), &Vec3::y(), pressing, e, k, true)
    }

    /// Sliding at 0, 45 and 90 degrees to the warp meets `F0`, `F45` and `F90`, for every direction of the warp.
    #[test]
    fn the_tensor_meets_its_curves() {
        let (warp, weft, between) = (0.2, 0.5, 0.4);
        let antiparallel = law(Flow::Antiparallel, linear(warp, weft, between));
        for angle in [0.0f64, 0.4, 2.0] {
            for (to_warp, wanted) in [(0.0, warp), (45.0, between), (90.0, weft), (180.0, warp), (225.0, between)] {
                let u = vector(angle + f64::to_radians(to_warp));
                let found = force(&antiparallel, angle, 2.0, &u, 1e3).force(&u);
                assert!((found - u * (2.0 * wanted)).norm() < 1e-12, "{angle} {to_warp}: {found}");
            }
        }
    }

    /// The associated law brings a bristle to the ellipse, along its normal, and never increases its force.
    #[test]
    fn the_associated_law_is_the_nearest_point_of_its_ellipse() {
        let [f00, f01, f11] = [0.3, 0.07, 0.8];
        let associated = law(Flow::Associated, linear(f00, f11, f01 + (f00 + f11) / 2.0));
        let k = 50.0;
        let inverse = inverse_of([f00, f01, f11]);
        for n in 0..360 {
            for size in [0.001, 0.0166, 0.02, 0.1, 100.0] {
                let angle = f64::from(n).to_radians();
                let e = vector(angle) * size;
                let secant = force(&associated, 0.0, 1.0, &e, k);
                let f = secant.force(&e);
                let apply = |m: [f64; 3], v: [f64; 2]| [m[0] * v[0] + m[1] * v[1], m[1] * v[0] + m[2] * v[1]];
                let plane = |v: &Vec3| [v.x, -v.z];
                let half = apply(inverse, plane(&f));
                let on = half[0].hypot(half[1]);
                if secant.holds {
                    assert!(f == e * k && on <= 1.0 + 1e-12);
                    continue;
                }
                assert!((on - 1.0).abs() < 1e-10, "{n} {size}: {on}");
                let (slip, normal) = (plane(&(e - f / k)), apply(inverse, half));
                let sine =
                    (slip[0] * normal[1] - slip[1] * normal[0]) / (slip[0].hypot(slip[1]) * normal[0].hypot(normal[1]));
                assert!(sine.abs() < 1e-9 && slip[0] * normal[0] + slip[1] * normal[1] > 0.0, "{n} {size}: {sine}");
                assert!(secant.even > 0.0 && secant.even + secant.along.norm_squared() <= k * (1.0 + 1e-12));
            }
        }
    }

    fn inverse_of([a, b, c]: [f64; 3]) -> [f64; 3] {
        let det = a * c - b * b;
        [c / det, -b / det, a / det]
    }

    /// In steady sliding by `v` the associated force is the gradient of the dissipation `|F v|`, which is convex: its
    /// tangent at one velocity is nowhere above the value at another. One-way curves and two grounds are included.
    #[test]
    fn the_associated_force_is_the_slope_of_a_convex_dissipation() {
        let mut one_way = linear(0.3, 0.6, 0.0);
        (one_way.between, one_way.against_warp) = (None, Some(Curve::constant(0.9)));
        let mut both = law(Flow::Associated, linear(0.3, 0.8, 0.6));
        both.grounds[1] = both.grounds[0].clone();
        for law in [law(Flow::Associated, one_way), both, law(Flow::Associated, linear(0.3, 0.8, 0.6))] {
            let slide = 1e6;
            // For bristles far beyond the bound, the force times the sliding is the dissipation.
            let f = |v: &Vec3| force(&law, 0.3, 1.0, &(v * slide), 1.0).force(&(v * slide));
            let dissipation = |v: &Vec3| f(v).dot(v);
            for n in 0..72 {
                let v = vector(f64::from(n).to_radians() * 5.0 + 0.01) * 1.3;
                let d = 1e-4;
                for along in [Vec3::x(), Vec3::z()] {
                    let slope = (dissipation(&(v + along * d)) - dissipation(&(v - along * d))) / (2.0 * d);
                    assert!((slope - f(&v).dot(&along)).abs() < 1e-5, "{n}: {slope} {}", f(&v).dot(&along));
                }
                for m in 0..72 {
                    let w = vector(f64::from(m).to_radians() * 5.0);
                    assert!(dissipation(&w) >= f(&v).dot(&w) - 1e-5, "{n} {m}");
                }
            }
        }
    }

    /// If all directions are equal, both laws are Coulomb's. Isotropic curves agree to the last bit, tensors to
    /// rounding.
    #[test]
    fn alike_in_all_directions_it_is_coulombs_law() {
        let (mu, k) = (0.3, 123.0);
        for n in 0..1000 {
            let t = f64::from(n);
            let e = vector(t) * 1e-3 * (1.0 + (7.0 * t).sin());
            let pressing = 0.2 * (1.0 + (3.0 * t).cos());
            let (bound, length) = (mu * pressing, e.norm());
            let wanted = if k * length <= bound { k } else { bound / length };
            for flow in [Flow::Antiparallel, Flow::Associated] {
                let even = law(flow, Curves::even(Curve::constant(mu)));
                let found = force(&even, t, pressing, &e, k);
                assert_eq!((found.even, found.along, found.holds), (wanted, Vec3::zeros(), wanted == k));
                let tensor = law(flow, linear(mu, mu, mu));
                let found = force(&tensor, t, pressing, &e, k);
                assert!((found.force(&e) - e * wanted).norm() < 1e-12 * k * length, "{n}");
            }
        }
    }

    /// Sliding against the pile meets one curve, sliding with it the other. Across the pile the change has no jump.
    #[test]
    fn a_pile_is_smooth_in_one_direction_and_rough_in_the_other() {
        let mut curves = linear(0.2, 0.4, 0.3);
        curves.against_warp = Some(Curve::constant(0.7));
        let pile = law(Flow::Antiparallel, curves);
        let of = |angle: f64, surface: usize| {
            let mut pile = pile.clone();
            pile.grounds.swap(0, surface);
            let e = vector(angle);
            let mut rub = rub(0.0);
            rub.warps.swap(0, surface);
            pile.secant(&rub, &Vec3::y(), 1.0, &e, 1e3, true).force(&e).dot(&e)
        };
        for surface in [0, 1] {
            // If the pushed surface goes along its warp, the other surface goes against that warp.
            assert!((of(0.0, surface) - 0.7).abs() < 1e-12 && (of(std::f64::consts::PI, surface) - 0.2).abs() < 1e-12);
            let [before, after] = [-1e-9, 1e-9].map(|d| of(std::f64::consts::FRAC_PI_2 + d, surface));
            assert!((before - 0.4).abs() < 1e-12 && (after - 0.4).abs() < 1e-12, "{before} {after}");
        }
    }

    #[test]
    fn what_would_drive_is_found() {
        assert_eq!(linear(0.3, 0.3, 0.5).indefinite(), None);
        assert!(linear(0.3, 0.3, 0.61).indefinite().is_some());
        let mut crossing = linear(0.3, 0.3, 0.3);
        crossing.between = Some(Curve::new([[1.0, 0.3], [2.0, 2.0]]));
        assert!(crossing.indefinite().is_some_and(|load| load > 1.0));
    }
}
