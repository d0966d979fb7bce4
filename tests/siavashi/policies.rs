//! The policies of Siavashi & Momtazpour: cases worked out by hand, and their parameters.

use cluster::{Location, WorkloadIndex};
use fleet::{Fleet, Guest, Request, Supply, admit};
use itertools::Itertools;
use siavashi::{Grmu, Online, POLICIES, heuristics};
use siavashi::{Problem, verify};
use support::siavashi::problem;

/// Where a heuristic puts every workload, as `workload gpu start` or `workload -`.
pub fn places(problem: &Problem, heuristic: &str) -> Vec<String> {
    let placement = kit::choose_heuristic(&heuristics(), heuristic).unwrap().propose(problem, 0);
    assert_eq!(verify(problem, &placement).violations, [], "{heuristic}");
    let cluster = &problem.cluster;
    let place = |workload: WorkloadIndex| {
        let name = &cluster.workloads[workload.index()].name;
        match placement.of(workload) {
            Some(Location { gpu, start }) => format!("{name} {} {}", cluster.gpus[gpu.index()].name, start.0),
            None => format!("{name} -"),
        }
    };
    cluster.workload_indices().map(place).collect()
}

/// One host called `h` with some A100-40GB, without limits of CPU and memory.
pub fn one_host(gpus: u32, workloads: &[&str]) -> Problem {
    let list = workloads.iter().map(|workload| format!("  - {{{workload}}}\n")).join("");
    problem(format!(
        "name: x\nhosts:\n  - {{name: h, gpus: {{board: A100-40GB, count: {gpus}}}}}\nworkloads:\n{list}"
    ))
}

#[test]
fn the_registry_begins_with_the_papers_five() {
    let names: Vec<&str> = heuristics().iter().map(|entry| entry.name()).collect();
    assert_eq!(names[..5], ["ff", "bf", "mcc", "mecc", "grmu"]);
    for entry in POLICIES {
        assert!(entry.summary().len() > 20 && entry.reference().starts_with("Siavashi"), "{}", entry.name());
    }
}

/// Section 7: the first 1g.5gb goes to block 6, the second to block 4.
#[test]
fn instances_begin_where_the_driver_puts_them() {
    let problem = one_host(1, &["name: a, profile: 1g.5gb", "name: b, profile: 1g.5gb"]);
    for heuristic in ["ff", "bf", "mcc", "mecc"] {
        assert_eq!(places(&problem, heuristic), ["a h/0 6", "b h/0 4"], "{heuristic}");
    }
}

#[test]
fn first_fit_best_fit_and_max_capability_differ() {
    let problem = one_host(
        3,
        &[
            "name: a, profile: 3g.20gb, current: {gpu: h/0, start: 4}",
            "name: b, profile: 4g.20gb, current: {gpu: h/1, start: 0}",
            "name: c, profile: 2g.10gb, current: {gpu: h/1, start: 4}",
            "name: d, profile: 1g.5gb",
        ],
    );
    for (heuristic, place) in [("ff", "d h/0 0"), ("bf", "d h/1 6"), ("mcc", "d h/2 6")] {
        assert_eq!(places(&problem, heuristic)[3], place, "{heuristic}");
    }
}

/// On h/0 the newcomer leaves 4 starts for 1g.5gb, 2 for 1g.10gb and a CC of 10; on h/1 it leaves 5, 2 and 9.
#[test]
fn frequencies_decide_where_max_expected_capability_differs() {
    let problem = one_host(
        2,
        &[
            "name: a, profile: 1g.5gb, current: {gpu: h/0, start: 6}",
            "name: b, profile: 1g.5gb, current: {gpu: h/1, start: 0}",
            "name: c, profile: 1g.10gb",
        ],
    );
    let expected = [
        ("mcc", "c h/0 4"),
        ("mecc", "c h/1 6"),
        ("mecc:look-back=all", "c h/1 6"),
        ("mecc:look-back=1", "c h/1 6"),
        ("mecc:look-back=24h", "c h/1 6"),
        ("mecc:look-back=0", "c h/0 4"),
    ];
    for (heuristic, place) in expected {
        assert_eq!(places(&problem, heuristic)[2], place, "{heuristic}");
    }
}

