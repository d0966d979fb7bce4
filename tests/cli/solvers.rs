//! What can be chosen about solvers: seed, options, log, and where they start.

use serde_json::{Value, json};
use solvers::solvers;
use support::cli::{BAD_INPUT, Folder, LIMIT, PROVED, instance, run, without_seconds};
use support::root;

fn values(result: &Value) -> Vec<Value> {
    result["stages"].as_array().unwrap().iter().map(|stage| stage["value"].clone()).collect()
}

#[test]
fn seeds_and_options_change_the_search_and_not_the_answer() {
    let path = instance("fig6-waste");
    for solver in solvers() {
        let asked = ["solve", &path, "--format", "json", "--solver", solver.name()];
        let plain = run(&asked, PROVED).json();
        for flags in [["--seed", "7"], ["--solver-option", options_of(solver.name())]] {
            let other = run(&[&asked[..], &flags].concat(), PROVED).json();
            assert_eq!(values(&plain), values(&other), "{flags:?}");
            let again = run(&[&asked[..], &flags].concat(), PROVED).json();
            assert_eq!(without_seconds(other), without_seconds(again), "{flags:?}");
        }
    }
}

fn options_of(solver: &str) -> &'static str {
    if solver == "highs" { "presolve=off" } else { "cuts=off" }
}

/// Every option that the list names is taken by the solver itself.
#[test]
fn every_option_of_the_list_is_one_of_the_solver() {
    let path = instance("classes");
    for solver in solvers() {
        let mut flags = Vec::new();
        for option in solver.options().allowed {
            let value = match option.values {
                solver::OptionValues::Words(words) => words[0].to_owned(),
                solver::OptionValues::Whole(least, _) => least.max(1).to_string(),
                solver::OptionValues::Share => "0.2".to_owned(),
            };
            flags.push("--solver-option".to_owned());
            flags.push(format!("{}={value}", option.name));
        }
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        run(&[&["solve", &path, "--quiet", "--solver", solver.name()], &flags[..]].concat(), PROVED);
        let listed = run(&["list", "solvers"], PROVED).stdout;
        assert!(solver.options().allowed.iter().all(|option| listed.contains(option.name)), "{listed}");
    }
}

#[test]
fn options_that_would_break_a_proof_are_refused_with_the_reason() {
    let path = instance("classes");
    let cases = [
        ("mip_feasibility_tolerance=1e-3", "a proof needs the tolerances that migopt sets"),
        ("mip_rel_gap=0.1", "use --gap"),
        ("mip_max_nodes=1", "it ends the search before the proof"),
        ("presolv=off", "did you mean \"presolve\"?"),
        ("presolve=maybe", "Values: choose, on, off"),
        ("presolve", "is not NAME=VALUE"),
    ];
    for (option, words) in cases {
        let done = run(&["solve", &path, "--solver", "highs", "--solver-option", option], BAD_INPUT);
        assert!(done.stderr.contains("--solver-option") && done.stderr.contains(words), "{option}: {done:?}");
        assert_eq!(done.stdout, "", "{option}");
    }
    let done = run(&["solve", &path, "--seed", "99999999999"], BAD_INPUT);
    assert!(done.stderr.contains("--seed: the seed of a solver is at most"), "{done:?}");
}

#[test]
fn the_log_tells_what_the_solver_did_and_the_screen_does_not() {
    let folder = Folder::new();
    let path = root().join("instances/siavashi/fragmented.yaml").display().to_string();
    for solver in solvers() {
        let log = folder.text("solver.log");
        let asked = ["solve", &path, "--model", "siavashi", "--solver", solver.name(), "--format", "json"];
        let done = run(&[&asked[..], &["--log", &log]].concat(), PROVED);
        assert_eq!(without_seconds(done.json()), without_seconds(run(&asked, PROVED).json()));
        assert_eq!(done.stderr, "");
        let text = folder.read("solver.log");
        assert!(text.contains("=== siavashi-"), "{}: {text:.500}", solver.name());
        let own = if solver.name() == "highs" { "rows; " } else { "Cbc0" };
        assert!(text.contains(own), "{}: {text:.2000}", solver.name());
    }
    let nowhere = folder.text("no/such/folder/solver.log");
    let done = run(&["solve", &path, "--log", &nowhere], BAD_INPUT);
    assert!(done.stderr.contains("cannot be written"), "{done:?}");
}

