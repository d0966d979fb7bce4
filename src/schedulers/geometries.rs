//! Sets of instances that are made before anything asks for them.

use super::starts::free;
use cluster::GpuIndex;
use fleet::Fleet;
use mig::{Board, Counts, GpuInstance, ProfileIndex, SliceStart, SlotMask, best_arrangement};

/// The smallest profile with so many compute slices, the first of equal ones.
pub fn plain(board: &Board, compute: u32) -> Option<ProfileIndex> {
    let profiles = board.profile_indices().filter(|&profile| board.profile(profile).compute == compute);
    profiles.min_by_key(|&profile| board.profile(profile).size)
}

/// The set with a plain profile for each number of compute slices, if the board has them.
pub fn set(board: &Board, compute: &[u32]) -> Option<Counts> {
    compute.iter().try_fold(Counts::zero(board.profiles().len()), |counts, &compute| {
        Some(counts.add_one(plain(board, compute)?))
    })
}

/// As many instances as fit of the plain profile with so many compute slices, each at the lowest start; none if the board has no such.
pub fn all_of(board: &Board, compute: u32) -> Vec<GpuInstance> {
    let Some(profile) = plain(board, compute) else { return Vec::new() };
    let (mut made, mut limits) = (Vec::new(), board.full_limits());
    while let Some(start) = free(board, board.used_slots(&made), profile).next() {
        let Some(left) = limits.take(board, profile) else { break };
        limits = left;
        made.push(GpuInstance { profile, start });
    }
    made
}

/// One instance of 3 compute slices where the board has such a profile, one of 2 and two of 1, arranged so that most starts stay free.
pub fn balanced(board: &Board) -> Vec<GpuInstance> {
    let sets: [&[u32]; 3] = [&[3, 2, 1, 1], &[2, 1, 1], &[1, 1]];
    let arranged = |compute: &&[u32]| best_arrangement(board, &set(board, compute)?);
    sets.iter().find_map(arranged).unwrap_or_default()
}

/// The lowest instance of a profile among those made, of which no slot is occupied.
pub fn unused(
    board: &Board,
    made: &[GpuInstance],
    occupied: SlotMask,
    profile: ProfileIndex,
) -> Option<GpuInstance> {
    let is_unused = |instance: &&GpuInstance| {
        instance.profile == profile && !board.footprint(**instance).intersects(occupied)
    };
    made.iter().filter(is_unused).min_by_key(|instance| instance.start).copied()
}

/// The start of the lowest unused instance of a profile among those made on a GPU.
pub fn start_of_unused<'f>(
    fleet: &'f Fleet<'_>,
    made: &'f [Vec<GpuInstance>],
) -> impl Fn(GpuIndex, ProfileIndex) -> Option<SliceStart> + 'f {
    |gpu, profile| {
        let board = fleet.board_of(gpu).board();
        unused(board, &made[gpu.index()], fleet.occupied(gpu), profile).map(|instance| instance.start)
    }
}