/// Of four GPUs the heavy basket may have one: the printed comparison lets it have two.
#[test]
fn the_heavy_basket_is_limited() {
    let problem = one_host(4, &["name: a, profile: 7g.40gb, replicas: 3", "name: b, profile: 1g.5gb"]);
    assert_eq!(places(&problem, "grmu"), ["a#0 h/0 0", "a#1 h/2 0", "a#2 -", "b h/1 6"]);
    assert_eq!(places(&problem, "grmu:basket-comparison=below"), ["a#0 h/0 0", "a#1 -", "a#2 -", "b h/1 6"]);
    assert_eq!(
        places(&problem, "grmu:heavy-capacity=0.5"),
        ["a#0 h/0 0", "a#1 h/2 0", "a#2 h/3 0", "b h/1 6"]
    );
}

/// A GPU with a whole-GPU resident begins in the heavy basket, any other GPU with residents in the light one.
#[test]
fn residents_assign_gpus_to_baskets() {
    let problem = one_host(
        3,
        &[
            "name: a, profile: 1g.5gb, current: {gpu: h/0, start: 6}",
            "name: b, profile: 7g.40gb, current: {gpu: h/2, start: 0}",
            "name: c, profile: 7g.40gb",
            "name: d, profile: 4g.20gb, replicas: 2",
        ],
    );
    let settings = "heavy-capacity=0.34,basket-comparison=below";
    assert_eq!(
        places(&problem, &format!("grmu:{settings}")),
        ["a h/0 6", "b h/2 0", "c -", "d#0 h/0 0", "d#1 h/1 0"]
    );
}

/// Line 14 of Algorithm 3 takes a GPU from the pool although its host then refuses.
#[test]
fn the_pool_gives_a_gpu_for_good() {
    let problem = problem(
        "name: x\nhosts:\n  - {name: h, gpus: {board: A100-40GB, count: 2}}\n  \
         - {name: small, cpu: 1, gpus: {board: A100-40GB}}\n  - {name: k, gpus: {board: A100-40GB}}\nworkloads:\n  \
         - {name: a, profile: 4g.20gb, cpu: 2, replicas: 3}\n",
    );
    assert_eq!(places(&problem, "grmu"), ["a#0 h/1 0", "a#1 -", "a#2 k/0 0"]);
}

#[test]
fn a_rejection_defragments() {
    let with = |more: &str| {
        one_host(
            2,
            &[
                &format!("name: a, profile: 1g.5gb, current: {{gpu: h/0, start: 4}}{more}"),
                "name: b, profile: 7g.40gb, replicas: 2",
            ],
        )
    };
    assert_eq!(places(&with(""), "grmu"), ["a h/0 6", "b#0 h/1 0", "b#1 -"]);
    assert_eq!(places(&with(""), "grmu:defragment=no")[0], "a h/0 4");
    assert_eq!(places(&with(", movable: false"), "grmu")[0], "a h/0 4");
    assert_eq!(
        places(&one_host(2, &["name: a, profile: 1g.5gb, current: {gpu: h/0, start: 4}"]), "grmu"),
        ["a h/0 4"]
    );
}

/// Fragmentations of h/0 and h/1: 0 and 1 as printed, 3.5 and 3 with a copy of the GPU for every profile.
#[test]
fn readings_of_fragmentation_choose_different_gpus() {
    let problem = one_host(
        3,
        &[
            "name: a, profile: 1g.5gb, current: {gpu: h/0, start: 0}",
            "name: b, profile: 1g.10gb, current: {gpu: h/0, start: 6}",
            "name: c, profile: 1g.10gb, current: {gpu: h/1, start: 4}",
            "name: d, profile: 7g.40gb, replicas: 2",
        ],
    );
    assert_eq!(places(&problem, "grmu")[..3], ["a h/0 0", "b h/0 6", "c h/1 6"]);
    assert_eq!(places(&problem, "grmu:fragmentation=reset")[..3], ["a h/0 6", "b h/0 4", "c h/1 4"]);
}

