//! All virtual machines on as few GPUs as can hold them.

use super::asked_for::fills_asked_for;
use super::trace::Trace;
use cluster::{BoardIndex, GpuIndex, Location};
use fleet::{Fleet, Guest, Move, Request};
use mig::{ArrangePriority, Counts, GpuInstance, Hull, ProfileIndex, SlotMask, arrange};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Lays out what runs on the fewest GPUs that can hold it.
///
/// With one type of board and hosts that limit nothing, n GPUs hold what runs exactly if its counts are the sum of n fills of the board
/// ([`Hull::split`] decides that exactly), so that the number is proved. GPUs with the fewest free slots stay as they are: the emptiest
/// ones, as few as can be laid out on that many GPUs less, are laid out anew. How many move is counted, but not proved to be least.
pub struct Repack {
    hull: Hull,
}

impl Repack {
    /// For the fleet of a trace.
    ///
    /// # Errors
    /// When the fewest GPUs cannot be told; the message says what would have to change.
    pub fn of(trace: &Trace) -> Result<Self, String> {
        let cluster = &trace.cluster;
        if cluster.boards.len() > 1 {
            return Err("what runs is laid out anew on GPUs of one board alone, but the fleet has several. \
                        Choose hosts of one board."
                .to_owned());
        }
        if cluster.hosts.iter().any(|host| host.cpu.is_some() || host.memory.is_some()) {
            return Err(
                "what runs is laid out anew by the slots of GPUs alone, but hosts limit CPU or main memory. \
                        Add --enforce-cpu-ram no."
                    .to_owned(),
            );
        }
        let hull = Hull::of(&fills_asked_for(cluster, BoardIndex(0)));
        let hull = hull.ok_or("what the board holds has too many inequalities to lay out anew what runs.")?;
        Ok(Repack { hull })
    }

    /// Lays out what runs, and says who moved, in the order of the guests.
    pub fn carry_out(&self, fleet: &mut Fleet<'_>) -> Vec<Move> {
        let layouts = self.layouts(fleet);
        let places = places(fleet, &layouts);
        let moved = places.into_iter().filter_map(|(guest, to)| {
            let from = fleet.location(guest).expect("it runs");
            (from != to).then_some(Move { guest, from, to })
        });
        let moves: Vec<Move> = moved.collect();
        // All leave before any of them comes back, so that cycles need no spare place.
        let requests: Vec<Request<'_>> = moves.iter().map(|step| fleet.remove(step.guest)).collect();
        moves.iter().zip(requests).for_each(|(step, request)| fleet.place(step.guest, request, step.to));
        moves
    }

    /// The GPUs that are laid out anew, and what each of them then carries.
    fn layouts(&self, fleet: &Fleet<'_>) -> Vec<(GpuIndex, Vec<GpuInstance>)> {
        let mut gpus: Vec<GpuIndex> =
            fleet.gpu_indices().filter(|&gpu| !fleet.guests(gpu).is_empty()).collect();
        gpus.sort_by_key(|&gpu| (fleet.occupied(gpu).count(), Reverse(gpu)));
        let all = together(fleet, &gpus);
        let fewest = (0..=gpus.len()).find(|&number| self.split(&all, number).is_some());
        let saved = gpus.len() - fewest.expect("what runs fits on the GPUs that it is on");
        if saved == 0 {
            return Vec::new();
        }
        let laid_out = (saved..=gpus.len()).find_map(|opened| {
            let opened = &gpus[..opened];
            Some((opened, self.split(&together(fleet, opened), opened.len() - saved)?))
        });
        let (opened, fills) = laid_out.expect("all GPUs together can be laid out on that many less");
        assigned(fleet, opened, fills)
    }

    /// Counts as the sum of so many fills, if they are one.
    fn split(&self, counts: &Counts, parts: usize) -> Option<Vec<Counts>> {
        self.hull.split(counts, u32::try_from(parts).expect("GPUs are numbered by 32 bits"))
    }
}

/// The profiles on some GPUs of one board.
fn together(fleet: &Fleet<'_>, gpus: &[GpuIndex]) -> Counts {
    let instances: Vec<GpuInstance> = gpus.iter().flat_map(|&gpu| fleet.instances(gpu)).collect();
    Counts::from_instances(fleet.boards()[0].board().profiles().len(), &instances)
}

/// Each fill as a layout of the GPU on which most of it already is; the other GPUs become empty.
fn assigned(fleet: &Fleet<'_>, gpus: &[GpuIndex], fills: Vec<Counts>) -> Vec<(GpuIndex, Vec<GpuInstance>)> {
    let board = fleet.boards()[0].board();
    let mut free = gpus.to_vec();
    let mut layouts = Vec::new();
    for fill in fills {
        let stays = |gpu: GpuIndex| together(fleet, &[gpu]).minimum(&fill).total();
        let (position, _) = free
            .iter()
            .copied()
            .enumerate()
            .max_by_key(|&(position, gpu)| (stays(gpu), Reverse(position)))
            .expect("there are no more fills than GPUs");
        let gpu = free.remove(position);
        let now: Vec<GpuInstance> = fleet.instances(gpu).collect();
        let layout = arrange(board, SlotMask::EMPTY, &fill, &now, ArrangePriority::KeepFirst);
        layouts.push((gpu, layout.expect("every fill has a layout")));
    }
    layouts.extend(free.into_iter().map(|gpu| (gpu, Vec::new())));
    layouts
}

/// The place of every guest of the GPUs in the layouts: where it is if an instance of its profile is still there, else on the same GPU if
/// one is there, else anywhere.
fn places(fleet: &Fleet<'_>, layouts: &[(GpuIndex, Vec<GpuInstance>)]) -> BTreeMap<Guest, Location> {
    type IsMeant = fn(Location, Location) -> bool;
    let nearness: [IsMeant; 3] = [|from, to| from == to, |from, to| from.gpu == to.gpu, |_, _| true];
    let profile = |guest: Guest| {
        let gpu = fleet.location(guest).expect("it runs").gpu;
        fleet.profile_on(gpu, fleet.request(guest)).expect("the board serves it")
    };
    let guests = layouts.iter().flat_map(|(gpu, _)| fleet.guests(*gpu)).copied();
    let mut waiting: Vec<(Guest, ProfileIndex)> = guests.map(|guest| (guest, profile(guest))).collect();
    let mut open: Vec<(ProfileIndex, Location)> = layouts
        .iter()
        .flat_map(|(gpu, layout)| layout.iter().map(|instance| (*gpu, *instance)))
        .map(|(gpu, instance)| (instance.profile, Location { gpu, start: instance.start }))
        .collect();
    let mut places = BTreeMap::new();
    for is_meant in nearness {
        waiting.retain(|&(guest, profile)| {
            let from = fleet.location(guest).expect("it runs");
            let suits = |&(other, to): &(ProfileIndex, Location)| other == profile && is_meant(from, to);
            let Some(position) = open.iter().position(suits) else { return true };
            places.insert(guest, open.remove(position).1);
            false
        });
    }
    places
}
