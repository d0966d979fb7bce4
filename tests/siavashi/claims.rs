//! What the model's page claims about the paper's program and about the others, by solving programs.

use itertools::iproduct;
use kit::Formulation;
use kit::{SolveOptions, Status};
use milp::{Program, Row};
use models::InstanceFile;
use siavashi::{FORMULATIONS, GeneratorOptions, Mix, Problem, Residents};
use solver::{Control, Options, Request, Settings, Solver, solve_stages};
use solvers::solvers;
use std::sync::Arc;
use support::board;
use support::instances::{posed, written};
use support::siavashi::problem;

/// A whole GPU and the smallest part of one, on two empty GPUs.
const LARGE_AND_SMALL: &str = "
name: large-and-small
hosts: [{name: pm, count: 2, gpus: [{board: A100-40GB}]}]
workloads: [{name: large, profile: 7g.40gb}, {name: small, profile: 1g.5gb}]
";

/// The printed program with another constant B in rows (12) and (13).
fn with_constant(program: &Program, constant: f64) -> Program {
    let mut program = program.clone();
    let is_pair = |label: &str| label.starts_with("S12[") || label.starts_with("S13[");
    for row in program.rows.iter_mut().filter(|row| is_pair(&row.label)) {
        let replaced = |number: &mut f64| {
            if number.abs() == 8.0 {
                *number = number.signum() * constant;
            }
        };
        let orders =
            row.terms.iter_mut().filter(|(column, _)| program.columns[*column].name.starts_with("alpha["));
        orders.for_each(|(_, coefficient)| replaced(coefficient));
        replaced(&mut row.lower);
        replaced(&mut row.upper);
    }
    program
}

/// Eight is the least constant that lets an absent workload be absent. With less, `z + 8 <= z' + B alpha` asks for an order,
/// in which the absent workload needs slots.
#[test]
fn the_constant_of_rows_12_and_13_must_be_8() {
    let problem = problem(LARGE_AND_SMALL);
    let printed = crate::formulation("printed").build(&problem).expect("the paper's costs");
    assert_eq!(with_constant(printed.program(), 8.0), *printed.program());
    for (constant, accepted) in [(8.0, 2.0), (7.0, 1.0), (6.0, 1.0), (100.0, 2.0)] {
        let program = with_constant(printed.program(), constant);
        for &solver in solvers() {
            let staged = solve_stages(solver, &program, &Options::default(), &Control::silent());
            let acceptance = &staged.stages[0];
            assert!(acceptance.proved, "{constant} with {}: {staged:?}", solver.name());
            assert_eq!(acceptance.value, Some(accepted), "{constant} with {}", solver.name());
        }
    }
}

/// Two machines with an A100 each. The resident R runs on the second; Z fits only there, and only without R.
const EVICTION: &str = "
name: eviction
hosts:
  - {name: pm1, cpu: 4, gpus: [{board: A100-40GB}]}
  - {name: pm2, cpu: 10, gpus: [{board: A100-40GB}]}
workloads:
  - {name: R, profile: 3g.20gb, cpu: 4, current: {gpu: pm2/0, start: 0}}
  - {name: N, profile: 3g.20gb, cpu: 4}
  - {name: Z, profile: 3g.20gb, cpu: 10, acceptance_weight: 2}
siavashi: {residents: evictable, objective: lexicographic}
";

/// The three goals, and the workloads with a place, by a formulation and a solver.
fn optimum(problem: &Problem, formulation: &str, solver: &'static dyn Solver) -> ([i64; 3], Vec<String>) {
    let options = SolveOptions::exact(solver);
    let solved = crate::formulation(formulation)
        .solve(problem, None, &options, &Control::silent())
        .expect("an answer");
    assert_eq!(solved.status, Status::Optimal, "{formulation} with {}", solver.name());
    let (placement, score) = solved.best.expect("an optimum comes with a placement");
    let placed = problem.cluster.workload_indices().filter(|&workload| placement.of(workload).is_some());
    let names = placed.map(|workload| problem.cluster.workloads[workload.index()].name.clone());
    (score.values().map(|value| value.to_f64() as i64), names.collect())
}

