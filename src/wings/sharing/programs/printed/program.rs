//! The paper's program, equations (4)-(9), with the products of row (8) linearised and the repairs of `models/sharing.md`.
//!
//! One function per label. The power set is thinned out to the sets with common pages; (9) is the choice of columns.

use super::opening::opens_server;
use super::power_set::{CommonPages, TooManySets, power_set};
use crate::instance::{Problem, ServerIndex, ServerKind, VmIndex};
use crate::programs::encoding::Encoding;
use crate::rules::{Goal, Packing};
use good_lp::{Expression, variable};
use ground::Amount;
use itertools::Itertools;
use milp::{Handle, Program, ProgramBuilder, Sense};
use num_integer::gcd;

/// The printed program of a problem.
pub struct Printed<'a> {
    columns: Columns<'a>,
    program: Program,
}

/// The columns of the printed program.
struct Columns<'a> {
    problem: &'a Problem,
    /// The kinds of servers, no capacity greater than what all virtual machines together need.
    kinds: Vec<ServerKind>,
    /// The sets J of two or more.
    sets: Vec<CommonPages>,
    /// `y_k` by server.
    in_use: Vec<Handle>,
    /// `x_jk` by virtual machine and server.
    hosted: Vec<Vec<Handle>>,
    /// `w_Jk` by set and server.
    products: Vec<Vec<Handle>>,
    /// `r_k` by server: it or a later one is in use. Empty where any servers may be used.
    reached: Vec<Handle>,
}

impl<'a> Printed<'a> {
    /// Builds the program.
    ///
    /// # Errors
    /// When too many sets of virtual machines have pages in common.
    pub fn new(problem: &'a Problem) -> Result<Self, TooManySets> {
        let sets = power_set(problem)?;
        let mut builder = ProgramBuilder::new("sharing-printed");
        let columns = Columns::add(&mut builder, problem, sets);
        columns.row_6(&mut builder);
        columns.row_7(&mut builder);
        columns.row_8(&mut builder);
        columns.rows_8a(&mut builder);
        columns.rows_8b(&mut builder);
        columns.rows_open(&mut builder);
        columns.rows_reach(&mut builder);
        for &goal in problem.optimum.goals() {
            let value = match goal {
                Goal::Reach => columns.reached.iter().map(|r| r.variable).sum(),
                Goal::Servers => columns.row_4(),
            };
            builder.stage(goal.name(), Sense::Minimize, value, Some(1.0));
        }
        Ok(Printed { columns, program: builder.build() })
    }
}

impl<'a> Columns<'a> {
    /// (9): y and x are binary. So is r; w needs not be.
    fn add(builder: &mut ProgramBuilder, problem: &'a Problem, sets: Vec<CommonPages>) -> Self {
        let servers = || problem.servers.iter().map(|server| server.name.as_str());
        let mut binary = |name: String| Handle::add(builder, name, variable().binary());
        let in_use = servers().map(|server| binary(format!("y[{server}]"))).collect();
        let of_vm =
            |vm| servers().map(|server| binary(format!("x[{},{server}]", name(problem, vm)))).collect();
        let hosted = problem.vm_indices().map(of_vm).collect();
        let with_reach = problem.optimum.goals().contains(&Goal::Reach);
        let reached = servers().filter(|_| with_reach).map(|server| binary(format!("r[{server}]"))).collect();
        let mut product = |set: &CommonPages, server: &str| {
            let name = format!("w[{},{server}]", set_name(problem, set));
            Handle::add(builder, name, variable().min(0).max(1))
        };
        let products =
            sets.iter().map(|set| servers().map(|server| product(set, server)).collect()).collect();
        Columns { problem, kinds: within_needs(problem), sets, in_use, hosted, products, reached }
    }

    /// (4): the costs of the servers in use.
    fn row_4(&self) -> Expression {
        let cost_unit = self.problem.unit(Goal::Servers);
        let cost = |(server, y)| in_units(self.problem.kind_of(server).cost, cost_unit) * y;
        self.servers().map(cost).sum()
    }

