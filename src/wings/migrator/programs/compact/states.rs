//! The states of one inference task, and what a slot in each of them is worth.
//!
//! A state is an allocation and an age: the slots since the last reconfiguration, counted up to the end of the outage. An
//! allocation is left out if its signature is *dominated*: another signature has, for every allocation of this one, an
//! allocation that fits wherever this one does and serves at least as much at every age. A task that uses the dominated
//! signature for some slots can use the other one for the same slots: it is reconfigured no more often and serves no less.
//!
//! States are numbered allocation by allocation, and within an allocation by age. A state of age 0 is a reconfiguration and may
//! follow any state. One of a higher age needs a state of its own signature that is a slot younger; for the greatest age one of
//! that age does as well. Such a need is a *condition*: a signature and an age below the greatest one.

use super::fit_table::FitTable;
use super::index::{
    AllocationIndex, ByLayer, Condition, FitIndex, Layer, RetrainingIndex, Slot, Start, StateIndex, each,
};
use super::list::List;
use crate::instance::{
    Allocation, Exact, ModelIndex, Problem, SizeIndex, capability, exact, kept, outage_slots,
};
use num_integer::Integer;
use std::collections::BTreeMap;
use std::ops::Range;

/// A state of an inference task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    /// What the task has.
    pub allocation: AllocationIndex,
    /// Slots since its last reconfiguration, at most [`TaskStates::oldest`].
    pub age: u32,
}

/// A size on which a model can be retrained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetrainingSize {
    /// The size of its instance.
    pub size: SizeIndex,
    /// How long it takes.
    pub slots: u32,
    /// Its instance in the table of what fits.
    pub instance: FitIndex,
}

/// The states of one inference task and the choices of its retraining. Goodput is counted in [`Problem::units`].
pub struct TaskStates {
    /// The model.
    pub model: ModelIndex,
    /// Allocations that are not dominated.
    pub allocations: List<AllocationIndex, Allocation>,
    /// The same in the table of what fits.
    pub instances: List<AllocationIndex, FitIndex>,
    /// Greatest age, from which on nothing is lost.
    pub oldest: u32,
    /// Sizes on which the model can be retrained.
    pub retrainings: List<RetrainingIndex, RetrainingSize>,
    /// What must be true of the state before one.
    pub needs: List<StateIndex, Condition>,
    /// What a state makes true besides [`Condition::NONE`]; that one if nothing.
    pub gives: List<StateIndex, Condition>,
    /// How many conditions there are, [`Condition::NONE`] included.
    pub conditions: usize,
    /// Whether the window can begin with a state.
    pub opens: List<StateIndex, bool>,
    /// What a state serves in a slot, if there are as many requests; in a scale in which it is whole, like the requests.
    served: List<StateIndex, i64>,
    requests: List<Slot, i64>,
    /// Units of goodput for what is served, in that scale.
    accuracy: ByLayer<i64>,
}

/// The numbers of a task's conditions: [`Condition::NONE`], then signature by signature the ages below the greatest one.
struct Conditions<'s> {
    /// Signatures numbered in the order of the allocations.
    signatures: BTreeMap<&'s [u32], u32>,
    oldest: u32,
}

impl<'s> Conditions<'s> {
    fn new(signatures: &'s [Vec<u32>], oldest: u32) -> Self {
        let mut numbers: BTreeMap<&[u32], u32> = BTreeMap::new();
        for signature in signatures {
            let next = u32::try_from(numbers.len()).expect("no more signatures than allocations");
            numbers.entry(signature).or_insert(next);
        }
        Conditions { signatures: numbers, oldest }
    }

    fn number(&self, signature: &[u32], age: u32) -> Condition {
        Condition(1 + self.signatures[signature] * self.oldest + age)
    }

    /// What a state needs of the one before it.
    fn needed(&self, signature: &[u32], age: u32) -> Condition {
        match age.checked_sub(1) {
            Some(younger) => self.number(signature, younger),
            None => Condition::NONE,
        }
    }

