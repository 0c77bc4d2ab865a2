//! Quantities that are shown: those of the world, of laws and of effects, in the order of files.

use super::{air, airflow, pointer, water};
use crate::world::effect::Tally;
use crate::world::quantity::{Channel, INNER, PLAIN, of_laws};

/// Channels of cloths' vertices, in the order in which files have them.
pub fn channels() -> impl Iterator<Item = &'static Channel> {
    let own = [PLAIN, air::quantities::CHANNELS, INNER, water::quantities::CHANNELS];
    own.into_iter().flatten().chain(of_laws())
}

/// Numbers of a frame that effects tell.
pub fn tallies() -> impl Iterator<Item = &'static Tally> {
    let water = [&water::WATER, &water::JOINED, &water::DRIED, &water::BRIDGES, &water::ADHESION];
    let flow = [&airflow::SPEED, &airflow::ENERGY, &airflow::DRAINED, &airflow::ITERATIONS, &airflow::UNCONVERGED];
    water.into_iter().chain(flow).chain([&pointer::MISSED])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// No word stands twice, each has a sentence, and that of a channel says its unit.
    #[test]
    fn rows_are_told_apart() {
        let mut words = BTreeSet::new();
        for channel in channels() {
            assert!(words.insert(channel.word) && channel.sentence.ends_with('.'), "{}", channel.word);
            assert!(channel.unit.is_empty() || channel.sentence.contains(&format!("[{}]", channel.unit)));
        }
        let mut words = BTreeSet::new();
        for tally in tallies() {
            assert!(words.insert(tally.word) && tally.sentence.ends_with('.'), "{}", tally.word);
            assert!(tally.unit.is_empty() || tally.sentence.contains(&format!("[{}]", tally.unit)), "{}", tally.word);
        }
    }
}
