//! Recorded mouse pointer that pulls a picked vertex of a cloth (Horiba et al. 2007, sections 3.1 and 5.1).
//!
//! The ray from the camera through the pointer crosses a cloth. The vertex nearest to its first crossing is picked. A
//! constant force acts on that vertex while the button is down. The paper has two directions: that of the ray
//! (section 3.1), or that of the pointer's last motion in the picture plane (section 5.1). A press that misses the
//! cloth has no effect.

use crate::linalg::Vec3;
use crate::world::{Object, World};

/// Tolerance of times in the record [s]. Steps end at frames, which rounding may shift.
const SAME: f64 = 1e-9;
/// Distance outside a triangle, relative to it, at which a ray still hits. A ray through an edge must not pass between
/// two triangles.
const EDGE: f64 = 1e-12;

/// Camera without motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// Position [m].
    pub position: Vec3,
    /// Unit vectors to the right, up and into the picture.
    pub axes: [Vec3; 3],
    /// Half of the width and height of the picture at distance 1.
    pub half: [f64; 2],
}

impl Eye {
    /// Returns the unit vector through a point of the picture, in 0 to 1 from its top left.
    pub fn ray(&self, [x, y]: [f64; 2]) -> Vec3 {
        (self.axes[2] + self.across([2.0 * x - 1.0, 2.0 * y - 1.0])).normalize()
    }

    /// Returns the vector in the picture plane at distance 1, for components right and down in halves of the picture.
    fn across(&self, [right, down]: [f64; 2]) -> Vec3 {
        self.axes[0] * (right * self.half[0]) - self.axes[1] * (down * self.half[1])
    }
}

/// Sample of the pointer's record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Time [s].
    pub time: f64,
    /// Point of the picture, 0 to 1 from its top left. Interpolated linearly to the next sample.
    pub at: [f64; 2],
    /// True if the button is down from here until the next sample.
    pub down: bool,
}

impl Moment {
    /// Returns the sample as numbers: time [s], point of the picture, 1 while the button is down.
    pub fn numbers(&self) -> [f64; 4] {
        [self.time, self.at[0], self.at[1], f64::from(u8::from(self.down))]
    }

    /// Returns the sample of numbers.
    pub fn of([time, x, y, down]: [f64; 4]) -> Moment {
        Moment { time, at: [x, y], down: down == 1.0 }
    }
}

/// Direction of a pointer's force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Along the ray, away from the camera.
    Ray,
    /// Direction of the pointer's last motion since it was pressed. Zero before any motion.
    Motion,
}

/// Pointer that picks vertices of a cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// Index of the cloth's object.
    pub object: usize,
    /// Camera of the pointer.
    pub eye: Eye,
    /// Samples with ascending times. The last one is held.
    pub moments: Vec<Moment>,
    /// Size of its force [N].
    pub force: f64,
    /// Direction of its force.
    pub aim: Aim,
}

/// State of a pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grip {
    /// Index of the sample at which it was pressed. `None` while the button is up.
    pub press: Option<u32>,
    /// Picked vertex. `None` if the ray missed the cloth.
    pub vertex: Option<u32>,
}

impl Grip {
    /// Checks whether the pointer is pressed without a vertex.
    pub fn misses(&self) -> bool {
        self.press.is_some() && self.vertex.is_none()
    }
}

impl Pick {
    /// Returns the index of the sample at which the present press began.
    fn press(&self, t: f64) -> Option<u32> {
        let begun = self.moments.partition_point(|moment| moment.time <= t + SAME);
        let held = self.moments.iter().take(begun).rev().take_while(|moment| moment.down).count();
        (held > 0).then(|| (begun - held) as u32)
    }

    /// Replaces what follows a time: the button is as in the next sample from then on, and the way there is straight.
    pub fn turn(&mut self, now: f64, next: Moment) {
        let here = Moment { time: now, at: self.at(now), down: next.down };
        self.moments.retain(|moment| moment.time <= now + SAME);
        match self.moments.last_mut().filter(|last| last.time >= now - SAME) {
            Some(last) => last.down = next.down,
            None => self.moments.push(here),
        }
        self.moments.push(next);
    }

