//! Intervals in which another start on the same GPU costs something: a column for each workload at each start, counts of what keeps its
//! slot, and prices of machines prove the same.

use kit::{Formulation, SolveOptions, Status};
use models::InstanceFile;
use siavashi::{
    COMPACT, COMPACT_BY_PRICES, COMPACT_BY_PROGRAMS, GeneratorOptions, Mix, Problem, Residents, SLOTS,
    Siavashi, Staged, verify,
};
use solver::Control;
use solvers::solvers;
use support::instances::problem;

/// An interval of two GPUs for each machine; `costs` are those of other machines, GPUs and starts.
fn interval(mix: Mix, workloads: u32, load: f64, setting: Residents, seed: u64, costs: [u32; 3]) -> Problem {
    let options = GeneratorOptions {
        workloads,
        load,
        mix,
        gpus_per_machine: 2,
        setting,
        churn: 2.5,
        seed,
        ..GeneratorOptions::default()
    };
    let file = InstanceFile::of::<Siavashi>(siavashi::generate(&options));
    let mut tree = serde_json::to_value(&file).expect("an instance file is plain data");
    let [machine, gpu, start] = costs;
    tree["siavashi"]["migration_costs"] =
        serde_json::json!({"move_machine": machine, "move_gpu": gpu, "move_start": start, "evict": 3});
    problem::<Siavashi>(tree.to_string())
}

/// Values and bounds of all stages, checked against the verifier, and how many residents begin elsewhere on their GPU.
fn optimum(problem: &Problem, formulation: &Staged, solver: usize) -> (Vec<String>, u32) {
    let options = SolveOptions::exact(solvers()[solver]);
    let solved = formulation.solve(problem, None, &options, &Control::silent()).unwrap();
    assert_eq!(solved.status, Status::Optimal, "{:?}", solved.stages);
    let (placement, score) = solved.best.expect("an optimum comes with a placement");
    let verdict = verify(problem, &placement);
    assert_eq!((verdict.violations, &verdict.score), (Vec::new(), &score));
    let stages =
        solved.stages.iter().map(|stage| format!("{} {:?} {:?}", stage.name, stage.value, stage.bound));
    (stages.collect(), score.moved_start as u32)
}

#[test]
fn slots_counts_and_prices_agree_where_starts_cost() {
    let drawn = [
        (Mix::Light, 12, 1.2, Residents::Keep, [7, 6, 1]),
        (Mix::Light, 12, 1.2, Residents::Evictable, [9, 7, 1]),
        (Mix::Uniform, 12, 1.0, Residents::Keep, [6, 3, 3]),
        (Mix::Trace, 12, 0.8, Residents::Evictable, [3, 3, 2]),
    ];
    let mut shifted = 0;
    for (number, (mix, workloads, load, setting, costs)) in drawn.into_iter().enumerate() {
        for seed in 0..3 {
            let problem = interval(mix, workloads, load, setting, 10 * number as u64 + seed, costs);
            let (stages, _) = optimum(&problem, &SLOTS, 0);
            for solver in 0..solvers().len() {
                for formulation in [&COMPACT_BY_PROGRAMS, &COMPACT_BY_PRICES] {
                    let (others, moved) = optimum(&problem, formulation, solver);
                    assert_eq!(others, stages);
                    shifted += moved;
                }
            }
        }
    }
    assert!(shifted > 0);
}

#[test]
fn sixty_workloads_are_proved_where_starts_cost() {
    let problem = interval(Mix::Light, 60, 0.8, Residents::Keep, 1, [4, 2, 1]);
    let (stages, _) = optimum(&problem, &COMPACT, 0);
    assert_eq!(stages.len(), 3);
}
