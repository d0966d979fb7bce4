//! On which nodes workloads may be: what pods and jobs ask, held against what files tell of the nodes.

use crate::gather::{Gathered, User};
use crate::workload::NodeRule;
use cluster::Labels;
use formats::kubernetes::{ClusterNode, Scheduling, Taint};
use formats::slurm::job::JobPlace;
use formats::slurm::node::SlurmNode;
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};

/// The label that stands for the taints of a node. Its values are what [`spelled`] makes of them.
const TAINTS: &str = "migopt/taints";
/// What the labels begin with that stand for features and partitions of Slurm.
const FEATURE: &str = "feature/";
const PARTITION: &str = "partition/";
/// The value of a label that a node has or has not.
const HAS: &str = "yes";
/// The taint of `kubectl cordon`, of which `cordoned` tells.
const CORDON: &str = "node.kubernetes.io/unschedulable";

/// What a workload asks of its node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asks<'g> {
    Pod(&'g Scheduling),
    /// With the number of nodes that it has.
    Job(&'g JobPlace, u32),
}

/// The nodes on which a workload may be.
#[derive(Clone)]
pub(crate) struct Admitted {
    /// By the number of the node.
    on: Vec<bool>,
    /// How that is said; all nodes, where there is none.
    pub rule: Option<NodeRule>,
}

impl Admitted {
    /// Whether there is a node at all.
    pub fn has_any(&self) -> bool {
        self.on.contains(&true)
    }
}

/// A node that has GPUs, as files tell of it.
struct Known<'g> {
    name: &'g str,
    node: Option<&'g ClusterNode>,
    slurm: Option<&'g SlurmNode>,
}

/// The nodes that have GPUs.
pub(crate) struct Nodes<'g> {
    gathered: &'g Gathered,
    known: Vec<Known<'g>>,
    numbers: BTreeMap<&'g str, usize>,
    /// What was found out before.
    answers: BTreeMap<Vec<Asks<'g>>, Admitted>,
}

impl<'g> Nodes<'g> {
    pub fn of(gathered: &'g Gathered) -> Self {
        let cluster = &gathered.cluster;
        let names = gathered.gpus.iter().map(|gpu| gpu.node.as_str()).dedup();
        let known: Vec<Known<'g>> = names
            .map(|name| Known { name, node: cluster.nodes.get(name), slurm: cluster.slurm_nodes.get(name) })
            .collect();
        let numbers = known.iter().enumerate().map(|(number, known)| (known.name, number)).collect();
        Nodes { gathered, known, numbers, answers: BTreeMap::new() }
    }

    /// Where a workload of these users may be.
    pub fn admitted(&mut self, users: &[User]) -> Admitted {
        let asks: Vec<Asks<'g>> = users.iter().filter_map(|user| self.asks(user)).sorted().dedup().collect();
        if let Some(answer) = self.answers.get(&asks) {
            return answer.clone();
        }
        let on: Vec<bool> =
            self.known.iter().map(|known| asks.iter().all(|asks| asks.admits(known))).collect();
        let rule = (!on.iter().all(|is_admitted| *is_admitted)).then(|| {
            let by_labels = self.by_labels(&asks, &on);
            let names = || self.known.iter().zip(&on).filter(|(_, is_on)| **is_on);
            by_labels
                .unwrap_or_else(|| NodeRule::Names(names().map(|(known, _)| known.name.to_owned()).collect()))
        });
        let answer = Admitted { on, rule };
        self.answers.insert(asks, answer.clone());
        answer
    }

