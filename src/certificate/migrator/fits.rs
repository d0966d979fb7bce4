//! What fits the GPU together.

use super::question::Question;
use mig::{Counts, SlotMask, arrangements};
use std::collections::{BTreeMap, BTreeSet};

/// The number of instances that fit together.
pub type Number = usize;

/// No instance at all.
pub const NOTHING: Number = 0;

/// All instances that fit the GPU together, counted by size and numbered.
pub struct Fits {
    /// By number.
    pub counts: Vec<Vec<u8>>,
    /// By two numbers that of both together, where they fit.
    sums: Vec<Vec<Option<Number>>>,
}

impl Fits {
    /// Tries everything that has one instance more than something that fits.
    pub fn new(question: &Question<'_>) -> Self {
        let sizes = question.sizes.len();
        let mut counts = BTreeSet::from([vec![0; sizes]]);
        let mut newest: Vec<Vec<u8>> = counts.iter().cloned().collect();
        while let Some(fitting) = newest.pop() {
            for size in 0..sizes {
                let mut larger = fitting.clone();
                larger[size] += 1;
                if !counts.contains(&larger) && is_possible(question, &larger) {
                    counts.insert(larger.clone());
                    newest.push(larger);
                }
            }
        }
        // In ascending order, so that nothing is the first.
        let counts: Vec<Vec<u8>> = counts.into_iter().collect();
        let numbers: BTreeMap<&[u8], Number> = counts.iter().map(Vec::as_slice).zip(0..).collect();
        let sum = |one: &Vec<u8>, other: &Vec<u8>| {
            let sum: Vec<u8> = one.iter().zip(other).map(|(one, other)| one + other).collect();
            numbers.get(sum.as_slice()).copied()
        };
        let sums = counts.iter().map(|one| counts.iter().map(|other| sum(one, other)).collect()).collect();
        Fits { counts, sums }
    }

    /// Both together, if they fit.
    pub fn sum(&self, one: Number, other: Number) -> Option<Number> {
        self.sums[one][other]
    }

    /// One instance, if it fits.
    pub fn one(&self, size: usize) -> Option<Number> {
        let is_it = |counts: &Vec<u8>| {
            counts.iter().enumerate().all(|(other, &count)| count == u8::from(other == size))
        };
        self.counts.iter().position(is_it)
    }

    /// Whether the first fits wherever the second does, beside anything at all.
    pub fn stands_in(&self, one: Number, other: Number) -> bool {
        self.sums[one].iter().zip(&self.sums[other]).all(|(one, other)| one.is_some() || other.is_none())
    }

    /// By number, whether all of them fit together that take one of these each.
    pub fn together<'n>(&self, choices: impl Iterator<Item = &'n [Number]>) -> Vec<bool> {
        let mut held = vec![false; self.counts.len()];
        held[NOTHING] = true;
        for numbers in choices {
            let mut next = vec![false; held.len()];
            for held in (0..held.len()).filter(|&number| held[number]) {
                numbers.iter().filter_map(|&number| self.sum(held, number)).for_each(|sum| next[sum] = true);
            }
            held = next;
        }
        held
    }

    /// Whether something fits beside one of those that are held.
    pub fn has_room(&self, held: &[bool], number: Number) -> bool {
        held.iter().enumerate().any(|(other, &is_held)| is_held && self.sum(other, number).is_some())
    }
}

/// Whether the board has a layout of these instances.
fn is_possible(question: &Question<'_>, counts: &[u8]) -> bool {
    let mut of_board = Counts::zero(question.board.profiles().len());
    for (size, &count) in question.sizes.iter().zip(counts) {
        of_board.set(size.profile, u32::from(count));
    }
    !arrangements(question.board, SlotMask::EMPTY, &of_board).is_empty()
}
