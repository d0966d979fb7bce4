//! The place of a solver in builds without one.
//!
//! Such a build needs no C++ compiler. It reads, generates, verifies, draws and imports, runs heuristics and checks certificates; only
//! what would have to be searched for fails, and says why.

use milp::Program;

use solver::{Session, Settings, Solver, SolverFailure, SolverOptions};

/// No solver.
pub(super) struct Absent;

const REASON: &str = "this build of migopt has no solver: it judges solutions and proofs, and finds none. Build it with its default \
                      features, or with `--features cbc`.";

impl Solver for Absent {
    fn name(&self) -> &'static str {
        "none"
    }

    fn version(&self) -> String {
        "none".to_owned()
    }

    fn unavailable(&self) -> Option<&'static str> {
        Some(REASON)
    }

    fn options(&self) -> &'static SolverOptions {
        &SolverOptions { allowed: &[], refused: &[] }
    }

    fn open<'a>(
        &'a self,
        program: &Program,
        _settings: &Settings,
    ) -> Result<Box<dyn Session + 'a>, SolverFailure> {
        Err(SolverFailure { solver: self.name(), program: program.name.clone(), reason: REASON.to_owned() })
    }
}
