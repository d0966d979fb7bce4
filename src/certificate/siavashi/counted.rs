//! Workloads of which one can stand for another, counted, in whole units.

use super::question::{Changes, Question};
use crate::names::{one_word, unique};
use crate::refusal::Refusal;
use cluster::{NodeSetIndex, Part, RequestIndex, WorkloadIndex};
use ground::Amount;
use std::collections::{BTreeMap, BTreeSet};

/// Workloads that need the same of a machine.
pub struct Demand {
    /// The profiles that serve it.
    pub request: RequestIndex,
    /// The nodes on which it may be; all, where there is none.
    pub nodes: Option<NodeSetIndex>,
    /// Cores, in units.
    pub cpu: i64,
    /// Main memory, in units.
    pub memory: i64,
    /// How many there are.
    pub number: u32,
    /// Their types.
    pub types: Vec<usize>,
}

/// Workloads of a demand that count the same and whose changes cost the same.
pub struct Type {
    /// What certificates call it: the first of them.
    pub name: String,
    /// What each needs, by the position of the demand.
    pub demand: usize,
    /// What accepting one counts, in units.
    pub acceptance: i128,
    /// What is spared where one has a place, if these run now.
    pub spared: Option<Spared>,
    /// How many there are.
    pub number: u32,
    /// How many must have a place.
    pub least: u32,
}

/// By how much less than at first a running workload costs in its place, in units of migrations. At first it costs what it is charged:
/// to be without a place, or on another machine where it has to have one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spared {
    /// What it is charged.
    pub charged: i128,
    /// On another machine.
    pub abroad: i128,
    /// On another GPU of its machine.
    pub near: i128,
    /// On its GPU.
    pub stays: i128,
    /// In its slot, in addition.
    pub keeps: i128,
}

/// What is counted in which unit.
pub struct Units {
    /// Acceptance, hardware and migrations.
    pub terms: [Amount; 3],
    /// Cores, and main memory.
    pub resources: [Amount; 2],
}

/// All types and demands.
pub struct Counted {
    /// The demands.
    pub demands: Vec<Demand>,
    /// The types, in the order of their first workloads.
    pub types: Vec<Type>,
    /// Per workload: its type; none of what is pinned.
    pub type_of: Vec<Option<usize>>,
    /// Acceptance of what is pinned, in units.
    pub pinned: i128,
    /// The units.
    pub units: Units,
}

/// How often a unit goes into an amount that is a multiple of it.
pub fn whole(amount: Amount, unit: Amount) -> Result<i128, Refusal> {
    amount.in_units_of(unit).ok_or_else(|| Refusal::of("amounts are not multiples of their unit."))
}

/// A number of moderate size.
pub fn moderate(number: i128) -> Result<i64, Refusal> {
    let moderate = i64::try_from(number).ok().filter(|number| number.abs() < 1 << 50);
    moderate.ok_or_else(|| Refusal::of("cores and memory are too finely divided to be counted."))
}

impl Counted {
    /// Counts the workloads of a question.
    ///
    /// # Errors
    /// When the question contradicts itself.
    pub fn of(question: &Question<'_>) -> Result<Self, Refusal> {
        let workloads = &question.cluster.workloads;
        let units = Units::of(question);
        let mut counted =
            Counted { demands: Vec::new(), types: Vec::new(), type_of: Vec::new(), pinned: 0, units };
        let (mut demands, mut types, mut names) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        for (number, about) in workloads.iter().enumerate() {
            let acceptance = whole(question.acceptance[number], counted.units.terms[0])?;
            if question.parts[number] == Part::Pinned {
                counted.pinned += acceptance;
                counted.type_of.push(None);
                continue;
            }
            let [cpu, memory] = counted.units.needs(question, WorkloadIndex::at(number))?;
            let nodes = about.particulars().nodes;
            let demand = *demands.entry((about.request, nodes, cpu, memory)).or_insert(counted.demands.len());
            if demand == counted.demands.len() {
                let (request, types) = (about.request, Vec::new());
                counted.demands.push(Demand { request, nodes, cpu, memory, number: 0, types });
            }
            let runs = question.parts[number] == Part::Resident;
            let spared = match runs {
                true => Some(Spared::of(question, &question.changes[number], counted.units.terms[2])?),
                false => None,
            };
            let position = *types.entry((demand, acceptance, spared)).or_insert(counted.types.len());
            if position == counted.types.len() {
                let name = unique(&one_word(&about.name), &mut names);
                counted.types.push(Type { name, demand, acceptance, spared, number: 0, least: 0 });
                counted.demands[demand].types.push(position);
            }
            counted.demands[demand].number += 1;
            counted.types[position].number += 1;
            counted.types[position].least += u32::from(runs && question.keeps_residents);
            counted.type_of.push(Some(position));
        }
        Ok(counted)
    }

    /// How many run now, but for what is pinned.
    pub fn residents(&self) -> i128 {
        let running = self.types.iter().filter(|about| about.spared.is_some());
        running.map(|about| i128::from(about.number)).sum()
    }

    /// What those that run now are charged together, in units of migrations.
    pub fn charged(&self) -> i128 {
        let charged = |about: &Type| Some(about.spared?.charged * i128::from(about.number));
        self.types.iter().filter_map(charged).sum()
    }
}

impl Spared {
    fn of(question: &Question<'_>, changes: &Changes, unit: Amount) -> Result<Self, Refusal> {
        let Changes { move_machine, move_gpu, move_start, evict } = *changes;
        let [machine, gpu, start, evict] = [
            whole(move_machine, unit)?,
            whole(move_gpu, unit)?,
            whole(move_start, unit)?,
            whole(evict, unit)?,
        ];
        if !(0 <= start && start <= gpu && gpu <= machine && 0 <= evict) {
            return Err(Refusal::of("the question contradicts itself."));
        }
        let charged = if question.keeps_residents { machine } else { evict };
        let (abroad, near, stays) = (charged - machine, charged - gpu, charged - start);
        Ok(Spared { charged, abroad, near, stays, keeps: start })
    }
}

impl Units {
    /// The greatest units of a question.
    fn of(question: &Question<'_>) -> Self {
        let hardware = question.machines.iter().flat_map(|machine| [machine.weight, machine.gpu_weight]);
        let changes = question
            .changes
            .iter()
            .flat_map(|changes| [changes.move_machine, changes.move_gpu, changes.move_start, changes.evict]);
        let workloads = &question.cluster.workloads;
        Units {
            terms: [
                Amount::greatest_common_unit(question.acceptance.iter().copied()),
                Amount::greatest_common_unit(hardware),
                Amount::greatest_common_unit(changes),
            ],
            resources: [
                Amount::greatest_common_unit(workloads.iter().map(|workload| workload.cpu)),
                Amount::greatest_common_unit(workloads.iter().map(|workload| workload.memory)),
            ],
        }
    }

    /// The cores and the main memory that a workload needs, in units.
    ///
    /// # Errors
    /// When there are too many of them.
    pub fn needs(&self, question: &Question<'_>, workload: WorkloadIndex) -> Result<[i64; 2], Refusal> {
        let about = &question.cluster.workloads[workload.index()];
        let [cpu, memory] = self.resources;
        Ok([moderate(whole(about.cpu, cpu)?)?, moderate(whole(about.memory, memory)?)?])
    }
}
