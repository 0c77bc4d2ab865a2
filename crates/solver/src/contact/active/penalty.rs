//! Penalties: contacts that a solution closes too fast, and pairs that it leaves unproven, get a spring toward their
//! goal gap.

use super::super::element::Moment;
use super::super::feasible::{from_first, remember};
use super::super::impulse;
use super::ActiveSet;
use crate::collision::key::key;
use crate::force::contact::Share;
use crate::force::scheme::pick;
use crate::linalg::par;
use crate::world::step::Step;
use crate::world::{State, World};

/// Tolerance of a contact's goal gap, as a fraction of the activation distance.
const STRAY: f64 = 0.05;

impl ActiveSet {
    /// Adds a penalty to contacts that miss their goals by far, and linearises them again. Returns true if there are
    /// any.
    pub fn add_penalties(&mut self, world: &World, step: &Step) -> bool {
        let ActiveSet { contacts, frames, blows, setting, .. } = self;
        let missed = |blow: &impulse::Blow| blow.misses(&step.displacement, STRAY);
        if !par::any(blows, missed) {
            return false;
        }
        let rubs = frames.rubs(world);
        par::each_mut(contacts, |k, c| {
            if missed(&blows[k]) {
                c.add_penalty(setting, &rubs);
            }
        });
        true
    }

    /// Adds a penalty to pairs that the displacements leave unproven, and linearises them again. Pairs not yet in
    /// contact become contacts. Returns true if there are any.
    pub fn add_unproven_penalties(&mut self, world: &World, state: &State, step: &Step) -> bool {
        let setting = self.setting;
        let setting = &setting;
        self.prove(world, state, step, true);
        let at = Moment { world, state, step };
        let known = self.contacts.len();
        let mut any = false;
        for w in &self.unproven {
            match self.contacts[..known].binary_search_by_key(&key(w.pair, w.features), |c| c.key) {
                Ok(k) => {
                    any = true;
                    self.contacts[k].add_penalty(setting, &self.frames.rubs(world));
                }
                Err(_) => {
                    let separation = w.pair.separation(&pick(&state.x, &w.vertices));
                    let features = (w.pair, w.features);
                    let Some(found) = self.found(&at, features, &w.vertices, &separation, Share::WHOLE) else {
                        continue;
                    };
                    let mut contact = found.contact(world, step);
                    contact.kept = true;
                    let bristles = from_first(&state.bristles, contact.key, true);
                    contact.contact.bristle = remember(world, bristles, contact.key);
                    contact.free = (0..4).map(|k| step.predicted(w.vertices[k]) * contact.weights[k]).sum();
                    contact.contact.expected = contact.free;
                    if self.frames.acts() {
                        self.frames.add(world, &state.x, &mut contact, step);
                    }
                    contact.add_penalty(setting, &self.frames.rubs(world));
                    any = true;
                    self.contacts.push(contact);
                }
            }
        }
        if self.contacts.len() > known {
            merge(&mut self.contacts, known, |c| c.key);
        }
        any
    }
}

/// Merges items in order of their keys, which are unique. The first `sorted` are in order, and few follow.
fn merge<T: Copy>(items: &mut [T], sorted: usize, key: impl Fn(&T) -> u64) {
    let mut added = items[sorted..].to_vec();
    added.sort_unstable_by_key(&key);
    let (mut from, mut to) = (sorted, items.len());
    while let Some(last) = added.last() {
        to -= 1;
        if from > 0 && key(&items[from - 1]) > key(last) {
            from -= 1;
            items[to] = items[from];
        } else {
            items[to] = *last;
            added.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_merged() {
        for (known, added) in [(0, 0), (0, 5), (5, 0), (40, 1), (40, 7), (3, 60)] {
            // Keys in scattered order, of which the first `known` are sorted.
            let mut items: Vec<(u64, u64)> = (0..known + added).map(|k| (k * 71 % 127, k)).collect();
            items[..known as usize].sort_unstable();
            let mut wanted = items.clone();
            wanted.sort_unstable();
            merge(&mut items, known as usize, |item| item.0);
            assert_eq!(items, wanted);
        }
    }
}
