//! The shipped instances: each is proved anew and compared with truth.csv.

use migopt::cluster::{Amount, SourceText};
use migopt::model::wpm::{self, FORMULATIONS, Objective};
use migopt::model::{Instance, SolveOptions, Status};
use migopt::solver::{Control, by_name};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

struct Truth {
    values: BTreeMap<String, (Amount, Amount)>,
    proved_by: BTreeSet<(String, String)>,
    infeasible: bool,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instances/wpm")
}

fn truth() -> BTreeMap<String, Truth> {
    let text = std::fs::read_to_string(folder().join("truth.csv")).unwrap();
    let mut truth: BTreeMap<String, Truth> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [instance, objective, value, bound, proved_by] = fields[..] else { panic!("{line}") };
        let entry = truth.entry(instance.to_owned()).or_insert_with(|| Truth {
            values: BTreeMap::new(),
            proved_by: BTreeSet::new(),
            infeasible: false,
        });
        for method in proved_by.split(' ') {
            let (formulation, solver) = method.split_once('/').unwrap();
            entry.proved_by.insert((formulation.to_owned(), solver.to_owned()));
        }
        if objective == "infeasible" {
            entry.infeasible = true;
        } else {
            entry.values.insert(objective.to_owned(), (value.parse().unwrap(), bound.parse().unwrap()));
        }
    }
    truth
}

#[test]
fn every_instance_has_its_truth() {
    let files: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".yaml"))
        .collect();
    assert_eq!(files, truth().into_keys().collect());
    assert!(files.len() >= 13);
}

#[test]
fn every_truth_is_proved_again() {
    for (name, truth) in truth() {
        for (formulation, solver) in &truth.proved_by {
            let Some(solver) = by_name(solver) else { continue };
            for objective in [None, Some("lexicographic")] {
                let mut instance = Instance::parse(SourceText::read(&folder().join(&name)).unwrap()).unwrap();
                if let Some(objective) = objective {
                    instance.wpm.objective = objective.parse::<Objective>().unwrap();
                }
                let problem = instance.wpm_problem().unwrap();
                let options = SolveOptions {
                    formulation: FORMULATIONS.iter().find(|entry| entry.name == formulation),
                    ..SolveOptions::exact(solver)
                };
                let solved = wpm::solve(&problem, &options, &Control::silent()).unwrap();
                let method = format!("{name} by {formulation} with {}", solver.name());
                if truth.infeasible {
                    assert_eq!(solved.status, Status::Infeasible, "{method}");
                    continue;
                }
                assert_eq!(solved.status, Status::Optimal, "{method}");
                for stage in &solved.stages {
                    let found = (stage.value.unwrap(), stage.bound.unwrap());
                    assert_eq!(found, truth.values[&stage.name], "{method}: {}", stage.name);
                }
            }
        }
    }
}

#[test]
fn without_a_formulation_pins_choose_exact_index_and_tell_the_price_of_the_printed_reading() {
    let instance = Instance::parse(SourceText::read(&folder().join("pinned.yaml")).unwrap()).unwrap();
    let problem = instance.wpm_problem().unwrap();
    let options = SolveOptions::exact(by_name("highs").unwrap());
    let solved = wpm::solve(&problem, &options, &Control::silent()).unwrap();
    assert_eq!(solved.formulation, "exact-index");
    let exact = solved.best.unwrap().1.gpus;
    let printed = wpm::printed_reading(&problem, &options, &Control::silent()).unwrap();
    assert!(printed.unwrap().gpus > exact);
}
