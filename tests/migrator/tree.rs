//! The search among parts, under efforts so small that every step of it is taken, and the whole program, against the dynamic program.

use migrator::{
    Effort, Encoding, Exact, Flow, Joint, Plan, Problem, Reconfiguration, Searched, Until, search_tree,
    shortest_schedule, verify,
};
use milp::StopReason;
use solver::{Control, Options, Solver, solve_stages};
use solvers::by_name;
use std::cell::Cell;
use support::instances::{posed, read, shipped};
use support::migrator::{A30, A100, Case, Family, UNITS, best, problem};

/// Poor prices and narrow sweeps, so that windows fall into many parts.
const NARROW: Effort =
    Effort { knapsack_steps: 0, content_steps: 1, width: 1, growth: 2, widest: 1, kept: 1 };

/// No steps to speak of, and sweeps that keep everything.
const WIDE: Effort = Effort {
    knapsack_steps: 0,
    content_steps: 1,
    width: 1_000_000,
    growth: 2,
    widest: 1_000_000,
    kept: 100_000_000,
};

const READINGS: [Reconfiguration; 4] =
    [Reconfiguration::Clip, Reconfiguration::Carry, Reconfiguration::Frac, Reconfiguration::Charge];

/// Feasible random windows with their optimum in units of the problem.
fn windows(count: u64) -> impl Iterator<Item = (Problem, i64, String)> {
    (0..count).filter_map(|seed| {
        let reconfiguration = READINGS[seed as usize % 4];
        let family = match seed % 5 {
            0 => Family { models: 2..=2, slots: 4..=8, board: &A30, reconfiguration },
            1 => Family { models: 2..=2, slots: 4..=6, board: &A100, reconfiguration },
            2 => Family { models: 1..=1, slots: 6..=12, board: &A100, reconfiguration },
            3 => Family { models: 2..=2, slots: 7..=10, board: &A30, reconfiguration },
            _ => Family { models: 3..=3, slots: 3..=5, board: &A30, reconfiguration },
        };
        let case = Case::draw(1_000 + seed, &family);
        let optimum = best(&case)?;
        let yaml = case.yaml();
        let problem = problem(&yaml);
        let optimum = Exact::new(optimum.into(), UNITS.into()) * i128::from(problem.units);
        assert!(optimum.is_integer(), "{yaml}");
        Some((problem, optimum.to_integer() as i64, yaml))
    })
}

/// Searches for something better than `known` while `goes_on`.
fn searched(joint: &Joint<'_>, known: Option<i64>, effort: Effort, goes_on: &dyn Fn() -> bool) -> Searched {
    let schedule = shortest_schedule(joint.problem).map(|(schedule, _)| schedule);
    let until = Until { goes_on, suffices: &|_, _| false };
    search_tree(joint, schedule.as_deref(), known, effort, &until)
}

/// The goodput of a plan that obeys all rules, in units of the problem.
fn units_of(problem: &Problem, plan: &Plan) -> i64 {
    let verification = verify(problem, plan);
    assert_eq!(verification.violations, []);
    let units = verification.goodput * i128::from(problem.units);
    assert!(units.is_integer(), "goodput is a whole number of units");
    units.to_integer() as i64
}

#[test]
fn every_effort_ends_with_the_optimum() {
    let mut divided = 0;
    for (problem, optimum, about) in windows(400) {
        let joint = Joint::new(&problem);
        for effort in [NARROW, Effort { width: 2, widest: 4, kept: 40, ..NARROW }, WIDE, Effort::USUAL] {
            let Searched { bound, best, counters } = searched(&joint, None, effort, &|| true);
            let (value, plan) = best.expect("a schedule is given");
            assert_eq!((value, bound), (optimum, optimum), "{effort:?} {about}");
            assert_eq!(units_of(&problem, &plan), optimum, "{about}");
            divided += u32::from(counters.parts > 1);
        }
    }
    assert!(divided > 200, "narrow sweeps leave parts to divide: {divided}");
}

