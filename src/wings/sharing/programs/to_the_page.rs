//! Programs solved so that what they find keeps every capacity, memories to the page.
//!
//! Solvers are content with a millionth of a row's largest term, which of a server's 67 million pages is 67 of them. Where a server
//! is to host more than it can, a row says that it cannot host all of that, and the program is solved again. Too many pages may
//! pass for a point of the program; too much of another resource does not, since all terms of its row are whole.

use super::encoding::Encoding;
use crate::instance::{Problem, ServerIndex, ServerKind, VmIndex};
use crate::rules::{Packing, hosts};
use milp::{Program, Row, StopReason};
use solver::{Control, Options, Solver, StageResult, Staged, solve_stages};
use std::time::Instant;

/// Solves a program; the packing found, if any, keeps the capacities of all servers.
pub fn solve_to_the_page(
    problem: &Problem,
    encoding: &dyn Encoding,
    solver: &dyn Solver,
    options: &Options,
    control: &Control,
) -> (Staged, Option<Packing>) {
    let began = Instant::now();
    let mut staged = solve_stages(solver, encoding.program(), options, control);
    let mut program: Option<Program> = None;
    loop {
        let is_refused = matches!(staged.stop, StopReason::SolverError(_));
        let point = if is_refused { &staged.rejected } else { &staged.columns };
        let Some(point) = point else { return (staged, None) };
        let packing = encoding.decode(point);
        let program = program.get_or_insert_with(|| encoding.program().clone());
        let rows = rows_against(problem, encoding, &packing, program.rows.len());
        if rows.is_empty() {
            return (staged, (!is_refused).then_some(packing));
        }
        program.rows.extend(rows);
        let time_limit = options.time_limit.map(|limit| limit.saturating_sub(began.elapsed()));
        let again = solve_stages(solver, program, &Options { time_limit, ..options.clone() }, control);
        staged = with_bounds_of(&staged, again);
    }
}

/// What is known after a program with fewer rows was solved, and then one with more: what bounds the first bounds the second.
///
/// That is so for a stage as long as the stages before have the same proved values in both.
fn with_bounds_of(earlier: &Staged, mut later: Staged) -> Staged {
    later.work += earlier.work;
    later.seconds += earlier.seconds;
    if later.stop == StopReason::Infeasible {
        return later;
    }
    for (before, stage) in earlier.stages.iter().zip(&mut later.stages) {
        stage.bound = match (before.bound, stage.bound) {
            (Some(before), Some(bound)) if stage.sense.better(before, bound) => Some(bound),
            (before, bound) => before.or(bound),
        };
        stage.proved |= stage.value.is_some() && stage.value == stage.bound;
        stage.settled |= stage.proved;
        let same = before.proved && stage.proved && before.value == stage.value;
        if !same {
            break;
        }
    }
    let stopped_early = later.stop != StopReason::Proved && !later.stages.is_empty();
    if stopped_early && later.stages.iter().all(|stage: &StageResult| stage.proved) {
        later.stop = StopReason::Proved;
    }
    later
}

/// Rows that every packing keeps and this one does not: of VMs that do not fit a server together, it does not host all.
fn rows_against(
    problem: &Problem,
    encoding: &dyn Encoding,
    packing: &Packing,
    first_number: usize,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (vms, server) in packing.by_server(problem.servers.len()).into_iter().zip(problem.server_indices()) {
        let kind = problem.kind_of(server);
        if hosts(problem, kind, &vms) {
            continue;
        }
        let too_many = as_few_as_possible(problem, vms, kind);
        let suffices: Vec<bool> = problem.kinds.iter().map(|kind| hosts(problem, kind, &too_many)).collect();
        let too_small = |&other: &ServerIndex| !suffices[problem.servers[other.index()].kind.index()];
        for other in problem.server_indices().filter(too_small) {
            let hosted = too_many.iter().filter_map(|&vm| encoding.hosted(vm, other));
            let mut terms: Vec<(usize, f64)> = hosted.map(|column| (column, 1.0)).collect();
            terms.sort_unstable_by_key(|&(column, _)| column);
            if terms.len() == too_many.len() {
                rows.push(Row {
                    label: format!("to-the-page[{}]", first_number + rows.len()),
                    lower: f64::NEG_INFINITY,
                    upper: (too_many.len() - 1) as f64,
                    terms,
                });
            }
        }
    }
    rows
}

