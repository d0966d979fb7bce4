//! Every heuristic of the registry on every shipped instance, and what each of them is about.

use cluster::{Metrics, Placement};
use kit::metric_values;
use kit::{PlacedWorkload, ProposalDocument, SolveOptions, Status};
use mig::preferred_starts;
use models::{Instance, InstanceFile, model_of};
use solver::Control;
use solvers::by_name;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use support::board;
use support::cli::schemas::{check, schema};
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, PROVED, instance, run};
use support::instances::{self, all_shipped, posed, read, written};
use wpm::HEURISTICS;
use wpm::{METRICS, Reading, Solution, UseCase, verify};

const INTERNAL: i32 = 1;

fn shipped() -> Vec<Instance> {
    all_shipped("wpm").iter().map(read).collect()
}

fn optimum(problem: &wpm::Problem) -> wpm::Solved {
    let options = SolveOptions::exact(by_name("highs").unwrap());
    wpm::suitable(problem).solve(problem, None, &options, &Control::silent()).unwrap()
}

fn proposed(instance: &Instance, heuristic: &str, seed: u64) -> ProposalDocument {
    let question = model_of::<wpm::Wpm>().pose(instance).unwrap();
    question.propose(heuristic, seed).unwrap()
}

/// Where a heuristic puts the workloads of an instance, as `workload gpu start`.
fn places(text: &str, heuristic: &str) -> Vec<String> {
    let proposal = proposed(&instances::instance(text), heuristic, 0);
    assert_eq!(proposal.violations, []);
    let place = |placed: &PlacedWorkload| format!("{} {} {}", placed.workload, placed.gpu, placed.start);
    proposal.solution.placement.unwrap().iter().map(place).collect()
}

#[test]
fn the_registry_is_in_order() {
    let names: BTreeSet<&str> = HEURISTICS.iter().map(|entry| entry.name()).collect();
    assert_eq!(names.len(), HEURISTICS.len(), "names are unique");
    for entry in HEURISTICS {
        let kebab = entry.name().split('-').all(|word| {
            !word.is_empty()
                && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        });
        assert!(kebab, "{} is not in kebab case", entry.name());
        assert!(entry.summary().len() > 20 && !entry.reference().is_empty(), "{}", entry.name());
    }
    assert!(["rule-based", "first-fit", "load-balanced"].iter().all(|name| names.contains(name)));
}

