//! Programs solved so that what they find keeps the memories to the page.
//!
//! Solvers are content with a millionth of a row's largest term, which of a server's 67 million pages is 67 of them. Where what a
//! server is to host needs more pages than it has, a row says that it cannot host all of that, and the program is solved again.

use super::formulation::Formulation;
use super::instance::Problem;
use super::packing::Packing;
use super::parts::VmIndex;
use super::verify::pages_of;
use crate::milp::{Program, Row};
use crate::solver::{Control, Options, Solver, Staged, solve_stages};
use std::time::Instant;

/// Solves a program; the packing found, if any, keeps the memories of all servers.
pub fn solve_to_the_page(
    problem: &Problem,
    formulation: &dyn Formulation,
    solver: &dyn Solver,
    options: &Options,
    control: &Control,
) -> (Staged, Option<Packing>) {
    let began = Instant::now();
    let mut staged = solve_stages(solver, formulation.program(), options, control);
    let mut program: Option<Program> = None;
    loop {
        let Some(columns) = &staged.columns else { return (staged, None) };
        let packing = formulation.decode(columns);
        let program = program.get_or_insert_with(|| formulation.program().clone());
        let rows = rows_against(problem, formulation, &packing, program.rows.len());
        if rows.is_empty() {
            return (staged, Some(packing));
        }
        program.rows.extend(rows);
        let time_limit = options.time_limit.map(|limit| limit.saturating_sub(began.elapsed()));
        let work = staged.work;
        staged = solve_stages(solver, program, &Options { time_limit, ..options.clone() }, control);
        staged.work += work;
    }
}

/// Rows that every packing keeps and this one does not: of virtual machines that need more pages than a server has, it does not
/// host all.
fn rows_against(
    problem: &Problem,
    formulation: &dyn Formulation,
    packing: &Packing,
    first_number: usize,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (vms, server) in packing.by_server(problem.servers.len()).into_iter().zip(problem.server_indices()) {
        let capacity = problem.kind_of(server).pages;
        if pages_of(problem, &vms) <= capacity {
            continue;
        }
        let too_many = as_few_as_possible(problem, vms, capacity);
        let pages = pages_of(problem, &too_many);
        let too_small = problem.server_indices().filter(|&other| problem.kind_of(other).pages < pages);
        for other in too_small {
            let hosted = too_many.iter().filter_map(|&vm| formulation.hosted(vm, other));
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

/// Leaves out who is not needed to exceed the capacity.
fn as_few_as_possible(problem: &Problem, mut vms: Vec<VmIndex>, capacity: u64) -> Vec<VmIndex> {
    let mut position = 0;
    while position < vms.len() {
        let vm = vms.remove(position);
        if pages_of(problem, &vms) <= capacity {
            vms.insert(position, vm);
            position += 1;
        }
    }
    vms
}
