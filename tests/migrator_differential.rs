//! Random small windows: every formulation, every solver, a dynamic program and trying everything agree.

mod migrator_support;

use migopt::milp::Program;
use migopt::model::migrator::{
    Exact, FORMULATIONS, Formulation, GOODPUT, Printed, Problem, Reconfiguration, solve, verify,
};
use migopt::model::{SolveOptions, Status};
use migopt::solver::{Control, by_name};
use migrator_support::{
    A30, A100, Case, Family, UNITS, best, best_by_trying_all, goodput, problem, random_proposal, to_plan,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Formulations and solvers to be compared with the dynamic program, and on how many windows: every how manieth.
const LINES: &[(&str, &str, u64)] = &[("printed", "highs", 1), ("printed", "cbc", 8)];

/// The windows of a reading.
fn windows(reconfiguration: Reconfiguration) -> impl Iterator<Item = (u64, Case)> {
    let family = move |seed: u64| {
        let family = |models, slots, board| Family { models, slots, board, reconfiguration };
        match seed % 8 {
            0 => family(2..=2, 3..=4, &A100),
            1 | 2 => family(1..=1, 3..=8, &A100),
            3 => family(2..=2, 3..=6, &A30),
            4 => family(3..=3, 3..=4, &A30),
            5 => family(1..=1, 5..=8, &A30),
            _ => family(1..=1, 3..=5, &A100),
        }
    };
    (0..200).map(move |seed| (seed, Case::draw(seed, &family(seed))))
}

/// A number of units as goodput.
fn exact(units: i64) -> Exact {
    Exact::new(units.into(), UNITS.into())
}

fn check_line(problem: &Problem, line: (&str, &str), truth: Option<i64>, about: &str) -> Option<()> {
    let about = format!("{line:?}\n{about}");
    let formulation = FORMULATIONS.iter().find(|entry| entry.name == line.0);
    let options = SolveOptions { formulation, ..SolveOptions::exact(by_name(line.1)?) };
    let solved =
        solve(problem, &options, &Control::silent()).unwrap_or_else(|error| panic!("{error}: {about}"));
    let Some(truth) = truth else {
        assert_eq!(solved.status, Status::Infeasible, "{about}");
        return Some(());
    };
    assert_eq!(solved.status, Status::Optimal, "{about}");
    assert_eq!(solved.stages[0].value, solved.stages[0].bound, "{about}");
    let (plan, _) = solved.best.expect("an optimum is a plan");
    let verification = verify(problem, &plan);
    assert_eq!(verification.violations, [], "{about}");
    let (truth, found) = (as_double(exact(truth)), as_double(verification.goodput));
    assert!((truth - found).abs() <= 1e-6 * truth.abs().max(1.0), "{truth} {found} {about}");
    Some(())
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
        for &(formulation, solver, every) in LINES {
            if seed % every == seed / 8 % every {
                let about = format!("{reconfiguration:?} {seed}\n{yaml}");
                let checked = check_line(&problem, (formulation, solver), truth, &about);
                *counts.entry(solver).or_default() += u32::from(checked.is_some());
            }
        }
        *counts.entry("infeasible").or_default() += u32::from(truth.is_none());
    }
    println!("{reconfiguration:?}: {counts:?}");
    assert!(counts["highs"] >= 200 && (5..100).contains(&counts["infeasible"]), "{counts:?}");
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
            let (problem, plan) = (problem(&case.yaml()), to_plan(&proposal));
            let about = format!("{reconfiguration:?} {seed} {plan:?}\n{}", case.yaml());
            let verification = verify(&problem, &plan);
            assert_eq!(verification.violations, [], "{about}");
            let worth = exact(goodput(&case, &proposal));
            assert_eq!(verification.goodput, worth, "{about}");
            let printed = Printed::new(&problem);
            let point = printed.encode(&plan);
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
