//! The paper's program, equations (4)-(9), with its products of binary columns, in the language AMPL for nonlinear solvers.

use super::opening::opens_server;
use super::power_set::{TooManySets, power_set};
use crate::instance::{Problem, ServerIndex, ServerKind, VmIndex};
use crate::rules::Goal;
use ground::Amount;
use itertools::Itertools;

const SETS_AND_PARAMETERS: &str = "
set VMS;
set SERVERS ordered;
set RESOURCES;
# The sets J of virtual machines that have pages in common, and how many: sigma_J. A virtual machine alone has its memory.
param sets integer >= 0;
set SETS := 1..sets;
set MEMBERS {SETS} within VMS;
param sigma {SETS} >= 0;
param cost {SERVERS} >= 0;
param memory {SERVERS} >= 0;
param request {VMS, RESOURCES} >= 0, default 0;
param capacity {SERVERS, RESOURCES} >= 0, default Infinity;
# Requests too small for rows (7) and (8) to keep the virtual machine off a server that is not in use.
set SMALL within {VMS, SERVERS};

# (9)
var y {SERVERS} binary;
var x {VMS, SERVERS} binary;
";

const REACH: &str = "
# Not in the paper: the servers in use are among the first of the order, and these as few as possible. Minimise this first, then
# row4 with the sum of r fixed.
var r {SERVERS} binary;
minimize reach: sum {k in SERVERS} r[k];
subject to reached {k in SERVERS}: r[k] >= y[k];
subject to prefix {k in SERVERS: ord(k) > 1}: r[prev(k)] >= r[k];
";

const ROWS: &str = "
minimize row4: sum {k in SERVERS} cost[k] * y[k];
subject to row6 {j in VMS}: sum {k in SERVERS} x[j,k] = 1;
subject to row7 {k in SERVERS, i in RESOURCES: capacity[k,i] < Infinity}:
  sum {j in VMS} request[j,i] * x[j,k] <= capacity[k,i] * y[k];
subject to row8 {k in SERVERS}:
  sum {J in SETS} (-1) ^ (card(MEMBERS[J]) + 1) * sigma[J] * prod {j in MEMBERS[J]} x[j,k] <= memory[k] * y[k];
subject to opened {(j,k) in SMALL}: x[j,k] <= y[k];

data;
";

/// The program in AMPL: model and data. Where the problem has two goals, each is an objective, the more important first.
///
/// # Errors
/// When too many sets of virtual machines have pages in common.
pub fn multilinear(problem: &Problem) -> Result<String, TooManySets> {
    let mut text = format!(
        "# {}: equations (4)-(9) of Rampersaud and Grosu, a page being {} KiB.\n",
        problem.name, problem.page_kib
    );
    text.push_str(SETS_AND_PARAMETERS);
    if problem.optimum.goals().contains(&Goal::Reach) {
        text.push_str(REACH);
    }
    text.push_str(ROWS);
    text.extend(Data { problem }.statements(&sets(problem)?));
    Ok(text)
}

/// The sets J with `sigma_J > 0`, those of one virtual machine included, with the number.
fn sets(problem: &Problem) -> Result<Vec<(Vec<VmIndex>, u64)>, TooManySets> {
    let alone = problem.vm_indices().map(|vm| (vec![vm], problem.vm(vm).pages));
    let several = power_set(problem)?.into_iter().map(|set| (set.vms, set.pages));
    Ok(alone.filter(|&(_, pages)| pages > 0).chain(several).collect())
}

/// The data of a program in AMPL, statement by statement.
struct Data<'p> {
    problem: &'p Problem,
}

impl<'p> Data<'p> {
    fn statements(&self, sets: &[(Vec<VmIndex>, u64)]) -> Vec<String> {
        let names = |vms: &mut dyn Iterator<Item = VmIndex>| vms.map(|vm| self.vm_name(vm)).collect_vec();
        let numbered = || (1..).zip(sets);
        let mut statements = vec![
            set("RESOURCES", self.problem.resources.iter().map(|resource| quoted(resource))),
            set("VMS", names(&mut self.problem.vm_indices())),
            set("SERVERS", self.servers().map(|(server, _)| server)),
            format!("param sets := {};\n", sets.len()),
        ];
        for (number, (members, _)) in numbered() {
            statements.push(set(&format!("MEMBERS[{number}]"), names(&mut members.iter().copied())));
        }
        let of_vm = |vm: VmIndex| {
            let requests = self.problem.vm(vm).request.iter();
            self.amounts(
                self.vm_name(vm),
                requests.map(|&request| Some(request).filter(|&r| r > Amount::ZERO)),
            )
        };
        let of_server =
            |(server, kind): (String, &ServerKind)| self.amounts(server, kind.capacity.iter().copied());
        let pairs = self.problem.vm_indices().cartesian_product(self.servers().collect_vec());
        let small = pairs.filter(|&(vm, (_, kind))| !opens_server(self.problem.vm(vm), kind));
        statements.extend([
            parameter("sigma", numbered().map(|(number, (_, pages))| format!("{number} {pages}"))),
            parameter("cost", self.servers().map(|(server, kind)| format!("{server} {}", kind.cost))),
            parameter("memory", self.servers().map(|(server, kind)| format!("{server} {}", kind.pages))),
            parameter("request", self.problem.vm_indices().flat_map(of_vm)),
            parameter("capacity", self.servers().flat_map(of_server)),
            set("SMALL", small.map(|(vm, (server, _))| format!("({},{server})", self.vm_name(vm)))),
        ]);
        statements
    }

    /// An entry for each resource of which there is an amount.
    fn amounts(&self, owner: String, amounts: impl Iterator<Item = Option<Amount>>) -> Vec<String> {
        let entries = self.problem.resources.iter().zip(amounts);
        entries.filter_map(|(name, amount)| Some(format!("{owner} {} {}", quoted(name), amount?))).collect()
    }

    fn servers(&self) -> impl Iterator<Item = (String, &'p ServerKind)> + use<'p> {
        let problem = self.problem;
        let server =
            move |index: ServerIndex| (quoted(&problem.servers[index.index()].name), problem.kind_of(index));
        problem.server_indices().map(server)
    }

    fn vm_name(&self, vm: VmIndex) -> String {
        quoted(&self.problem.vm(vm).name)
    }
}

fn set(name: &str, elements: impl IntoIterator<Item = String>) -> String {
    format!("set {name} := {};\n", elements.into_iter().join(" "))
}

/// The statement of a parameter; none where every entry has its default.
fn parameter(name: &str, entries: impl Iterator<Item = String>) -> String {
    let entries: String = entries.map(|entry| format!("\n  {entry}")).collect();
    if entries.is_empty() { entries } else { format!("param {name} :={entries};\n") }
}

/// A name as AMPL has it.
fn quoted(name: &str) -> String {
    format!("'{}'", name.replace('\'', "''"))
}
