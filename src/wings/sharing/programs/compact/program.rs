//! The program over page classes: one column per class and server instead of one per set of virtual machines and server.
//!
//! A server holds the pages of a class when it hosts one of its members; see the page of the model for the proof that this is the
//! printed program, and for the rows that strengthen it.

use super::bound::least_cost;
use super::rows::Writer;
use super::scope::Scope;
use super::units::Units;
use crate::instance::{Problem, ServerIndex, VmIndex};
use crate::programs::encoding::Encoding;
use crate::rules::Packing;
use good_lp::variable;
use milp::{Handle, Program, ProgramBuilder};

/// The program, with the way from columns to packings and back.
pub struct Compact<'p> {
    problem: &'p Problem,
    pool: Vec<ServerIndex>,
    program: Program,
    /// Whether a server of the pool is in use.
    used: Vec<Handle>,
    /// Whether a virtual machine is on a server of the pool: by virtual machine, then server.
    on: Vec<Vec<Handle>>,
    /// Whether a server of the pool holds the pages of a class: by class, then server.
    holds: Vec<Vec<Handle>>,
    /// Whether a server of the pool is among the first m, where that is an objective.
    reached: Vec<Handle>,
}

impl<'p> Compact<'p> {
    /// The program of the whole problem.
    pub fn new(problem: &'p Problem) -> Self {
        let pool: Vec<ServerIndex> = problem.server_indices().collect();
        let least = least_cost(problem, &Units::of(problem), &pool).unwrap_or_default();
        Compact::over(problem, &Scope { pool: &pool, goals: problem.optimum.goals(), least, most: None })
    }

    /// The program of a part of the servers.
    pub fn over(problem: &'p Problem, scope: &Scope<'_>) -> Self {
        let mut builder = ProgramBuilder::new("sharing-compact");
        let binary = || variable().binary();
        let server_name = |server: ServerIndex| problem.servers[server.index()].name.as_str();
        let pool = scope.pool;
        let used: Vec<Handle> = pool
            .iter()
            .map(|&server| Handle::add(&mut builder, format!("used[{}]", server_name(server)), binary()))
            .collect();
        let on = problem.vm_indices().map(|vm| {
            let column = |&server: &ServerIndex| {
                let name = format!("on[{},{}]", problem.vm(vm).name, server_name(server));
                let fits = problem.lacks(problem.kind_of(server), vm).is_none();
                Handle::add(&mut builder, name, if fits { binary() } else { variable().min(0).max(0) })
            };
            pool.iter().map(column).collect()
        });
        let on: Vec<Vec<Handle>> = on.collect();
        let holds = (0..problem.page_classes.shared.len()).map(|class| {
            let column = |&server: &ServerIndex| {
                let name = format!("holds[{class},{}]", server_name(server));
                Handle::add(&mut builder, name, variable().min(0).max(1))
            };
            pool.iter().map(column).collect()
        });
        let holds: Vec<Vec<Handle>> = holds.collect();
        let mut writer = Writer {
            problem,
            units: Units::of(problem),
            scope,
            builder,
            used,
            on,
            holds,
            reached: Vec::new(),
        };
        writer.every_vm_has_a_server();
        writer.resources();
        writer.memory();
        writer.pages_are_held();
        writer.members_of_a_class();
        writer.costs();
        writer.order_of_unlike_servers();
        writer.order_of_like_servers();
        writer.order_of_like_vms();
        writer.objectives();
        let Writer { builder, used, on, holds, reached, .. } = writer;
        Compact { problem, pool: pool.to_vec(), program: builder.build(), used, on, holds, reached }
    }
}

impl Encoding for Compact<'_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn decode(&self, columns: &[f64]) -> Packing {
        let server = |on: &Vec<Handle>| {
            let position = on.iter().position(|column| column.whole(columns) == 1);
            position.map(|position| self.pool[position])
        };
        Packing::new(self.on.iter().map(server).collect())
    }

    fn encode(&self, packing: &Packing) -> Vec<f64> {
        let mut columns = vec![0.0; self.program.columns.len()];
        for (vm, on) in self.problem.vm_indices().zip(&self.on) {
            let position =
                packing.of(vm).and_then(|server| self.pool.iter().position(|&other| other == server));
            let Some(position) = position else { continue };
            columns[on[position].index] = 1.0;
            columns[self.used[position].index] = 1.0;
            for &class in &self.problem.page_classes.of_vm[vm.index()] {
                columns[self.holds[class][position].index] = 1.0;
            }
            for reached in self.reached.iter().take(position + 1) {
                columns[reached.index] = 1.0;
            }
        }
        columns
    }

    fn hosted(&self, vm: VmIndex, server: ServerIndex) -> Option<usize> {
        let position = self.pool.iter().position(|&other| other == server)?;
        Some(self.on[vm.index()][position].index)
    }
}