    /// What a state makes true for the one after it: of the greatest age it stays so.
    fn given(&self, signature: &[u32], age: u32) -> Condition {
        match self.oldest.checked_sub(1) {
            Some(second) => self.number(signature, age.min(second)),
            None => Condition::NONE,
        }
    }

    fn count(&self) -> usize {
        let per_signature = usize::try_from(self.oldest).expect("ages are at most the slots of the window");
        1 + self.signatures.len() * per_signature
    }
}

impl TaskStates {
    /// The states of a model's inference task.
    pub fn new(problem: &Problem, model: ModelIndex, fits: &FitTable) -> Self {
        let tasks = problem.model(model);
        let oldest = outage_slots(problem, model);
        let rates = |allocation: &Allocation| -> Vec<Exact> {
            let full = capability(problem, model, allocation);
            (0..=oldest).map(|age| full * kept(problem, model, allocation, age)).collect()
        };
        let first = tasks.first.as_ref().map(|first| problem.signature(first));
        let allocations = undominated(problem, problem.allocations(model), first.as_deref(), fits, rates);
        let rates: Vec<Exact> = allocations.iter().flat_map(rates).collect();
        let requests: Vec<Exact> = tasks.requests.iter().map(|&requests| exact(requests)).collect();
        let scale = rates.iter().chain(&requests).fold(1, |scale, rate| scale.lcm(rate.denom()));
        let per_served = Exact::new(i128::from(problem.units), scale);
        let signatures: Vec<Vec<u32>> = allocations.iter().map(|one| problem.signature(one)).collect();
        let conditions = Conditions::new(&signatures, oldest);
        let (mut needs, mut gives, mut opens) = (Vec::new(), Vec::new(), Vec::new());
        for signature in &signatures {
            let is_first = first.as_ref().is_none_or(|first| first == signature);
            for age in 0..=oldest {
                needs.push(conditions.needed(signature, age));
                gives.push(conditions.given(signature, age));
                opens.push(age == if is_first { oldest } else { 0 });
            }
        }
        let retrainings = problem.retraining_sizes(model).map(|(size, slots)| RetrainingSize {
            size,
            slots,
            instance: fits.number(&problem.gpu.one(size)),
        });
        TaskStates {
            model,
            instances: allocations.iter().map(|allocation| fits.number(allocation)).collect(),
            oldest,
            retrainings: retrainings.collect(),
            conditions: conditions.count(),
            needs: needs.into(),
            gives: gives.into(),
            opens: opens.into(),
            served: rates.iter().map(|&rate| whole(rate * scale)).collect(),
            requests: requests.iter().map(|&requests| whole(requests * scale)).collect(),
            accuracy: ByLayer {
                before: whole(exact(tasks.before) * per_served),
                after: whole(exact(tasks.after) * per_served),
            },
            allocations: allocations.into(),
        }
    }

    /// Keeps the allocations for which it is true.
    pub fn retain(&mut self, keep: &List<AllocationIndex, bool>) {
        let keeps: List<StateIndex, bool> =
            self.states().map(|state| keep[self.allocation_of(state)]).collect();
        let of_state = |state: StateIndex| keeps[state];
        self.allocations.retain(|allocation| keep[allocation]);
        self.instances.retain(|allocation| keep[allocation]);
        self.needs.retain(of_state);
        self.gives.retain(of_state);
        self.opens.retain(of_state);
        self.served.retain(of_state);
    }

    /// How many states there are.
    pub fn count(&self) -> usize {
        self.needs.len()
    }