/// Leaves out the VMs without which the others are still more than a server of a kind can host.
fn as_few_as_possible(problem: &Problem, mut vms: Vec<VmIndex>, kind: &ServerKind) -> Vec<VmIndex> {
    let mut position = 0;
    while position < vms.len() {
        let vm = vms.remove(position);
        if hosts(problem, kind, &vms) {
            vms.insert(position, vm);
            position += 1;
        }
    }
    vms
}

#[cfg(test)]
mod tests {
    use super::*;
    use milp::{Sense, Work};

    /// By stage its value, its bound and whether it is proved.
    type Stages<'s> = &'s [(Option<f64>, Option<f64>, bool)];

    fn staged(stop: StopReason, stages: Stages<'_>) -> Staged {
        let stage = |&(value, bound, proved): &(Option<f64>, Option<f64>, bool)| StageResult {
            name: "stage".to_owned(),
            sense: Sense::Minimize,
            value,
            bound,
            proved,
            settled: proved,
        };
        let work = Work { nodes: 3, ..Work::default() };
        Staged {
            stages: stages.iter().map(stage).collect(),
            columns: None,
            rejected: None,
            stop,
            work,
            seconds: 1.0,
        }
    }

    fn bounds(staged: &Staged) -> Vec<Option<f64>> {
        staged.stages.iter().map(|stage| stage.bound).collect()
    }

    #[test]
    fn a_second_solve_without_time_keeps_the_bounds_of_the_first() {
        let first = staged(StopReason::Proved, &[(Some(2.0), Some(2.0), true), (Some(7.0), Some(7.0), true)]);
        let out_of_time = staged(StopReason::TimeLimit, &[(None, None, false), (None, None, false)]);
        let after = with_bounds_of(&first, out_of_time);
        assert_eq!((bounds(&after), after.work.nodes), (vec![Some(2.0), None], 6));
        assert_eq!(after.stop, StopReason::TimeLimit);
        let weaker =
            staged(StopReason::TimeLimit, &[(Some(3.0), Some(1.0), false), (Some(9.0), None, false)]);
        assert_eq!(bounds(&with_bounds_of(&first, weaker)), [Some(2.0), None]);
        let stronger =
            staged(StopReason::TimeLimit, &[(Some(4.0), Some(3.0), false), (Some(9.0), None, false)]);
        assert_eq!(bounds(&with_bounds_of(&first, stronger)), [Some(3.0), None]);
    }

    #[test]
    fn bounds_of_the_first_solve_can_prove_what_the_second_finds() {
        let first = staged(StopReason::Proved, &[(Some(2.0), Some(2.0), true), (Some(7.0), Some(7.0), true)]);
        let found = staged(StopReason::TimeLimit, &[(Some(2.0), Some(1.0), false), (Some(8.0), None, false)]);
        let after = with_bounds_of(&first, found);
        assert_eq!(bounds(&after), [Some(2.0), Some(7.0)]);
        assert!(after.stages[0].proved && !after.stages[1].proved);
        assert_eq!(after.stop, StopReason::TimeLimit);
        let met = staged(StopReason::TimeLimit, &[(Some(2.0), Some(1.0), false), (Some(7.0), None, false)]);
        assert_eq!(with_bounds_of(&first, met).stop, StopReason::Proved);
    }

    #[test]
    fn what_no_packing_keeps_has_no_bounds() {
        let first = staged(StopReason::Proved, &[(Some(2.0), Some(2.0), true)]);
        let none = staged(StopReason::Infeasible, &[(None, None, false)]);
        let after = with_bounds_of(&first, none);
        assert_eq!((bounds(&after), after.stop), (vec![None], StopReason::Infeasible));
    }
}
