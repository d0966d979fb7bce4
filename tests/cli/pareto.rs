//! `migopt pareto` of model wpm; that of siavashi is among its own tests.

use serde_json::{Value, json};
use support::cli::schemas::check_schema;
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, PROVED, instance, run};

/// One GPU of two is free once the smaller workload moves, which costs 4 for its one slice.
const TWO_GPUS: &str = "\
name: two
gpus: [{name: gpu, board: A30, count: 2}]
workloads:
  - {name: left, profile: 2g.12gb, current: {gpu: gpu-0, start: 0}}
  - {name: right, profile: 1g.6gb, current: {gpu: gpu-1, start: 0}}
";

#[test]
fn a_free_gpu_costs_a_move() {
    let folder = Folder::new();
    let (path, output) = (folder.write("two.yaml", TWO_GPUS), folder.text("frontier.json"));
    let asked = ["pareto", &path, "--objectives", "gpus,migrations", "--output", &output];
    let text = run(&asked, PROVED).stdout;
    assert!(text.contains("two: 2 non-dominated points, all of them (proved)"), "{text}");
    assert!(text.contains("1 GPU in use, 1 each; 1 workload migrated at 4 per slice"), "{text}");
    let frontier = folder.json("frontier.json");
    check_schema(&["frontier"], &frontier);
    let points = frontier["points"].as_array().unwrap();
    let values: Vec<&Value> = points.iter().map(|point| &point["values"]).collect();
    assert_eq!(values, [&json!([1, 4]), &json!([2, 0])]);
    for point in points {
        let solution = folder.write("solution.json", point["solution"].to_string());
        let verdict = run(&["verify", &path, &solution, "--format", "json"], PROVED).json();
        assert_eq!(verdict["score"]["gpus"], point["score"]["gpus"]);
        assert_eq!(verdict["score"]["migrations"], point["score"]["migrations"]);
    }
}

#[test]
fn where_some_workload_must_wait_there_is_no_point_without_the_reward() {
    let path = instance("too-much-demand");
    let done = run(&["pareto", &path, "--objectives", "gpus,migrations", "--format", "json"], INFEASIBLE);
    let frontier = done.json();
    assert_eq!((&frontier["status"], &frontier["points"]), (&json!("infeasible"), &json!([])));
    assert!(
        frontier["reason"].as_str().unwrap().contains("at least 1 of 5 workloads must stay pending"),
        "{frontier}"
    );
    let text = run(&["pareto", &path, "--objectives", "gpus,migrations"], INFEASIBLE).stdout;
    assert!(text.contains("infeasible") && text.contains("`reward`"), "{text}");
}

#[test]
fn other_than_two_goals_are_refused() {
    let path = instance("eight-gpus");
    for goals in ["gpus", "gpus,profit", "gpus,gpus", "gpus,migrations,waste"] {
        let words = run(&["pareto", &path, "--objectives", goals], BAD_INPUT).stderr;
        assert!(words.contains("goals") && !words.contains(".."), "{words}");
        assert!(words.contains("--objectives"), "{words}");
    }
}
