//! Random small windows: every formulation, every solver, a dynamic program and trying everything agree.

use kit::{Choices, SolveOptions, Status};
use migrator::{Encoding, Exact, FORMULATIONS, GOODPUT, Printed, Problem, Reconfiguration, verify};
use milp::Program;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use solver::Control;
use solvers::by_name;
use std::collections::BTreeMap;
use support::migrator::{
    A30, A100, Case, Family, UNITS, best, best_by_trying_all, goodput, problem, random_proposal, to_plan,
};

/// A formulation on a solver, to be compared with the dynamic program.
struct Line {
    formulation: &'static str,
    solver: &'static str,
    /// The first windows: the small ones, or all.
    windows: u64,
    /// Of these every how manieth.
    every: u64,
}

const LINES: &[Line] = &[
    Line { formulation: "printed", solver: "highs", windows: SMALL, every: 1 },
    Line { formulation: "printed", solver: "cbc", windows: SMALL, every: 9 },
    Line { formulation: "compact", solver: "highs", windows: ALL_WINDOWS, every: 1 },
    Line { formulation: "compact", solver: "cbc", windows: ALL_WINDOWS, every: 1 },
];

/// Windows that the printed program solves in about a second.
const SMALL: u64 = 200;
/// All windows.
const ALL_WINDOWS: u64 = 260;

/// The windows of a reading, the small ones first.
fn windows(reconfiguration: Reconfiguration) -> impl Iterator<Item = (u64, Case)> {
    let family = move |seed: u64| {
        let family = |models, slots, board| Family { models, slots, board, reconfiguration };
        match seed % 20 {
            0..10 if seed >= SMALL => family(2..=2, 4..=6, &A100),
            10..15 if seed >= SMALL => family(1..=1, 8..=12, &A100),
            _ if seed >= SMALL => family(2..=2, 7..=10, &A30),
            0 => family(2..=2, 2..=2, &A100),
            1 => family(1..=1, 5..=5, &A100),
            2..5 => family(1..=1, 3..=4, &A100),
            5..9 => family(2..=2, 3..=4, &A30),
            9 => family(3..=3, 3..=4, &A30),
            10..15 => family(1..=1, 2..=3, &A100),
            _ => family(1..=1, 4..=8, &A30),
        }
    };
    (0..ALL_WINDOWS).map(move |seed| (seed, Case::draw(seed, &family(seed))))
}

/// A number of units as goodput.
fn exact(units: i64) -> Exact {
    Exact::new(units.into(), UNITS.into())
}

/// Whether there was something to check: a build may be without the solver.
fn check_line(problem: &Problem, line: &Line, truth: Option<i64>, about: &str) -> bool {
    let about = format!("{} with {}\n{about}", line.formulation, line.solver);
    let formulation = FORMULATIONS.iter().find(|formulation| formulation.name() == line.formulation);
    let formulation = formulation.expect("lines name formulations of the model");
    let Some(solver) = by_name(line.solver) else { return false };
    let solved = formulation
        .solve(problem, None, &SolveOptions::exact(solver), &Control::silent())
        .unwrap_or_else(|error| panic!("{error}: {about}"));
    let Some(truth) = truth else {
        assert_eq!(solved.status, Status::Infeasible, "{about}");
        return true;
    };
    assert_eq!(solved.status, Status::Optimal, "{about}");
    assert_eq!(solved.stages[0].value, solved.stages[0].bound, "{about}");
    let (solution, _) = solved.best.expect("an optimum is a plan");
    let verification = verify(problem, &solution.plan);
    assert_eq!(verification.violations, [], "{about}");
    let (truth, found) = (as_double(exact(truth)), as_double(verification.goodput));
    assert!((truth - found).abs() <= 1e-6 * truth.abs().max(1.0), "{truth} {found} {about}");
    true
}

fn as_double(exact: Exact) -> f64 {
    *exact.numer() as f64 / *exact.denom() as f64
}

fn formulations_agree(reconfiguration: Reconfiguration) {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for (seed, case) in windows(reconfiguration) {
        let yaml = case.yaml();
        let problem = problem(&yaml);
        let truth = best(&case);
        let about = format!("{reconfiguration:?} {seed}\n{yaml}");
        for line in LINES.iter().filter(|line| seed < line.windows && seed % line.every == 0) {
            let is_checked = check_line(&problem, line, truth, &about);
            *counts.entry(line.solver).or_default() += u32::from(is_checked);
        }
        *counts.entry("infeasible").or_default() += u32::from(truth.is_none());
    }
    assert!(counts["highs"] >= 400 && (20..130).contains(&counts["infeasible"]), "{counts:?}");
}