#[test]
fn every_heuristic_is_verified_never_better_than_the_optimum_and_deterministic() {
    let mut compared = 0;
    for instance in shipped() {
        for use_case in [UseCase::Initial, UseCase::Compaction, UseCase::Reconfiguration, UseCase::Joint] {
            let mut instance = instance.clone();
            instance.given.wpm.use_case = use_case;
            instance.given.wpm.place_all = false;
            let problem = instance.problem::<wpm::Wpm>().unwrap();
            let solved = optimum(&problem);
            assert_eq!(solved.status, Status::Optimal);
            let best = solved.best.unwrap().1;
            for heuristic in HEURISTICS {
                let about = format!("{} on {}, {use_case}", heuristic.name(), instance.cluster.name);
                let proposed = proposed(&instance, heuristic.name(), 7);
                assert_eq!(proposed.violations, [], "{about}");
                let score = proposed.score.and_then(|score| score.read::<wpm::Score>());
                let Some(score) = score else { panic!("{about}: no score") };
                assert!(score.profit <= best.profit, "{about}");
                assert_eq!(heuristic.propose(&problem, 7), heuristic.propose(&problem, 7), "{about}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 13 * 4 * 3);
}

#[test]
fn generated_clusters_with_pinned_workloads_are_placed_legally_under_both_readings() {
    let board = board("A100-80GB");
    for seed in 1..=40 {
        for use_case in [UseCase::Initial, UseCase::Compaction, UseCase::Reconfiguration, UseCase::Joint] {
            let options = wpm::GeneratorOptions {
                gpus: 12,
                board: Arc::clone(&board),
                seed,
                use_case,
                pinned_share: [0.0, 0.3][(seed % 2) as usize],
                ..wpm::GeneratorOptions::default()
            };
            let file = InstanceFile::of::<wpm::Wpm>(wpm::generate(&options));
            let problem = posed::<wpm::Wpm>(&written(&file));
            for heuristic in HEURISTICS {
                for reading in [Reading::Printed, Reading::ExactIndex] {
                    let verdict = verify(
                        &problem,
                        &Solution::from_placement(&problem, reading, heuristic.propose(&problem, 0)),
                    );
                    assert_eq!(verdict.violations, [], "{} seed {seed} {use_case}", heuristic.name());
                }
            }
        }
    }
}

/// Table 1 of Turkkan et al., copied from the paper: the order in which starts are preferred.
#[test]
fn preferred_starts_are_those_of_the_paper() {
    let table: [(&str, &[u8]); 7] = [
        ("7g.80gb", &[0]),
        ("4g.40gb", &[0]),
        ("3g.40gb", &[4, 0]),
        ("2g.20gb", &[4, 0, 2]),
        ("1g.20gb", &[6, 4, 0, 2]),
        ("1g.10gb", &[6, 4, 5, 0, 1, 2, 3]),
        ("1g.10gb+me", &[6, 4, 5, 0, 1, 2, 3]),
    ];
    let board = board("A100-80GB");
    for (profile, starts) in table {
        let found = preferred_starts(&board, board.find_profile(profile).unwrap());
        assert_eq!(found.iter().map(|start| start.0).collect::<Vec<u8>>(), starts, "{profile}");
    }
}

const TWO_GPUS: &str = "
name: two
gpus: [{name: a, board: A100-80GB}, {name: b, board: A100-80GB}]
workloads:
  - {name: three, profile: 3g.40gb, current: {gpu: a, start: 0}}
  - {name: one, profile: 1g.10gb, current: {gpu: a, start: 6}}
  - {name: two, profile: 2g.20gb, current: {gpu: b, start: 0}}
  - {name: waits, profile: 1g.20gb}
";

/// Counted by hand: on `a` 3g@0 blocks slices 0-3 and wastes one, 1g@6 strands slot 7; 2g joins them at slot 4.
#[test]
fn metrics_are_those_of_the_papers_table() {
    let instance = instances::instance(TWO_GPUS);
    let cluster = &instance.cluster;
    let mut placement: Placement = cluster.current_placement();
    let two = cluster.workload_indices().nth(2).unwrap();
    let waits = cluster.workload_indices().nth(3).unwrap();
    let a = cluster.gpu_indices().next().unwrap();
    placement.set(two, Some(cluster::Location { gpu: a, start: mig::SliceStart(4) }));
    let metrics = Metrics::of(cluster, &placement, [waits].into_iter());
    let expected = Metrics {
        gpus: 1,
        memory_waste: 1,
        compute_waste: 1,
        availability: 14 - (4 + 1 + 2) - 2,
        migration_size: 2,
        pending_size: 2,
        sequential_migrations: 0,
        memory_utilisation: 7.0 / 8.0,
        compute_utilisation: 6.0 / 7.0,
    };
    assert_eq!(metrics, expected);
    let names: BTreeSet<&str> = METRICS.iter().map(|metric| metric.name).collect();
    let values = metric_values(METRICS, &metrics);
    assert_eq!(names, values.keys().map(String::as_str).collect());
    // Whole numbers stay whole.
    assert_eq!(values["availability"].as_i64(), Some(metrics.availability));
    assert_eq!(values["memory_utilisation"].as_f64(), Some(7.0 / 8.0));
}

#[test]
fn a_migration_onto_taken_slices_is_sequential() {
    let instance = instances::instance(TWO_GPUS);
    let cluster = &instance.cluster;
    let mut placement = cluster.current_placement();
    let workloads: Vec<_> = cluster.workload_indices().collect();
    let gpus: Vec<_> = cluster.gpu_indices().collect();
    let at = |gpu, start| Some(cluster::Location { gpu, start: mig::SliceStart(start) });
    // `one` moves to where `two` is now, `two` to slots of `a` that are free.
    placement.set(workloads[1], at(gpus[1], 0));
    placement.set(workloads[2], at(gpus[0], 4));
    let metrics = Metrics::of(cluster, &placement, [].into_iter());
    assert_eq!((metrics.sequential_migrations, metrics.migration_size), (1, 3));
}

/// `small` fits on the first GPU, the second is utilised most, the third least.
const THREE_GPUS: &str = "
name: three
gpus: [{name: a, board: A100-80GB}, {name: b, board: A100-80GB}, {name: c, board: A100-80GB}]
workloads:
  - {name: on-a, profile: 2g.20gb, current: {gpu: a, start: 0}}
  - {name: on-b, profile: 4g.40gb, current: {gpu: b, start: 0}}
  - {name: on-c, profile: 1g.10gb, current: {gpu: c, start: 0}}
  - {name: small, profile: 1g.10gb}
  - {name: large, profile: 3g.40gb}
wpm: {use_case: initial}
";

#[test]
fn each_rule_chooses_by_its_own_order() {
    let residents = ["on-a a 0", "on-b b 0", "on-c c 0"];
    let with = |places: [&'static str; 2]| residents.into_iter().chain(places).collect::<Vec<_>>();
    // First GPU, lowest start; in the order given.
    assert_eq!(places(THREE_GPUS, "first-fit"), with(["small a 2", "large a 4"]));
    // Least utilised: c has 2 of 15 slices and takes `small`, then 4; a has 4 of 15 as well and comes first.
    assert_eq!(places(THREE_GPUS, "load-balanced"), with(["small c 1", "large a 4"]));
    // The largest first, to b, which is then full; then `small` to a at the preferred start.
    assert_eq!(places(THREE_GPUS, "rule-based"), with(["small a 6", "large b 4"]));
}

/// On `a`, the least utilised GPU, a 3g finds no start.
#[test]
fn load_balancing_may_wait_for_the_least_utilised_gpu() {
    let text = "
name: two
gpus: [{name: a, board: A100-80GB}, {name: b, board: A100-80GB}]
workloads:
  - {name: low, profile: 1g.10gb, current: {gpu: a, start: 0}}
  - {name: high, profile: 1g.10gb, current: {gpu: a, start: 4}}
  - {name: large, profile: 4g.40gb, current: {gpu: b, start: 0}}
  - {name: new, profile: 3g.40gb}
  - {name: small, profile: 1g.10gb}
wpm: {use_case: initial}
";
    let residents = ["low a 0", "high a 4", "large b 0"];
    let with = |places: &[&'static str]| [&residents, places].concat();
    assert_eq!(places(text, "load-balanced"), with(&["new b 4", "small a 1"]));
    assert_eq!(places(text, "load-balanced:waits=no"), with(&["new b 4", "small a 1"]));
    assert_eq!(places(text, "load-balanced:waits=yes"), with(&["small a 1"]));
}

/// As printed, the instance with media engines comes last: the first GPU is full without any, so that a third GPU is needed.
#[test]
fn the_rule_based_method_may_place_media_engines_before_larger_profiles() {
    let text = "
name: engines
gpus: [{name: a, board: A100-80GB, count: 3}]
workloads:
  - {name: four, profile: 4g.40gb}
  - {name: two, profile: 2g.20gb}
  - {name: one, profile: 1g.10gb}
  - {name: media-0, profile: 1g.10gb+me}
  - {name: media-1, profile: 1g.10gb+me}
wpm: {use_case: initial}
";
    let gpus = |heuristic: &str| {
        let found = places(text, heuristic);
        assert_eq!(found.len(), 5, "{heuristic}: {found:?}");
        let gpus: BTreeSet<&str> = found.iter().map(|place| place.split(' ').nth(1).unwrap()).collect();
        gpus.len()
    };
    assert_eq!(gpus("rule-based"), 3);
    assert_eq!(gpus("rule-based:order=size"), 3);
    assert_eq!(gpus("rule-based:order=limited-first"), 2);
}

#[test]
fn rule_based_compaction_vacates_the_least_utilised_gpu() {
    let text = THREE_GPUS.replace("initial", "compaction");
    // c goes to the most utilised GPU with room, b, at its preferred start; then a goes to b as well.
    assert_eq!(places(&text, "rule-based"), ["on-a b 4", "on-b b 0", "on-c b 6"]);
    // First fit takes the first GPU with room: c goes to a; then a, the least utilised, goes to b.
    assert_eq!(places(&text, "first-fit"), ["on-a b 4", "on-b b 0", "on-c b 6"]);
}

/// As in Figure 8 of the paper: no GPU can be vacated with those in use alone, as every 3g or 4g needs start 0 or slots
/// that a 1g holds; with the free one, two can.
#[test]
fn rule_based_adds_a_free_gpu_where_that_saves_one() {
    let text = "
name: figure-8
gpus: [{name: a, board: A100-80GB, count: 4}]
workloads:
  - {name: w1, profile: 3g.40gb, current: {gpu: a-0, start: 0}}
  - {name: w2, profile: 1g.10gb, current: {gpu: a-0, start: 4}}
  - {name: w3, profile: 3g.40gb, current: {gpu: a-1, start: 0}}
  - {name: w4, profile: 1g.10gb, current: {gpu: a-1, start: 4}}
  - {name: w5, profile: 4g.40gb, current: {gpu: a-2, start: 0}}
  - {name: w6, profile: 1g.10gb, current: {gpu: a-2, start: 4}}
wpm: {use_case: joint}
";
    let gpus_of = |text: &str| {
        let found = places(text, "rule-based");
        let gpus: BTreeSet<String> =
            found.iter().map(|place| place.split(' ').nth(1).unwrap().to_owned()).collect();
        gpus.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(gpus_of(text), ["a-2", "a-3"]);
    // Compaction does not consider free GPUs.
    assert_eq!(gpus_of(&text.replace("joint", "compaction")), ["a-0", "a-1", "a-2"]);
}

/// What still waits after compaction gets the GPU that was vacated.
#[test]
fn rule_based_places_newcomers_on_what_compaction_vacates() {
    let text = "
name: vacated
gpus: [{name: a, board: A100-80GB, count: 2}]
workloads:
  - {name: w1, profile: 1g.10gb, current: {gpu: a-0, start: 0}}
  - {name: w2, profile: 1g.10gb, current: {gpu: a-1, start: 0}}
  - {name: large, profile: 7g.80gb}
wpm: {use_case: joint}
";
    assert_eq!(places(text, "rule-based"), ["w1 a-1 6", "w2 a-1 0", "large a-0 0"]);
    assert_eq!(places(&text.replace("joint", "initial"), "rule-based"), ["w1 a-0 0", "w2 a-1 0"]);
}

#[test]
fn reconfiguration_uses_free_gpus_first_and_whole_gpu_profiles_find_one() {
    let text = "
name: whole
gpus: [{name: a, board: A100-80GB, count: 5}]
workloads:
  - {name: w0, profile: 3g.40gb, current: {gpu: a-0, start: 0}}
  - {name: w1, profile: 7g.80gb, current: {gpu: a-1, start: 0}}
  - {name: w2, profile: 3g.40gb, current: {gpu: a-2, start: 0}}
wpm: {use_case: reconfiguration}
";
    // Equation (3): 13 compute and 16 memory slices need two GPUs, and the two free ones are the least utilised.
    let found = places(text, "rule-based");
    assert_eq!(found, ["w0 a-4 4", "w1 a-3 0", "w2 a-4 0"]);
}

#[test]
fn the_command_judges_prints_draws_and_saves() {
    let folder = Folder::new();
    let path = instance("eight-gpus");
    let (output, picture) = (folder.text("proposal.json"), folder.text("gpus.svg"));
    for heuristic in HEURISTICS {
        let name = heuristic.name();
        let arguments = ["heuristic", &path, "--policy", name, "--output", &output, "--picture", &picture];
        let text = run(&arguments, PROVED).stdout;
        for metric in METRICS {
            assert!(text.contains(metric.title), "{name} does not tell {}: {text}", metric.title);
        }
        assert!(text.contains("valid (verified; not proved optimal)") && text.contains("gpu-0"));
        assert!(folder.read("gpus.svg").contains("<svg"));
        let saved = folder.json("proposal.json");
        assert_eq!((&saved["valid"], &saved["heuristic"]), (&true.into(), &name.into()));
        // What it wrote can be judged and drawn again.
        run(&["verify", &path, &output], PROVED);
        assert!(run(&["show", &output], PROVED).stdout.contains("gpu-0"));
        let profit = &saved["stages"][0]["value"];
        let again = run(&["verify", &path, &output, "--format", "json"], PROVED).json();
        assert_eq!(&again["score"]["profit"], profit);
    }
    let refused = run(&["solve", &output], BAD_INPUT).stderr;
    assert!(refused.contains("this is a proposal of `migopt heuristic`, not an instance"), "{refused}");
}

#[test]
fn a_heuristic_that_leaves_workloads_waiting_breaks_place_all() {
    let folder = Folder::new();
    let path = folder.write(
        "all.yaml",
        "name: all\ngpus: [{name: g, board: A100-80GB}]\nworkloads:\n  - {name: w, profile: 1g.10gb}\n  \
         - {name: v, profile: 7g.80gb}\nwpm: {place_all: true}\n",
    );
    let text = run(&["heuristic", &path, "--policy", "first-fit"], INFEASIBLE).stdout;
    assert!(text.contains("not valid") && text.contains("pending: "), "{text}");
}

/// An external heuristic that leaves residents where they are, in a shell.
const STAY: &str = r#"python3 -c '
import json, sys
q = json.load(sys.stdin)
placed = [dict(workload=w["name"], **w["current"]) for w in q["workloads"] if "current" in w]
json.dump(dict(instance=q["instance"], reading=q["reading"], placement=placed), sys.stdout)
'"#;

#[test]
fn external_heuristics_answer_the_question() {
    let path = instance("compaction");
    let policy = format!("exec:{STAY}");
    let proposal = run(&["heuristic", &path, "--policy", &policy, "--format", "json"], PROVED).json();
    assert_eq!(proposal["valid"], true);
    assert_eq!(proposal["metrics"]["migration_size"], 0);
    assert_eq!(proposal["heuristic"], policy);
}

/// Repartitions that a solution leaves out are those with which its placement is worth most.
#[test]
fn the_example_is_valid_in_every_use_case() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/examples/best_fit.py");
    let policy = format!("exec:{}", example.display());
    for use_case in ["initial", "compaction", "reconfiguration", "joint"] {
        for name in ["eight-gpus", "mixed-boards", "pinned", "a30-joint"] {
            let path = instance(name);
            let arguments = ["heuristic", &path, "--use-case", use_case, "--policy", &policy];
            assert!(run(&arguments, PROVED).stdout.contains("valid (verified"), "{name} {use_case}");
        }
    }
}

#[test]
fn the_question_obeys_its_schema() {
    let folder = Folder::new();
    let schema = schema(&["question"]);
    let printed = |arguments: &[&str]| run(arguments, PROVED).json();
    assert_eq!(printed(&["schema", "question"]), printed(&["schema", "question", "--model", "wpm"]));
    for name in ["eight-gpus", "mixed-boards", "pinned", "classes"] {
        let question = folder.text("question.json");
        let policy = format!("exec:cat > {question}; exit 4");
        run(&["heuristic", &instance(name), "--policy", &policy, "--seed", "9"], INTERNAL);
        let question = folder.json("question.json");
        check(&schema, &question);
        assert_eq!(question["seed"], 9);
    }
}

#[test]
fn what_an_external_heuristic_does_wrong_is_told() {
    let path = instance("eight-gpus");
    let cases = [
        ("exec:echo to err >&2; exit 3", INTERNAL, "ended with exit code 3: to err"),
        ("exec:kill -9 $$", INTERNAL, "ended with signal 9 (killed)"),
        ("exec:no-such-program-here", INTERNAL, "ended with exit code 127"),
        ("exec:echo '{'", INTERNAL, "output of `echo '{'`:"),
        ("exec:echo '{}'", INTERNAL, "the field `instance` is missing"),
        ("exec:printf '\\377'", INTERNAL, "not UTF-8"),
        ("exec:sleep 20", INTERNAL, "did not end within 0.3 s and was stopped"),
        (
            "exec:echo '{\"instance\": {\"name\": \"other\"}, \"placement\": []}'",
            INTERNAL,
            "is for instance \"other\"",
        ),
        ("optimum", BAD_INPUT, "`migopt solve` proves the optimum"),
        ("first-fitt", BAD_INPUT, "did you mean \"first-fit\"?"),
        ("first-fit:speed=2", BAD_INPUT, "the heuristic first-fit takes no parameters"),
        ("first-fitt:speed=2", BAD_INPUT, "\"first-fitt:speed=2\" is not a method"),
        ("exec:", BAD_INPUT, "names no command"),
    ];
    for (policy, code, words) in cases {
        let done = run(&["heuristic", &path, "--policy", policy, "--time-limit", "0.3"], code);
        assert!(done.stderr.contains(words), "{policy}: {}", done.stderr);
    }
    let nothing = "exec:echo '{\"instance\": {\"name\": \"eight-gpus\"}, \"placement\": \
                   [{\"workload\": \"run-0\", \"gpu\": \"gpu-0\", \"start\": 7}]}'";
    for start in ["7", "200"] {
        let done = run(&["heuristic", &path, "--policy", &nothing.replace('7', start)], INFEASIBLE);
        assert!(done.stdout.contains("not valid") && done.stdout.contains("start"), "{}", done.stdout);
    }
}
