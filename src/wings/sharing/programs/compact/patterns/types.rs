//! The problem as patterns see it: types of virtual machines, kinds of servers.

use super::pattern::Pattern;
use crate::instance::{KindIndex, Problem, ServerIndex, VmIndex};
use crate::programs::compact::units::Units;
use crate::rules::{Goal, Packing};
use ground::Amount;
use itertools::Itertools;
use prices::{Chosen, Split, Total};
use std::collections::BTreeMap;

/// What prices are confined by at first, in what the dearest server costs.
const CONFINES: f64 = 2.0;

/// Types of virtual machines that are alike, and kinds of servers in the pool.
pub struct Types<'p> {
    pub problem: &'p Problem,
    pub units: Units,
    /// Virtual machines of each type, ascending.
    pub vms: Vec<Vec<VmIndex>>,
    /// Kinds of servers with the servers of the pool.
    pub kinds: Vec<(KindIndex, Vec<ServerIndex>)>,
    type_of: Vec<usize>,
}

impl<'p> Types<'p> {
    pub fn of(problem: &'p Problem, pool: &[ServerIndex]) -> Self {
        let vms = problem.alike();
        let mut type_of = vec![0; problem.vms.len()];
        for (number, alike) in vms.iter().enumerate() {
            alike.iter().for_each(|vm| type_of[vm.index()] = number);
        }
        let mut kinds: BTreeMap<KindIndex, Vec<ServerIndex>> = BTreeMap::new();
        for &server in pool {
            kinds.entry(problem.servers[server.index()].kind).or_default().push(server);
        }
        Types { problem, units: Units::of(problem), vms, kinds: kinds.into_iter().collect(), type_of }
    }

    /// The first virtual machine of a type, which speaks for all.
    pub fn example(&self, vm_type: usize) -> VmIndex {
        self.vms[vm_type][0]
    }

    /// Positions of the classes that a type is in.
    pub fn classes(&self, vm_type: usize) -> &[usize] {
        &self.problem.page_classes.of_vm[self.example(vm_type).index()]
    }

    /// How many virtual machines of a type there are.
    pub fn number(&self, vm_type: usize) -> u32 {
        self.vms[vm_type].len() as u32
    }

    /// What a server of a kind costs, in units.
    pub fn cost(&self, kind: usize) -> i64 {
        let cost = self.units(self.problem.kinds[self.kinds[kind].0.index()].cost);
        i64::try_from(cost).expect("costs are moderate")
    }

    /// What prices are confined by at first.
    pub fn confines(&self) -> f64 {
        let dearest = (0..self.kinds.len()).map(|kind| self.cost(kind)).max().unwrap_or(0);
        CONFINES * dearest.max(1) as f64
    }

    /// Per type the total that counts those with a server: all are to have one.
    pub fn hosted(&self) -> Vec<Total> {
        let hosted = |vm_type: usize| Total {
            name: format!("vm-{vm_type}"),
            least: Some(i64::from(self.number(vm_type))),
            most: None,
            excess_cost: None,
            split: Split::Never,
        };
        (0..self.vms.len()).map(hosted).collect()
    }

    /// A cost in units.
    pub fn units(&self, cost: Amount) -> i128 {
        cost.in_units_of(self.problem.unit(Goal::Servers)).unwrap_or(0)
    }

    /// Units as a cost.
    pub fn amount(&self, units: i128) -> Amount {
        self.problem.unit(Goal::Servers) * units
    }

    /// Every server of a packing that is in use, as the position of its kind and what it hosts.
    pub fn patterns_of(&self, packing: &Packing) -> Vec<(usize, Pattern)> {
        let hosted = packing.by_server(self.problem.servers.len());
        let mut patterns = Vec::new();
        for (kind, (_, servers)) in self.kinds.iter().enumerate() {
            for server in servers.iter().filter(|server| !hosted[server.index()].is_empty()) {
                let types = hosted[server.index()].iter().map(|vm| self.type_of[vm.index()]);
                let held = types.counts().into_iter().map(|(vm_type, count)| (vm_type, count as u32));
                patterns.push((kind, Pattern(held.sorted().collect())));
            }
        }
        patterns
    }

    /// Each type alone on each kind of server that can host it.
    pub fn alone(&self) -> impl Iterator<Item = (usize, Pattern)> + '_ {
        (0..self.vms.len()).cartesian_product(0..self.kinds.len()).filter_map(|(vm_type, kind)| {
            let about = &self.problem.kinds[self.kinds[kind].0.index()];
            let fits = self.problem.lacks(about, self.example(vm_type)).is_none();
            fits.then(|| (kind, Pattern(vec![(vm_type, 1)])))
        })
    }

    /// Gives servers their patterns, each virtual machine once.
    pub fn lay_out(&self, chosen: &[Chosen<Pattern>]) -> Packing {
        let mut packing = Packing::empty(self.problem.vms.len());
        let mut servers: Vec<_> = self.kinds.iter().map(|(_, servers)| servers.iter().copied()).collect();
        let mut waiting: Vec<_> = self.vms.iter().map(|vms| vms.iter().copied()).collect();
        for chosen in chosen {
            let taken: Vec<ServerIndex> =
                servers[chosen.part].by_ref().take(chosen.number as usize).collect();
            for server in taken {
                for &(vm_type, count) in &chosen.content.0 {
                    for vm in waiting[vm_type].by_ref().take(count as usize) {
                        packing.set(vm, Some(server));
                    }
                }
            }
        }
        packing
    }
}
