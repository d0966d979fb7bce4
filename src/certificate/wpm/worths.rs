//! What things are worth at the multipliers of a leaf, in whole numbers.

use super::kinds::Movable;
use super::pools::{PoolIndex, Pools};
use super::question::{BoardCosts, Question, Stage, Term};
use super::totals::Total;
use crate::magnitude::{product, sum};
use crate::refusal::Refusal;
use cluster::{BoardIndex, Part};
use ground::Amount;
use mig::ProfileIndex;
use std::collections::BTreeMap;

/// The units in which amounts are whole numbers, in the order of [`Term::ALL`].
pub struct Units([Amount; 4]);

impl Units {
    /// The greatest ones: a unit for each term, or one for all where the profit is a goal.
    pub fn of(question: &Question<'_>) -> Self {
        let of_parts = |amounts: &[Amount], counts: fn(&Part) -> bool| -> Vec<Amount> {
            let parts = question.parts.iter().zip(amounts);
            parts.filter(|(part, _)| counts(part)).map(|(_, &amount)| amount).collect()
        };
        let of_boards = |cost: fn(&BoardCosts) -> Amount| question.boards.iter().map(cost).collect();
        let mut migrations = of_parts(question.migrations, |part| *part == Part::Resident);
        migrations.extend(question.boards.iter().map(|costs| costs.repartition));
        let amounts: [Vec<Amount>; 4] = [
            of_parts(question.rewards, |part| part.is_decided()),
            of_boards(|costs| costs.gpu),
            migrations,
            of_boards(|costs| costs.waste),
        ];
        if question.stages.contains(&Stage::Profit) {
            return Units([Amount::greatest_common_unit(amounts.concat()); 4]);
        }
        Units(amounts.map(Amount::greatest_common_unit))
    }

    /// The unit of a term.
    pub fn of_term(&self, term: Term) -> Amount {
        self.0[term as usize]
    }

    /// The unit of a goal.
    pub fn of_stage(&self, stage: Stage) -> Amount {
        self.of_term(Term::ALL.into_iter().find(|&term| stage.has(term)).expect("a goal has a term"))
    }
}

/// What a workload, a GPU, a move are worth.
pub struct Worths {
    /// Per pool: a place of one of its workloads.
    pub place: Vec<i128>,
    /// Per board and profile: the pools whose workloads have it there, those first that a place is worth most.
    pub offers: Vec<Vec<Vec<(i128, PoolIndex)>>>,
    /// Per board: what a GPU in use costs.
    pub gpu: Vec<i128>,
    /// Per board: what a repartition costs.
    pub repartition: Vec<i128>,
    /// Per board: what a wasted slice costs.
    pub waste: Vec<i128>,
    /// By the position of a kind: what a GPU costs that is in use and not repartitioned.
    stays: BTreeMap<usize, i128>,
    /// What a migration costs per unit, and whatever it costs.
    migration: (i128, i128),
}

impl Worths {
    /// The worths at multipliers of terms, in the order of [`Term::ALL`], and of totals.
    pub fn new(
        question: &Question<'_>,
        (pools, units): (&Pools, &Units),
        terms: [i128; 4],
        totals: &BTreeMap<Total, i128>,
    ) -> Result<Self, Refusal> {
        let of_term = |term: Term| terms[term as usize];
        let of_total = |total: Total| totals.get(&total).copied().unwrap_or_default();
        let place = pools.list.iter().enumerate().map(|(position, pool)| {
            sum(product(of_term(Term::Reward), pool.reward)?, -of_total(Total::Placed(position)))
        });
        let place = place.collect::<Result<Vec<_>, Refusal>>()?;
        if of_term(Term::Waste) < 0 {
            return Err(Refusal::of("the multiplier of waste is negative: that proves nothing."));
        }
        let migration = (of_term(Term::Migrations), of_total(Total::Migrations));
        let of_boards = |term: Term, amount: fn(&BoardCosts) -> Amount| {
            let worth = |costs: &BoardCosts| {
                let units = amount(costs).in_units_of(units.of_term(term));
                product(
                    of_term(term),
                    units.ok_or_else(|| Refusal::of("costs are not multiples of their unit."))?,
                )
            };
            question.boards.iter().map(worth).collect::<Result<Vec<_>, Refusal>>()
        };
        let mut gpu = of_boards(Term::Gpus, |costs| costs.gpu)?;
        for (position, cost) in gpu.iter_mut().enumerate() {
            *cost = sum(*cost, of_total(Total::Gpus))?;
            *cost = sum(*cost, of_total(Total::GpusOf(BoardIndex::at(position))))?;
        }
        let mut repartition = of_boards(Term::Migrations, |costs| costs.repartition)?;
        for cost in &mut repartition {
            *cost = sum(*cost, of_total(Total::Repartitions))?;
        }
        let waste = of_boards(Term::Waste, |costs| costs.waste)?;
        let offers = offers(question, pools, &place);
        let stays = totals.iter().filter_map(|(&total, &cost)| match total {
            Total::Stays(kind) => Some((kind, cost)),
            _ => None,
        });
        let stays = stays.collect();
        Ok(Worths { place, offers, gpu, repartition, waste, stays, migration })
    }

    /// What a GPU of the kind at a position costs in addition where it is in use and not repartitioned.
    pub fn stays(&self, kind: usize) -> i128 {
        self.stays.get(&kind).copied().unwrap_or_default()
    }

    /// What a migration of a running workload costs.
    ///
    /// # Errors
    /// When it would be a gain: which workload of a pool takes a place is then not a matter of indifference.
    pub fn migration(&self, resident: Movable) -> Result<i128, Refusal> {
        let (per_unit, each) = self.migration;
        let cost = sum(product(per_unit, resident.migration)?, each)?;
        if cost < 0 {
            return Err(Refusal::of("a migration is a gain at these multipliers: that proves nothing."));
        }
        Ok(cost)
    }
}

/// Per board and profile: the pools whose workloads have it there, by descending worth.
fn offers(question: &Question<'_>, pools: &Pools, place: &[i128]) -> Vec<Vec<Vec<(i128, PoolIndex)>>> {
    let of_board = |(position, board): (usize, &std::sync::Arc<mig::Board>)| {
        let mut of_profiles = vec![Vec::new(); board.profiles().len()];
        for (pool, described) in pools.list.iter().enumerate() {
            let profile: Option<ProfileIndex> =
                question.cluster.requests[described.request.index()].on_board[position];
            if let Some(profile) = profile {
                of_profiles[profile.index()].push((place[pool], PoolIndex::at(pool)));
            }
        }
        of_profiles.iter_mut().for_each(|offers: &mut Vec<_>| {
            offers.sort_unstable_by_key(|&(worth, pool)| (std::cmp::Reverse(worth), pool));
        });
        of_profiles
    };
    question.cluster.boards.iter().enumerate().map(of_board).collect()
}
