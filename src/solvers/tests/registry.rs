//! The table of solvers.

use crate::{by_name, solvers};

#[test]
fn every_solver_is_found_by_its_unique_name() {
    for solver in solvers() {
        assert_eq!(solvers().iter().filter(|other| other.name() == solver.name()).count(), 1);
        assert!(by_name(solver.name()).is_some());
        assert!(solver.version().starts_with(|first: char| first.is_ascii_digit()), "{}", solver.version());
    }
    let default = if cfg!(feature = "highs") { "highs" } else { "cbc" };
    assert_eq!(solvers()[0].name(), default);
    assert!(by_name("no-such-solver").is_none());
}

#[test]
fn the_library_of_a_solver_is_a_file_or_the_program() {
    for solver in solvers() {
        if let Some(library) = solver.library() {
            assert!(library.is_file(), "{}: {}", solver.name(), library.display());
        }
    }
}
