//! The benchmark library: its instances are those of which it speaks, and what it says of them holds.

use kit::{SolveOptions, StageDocument, compare_stages};
use models::{Instance, LibraryInstance, MODELS, Model};
use solver::Control;
use solvers::by_name;
use std::collections::BTreeSet;
use support::instances::written;

/// Fewest instances of a model.
const FEWEST: usize = 35;

/// Processor seconds that a proof may have taken for it to be made again here.
const A_MOMENT: f64 = 0.1;

fn all() -> impl Iterator<Item = (&'static dyn Model, LibraryInstance)> {
    MODELS.iter().flat_map(|&model| model.library().into_iter().map(move |instance| (model, instance)))
}

/// Small ones, as they are made.
fn quick() -> impl Iterator<Item = (&'static dyn Model, LibraryInstance, Instance)> {
    let quick = all().filter(|(_, known)| known.is_proved() && known.seconds <= A_MOMENT);
    quick.map(|(model, known)| {
        let instance = written(&known.make(model).unwrap()).under(model);
        (model, known, instance)
    })
}

#[test]
fn every_instance_is_made_as_the_library_says() {
    for (model, known) in all() {
        let made = known.make(model).unwrap_or_else(|message| panic!("{message}"));
        assert_eq!(made.name, known.name);
    }
}

#[test]
fn names_are_unique_and_every_model_has_enough() {
    let names: Vec<String> = all().map(|(_, known)| known.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for &model in MODELS {
        let own = model.library();
        assert!(own.len() >= FEWEST, "{}: {}", model.name(), own.len());
        let begins = format!("{}-", model.name());
        assert!(own.iter().all(|known| known.name.starts_with(&begins)));
        let ways: BTreeSet<_> = own.iter().map(|known| (&known.options, known.seed)).collect();
        assert_eq!(ways.len(), own.len(), "{}: two instances are made alike", model.name());
        assert!(own.iter().filter(|known| known.seconds <= A_MOMENT).count() >= 5, "{}", model.name());
    }
}

/// In the first objective that is not proved the bound lies on the other side of the value.
#[test]
fn no_value_is_better_than_its_bound() {
    for (_, known) in all() {
        assert!(!known.stages.is_empty(), "{}", known.name);
        for stage in &known.stages {
            let value = stage.value.unwrap_or_else(|| panic!("{} has no value", known.name));
            let Some(bound) = stage.bound else { break };
            assert!(!stage.sense.prefers(value, bound), "{}: {stage:?}", known.name);
            if bound != value {
                break;
            }
        }
    }
}

#[test]
fn what_was_proved_in_a_moment_is_proved_again() {
    let options = SolveOptions::exact(by_name("highs").unwrap());
    for (model, known, instance) in quick() {
        let result = model.pose(&instance).unwrap().solve(&options, &Control::silent()).unwrap();
        assert_eq!(values(&result.stages), values(&known.stages), "{}", known.name);
    }
}

#[test]
fn no_heuristic_is_better_than_a_proved_optimum() {
    for (model, known, instance) in quick() {
        let question = model.pose(&instance).unwrap();
        for heuristic in model.heuristics() {
            let proposal = question.propose(heuristic.name, 0).unwrap();
            assert!(proposal.valid, "{}: {}", known.name, heuristic.name);
            let order = compare_stages(&proposal.stages, &known.stages);
            assert!(order.is_ge(), "{}: {} is better", known.name, heuristic.name);
        }
    }
}

fn values(stages: &[StageDocument]) -> Vec<(&str, Option<ground::Amount>)> {
    stages.iter().map(|stage| (stage.name.as_str(), stage.value)).collect()
}