#[test]
fn consolidation_empties_a_gpu() {
    let with = |first: &str, second: &str| {
        let text = "name: x\nhosts:\n  - {name: h, cpu: 8, memory_gib: 100, gpus: {board: A100-40GB}}\n  \
                    - {name: k, cpu: 9, memory_gib: 100, gpus: {board: A100-40GB}}\n  \
                    - {name: l, gpus: {board: A100-40GB}}\nworkloads:\n";
        let problem = problem(format!("{text}  - {{name: a, {first}}}\n  - {{name: b, {second}}}\n"));
        assert_eq!(places(&problem, "grmu"), places(&problem, "ff"), "off by default");
        places(&problem, "grmu:consolidate=yes")
    };
    let three = "profile: 3g.20gb, cpu: 3, current: {gpu: h/0, start: 4}";
    let four = |cpu| format!("profile: 4g.20gb, cpu: {cpu}, current: {{gpu: k/0, start: 0}}");
    assert_eq!(with(three, &four(3)), ["a k/0 4", "b k/0 0"]);
    assert_eq!(with(three, &four(7)), ["a h/0 4", "b k/0 0"], "neither host has the cores for both");
    assert_eq!(
        with(&format!("{three}, movable: false"), &four(5)),
        ["a h/0 4", "b h/0 0"],
        "the other one moves"
    );
    let pinned = format!("{}, movable: false", four(3));
    assert_eq!(with(&format!("{three}, movable: false"), &pinned), ["a h/0 4", "b k/0 0"]);
    let other = "profile: 4g.20gb, cpu: 3, current: {gpu: h/0, start: 0}";
    assert_eq!(with(other, &four(3)), ["a h/0 0", "b k/0 0"], "two 4g.20gb begin at the same slot");
    let halves = "profile: 2g.10gb, replicas: 2, current: [{gpu: k/0, start: 0}, {gpu: k/0, start: 2}]";
    let places = with(three, halves);
    assert_eq!(places, ["a h/0 4", "b#0 k/0 0", "b#1 k/0 2"], "half full, but not with one workload");
}

/// Four half-full GPUs make two full ones; what was emptied serves whole-GPU requests again.
#[test]
fn consolidated_gpus_return_to_the_pool() {
    let resident = |gpu| format!("name: r{gpu}, profile: 3g.20gb, current: {{gpu: h/{gpu}, start: 4}}");
    let residents: Vec<String> = (0..4).map(resident).collect();
    let mut workloads: Vec<&str> = residents.iter().map(String::as_str).collect();
    workloads.push("name: whole, profile: 7g.40gb, replicas: 3");
    let problem = one_host(5, &workloads);
    let cluster = &problem.cluster;
    let request = |workload: usize| Request {
        on_board: &cluster.requests[cluster.workloads[workload].request.index()].on_board,
        cpu: cluster.workloads[workload].cpu,
        memory: cluster.workloads[workload].memory,
        movable: true,
        ruled: None,
    };
    let mut fleet = Fleet::new(&cluster.boards, &cluster.gpus, vec![Supply { cpu: None, memory: None }]);
    for guest in 0..4 {
        fleet.place(
            Guest(guest),
            request(guest as usize),
            cluster.workloads[guest as usize].current.unwrap(),
        );
    }
    let mut policy = Grmu { consolidates: true, ..Grmu::PRINTED }.begin(&fleet);
    let whole = |guest: u32| (Guest(guest), request(guest as usize), 0);
    let mut gpus = Vec::new();
    for (consolidates, (guest, request, time)) in
        [(false, whole(4)), (false, whole(5)), (true, whole(5)), (false, whole(6))]
    {
        if consolidates {
            let moves = policy.consolidate(&mut fleet);
            let moved =
                moves.iter().map(|step| (step.guest.0, step.from.gpu.0, step.to.gpu.0, step.to.start.0));
            assert_eq!(moved.collect_vec(), [(0, 0, 1, 0), (2, 2, 3, 0)]);
        }
        gpus.push(admit(policy.as_mut(), &mut fleet, guest, request, time).map(|place| place.gpu.0));
    }
    assert_eq!(gpus, [Some(4), None, Some(0), None]);
}

