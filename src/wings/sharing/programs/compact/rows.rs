//! The rows of the program over page classes, a function per family, and its objectives.

use super::scope::Scope;
use super::units::Units;
use crate::instance::{Problem, VmIndex};
use crate::rules::Goal;
use good_lp::{Expression, constraint, variable};
use ground::Amount;
use milp::{Handle, ProgramBuilder, Sense};

/// A program under construction, a function per family of rows.
pub struct Writer<'w> {
    pub problem: &'w Problem,
    pub units: Units,
    pub scope: &'w Scope<'w>,
    pub builder: ProgramBuilder,
    pub used: Vec<Handle>,
    pub on: Vec<Vec<Handle>>,
    pub holds: Vec<Vec<Handle>>,
    pub reached: Vec<Handle>,
}

impl Writer<'_> {
    pub fn vm_name(&self, vm: VmIndex) -> &str {
        &self.problem.vm(vm).name
    }

    pub fn server_name(&self, position: usize) -> &str {
        &self.problem.servers[self.scope.pool[position].index()].name
    }

    pub fn positions(&self) -> std::ops::Range<usize> {
        0..self.scope.pool.len()
    }

    /// Row (6).
    pub fn every_vm_has_a_server(&mut self) {
        for vm in self.problem.vm_indices() {
            let sum: Expression = self.on[vm.index()].iter().map(|column| column.variable).sum();
            self.builder.row(format!("placed[{}]", self.vm_name(vm)), constraint!(sum == 1));
        }
    }

    /// Row (7).
    pub fn resources(&mut self) {
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
    pub fn memory(&mut self) {
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

    /// A server that hosts a VM is in use and holds the pages of its classes.
    pub fn pages_are_held(&mut self) {
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
    pub fn members_of_a_class(&mut self) {
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
    pub fn costs(&mut self) {
        let unit = self.problem.unit(Goal::Servers);
        let whole = |cost: Amount| cost.in_units_of(unit).map_or(0.0, |cost| cost as f64);
        let most = self.scope.most.map_or(f64::INFINITY, whole);
        let cost = self.cost();
        self.builder.range_row("cost", whole(self.scope.least), cost, most);
    }

    pub fn objectives(&mut self) {
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