    /// Returns the point of the picture at a time.
    pub fn at(&self, t: f64) -> [f64; 2] {
        let next = self.moments.partition_point(|moment| moment.time <= t);
        match (next.checked_sub(1).and_then(|k| self.moments.get(k)), self.moments.get(next)) {
            (Some(a), Some(b)) => {
                let part = (t - a.time) / (b.time - a.time);
                [0, 1].map(|k| a.at[k] + (b.at[k] - a.at[k]) * part)
            }
            (Some(only), None) | (None, Some(only)) => only.at,
            (None, None) => [0.5; 2],
        }
    }

    /// Returns the force at a time for a press that began at sample `press` [N].
    pub fn force(&self, t: f64, press: u32) -> Vec3 {
        self.force
            * match self.aim {
                Aim::Ray => self.eye.ray(self.at(t)),
                Aim::Motion => self.motion(t, press as usize),
            }
    }

    /// Returns the direction of the last motion before a time, since a press.
    fn motion(&self, t: f64, press: usize) -> Vec3 {
        let begun = self.moments.partition_point(|moment| moment.time < t - SAME);
        let ways = self.moments.windows(2).take(begun).skip(press).rev();
        let ways =
            ways.filter_map(|pair| if let [a, b] = pair { Some([0, 1].map(|k| b.at[k] - a.at[k])) } else { None });
        let last = ways.map(|way| self.eye.across(way)).find(|way| *way != Vec3::zeros());
        last.map_or(Vec3::zeros(), |way| way.normalize())
    }

    /// Returns the state at time `t` of prescribed motion, with vertices at `x` [m], from the state `before`.
    pub fn grip(&self, world: &World, x: &[Vec3], t: f64, before: Grip) -> Grip {
        let press = self.press(t);
        if press == before.press {
            return before;
        }
        Grip { press, vertex: press.and_then(|_| self.pick(world.objects.get(self.object)?, x, t)) }
    }

    /// Returns the cloth vertex nearest to the first crossing of the pointer's ray.
    fn pick(&self, object: &Object, x: &[Vec3], t: f64) -> Option<u32> {
        let ray = self.eye.ray(self.at(t));
        let corner = |v: u32| x[object.place[v as usize] as usize];
        let distances = object.triangles.iter().filter_map(|t| meets(&self.eye.position, &ray, &t.map(corner)));
        let nearest = distances.min_by(f64::total_cmp)?;
        let crossing = self.eye.position + ray * nearest;
        let corners = object.triangles.iter().flatten().map(|v| object.place[*v as usize]);
        let away = |v: u32| (x[v as usize] - crossing).norm_squared();
        corners.min_by(|a, b| away(*a).total_cmp(&away(*b)).then(a.cmp(b)))
    }
}

