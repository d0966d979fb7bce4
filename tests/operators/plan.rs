//! `migopt plan`, and `migopt verify` of plans.

use serde_json::Value;
use support::cli::schemas::check_schema;
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, LIMIT, PROVED, run};

/// Two workloads that have to change places on a full GPU, and an empty GPU beside it.
const SWAP: &str = "\
name: swap
gpus:
  - {name: g, board: A100-40GB, count: 2}
workloads:
  - {name: left, profile: 3g.20gb, current: {gpu: g-0, start: 0}}
  - {name: right, profile: 3g.20gb, current: {gpu: g-0, start: 4}}
";

/// Where they change places.
const SWAPPED: &str = "\
instance: {name: swap}
placement:
  - {workload: left, gpu: g-0, start: 4}
  - {workload: right, gpu: g-0, start: 0}
";

fn two_nodes() -> String {
    let file = "instances/operators/two-nodes/expected/instance.yaml";
    format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_small_cluster_is_planned_in_two_rounds_and_the_plan_passes() {
    let folder = Folder::new();
    let output = folder.text("plan.json");
    let text = run(&["plan", &two_nodes(), "--output", &output], PROVED).stdout;
    assert!(text.contains("serving/embed-1 (2g.10gb) moves from gpu-b/1 slot 2 to gpu-b/1 slot 4"), "{text}");
    assert!(text.contains("research/train-1 (4g.20gb) starts at gpu-b/1 slot 0"), "{text}");
    assert!(text.contains("2 rounds, 1 move, 1 start, nothing stops") && text.contains("chain: "), "{text}");
    let plan = folder.json("plan.json");
    check_schema(&["plan"], &plan);
    assert_eq!(plan["proved"], true);
    let verdict = run(&["verify", &two_nodes(), &output, "--format", "json"], PROVED).json();
    assert_eq!(verdict["valid"], true);
    assert!(verdict["bounds"].as_array().unwrap().iter().all(|bound| bound["checked"] == true), "{verdict}");
}

#[test]
fn a_plan_that_was_changed_is_refused() {
    let folder = Folder::new();
    run(&["plan", &two_nodes(), "--quiet", "--output", &folder.text("plan.json")], PROVED);
    let mut plan = folder.json("plan.json");
    plan["rounds"].as_array_mut().unwrap().reverse();
    plan.as_object_mut().unwrap().remove("operations");
    let changed = folder.write("changed.json", plan.to_string());
    let told = run(&["verify", &two_nodes(), &changed], INFEASIBLE).stdout;
    assert!(told.contains("not a valid plan") && told.contains("round 1"), "{told}");
}

#[test]
fn who_changes_places_steps_aside_and_interchangeable_ones_need_not() {
    let folder = Folder::new();
    let (cluster, answer) = (folder.write("swap.yaml", SWAP), folder.write("swapped.yaml", SWAPPED));
    let plan = run(&["plan", &cluster, &answer, "--format", "json"], PROVED).json();
    assert_eq!(plan["counts"]["stops"], 0);
    assert_eq!(plan["counts"]["bounces"], 1);
    assert_eq!(plan["bounds"]["bounces"]["by"], "cycles");
    let text = run(&["plan", &cluster, &answer], PROVED).stdout;
    assert!(text.contains("a temporary place") && text.contains("circle: "), "{text}");

    let alike = SWAP.replace("profile: 3g.20gb,", "profile: 3g.20gb, class: pair,");
    let alike = folder.write("alike.yaml", alike);
    let plan = run(&["plan", &alike, &answer, "--format", "json"], PROVED).json();
    assert_eq!(plan["rounds"], Value::Array(Vec::new()));
}

/// Two GPUs, each half full, that are to become one, with a target in which both workloads move.
#[test]
fn an_open_target_takes_the_fewest_moves_of_one_round() {
    let folder = Folder::new();
    let cluster = "\
name: halves
gpus:
  - {name: g, board: A100-40GB, count: 3}
workloads:
  - {name: one, profile: 3g.20gb, current: {gpu: g-0, start: 0}}
  - {name: two, profile: 3g.20gb, current: {gpu: g-1, start: 0}}
";
    let target = "\
instance: {name: halves}
placement:
  - {workload: one, gpu: g-1, start: 0}
  - {workload: two, gpu: g-1, start: 4}
";
    let (cluster, target) = (folder.write("halves.yaml", cluster), folder.write("target.yaml", target));
    let plan = |flags: &[&str]| {
        let output = folder.text("plan.json");
        let base = ["plan", &cluster, &target, "--output", &output, "--quiet"];
        run(&[&base[..], flags].concat(), PROVED);
        run(&["verify", &cluster, &output], PROVED);
        let plan = std::fs::read_to_string(&output).unwrap();
        std::fs::remove_file(&output).unwrap();
        serde_json::from_str::<Value>(&plan).unwrap()
    };
    let (fixed, open) = (plan(&[]), plan(&["--target", "open"]));
    assert_eq!((&fixed["counts"]["rounds"], &fixed["counts"]["moves"]), (&2.into(), &2.into()), "{fixed}");
    assert_eq!((&open["counts"]["rounds"], &open["counts"]["moves"]), (&1.into(), &1.into()), "{open}");
    assert!(open["notes"][0].as_str().unwrap().contains("none of them takes fewer"), "{open}");
    let refused = ["plan", &cluster, &target, "--target", "open", "--backend", "mig-parted"];
    let told = run(&refused, BAD_INPUT).stderr;
    assert!(told.contains("mig-parted clears more than one GPU instance at a time"), "{told}");
}

#[test]
fn what_cannot_be_is_said_with_the_reason() {
    let folder = Folder::new();
    let answer = folder.write("swapped.yaml", SWAPPED);
    let careful = SWAP.replace("profile: 3g.20gb,", "profile: 3g.20gb, handover: restart, budget: none,");
    let careful = careful + "disruption_budgets: [{name: none, allowed: 0}]\n";
    let told = run(&["plan", &folder.write("careful.yaml", careful), &answer], INFEASIBLE).stdout;
    assert!(told.contains("the disruption budget `none` allows no workload to be down"), "{told}");
    let told = run(&["plan", &two_nodes(), "--backend", "mig-parted"], INFEASIBLE).stdout;
    assert!(told.contains("gpu-b/1 has to be laid out anew") && told.contains("serving/video-0"), "{told}");
}

#[test]
fn unknown_budgets_and_objectives_are_named() {
    let folder = Folder::new();
    let unknown =
        folder.write("unknown.yaml", SWAP.replace("profile: 3g.20gb,", "profile: 3g.20gb, budget: webs,"));
    let told = run(&["plan", &unknown], BAD_INPUT).stderr;
    assert!(
        told.contains("no disruption budget is called \"webs\"") && told.contains("unknown.yaml:5"),
        "{told}"
    );
    let told = run(&["plan", &two_nodes(), "--minimize", "stop"], BAD_INPUT).stderr;
    assert!(told.contains("\"stop\" is nothing that a plan minimises"), "{told}");
}

#[test]
fn without_a_plan_programs_get_a_document_and_readers_a_reason() {
    let folder = Folder::new();
    let answer = folder.write("swapped.yaml", SWAPPED);
    let careful = SWAP.replace("profile: 3g.20gb,", "profile: 3g.20gb, handover: restart, budget: none,");
    let careful = careful + "disruption_budgets: [{name: none, allowed: 0}]\n";
    let cluster = folder.write("swap.yaml", careful);
    let document = run(&["plan", &cluster, &answer, "--format", "json"], INFEASIBLE).json();
    check_schema(&["no-plan"], &document);
    assert_eq!((&document["instance"]["name"], &document["status"]), (&"swap".into(), &"infeasible".into()));
    let reason = document["reason"].as_str().unwrap();
    let text = run(&["plan", &cluster, &answer], INFEASIBLE).stdout;
    assert_eq!(text, format!("swap: {reason}\n"));
    assert_eq!(run(&["plan", &cluster, &answer, "--quiet"], INFEASIBLE).stdout, "");

    let full = folder.write("full.yaml", SWAP.replace("count: 2", "count: 1") + FOUR_MORE);
    let arguments = ["plan", &full, "--format", "yaml"];
    let told = run(&arguments, INFEASIBLE).stdout;
    assert!(told.contains("status: infeasible") && told.contains("no target: "), "{told}");
}

/// A workload for which a full GPU has no room, though it has to be placed.
const FOUR_MORE: &str = "  - {name: more, profile: 4g.20gb}\nwpm: {use_case: joint, place_all: true}\n";

#[test]
fn boards_of_lent_gpus_have_other_names() {
    let folder = Folder::new();
    let full = folder.write("full.yaml", SWAP.replace("count: 2", "count: 1"));
    let answer = folder.write("swapped.yaml", SWAPPED);
    for board in ["A100-40GB", "a100-sxm4-40gb"] {
        let plan = run(&["plan", &full, &answer, "--spare", board, "--format", "json"], PROVED).json();
        assert_eq!(plan["counts"]["stops"], 0);
        assert_eq!(plan["spares"][0]["board"], "A100-40GB");
        assert_eq!(
            plan["notes"][0],
            "1 empty GPU has to be lent; without it, a workload stops that need not"
        );
    }
    let told = run(&["plan", &full, &answer, "--spare", "A100-80"], BAD_INPUT).stderr;
    assert!(told.contains("--spare: ") && told.contains("A100-40GB"), "{told}");
}

/// Two nodes; what runs on the first one may be there alone.
const BOUND: &str = "\
name: bound
hosts:
  - {name: a, labels: {pool: x}, gpus: {board: A100-40GB}}
  - {name: b, gpus: {board: A100-40GB}}
workloads:
  - {name: left, profile: 3g.20gb, node_selector: {pool: x}, current: {gpu: a/0, start: 0}}
  - {name: right, profile: 3g.20gb, nodes: a, current: {gpu: a/0, start: 4}}
";

#[test]
fn temporary_places_and_targets_are_on_nodes_where_workloads_may_be() {
    let folder = Folder::new();
    let swapped = "\
instance: {name: bound}
placement:
  - {workload: left, gpu: a/0, start: 4}
  - {workload: right, gpu: a/0, start: 0}
";
    let swapped = folder.write("swapped.yaml", swapped);
    // Without the rule one of them steps aside to the other node; with it, one has to stop.
    let free = BOUND.replace("node_selector: {pool: x}, ", "").replace("nodes: a, ", "");
    let plan = |cluster: &str, code| run(&["plan", cluster, &swapped, "--format", "json"], code).json();
    let free = plan(&folder.write("free.yaml", free), PROVED);
    assert_eq!((&free["counts"]["stops"], &free["counts"]["bounces"]), (&0.into(), &1.into()), "{free}");
    let cluster = folder.write("bound.yaml", BOUND);
    // The stop is proved, how long it lasts is not.
    let bound = plan(&cluster, LIMIT);
    assert_eq!((&bound["counts"]["stops"], &bound["counts"]["bounces"]), (&1.into(), &0.into()), "{bound}");
    let away = "instance: {name: bound}\nplacement: [{workload: left, gpu: b/0, start: 0}, {workload: right, gpu: a/0, start: 4}]\n";
    let told = run(&["plan", &cluster, &folder.write("away.yaml", away)], BAD_INPUT).stderr;
    assert!(
        told.contains("the target starts `left` or one like it at b/0") && told.contains("`nodes`"),
        "{told}"
    );
}

#[test]
fn open_targets_refuse_rules_that_they_do_not_know() {
    let folder = Folder::new();
    let with = |rules: &str, settings: &str, group: &str| {
        let text = format!(
            "name: r\ngpus: [{{name: g, board: A100-40GB}}]\n{rules}workloads: [{{name: w, profile: 3g.20gb, current: {{gpu: g, start: \
             0}}{group}}}]\nwpm: {{{settings}}}\n"
        );
        let cluster = folder.write("r.yaml", text);
        run(&["plan", &cluster, "--target", "open"], BAD_INPUT).stderr
    };
    let told = with("groups: [{name: pod, as_one: true}]\n", "", ", group: pod");
    assert!(told.contains("group `pod`") && told.contains("--target fixed"), "{told}");
    let told = with("", "max_disrupted: 0", "");
    assert!(told.contains("`max_disrupted: 0`") && told.contains("--target fixed"), "{told}");
}

#[test]
fn what_counts_as_one_moves_in_one_round() {
    let folder = Folder::new();
    let pod = "\
name: pod
gpus: [{name: g, board: A100-40GB, count: 2}]
groups: [{name: pod, as_one: true}]
workloads:
  - {name: one, profile: 2g.10gb, group: pod, current: {gpu: g-0, start: 0}}
  - {name: two, profile: 1g.5gb, group: pod, current: {gpu: g-0, start: 2}}
  - {name: first, profile: 1g.5gb, current: {gpu: g-1, start: 0}}
";
    let cluster = folder.write("pod.yaml", pod);
    let plan = |places: [(&str, u8); 3]| {
        let mut answer = "instance: {name: pod}\nplacement:\n".to_owned();
        for (name, (gpu, start)) in ["one", "two", "first"].into_iter().zip(places) {
            answer += &format!("  - {{workload: {name}, gpu: {gpu}, start: {start}}}\n");
        }
        run(&["plan", &cluster, &folder.write("answer.yaml", answer), "--format", "json"], PROVED).json()
    };
    // One of them has to wait for `first`, so both do.
    let plan_of_all = plan([("g-1", 0), ("g-1", 2), ("g-1", 6)]);
    let moves = |round: usize| plan_of_all["rounds"][round]["moves"].as_array().unwrap().len();
    assert_eq!((moves(0), moves(1)), (1, 2), "{plan_of_all}");
    // One stays, so that no second copy of both can start.
    let part = plan([("g-1", 4), ("g-0", 2), ("g-1", 0)]);
    assert_eq!(part["counts"]["stops"], 1, "{part}");
    assert!(part["notes"][0].as_str().unwrap().contains("in their places stay `two`"), "{part}");
}
