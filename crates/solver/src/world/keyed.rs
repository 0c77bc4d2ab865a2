//! Factors that change in time: linear between keys, constant before the first and after the last. [`Table`] has those
//! of a world, and [`Scales`] what becomes of them at the vertices in a step.
//!
//! A factor is a function of time alone, so that a state needs none of it.

use super::{State, World};

/// Factor by keys. Two keys at one time are a jump.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keyed {
    /// Times after the start of the run, ascending [s].
    pub times: Vec<f64>,
    /// Factor at each time.
    pub factors: Vec<f64>,
}

/// Tolerance of times [s].
const SAME: f64 = 1e-9;

/// Time in which a change grows, linearly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ramp {
    /// Start, after the start of the run [s].
    pub from: f64,
    /// Duration [s].
    pub over: f64,
}

impl Ramp {
    /// Returns the part of the change that has taken place at a time.
    pub fn part(&self, time: f64) -> f64 {
        if time <= self.from { 0.0 } else { ((time - self.from) / self.over.max(f64::MIN_POSITIVE)).min(1.0) }
    }

    /// Returns a factor at a time.
    pub fn factor(&self, whole: f64, time: f64) -> f64 {
        1.0 + (whole - 1.0) * self.part(time)
    }
}

impl Keyed {
    /// Returns the factor at a time; 1 without keys. A jump has its later value.
    pub fn at(&self, t: f64) -> f64 {
        let next = self.times.partition_point(|time| *time <= t);
        match (next.checked_sub(1), self.times.get(next)) {
            (None, None) => 1.0,
            (None, Some(_)) => self.factors[0],
            (Some(k), None) => self.factors[k],
            (Some(k), Some(end)) => {
                let part = (t - self.times[k]) / (end - self.times[k]);
                self.factors[k] + (self.factors[next] - self.factors[k]) * part
            }
        }
    }

    /// Returns the mean factor between two times. Forces by it give the momentum of the exact ones.
    pub fn mean(&self, from: f64, until: f64) -> f64 {
        let inside = self.times.iter().copied().filter(|t| *t > from && *t < until);
        let mut times: Vec<f64> = [from].into_iter().chain(inside).chain([until]).collect();
        times.dedup();
        // The factor is linear in each part, so that the value at its middle is its mean.
        let parts = times.windows(2).map(|part| self.at(0.5 * (part[0] + part[1])) * (part[1] - part[0]));
        if until > from { parts.sum::<f64>() / (until - from) } else { self.at(until) }
    }

    /// Returns the factor for a step: that of its end, which the scheme takes. A step with a jump inside has the mean.
    pub fn of_step(&self, from: f64, until: f64) -> f64 {
        let jump = self.times.windows(2).find(|pair| pair[0] == pair[1] && pair[0] > from && pair[0] < until);
        let next = self.times.partition_point(|time| *time < until);
        match (jump, next.checked_sub(1), self.times.get(next)) {
            (Some(_), ..) => self.mean(from, until),
            // A jump at the end belongs to the next step.
            (None, Some(k), Some(end)) => {
                let part = (until - self.times[k]) / (end - self.times[k]);
                self.factors[k] + (self.factors[next] - self.factors[k]) * part
            }
            (None, None, Some(_)) => self.factors[0],
            _ => self.at(until),
        }
    }

    /// Returns whether the factor jumps at a time.
    pub fn jumps(&self, t: f64) -> bool {
        self.times.windows(2).any(|pair| pair[0] == pair[1] && (pair[0] - t).abs() < SAME)
    }
}

/// Quantity that a factor scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Gravity of the scene.
    Gravity,
    /// Velocity and gusts of the wind.
    Wind,
    /// Excess pressure that balloons hold.
    Pressure,
    /// In-plane stiffness of cloths.
    Stretch,
    /// Bending stiffness of cloths.
    Bend,
    /// Friction of cloths.
    Friction,
    /// Air drag of cloths.
    Drag,
    /// Part of the change of rest lengths of cloths. The world is built by it.
    Shrink,
    /// Part of the rest angle of fold lines.
    Fold,
}

/// Quantity that a factor scales, as scenes have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Quantity.
    pub of: Of,
    /// Word for it.
    pub word: &'static str,
    /// Description, one sentence.
    pub sentence: &'static str,
    /// Least and largest factor.
    pub range: [f64; 2],
    /// Whether each cloth has its own.
    pub by_cloth: bool,
}

