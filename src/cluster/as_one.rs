//! Workloads that count as one: what is true of one of them is true of all.

use super::{Cluster, Group, Location, WorkloadIndex};
use ground::{InputError, SourceText};
use itertools::Itertools;

impl Cluster {
    /// The groups of a workload whose members count as one.
    pub fn as_one_groups_of(&self, workload: WorkloadIndex) -> impl Iterator<Item = &Group> + '_ {
        self.groups_of(workload).map(|(_, group)| group).filter(|group| group.rules.as_one)
    }

    /// Of whom something is true by itself, and those who count as one with them; `takes_part` says whom it can be true of.
    pub fn with_groups(
        &self,
        takes_part: impl Fn(WorkloadIndex) -> bool,
        by_itself: impl Fn(WorkloadIndex) -> bool,
    ) -> Vec<bool> {
        let own: Vec<bool> =
            self.workload_indices().map(|workload| takes_part(workload) && by_itself(workload)).collect();
        let mut all = own.clone();
        for group in self.groups.iter().filter(|group| group.rules.as_one) {
            if group.members.iter().any(|member| own[member.index()]) {
                for member in group.members.iter().filter(|member| takes_part(**member)) {
                    all[member.index()] = true;
                }
            }
        }
        all
    }

    /// Pins what runs and counts as one with something pinned. A workload may be in several groups, so that pins spread from one
    /// to the next.
    pub fn spread_pins(&self, is_pinned: &mut [bool]) {
        let mut spreads = true;
        while spreads {
            spreads = false;
            for group in self.groups.iter().filter(|group| group.rules.as_one) {
                if !group.members.iter().any(|member| is_pinned[member.index()]) {
                    continue;
                }
                for member in &group.members {
                    let runs = self.workloads[member.index()].current.is_some();
                    if runs && !std::mem::replace(&mut is_pinned[member.index()], true) {
                        spreads = true;
                    }
                }
            }
        }
    }

    /// Refuses pins on several sites of workloads that are to be together.
    ///
    /// # Errors
    /// When there are such pins.
    pub fn check_pins(
        &self,
        source: &SourceText,
        is_pinned: impl Fn(WorkloadIndex) -> bool,
    ) -> Result<(), InputError> {
        for group in &self.groups {
            let Some(kind) = group.rules.together else { continue };
            let pinned = group.members.iter().filter(|member| is_pinned(**member));
            let place = |member: &WorkloadIndex| self.workloads[member.index()].current;
            let site = |place: Location| self.site_of(place.gpu, kind);
            let mut sites = pinned.filter_map(place).map(site).sorted().dedup();
            if let (Some(one), Some(other)) = (sites.next(), sites.next()) {
                let message = format!(
                    "workloads of group `{}`, which are to be together, are pinned to {} and to {}. Let one of them move, or leave \
                     `together` out.",
                    group.rules.name,
                    self.site_name(one),
                    self.site_name(other)
                );
                return Err(source.error_at_entry("group", &group.rules.name, message));
            }
        }
        Ok(())
    }
}
