//! Neighbourhoods of a linear program's choice: most parts take what it takes of them, a few choose again.
//!
//! Many parts with few totals have a linear program in which all but a few take whole contents. Where a choice costs hardly more than
//! that, there mostly is one that differs from it in few parts.

use super::narrowed::Remaining;
use super::selection::{Listed, Selection, Taken};
use super::total::Bounds;
use super::whole::{WHOLE, is_whole};

/// So many parts choose again, beside those of which the linear program takes no whole contents; where that was in vain, twice as many.
const CHOOSE_AGAIN: [usize; 2] = [6, 12];

/// A smaller selection: parts that choose again, beside others that have chosen.
pub struct Neighbourhood<'n> {
    /// What is left of the bounds.
    pub bounds: Bounds,
    /// How many of the parts choose.
    pub numbers: Vec<u32>,
    /// What they choose from.
    pub listed: Vec<Listed<'n>>,
    /// The positions of these in the selection.
    pub positions: Vec<usize>,
    /// What others take.
    pub taken: Vec<Taken>,
    /// What that costs.
    pub cost: i64,
}

/// The neighbourhoods of what a linear program takes of the contents that remain, the smaller ones first. Each part is in one of each size,
/// and contents are about as many in each of them.
pub fn neighbourhoods<'n>(
    selection: &Selection<'n>,
    remaining: &Remaining,
) -> impl Iterator<Item = Neighbourhood<'n>> {
    let parts = selection.numbers.len();
    let mut contents = vec![0_usize; parts];
    let mut all_whole = vec![true; parts];
    for (&position, share) in remaining.positions.iter().zip(&remaining.shares) {
        let part = selection.listed[position].part;
        contents[part] += 1;
        all_whole[part] &= is_whole(*share);
    }
    let mut others: Vec<usize> = (0..parts).filter(|&part| all_whole[part] && contents[part] > 1).collect();
    others.sort_by_key(|&part| (contents[part], part));
    let mut rounds: Vec<usize> = CHOOSE_AGAIN.iter().map(|&most| others.len().div_ceil(most)).collect();
    // As many neighbourhoods are the same ones.
    rounds.dedup();
    let each = rounds.into_iter().flat_map(|number| (0..number).map(move |first| (first, number)));
    let (selection, remaining) = (*selection, remaining.clone());
    each.map(move |(first, number)| {
        let mut chooses: Vec<bool> = all_whole.iter().map(|whole| !whole).collect();
        others.iter().skip(first).step_by(number).for_each(|&part| chooses[part] = true);
        neighbourhood(&selection, &remaining, &chooses)
    })
}

fn neighbourhood<'n>(
    selection: &Selection<'n>,
    remaining: &Remaining,
    chooses: &[bool],
) -> Neighbourhood<'n> {
    let mut number_of = vec![0; chooses.len()];
    let mut numbers = Vec::new();
    for (part, _) in chooses.iter().enumerate().filter(|(_, chooses)| **chooses) {
        number_of[part] = numbers.len();
        numbers.push(selection.numbers[part]);
    }
    let mut new = Neighbourhood {
        bounds: selection.bounds.clone(),
        numbers,
        listed: Vec::new(),
        positions: Vec::new(),
        taken: Vec::new(),
        cost: 0,
    };
    for (&position, share) in remaining.positions.iter().zip(&remaining.shares) {
        let Listed { part, column } = selection.listed[position];
        if chooses[part] {
            new.listed.push(Listed { part: number_of[part], column });
            new.positions.push(position);
        } else if *share > WHOLE {
            let number = share.round() as u32;
            new.taken.push((position, number));
            new.cost += column.cost * i64::from(number);
            new.bounds.spend(column, number);
        }
    }
    new
}
