//! Quantities in files and pictures: those of the world, of laws and of effects, in the order of files.

use super::air::AirLayers;
use super::airflow::domain::Airflow;
use super::attach::Attaches;
use super::pointer::Pointers;
use super::seam::Seams;
use super::water::cloths::Wet;
use crate::world::effect::{Effect, Tally};
use crate::world::quantity::{Channel, INNER, PLAIN, of_laws};

/// Iterates over the channels of cloth vertices, in the order of files.
pub fn channels() -> impl Iterator<Item = &'static Channel> {
    [PLAIN, AirLayers::CHANNELS, INNER, Wet::CHANNELS].into_iter().flatten().chain(of_laws())
}

/// Iterates over the numbers of a frame that effects report.
pub fn tallies() -> impl Iterator<Item = &'static Tally> {
    [Wet::TALLIES, Airflow::TALLIES, Pointers::TALLIES, Seams::TALLIES, Attaches::TALLIES]
        .into_iter()
        .flatten()
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Words are unique, each has a sentence, and each sentence names the unit.
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
