//! nebuly's nos: GPUs take one of a written list of sets of instances, and change it around the instances in use.

use super::dra::Allocation;
use super::geometries::{set, start_of_unused, unused};
use super::scheduler::Scheduler;
use super::walk;
use cluster::{GpuIndex, Location};
use fleet::{Fleet, Policy, Request};
use kit::{Choices, Parameter, put_choice};
use mig::{
    ArrangePriority, Board, Counts, GpuInstance, ProfileIndex, arrange, distinct_profiles, maximal_multisets,
};

/// An unused instance of the profile, else the first GPU that can change to a set that has one.
#[derive(Clone, Copy, Debug)]
pub struct Nos {
    /// How kube-scheduler scores the nodes with an unused instance.
    pub nodes: Allocation,
}

impl Nos {
    /// As it is set up by default.
    pub const DEFAULT: Nos = Nos { nodes: Allocation::Least };
}

/// The sets for an A100, by compute slices of the instances.
const SETS_OF_A100: [&[u32]; 12] = [
    &[7],
    &[4, 2, 1],
    &[4, 1, 1, 1],
    &[3, 3],
    &[3, 2, 1],
    &[3, 1, 1, 1],
    &[3, 2, 2],
    &[3, 2, 1, 1],
    &[2, 2, 2, 1],
    &[2, 2, 1, 1, 1],
    &[2, 1, 1, 1, 1, 1],
    &[1, 1, 1, 1, 1, 1, 1],
];

/// The sets for an A30.
const SETS_OF_A30: [&[u32]; 4] = [&[4], &[2, 2], &[2, 1, 1], &[1, 1, 1, 1]];

/// The sets that a board may take: those written for it, or its maximal ones where none are.
fn sets(board: &Board) -> Vec<Counts> {
    let written: &[&[u32]] = match board.name() {
        name if name.starts_with("A100-") => &SETS_OF_A100,
        name if name.starts_with("A30") => &SETS_OF_A30,
        _ => return maximal_multisets(board, &distinct_profiles(board)),
    };
    written.iter().filter_map(|compute| set(board, compute)).collect()
}

impl Scheduler for Nos {
    const PARAMETERS: &'static [Parameter<Nos>] = &[Parameter {
        name: "nodes",
        summary: "which node with an unused instance is preferred, of equal ones the first",
        choices: Allocation::entries,
        get: |nos| Some(nos.nodes.name().to_owned()),
        set: |nos, text| put_choice(&mut nos.nodes, text),
    }];

    fn name(&self) -> &'static str {
        "nos"
    }

    fn summary(&self) -> &'static str {
        "nos: an unused instance of the profile, else the first GPU that can change to a set of its list that has one"
    }

    fn reference(&self) -> &'static str {
        "nebuly-ai/nos pkg/gpu/mig/{known_configs,gpu}.go, internal/partitioning/core/planner.go (12e0a72, April 2024)"
    }

    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy> {
        let sets: Vec<Vec<Counts>> = fleet.boards().iter().map(|board| sets(board.board())).collect();
        let mut at_work = AtWork { nodes: self.nodes, sets, made: Vec::new() };
        at_work.made = fleet.gpu_indices().map(|gpu| at_work.first_set(fleet, gpu)).collect();
        Box::new(at_work)
    }
}

struct AtWork {
    nodes: Allocation,
    /// By type of board.
    sets: Vec<Vec<Counts>>,
    /// By GPU.
    made: Vec<Vec<GpuInstance>>,
}

impl AtWork {
    /// What a GPU has at the beginning: the instances in use, or those of the set with fewest where none is.
    fn first_set(&self, fleet: &Fleet<'_>, gpu: GpuIndex) -> Vec<GpuInstance> {
        if !fleet.guests(gpu).is_empty() {
            return fleet.instances(gpu).collect();
        }
        let fewest = self.sets_of(fleet, gpu).iter().min_by_key(|set| set.total());
        fewest.and_then(|set| self.around_used(fleet, gpu, set)).unwrap_or_default()
    }

    fn sets_of(&self, fleet: &Fleet<'_>, gpu: GpuIndex) -> &[Counts] {
        &self.sets[fleet.board_index(gpu).index()]
    }

    /// The instances of a set, with those in use where they are; `None` if they are not of the set, or the others have no room.
    fn around_used(&self, fleet: &Fleet<'_>, gpu: GpuIndex, set: &Counts) -> Option<Vec<GpuInstance>> {
        let board = fleet.board_of(gpu).board();
        let mut made: Vec<GpuInstance> = fleet.instances(gpu).collect();
        let missing = set.checked_sub(&Counts::from_instances(set.len(), &made))?;
        made.extend(arrange(board, fleet.occupied(gpu), &missing, &[], ArrangePriority::LeastWaste)?);
        Some(made)
    }

    /// The first set to which a GPU can change and that has an unused instance of a profile: its instances, and that one.
    fn change(
        &self,
        fleet: &Fleet<'_>,
        gpu: GpuIndex,
        profile: ProfileIndex,
    ) -> Option<(Vec<GpuInstance>, GpuInstance)> {
        let board = fleet.board_of(gpu).board();
        let with_profile = self.sets_of(fleet, gpu).iter().filter(|set| set.get(profile) > 0);
        with_profile.filter_map(|set| self.around_used(fleet, gpu, set)).find_map(|made| {
            let unused = unused(board, &made, fleet.occupied(gpu), profile)?;
            Some((made, unused))
        })
    }

    /// The first unused instance of the profile on the preferred node.
    fn existing(&self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        let start = start_of_unused(fleet, &self.made);
        walk::on_best_node(
            fleet,
            |gpus| self.nodes.key(fleet, gpus, request),
            |gpus| walk::on_first_gpu(fleet, gpus, request, &start),
        )
    }
}

impl Policy for AtWork {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        if let Some(place) = self.existing(fleet, request) {
            return Some(place);
        }
        let (place, made) = fleet.nodes().iter().flatten().find_map(|&gpu| {
            let (made, instance) = self.change(fleet, gpu, fleet.profile_on(gpu, request)?)?;
            let place = Location { gpu, start: instance.start };
            fleet.can_take(request, place).then_some((place, made))
        })?;
        self.made[place.gpu.index()] = made;
        Some(place)
    }
}
