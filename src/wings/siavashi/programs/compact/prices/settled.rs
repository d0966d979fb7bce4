//! What partial contents come to in the end: contents, and what seems to be worth more than it is.

use super::state::State;
use super::states::{Loose, States};
use std::cmp::Reverse;

impl States<'_> {
    /// The contents that are worth at least so much, and what seems to be worth most but is not.
    pub fn settled(
        &self,
        layers: &[Vec<State>],
        least: i64,
        caps: &[u32],
    ) -> (Vec<(i64, Vec<u32>)>, Option<Loose>) {
        let mut contents: Vec<(i64, Vec<u32>)> = Vec::new();
        let mut loose: Option<(i64, Vec<u32>)> = None;
        for state in &layers[layers.len() - 1] {
            if self.keys.gpus(state.key) == 0 {
                continue;
            }
            let fills = fills(layers, state);
            let held = self.held(&fills);
            let followed = |shape: &usize| caps[*shape] > 0;
            let not_taken =
                |shape| self.relaxed.not_taken(self.numbers, shape, self.keys.of(state.key, shape));
            let seems = state.worth - (0..held.len()).filter(followed).map(not_taken).sum::<i64>();
            if seems < least {
                continue;
            }
            let excess = self.excess(&fills, &held, caps);
            if excess.iter().any(|&excess| excess != 0) && loose.as_ref().is_none_or(|loose| seems > loose.0)
            {
                loose = Some((seems, fills.clone()));
            }
            let is_content = held.iter().zip(&self.numbers.most).all(|(held, most)| held <= most);
            let worth = seems - excess.iter().sum::<i64>();
            if is_content && worth >= least {
                contents.push((worth, fills));
            }
        }
        contents.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let loose = loose.map(|(worth, fills)| {
            let excess = self.excess(&fills, &self.held(&fills), caps);
            let mut shapes: Vec<usize> = (0..excess.len()).filter(|&shape| excess[shape] != 0).collect();
            shapes.sort_by_key(|&shape| Reverse(excess[shape]));
            Loose { worth, shapes }
        });
        (contents, loose)
    }

    /// How many of each shape these fills hold.
    fn held(&self, fills: &[u32]) -> Vec<u32> {
        let mut held = vec![0; self.numbers.shapes()];
        for (slot, &fill) in self.slots.iter().zip(fills) {
            for &(shape, number) in &slot.fills.all[fill as usize].counts {
                held[shape] += number;
            }
        }
        held
    }

    /// By shape: by how much what is not followed seems to be worth more than it is; the worth of what is more than there is
    /// counts, too.
    fn excess(&self, fills: &[u32], held: &[u32], caps: &[u32]) -> Vec<i64> {
        let mut seen = vec![0; held.len()];
        for (slot, &fill) in self.slots.iter().zip(fills) {
            for &(shape, number) in &slot.fills.all[fill as usize].counts {
                seen[shape] += self.numbers.kept(shape, number);
            }
        }
        let excess = |shape: usize| {
            if caps[shape] > 0 {
                return 0;
            }
            let (number, most) = (held[shape], self.numbers.most[shape]);
            let stays = seen[shape] - self.numbers.kept(shape, number);
            let too_many = i64::from(number.saturating_sub(most));
            self.relaxed.not_taken(self.numbers, shape, number.min(most))
                + self.relaxed.kept_once(shape) * stays
                + too_many * self.relaxed.worths.each[shape].max(1)
        };
        (0..held.len()).map(excess).collect()
    }
}

/// The fills of all GPUs.
fn fills(layers: &[Vec<State>], last: &State) -> Vec<u32> {
    let mut fills = vec![last.fill];
    let mut parent = last.parent;
    for layer in layers[1..layers.len() - 1].iter().rev() {
        let state = &layer[parent as usize];
        fills.push(state.fill);
        parent = state.parent;
    }
    fills.reverse();
    fills
}