/// All quantities, in the order of their codes in checkpoints.
pub const QUANTITIES: [Quantity; 9] = {
    let scene = Quantity { of: Of::Gravity, word: "", sentence: "", range: [-1e6, 1e6], by_cloth: false };
    let cloth = Quantity { range: [0.0, 1e6], by_cloth: true, ..scene };
    [
        Quantity { of: Of::Gravity, word: "gravity", sentence: "Gravity of the scene.", ..scene },
        Quantity { of: Of::Wind, word: "wind", sentence: "Velocity and gusts of `[wind]`.", ..scene },
        Quantity {
            of: Of::Pressure,
            word: "pressure",
            sentence: "Pressure that balloons hold above that of the atmosphere.",
            ..cloth
        },
        Quantity {
            of: Of::Stretch,
            word: "stretch",
            sentence: "In-plane stiffness of cloths, and their damping with it.",
            ..cloth
        },
        Quantity {
            of: Of::Bend,
            word: "bend",
            sentence: "Bending stiffness of cloths, and its damping with it.",
            ..cloth
        },
        Quantity { of: Of::Friction, word: "friction", sentence: "Friction of cloths.", ..cloth },
        Quantity { of: Of::Drag, word: "drag", sentence: "Air drag of cloths.", ..cloth },
        Quantity {
            of: Of::Shrink,
            word: "shrink",
            sentence: "Part of the change by `[[cloth.shrink]]` that has taken place, in place of its `from` and `over`.",
            range: [0.0, 1.0],
            ..cloth
        },
        Quantity {
            of: Of::Fold,
            word: "fold",
            sentence: "Part of the angles of `[[cloth.fold]]`, in place of their `from` and `over`.",
            range: [0.0, 1.0],
            ..cloth
        },
    ]
};

impl Of {
    /// Returns the row of the table of quantities.
    pub fn row(self) -> &'static Quantity {
        &QUANTITIES[self as usize]
    }

    /// Returns the quantity of a word.
    pub fn named(word: &str) -> Option<Of> {
        QUANTITIES.iter().find(|quantity| quantity.word == word).map(|quantity| quantity.of)
    }
}

/// Factor of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Quantity.
    pub of: Of,
    /// Objects that have it; `None` for all.
    pub objects: Option<Vec<usize>>,
    /// Factor.
    pub factor: Keyed,
}

/// Factors of a world. The first row of a quantity and an object counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table(pub Vec<Row>);

impl Table {
    /// Returns the factor of a quantity; of an object, or of the scene as a whole.
    pub fn get(&self, of: Of, object: Option<usize>) -> Option<&Keyed> {
        let has = |row: &&Row| match (&row.objects, object) {
            (Some(own), Some(object)) => own.contains(&object),
            (own, _) => own.is_none(),
        };
        self.0.iter().filter(|row| row.of == of).find(has).map(|row| &row.factor)
    }

    /// Returns the factor for a step between two times; 1 without a row.
    pub fn of_step(&self, of: Of, object: Option<usize>, [from, until]: [f64; 2]) -> f64 {
        self.get(of, object).map_or(1.0, |factor| factor.of_step(from, until))
    }

    /// Returns whether any factor jumps at a time.
    pub fn jumps(&self, t: f64) -> bool {
        self.0.iter().any(|row| row.factor.jumps(t))
    }

    /// Returns whether a quantity has a factor anywhere.
    fn has(&self, of: Of) -> bool {
        self.0.iter().any(|row| row.of == of)
    }
}

/// Factors at each moving vertex. Each list is empty where all of its factors are 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scales {
    /// Factors of the in-plane stiffness and of the bending stiffness.
    pub stiffness: [Vec<f64>; 2],
    /// Factors of friction.
    pub friction: Vec<f64>,
    /// Factors of the air drag.
    pub drag: Vec<f64>,
}

impl Scales {
    /// Returns all lists, with the quantity of each.
    fn lists(&mut self) -> [(Of, &mut Vec<f64>); 4] {
        let Scales { stiffness: [stretch, bend], friction, drag } = self;
        [(Of::Stretch, stretch), (Of::Bend, bend), (Of::Friction, friction), (Of::Drag, drag)]
    }
}

