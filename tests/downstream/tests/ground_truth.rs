//! Best fit against proved optima.

use best_fit::best_fit;
use migopt::testing::{Truth, corpus};
use migopt::{Instance, Solution, assert_gap_at_most, assert_optimal, assert_valid};

fn answer(instance: &Instance) -> Solution {
    let question = instance.question().unwrap().document(0);
    best_fit(&serde_json::from_value(question).unwrap())
}

#[test]
fn it_is_optimal_where_there_is_nothing_to_gain_by_moving() {
    let instance = Instance::from_yaml(
        "
name: two-newcomers
gpus: [{name: gpu, board: A100-80GB, count: 2}]
workloads:
  - {name: runs, profile: 3g.40gb, current: {gpu: gpu-1, start: 4}}
  - {name: small, profile: 1g.10gb}
  - {name: large, profile: 2g.20gb}
",
    )
    .unwrap();
    assert_optimal!(instance, answer(&instance));
}

#[test]
fn it_is_within_a_fifth_on_a_cluster_of_eight_gpus() {
    let instance = Instance::from_file("../../instances/wpm/eight-gpus.yaml").unwrap();
    assert_gap_at_most!(instance, answer(&instance), 0.2);
}

/// Small instances with proved optima; nothing is solved here.
#[test]
fn it_obeys_the_rules_and_never_beats_the_optimum() {
    let mut optimal = 0;
    let corpus = corpus("wpm");
    let may_leave = |truth: &&Truth| truth.optimum.is_some() && !truth.instance.given.wpm.place_all;
    for truth in corpus.iter().filter(may_leave) {
        let solution = answer(&truth.instance);
        assert_valid!(truth.instance, solution, "{}", truth.name);
        // An error if the solution were better than what is proved to be best.
        optimal += u32::from(truth.distance(&solution).unwrap().is_optimal());
    }
    assert!(optimal >= 100, "only {optimal} are optimal");
}

/// What a failing assertion tells.
#[test]
#[should_panic(expected = "an optimal solution (proved):")]
fn a_gap_that_is_too_large_is_shown_beside_an_optimum() {
    let instance = Instance::from_file("../../instances/wpm/compaction.yaml").unwrap();
    assert_optimal!(instance, answer(&instance));
}
