//! The program over page classes: one column per class and server instead of one per set of virtual machines and server.
//!
//! A server holds the pages of a class when it hosts one of its members; see the page of the model for the proof that this is the
//! printed program, and for the rows that strengthen it.

use super::bound::least_cost;
use super::formulation::Formulation;
use super::goal::Goal;
use super::instance::Problem;
use super::packing::Packing;
use super::parts::{ServerIndex, VmIndex};
use super::pool::Dominance;
use super::units::Units;
use crate::cluster::Amount;
use crate::milp::{Handle, Program, ProgramBuilder, Sense};
use good_lp::{Expression, constraint, variable};
use itertools::Itertools;
use std::cmp::Reverse;

/// Rows that only break symmetry are left out when they would have more coefficients than this.
const MOST_OF_SYMMETRY: usize = 3_000_000;

/// What a program is about.
pub struct Scope<'s> {
    /// The servers that may be used, ascending.
    pub pool: &'s [ServerIndex],
    /// The objectives; without any the program looks for any packing.
    pub goals: &'s [Goal],
    /// The servers in use cost at least this.
    pub least: Amount,
    /// And at most this, if anything.
    pub most: Option<Amount>,
}

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
        writer.everybody_has_a_server();
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

impl Formulation for Compact<'_> {
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

/// A program under construction, a function per family of rows.
struct Writer<'w> {
    problem: &'w Problem,
    units: Units,
    scope: &'w Scope<'w>,
    builder: ProgramBuilder,
    used: Vec<Handle>,
    on: Vec<Vec<Handle>>,
    holds: Vec<Vec<Handle>>,
    reached: Vec<Handle>,
}

