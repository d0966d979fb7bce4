//! The shipped instances: each is proved anew and compared with the truth.csv of its folder.

use migopt::cluster::{Amount, SourceText};
use migopt::model::sharing::Optimum;
use migopt::model::wpm;
use migopt::model::{
    FormulationEntry, Instance, MODELS, Model, Overrides, Question, ResultDocument, SenseName, SolveOptions,
    StageDocument, Status,
};
use migopt::solver::{Control, by_name};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

struct Truth {
    /// By a goal after those that go before it: value and bound.
    values: BTreeMap<String, (Amount, Amount)>,
    proved_by: BTreeSet<(String, String)>,
    infeasible: bool,
}

fn folder(model: &dyn Model) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instances").join(model.name())
}

fn truth(model: &dyn Model) -> BTreeMap<String, Truth> {
    let text = std::fs::read_to_string(folder(model).join("truth.csv")).unwrap();
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
            let values = (value.parse().unwrap(), bound.parse().unwrap());
            let known = entry.values.insert(objective.to_owned(), values);
            assert!(known.is_none_or(|known| known == values), "{line}");
        }
    }
    truth
}

fn read(model: &dyn Model, name: &str) -> Instance {
    Instance::parse(SourceText::read(&folder(model).join(name)).unwrap()).unwrap()
}

/// The settings besides an instance's own in which it is proved.
fn settings() -> [Overrides; 3] {
    let optimum = |optimum| Overrides { optimum: Some(optimum), ..Overrides::default() };
    let objective = Some("lexicographic".to_owned());
    [
        Overrides { objective, ..Overrides::default() },
        optimum(Optimum::AnyServers),
        optimum(Optimum::FirstMOfTheOrder),
    ]
}

/// A goal after those that go before it.
fn label(stages: &[StageDocument], position: usize) -> String {
    let names: Vec<&str> = stages[..=position].iter().map(|stage| stage.name.as_str()).collect();
    names.join(" > ")
}

fn solve(
    question: &dyn Question,
    formulation: Option<&'static FormulationEntry>,
    solver: &str,
) -> Option<ResultDocument> {
    let options = SolveOptions { formulation, ..SolveOptions::exact(by_name(solver)?) };
    Some(question.solve(&options, &Control::silent()).unwrap())
}

#[test]
fn every_instance_has_its_truth() {
    for &model in MODELS {
        let files: BTreeSet<String> = std::fs::read_dir(folder(model))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".yaml"))
            .collect();
        assert_eq!(files, truth(model).into_keys().collect());
        assert!(files.len() >= 13);
    }
}

#[test]
fn every_truth_is_proved_again() {
    for &model in MODELS {
        for (name, truth) in truth(model) {
            let mut proved = BTreeSet::new();
            for (formulation, solver) in &truth.proved_by {
                let formulation = model.formulation_named(formulation).unwrap();
                let mut asked = BTreeSet::new();
                for overrides in std::iter::once(Overrides::default()).chain(settings()) {
                    let mut instance = read(model, &name);
                    if model.configure(&mut instance, &overrides).is_err() {
                        continue;
                    }
                    let question = model.pose(&instance).unwrap();
                    if !asked.insert(question.about().objective) {
                        continue;
                    }
                    let Some(result) = solve(question.as_ref(), Some(formulation), solver) else { continue };
                    let method = format!("{name} by {} with {solver}", formulation.name);
                    if truth.infeasible {
                        assert_eq!(result.status, Status::Infeasible, "{method}");
                        continue;
                    }
                    assert_eq!(result.status, Status::Optimal, "{method}");
                    for (position, stage) in result.stages.iter().enumerate() {
                        let found = (stage.value.unwrap(), stage.bound.unwrap());
                        let label = label(&result.stages, position);
                        assert_eq!(found, truth.values[&label], "{method}: {label}");
                        proved.insert(label);
                    }
                    let verdict =
                        question.judge(&result.solution.unwrap(), &SourceText::new("result", "")).unwrap();
                    assert_eq!(verdict.violations, [], "{method}");
                    assert_eq!(verdict.score, result.score, "{method}");
                }
            }
            assert_eq!(proved, truth.values.into_keys().collect(), "{name}");
        }
    }
}

/// Compares by the first stage that differs; the better one is the greater.
fn compare(one: &[StageDocument], other: &[StageDocument]) -> Ordering {
    assert_eq!(one.len(), other.len());
    let stages = one.iter().zip(other);
    let by_stage = stages.map(|(one, other)| match one.sense {
        SenseName::Maximize => one.value.cmp(&other.value),
        SenseName::Minimize => other.value.cmp(&one.value),
    });
    by_stage.fold(Ordering::Equal, Ordering::then)
}

#[test]
fn every_heuristic_is_verified_and_never_better_than_the_optimum() {
    for &model in MODELS {
        for (name, _) in truth(model).into_iter().filter(|(_, truth)| !truth.infeasible) {
            let instance = read(model, &name);
            let question = model.pose(&instance).unwrap();
            let optimum = solve(question.as_ref(), None, "highs").unwrap();
            for heuristic in model.heuristics() {
                let about = format!("{} on {name}", heuristic.name);
                let (verdict, _) = question.propose(heuristic.name, 7).unwrap();
                assert_eq!(verdict.violations, [], "{about}");
                assert!(compare(&verdict.stages, &optimum.stages).is_le(), "{about}");
                let (again, _) = question.propose(heuristic.name, 7).unwrap();
                let [one, other] =
                    [&verdict, &again].map(|verdict| serde_json::to_value(&verdict.solution).unwrap());
                assert_eq!(one, other, "{about}");
            }
        }
    }
}

#[test]
fn without_a_formulation_pins_choose_exact_index_and_tell_the_price_of_the_printed_reading() {
    let problem = read(&wpm::Wpm, "pinned.yaml").wpm_problem().unwrap();
    let options = SolveOptions::exact(by_name("highs").unwrap());
    let solved = wpm::solve(&problem, &options, &Control::silent()).unwrap();
    assert_eq!(solved.formulation, "exact-index");
    let exact = solved.best.unwrap().1.gpus;
    let printed = wpm::printed_reading(&problem, &options, &Control::silent()).unwrap();
    assert!(printed.unwrap().gpus > exact);
}

/// The warning of the page of siavashi: as printed it is cheaper to stop what runs than to move it.
#[test]
fn eviction_buys_acceptance_unless_residents_keep_a_place() {
    let model = &migopt::model::siavashi::Siavashi;
    for (name, evicted) in [("eviction.yaml", true), ("eviction-keep.yaml", false)] {
        let instance = read(model, name);
        let result = solve(model.pose(&instance).unwrap().as_ref(), None, "highs").unwrap();
        let placed = result.solution.unwrap().placement.unwrap();
        assert_eq!(placed.iter().all(|placed| placed.workload != "runs"), evicted, "{name}");
        let values: Vec<_> = result.stages.iter().map(|stage| stage.value.unwrap()).collect();
        let migrations = if evicted { 2 } else { 4 };
        assert_eq!(values, [3, 4, migrations].map(Amount::whole), "{name}");
    }
}
