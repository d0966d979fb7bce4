//! "Infeasible" is checked before it is believed.

use milp::{Program, StopReason};
use solver::{Control, Log, Options, Request, Settings, solve_stages};
use solvers::{by_name, solvers};
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
        let request = Request { relaxation: false, ..Request::relaxation(None, &control) };
        assert_eq!(session.solve(&request).stop, StopReason::Proved, "{}: any point", solver.name());
    }
}

/// Two odd columns with an even sum, which no bound of a linear relaxation refutes.
const ODD: &str = "NAME odd
ROWS
 N Obj
 E sum
COLUMNS
 MARK0000 'MARKER' 'INTORG'
 x sum 2
 y sum 4
 MARK0001 'MARKER' 'INTEND'
RHS
 RHS sum 7
BOUNDS
 UP B x 10
 UP B y 10
ENDATA
";

#[test]
fn a_program_is_infeasible_once_it_is_so_without_presolve() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let settings = Settings { log: Some(Log::create(&path).unwrap()), ..Settings::default() };
    let program: Program = mps::program(ODD);
    let options = Options { settings, ..Options::default() };
    let solver = by_name("highs").unwrap();
    let staged = solve_stages(solver, &program, &options, &Control::silent());
    assert_eq!(staged.stop, StopReason::Infeasible);
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(log.contains("=== mps, objective: integer search, without presolve"), "{log}");
}
