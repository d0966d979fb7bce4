//! CPU and main memory: what nodes have left for workloads on GPUs, and what these ask for.

use crate::gather::{Gathered, User};
use crate::host::Host;
use crate::workload::Workload;
use formats::kubernetes::Requests;
use ground::Amount;
use std::collections::{BTreeMap, BTreeSet};

/// CPU or main memory.
struct Resource {
    of: fn(Requests) -> u64,
    /// An amount, rounded up or down to what an instance file can say.
    amount: fn(u64, bool) -> Amount,
    workload: fn(&mut Workload) -> &mut Amount,
    host: fn(&mut Host) -> &mut Option<Amount>,
    name: &'static str,
}

const CPU: Resource = Resource {
    of: |requests| requests.cpu,
    amount: |thousandths, _| Amount::from_millionths(i128::from(thousandths) * 1000),
    workload: |workload| &mut workload.cpu,
    host: |host| &mut host.cpu,
    name: "CPU",
};

const MEMORY: Resource = Resource {
    of: |requests| requests.memory,
    amount: |bytes, is_up| {
        let scaled = i128::from(bytes) * 1_000_000;
        let up = if is_up { (1 << 30) - 1 } else { 0 };
        Amount::from_millionths((scaled + up) >> 30)
    },
    workload: |workload| &mut workload.memory,
    host: |host| &mut host.memory,
    name: "memory",
};

/// A node of which both are known.
struct Node<'g> {
    name: &'g str,
    /// What is left beside pods that have no instance here.
    left: Requests,
    /// Most workloads that its GPUs hold.
    most: usize,
    /// Who runs there, by position.
    residents: Vec<usize>,
}

/// Says what nodes have and workloads ask for, where it may not suffice. What there is to say about that.
pub(crate) fn fill(
    gathered: &Gathered,
    workloads: &mut [Workload],
    hosts: &mut BTreeMap<String, Host>,
) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let asked: Vec<Option<Requests>> =
        workloads.iter().map(|workload| requests(workload, gathered, &mut seen)).collect();
    let nodes = nodes(gathered, workloads, &asked, &seen);
    let mut remarks = Vec::new();
    for resource in [CPU, MEMORY] {
        let each: Vec<u64> = asked.iter().map(|asked| asked.map_or(0, resource.of)).collect();
        let mut greatest = each.clone();
        greatest.sort_unstable_by(|one, other| other.cmp(one));
        let may_lack =
            |node: &Node<'_>| greatest.iter().take(node.most).sum::<u64>() > (resource.of)(node.left);
        if !nodes.iter().any(may_lack) {
            continue;
        }
        for (workload, &asked) in workloads.iter_mut().zip(&each) {
            *(resource.workload)(workload) = (resource.amount)(asked, true);
        }
        for node in &nodes {
            let left = (resource.of)(node.left);
            let held: u64 = node.residents.iter().map(|&resident| each[resident]).sum();
            let rounded =
                node.residents.iter().map(|&resident| (resource.amount)(each[resident], true)).sum();
            let capacity = (resource.amount)(left, false).max(rounded);
            if held > left {
                remarks.push(format!(
                    "the pods on {} ask for more {} than it has, so that nothing more fits there",
                    node.name, resource.name
                ));
            }
            *(resource.host)(hosts.entry(node.name.to_owned()).or_default()) = Some(capacity);
        }
    }
    remarks
}

/// What the users of a workload ask for together; `None` where that is not told. A pod with several instances asks once.
fn requests<'w>(
    workload: &'w Workload,
    gathered: &Gathered,
    seen: &mut BTreeSet<(&'w str, &'w str)>,
) -> Option<Requests> {
    let mut total = Requests::default();
    for user in &workload.users {
        let User::Pod { namespace, name } = user else { return None };
        let known = gathered.cluster.pod_named(namespace, name)?;
        if seen.insert((namespace, name)) {
            total += known.pod.requests;
        }
    }
    Some(total)
}

/// The nodes of which is told what they have, and what all ask for that run there.
fn nodes<'g>(
    gathered: &'g Gathered,
    workloads: &[Workload],
    asked: &[Option<Requests>],
    seen: &BTreeSet<(&str, &str)>,
) -> Vec<Node<'g>> {
    let cluster = &gathered.cluster;
    let mut found: BTreeMap<&str, Node<'g>> = BTreeMap::new();
    let mut node_of: BTreeMap<String, &str> = BTreeMap::new();
    for gpu in &gathered.gpus {
        let Some(capacity) = cluster.nodes.get(&gpu.node).and_then(|node| node.capacity) else { continue };
        let node = found.entry(&gpu.node).or_insert_with(|| Node {
            name: &gpu.node,
            left: capacity,
            most: 0,
            residents: Vec::new(),
        });
        node.most += gpu.board.as_ref().map_or(0, |board| board.slots() as usize);
        node_of.insert(gpu.name(), &gpu.node);
    }
    if !cluster.has_pods {
        return Vec::new();
    }
    for (number, workload) in workloads.iter().enumerate() {
        let Some(place) = &workload.current else { continue };
        let Some(&name) = node_of.get(&place.gpu) else { continue };
        match asked[number] {
            Some(_) => found.entry(name).and_modify(|node| node.residents.push(number)),
            // Nothing is known of what is left.
            None => {
                found.remove(name);
                continue;
            }
        };
    }
    for pod in cluster.pods.iter().map(|known| &known.pod) {
        let Some(node) = pod.node.as_deref().and_then(|node| found.get_mut(node)) else { continue };
        if !pod.is_over() && !seen.contains(&(pod.namespace.as_str(), pod.name.as_str())) {
            node.left.cpu = node.left.cpu.saturating_sub(pod.requests.cpu);
            node.left.memory = node.left.memory.saturating_sub(pod.requests.memory);
        }
    }
    found.into_values().collect()
}
