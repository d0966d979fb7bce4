//! The parts of the compact formulation one by one: bounds, losses and programs against the dynamic program.

use migrator::{
    Effort, Encoding, Exact, Flow, Joint, Plan, Presolved, Problem, Reconfiguration, Scope, presolve,
    shortest_schedule, verify,
};
use milp::StopReason;
use solver::{Control, Options, Solver, by_name, solve_stages};
use support::migrator::{A30, A100, Case, Family, UNITS, best, problem};

/// Few steps and no schedules, so that bounds stay apart from what is known.
const LITTLE: Effort = Effort { knapsack_steps: 12, content_steps: 8, visits: 0, joint_states: 20_000 };

const READINGS: [Reconfiguration; 4] =
    [Reconfiguration::Clip, Reconfiguration::Carry, Reconfiguration::Frac, Reconfiguration::Charge];

/// Feasible random windows with their optimum in units of the problem.
fn windows(count: u64) -> impl Iterator<Item = (Problem, i64, String)> {
    (0..count).filter_map(|seed| {
        let reconfiguration = READINGS[seed as usize % 4];
        let family = match seed % 3 {
            0 => Family { models: 2..=2, slots: 4..=8, board: &A30, reconfiguration },
            1 => Family { models: 2..=2, slots: 4..=6, board: &A100, reconfiguration },
            _ => Family { models: 1..=1, slots: 6..=12, board: &A100, reconfiguration },
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

fn presolved(joint: &Joint<'_>, effort: Effort) -> Presolved {
    let schedule = shortest_schedule(joint.problem).map(|(schedule, _)| schedule);
    presolve(joint, schedule.as_deref(), effort, || true).expect("the window is feasible")
}

/// The optimum of a program in requests, its bound, and the plan.
fn solved(flow: &Flow<'_, '_>, solver: &dyn Solver, start: Option<&Plan>) -> (f64, f64, Plan) {
    let options = Options { start: start.and_then(|plan| flow.encode(plan)), ..Options::default() };
    let staged = solve_stages(solver, flow.program(), &options, &Control::silent());
    assert_eq!(staged.stop, StopReason::Proved);
    let stage = &staged.stages[0];
    let plan = flow.decode(&staged.columns.expect("there is an optimum"));
    (stage.value.expect("there is an optimum"), stage.bound.expect("it is proved"), plan)
}

fn units_of(problem: &Problem, plan: &Plan) -> i64 {
    let verification = verify(problem, plan);
    assert_eq!(verification.violations, []);
    let units = verification.goodput * i128::from(problem.units);
    assert!(units.is_integer(), "goodput is a whole number of units");
    units.to_integer() as i64
}

#[test]
fn bounds_of_prices_hold_and_plans_are_worth_what_is_said() {
    let mut open = 0;
    for (problem, optimum, about) in windows(240) {
        let joint = Joint::new(&problem);
        for effort in [LITTLE, Effort { content_steps: 1, knapsack_steps: 0, ..LITTLE }, Effort::USUAL] {
            let presolved = presolved(&joint, effort);
            assert!(presolved.bound >= optimum, "{} {optimum} {about}", presolved.bound);
            assert!(presolved.price_bound >= presolved.bound, "{about}");
            if let Some((goodput, plan)) = &presolved.incumbent {
                assert!(*goodput <= optimum, "{about}");
                // Where two states of one age have the same allocation, the path may charge more than the simulator.
                assert!(units_of(&problem, plan) >= *goodput, "{about}");
                open += u32::from(presolved.bound > *goodput);
            }
        }
    }
    assert!(open > 100, "most bounds of little effort stay open: {open}");
}

#[test]
fn nothing_that_an_optimum_contains_loses_more_than_the_gap() {
    let highs = by_name("highs").expect("always there");
    for (problem, optimum, about) in windows(90) {
        let joint = Joint::new(&problem);
        let presolved = presolved(&joint, LITTLE);
        let whole = Flow::new(&joint, Scope::Whole, true);
        let (_, _, plan) = solved(&whole, highs, None);
        assert_eq!(units_of(&problem, &plan), optimum, "{about}");
        let reduced = Flow::new(&joint, Scope::AtLeast(&presolved, optimum), true);
        let point = reduced.encode(&plan).expect("an optimum is in the reduced program");
        assert_eq!(reduced.program().violations(&point, 1e-9), [], "{about}");
        assert!(reduced.program().columns.len() <= whole.program().columns.len(), "{about}");
    }
}

#[test]
fn whole_and_reduced_programs_agree_with_the_dynamic_program_in_highs() {
    check_programs("highs");
}

#[test]
fn whole_and_reduced_programs_agree_with_the_dynamic_program_in_cbc() {
    check_programs("cbc");
}

/// Compares the programs of random windows, as one solver solves them, with the dynamic program.
fn check_programs(name: &str) {
    let Some(solver) = by_name(name) else { return };
    for (problem, optimum, about) in windows(90) {
        let joint = Joint::new(&problem);
        let units = problem.units as f64;
        let whole = Flow::new(&joint, Scope::Whole, true);
        let (value, bound, plan) = solved(&whole, solver, None);
        let truth = optimum as f64 / units;
        let tolerance = 1e-6 * truth.abs().max(1.0);
        assert!((value - truth).abs() <= tolerance && (bound - truth).abs() <= tolerance, "{name} {about}");
        assert!((units_of(&problem, &plan) as f64 / units - truth).abs() <= tolerance, "{name} {about}");
        let presolved = presolved(&joint, LITTLE);
        let (goodput, incumbent) = presolved.incumbent.as_ref().expect("a schedule is given");
        let scope = Scope::AtLeast(&presolved, *goodput);
        for whole_states in [false, true] {
            let reduced = Flow::new(&joint, scope, whole_states);
            let (above, bound, _) = solved(&reduced, solver, Some(incumbent));
            let missing = (optimum - goodput) as f64 / units;
            assert!(bound >= missing - 1e-6, "{name} {bound} {missing} {about}");
            if whole_states {
                assert!((above - missing).abs() <= 1e-6, "{name} {above} {missing} {about}");
            }
        }
    }
}