/// As printed, evicting R for N costs 2 while moving it costs 4.
#[test]
fn evicting_a_resident_is_cheaper_than_moving_it() {
    for (residents, goals, placed) in [("evictable", [3, 4, 2], ["N", "Z"]), ("keep", [3, 4, 4], ["R", "Z"])]
    {
        let problem = problem(EVICTION.replace("evictable", residents));
        for formulation in FORMULATIONS {
            for &solver in solvers() {
                let found = optimum(&problem, formulation.name(), solver);
                assert_eq!(
                    found,
                    (goals, placed.map(str::to_owned).to_vec()),
                    "{residents} {}",
                    formulation.name()
                );
            }
        }
    }
}

/// Rows (22)-(25) allow to count changes that are none: the steps that stages promise hold at such points as well.
#[test]
fn steps_hold_at_points_that_count_too_much() {
    for objective in ["lexicographic", "weighted:acceptance=3,hardware=1,migrations=1"] {
        let problem = problem(EVICTION.replace("lexicographic", &format!("\"{objective}\"")));
        let printed = crate::formulation("printed").build(&problem).expect("the paper's costs");
        let program = printed.program();
        let mut columns = printed.encode(&problem.cluster.current_placement());
        let m =
            program.columns.iter().position(|column| column.name == "m[R,pm1]").expect("R may move there");
        columns[m] = 1.0;
        assert_eq!(program.violations(&columns, 1e-6), []);
        for stage in &program.stages {
            let step = stage.step.expect("all values are whole multiples of something");
            let steps = (stage.evaluate(&columns) - stage.constant) / step;
            assert_eq!(steps.fract(), 0.0, "{objective}: {} has a step of {step}", stage.name);
        }
    }
}

/// The bound of the linear relaxation of a goal, when so much is accepted.
fn relaxed(program: &Program, goal: &str, accepted: f64) -> f64 {
    let stage = |name| &program.stages[program.stage_index(name).expect("a stage")];
    let acceptance = stage("acceptance");
    let mut session = solvers()[0].open(program, &Settings::default()).expect("HiGHS takes every program");
    session.add_row(&Row {
        label: "accepted".to_owned(),
        lower: accepted - acceptance.constant,
        upper: f64::INFINITY,
        terms: acceptance.terms.clone(),
    });
    session.set_objective(stage(goal));
    let control = Control::silent();
    let request = Request::relaxation(None, &control);
    session.solve(&request).bound.expect("the relaxation has an optimum")
}

/// Relaxations of acceptance, and of hardware when 20 of 30 workloads are accepted: of a formulation, and of its smaller
/// program if it has one.
fn relaxations(problem: &Problem, formulation: &str) -> Vec<[f64; 2]> {
    let formulation = crate::formulation(formulation).build(problem).expect("the paper's costs");
    let smaller = formulation.preliminary().map(|smaller| smaller.program);
    let of = |program| [relaxed(program, "acceptance", 0.0), relaxed(program, "hardware", 20.0)];
    std::iter::once(formulation.program()).chain(smaller).map(of).collect()
}

/// Counting like workloads together loses nothing: facets are the hull of what GPUs hold, and slots are intervals. The
/// relaxation of the printed program hardly sees the hardware.
#[test]
fn counts_have_the_linear_relaxation_of_slots() {
    let board = board("A100-40GB");
    let same =
        |one: [f64; 2], other: [f64; 2]| one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-3);
    for (seed, mix, limited) in iproduct!(1..=2, [Mix::Light, Mix::Heavy], [true, false]) {
        let options = GeneratorOptions {
            board: Arc::clone(&board),
            workloads: 30,
            load: 1.2,
            mix,
            gpus_per_machine: 2,
            residents: 0.7,
            churn: 1.5,
            setting: Residents::Evictable,
            seed,
        };
        let mut file = InstanceFile::of::<siavashi::Siavashi>(siavashi::generate(&options));
        if !limited {
            let host = &mut file.hosts[0].value;
            (host.cpu, host.memory_gib) = (None, None);
        }
        let problem = posed::<siavashi::Siavashi>(&written(&file));
        let slots = relaxations(&problem, "slots")[0];
        for compact in relaxations(&problem, "compact") {
            assert!(same(slots, compact), "{}: slots {slots:?}, compact {compact:?}", file.name);
        }
        if seed == 1 {
            let [acceptance, hardware] = relaxations(&problem, "printed")[0];
            assert!(acceptance > slots[0] - 1e-3 && 2.0 * hardware < slots[1], "{acceptance}, {hardware}");
        }
    }
}
