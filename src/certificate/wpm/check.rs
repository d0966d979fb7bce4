//! Whether a certificate proves that a placement is the best.

use super::kinds::{Kinds, kinds};
use super::part::Parts;
use super::pools::{PoolIndex, Pools};
use super::question::{Question, Reading, Stage, Term};
use super::totals::{Total, Totals};
use super::worths::{Units, Worths};
use crate::cases::{Case, Range, Refutes};
use crate::format::Leaf;
use crate::magnitude::{add, sum};
use crate::refusal::Refusal;
use cluster::{GpuIndex, WorkloadIndex};
use ground::Amount;
use std::collections::BTreeMap;

/// A question with its workloads and GPUs counted.
pub struct Checker<'q> {
    pub(super) question: &'q Question<'q>,
    pub(super) units: Units,
    pub(super) pools: Pools,
    pub(super) kinds: Kinds,
    totals: Totals,
}

impl<'q> Checker<'q> {
    /// Counts workloads and GPUs.
    ///
    /// # Errors
    /// When the question contradicts itself.
    pub fn new(question: &'q Question<'q>) -> Result<Self, Refusal> {
        let units = Units::of(question);
        let pools = Pools::of(question, units.of_term(Term::Reward))?;
        let kinds = kinds(question, &pools, units.of_term(Term::Migrations))?;
        let totals = Totals::of(question, &pools, &kinds);
        Ok(Checker { question, units, pools, kinds, totals })
    }

    /// The values of the first goals as multiples of their units.
    fn in_units(&self, values: &[Amount]) -> Result<Vec<i128>, Refusal> {
        let in_units = |(value, &stage): (&Amount, &Stage)| {
            let unit = self.units.of_stage(stage);
            let reason = || Refusal::of(format!("{value} is no value of goal `{}`.", stage.name()));
            value.in_units_of(unit).ok_or_else(reason)
        };
        values.iter().zip(&self.question.stages).map(in_units).collect()
    }

    /// The name of a total in certificates.
    pub fn name(&self, total: Total) -> Option<&str> {
        self.totals.name(total)
    }

    /// The pool of a workload, by its position; none of what is pinned or does not take part.
    pub fn pool_of(&self, workload: WorkloadIndex) -> Option<usize> {
        self.pools.of[workload.index()].map(PoolIndex::index)
    }

    /// The kind of a GPU, by its position, and how many GPUs are of it; none of one that carries nothing in the end.
    pub fn kind_of(&self, gpu: GpuIndex) -> Option<(usize, i128)> {
        let kind = self.kinds.of[gpu.index()]?;
        Some((kind, self.kinds.list[kind].1))
    }

    /// The names of all pools in prices.
    pub fn pool_names(&self) -> impl Iterator<Item = &str> {
        self.pools.list.iter().map(|pool| pool.name.as_str())
    }

    /// The most that goals, in their units and times their multipliers, costs with the opposite sign, add up to for a placement in a
    /// case: what is paid for totals at their bounds, and the most that every GPU by itself can be worth.
    ///
    /// # Errors
    /// When the multipliers name what is not there, are too large, or prove nothing by their signs.
    pub fn bound(&self, leaf: &Leaf, case: &Case<Total>) -> Result<i128, Refusal> {
        let totals = self.totals_of(leaf)?;
        let worths = self.worths(leaf, &totals)?;
        let parts = self.parts(&worths);
        let mut bound = 0;
        for (&total, &multiplier) in &totals {
            let range = self.range(total, case);
            add(&mut bound, multiplier, if multiplier > 0 { range.greatest } else { range.least })?;
        }
        for (position, (kind, number, _)) in self.kinds.list.iter().enumerate() {
            add(&mut bound, *number, parts.best(position, kind)?)?;
        }
        Ok(bound)
    }

    /// What things are worth at the multipliers of a leaf, those of totals as given.
    pub(super) fn worths(&self, leaf: &Leaf, totals: &BTreeMap<Total, i128>) -> Result<Worths, Refusal> {
        let mut terms = [0; 4];
        for (name, multiplier) in &leaf.goals {
            let named = self.question.stages.iter().find(|stage| stage.name() == name);
            let stage = named.ok_or_else(|| Refusal::of(format!("`{name}` is no goal.")))?;
            for term in Term::ALL.into_iter().filter(|&term| stage.has(term)) {
                terms[term as usize] = sum(terms[term as usize], i128::from(*multiplier))?;
            }
        }
        Worths::new(self.question, (&self.pools, &self.units), terms, totals)
    }

    /// All GPUs at these worths.
    pub(super) fn parts<'p>(&'p self, worths: &'p Worths) -> Parts<'p> {
        Parts { question: self.question, pools: &self.pools, worths }
    }

    /// What a placement would be worth at least that has these values of the first goals but the last, and is better in that one.
    pub(super) fn claimed(&self, leaf: &Leaf, values: &[Amount]) -> Result<i128, Refusal> {
        let values = self.in_units(values)?;
        let mut claimed = 0;
        for (name, multiplier) in &leaf.goals {
            let goals = self.question.stages.iter().zip(&values).enumerate();
            let named = goals.into_iter().find(|(_, (stage, _))| stage.name() == name);
            let (position, (stage, value)) =
                named.ok_or_else(|| Refusal::of(format!("`{name}` is no goal up to this one.")))?;
            let (is_last, multiplier) = (position + 1 == values.len(), i128::from(*multiplier));
            if is_last && multiplier < 0 {
                return Err(Refusal::of(
                    "the multiplier of the goal itself is negative: that proves nothing.",
                ));
            }
            add(&mut claimed, multiplier * stage.sign(), *value)?;
            add(&mut claimed, multiplier, i128::from(is_last))?;
        }
        Ok(claimed)
    }

    /// The unit in which a goal is counted.
    pub fn unit(&self, stage: Stage) -> Amount {
        self.units.of_stage(stage)
    }
}

impl Refutes for Checker<'_> {
    type Total = Total;

    fn reading(&self) -> Option<&'static str> {
        Some(match self.question.reading {
            Reading::Printed => "printed",
            Reading::ExactIndex => "exact-index",
        })
    }

    fn goals(&self) -> Vec<&'static str> {
        self.question.stages.iter().map(|stage| stage.name()).collect()
    }

    fn total_named(&self, name: &str) -> Option<Total> {
        self.totals.named(name)
    }

    fn range_in_all(&self, total: Total) -> Range {
        self.totals.range(total)
    }

    fn refute(&self, leaf: &Leaf, values: &[Amount], case: &Case<Total>) -> Result<(), Refusal> {
        let claimed = self.claimed(leaf, values)?;
        let bound = self.bound(leaf, case)?;
        if claimed <= bound {
            return Err(Refusal::of(format!(
                "a better placement is not refuted: it would be worth {claimed}, and the GPUs together can be worth {bound}."
            )));
        }
        Ok(())
    }
}
