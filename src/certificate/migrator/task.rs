//! The states of an inference task, and what a slot in each of them is worth.
//!
//! A state is an allocation and an age: the slots since the last reconfiguration, counted up to the end of the outage. Worths are counted
//! in atoms: a request has 10^18 of them, times the parts of a millionth of a second.

use super::allocations::{Allocation, needed, outage, parts};
use super::fits::{Fits, Number};
use super::question::{Model, Question};
use crate::magnitude::{product, sum};
use crate::refusal::Refusal;

/// Less than every worth and every sum of worths, so that adding to it leaves it so.
pub const NEVER: i128 = -(1 << 124);

/// The most states, times slots, of a model.
const MOST_CELLS: usize = 1 << 23;

/// A size on which a model can be retrained.
pub struct Run {
    /// The position of the size.
    pub size: usize,
    /// How long it takes.
    pub slots: usize,
    /// Its instance.
    pub number: Number,
}

/// A model: the states of its inference task, and the sizes for its retraining.
pub struct Task {
    /// The allocations.
    pub allocations: Vec<Allocation>,
    /// The greatest age, from which on nothing is lost.
    pub oldest: usize,
    /// The sizes for its retraining.
    pub runs: Vec<Run>,
    /// By state, whether the window can begin with it.
    pub opens: Vec<bool>,
    /// By state, what it makes true for the slot after it: a number of its signature and an age below the greatest.
    pub gives: Vec<usize>,
    /// By state, what has to be true from the slot before it; none where it is a reconfiguration.
    pub needs: Vec<Option<usize>>,
    /// How many such numbers there are.
    pub conditions: usize,
    requests: Vec<i128>,
    /// Before the completion of the retraining, and after it.
    accuracy: [i128; 2],
}

impl Task {
    /// From what can be had beside all others; with the sizes on which a retraining fits beside the inference tasks.
    ///
    /// # Errors
    /// When the numbers are too large.
    pub fn new(
        question: &Question<'_>,
        fits: &Fits,
        model: &Model<'_>,
        numbers: &[Number],
        has_room: impl Fn(Number) -> bool,
    ) -> Result<Self, Refusal> {
        let (allocations, oldest) = (needed(question, fits, model, numbers), outage(question, model));
        let cells = (oldest + 1).checked_mul(allocations.len() * question.slots);
        if cells.is_none_or(|cells| cells > MOST_CELLS) {
            return Err(Refusal::of("the window is too large for the checker: it has too many states."));
        }
        let mut signatures: Vec<&Vec<u32>> =
            allocations.iter().map(|allocation| &allocation.signature).collect();
        signatures.sort();
        signatures.dedup();
        let first = model.first.map(|counts| question.signature_of(counts));
        let (mut opens, mut gives, mut needs) = (Vec::new(), Vec::new(), Vec::new());
        for allocation in &allocations {
            let signature = signatures.partition_point(|&other| *other < allocation.signature);
            let is_first = first.as_ref().is_none_or(|first| *first == allocation.signature);
            for age in 0..=oldest {
                opens.push(age == if is_first { oldest } else { 0 });
                gives.push(signature * oldest.max(1) + age.min(oldest.saturating_sub(1)));
                needs.push(age.checked_sub(1).map(|younger| signature * oldest + younger));
            }
        }
        let runs = model.retraining.iter().enumerate().filter_map(|(size, slots)| {
            let (slots, number) = ((*slots)? as usize, fits.one(size)?);
            (slots <= question.slots && has_room(number)).then_some(Run { size, slots, number })
        });
        let scale = 1_000_000 * parts(question, fits);
        let task = Task {
            oldest,
            runs: runs.collect(),
            opens,
            gives,
            needs,
            conditions: signatures.len() * oldest.max(1),
            requests: model.requests.iter().map(|requests| requests.millionths() * scale).collect(),
            accuracy: [model.before.millionths(), model.after.millionths()],
            allocations,
        };
        task.is_moderate()?;
        Ok(task)
    }

    /// Refuses worths whose sums could leave 128 bits.
    fn is_moderate(&self) -> Result<(), Refusal> {
        let served = self.allocations.iter().flat_map(|allocation| &allocation.served);
        let mut least = 0;
        for &served in served.filter(|served| **served < 0) {
            least = least.min(product(served, 1_000_000)?);
        }
        let mut total = product(-least, self.requests.len() as i128)?;
        for &requests in &self.requests {
            total = sum(total, product(requests, 1_000_000)?)?;
        }
        Ok(())
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.opens.len()
    }

    /// The position of the allocation of a state.
    pub fn allocation_of(&self, state: usize) -> usize {
        state / (self.oldest + 1)
    }

    /// The instances of a state.
    pub fn number_of(&self, state: usize) -> Number {
        self.allocations[self.allocation_of(state)].number
    }

    /// What a slot in a state is worth, before the completion or after it.
    pub fn worth(&self, slot: usize, state: usize, is_after: bool) -> i128 {
        let served = self.allocations[self.allocation_of(state)].served[state % (self.oldest + 1)];
        self.accuracy[usize::from(is_after)] * served.min(self.requests[slot])
    }

    /// Whether a plan can go from a state that gives something to a state: it is a reconfiguration exactly where the signature changes.
    pub fn follows(&self, given: usize, state: usize) -> bool {
        match self.needs[state] {
            Some(needed) => needed == given,
            None => self.oldest == 0 || given / self.oldest != self.gives[state] / self.oldest,
        }
    }

    /// For each state, the best of the values of the states that may follow it; a reconfiguration without need is one of them.
    pub fn best_after(&self, values: &[i128]) -> Vec<i128> {
        let (mut anew, mut by_need) = (NEVER, vec![NEVER; self.conditions]);
        for (&value, &needed) in values.iter().zip(&self.needs) {
            let best = needed.map_or(&mut anew, |needed| &mut by_need[needed]);
            *best = value.max(*best);
        }
        self.gives.iter().map(|&given| anew.max(by_need[given])).collect()
    }

    /// For each state, the best of the values of the states that it may follow; a reconfiguration without need is one of them.
    pub fn best_before(&self, values: &[i128]) -> Vec<i128> {
        let (mut anew, mut by_given) = (NEVER, vec![NEVER; self.conditions]);
        for (&value, &given) in values.iter().zip(&self.gives) {
            anew = value.max(anew);
            by_given[given] = value.max(by_given[given]);
        }
        self.needs.iter().map(|needed| needed.map_or(anew, |needed| by_given[needed])).collect()
    }
}
