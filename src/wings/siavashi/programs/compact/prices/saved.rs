//! What is saved on a GPU by residents that stay there.

use super::super::kept_fills::KeptFill;
use super::super::kinds::Kind;
use super::fills::{Fill, Fills};
use super::terms::Shape;
use crate::instance::Problem;
use cluster::BoardIndex;
use mig::Counts;

/// By fill, what residents save at most that stay on their GPU instead of moving to another one of their machine, in units of migrations:
/// as many of them as it holds, in their slots as far as layouts of it allow. `kept` are the maximal ones, where starts cost something.
pub fn saved(
    problem: &Problem,
    board: BoardIndex,
    kinds: &[Kind],
    shapes: &[Shape],
    fills: &Fills,
    residents: &[u32],
    kept: &[KeptFill],
) -> Vec<i64> {
    let profiles = problem.cluster.boards[board.index()].profiles().len();
    let of_fill = |fill: &Fill| -> i64 {
        let stay = |&(shape, number): &(usize, u32)| {
            let about: &Shape = &shapes[shape];
            i64::from(number.min(residents[shape])) * (about.move_gpu - about.move_start)
        };
        let mut counts = Counts::zero(profiles);
        for &(shape, number) in &fill.counts {
            let profile = kinds[shape].profile_on(problem, board).expect("the fill has it");
            counts.set(profile, counts.get(profile) + number);
        }
        let in_slots = |layout: &KeptFill| -> i64 {
            let of_shape = |&(shape, number): &(usize, u32)| {
                i64::from(number.min(layout.of_kind(shape))) * shapes[shape].move_start
            };
            fill.counts.iter().map(of_shape).sum()
        };
        let layouts = kept.iter().filter(|layout| counts.fits_within(&layout.counts));
        fill.counts.iter().map(stay).sum::<i64>() + layouts.map(in_slots).max().unwrap_or(0)
    };
    fills.all.iter().map(of_fill).collect()
}
