//! Pairs of GPUs: the two-GPU study of Siavashi & Momtazpour (arXiv 2502.01909) on the A100-40GB.

use std::collections::BTreeMap;

use mig::*;
use support::board;

/// One GPU's layout, reduced to what a pair needs.
struct Single {
    counts: Vec<u32>,
    starts: Vec<u32>,
}

/// Two GPUs with the same instances in total can be improved if some other arrangement of all of them, over both GPUs,
/// leaves more free starts for some profile while its total capability is not larger.
#[test]
fn improvable_pairs() {
    let board = board("A100-40GB");
    let six: Vec<ProfileIndex> =
        board.profile_indices().filter(|index| !board.profile(*index).name.ends_with("+me")).collect();
    let singles: Vec<Single> = layouts(&board, &six)
        .iter()
        .map(|layout| {
            let free = board.free_slots(board.used_slots(layout));
            let counts = Counts::from_instances(board.profiles().len(), layout).as_slice().to_vec();
            Single { counts, starts: six.iter().map(|profile| free_starts(&board, free, *profile)).collect() }
        })
        .collect();
    let add = |a: &[u32], b: &[u32]| -> Vec<u32> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
    let mut of_total: BTreeMap<Vec<u32>, BTreeMap<Vec<u32>, u32>> = BTreeMap::new();
    let mut pairs = 0;
    for (index, first) in singles.iter().enumerate() {
        for second in &singles[index..] {
            let same_total = of_total.entry(add(&first.counts, &second.counts)).or_default();
            *same_total.entry(add(&first.starts, &second.starts)).or_default() += 1;
            pairs += 1;
        }
    }
    let mut improvable = 0;
    for same_total in of_total.values() {
        let better = |starts: &[u32], other: &[u32]| {
            other.iter().sum::<u32>() <= starts.iter().sum() && other.iter().zip(starts).any(|(o, s)| o > s)
        };
        for (starts, number) in same_total {
            if same_total.keys().any(|other| better(starts, other)) {
                improvable += number;
            }
        }
    }
    assert_eq!(pairs, 261_726);
    assert_eq!(improvable, 205_575);
}
