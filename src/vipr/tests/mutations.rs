//! The checker accepts no proof of anything false, whatever was changed in it.

use super::random::{better_by, claim, proof};
use crate::{Leaf, Tree, check};

const PROGRAMS: u64 = 200;

/// The trees in which one number is another one.
fn mutated(tree: &Tree) -> Vec<Tree> {
    match tree {
        Tree::Leaf(leaf) => {
            let mut leaves = vec![];
            for goal in [leaf.goal + 1, leaf.goal - 1, -leaf.goal, 0] {
                leaves.push(Leaf { goal, rows: leaf.rows.clone() });
            }
            for position in 0..leaf.rows.len() {
                let (row, multiplier) = leaf.rows[position];
                for changed in [
                    (row, multiplier + 1),
                    (row, multiplier - 1),
                    (row, -multiplier),
                    (row, 0),
                    (row + 1, multiplier),
                ] {
                    let mut rows = leaf.rows.clone();
                    rows[position] = changed;
                    leaves.push(Leaf { rows, ..leaf.clone() });
                }
            }
            leaves.into_iter().map(Tree::Leaf).collect()
        }
        Tree::Split { column, at, below, above } => {
            let with = |column: usize, at: i64, below: &Tree, above: &Tree| Tree::Split {
                column,
                at,
                below: Box::new(below.clone()),
                above: Box::new(above.clone()),
            };
            let mut trees = vec![
                with(column + 1, *at, below, above),
                with(*column, at + 1, below, above),
                with(*column, at - 1, below, above),
                with(*column, *at, above, below),
                below.as_ref().clone(),
                above.as_ref().clone(),
            ];
            trees.extend(mutated(below).iter().map(|other| with(*column, *at, other, above)));
            trees.extend(mutated(above).iter().map(|other| with(*column, *at, below, other)));
            trees
        }
    }
}

#[test]
fn nothing_proves_what_is_false() {
    let (mut tried, mut refused) = (0, 0);
    for seed in 0..PROGRAMS {
        let claim = claim(seed);
        let tree = proof(&claim).expect("it has a proof");
        let mutations = mutated(&tree);
        refused += mutations.iter().filter(|mutation| check(&claim, mutation).is_err()).count();
        if claim.goal.is_none() {
            continue;
        }
        // That nothing is better than what is not the best.
        let wrong = better_by(&claim, -1);
        for mutation in mutations.iter().chain([&tree]) {
            assert!(check(&wrong, mutation).is_err(), "{seed}: {mutation:?}");
            tried += 1;
        }
    }
    assert!(tried > 500 && refused > 500, "{tried} tried, {refused} refused");
}