    /// Why a workload that runs on a node must stay there, as it could not come back; none if it could, or is being evicted.
    pub fn cannot_come_back(&self, users: &[User], admitted: &Admitted, node: &str) -> Option<String> {
        if self.admits(admitted, node) {
            return None;
        }
        let known = &self.known[*self.numbers.get(node)?];
        let asks: Vec<Asks<'g>> = users.iter().filter_map(|user| self.asks(user)).collect();
        let is_evicted = |taint: &&Taint| {
            taint.effect == "NoExecute"
                && asks.iter().any(|asks| matches!(asks, Asks::Pod(scheduling) if !scheduling.bears(taint)))
        };
        if known.taints().any(|taint| is_evicted(&taint)) {
            return None;
        }
        let why = match known.is_told() {
            true => "what it asks of its node excludes this one, or a taint does",
            false => "it asks for labels, and no file tells those of the node (kubectl get nodes -o json)",
        };
        Some(format!("once away it could not come back to {node}: {why}"))
    }

    /// Whether a workload may come to a node.
    pub fn admits(&self, admitted: &Admitted, node: &str) -> bool {
        self.numbers.get(node).is_some_and(|&number| admitted.on[number])
    }

    /// The labels of a node that workloads name.
    pub fn labels(&self, node: &str, named: &BTreeSet<&str>) -> Labels {
        let Some(&number) = self.numbers.get(node) else { return Labels::new() };
        let known = &self.known[number];
        named.iter().filter_map(|&label| Some((label.to_owned(), known.label(label)?))).collect()
    }

    fn asks(&self, user: &User) -> Option<Asks<'g>> {
        let cluster = &self.gathered.cluster;
        match user {
            User::Pod { namespace, name } => {
                Some(Asks::Pod(&cluster.pod_named(namespace, name)?.pod.scheduling))
            }
            User::Job { id, .. } => {
                let job = &cluster.jobs.get(id)?.job;
                Some(Asks::Job(&job.place, job.nodes))
            }
            User::PodUid(_) | User::Process { .. } => None,
        }
    }

    /// A selector of just these nodes, if what is asked can be said by one.
    fn by_labels(&self, asks: &[Asks<'g>], on: &[bool]) -> Option<NodeRule> {
        let mut selector: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for asked in asks.iter().map(|asks| asks.labels()) {
            for (label, allows) in asked? {
                let all: BTreeSet<String> =
                    self.known.iter().filter_map(|known| known.label(&label)).collect();
                let chosen: BTreeSet<String> = all.iter().filter(|value| allows(value)).cloned().collect();
                let is_needed = chosen != all || self.known.iter().any(|known| known.label(&label).is_none());
                if is_needed {
                    let values = selector.entry(label).or_insert_with(|| chosen.clone());
                    values.retain(|value| chosen.contains(value));
                }
            }
        }
        let is_chosen = |known: &Known<'_>| {
            selector
                .iter()
                .all(|(label, values)| known.label(label).is_some_and(|value| values.contains(&value)))
        };
        let says_it = self.known.iter().zip(on).all(|(known, is_on)| is_chosen(known) == *is_on);
        let labels = selector.into_iter().map(|(label, values)| (label, values.into_iter().collect()));
        says_it.then(|| NodeRule::Labels(labels.collect()))
    }
}

/// A label, and which of its values are allowed.
type AskedLabel<'g> = (String, Box<dyn Fn(&str) -> bool + 'g>);

impl<'g> Asks<'g> {
    fn admits(self, known: &Known<'_>) -> bool {
        match self {
            Asks::Pod(scheduling) => {
                let has_labels = match known.node {
                    Some(node) => scheduling.selects(known.name, &node.labels),
                    None => scheduling.asks_no_label(),
                };
                has_labels && known.taints().all(|taint| scheduling.bears(taint))
            }
            Asks::Job(place, nodes) => {
                let told = |told: fn(&SlurmNode) -> Option<&Vec<String>>| known.slurm.and_then(told);
                let features = told(|node| node.features.as_ref());
                let has = |any: &Vec<String>| {
                    features.is_some_and(|features| any.iter().any(|feature| features.contains(feature)))
                };
                // Partitions are told of all nodes by one command, or of none.
                let in_partition = match told(|node| node.partitions.as_ref()) {
                    Some(partitions) if !place.partitions.is_empty() => {
                        place.partitions.iter().any(|partition| partitions.contains(partition))
                    }
                    _ => true,
                };
                // Fewer nodes than it has: some of its nodes are these, nobody knows which.
                let is_wanted = place.wanted.len() < nodes as usize
                    || place.wanted.is_empty()
                    || place.wanted.iter().any(|name| name == known.name);
                in_partition
                    && is_wanted
                    && !place.has_other_features
                    && place.features.iter().all(has)
                    && !place.excluded.iter().any(|name| name == known.name)
            }
        }
    }

