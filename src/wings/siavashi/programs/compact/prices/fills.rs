//! What one GPU can hold, by shape.

use super::super::kinds::Kind;
use super::super::pools::Pool;
use crate::instance::Problem;
use mig::{Counts, ProfileIndex};
use std::collections::BTreeMap;

/// More fills than this are too many to price one by one.
const MOST_FILLS: usize = 4_000;

/// What one GPU holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Shapes with their numbers, by shape; no zeros.
    pub counts: Vec<(usize, u32)>,
    /// Cores, in units.
    pub cpu: i64,
    /// Main memory, in units.
    pub memory: i64,
}

/// All fills of a room; the first one is empty.
#[derive(Debug, PartialEq, Eq)]
pub struct Fills {
    /// The fills.
    pub all: Vec<Fill>,
    /// By shape: the most in any fill.
    pub most: Vec<u32>,
    /// What fills need, without repetition.
    pub demands: Vec<Demand>,
    /// By fill: what it needs, by its position.
    pub demand_of: Vec<u32>,
    index: BTreeMap<Vec<(usize, u32)>, u32>,
}

/// What a workload of each shape needs, in units: cores and main memory.
pub type Demand = (i64, i64);

impl Fills {
    /// The fills of a pool's GPUs; none if there are too many.
    pub fn of(problem: &Problem, pool: &Pool, kinds: &[Kind], demands: &[Demand]) -> Option<Self> {
        let profiles: Vec<Option<ProfileIndex>> =
            kinds.iter().map(|kind| kind.profile_on(problem, pool.board)).collect();
        let maximal = &pool.room.maximal;
        let empty = Counts::zero(problem.cluster.boards[pool.board.index()].profiles().len());
        let mut all = vec![(Fill { counts: Vec::new(), cpu: 0, memory: 0 }, empty)];
        for (shape, kind) in kinds.iter().enumerate() {
            let Some(profile) = profiles[shape] else { continue };
            for smaller in 0..all.len() {
                let (mut fill, mut counts) = all[smaller].clone();
                for number in 1..=kind.count() {
                    counts = counts.add_one(profile);
                    if !maximal.iter().any(|most| counts.fits_within(most)) {
                        break;
                    }
                    fill.cpu += demands[shape].0;
                    fill.memory += demands[shape].1;
                    let with = [&all[smaller].0.counts[..], &[(shape, number)]].concat();
                    all.push((Fill { counts: with, ..fill.clone() }, counts.clone()));
                    if all.len() > MOST_FILLS {
                        return None;
                    }
                }
            }
        }
        Some(Fills::new(all.into_iter().map(|(fill, _)| fill).collect(), kinds.len()))
    }

    /// These fills, of which the first one is empty, of so many shapes.
    pub fn new(all: Vec<Fill>, shapes: usize) -> Self {
        let index = all.iter().zip(0..).map(|(fill, number)| (fill.counts.clone(), number)).collect();
        let mut most = vec![0; shapes];
        for &(shape, number) in all.iter().flat_map(|fill: &Fill| &fill.counts) {
            most[shape] = number.max(most[shape]);
        }
        let mut positions: BTreeMap<Demand, u32> = BTreeMap::new();
        let mut demands: Vec<Demand> = Vec::new();
        let mut demand_of: Vec<u32> = Vec::with_capacity(all.len());
        for fill in &all {
            let demand = (fill.cpu, fill.memory);
            let position = *positions.entry(demand).or_insert(demands.len() as u32);
            if position as usize == demands.len() {
                demands.push(demand);
            }
            demand_of.push(position);
        }
        Fills { all, most, demands, demand_of, index }
    }

    /// The most cores and the most memory that any fill needs.
    pub fn largest(&self) -> Demand {
        let most = |of: fn(&Demand) -> i64| self.demands.iter().map(of).max().unwrap_or(0);
        (most(|demand| demand.0), most(|demand| demand.1))
    }

    /// The number of the fill with these counts.
    pub fn number_of(&self, counts: &[(usize, u32)]) -> Option<u32> {
        self.index.get(counts).copied()
    }
}