    /// All states, in the order of their numbers.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateIndex> + use<> {
        let count = u32::try_from(self.count()).expect("states have numbers");
        (0..count).map(StateIndex)
    }

    /// How many ages there are: states of each allocation.
    pub fn ages(&self) -> u32 {
        self.oldest + 1
    }

    /// The number of a state.
    pub fn index_of(&self, state: State) -> StateIndex {
        StateIndex(state.allocation.0 * self.ages() + state.age)
    }

    /// The state with a number.
    pub fn state(&self, index: StateIndex) -> State {
        State { allocation: self.allocation_of(index), age: index.0 % self.ages() }
    }

    /// The allocation of a state.
    pub fn allocation_of(&self, state: StateIndex) -> AllocationIndex {
        AllocationIndex(state.0 / self.ages())
    }

    /// Units of goodput of a slot in a state: exact, because the scale of what is served makes every factor whole.
    pub fn goodput(&self, slot: Slot, state: StateIndex, layer: Layer) -> i64 {
        self.accuracy[layer] * self.served[state].min(self.requests[slot])
    }

    /// Whether one state can follow another.
    pub fn follows(&self, before: StateIndex, after: StateIndex) -> bool {
        let needed = self.needs[after];
        needed == Condition::NONE || self.gives[before] == needed
    }

    /// The slots in which a retraining runs; the end is the slot before which it is complete.
    pub fn run_of(&self, start: Start) -> Range<Slot> {
        start.from..start.from.later(self.retrainings[start.retraining].slots)
    }

    /// All starts of retrainings that are complete before slot `end`.
    pub fn starts_within(&self, end: Slot) -> impl Iterator<Item = Start> {
        self.retrainings.entries().flat_map(move |(retraining, size)| {
            let first_too_late = Slot((end.0 + 1).saturating_sub(size.slots));
            each(Slot::FIRST..first_too_late).map(move |from| Start { retraining, from })
        })
    }

    /// The size on which the model is retrained, by its instance.
    pub fn retraining_on(&self, size: SizeIndex) -> Option<RetrainingIndex> {
        let position = self.retrainings.iter().position(|retraining| retraining.size == size)?;
        Some(RetrainingIndex::at(position))
    }
}

/// A number that is whole by the choice of the scale, and small enough by [`Problem::count_units`].
fn whole(number: Exact) -> i64 {
    debug_assert!(number.is_integer());
    i64::try_from(number.to_integer()).expect("the problem's units are checked to fit")
}

/// The allocations that no other makes superfluous; those of the signature before the window stay.
fn undominated(
    problem: &Problem,
    allocations: Vec<Allocation>,
    first: Option<&[u32]>,
    fits: &FitTable,
    rates: impl Fn(&Allocation) -> Vec<Exact>,
) -> Vec<Allocation> {
    struct Candidate {
        allocation: Allocation,
        number: FitIndex,
        rates: Vec<Exact>,
    }
    let dominates = |one: &Candidate, other: &Candidate| {
        fits.stands_in(one.number, other.number)
            && one.rates.iter().zip(&other.rates).all(|(one, other)| one >= other)
    };
    let mut classes: BTreeMap<Vec<u32>, Vec<Candidate>> = BTreeMap::new();
    for allocation in allocations {
        let (number, rates) = (fits.number(&allocation), rates(&allocation));
        let class = classes.entry(problem.signature(&allocation)).or_default();
        let candidate = Candidate { allocation, number, rates };
        if !class.iter().any(|other| dominates(other, &candidate)) {
            class.retain(|other| !dominates(&candidate, other));
            class.push(candidate);
        }
    }
    let signatures: Vec<Vec<u32>> = classes.keys().cloned().collect();
    for signature in signatures {
        let class = &classes[&signature];
        let covers = |other: &[Candidate]| {
            class.iter().all(|candidate| other.iter().any(|other| dominates(other, candidate)))
        };
        let is_superfluous =
            classes.iter().any(|(other, candidates)| *other != signature && covers(candidates));
        if is_superfluous && first != Some(&signature) {
            classes.remove(&signature);
        }
    }
    let mut kept: Vec<Allocation> =
        classes.into_values().flatten().map(|candidate| candidate.allocation).collect();
    kept.sort();
    kept
}