/// A whole A30 is half an A100, and a large board has no tables.
#[test]
fn boards_of_several_types() {
    let text = "
name: x
boards:
  large:
    slots: 20
    compute: 20
    profiles:
      - {name: small, compute: 5, size: 5, starts: [0, 10]}
      - {name: middle, compute: 10, size: 10, starts: [0]}
      - {name: whole, compute: 20, size: 20, starts: [0]}
gpus:
  - {name: a30, board: A30-24GB, count: 2}
  - {name: a100, board: A100-40GB, count: 2}
  - {name: large, board: large, count: 2}
workloads:
  - {name: a, profile: 3g.20gb}
  - {name: b, profile: [3g.20gb, 4g.24gb]}
  - {name: c, profile: small, replicas: 2}
  - {name: d, profile: [whole, 7g.40gb, 4g.24gb], replicas: 2}
";
    let problem = problem(text);
    let first_fit =
        ["a a100-0 4", "b a30-0 0", "c#0 large-0 10", "c#1 large-0 0", "d#0 a30-1 0", "d#1 a100-1 0"];
    assert_eq!(places(&problem, "ff"), first_fit);
    let best_fit =
        ["a a100-0 4", "b a30-0 0", "c#0 large-0 10", "c#1 large-0 0", "d#0 a30-1 0", "d#1 a100-1 0"];
    assert_eq!(places(&problem, "bf"), best_fit);
    // Of six GPUs the heavy basket may have one, which is an A30, and one more.
    let grmu = ["a a100-0 4", "b a30-0 0", "c#0 large-0 10", "c#1 large-0 0", "d#0 a100-1 0", "d#1 -"];
    assert_eq!(places(&problem, "grmu"), grmu);
}

#[test]
fn limits_of_a_board_hold() {
    let problem = one_host(2, &["name: a, profile: 1g.5gb+me, replicas: 2"]);
    for heuristic in ["ff", "bf", "mcc", "mecc"] {
        assert_eq!(places(&problem, heuristic), ["a#0 h/0 6", "a#1 h/1 6"], "{heuristic}");
    }
}

#[test]
fn wrong_parameters_are_explained() {
    let wrong = [
        ("ff:order=best", "the heuristic ff takes no parameters. Write `ff`."),
        (
            "mecc:look-back=day",
            "the value of look-back is \"day\". Give a time, such as 24h or 90s, a whole number of requests, such as 100, or `all`.",
        ),
        (
            "mecc:look-back=-1",
            "the value of look-back is \"-1\". Give a time, such as 24h or 90s, a whole number of requests, such as 100, or `all`.",
        ),
        (
            "grmu:heavy-capacity=1.5",
            "the value of heavy-capacity is \"1.5\". Give a number from 0 to 1 with at most six digits after the decimal point, \
             such as 0.3.",
        ),
        (
            "grmu:fragmentation=rest",
            "the value of fragmentation is \"rest\". \"rest\" is not one of the values (did you mean \"reset\"?). Values: literal, reset.",
        ),
        (
            "grmu:basket-comparison=above",
            "the value of basket-comparison is \"above\". \"above\" is not one of the values. Values: at-most, below.",
        ),
        (
            "grmu:defragment=1",
            "the value of defragment is \"1\". \"1\" is not one of the values. Values: yes, no.",
        ),
        (
            "grmu:consolidate=",
            "the value of consolidate is \"\". \"\" is not one of the values. Values: yes, no.",
        ),
    ];
    for (text, complaint) in wrong {
        assert_eq!(kit::choose_heuristic(&heuristics(), text).err().as_deref(), Some(complaint));
    }
}
