//! What runs, laid out anew from time to time: on as few GPUs as a search finds that knows nothing of hulls.

use crate::fleet::{add_host, add_machine, empty};
use mig::{Counts, ProfileIndex, maximal_multisets};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use replay::{Moment, OnlineOperator, Reading, Replay, Trace, online_policies, replay};
use siavashi::policy_named;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::ControlFlow;

const SECOND: u64 = Moment::SECOND;

/// Two hosts without limits, and virtual machines that often leave gaps.
fn random_trace(seed: u64, board: &str, limits: Option<(i128, i128)>) -> Trace {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let names: Vec<String> =
        support::board(board).profiles().iter().map(|profile| profile.name.clone()).collect();
    let profiles: Vec<[&str; 1]> = names.iter().map(|name| [name.as_str()]).collect();
    let profiles: Vec<&[&str]> = profiles.iter().map(|name| name.as_slice()).collect();
    let mut trace = empty(&[board], &profiles);
    for gpus in [2, 2] {
        add_host(&mut trace, limits, gpus, 0);
    }
    let mut from = 0;
    for _ in 0..120 {
        from += random.random_range(0..3000) * SECOND;
        let lifetime = [1000, 5000, 20_000][random.random_range(0..3)] * SECOND;
        add_machine(&mut trace, random.random_range(0..profiles.len()), 0, 0, from, Some(from + lifetime));
    }
    trace
}

fn run(trace: &Trace, policy: &str, every: Option<u64>) -> Replay {
    let operator = OnlineOperator::new(trace, policy_named(policy).unwrap(), NonZeroU64::MIN);
    let mut operator = match every {
        Some(every) => operator.repacking(NonZeroU64::new(every).unwrap()).unwrap(),
        None => operator,
    };
    replay(trace, &Reading::default(), policy, &mut operator, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// The fewest GPUs for these profiles: all ways to fill one GPU after the other are tried.
fn fewest(counts: &Counts, maximal: &[Counts], known: &mut BTreeMap<Counts, u32>) -> u32 {
    if counts.is_zero() {
        return 0;
    }
    if let Some(&known) = known.get(counts) {
        return known;
    }
    let rests: Vec<Counts> = maximal
        .iter()
        .map(|fill| fill.minimum(counts))
        .filter(|fill| !fill.is_zero())
        .map(|fill| counts.checked_sub(&fill).unwrap())
        .collect();
    let best = 1 + rests.iter().map(|rest| fewest(rest, maximal, known)).min().unwrap();
    known.insert(counts.clone(), best);
    best
}

/// The profiles of those that are there when an interval has ended.
fn running(trace: &Trace, replay: &Replay, ends: u64) -> Counts {
    let mut counts = Counts::zero(trace.cluster.boards[0].profiles().len());
    for (guest, _) in &replay.placements {
        let visit = &trace.visits[guest.0 as usize];
        if visit.arrival.0 < ends && visit.departure.is_none_or(|departure| departure.0 >= ends) {
            let request = trace.cluster.workloads[guest.0 as usize].request;
            counts = counts.add_one(trace.cluster.requests[request.index()].on_board[0].unwrap());
        }
    }
    counts
}

#[test]
fn an_hourly_repack_leaves_the_fewest_gpus_in_use() {
    let (mut intervals, mut saved) = (0, 0);
    for (seed, board) in (0..12).zip(["A100-40GB", "A30-24GB", "H100-80GB"].into_iter().cycle()) {
        let trace = random_trace(seed, board, None);
        let profiles: Vec<ProfileIndex> = trace.cluster.boards[0].profile_indices().collect();
        let maximal = maximal_multisets(&trace.cluster.boards[0], &profiles);
        let mut known = BTreeMap::new();
        for policy in ["ff", "instaslice", "spread-then-pack"] {
            let packed = run(&trace, policy, Some(1));
            for hour in &packed.hours {
                let counts = running(&trace, &packed, (hour.begins + 3600) * SECOND);
                let fewest = fewest(&counts, &maximal, &mut known);
                assert_eq!(
                    hour.active_gpus as u32, fewest,
                    "{policy} on {board}, seed {seed}, {}",
                    hour.begins
                );
                intervals += 1;
            }
            let left = run(&trace, policy, None);
            assert!(left.hours.iter().all(|hour| hour.migrations == 0));
            saved += left.document.active_sums.gpus.saturating_sub(packed.document.active_sums.gpus);
        }
    }
    assert!(intervals > 500 && saved > 100, "{intervals} intervals, {saved} hours of GPUs saved");
}

/// The engine checks every state; kai, nos and grmu keep books of their own about GPUs.
#[test]
fn every_policy_carries_on_after_a_repack() {
    for seed in 20..24 {
        let trace = random_trace(seed, "A100-40GB", None);
        for policy in online_policies() {
            let never = run(&trace, policy, None);
            let daily = run(&trace, policy, Some(5));
            // Until the first repack nothing differs.
            assert_eq!(daily.hours[..4], never.hours[..4], "{policy}");
            assert_eq!(daily.document.arrived, never.document.arrived, "{policy}");
            assert_eq!(run(&trace, policy, Some(5)).document.digest, daily.document.digest, "{policy}");
        }
    }
}

#[test]
fn what_cannot_be_told_is_refused() {
    let mut several = random_trace(1, "A100-40GB", None);
    several.cluster.boards.push(support::board("A30-24GB"));
    let limited = random_trace(1, "A100-40GB", Some((1000, 1000)));
    for (trace, words) in [(&several, "Choose hosts of one board"), (&limited, "Add --enforce-cpu-ram no")] {
        let operator = OnlineOperator::new(trace, policy_named("ff").unwrap(), NonZeroU64::MIN);
        let refused = operator.repacking(NonZeroU64::MIN).err().unwrap();
        assert!(refused.contains(words), "{refused}");
    }
}
