//! Workloads that keep apart, or belong together.

use crate::gather::{Gathered, User};
use crate::workload::Workload;
use cluster::{GroupSection, SiteKind};
use formats::kubernetes::{Pod, Selector};
use ground::{counted, unfit_for_a_name};
use std::collections::{BTreeMap, BTreeSet};

/// The label whose value is the node.
const NODE: &str = "kubernetes.io/hostname";

/// Puts workloads into groups; gives these, and what there is to say.
pub(crate) fn group(gathered: &Gathered, workloads: &mut [Workload]) -> (Vec<GroupSection>, Vec<String>) {
    let mut groups = Groups { sections: Vec::new(), names: BTreeSet::new() };
    let several = groups.of_several_instances(gathered, workloads);
    let unsaid = groups.apart(gathered, workloads, &several);
    let remark = unsaid.map(|(count, first)| {
        format!(
            "the rules of {} about other pods or topology are not in the instance, so that answers may break them: {first}{}",
            counted(count, "workload"),
            if count > 1 { ", ..." } else { "" }
        )
    });
    (groups.sections, remark.into_iter().collect())
}

struct Groups {
    sections: Vec<GroupSection>,
    names: BTreeSet<String>,
}

impl Groups {
    /// Users with several instances: these count as one.
    fn of_several_instances(&mut self, gathered: &Gathered, workloads: &mut [Workload]) -> BTreeSet<User> {
        let mut held: BTreeMap<User, Vec<usize>> = BTreeMap::new();
        for (number, workload) in workloads.iter().enumerate() {
            for user in &workload.users {
                held.entry(user.clone()).or_default().push(number);
            }
        }
        held.retain(|_, numbers| numbers.len() > 1);
        for (user, numbers) in &held {
            let nodes: BTreeSet<Option<&str>> = numbers
                .iter()
                .map(|&number| {
                    let place = workloads[number].current.as_ref()?;
                    place.gpu.rsplit_once('/').map(|(node, _)| node)
                })
                .collect();
            let has_one_node = match user {
                User::Job { id, .. } => {
                    gathered.cluster.jobs.get(id).is_none_or(|known| known.job.nodes <= 1)
                }
                _ => true,
            };
            let together = (has_one_node && nodes.len() == 1).then_some(SiteKind::Node);
            let rules = GroupSection { name: user.to_string(), apart: None, together, as_one: true };
            self.add(rules, numbers, workloads);
        }
        held.into_keys().collect()
    }

    /// Pods that keep apart on nodes from others like them. How many workloads have rules that cannot be said, and one of them.
    fn apart(
        &mut self,
        gathered: &Gathered,
        workloads: &mut [Workload],
        several: &BTreeSet<User>,
    ) -> Option<(usize, String)> {
        let mut alike: BTreeMap<(String, &Selector), (String, Vec<usize>)> = BTreeMap::new();
        let mut unsaid = BTreeSet::new();
        for (number, workload) in workloads.iter().enumerate() {
            for user in &workload.users {
                let User::Pod { namespace, name } = user else { continue };
                let Some(known) = gathered.cluster.pod_named(namespace, name) else { continue };
                let pod = &known.pod;
                if pod.scheduling.others > 0 {
                    unsaid.insert(number);
                }
                for term in &pod.scheduling.apart {
                    let is_among_alike =
                        term.topology == NODE && !term.is_abroad && term.selector.selects(&pod.labels);
                    if !is_among_alike || several.contains(user) {
                        unsaid.insert(number);
                        continue;
                    }
                    let (_, members) = alike
                        .entry((namespace.clone(), &term.selector))
                        .or_insert_with(|| (owner(pod), Vec::new()));
                    members.push(number);
                }
            }
        }
        for (_, (name, numbers)) in alike {
            if numbers.len() > 1 {
                let rules = GroupSection { name, apart: Some(SiteKind::Node), together: None, as_one: false };
                self.add(rules, &numbers, workloads);
            }
        }
        let first = unsaid.first().map(|&number| workloads[number].name.clone())?;
        Some((unsaid.len(), first))
    }

    fn add(&mut self, mut rules: GroupSection, numbers: &[usize], workloads: &mut [Workload]) {
        let fit = |letter: char| if unfit_for_a_name(&letter.to_string()).is_some() { '_' } else { letter };
        let plain: String = rules.name.chars().map(fit).collect();
        let names = std::iter::once(plain.clone()).chain((2..).map(|number| format!("{plain}.{number}")));
        rules.name =
            names.into_iter().find(|name| !self.names.contains(name)).expect("there is no last name");
        self.names.insert(rules.name.clone());
        for &number in numbers {
            workloads[number].groups.push(rules.name.clone());
        }
        self.sections.push(rules);
    }
}

/// Who makes a pod, or the pod itself.
fn owner(pod: &Pod) -> String {
    match &pod.controller {
        Some(controller) => {
            format!("{}/{}/{}", pod.namespace, controller.kind.to_lowercase(), controller.name)
        }
        None => pod.full_name(),
    }
}
