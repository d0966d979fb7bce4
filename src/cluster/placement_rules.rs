//! Rules of a cluster on behalf of those who do not know them.

use super::{Cluster, Maintenance};
use ground::{InputError, SourceText};

/// A rule on where workloads may be or how much may change, beside what the hardware allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlacementRule {
    /// GPUs that are cordoned or to be drained.
    Maintenance,
    /// Workloads bound to nodes by `nodes` or `node_selector`.
    Nodes,
    /// Workloads that belong to a group of which something is asked.
    Groups,
    /// Hosts with `max_disrupted`.
    NodeBudgets,
}

impl Cluster {
    /// The rules of the cluster, each with the field that states it first, the value there, and what it says.
    pub fn placement_rules(&self) -> impl Iterator<Item = (PlacementRule, &'static str, String, String)> {
        let out_of_service = self.gpus.iter().find(|gpu| !gpu.maintenance.is_in_service()).map(|gpu| {
            let field = if gpu.maintenance == Maintenance::Draining { "drain" } else { "cordoned" };
            let says = format!("GPU `{}` is out of service by `{field}: true`", gpu.name);
            (PlacementRule::Maintenance, field, "true".to_owned(), says)
        });
        let bound = self.workloads.iter().find(|workload| workload.particulars().nodes.is_some());
        let bound = bound.map(|workload| {
            let says = format!("workload `{}` is bound to nodes", workload.name);
            (PlacementRule::Nodes, "name", entry_name(&workload.name).to_owned(), says)
        });
        let group = self.groups.iter().find(|group| group.asks_anything()).map(|group| {
            let name = &group.rules.name;
            (PlacementRule::Groups, "group", name.clone(), format!("there are rules for group `{name}`"))
        });
        let budget = self.hosts.iter().find_map(|host| {
            let most = host.max_disrupted?;
            let says = format!("host `{}` has `max_disrupted: {most}`", host.name);
            Some((PlacementRule::NodeBudgets, "max_disrupted", most.to_string(), says))
        });
        [out_of_service, bound, group, budget].into_iter().flatten()
    }

    /// Refuses the rules that `who` does not know; `instead` is what to do then.
    ///
    /// # Errors
    /// When the cluster has such a rule.
    pub fn refuse_rules(
        &self,
        source: &SourceText,
        who: &str,
        known: &[PlacementRule],
        instead: &str,
    ) -> Result<(), InputError> {
        let Some((_, field, value, says)) = self.placement_rules().find(|(rule, ..)| !known.contains(rule))
        else {
            return Ok(());
        };
        Err(source.error_at_entry(
            field,
            &value,
            format!("{says}, a rule that {who} does not know. {instead}"),
        ))
    }
}

/// The name of the entry from which a replica comes.
fn entry_name(replica: &str) -> &str {
    replica.rsplit_once('#').map_or(replica, |(entry, _)| entry)
}