impl Writer<'_> {
    fn vm_name(&self, vm: VmIndex) -> &str {
        &self.problem.vm(vm).name
    }

    fn server_name(&self, position: usize) -> &str {
        &self.problem.servers[self.scope.pool[position].index()].name
    }

    fn positions(&self) -> std::ops::Range<usize> {
        0..self.scope.pool.len()
    }

    /// Row (6).
    fn everybody_has_a_server(&mut self) {
        for vm in self.problem.vm_indices() {
            let sum: Expression = self.on[vm.index()].iter().map(|column| column.variable).sum();
            self.builder.row(format!("placed[{}]", self.vm_name(vm)), constraint!(sum == 1));
        }
    }

    /// Row (7).
    fn resources(&mut self) {
        for position in self.positions() {
            let kind = self.problem.servers[self.scope.pool[position].index()].kind;
            for (resource, name) in self.problem.resources.iter().enumerate() {
                let Some(capacity) = self.units.capacity(kind)[resource] else { continue };
                let mut sum = Expression::default();
                for vm in self.problem.vm_indices() {
                    let request = self.units.request(vm)[resource] as f64;
                    sum.add_mul(request, self.on[vm.index()][position].variable);
                }
                let label = format!("resource[{},{name}]", self.server_name(position));
                let used = self.used[position].variable;
                self.builder.row(label, constraint!(sum <= capacity as f64 * used));
            }
        }
    }

    /// Row (8) by page classes.
    fn memory(&mut self) {
        let classes = &self.problem.page_classes;
        for position in self.positions() {
            let mut sum = Expression::default();
            for vm in self.problem.vm_indices() {
                sum.add_mul(classes.private[vm.index()] as f64, self.on[vm.index()][position].variable);
            }
            for (class, about) in classes.shared.iter().enumerate() {
                sum.add_mul(about.pages as f64, self.holds[class][position].variable);
            }
            let pages = self.problem.kind_of(self.scope.pool[position]).pages as f64;
            let label = format!("memory[{}]", self.server_name(position));
            let used = self.used[position].variable;
            self.builder.row(label, constraint!(sum <= pages * used));
        }
    }

    /// Who is on a server makes it one in use that holds the pages of the classes.
    fn pages_are_held(&mut self) {
        for position in self.positions() {
            let used = self.used[position].variable;
            for vm in self.problem.vm_indices() {
                let on = self.on[vm.index()][position].variable;
                let (vm_name, server) = (self.vm_name(vm), self.server_name(position));
                let (opens, holds) =
                    (format!("opens[{vm_name},{server}]"), format!("holds[{vm_name},{server}"));
                self.builder.row(opens, constraint!(on <= used));
                for &class in &self.problem.page_classes.of_vm[vm.index()] {
                    let held = self.holds[class][position].variable;
                    self.builder.row(format!("{holds},{class}]"), constraint!(on <= held));
                }
            }
            for (class, held) in self.holds.iter().enumerate() {
                let label = format!("held-opens[{class},{}]", self.server_name(position));
                self.builder.row(label, constraint!(held[position].variable <= used));
            }
        }
    }

    /// The members of a class that a server hosts fit on it together with the pages that every member needs.
    fn members_of_a_class(&mut self) {
        let classes = &self.problem.page_classes;
        for (class, about) in classes.shared.iter().enumerate().filter(|(_, about)| about.vms.len() > 2) {
            let common: u64 = classes
                .shared
                .iter()
                .filter(|other| about.vms.iter().all(|vm| other.vms.binary_search(vm).is_ok()))
                .map(|other| other.pages)
                .sum();
            for position in self.positions() {
                let kind = self.problem.servers[self.scope.pool[position].index()].kind;
                let held = self.holds[class][position].variable;
                let sum = |weight: &dyn Fn(VmIndex) -> f64| {
                    let mut sum = Expression::default();
                    for &vm in &about.vms {
                        sum.add_mul(weight(vm), self.on[vm.index()][position].variable);
                    }
                    sum
                };
                let server = self.server_name(position);
                let mut rows = Vec::new();
                for (resource, name) in self.problem.resources.iter().enumerate() {
                    let Some(capacity) = self.units.capacity(kind)[resource] else { continue };
                    let requests = sum(&|vm| self.units.request(vm)[resource] as f64);
                    let row = constraint!(requests <= capacity as f64 * held);
                    rows.push((format!("class-resource[{class},{server},{name}]"), row));
                }
                let pages = self.problem.kinds[kind.index()].pages as f64 - common as f64;
                let private = sum(&|vm| classes.private[vm.index()] as f64);
                rows.push((format!("class-memory[{class},{server}]"), constraint!(private <= pages * held)));
                rows.into_iter().for_each(|(label, row)| self.builder.row(label, row));
            }
        }
    }

    fn cost(&self) -> Expression {
        let unit = self.problem.unit(Goal::Servers);
        let mut sum = Expression::default();
        for (used, &server) in self.used.iter().zip(self.scope.pool) {
            let cost = self.problem.kind_of(server).cost.in_units_of(unit).unwrap_or(0);
            sum.add_mul(cost as f64, used.variable);
        }
        sum
    }

    /// What is known of the cost.
    fn costs(&mut self) {
        let unit = self.problem.unit(Goal::Servers);
        let whole = |cost: Amount| cost.in_units_of(unit).map_or(0.0, |cost| cost as f64);
        let most = self.scope.most.map_or(f64::INFINITY, whole);
        let cost = self.cost();
        self.builder.range_row("cost", whole(self.scope.least), cost, most);
    }

    /// A server that dominates another is used first. Where the order of the servers counts, only earlier ones dominate.
    fn order_of_unlike_servers(&mut self) {
        let dominance = Dominance::of(self.problem);
        let order_counts = self.scope.goals.contains(&Goal::Reach);
        for (better, worse) in dominance.covers(self.problem, self.scope.pool) {
            if order_counts && better > worse {
                continue;
            }
            let at = |server| {
                self.scope.pool.iter().position(|&other| other == server).expect("both are in the pool")
            };
            let (better, worse) = (at(better), at(worse));
            let label = format!("before[{},{}]", self.server_name(better), self.server_name(worse));
            let row = constraint!(self.used[worse].variable <= self.used[better].variable);
            self.builder.row(label, row);
        }
    }

    /// Of servers of a kind, the one with the first virtual machine comes first, and so on: who is on the t-th server has
    /// somebody before him on the one before.
    fn order_of_like_servers(&mut self) {
        let vms = self.canonical().concat();
        let servers = self
            .positions()
            .into_group_map_by(|&position| self.problem.servers[self.scope.pool[position].index()].kind);
        let pairs: Vec<(usize, usize)> = servers
            .into_iter()
            .sorted()
            .flat_map(|(_, positions)| positions.into_iter().tuple_windows().collect_vec())
            .collect();
        if pairs.len() * vms.len() * vms.len() / 2 > MOST_OF_SYMMETRY {
            return;
        }
        for (before, after) in pairs {
            let mut earlier = Expression::default();
            for &vm in &vms {
                let label = format!("like-servers[{},{}]", self.vm_name(vm), self.server_name(after));
                let on = &self.on[vm.index()];
                let row = constraint!(on[after].variable <= earlier.clone());
                self.builder.row(label, row);
                earlier.add_mul(1.0, on[before].variable);
            }
        }
    }

    /// Of virtual machines that are alike, an earlier one is on no later server.
    fn order_of_like_vms(&mut self) {
        let neighbours = |alike: Vec<VmIndex>| alike.into_iter().tuple_windows().collect_vec();
        let pairs: Vec<(VmIndex, VmIndex)> = self.canonical().into_iter().flat_map(neighbours).collect();
        let servers = self.scope.pool.len();
        if pairs.len() * servers * servers > MOST_OF_SYMMETRY {
            return;
        }
        for (one, next) in pairs {
            let mut difference = Expression::default();
            for position in self.positions() {
                difference.add_mul(1.0, self.on[next.index()][position].variable);
                difference.add_mul(-1.0, self.on[one.index()][position].variable);
                let label = format!("like-vms[{},{}]", self.vm_name(next), self.server_name(position));
                self.builder.row(label, constraint!(difference.clone() <= 0));
            }
        }
    }

    /// The virtual machines, alike ones together, those that ask for much first.
    fn canonical(&self) -> Vec<Vec<VmIndex>> {
        let key = |alike: &Vec<VmIndex>| {
            let about = self.problem.vm(alike[0]);
            (Reverse((&about.request, about.pages)), self.problem.likeness(alike[0]))
        };
        let mut groups = self.problem.alike();
        groups.sort_by(|one, other| key(one).cmp(&key(other)));
        groups
    }

    fn objectives(&mut self) {
        for goal in self.scope.goals {
            match goal {
                Goal::Reach => {
                    let reach = self.reach();
                    self.builder.stage(goal.name(), Sense::Minimize, reach, Some(1.0));
                }
                Goal::Servers => {
                    let cost = self.cost();
                    self.builder.stage(goal.name(), Sense::Minimize, cost, Some(1.0));
                }
            }
        }
    }

    /// The number of servers up to the last one in use.
    fn reach(&mut self) -> Expression {
        for position in self.positions() {
            let name = format!("reached[{}]", self.server_name(position));
            let column = Handle::add(&mut self.builder, name, variable().min(0).max(1));
            self.reached.push(column);
        }
        for position in self.positions() {
            let (reached, server) = (self.reached[position].variable, self.server_name(position));
            let label = format!("reached[{server}]");
            self.builder.row(label, constraint!(self.used[position].variable <= reached));
            if position > 0 {
                let label = format!("prefix[{}]", self.server_name(position));
                let before = self.reached[position - 1].variable;
                self.builder.row(label, constraint!(reached <= before));
            }
        }
        self.reached.iter().map(|column| column.variable).sum()
    }
}