    /// (6): each virtual machine has one server.
    fn row_6(&self, builder: &mut ProgramBuilder) {
        for (vm, servers) in self.problem.vm_indices().zip(&self.hosted) {
            let servers: Expression = servers.iter().map(|x| x.variable).sum();
            builder.range_row(format!("6[{}]", name(self.problem, vm)), 1.0, servers, 1.0);
        }
    }

    /// (7): resources other than memory, in units of which all requests are whole multiples.
    fn row_7(&self, builder: &mut ProgramBuilder) {
        for (position, resource) in self.problem.resources.iter().enumerate() {
            let requests = || self.problem.vms.iter().map(|vm| vm.request[position]);
            if requests().all(|request| request == Amount::ZERO) {
                continue;
            }
            let request_unit = Amount::greatest_common_unit(requests());
            for (server, y) in self.servers() {
                let Some(capacity) = self.kind_of(server).capacity[position] else { continue };
                let mut excess = -in_units(capacity, request_unit) * y;
                for (request, hosted) in requests().zip(&self.hosted) {
                    excess.add_mul(in_units(request, request_unit), hosted[server.index()].variable);
                }
                let label = format!("7[{},{resource}]", self.server_name(server));
                builder.range_row(label, f64::NEG_INFINITY, excess, 0.0);
            }
        }
    }

    /// (8): pages, by inclusion and exclusion, in units of which all numbers of pages are whole multiples.
    fn row_8(&self, builder: &mut ProgramBuilder) {
        let classes = &self.problem.page_classes;
        let pages = classes.private.iter().copied().chain(classes.shared.iter().map(|class| class.pages));
        let page_unit = u64::try_from(pages.fold(0, |unit, pages| gcd(unit, u128::from(pages))))
            .expect("the divisor of some numbers is no greater than they are")
            .max(1);
        let in_units = |pages: u64| (pages / page_unit) as f64;
        for (server, y) in self.servers() {
            let mut excess = -in_units(self.kind_of(server).pages) * y;
            for (vm, hosted) in self.problem.vms.iter().zip(&self.hosted) {
                excess.add_mul(in_units(vm.pages), hosted[server.index()].variable);
            }
            for (set, products) in self.sets.iter().zip(&self.products) {
                let sign = if set.is_added() { 1.0 } else { -1.0 };
                excess.add_mul(sign * in_units(set.pages), products[server.index()].variable);
            }
            builder.range_row(format!("8[{}]", self.server_name(server)), f64::NEG_INFINITY, excess, 0.0);
        }
    }

    /// (8a): for a set whose pages are taken off, w is at most each of its factors.
    fn rows_8a(&self, builder: &mut ProgramBuilder) {
        for (set, products) in self.sets.iter().zip(&self.products).filter(|(set, _)| !set.is_added()) {
            let of_set = set_name(self.problem, set);
            for (server, w) in self.problem.server_indices().zip(products) {
                for &vm in &set.vms {
                    let above = w.variable - self.hosted[vm.index()][server.index()].variable;
                    let label =
                        format!("8a[{of_set},{},{}]", self.server_name(server), name(self.problem, vm));
                    builder.range_row(label, f64::NEG_INFINITY, above, 0.0);
                }
            }
        }
    }

    /// (8b): for a set whose pages are added, w is 1 when all of its factors are.
    fn rows_8b(&self, builder: &mut ProgramBuilder) {
        for (set, products) in self.sets.iter().zip(&self.products).filter(|(set, _)| set.is_added()) {
            let of_set = set_name(self.problem, set);
            for (server, w) in self.problem.server_indices().zip(products) {
                let mut above = Expression::from(w.variable);
                for &vm in &set.vms {
                    above -= self.hosted[vm.index()][server.index()].variable;
                }
                let label = format!("8b[{of_set},{}]", self.server_name(server));
                builder.range_row(label, 1.0 - set.vms.len() as f64, above, f64::INFINITY);
            }
        }
    }

