//! A choice by cases: does a part take contents that add more than so much to a total, or less?
//!
//! Where a part stands for itself, each case rules out some of its contents, and prices of the case rule out more of all. What is left is
//! soon few enough for a program.

use super::narrowed::Remaining;
use super::selection::{Selection, Taken};
use super::whole::{WHOLE, is_whole};

/// What a total that all contents in question share evenly counts beside one that is fractional.
const EVENLY: f64 = 0.01;

/// The two cases, by positions in the selection, the likelier one last.
pub type Cases = [Vec<usize>; 2];

/// The choice that the shares are, if they are whole and it costs no more than `most`; and its cost.
pub fn whole(selection: &Selection<'_>, remaining: &Remaining, most: i64) -> Option<(i64, Vec<Taken>)> {
    if !remaining.shares.iter().copied().all(is_whole) {
        return None;
    }
    let taken = remaining.positions.iter().zip(&remaining.shares);
    let taken: Vec<Taken> = taken
        .map(|(&position, share)| (position, share.round() as u32))
        .filter(|taken| taken.1 > 0)
        .collect();
    let cost = selection.cost(&taken).filter(|&cost| cost <= most)?;
    Some((cost, taken))
}

/// The cases by the amount in which contents differ most evenly; none where parts that stand for themselves have one content left each.
pub fn cases(selection: &Selection<'_>, remaining: &Remaining) -> Option<Cases> {
    let shares: Vec<(usize, f64)> = remaining
        .positions
        .iter()
        .copied()
        .zip(remaining.shares.iter().copied())
        .filter(|&(position, share)| share > WHOLE && selection.numbers[selection.listed[position].part] == 1)
        .collect();
    let mut of_part: Vec<Vec<(usize, f64)>> = vec![Vec::new(); selection.numbers.len()];
    shares
        .iter()
        .for_each(|&(position, share)| of_part[selection.listed[position].part].push((position, share)));
    let mut best: Option<(f64, Cut)> = None;
    for (part, shares) in of_part.iter().enumerate().filter(|(_, shares)| shares.len() > 1) {
        for total in 0..selection.totals.len() {
            let Some((evenness, at_most)) = even(selection, shares, total) else { continue };
            if best.as_ref().is_none_or(|(other, _)| evenness > *other) {
                best = Some((evenness, Cut { part, total, at_most }));
            }
        }
    }
    let (_, cut) = best?;
    let is_below = |&position: &usize| cut.is_below(selection, position);
    let below: f64 =
        of_part[cut.part].iter().filter(|(position, _)| is_below(position)).map(|(_, share)| share).sum();
    let is_elsewhere = |&position: &usize| selection.listed[position].part != cut.part;
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for position in &remaining.positions {
        if is_elsewhere(position) || is_below(position) {
            low.push(*position);
        }
        if is_elsewhere(position) || !is_below(position) {
            high.push(*position);
        }
    }
    Some(if below > 0.5 { [high, low] } else { [low, high] })
}

/// Where contents of a part are told apart.
struct Cut {
    part: usize,
    total: usize,
    at_most: i64,
}

impl Cut {
    fn is_below(&self, selection: &Selection<'_>, position: usize) -> bool {
        selection.listed[position].column.amount(self.total) <= self.at_most
    }
}

/// How evenly the amounts of a total divide the shares of a part's contents, and up to which one; none where all are the same.
fn even(selection: &Selection<'_>, shares: &[(usize, f64)], total: usize) -> Option<(f64, i64)> {
    let amounts =
        shares.iter().map(|&(position, share)| (selection.listed[position].column.amount(total), share));
    let least = amounts.clone().map(|(amount, _)| amount).min()?;
    let greatest = amounts.clone().map(|(amount, _)| amount).max()?;
    if least == greatest {
        return None;
    }
    let mean: f64 = amounts.clone().map(|(amount, share)| amount as f64 * share).sum();
    let at_most = ((mean + WHOLE).floor() as i64).clamp(least, greatest - 1);
    let fraction = mean - mean.floor();
    let fractional = fraction.min(1.0 - fraction);
    if fractional > WHOLE {
        return Some((fractional, at_most));
    }
    let spread: f64 = amounts.map(|(amount, share)| (amount as f64 - mean).abs() * share).sum();
    Some((EVENLY * spread.min(1.0), at_most))
}