    /// What is asked of single labels; `None` if more is asked than that.
    fn labels(self) -> Option<Vec<AskedLabel<'g>>> {
        match self {
            Asks::Pod(scheduling) => {
                let term = match scheduling.node_affinity.as_deref() {
                    None => &[][..],
                    Some([only]) if only.names.is_empty() => &only.labels,
                    Some(_) => return None,
                };
                let asked = scheduling.node_selector.iter().chain(term);
                let mut asked: Vec<AskedLabel<'g>> = asked
                    .map(|asked| -> AskedLabel<'g> {
                        (asked.key.clone(), Box::new(|value| asked.allows(Some(value))))
                    })
                    .collect();
                let bears = |taints: &str| unspelled(taints).all(|taint| scheduling.bears(&taint));
                asked.push((TAINTS.to_owned(), Box::new(bears)));
                Some(asked)
            }
            Asks::Job(place, _) => {
                let only = |one: &str, prefix: &str| -> AskedLabel<'g> {
                    (format!("{prefix}{one}"), Box::new(|value| value == HAS))
                };
                let mut asked = Vec::new();
                for any in &place.features {
                    let [one] = any.as_slice() else { return None };
                    asked.push(only(one, FEATURE));
                }
                if let [one] = place.partitions.as_slice() {
                    asked.push(only(one, PARTITION));
                }
                Some(asked)
            }
        }
    }
}

impl<'g> Known<'g> {
    /// Whether a file tells its labels.
    fn is_told(&self) -> bool {
        self.node.is_some() || self.slurm.is_some()
    }

    /// The taints that keep pods away, but for that of a cordon.
    fn taints(&self) -> impl Iterator<Item = &'g Taint> + use<'g> {
        let taints = self.node.into_iter().flat_map(|node| &node.taints);
        taints.filter(|taint| taint.key != CORDON && taint.effect != "PreferNoSchedule")
    }

    fn label(&self, label: &str) -> Option<String> {
        if let Some(value) = self.node.and_then(|node| node.labels.get(label)) {
            return Some(value.clone());
        }
        if label == TAINTS {
            return self.node.map(|_| spelled(self.taints()));
        }
        let has = |names: Option<&Vec<String>>, name: &str| {
            names?.iter().any(|known| known == name).then(|| HAS.to_owned())
        };
        match (label.strip_prefix(FEATURE), label.strip_prefix(PARTITION)) {
            (Some(feature), _) => has(self.slurm?.features.as_ref(), feature),
            (_, Some(partition)) => has(self.slurm?.partitions.as_ref(), partition),
            _ => None,
        }
    }
}

/// Taints as the value of a label: `KEY=VALUE:EFFECT`, with commas between.
fn spelled<'t>(taints: impl Iterator<Item = &'t Taint>) -> String {
    let all =
        taints.map(|taint| format!("{}={}:{}", taint.key, taint.value, taint.effect)).sorted().join(",");
    if all.is_empty() { "none".to_owned() } else { all }
}

/// The taints that the value of a label spells.
fn unspelled(value: &str) -> impl Iterator<Item = Taint> + '_ {
    value.split(',').filter_map(|taint| {
        let (key, rest) = taint.split_once('=')?;
        let (value, effect) = rest.rsplit_once(':')?;
        Some(Taint { key: key.to_owned(), value: value.to_owned(), effect: effect.to_owned() })
    })
}
