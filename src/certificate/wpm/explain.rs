//! What the numbers of a case say of workloads and GPUs.

use super::check::Checker;
use super::kinds::Movable;
use super::part::{End, Parts};
use super::totals::Total;
use crate::cases::{Case, Range, Refutes};
use crate::explanation::{Explained, Explains, Part, Priced};
use crate::format::Leaf;
use crate::magnitude::add;
use crate::refusal::Refusal;
use cluster::{GpuIndex, WorkloadIndex};
use ground::Amount;
use std::collections::BTreeMap;

/// What a placement makes of the GPUs.
pub struct Outcome {
    /// Per GPU: what is on it in the end.
    pub workloads: Vec<Vec<WorkloadIndex>>,
    /// Per GPU: whether it is repartitioned.
    pub repartitioned: Vec<bool>,
    /// Per GPU: slices wasted on it that count.
    pub wasted: Vec<u32>,
    /// Per workload: whether it counts as moved.
    pub moved: Vec<bool>,
}

impl Explains for Checker<'_> {
    type Outcome = Outcome;

    fn name_of(&self, total: Total) -> String {
        self.name(total).unwrap_or_default().to_owned()
    }

    fn explain(
        &self,
        leaf: &Leaf,
        values: &[Amount],
        case: &Case<Total>,
        best: Option<&Outcome>,
    ) -> Result<Explained, Refusal> {
        let stage = values.len().checked_sub(1).map(|last| self.question.stages[last]);
        let multiplier = leaf.goals.iter().find(|(name, _)| stage.is_some_and(|stage| stage.name() == name));
        let multiplier = multiplier.map_or(0, |(_, multiplier)| i128::from(*multiplier));
        let sign = stage.filter(|_| multiplier != 0).map_or(1, |stage| stage.sign());
        let (needed, possible) = (self.claimed(leaf, values)?, self.bound(leaf, case)?);
        // What the goals before it are worth is in both.
        let mut bound = 0;
        if let Some((stage, &value)) = stage.zip(values.last()) {
            let value = value.in_units_of(self.unit(stage)).unwrap_or_default();
            let of_goal = multiplier * (stage.sign() * value + 1);
            add(&mut bound, sign, possible - (needed - of_goal))?;
        }
        let totals = self.totals_of(leaf)?;
        let (items, limits) = self.priced(&totals, case, sign);
        let worths = self.worths(leaf, &totals)?;
        Ok(Explained {
            supposed: Vec::new(),
            multiplier,
            unit: stage.map_or(Amount::ONE, |stage| self.unit(stage)),
            bound,
            needed,
            possible,
            items,
            limits,
            parts: self.explained_parts(&self.parts(&worths), sign, best.filter(|_| multiplier != 0))?,
        })
    }
}

impl Checker<'_> {
    /// Workloads of which one less changes the bound, and other bounds of totals.
    fn priced(
        &self,
        totals: &BTreeMap<Total, i128>,
        case: &Case<Total>,
        sign: i128,
    ) -> (Vec<Priced>, Vec<Priced>) {
        let (mut items, mut limits) = (Vec::new(), Vec::new());
        for (&total, &multiplier) in totals {
            let range @ Range { least, greatest } = self.range(total, case);
            let number = if multiplier > 0 { greatest } else { least };
            match total {
                Total::Placed(pool) if range == self.range_in_all(total) => {
                    // What need not have a place changes nothing where there is less of it.
                    if multiplier > 0 || least == greatest {
                        let name = self.pools.list[pool].name.clone();
                        items.push(Priced { name, number, change: -sign * multiplier });
                    }
                }
                _ => {
                    limits.push(Priced {
                        name: self.name_of(total),
                        number,
                        change: sign * multiplier.abs(),
                    });
                }
            }
        }
        items.retain(|item| item.change != 0);
        limits.retain(|limit| limit.change != 0);
        (items, limits)
    }

    /// The GPUs by kind, with how one more changes the bound.
    fn explained_parts(
        &self,
        parts: &Parts<'_>,
        sign: i128,
        best: Option<&Outcome>,
    ) -> Result<Vec<Part>, Refusal> {
        let gpus = &self.question.cluster.gpus;
        let mut of_kinds = Vec::new();
        let mut most = Vec::new();
        for (position, (kind, number, first)) in self.kinds.list.iter().enumerate() {
            most.push(parts.best(position, kind)?);
            let (like, below) = (gpus[first.index()].name.clone(), best.map(|_| Vec::new()));
            of_kinds.push(Part { like, number: *number, change: sign * most[position], below });
        }
        let Some(outcome) = best else { return Ok(of_kinds) };
        let by_gpu = self.question.cluster.current_placement().by_gpu(self.question.cluster);
        for (gpu, before) in self.question.cluster.gpu_indices().zip(by_gpu.iter()) {
            let Some(position) = self.kinds.of[gpu.index()] else { continue };
            let kind = &self.kinds.list[position].0;
            let missing = most[position] - parts.worth_of(position, kind, &self.end(outcome, gpu, before))?;
            if let Some(below) = of_kinds[position].below.as_mut().filter(|_| missing != 0) {
                below.push((gpus[gpu.index()].name.clone(), missing));
            }
        }
        Ok(of_kinds)
    }

    /// What becomes of a GPU on which something ran before.
    fn end(&self, outcome: &Outcome, gpu: GpuIndex, before: &[WorkloadIndex]) -> End {
        let moved = before.iter().filter(|workload| outcome.moved[workload.index()]);
        let movable = |&workload: &WorkloadIndex| {
            let (pool, migration) =
                (self.pools.of[workload.index()]?, self.question.migrations[workload.index()]);
            let migration = migration.in_units_of(self.units.of_term(super::Term::Migrations))?;
            Some(Movable { pool, migration, admitted: true })
        };
        End {
            workloads: outcome.workloads[gpu.index()].clone(),
            moved: moved.filter_map(movable).collect(),
            repartitioned: outcome.repartitioned[gpu.index()],
            wasted: outcome.wasted[gpu.index()],
        }
    }
}
