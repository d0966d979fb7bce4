//! Generated instances: profiles by the mix, demand within its bound, newcomers that have a place.

use kit::{SolveOptions, Status};
use models::InstanceFile;
use solver::Control;
use solvers::by_name;
use std::collections::BTreeMap;
use support::instances::{posed, written};
use wpm::{GeneratorOptions, Problem, UseCase};

fn generated(options: &GeneratorOptions) -> Problem {
    posed::<wpm::Wpm>(&written(&InstanceFile::of::<wpm::Wpm>(wpm::generate(options))))
}

/// How many workloads ask for each profile: all, and the newcomers among them.
fn profiles(problem: &Problem) -> BTreeMap<String, (u32, u32)> {
    let cluster = &problem.cluster;
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for workload in &cluster.workloads {
        let name = cluster.requests[workload.request.index()].names[0].clone();
        let (all, new) = counts.entry(name).or_default();
        *all += 1;
        *new += u32::from(workload.current.is_none());
    }
    counts
}

/// Memory slices of what runs, and of the newcomers.
fn slices(problem: &Problem) -> (u32, u32) {
    let board = &problem.cluster.boards[0];
    let size = |name: &str| board.profile(board.find_profile(name).unwrap()).size;
    let counts = profiles(problem);
    let all: u32 = counts.iter().map(|(name, (all, _))| size(name) * all).sum();
    let new: u32 = counts.iter().map(|(name, (_, new))| size(name) * new).sum();
    (all - new, new)
}

#[test]
fn a_mix_is_drawn_in_its_proportions() {
    let mix = "1g.10gb=0.75/1g.20gb=0.25".parse().unwrap();
    let counts = profiles(&generated(&GeneratorOptions { gpus: 400, mix, ..Default::default() }));
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["1g.10gb", "1g.20gb"]);
    // About 1,400 newcomers: 25 % and four standard deviations of 1.2 %.
    let share = f64::from(counts["1g.20gb"].1) / f64::from(counts["1g.10gb"].1 + counts["1g.20gb"].1);
    assert!((0.20..0.30).contains(&share), "{share}");
    // Commas and slashes are the same.
    let mixes: [wpm::Mix; 2] = ["1g.10gb,4g.40gb=2", "1g.10gb=1/4g.40gb=2"].map(|text| text.parse().unwrap());
    assert_eq!(mixes[0], mixes[1]);
    assert_eq!(mixes[0].to_string(), "1g.10gb=1/4g.40gb=2");
    // What is drawn depends on proportions alone.
    let alike = |mix: &str| {
        let file = wpm::generate(&GeneratorOptions { mix: mix.parse().unwrap(), ..Default::default() });
        serde_json::to_string(&InstanceFile::of::<wpm::Wpm>(file)).unwrap()
    };
    let named = "1g.10gb=5/1g.10gb+me=5/1g.20gb=5/2g.20gb=5/3g.40gb=5/4g.40gb=5/7g.80gb=5";
    assert_eq!(alike("all"), alike(named));
    // Where no profile is as small as the utilisation of a GPU, the smallest of the mix is the first.
    let mix = "4g.40gb/7g.80gb".parse().unwrap();
    let problem = generated(&GeneratorOptions { gpus: 20, mix, newcomer_share: 0.0, ..Default::default() });
    assert_eq!(problem.cluster.workloads.len(), 12);
}

#[test]
fn demand_stays_within_its_bound_and_fills_it() {
    for (seed, utilisation) in (1..=20).zip([0.2, 0.6, 0.9, 1.1].into_iter().cycle()) {
        let bounded = GeneratorOptions {
            seed,
            gpus: 10,
            newcomer_share: 2.0,
            utilisation: Some(utilisation),
            ..Default::default()
        };
        let (running, new) = slices(&generated(&bounded));
        let bound = (utilisation * 80.0_f64).round() as u32;
        // The smallest profile has one slice.
        assert_eq!(new, bound.saturating_sub(running), "seed {seed}, {utilisation}");
        let free = GeneratorOptions { utilisation: None, newcomer_share: 0.6, ..bounded };
        assert_eq!(
            slices(&generated(&free)),
            (running, 48),
            "seed {seed}: what runs does not depend on newcomers"
        );
    }
}

#[test]
fn newcomers_that_fit_have_a_place_beside_what_runs() {
    let mut left_waiting = 0;
    for seed in 1..=25 {
        for board in ["A100-80GB", "A30-24GB"] {
            let options = GeneratorOptions {
                gpus: 6,
                board: support::board(board),
                seed,
                use_case: UseCase::Initial,
                newcomer_share: 1.0,
                ..Default::default()
            };
            let pending = |newcomers_fit| {
                let problem = generated(&GeneratorOptions { newcomers_fit, ..options.clone() });
                let solve = SolveOptions::exact(by_name("highs").unwrap());
                let solved =
                    wpm::suitable(&problem).solve(&problem, None, &solve, &Control::silent()).unwrap();
                assert_eq!(solved.status, Status::Optimal);
                let placement = solved.best.unwrap().0.placement;
                problem.decided().filter(|&workload| placement.of(workload).is_none()).count()
            };
            assert_eq!(pending(true), 0, "{board}, seed {seed}");
            left_waiting += usize::from(pending(false) > 0);
        }
    }
    assert!(left_waiting > 40, "without the option hardly any cluster is too small: {left_waiting}");
}
