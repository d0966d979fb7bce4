//! The bound and the schedule where none leaves.
//!
//! Then all that are accepted are there together in the end, and what has a place in the end can have it from the beginning: to
//! schedule is to pack, with and without migrations alike. Identical machines share the contents that one of them can have. With a
//! price for each kind of virtual machine, a machine's contents are worth at most what the most valuable content is worth, and so
//!
//! ```text
//! accepted <= sum over kinds of number * (1 - price) + sum over machines of the most valuable content
//! ```
//!
//! for all prices between 0 and 1 (Dantzig & Wolfe's decomposition, by its dual). The room [`prices`] finds them, with machines as parts
//! and kinds as totals, and makes up the schedule from the contents met on the way.

use super::machine::{Content, Kind};
use super::machines::{Machines, by_board};
use cluster::{BoardIndex, Cluster, GpuIndex, Location, Placement, WorkloadIndex};
use itertools::Itertools;
use mig::{ArrangePriority, Counts, SlotMask, arrange};
use prices::{Chosen, Limits, Looking, Question, Split, Total, search};
use solver::{Control, Effort};
use std::time::Instant;

/// What is known in the end.
pub struct Packed {
    /// No more can be accepted.
    pub bound: usize,
    /// A schedule, if the contents were assembled to one in time.
    pub schedule: Option<Placement>,
}

struct Packing<'p> {
    cluster: &'p Cluster,
    fleet: Machines,
}

/// Bounds the number of virtual machines of those usable that fit on the fleet together, and packs as many. `known` is a schedule
/// to start from.
///
/// # Errors
/// When the solver refuses a program.
pub fn pack(
    cluster: &Cluster,
    usable: &[bool],
    known: &Placement,
    effort: &Effort,
    deadline: Option<Instant>,
    control: &Control,
) -> Result<Packed, String> {
    let packing = Packing { cluster, fleet: Machines::of(cluster, usable) };
    let limits = Limits { deadline, control };
    let mut machines = packing.fleet.parts(cluster, effort, &limits)?;
    // Contents may hold more of a kind than there are: what there is too much of counts nothing.
    let total = |(number, kind): (usize, &Kind)| Total {
        name: number.to_string(),
        least: None,
        most: Some(kind.positions.len() as i64),
        excess_cost: Some(1),
        split: Split::Never,
    };
    let accepted = cluster.workload_indices().filter(|&workload| known.of(workload).is_some()).count();
    let question = Question {
        totals: packing.fleet.kinds.iter().enumerate().map(total).collect(),
        start: packing.contents_of(known),
        known: -(accepted as i64),
        confines: 1.0,
        relative_gap: effort.relative_gap,
        looking: Some(Looking::with_dives(0)),
        most_asked: None,
    };
    let found = search(&mut machines, question, effort.solver, &effort.settings, &limits)?;
    let all: usize = packing.fleet.kinds.iter().map(|kind| kind.positions.len()).sum();
    let bound = usize::try_from(found.bound.saturating_neg()).map_or(all, |bound| bound.min(all));
    Ok(Packed { bound, schedule: found.chosen.map(|chosen| packing.lay_out(&chosen)) })
}

impl<'p> Packing<'p> {
    /// What the machines hold in a schedule.
    fn contents_of(&self, schedule: &Placement) -> Vec<(usize, Content)> {
        let mut on_gpu: Vec<Vec<(BoardIndex, usize)>> = vec![Vec::new(); self.cluster.gpus.len()];
        for (kind, about) in self.fleet.kinds.iter().enumerate() {
            for &position in &about.positions {
                if let Some(location) = schedule.of(WorkloadIndex::at(position)) {
                    let board = self.cluster.gpus[location.gpu.index()].board;
                    on_gpu[location.gpu.index()].push((board, kind));
                }
            }
        }
        let mut contents = Vec::new();
        for (class, about) in self.fleet.classes.iter().enumerate() {
            for machine in &about.machines {
                let held = machine.iter().flat_map(|gpu| &on_gpu[gpu.index()]).counts();
                let held = held.into_iter().map(|(&(board, kind), count)| (board, kind, count as u32));
                contents.push((class, Content(held.sorted().collect())));
            }
        }
        contents
    }

    /// Gives machines their contents, as far as there are virtual machines of each kind, those that arrive first.
    fn lay_out(&self, chosen: &[Chosen<Content>]) -> Placement {
        let mut placement = Placement::new(vec![None; self.cluster.workloads.len()]);
        let mut machines: Vec<_> = self.fleet.classes.iter().map(|class| class.machines.iter()).collect();
        let mut waiting: Vec<_> =
            self.fleet.kinds.iter().map(|kind| kind.positions.iter().copied()).collect();
        for chosen in chosen {
            for machine in machines[chosen.part].by_ref().take(chosen.number as usize) {
                for (board, gpus) in by_board(self.cluster, machine) {
                    let own = chosen.content.0.iter().filter(|held| held.0 == board);
                    let take = |&(_, kind, count): &(BoardIndex, usize, u32)| {
                        waiting[kind].by_ref().take(count as usize).collect_vec()
                    };
                    let positions: Vec<usize> = own.flat_map(take).collect();
                    self.lay_out_board(board, &gpus, positions, &mut placement);
                }
            }
        }
        placement
    }

    /// Puts virtual machines on the GPUs of a type of board of one machine.
    fn lay_out_board(
        &self,
        board: BoardIndex,
        gpus: &[GpuIndex],
        mut positions: Vec<usize>,
        placement: &mut Placement,
    ) {
        let about = &self.cluster.boards[board.index()];
        let profile_of = |position: usize| {
            let request = self.cluster.workloads[position].request;
            self.cluster.requests[request.index()].on_board[board.index()].expect("the board serves it")
        };
        let counts = positions.iter().fold(Counts::zero(about.profiles().len()), |counts, &position| {
            counts.add_one(profile_of(position))
        });
        let parts = self.fleet.rooms[board.index()].split(&counts, gpus.len() as u32);
        for (&gpu, part) in gpus.iter().zip(parts.expect("contents keep the rows of the room")) {
            let layout = arrange(about, SlotMask::EMPTY, &part, &[], ArrangePriority::LeastWaste);
            for instance in layout.expect("every part is a fill") {
                let fits = |&position: &usize| profile_of(position) == instance.profile;
                let at = positions.iter().position(fits).expect("the parts are made of the positions");
                let location = Location { gpu, start: instance.start };
                placement.set(WorkloadIndex::at(positions.remove(at)), Some(location));
            }
        }
    }
}
