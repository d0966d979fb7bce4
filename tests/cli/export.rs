//! Exported programs, solved by every solver: their optima are the numbers that were shown.

use serde_json::Value;
use solver::{Control, Options, solve_stages};
use solvers::solvers;
use support::cli::{Folder, LIMIT, PROVED, run};
use support::{mps, root};

/// Instances of a model with the flags to solve them with, and the objectives that the files are about. A name with a folder is of
/// tests/fixtures.
const CASES: &[(&str, &str, &[&str], &[&str])] = &[
    ("wpm", "fig6-waste", &[], &["profit"]),
    ("wpm", "fig6-waste", &["--formulation", "printed"], &["profit"]),
    ("wpm", "own-geometry", &["--objective", "lexicographic:gpus,migrations"], &["gpus", "migrations"]),
    ("wpm", "classes", &["--objective", "lexicographic"], &["reward", "gpus", "migrations", "waste"]),
    ("wpm", "eight-gpus", &[], &["profit"]),
    ("siavashi", "fragmented", &[], &["acceptance", "hardware", "migrations"]),
    ("siavashi", "fragmented", &["--formulation", "slots"], &["acceptance", "hardware", "migrations"]),
    ("siavashi", "fragmented", &["--objective", "weighted"], &["weighted"]),
    ("sharing", "eight-unique-pages", &[], &["servers"]),
    ("sharing", "eight-unique-pages", &["--optimum", "first-m-of-the-order"], &["reach", "servers"]),
    ("sharing", "eight-unique-pages", &["--formulation", "printed"], &["servers"]),
    ("migrator", "tiny", &[], &["goodput"]),
    // The printed program of `tiny` takes HiGHS more than half a minute.
    ("migrator", "migrator/four-seconds", &["--formulation", "printed"], &["goodput"]),
];

/// The files of an export with the objectives in their names, in order.
fn files(folder: &Folder, ending: &str) -> Vec<String> {
    folder.files().into_iter().filter(|name| name.ends_with(ending)).collect()
}

/// The optimum of an MPS file by a solver, in the sense of the file's comments.
fn optimum(text: &str, solver: &dyn solver::Solver) -> f64 {
    let program = mps::program(text);
    let staged = solve_stages(solver, &program, &Options::default(), &Control::silent());
    let value = staged.stages[0].value.filter(|_| staged.stages[0].proved);
    let value = value.unwrap_or_else(|| panic!("{}: {:?}", solver.name(), staged.stop));
    if text.contains("the objective is negated") { -value } else { value }
}

/// What the comments at the head of a file say of its optimum.
fn promised(text: &str) -> f64 {
    let line =
        text.lines().find(|line| line.contains("The optimum is")).expect("every file tells its optimum");
    line.split("The optimum is ").nth(1).unwrap().split(',').next().unwrap().parse().expect(line)
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * one.abs().max(1.0)
}

#[test]
fn the_optimum_of_an_exported_file_is_the_number_shown() {
    for (model, name, flags, objectives) in CASES {
        let folder = Folder::new();
        let path = match name.contains('/') {
            true => root().join(format!("tests/fixtures/{name}.yaml")),
            false => root().join(format!("instances/{model}/{name}.yaml")),
        };
        let export = folder.text("program.mps");
        let asked =
            ["solve", path.to_str().unwrap(), "--model", model, "--format", "json", "--export", &export];
        let result = run(&[&asked, *flags].concat(), PROVED).json();
        let about = format!("{model} {name} {flags:?}");
        let names = files(&folder, ".mps");
        assert_eq!(names.len(), objectives.len(), "{about}: {names:?}");
        for (number, (file, objective)) in (1..).zip(names.iter().zip(*objectives)) {
            let expected = match objectives.len() {
                1 => "program.mps".to_owned(),
                _ => format!("program.{number}-{objective}.mps"),
            };
            assert_eq!(*file, expected, "{about}");
            let text = folder.read(file);
            let stages = result["stages"].as_array().unwrap();
            let shown = stages.iter().find(|stage| stage["name"] == *objective);
            let shown = shown.map_or(promised(&text), |stage| stage["value"].as_f64().unwrap());
            assert!(close(promised(&text), shown), "{about} {file}: {text:.300}");
            for solver in solvers() {
                let found = optimum(&text, *solver);
                assert!(
                    close(found, shown),
                    "{about} {file}: {} finds {found}, shown {shown}",
                    solver.name()
                );
            }
        }
    }
}

#[test]
fn an_objective_whose_predecessor_is_open_has_no_file() {
    let folder = Folder::new();
    let path = root().join("instances/siavashi/fragmented.yaml");
    let export = folder.text("program.lp");
    let flags = ["--model", "siavashi", "--time-limit", "0", "--export", &export];
    let text = run(&[&["solve", path.to_str().unwrap()], &flags[..]].concat(), LIMIT).stdout;
    assert_eq!(files(&folder, ".lp"), ["program.1-acceptance.lp"]);
    assert!(
        text.contains("not hardware and migrations, whose file needs the proved optimum of acceptance"),
        "{text}"
    );
    let program = folder.read("program.1-acceptance.lp");
    assert!(
        program.starts_with("\\ acceptance of fragmented, model siavashi, formulation "),
        "{program:.200}"
    );
    assert!(program.contains("\\ The optimum is the best acceptance; migopt found "), "{program:.400}");
}

/// Weights too coarse to be added up in doubles are solved goal by goal; the last file has the sum.
#[test]
fn a_sum_that_doubles_lose_is_the_last_file() {
    let folder = Folder::new();
    let path = root().join("instances/siavashi/fragmented.yaml");
    let export = folder.text("program.mps");
    let weights = "weighted:acceptance=1000000000000,hardware=1000000,migrations=1";
    let flags = ["--model", "siavashi", "--format", "json", "--objective", weights, "--export", &export];
    let result = run(&[&["solve", path.to_str().unwrap()], &flags[..]].concat(), PROVED).json();
    let stages: &Vec<Value> = result["stages"].as_array().unwrap();
    assert_eq!((stages.len(), &stages[0]["name"]), (1, &Value::from("weighted")));
    assert_eq!(
        files(&folder, ".mps"),
        ["program.1-acceptance.mps", "program.2-hardware.mps", "program.3-weighted.mps"]
    );
    let text = folder.read("program.3-weighted.mps");
    let shown = stages[0]["value"].as_f64().unwrap();
    for solver in solvers() {
        let found = optimum(&text, *solver);
        assert!((found - shown).abs() <= 1e-9 * shown.abs(), "{}: {found} instead of {shown}", solver.name());
    }
}