impl World {
    /// Sets the factors of all quantities.
    pub fn key(&mut self, table: Table) {
        self.wind.factor = table.get(Of::Wind, None).cloned().unwrap_or_default();
        self.keyed = table;
    }

    /// Computes the factors at vertices for a step between two times: those of maps times those of keys.
    pub fn scale(&self, times: [f64; 2], out: &mut Scales) {
        out.clone_from(&self.painted);
        for (of, list) in out.lists().into_iter().filter(|(of, _)| self.keyed.has(*of)) {
            list.resize(self.moving, 1.0);
            for object in self.cloths.iter().map(|cloth| cloth.object) {
                let factor = self.keyed.of_step(of, Some(object), times);
                list[self.objects[object].vertices.clone()].iter_mut().for_each(|own| *own *= factor);
            }
        }
    }

    /// Computes the factors at vertices with which the last step ended.
    pub fn scales(&self, state: &State) -> Scales {
        let mut scales = Scales::default();
        self.scale([state.time; 2], &mut scales);
        scales
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Keyed {
        Keyed { times: vec![1.0, 2.0, 2.0, 4.0], factors: vec![1.0, 3.0, -1.0, 0.0] }
    }

    #[test]
    fn rows_are_in_the_order_of_their_quantities() {
        for quantity in &QUANTITIES {
            assert!(quantity.of.row() == quantity && Of::named(quantity.word) == Some(quantity.of));
        }
        assert_eq!(Of::named("rain"), None);
    }

    /// The first row of an object counts; one of the whole scene is that of each object.
    #[test]
    fn the_first_row_of_an_object_counts() {
        let row = |of, objects: Option<&[usize]>, factor: f64| Row {
            of,
            objects: objects.map(<[usize]>::to_vec),
            factor: Keyed { times: vec![0.0], factors: vec![factor] },
        };
        let rows = vec![row(Of::Bend, Some(&[1]), 2.0), row(Of::Bend, None, 3.0), row(Of::Drag, Some(&[0]), 4.0)];
        let table = Table(rows);
        let of = |of, object| table.of_step(of, object, [0.0, 1.0]);
        assert_eq!([0, 1, 2].map(|object| of(Of::Bend, Some(object))), [3.0, 2.0, 3.0]);
        assert_eq!([0, 1].map(|object| of(Of::Drag, Some(object))), [4.0, 1.0]);
        assert_eq!((of(Of::Drag, None), of(Of::Gravity, None)), (1.0, 1.0));
    }

    #[test]
    fn factors_are_linear_between_keys() {
        let at = [0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0].map(|t| keys().at(t));
        assert_eq!(at, [1.0, 1.0, 2.0, -1.0, -0.5, 0.0, 0.0]);
        assert_eq!(Keyed::default().at(3.0), 1.0);
        assert!(keys().jumps(2.0) && !keys().jumps(1.0));
    }

    /// Means over parts add up to that of the whole, also across a jump.
    #[test]
    fn means_are_integrals() {
        // 1 to 2: 2; 2 to 4: -1/2 each second.
        assert!((keys().mean(1.0, 4.0) - (2.0 - 1.0) / 3.0).abs() < 1e-15);
        let split = (keys().mean(0.3, 1.9) * 1.6 + keys().mean(1.9, 3.1) * 1.2) / 2.8;
        assert!((keys().mean(0.3, 3.1) - split).abs() < 1e-15);
        assert_eq!(keys().mean(2.0, 2.0), -1.0);
        // The step from 1 to 2 ends before the jump, that from 1.5 to 2.5 has it inside.
        let of_step = [(0.0, 0.5), (1.0, 1.5), (1.0, 2.0), (2.0, 3.0), (5.0, 6.0)].map(|(a, b)| keys().of_step(a, b));
        assert_eq!(of_step, [1.0, 2.0, 3.0, -0.5, 0.0]);
        assert_eq!(keys().of_step(1.5, 2.5), keys().mean(1.5, 2.5));
        // A jump before which there is no key belongs to the next step too.
        let first = Keyed { times: vec![0.5, 0.5], factors: vec![1.0, 2.0] };
        assert_eq!([(0.0, 0.5), (0.5, 1.0)].map(|(a, b)| first.of_step(a, b)), [1.0, 2.0]);
    }
}
