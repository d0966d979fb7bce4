//! Partial contents, and which of them another one outdoes.

use std::cmp::Reverse;

/// What the first GPUs hold.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The numbers that are told apart.
    pub key: u128,
    /// Cores that are left, in units.
    pub cpu: i64,
    /// Main memory that is left, in units.
    pub memory: i64,
    /// Its worth, reliefs taken and given back.
    pub worth: i64,
    /// With all that the other GPUs may add.
    pub potential: i64,
    /// The partial content without the last GPU, by its position among those that were kept.
    pub parent: u32,
    /// What the last GPU holds.
    pub fill: u32,
}

/// Keeps, of partial contents with the same numbers, the best one where these say all that is held, else those that no other one
/// outdoes with no less worth, no less cores and no less memory left.
pub fn merge(states: &mut Vec<State>, tells_contents: bool) {
    states.sort_unstable_by_key(|state| {
        (state.key, Reverse(state.worth), Reverse(state.cpu), Reverse(state.memory), state.parent, state.fill)
    });
    let mut key = None;
    let mut left = Left::default();
    states.retain(|state| {
        let is_first = key != Some(state.key);
        if is_first {
            key = Some(state.key);
            left = Left::default();
        }
        if tells_contents { is_first } else { left.add(state.cpu, state.memory) }
    });
}

/// What is left of cores and memory in some contents, as far as no other one has no less of both: by ascending cores and descending
/// memory.
#[derive(Default)]
pub struct Left(Vec<(i64, i64)>);

impl Left {
    /// Whether as much is left in one of them.
    pub fn outdoes(&self, cpu: i64, memory: i64) -> bool {
        let next = self.0.partition_point(|other| other.0 < cpu);
        self.0.get(next).is_some_and(|other| other.1 >= memory)
    }

    /// Adds what is left in another one, unless it is outdone.
    pub fn add(&mut self, cpu: i64, memory: i64) -> bool {
        if self.outdoes(cpu, memory) {
            return false;
        }
        let next = self.0.partition_point(|other| other.0 < cpu);
        let first = self.0[..next].partition_point(|other| other.1 > memory);
        let last = next + usize::from(self.0.get(next).is_some_and(|other| other.0 == cpu));
        self.0.splice(first..last, [(cpu, memory)]);
        true
    }
}
