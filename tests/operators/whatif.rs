//! The fewest GPUs against a search through all ways to fill them.

use kit::{SolveOptions, Status};
use mig::{Counts, feasible_multisets};
use models::Instance;
use sizing::{Addition, cases};
use solver::{Control, Effort, solvers};
use std::collections::BTreeMap;

/// A cluster of two boards with so many workloads of each profile that run, all over the place or waiting.
fn instance(counts: &[(&str, u32)]) -> Instance {
    let workloads: String = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(profile, count)| format!("  - {{name: w{profile}, profile: {profile}, replicas: {count}}}\n"))
        .collect();
    let text = format!(
        "name: load\ngpus:\n  - {{name: a, board: A100-40GB}}\n  - {{name: b, board: A30}}\nworkloads:\n{workloads}"
    );
    Instance::from_yaml(&text).unwrap()
}

/// The least cost of GPUs that hold so many workloads of each request, by trying every filling of every board; None if there is none.
fn least(
    fillings: &[(i128, Vec<u32>)],
    left: &[u32],
    known: &mut BTreeMap<Vec<u32>, Option<i128>>,
) -> Option<i128> {
    if left.iter().all(|&count| count == 0) {
        return Some(0);
    }
    if let Some(known) = known.get(left) {
        return *known;
    }
    let after = |filling: &[u32]| -> Vec<u32> {
        left.iter().zip(filling).map(|(left, taken)| left.saturating_sub(*taken)).collect()
    };
    let mut best = None;
    for (cost, filling) in fillings {
        let rest = after(filling);
        if rest != left
            && let Some(more) = least(fillings, &rest, known)
        {
            best = Some(best.map_or(cost + more, |best: i128| best.min(cost + more)));
        }
    }
    known.insert(left.to_vec(), best);
    best
}

/// All fillings of a board as counts per request, each at a cost.
fn fillings(instance: &Instance, board: usize, cost: i128) -> Vec<(i128, Vec<u32>)> {
    let cluster = &instance.cluster;
    let about = &cluster.boards[board];
    let profiles: Vec<_> = about.profile_indices().collect();
    let counted = |counts: &Counts| -> Vec<u32> {
        let of =
            |request: &cluster::Request| request.on_board[board].map_or(0, |profile| counts.get(profile));
        cluster.requests.iter().map(of).collect()
    };
    feasible_multisets(about, &profiles).iter().map(|counts| (cost, counted(counts))).collect()
}

#[test]
fn the_fewest_gpus_are_those_of_a_search_through_all_fillings() {
    let loads = [[3, 2, 1, 0], [0, 5, 2, 1], [9, 0, 0, 3], [4, 3, 3, 2], [1, 0, 4, 4]];
    for (number, [small, medium, large, narrow]) in loads.into_iter().enumerate() {
        let counts = [("1g.5gb", small), ("2g.10gb", medium), ("3g.20gb", large), ("1g.6gb", narrow)];
        let instance = instance(&counts);
        let costs = [
            ("A100-40GB".to_owned(), ground::Amount::whole(3)),
            ("A30".to_owned(), ground::Amount::whole(2)),
        ];
        let more = Addition { profile: "2g.10gb".to_owned(), count: 2 };
        let (load, cases) = cases(&instance, &[more], &costs).unwrap();
        assert_eq!((load.running, load.added), (0, 2));
        let requests = &cases[0].instance.cluster.requests;
        let mut left = vec![0; requests.len()];
        for workload in &cases[0].instance.cluster.workloads {
            left[workload.request.index()] += 1;
        }
        for (at, case) in cases.iter().enumerate() {
            let fillings: Vec<_> = match at {
                0 | 1 => fillings(&case.instance, at, 1),
                _ => [fillings(&case.instance, 0, 3), fillings(&case.instance, 1, 2)].concat(),
            };
            let truth = least(&fillings, &left, &mut BTreeMap::new());
            for &solver in solvers() {
                let options = SolveOptions::new(Effort::exact(solver));
                let question = case.instance.question().unwrap();
                let answer = case.sizing(&question.solve(&options, &Control::silent()).unwrap());
                match truth {
                    None => assert_eq!(answer.status, Status::Infeasible, "load {number}, case {at}"),
                    Some(truth) => {
                        assert_eq!(answer.status, Status::Optimal);
                        assert_eq!(
                            answer.cost,
                            Some(ground::Amount::whole(truth)),
                            "load {number}, case {at}"
                        );
                        assert_eq!(answer.bound, answer.cost);
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_pinned_keeps_its_gpu_and_shares_it() {
    let text = "\
name: pinned
gpus: [{name: g, board: A100-40GB, count: 3}]
workloads:
  - {name: fixed, profile: 3g.20gb, movable: false, current: {gpu: g-2, start: 4}}
  - {name: free, profile: 3g.20gb, replicas: 2, current: [{gpu: g-0, start: 0}, {gpu: g-1, start: 4}]}
";
    let (load, cases) = cases(&Instance::from_yaml(text).unwrap(), &[], &[]).unwrap();
    assert_eq!((load.running, load.pinned, load.waiting, cases.len()), (3, 1, 0, 1));
    let question = cases[0].instance.question().unwrap();
    for &solver in solvers() {
        let options = SolveOptions::new(Effort::exact(solver));
        let answer = cases[0].sizing(&question.solve(&options, &Control::silent()).unwrap());
        assert_eq!(answer.cost, Some(ground::Amount::whole(2)));
        let shared = answer.layouts.iter().find(|layout| layout.instances == ["3g.20gb@0", "3g.20gb@4"]);
        assert_eq!(shared.unwrap().count, 1);
    }
}

#[test]
fn unknown_profiles_and_boards_are_named() {
    let instance = instance(&[("1g.5gb", 1)]);
    let more = Addition { profile: "5g.20gb".to_owned(), count: 1 };
    assert!(cases(&instance, &[more], &[]).unwrap_err().contains("\"5g.20gb\""));
    let cost = ("A40".to_owned(), ground::Amount::ONE);
    assert!(cases(&instance, &[], &[cost]).unwrap_err().contains("\"A40\""));
    for bad in ["3g.20gb", "3g.20gb=0", "=3", "3g.20gb=-1", "3g.20gb=x"] {
        assert!(bad.parse::<Addition>().is_err(), "{bad}");
    }
}