#[test]
fn bounds_hold_and_plans_are_worth_what_is_said_whenever_time_is_up() {
    let mut open = 0;
    for (problem, optimum, about) in windows(120) {
        let joint = Joint::new(&problem);
        for asked in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144] {
            let left = Cell::new(asked);
            let goes_on = || {
                left.set(left.get() - i32::from(left.get() > 0));
                left.get() > 0
            };
            let Searched { bound, best, .. } = searched(&joint, None, NARROW, &goes_on);
            assert!(bound >= optimum, "{asked} {bound} {optimum} {about}");
            let (value, plan) = best.expect("there is always time for a plan");
            assert!(value <= optimum && units_of(&problem, &plan) >= value, "{asked} {about}");
            open += u32::from(bound > value);
        }
    }
    assert!(open > 300, "most searches end early: {open}");
}

#[test]
fn what_is_known_is_improved_on_or_proved() {
    for (problem, optimum, about) in windows(120) {
        let joint = Joint::new(&problem);
        for effort in [NARROW, Effort::USUAL] {
            let proved = searched(&joint, Some(optimum), effort, &|| true);
            assert!(proved.best.is_none() && proved.bound == optimum, "{about}");
            let improved = searched(&joint, Some(optimum - 1), effort, &|| true);
            let (value, _) = improved.best.expect("something is better");
            assert_eq!((value, improved.bound), (optimum, optimum), "{about}");
        }
    }
}

#[test]
fn a_gap_that_suffices_ends_the_search() {
    for (problem, optimum, about) in windows(60) {
        let joint = Joint::new(&problem);
        let schedule = shortest_schedule(&problem).map(|(schedule, _)| schedule);
        let until = Until { goes_on: &|| true, suffices: &|bound, value| bound - value <= bound.abs() / 10 };
        let found = search_tree(&joint, schedule.as_deref(), None, NARROW, &until);
        let (value, _) = found.best.expect("a schedule is given");
        assert!(found.bound >= optimum && found.bound - value <= found.bound.abs() / 10, "{about}");
    }
}

#[test]
fn the_program_agrees_with_the_dynamic_program_in_highs() {
    check_programs("highs");
}

#[test]
fn the_program_agrees_with_the_dynamic_program_in_cbc() {
    check_programs("cbc");
}

/// Compares the programs of random windows, as one solver solves them, with the dynamic program.
fn check_programs(name: &str) {
    let Some(solver) = by_name(name) else { return };
    for (problem, optimum, about) in windows(120) {
        let joint = Joint::new(&problem);
        let units = problem.units as f64;
        let flow = Flow::new(&joint);
        let (value, bound, plan) = solved(&flow, solver);
        let truth = optimum as f64 / units;
        let tolerance = 1e-6 * truth.abs().max(1.0);
        assert!((value - truth).abs() <= tolerance && (bound - truth).abs() <= tolerance, "{name} {about}");
        assert!((units_of(&problem, &plan) as f64 / units - truth).abs() <= tolerance, "{name} {about}");
        let (_, plan) = searched(&joint, None, NARROW, &|| true).best.expect("a schedule is given");
        let point = flow.encode(&plan).expect("an optimum is a point of the program");
        assert_eq!(flow.program().violations(&point, 1e-9), [], "{about}");
    }
}

/// The optimum of a program in requests, its bound, and the plan.
fn solved(flow: &Flow<'_, '_>, solver: &dyn Solver) -> (f64, f64, Plan) {
    let staged = solve_stages(solver, flow.program(), &Options::default(), &Control::silent());
    assert_eq!(staged.stop, StopReason::Proved);
    let columns = staged.columns.as_ref().expect("a proved optimum has a point");
    let stage = &staged.stages[0];
    (stage.value.expect("it has a value"), stage.bound.expect("it has a bound"), flow.decode(columns))
}

#[test]
fn shipped_windows_take_as_much_work_as_ever() {
    let work = |name: &str| {
        let problem = posed::<migrator::Migrator>(&read(shipped("migrator", name)));
        let counters = searched(&Joint::new(&problem), None, Effort::USUAL, &|| true).counters;
        (counters.steps, counters.parts)
    };
    let all = [work("w1"), work("three-models"), work("four-models")];
    assert_eq!(all, [(270, 1), (270, 1), (330, 1)]);
}
