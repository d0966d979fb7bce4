//! Rows that may be compared: of one model, one use case and clusters of one size.

use super::numbers::{counted, whole};
use super::reference::{Gap, Reference, State};
use crate::text::runs;
use bench::{OPTIMUM, Outcome, Record};
use std::collections::{BTreeMap, BTreeSet};

/// All rows of one model, use case and cluster size.
pub(super) struct Group<'r> {
    /// The model.
    pub model: &'r str,
    /// The use case.
    pub question: &'r str,
    /// What there is to place and to place it on, for headings.
    pub size: String,
    /// The instances, by name.
    pub instances: Vec<Instance<'r>>,
    /// Families of instances, in the order in which people read their names; none if instances have no families.
    pub families: Vec<&'r str>,
    /// The methods, by name.
    pub methods: Vec<&'r str>,
    /// The seeds that rows were given.
    pub seeds: BTreeSet<u64>,
    /// Names of the objectives in the order in which instances compare them.
    pub stages: Vec<&'r str>,
}

/// An instance with all its rows.
pub(super) struct Instance<'r> {
    /// What the rows together know of its optimum.
    pub reference: Reference<'r>,
    /// The rows, by method and seed.
    pub rows: Vec<Row<'r>>,
}

/// A row and its distance from the reference.
#[derive(Clone, Copy)]
pub(super) struct Row<'r> {
    /// The row itself.
    pub record: &'r Record,
    /// Its gap, if it has a solution and there is something to compare with.
    pub gap: Option<Gap<'r>>,
}

impl<'r> Group<'r> {
    /// Sorts rows into groups; their order does not matter.
    pub fn all(records: &'r [Record]) -> Vec<Self> {
        let mut sorted: Vec<&Record> = records.iter().collect();
        sorted.sort_by(|one, other| order(one).cmp(&order(other)));
        let same = |one: &&Record, other: &&Record| {
            one.model == other.model
                && one.question == other.question
                && one.cluster_gpus == other.cluster_gpus
        };
        sorted.chunk_by(same).flat_map(by_size).map(|rows| Group::of(&rows)).collect()
    }

    /// Its name, for headings.
    pub fn title(&self) -> String {
        [self.model, self.question, &self.size]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn of(rows: &[&'r Record]) -> Self {
        let by_instance = rows.chunk_by(|one, other| one.fingerprint == other.fingerprint);
        let mut instances: Vec<Instance> = by_instance.map(Instance::of).collect();
        instances.sort_by_key(Instance::name);
        let families: BTreeSet<&str> = rows.iter().filter_map(|row| row.family.as_deref()).collect();
        let mut families: Vec<&str> = families.into_iter().collect();
        families.sort_by_cached_key(|family| runs(family));
        let methods: BTreeSet<&str> = rows.iter().map(|row| row.method.as_str()).collect();
        let mut stages: Vec<&str> = Vec::new();
        for stage in rows.iter().flat_map(|row| &row.stages) {
            if !stages.contains(&stage.name.as_str()) {
                stages.push(&stage.name);
            }
        }
        Group {
            model: &rows[0].model,
            question: &rows[0].question,
            size: size(rows),
            instances,
            families,
            methods: methods.into_iter().collect(),
            seeds: rows.iter().filter_map(|row| row.seed).collect(),
            stages,
        }
    }

    /// All rows, by instance, method and seed.
    pub fn rows(&self) -> impl Iterator<Item = &Row<'r>> {
        self.instances.iter().flat_map(|instance| &instance.rows)
    }

    /// The rows of a method, each with its instance.
    pub fn rows_of<'g>(&'g self, method: &'g str) -> impl Iterator<Item = (&'g Instance<'r>, &'g Row<'r>)> {
        self.instances
            .iter()
            .flat_map(|instance| instance.rows.iter().map(move |row| (instance, row)))
            .filter(move |(_, row)| row.record.method == method)
    }