/// Returns the distance at which a ray of unit length hits a triangle, from either side (Moeller & Trumbore 1997).
fn meets(from: &Vec3, ray: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<f64> {
    let (ab, ac, away) = (b - a, c - a, from - a);
    let normal = ray.cross(&ac);
    let volume = ab.dot(&normal);
    if volume == 0.0 {
        return None;
    }
    let other = away.cross(&ab);
    let (u, v, distance) = (away.dot(&normal) / volume, ray.dot(&other) / volume, ac.dot(&other) / volume);
    (u >= -EDGE && v >= -EDGE && u + v <= 1.0 + EDGE && distance > 0.0).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(aim: Aim, moments: &[(f64, [f64; 2], bool)]) -> Pick {
        let eye = Eye { position: Vec3::z(), axes: [Vec3::x(), Vec3::y(), -Vec3::z()], half: [0.4, 0.3] };
        let moments = moments.iter().map(|(time, at, down)| Moment { time: *time, at: *at, down: *down }).collect();
        Pick { object: 0, eye, moments, force: 2.0, aim }
    }

    #[test]
    fn a_press_lasts_until_the_button_is_up() {
        let at = [0.5; 2];
        let pick =
            pointer(Aim::Ray, &[(1.0, at, false), (2.0, at, true), (3.0, at, true), (4.0, at, false), (5.0, at, true)]);
        let presses = [0.0, 1.5, 2.0 - 1e-12, 3.5, 4.0, 5.5].map(|t| pick.press(t));
        assert_eq!(presses, [None, None, Some(1), Some(1), None, Some(4)]);
    }

    /// The top left of the picture is left and up; the middle is straight ahead.
    #[test]
    fn rays_go_through_the_picture() {
        let eye = pointer(Aim::Ray, &[]).eye;
        let corner = eye.ray([0.0, 0.0]);
        assert!((corner / -corner.z - Vec3::new(-0.4, 0.3, -1.0)).norm() < 1e-15);
        assert_eq!(eye.ray([0.5, 0.5]), -Vec3::z());
        let right = eye.ray([0.75, 1.0]);
        assert!((right / -right.z - Vec3::new(0.2, -0.3, -1.0)).norm() < 1e-15);
    }

    #[test]
    fn the_force_is_constant_along_the_ray_or_the_last_motion() {
        let way =
            [(0.0, [0.5, 0.5], true), (1.0, [0.5, 0.5], true), (2.0, [0.75, 0.5], true), (3.0, [0.75, 0.5], true)];
        let ray = pointer(Aim::Ray, &way);
        assert_eq!((ray.at(1.5), ray.at(-1.0), ray.at(9.0)), ([0.625, 0.5], [0.5; 2], [0.75, 0.5]));
        let force = ray.force(1.5, 0);
        assert!((force.norm() - 2.0).abs() < 1e-15 && (force.x / -force.z - 0.1).abs() < 1e-15);
        let motion = pointer(Aim::Motion, &way);
        assert_eq!([0.5, 1.0].map(|t| motion.force(t, 0)), [Vec3::zeros(); 2]);
        assert_eq!([1.5, 2.5, 9.0].map(|t| motion.force(t, 0)), [Vec3::x() * 2.0; 3]);
        // Motion before the press does not count.
        assert_eq!(motion.force(2.5, 2), Vec3::zeros());
        let down = pointer(Aim::Motion, &[(0.0, [0.5, 0.2], true), (1.0, [0.5, 0.3], true)]);
        assert_eq!(down.force(0.5, 0), -Vec3::y() * 2.0);
    }

    /// A pointer that is set frame by frame has the record of a file with the same rows.
    #[test]
    fn a_pointer_that_is_turned_has_the_rows_of_a_file() {
        let rows =
            [(0.0, [0.5, 0.5], false), (1.0, [0.5, 0.25], true), (2.0, [0.75, 0.5], true), (3.0, [0.5, 0.5], false)];
        let file = pointer(Aim::Ray, &rows);
        let mut turned = pointer(Aim::Ray, &[(0.0, [0.5, 0.5], false), (9.0, [0.0, 0.0], true)]);
        for [from, to] in [[0, 1], [1, 2], [2, 3]] {
            turned.turn(file.moments[from].time, Moment { down: rows[from].2, ..file.moments[to] });
        }
        turned.turn(3.0, Moment { time: 4.0, at: [0.5, 0.5], down: false });
        assert_eq!(turned.moments[..4], file.moments[..]);
        // Between two rows the place is kept, and the way goes on from there.
        turned.turn(3.5, Moment { time: 4.0, at: [1.0, 0.5], down: true });
        assert_eq!((turned.moments.len(), turned.at(3.75), turned.press(3.5)), (6, [0.75, 0.5], Some(4)));
        assert_eq!(Moment::of(turned.moments[4].numbers()), turned.moments[4]);
    }

    #[test]
    fn a_ray_meets_triangles_from_both_sides() {
        let triangle = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let from = Vec3::new(0.2, 0.2, 3.0);
        assert_eq!(meets(&from, &-Vec3::z(), &triangle), Some(3.0));
        assert_eq!(meets(&from, &-Vec3::z(), &[Vec3::zeros(), Vec3::y(), Vec3::x()]), Some(3.0));
        assert_eq!(meets(&from, &Vec3::z(), &triangle), None);
        assert_eq!(meets(&from, &Vec3::x(), &triangle), None);
        // Hits on an edge and on a corner.
        assert_eq!(meets(&Vec3::new(0.5, 0.5, 1.0), &-Vec3::z(), &triangle), Some(1.0));
        assert_eq!(meets(&Vec3::z(), &-Vec3::z(), &triangle), Some(1.0));
        assert_eq!(meets(&Vec3::new(0.6, 0.6, 1.0), &-Vec3::z(), &triangle), None);
    }
}
