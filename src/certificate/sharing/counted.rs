//! Servers and virtual machines of which one can stand for another, counted.

use super::question::{Question, Server, Vm};
use crate::names::{one_word, unique};
use crate::refusal::Refusal;
use ground::Amount;
use std::collections::{BTreeMap, BTreeSet};

/// Virtual machines with the same requests, as many private pages and the same classes.
pub struct Type {
    /// What certificates call it: the first of them.
    pub name: String,
    /// What each requests, by resource, in units.
    pub request: Vec<i128>,
    /// Pages that each alone needs.
    pub private: i128,
    /// Their classes.
    pub classes: Vec<usize>,
    /// How many they are.
    pub number: i128,
}

/// Servers with the same capacities, memory and cost.
pub struct Kind {
    /// What certificates call it: the first of them.
    pub name: String,
    /// What each has, by resource, in units, rounded down: sums of requests are whole.
    pub capacity: Vec<Option<i128>>,
    /// Memory in pages.
    pub pages: i128,
    /// What each costs, in units.
    pub cost: i128,
    /// Their positions among all servers, ascending.
    pub servers: Vec<usize>,
}

impl Kind {
    /// How many are among the first servers.
    pub fn number_in(&self, first: usize) -> i128 {
        self.servers.partition_point(|&server| server < first) as i128
    }
}

/// A question, counted.
pub struct Counted {
    /// The types in the order of their first virtual machines.
    pub types: Vec<Type>,
    /// The positions of types by name.
    pub type_named: BTreeMap<String, usize>,
    /// By virtual machine the position of its type.
    pub type_of: Vec<usize>,
    /// The kinds in the order of their first servers.
    pub kinds: Vec<Kind>,
    /// By server the position of its kind.
    pub kind_of: Vec<usize>,
    /// The unit of costs.
    pub unit: Amount,
    /// Pages of all classes that have members, once.
    pub common: i128,
}

impl Counted {
    /// Counts a question.
    ///
    /// # Errors
    /// When the question contradicts itself.
    pub fn of(question: &Question<'_>) -> Result<Self, Refusal> {
        let resources = question.resources.len();
        let is_sound = question.vms.iter().all(|vm| {
            vm.request.len() == resources
                && vm.request.iter().all(|request| !request.is_negative())
                && vm.classes.iter().all(|&class| class < question.classes.len())
        });
        let is_sound = is_sound
            && question
                .servers
                .iter()
                .all(|server| server.capacity.len() == resources && !server.cost.is_negative());
        if !is_sound {
            return Err(Refusal::of("the question contradicts itself."));
        }
        let requests = |resource: usize| question.vms.iter().map(move |vm| vm.request[resource]);
        let units: Vec<Amount> =
            (0..resources).map(|resource| Amount::greatest_common_unit(requests(resource))).collect();
        let (types, type_of) = types(question, &units);
        let unit = Amount::greatest_common_unit(question.servers.iter().map(|server| server.cost));
        let (kinds, kind_of) = kinds(question, &units, unit);
        let named = types.iter().enumerate().map(|(position, about)| (about.name.clone(), position));
        let type_named = named.collect();
        let classes: BTreeSet<usize> = types.iter().flat_map(|about| about.classes.iter().copied()).collect();
        let common = classes.into_iter().map(|class| i128::from(question.classes[class])).sum();
        Ok(Counted { types, type_named, type_of, kinds, kind_of, unit, common })
    }
}

/// How often a unit goes into an amount.
fn whole(amount: Amount, unit: Amount) -> i128 {
    amount.millionths().div_euclid(unit.millionths())
}

fn types(question: &Question<'_>, units: &[Amount]) -> (Vec<Type>, Vec<usize>) {
    let (mut known, mut names) = (BTreeMap::new(), BTreeSet::new());
    let mut types: Vec<Type> = Vec::new();
    let mut type_of = |vm: &Vm<'_>| {
        let request: Vec<i128> =
            vm.request.iter().zip(units).map(|(&amount, &unit)| whole(amount, unit)).collect();
        let classes: BTreeSet<usize> = vm.classes.iter().copied().collect();
        let classes: Vec<usize> = classes.into_iter().collect();
        let position = *known.entry((request.clone(), vm.private, classes.clone())).or_insert(types.len());
        if position == types.len() {
            let name = unique(&one_word(vm.name), &mut names);
            types.push(Type { name, request, private: i128::from(vm.private), classes, number: 0 });
        }
        types[position].number += 1;
        position
    };
    let type_of = question.vms.iter().map(&mut type_of).collect();
    (types, type_of)
}

fn kinds(question: &Question<'_>, units: &[Amount], unit: Amount) -> (Vec<Kind>, Vec<usize>) {
    let (mut known, mut names) = (BTreeMap::new(), BTreeSet::new());
    let mut kinds: Vec<Kind> = Vec::new();
    let mut kind_of = |(number, server): (usize, &Server<'_>)| {
        let capacity = server.capacity.iter().zip(units);
        let capacity: Vec<Option<i128>> =
            capacity.map(|(amount, &unit)| amount.map(|amount| whole(amount, unit))).collect();
        let cost = whole(server.cost, unit);
        let position = *known.entry((capacity.clone(), server.pages, cost)).or_insert(kinds.len());
        if position == kinds.len() {
            let name = unique(&one_word(server.name), &mut names);
            kinds.push(Kind { name, capacity, pages: i128::from(server.pages), cost, servers: Vec::new() });
        }
        kinds[position].servers.push(number);
        position
    };
    let kind_of = question.servers.iter().enumerate().map(&mut kind_of).collect();
    (kinds, kind_of)
}