#[test]
fn formulations_agree_with_the_dynamic_program_under_clip() {
    formulations_agree(Reconfiguration::Clip);
}

#[test]
fn formulations_agree_with_the_dynamic_program_under_carry() {
    formulations_agree(Reconfiguration::Carry);
}

#[test]
fn formulations_agree_with_the_dynamic_program_under_frac() {
    formulations_agree(Reconfiguration::Frac);
}

#[test]
fn formulations_agree_with_the_dynamic_program_under_charge() {
    formulations_agree(Reconfiguration::Charge);
}

const ALL: [Reconfiguration; 4] =
    [Reconfiguration::Clip, Reconfiguration::Carry, Reconfiguration::Frac, Reconfiguration::Charge];

#[test]
fn the_dynamic_program_agrees_with_trying_everything() {
    let mut tried = BTreeMap::new();
    for reconfiguration in ALL {
        let family = |models, slots, board| Family { models, slots, board, reconfiguration };
        for seed in 0..120 {
            let family = match seed % 4 {
                0 => family(1..=1, 3..=6, &A30),
                1 => family(1..=1, 2..=3, &A100),
                _ => family(2..=3, 3..=6, &A30),
            };
            let case = Case::draw(seed, &family);
            let Some(truth) = best_by_trying_all(&case, 2e6) else { continue };
            assert_eq!(best(&case), truth, "{reconfiguration:?} {seed}\n{}", case.yaml());
            *tried.entry((reconfiguration.name(), truth.is_some())).or_insert(0) += 1;
        }
    }
    assert!(tried.len() == 8 && tried.values().all(|&windows| windows >= 5), "{tried:?}");
}

/// A random plan of every window: simulator, verifier and program give the same goodput, and the plan comes back.
#[test]
fn points_of_the_printed_program_stand_for_plans() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut plans = 0;
    for reconfiguration in ALL {
        for (seed, case) in windows(reconfiguration) {
            let Some(proposal) = random_proposal(&case, &mut random) else { continue };
            let (problem, plan) = (problem(case.yaml()), to_plan(&proposal));
            let about = format!("{reconfiguration:?} {seed} {plan:?}\n{}", case.yaml());
            let verification = verify(&problem, &plan);
            assert_eq!(verification.violations, [], "{about}");
            let worth = exact(goodput(&case, &proposal));
            assert_eq!(verification.goodput, worth, "{about}");
            let printed = Printed::new(&problem).unwrap();
            let point = printed.encode(&plan).expect("every plan has a point");
            let program: &Program = printed.program();
            assert_eq!(program.violations(&point, 1e-9), [], "{about}");
            assert_eq!(program.stages[0].name, GOODPUT);
            let claimed = program.stages[0].evaluate(&point);
            assert!((claimed - as_double(worth)).abs() <= 1e-9 * claimed.abs().max(1.0), "{about}");
            assert_eq!(printed.decode(&point), plan, "{about}");
            plans += 1;
        }
    }
    assert!(plans > 500, "{plans}");
}

/// What a slot adds, with two models on an A100 that can be retrained on every size, under the usual readings.
#[test]
fn the_printed_program_is_as_large_as_its_page_says() {
    let sizes = |slots: usize| {
        let requests = vec!["1"; slots].join(", ");
        let model = |name: &str| {
            format!(
                "  - {{name: {name}, capability: {{1g: 1}}, accuracy: {{before: 0.5, after: 0.6}}, reconfiguration_seconds: 1,\n    \
                 retraining_seconds: {{1g: 2, 2g: 2, 3g: 2, 4g: 2, 7g: 2}}, requests: [{requests}]}}\n"
            )
        };
        let models = model("a") + &model("b");
        let problem = problem(format!("name: x\nmigrator:\n  window_seconds: {slots}\n  models:\n{models}"));
        let printed = Printed::new(&problem).unwrap();
        (printed.program().columns.len(), printed.program().rows.len())
    };
    let (small, large) = (sizes(10), sizes(11));
    assert_eq!((large.0 - small.0, large.1 - small.1), (234, 153));
}
