//! What single shipped instances are there to show.

use ground::Amount;
use kit::SolveOptions;
use models::{Instance, Model, model_of};
use solver::Control;
use solvers::by_name;
use support::instances::{self, shipped};

fn read(model: &dyn Model, name: &str) -> Instance {
    instances::read(shipped(model.name(), name))
}

fn options() -> SolveOptions {
    SolveOptions::exact(by_name("highs").unwrap())
}

#[test]
fn without_a_formulation_pins_choose_exact_index_and_tell_the_price_of_the_printed_reading() {
    let problem = read(model_of::<wpm::Wpm>(), "pinned").problem::<wpm::Wpm>().unwrap();
    let solved = wpm::suitable(&problem).solve(&problem, None, &options(), &Control::silent()).unwrap();
    assert_eq!(solved.formulation, "exact-index");
    let exact = solved.best.unwrap().1.gpus;
    let printed = wpm::printed_reading(&problem, &options(), &Control::silent()).unwrap();
    assert!(printed.unwrap().gpus > exact);
}

/// The warning of the page of siavashi: as printed it is cheaper to stop what runs than to move it.
#[test]
fn eviction_buys_acceptance_unless_residents_keep_a_place() {
    let model = model_of::<siavashi::Siavashi>();
    for (name, evicted) in [("eviction", true), ("eviction-keep", false)] {
        let instance = read(model, name);
        let result = model.pose(&instance).unwrap().solve(&options(), &Control::silent()).unwrap();
        let placed = result.solution.unwrap().placement.unwrap();
        assert_eq!(placed.iter().all(|placed| placed.workload != "runs"), evicted, "{name}");
        let values: Vec<_> = result.stages.iter().map(|stage| stage.value.unwrap()).collect();
        let migrations = if evicted { 2 } else { 4 };
        assert_eq!(values, [3, 4, migrations].map(Amount::whole), "{name}");
    }
}