#[test]
fn a_solution_is_a_start_once_it_is_verified() {
    let folder = Folder::new();
    let cases = [
        ("wpm", "fig6-waste"),
        ("siavashi", "fragmented"),
        ("sharing", "eight-unique-pages"),
        ("migrator", "tiny"),
    ];
    for (model, name) in cases {
        let path = root().join(format!("instances/{model}/{name}.yaml")).display().to_string();
        let best = folder.text(&format!("{model}.json"));
        let asked = ["solve", path.as_str(), "--model", model];
        run(&[&asked[..], &["--quiet", "--output", &best]].concat(), PROVED);
        let done = run(&[&asked[..], &["--warm-start", &best, "--format", "json"]].concat(), PROVED);
        assert_eq!(values(&done.json()), values(&folder.json(&format!("{model}.json"))), "{model}");
    }
    // Without any time the answer is as good as the start, which no heuristic of the search itself finds.
    let path = root().join("instances/siavashi/fragmented.yaml").display().to_string();
    let asked = ["solve", &path, "--model", "siavashi", "--format", "json", "--time-limit", "0"];
    let started = run(&[&asked[..], &["--warm-start", &folder.text("siavashi.json")]].concat(), LIMIT).json();
    assert_eq!(values(&started), values(&folder.json("siavashi.json")));
    assert_ne!(values(&run(&asked, LIMIT).json()), values(&started));
}

#[test]
fn a_start_that_is_none_is_refused() {
    let folder = Folder::new();
    let path = instance("fig6-waste");
    let best = folder.text("best.json");
    run(&["solve", &path, "--quiet", "--output", &best], PROVED);

    let done = run(&["solve", &instance("classes"), "--warm-start", &best], BAD_INPUT);
    assert!(done.stderr.contains("best.json") && done.stderr.contains("instance"), "{done:?}");

    let mut broken = folder.json("best.json")["solution"].clone();
    let placed = broken["placement"].as_array_mut().unwrap();
    let first = placed[0].clone();
    placed[1]["gpu"] = first["gpu"].clone();
    placed[1]["start"] = first["start"].clone();
    let broken = folder.write("broken.json", broken.to_string());
    let done = run(&["solve", &path, "--warm-start", &broken], BAD_INPUT);
    assert!(done.stderr.contains("broken.json") && done.stderr.contains("breaks the rule"), "{done:?}");

    let done = run(&["solve", &path, "--warm-start", "frist-fit"], BAD_INPUT);
    assert!(done.stderr.contains("did you mean \"first-fit\"?"), "{done:?}");
    let done = run(&["solve", &path, "--warm-start", &folder.text("none.json")], BAD_INPUT);
    assert!(done.stderr.contains("none.json"), "{done:?}");
}

/// The trace begins with the relaxation and ends with the answer.
#[test]
fn a_result_tells_how_value_and_bound_came_together() {
    let path = root().join("instances/siavashi/fragmented.yaml").display().to_string();
    for solver in solvers() {
        let asked = ["solve", &path, "--model", "siavashi", "--solver", solver.name(), "--format", "json"];
        let result = run(&asked, PROVED).json();
        let trace = result["trace"].as_array().unwrap();
        assert!(trace.len() > 1, "{}: {trace:?}", solver.name());
        assert_eq!(result["root_bound"], trace[0]["bound"]);
        let (first, last) = (&result["stages"][0], &result["stages"][2]);
        assert!(result["root_bound"].as_f64().unwrap() >= first["value"].as_f64().unwrap(), "{first}");
        let end = trace.last().unwrap();
        assert_eq!(end["stage"], last["name"]);
        assert_eq!(
            [&end["incumbent"], &end["bound"]],
            [&json!(last["value"].as_f64()), &json!(last["bound"].as_f64())]
        );
        let seconds: Vec<f64> = trace.iter().map(|point| point["seconds"].as_f64().unwrap()).collect();
        assert!(seconds.is_sorted(), "{seconds:?}");
        // No bound of a goal is ever on the wrong side of its optimum.
        for stage in result["stages"].as_array().unwrap() {
            let optimum = stage["value"].as_f64().unwrap();
            for point in trace.iter().filter(|point| point["stage"] == stage["name"]) {
                let Some(bound) = point["bound"].as_f64() else { continue };
                let holds = if stage["sense"] == "maximize" { bound >= optimum } else { bound <= optimum };
                assert!(holds, "{}: {point} {stage}", solver.name());
            }
        }
    }
}
