//! Programs that a release of a solver calls infeasible although they have solutions.

use milp::StopReason;
use solver::{Control, Options, Request, Settings, solve_stages, solvers};
use support::{mps, root};

/// HiGHS 1.14 and 1.15 call this stage of an instance of model siavashi infeasible; its optimum is 0.
#[test]
fn no_presolve_closes_a_program_that_has_a_solution() {
    let text = std::fs::read_to_string(root().join("tests/fixtures/solver/called-infeasible.mps")).unwrap();
    let program = mps::program(&text);
    let sizes = program.sizes();
    assert_eq!((sizes.columns, sizes.rows, sizes.integer_columns), (22, 29, 22));
    for solver in solvers() {
        let staged = solve_stages(*solver, &program, &Options::default(), &Control::silent());
        assert_eq!(staged.stop, StopReason::Proved, "{}", solver.name());
        assert_eq!(staged.stages[0].value, Some(0.0), "{}", solver.name());
        assert_eq!(program.violations(&staged.columns.unwrap(), 1e-9), vec![]);

        let mut session = solver.open(&program, &Settings::default()).unwrap();
        let control = Control::silent();
        let request = Request {
            relaxation: false,
            deadline: None,
            absolute_gap: 0.0,
            relative_gap: 0.0,
            node_limit: None,
            control: &control,
        };
        assert_eq!(session.solve(&request).stop, StopReason::Proved, "{}: any point", solver.name());
    }
}
