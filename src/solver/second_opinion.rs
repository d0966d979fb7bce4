//! What other solvers say of a program that one calls infeasible.
//!
//! A solver that is wrong about that closes a part of a search in which the optimum may be. A point that another one finds, checked
//! against the rows, refutes it; that another one finds none says nothing, so that little is spent on it and none of it is counted
//! as work.

use std::time::{Duration, Instant};

use super::loaded::Loaded;
use super::session::{Request, Settings};
use super::solvers;

/// The greatest number of coefficients of a program that another solver is asked about.
const MOST_NONZEROS: usize = 50_000;

/// The nodes and the time after which another solver gives up.
const MOST_NODES: u64 = 1_000;
const MOST_TIME: Duration = Duration::from_secs(10);

/// A point of a program that a solver calls infeasible.
pub(super) struct Refutation {
    /// The solver that found it.
    pub(super) solver: &'static str,
    /// The point, which satisfies the program.
    pub(super) point: Vec<f64>,
}

/// A point that another solver of this build finds of a program that `own` calls infeasible.
///
/// Programs with unbounded columns are left alone: solvers confuse infeasible and unbounded, and not all survive them.
pub(super) fn refutation(
    own: &'static str,
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
) -> Option<Refutation> {
    let is_small = loaded.program.sizes().nonzeros <= MOST_NONZEROS;
    if settings.is_second_opinion || !is_small || loaded.has_infinite_bounds() {
        return None;
    }
    let settings = Settings { is_second_opinion: true, ..Settings::default() };
    let control = request.control.unobserved();
    let latest = Instant::now() + MOST_TIME;
    let request = Request {
        deadline: Some(request.deadline.map_or(latest, |deadline| deadline.min(latest))),
        node_limit: Some(request.node_limit.map_or(MOST_NODES, |nodes| nodes.min(MOST_NODES))),
        control: &control,
        ..*request
    };
    let others = solvers().iter().filter(|solver| solver.name() != own);
    others
        .filter_map(|other| {
            let mut session = other.open(&loaded.program, &settings).ok()?;
            let point = session.solve(&request).columns?;
            Some(Refutation { solver: other.name(), point })
        })
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Control;
    use good_lp::{constraint, variable};
    use milp::{Program, ProgramBuilder};

    fn program(right: i32) -> Program {
        let mut builder = ProgramBuilder::new("parity");
        let x = builder.column("x", variable().integer().min(0).max(10));
        let y = builder.column("y", variable().integer().min(0).max(10));
        builder.row("sum", constraint!(2 * x + 4 * y == right));
        builder.build()
    }

    fn refuted(program: &Program, settings: &Settings) -> Option<Vec<f64>> {
        let control = Control::silent();
        let request = Request { relaxation: false, ..Request::relaxation(None, &control) };
        let refutation = refutation("a solver that is wrong", &Loaded::new(program), settings, &request);
        refutation.map(|refutation| refutation.point)
    }

    #[test]
    fn another_solver_refutes_what_has_a_point_and_nothing_else() {
        let point = refuted(&program(6), &Settings::default()).expect("(3, 0) and (1, 1) are points");
        assert_eq!(program(6).violations(&point, 1e-9), vec![]);
        assert_eq!(refuted(&program(7), &Settings::default()), None);
        let second = Settings { is_second_opinion: true, ..Settings::default() };
        assert_eq!(refuted(&program(6), &second), None, "nobody checks the one who checks");
    }
}