    /// How many instances are in each state.
    pub fn states(&self) -> BTreeMap<State, usize> {
        let mut states = BTreeMap::new();
        for instance in &self.instances {
            *states.entry(instance.reference.state).or_default() += 1;
        }
        states
    }

    /// Whether a method looks for proofs, so that an answer without one is none: what heuristics do is never one of these.
    pub fn seeks_proof(&self, method: &str) -> bool {
        use Outcome::{Infeasible, MemoryLimit, Optimal, TimeLimit};
        let proofs = [Optimal, Infeasible, TimeLimit, MemoryLimit];
        let is_optimum = method.split(':').next() == Some(OPTIMUM);
        let is_proof = |row: &Row| row.record.method == method && proofs.contains(&row.record.outcome);
        is_optimum || self.rows().any(is_proof)
    }
}

/// Whether a method is a heuristic in all of some groups: it neither seeks proofs nor uses a solver.
pub(super) fn is_heuristic<'g, 'r: 'g>(
    groups: impl IntoIterator<Item = &'g Group<'r>>,
    method: &str,
) -> bool {
    let uses_solver = |row: &Row| {
        let conditions = row.record.conditions.as_ref().filter(|_| row.record.method == method);
        conditions.is_some_and(|conditions| conditions.solver.is_some())
    };
    groups.into_iter().all(|group| !group.seeks_proof(method) && !group.rows().any(uses_solver))
}

impl<'r> Instance<'r> {
    fn of(records: &[&'r Record]) -> Self {
        let reference = Reference::of(records);
        let rows = records.iter().map(|&record| Row { record, gap: reference.gap(record) }).collect();
        Instance { reference, rows }
    }

    /// Its name.
    pub fn name(&self) -> &'r str {
        &self.rows[0].record.instance
    }

    /// Its family, if it is of one.
    pub fn family(&self) -> Option<&'r str> {
        self.rows[0].record.family.as_deref()
    }

    /// Whether a solution may exist.
    pub fn may_be_feasible(&self) -> bool {
        self.reference.state != State::Infeasible
    }
}

impl Row<'_> {
    /// Whether it holds no answer.
    pub fn failed(&self) -> bool {
        self.record.outcome == Outcome::Failed
    }
}

/// Rows of a problem without GPUs by the number of its workloads, if several instances are of each number: otherwise the
/// number tells instances apart, not questions.
fn by_size<'a, 'r>(rows: &'a [&'r Record]) -> Vec<Vec<&'r Record>> {
    let mut sizes: BTreeMap<u64, (BTreeSet<&str>, Vec<&'r Record>)> = BTreeMap::new();
    for row in rows {
        let (instances, of_size) = sizes.entry(row.workloads).or_default();
        instances.insert(&row.fingerprint);
        of_size.push(row);
    }
    let repeated = sizes.values().all(|(instances, _)| instances.len() > 1);
    if rows[0].cluster_gpus == 0 && repeated {
        sizes.into_values().map(|(_, rows)| rows).collect()
    } else {
        vec![rows.to_vec()]
    }
}

/// How large the instances are: their GPUs, or their workloads where they have no GPUs.
fn size(rows: &[&Record]) -> String {
    if rows[0].cluster_gpus > 0 {
        return counted(rows[0].cluster_gpus as usize, "GPU");
    }
    let workloads = || rows.iter().map(|row| row.workloads as usize);
    let (least, most) = (workloads().min().unwrap_or(0), workloads().max().unwrap_or(0));
    if least == most {
        counted(most, "workload")
    } else {
        format!("{} to {}", whole(least), counted(most, "workload"))
    }
}

/// The order of rows: by group, then by instance, method and seed. The fingerprint alone tells instances apart.
fn order(row: &Record) -> impl Ord {
    (&row.model, &row.question, row.cluster_gpus, &row.fingerprint, &row.method, row.seed)
}