    /// A repair: a virtual machine with small requests, or none, opens its server, too.
    fn rows_open(&self, builder: &mut ProgramBuilder) {
        for (vm, hosted) in self.problem.vms.iter().zip(&self.hosted) {
            for ((server, y), x) in self.servers().zip(hosted) {
                if !opens_server(vm, self.kind_of(server)) {
                    let label = format!("open[{},{}]", vm.name, self.server_name(server));
                    builder.range_row(label, f64::NEG_INFINITY, x.variable - y, 0.0);
                }
            }
        }
    }

    /// A server is reached when it or the next one is; the paper has no such goal.
    fn rows_reach(&self, builder: &mut ProgramBuilder) {
        for ((server, y), r) in self.servers().zip(&self.reached) {
            let label = format!("reach[{}]", self.server_name(server));
            builder.range_row(label, 0.0, r.variable - y, f64::INFINITY);
        }
        for ((server, r), next) in
            self.problem.server_indices().zip(&self.reached).zip(self.reached.iter().skip(1))
        {
            let label = format!("prefix[{}]", self.server_name(server));
            builder.range_row(label, 0.0, r.variable - next.variable, f64::INFINITY);
        }
    }

    /// The servers with their y.
    fn servers(&self) -> impl Iterator<Item = (ServerIndex, good_lp::Variable)> {
        self.problem.server_indices().zip(self.in_use.iter().map(|y| y.variable))
    }

    fn kind_of(&self, server: ServerIndex) -> &ServerKind {
        &self.kinds[self.problem.servers[server.index()].kind.index()]
    }

    fn server_name(&self, server: ServerIndex) -> &str {
        &self.problem.servers[server.index()].name
    }
}

/// The kinds of servers with capacities that are no greater than what all virtual machines together need.
fn within_needs(problem: &Problem) -> Vec<ServerKind> {
    let classes = &problem.page_classes;
    let pages =
        classes.private.iter().sum::<u64>() + classes.shared.iter().map(|class| class.pages).sum::<u64>();
    let requested: Vec<Amount> = (0..problem.resources.len())
        .map(|resource| problem.vms.iter().map(|vm| vm.request[resource]).sum())
        .collect();
    let within = |kind: &ServerKind| ServerKind {
        capacity: kind
            .capacity
            .iter()
            .zip(&requested)
            .map(|(capacity, &all)| capacity.map(|capacity| capacity.min(all)))
            .collect(),
        pages: kind.pages.min(pages),
        ..kind.clone()
    };
    problem.kinds.iter().map(within).collect()
}

/// How many whole units an amount holds.
fn in_units(amount: Amount, unit: Amount) -> f64 {
    (amount.millionths() / unit.millionths()) as f64
}

fn name(problem: &Problem, vm: VmIndex) -> &str {
    &problem.vm(vm).name
}

/// The names of a set, joined by a character that no name contains.
fn set_name(problem: &Problem, set: &CommonPages) -> String {
    set.vms.iter().map(|&vm| name(problem, vm)).join("~")
}

impl Encoding for Printed<'_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn decode(&self, columns: &[f64]) -> Packing {
        let server =
            |hosted: &Vec<Handle>| hosted.iter().position(|x| x.whole(columns) == 1).map(ServerIndex::at);
        Packing::new(self.columns.hosted.iter().map(server).collect())
    }

    fn encode(&self, packing: &Packing) -> Vec<f64> {
        let Columns { problem, sets, in_use, hosted, products, reached, .. } = &self.columns;
        let mut columns = vec![0.0; self.program.columns.len()];
        let mut set_one = |column: Handle| columns[column.index] = 1.0;
        for vm in problem.vm_indices() {
            let Some(server) = packing.of(vm) else { continue };
            set_one(hosted[vm.index()][server.index()]);
            set_one(in_use[server.index()]);
            reached.iter().take(server.index() + 1).for_each(|&r| set_one(r));
        }
        for (set, products) in sets.iter().zip(products) {
            let first = packing.of(set.vms[0]);
            if let Some(server) = first.filter(|_| set.vms.iter().all(|&vm| packing.of(vm) == first)) {
                set_one(products[server.index()]);
            }
        }
        columns
    }

    fn hosted(&self, vm: VmIndex, server: ServerIndex) -> Option<usize> {
        Some(self.columns.hosted[vm.index()][server.index()].index)
    }
}
