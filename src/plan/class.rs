//! Workloads that are interchangeable: who of them goes where is for the plan to choose.

use crate::place::{Place, is_pinned, place};
use cluster::{
    BudgetIndex, ClassIndex, Cluster, GroupIndex, Handover, NodeSetIndex, Particulars, Placement,
    RequestIndex, WorkloadIndex,
};
use std::collections::{BTreeMap, BTreeSet};

/// Interchangeable workloads, with the places that they have and shall have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The workloads, in the order of the cluster.
    pub members: Vec<WorkloadIndex>,
    /// The profile that they need.
    pub request: RequestIndex,
    /// How they get to another place.
    pub handover: Handover,
    /// The budgets that they are under.
    pub budgets: Vec<BudgetIndex>,
    /// The places that they hold now.
    pub present: BTreeSet<Place>,
    /// The places that they shall hold.
    pub target: BTreeSet<Place>,
}

impl Class {
    /// Places that are to be left: none of these is in the target.
    pub fn sources(&self) -> impl Iterator<Item = Place> + '_ {
        self.present.difference(&self.target).copied()
    }

    /// Places that are to be entered: none of these is held now.
    pub fn targets(&self) -> impl Iterator<Item = Place> + '_ {
        self.target.difference(&self.present).copied()
    }

    /// How many start that do not run now.
    pub fn newcomers(&self) -> usize {
        self.target.len().saturating_sub(self.present.len())
    }

    /// How many stop for good.
    pub fn leavers(&self) -> usize {
        self.present.len().saturating_sub(self.target.len())
    }

    /// How many get another place, at least: whoever is on a place of the target may stay.
    pub fn movers(&self) -> usize {
        self.targets().count() - self.newcomers()
    }
}

/// What makes workloads interchangeable. A workload that is in no class is one by itself.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'c> {
    Alone(WorkloadIndex),
    Several(ClassIndex, RequestIndex, Handover, Rules<'c>),
}

/// What a workload is bound by: its budgets, its groups and its nodes.
type Rules<'c> = (&'c [BudgetIndex], &'c [GroupIndex], Option<NodeSetIndex>);

/// The classes of a cluster in the order of their first members, and the class of each workload.
pub fn classes(cluster: &Cluster, target: &Placement) -> (Vec<Class>, Vec<Option<usize>>) {
    let mut numbers: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let mut classes: Vec<Class> = Vec::new();
    let mut class_of = vec![None; cluster.workloads.len()];
    for workload in cluster.workload_indices() {
        if is_pinned(cluster, workload) {
            continue;
        }
        let about = &cluster.workloads[workload.index()];
        let Particulars { budgets, groups, nodes, .. } = about.particulars();
        let key = match about.class {
            Some(class) => Key::Several(class, about.request, about.handover, (budgets, groups, *nodes)),
            None => Key::Alone(workload),
        };
        let number = *numbers.entry(key).or_insert_with(|| {
            classes.push(Class {
                members: Vec::new(),
                request: about.request,
                handover: about.handover,
                budgets: budgets.to_vec(),
                present: BTreeSet::new(),
                target: BTreeSet::new(),
            });
            classes.len() - 1
        });
        let class = &mut classes[number];
        class_of[workload.index()] = Some(number);
        class.members.push(workload);
        class.present.extend(about.current.and_then(|location| place(cluster, workload, location)));
        class.target.extend(target.of(workload).and_then(|location| place(cluster, workload, location)));
    }
    (classes, class_of)
}
