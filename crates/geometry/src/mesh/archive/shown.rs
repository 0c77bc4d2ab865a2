//! Visibility over time. Each sample holds until the next, and the first one also before its time.

/// Piecewise constant visibility: ascending times [s], each with the value from then on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shown(Vec<(f64, bool)>);

impl Shown {
    /// Returns a visibility that never changes.
    pub(super) fn always(seen: bool) -> Shown {
        Shown(vec![(f64::NEG_INFINITY, seen)])
    }

    /// Makes a visibility of samples in ascending order of time. Without any, it is `seen`.
    pub(super) fn sampled(samples: impl IntoIterator<Item = (f64, bool)>, seen: bool) -> Shown {
        let mut all: Vec<(f64, bool)> = samples.into_iter().collect();
        all.dedup_by_key(|(_, seen)| *seen);
        match all.first_mut() {
            Some(first) => first.0 = f64::NEG_INFINITY,
            None => return Shown::always(seen),
        }
        Shown(all)
    }

    fn at(&self, time: f64) -> bool {
        self.0[self.0.partition_point(|(t, _)| *t <= time).max(1) - 1].1
    }

    /// Combines two visibilities by a function at all times.
    pub(super) fn with(&self, other: &Shown, both: impl Fn(bool, bool) -> bool) -> Shown {
        let mut times: Vec<f64> = self.0.iter().chain(&other.0).map(|(t, _)| *t).collect();
        times.sort_by(f64::total_cmp);
        Shown::sampled(times.into_iter().map(|t| (t, both(self.at(t), other.at(t)))), true)
    }

    /// Returns whether it is never visible.
    pub(super) fn never(&self) -> bool {
        !self.0.iter().any(|(_, seen)| *seen)
    }

    /// Returns the time at which it is first visible and the time from which it stays hidden, infinite where there is
    /// none. It may be hidden in between.
    pub(super) fn window(&self) -> [f64; 2] {
        let seen = |(_, seen): &(f64, bool)| *seen;
        let Some(first) = self.0.iter().position(seen) else { return [f64::INFINITY; 2] };
        let last = self.0.iter().rposition(seen).unwrap_or(first);
        [self.0[first].0, self.0.get(last + 1).map_or(f64::INFINITY, |(t, _)| *t)]
    }

    /// Returns whether it is hidden between two visible times.
    pub(super) fn blinks(&self) -> bool {
        self.0.iter().filter(|(_, seen)| *seen).count() > 1
    }
}

/// Computes the common window of objects that are joined: from the first to the last time at which any is visible. Also
/// returns the paths of the objects whose own visibility differs from it.
pub(super) fn together<'a>(all: impl Iterator<Item = (&'a String, &'a Shown)> + Clone) -> ([f64; 2], Vec<&'a String>) {
    let any = all.clone().fold(Shown::always(false), |any, (_, own)| any.with(own, |a, b| a || b));
    let window = any.window();
    let otherwise = all.filter(|(_, own)| own.blinks() || own.window() != window).map(|(path, _)| path).collect();
    (window, otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sample_holds_before_it() {
        let shown = Shown::sampled([(1.0, false), (2.0, false), (3.0, true), (5.0, false)], true);
        assert_eq!([0.0, 2.9, 3.0, 4.9, 5.0].map(|t| shown.at(t)), [false, false, true, true, false]);
        assert_eq!((shown.window(), shown.blinks(), shown.never()), ([3.0, 5.0], false, false));
        assert!(Shown::sampled([(1.0, false), (3.0, false)], true).never());
        assert_eq!(Shown::sampled([], true).window(), [f64::NEG_INFINITY, f64::INFINITY]);
        assert_eq!(Shown::always(false).window(), [f64::INFINITY; 2]);
    }

    #[test]
    fn a_parent_hides_what_it_holds() {
        let [parent, own] = [[(0.0, true), (4.0, false)], [(0.0, false), (2.0, true)]].map(|s| Shown::sampled(s, true));
        let both = parent.with(&own, |a, b| a && b);
        assert_eq!(both.window(), [2.0, 4.0]);
    }

    #[test]
    fn things_of_one_window_are_there_in_it() {
        let names = ["a", "b", "c"].map(String::from);
        let pair =
            [Shown::sampled([(0.0, false), (2.0, true)], true), Shown::sampled([(0.0, false), (2.0, true)], true)];
        let of = |all: &[Shown]| {
            let (window, otherwise) = together(names.iter().zip(all));
            (window, otherwise.len())
        };
        assert_eq!(of(&pair), ([2.0, f64::INFINITY], 0));
        let [a, b] = pair;
        assert_eq!(of(&[a, b, Shown::always(true)]), ([f64::NEG_INFINITY, f64::INFINITY], 2));
    }
}
