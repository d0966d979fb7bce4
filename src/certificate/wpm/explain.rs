//! What the numbers of a case say of workloads and GPUs.

use super::check::Checker;
use super::kinds::{Kind, Movable};
use super::part::{End, Parts};
use super::totals::Total;
use super::worths::Worths;
use crate::cases::{Case, Refutes};
use crate::explanation::{Explained, Explains, Goal, Part, Priced};
use crate::format::Leaf;
use crate::refusal::Refusal;
use cluster::{BoardIndex, GpuIndex, WorkloadIndex};
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
        let goal = stage.zip(values.last()).map(|(stage, &value)| Goal {
            name: stage.name(),
            sign: stage.sign(),
            unit: self.unit(stage),
            value,
        });
        let multiplier = goal.as_ref().map_or(0, |goal| goal.multiplier(leaf));
        let sign = goal.as_ref().filter(|_| multiplier != 0).map_or(1, |goal| goal.sign);
        let (needed, possible) = (self.claimed(leaf, values)?, self.bound(leaf, case)?);
        let totals = self.totals_of(leaf)?;
        let (items, limits) = self.priced(&totals, case, sign);
        let worths = self.worths(leaf, &totals)?;
        Ok(Explained {
            multiplier,
            unit: goal.as_ref().map_or(Amount::ONE, |goal| goal.unit),
            bound: goal.map_or(Ok(0), |goal| goal.bound(multiplier, needed, possible))?,
            items,
            limits,
            places: self.places(&worths, sign),
            parts: self.explained_parts(
                &self.parts(&worths),
                |board| self.more(&totals, case, board),
                sign,
                best.filter(|_| multiplier != 0),
            )?,
            ..Explained::of_nothing(needed, possible)
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
            let (range, all) = (self.range(total, case), self.range_in_all(total));
            let (number, own) =
                if multiplier > 0 { (range.greatest, all.greatest) } else { (range.least, all.least) };
            match total {
                Total::Placed(pool) if range == all => {
                    // What need not have a place changes nothing where there is less of it.
                    if multiplier > 0 || range.least == range.greatest {
                        let name = self.pools.list[pool].name.clone();
                        items.push(Priced { name, number, change: -sign * multiplier });
                    }
                }
                // There are so many GPUs.
                Total::Gpus | Total::GpusOf(_) if number == own => {}
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

    /// The GPUs by what they are like where nothing runs, with how one more of these changes the bound.
    fn explained_parts(
        &self,
        parts: &Parts<'_>,
        more: impl Fn(BoardIndex) -> i128,
        sign: i128,
        best: Option<&Outcome>,
    ) -> Result<Vec<Part>, Refusal> {
        let gpus = &self.question.cluster.gpus;
        let mut known: BTreeMap<Kind, usize> = BTreeMap::new();
        let (mut explained, mut bare_of, mut most) = (Vec::new(), Vec::new(), Vec::new());
        for (position, (kind, number, first)) in self.kinds.list.iter().enumerate() {
            most.push(parts.best(position, kind)?);
            let bare = Kind { residents: Vec::new(), ..kind.clone() };
            let is_open = self.question.uses_free_gpus && kind.maintenance.is_in_service();
            let worth = if is_open { parts.best(position, &bare)? } else { 0 };
            let bare = *known.entry(bare).or_insert(explained.len());
            if bare == explained.len() {
                let (like, below) = (gpus[first.index()].name.clone(), best.map(|_| Vec::new()));
                explained.push(Part { like, number: 0, change: sign * (worth + more(kind.board)), below });
            }
            explained[bare].number += number;
            bare_of.push(bare);
        }
        let Some(outcome) = best else { return Ok(explained) };
        let by_gpu = self.question.cluster.current_placement().by_gpu(self.question.cluster);
        for (gpu, before) in self.question.cluster.gpu_indices().zip(by_gpu.iter()) {
            let Some(position) = self.kinds.of[gpu.index()] else { continue };
            let kind = &self.kinds.list[position].0;
            let missing = most[position] - parts.worth_of(position, kind, &self.end(outcome, gpu, before))?;
            if let Some(below) = explained[bare_of[position]].below.as_mut().filter(|_| missing != 0) {
                below.push((gpus[gpu.index()].name.clone(), missing));
            }
        }
        Ok(explained)
    }

    /// What is paid at most for one GPU more of a board, as totals may then be greater.
    fn more(&self, totals: &BTreeMap<Total, i128>, case: &Case<Total>, board: BoardIndex) -> i128 {
        let of_gpus = [Total::Gpus, Total::GpusOf(board)].into_iter();
        let is_own = |total: &Total| self.range(*total, case).greatest == self.range_in_all(*total).greatest;
        of_gpus
            .filter(is_own)
            .filter_map(|total| totals.get(&total))
            .map(|&multiplier| multiplier.max(0))
            .sum()
    }

    /// Pools to which a place beside all GPUs is of use.
    fn places(&self, worths: &Worths, sign: i128) -> Vec<Priced> {
        let places = self.pools.list.iter().zip(&worths.place).filter(|(_, worth)| **worth > 0);
        let priced = places.map(|(pool, &worth)| Priced {
            name: pool.name.clone(),
            number: pool.size,
            change: sign * worth,
        });
        priced.collect()
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
