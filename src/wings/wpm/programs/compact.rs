//! The exact aggregated form of the printed program: its size depends on the board, not on the number of GPUs.

use super::concerns::{Concerns, Slots};
use super::lattice::Lattice;
use super::stage_plan::StagePlan;
use super::states::{Leaves, Occupants, Pools, Way};
use crate::instance::Problem;
use crate::rules::Reading;
use crate::section::UseCase;
use cluster::Maintenance;
use itertools::Itertools;
use mig::{Board, Limit};

/// Builds the aggregated program of the printed reading.
pub fn compact(problem: &Problem, plan: StagePlan) -> Lattice<'_> {
    let concerns = Concerns::of(problem);
    let pools = Pools::of(problem, &concerns);
    let contested: Vec<Vec<bool>> =
        problem.cluster.boards.iter().map(|board| contested_limits(problem, &pools, board)).collect();
    let ways = move |occupants: &Occupants<'_>| {
        let board =
            problem.cluster.boards.iter().position(|board| std::ptr::eq(board.as_ref(), occupants.board));
        ways_to_stay(problem.use_case, occupants, &contested[board.expect("a board of the cluster")])
    };
    Lattice::new(problem, plan, ("wpm-compact", Reading::Printed), concerns, pools, Box::new(ways))
}

/// A GPU that stays as it is keeps every movable resident (the stay lemma), except where some must go to make room
/// in a limit of the board for other workloads, or in what rules allow on a node or a GPU. Where slots matter, a GPU without pin may
/// also be repartitioned around residents that keep theirs.
fn ways_to_stay(use_case: UseCase, occupants: &Occupants<'_>, contested: &[bool]) -> Vec<Way> {
    if occupants.maintenance != Maintenance::InService {
        return ways_out_of_service(occupants);
    }
    let has_pinned = !occupants.pinned.is_empty();
    let mut ways = Vec::new();
    if has_pinned || use_case != UseCase::Reconfiguration {
        ways.extend(ways_as_it_is(occupants, contested));
    }
    if !has_pinned && occupants.slots != Slots::Indifferent {
        ways.extend(occupants.repartitions_by_slot());
    }
    ways
}

fn ways_as_it_is(occupants: &Occupants<'_>, contested: &[bool]) -> Vec<Way> {
    let board = occupants.board;
    let uses_contested = |position: usize| {
        let profile = occupants.movable[position].instance.profile;
        board
            .limits()
            .iter()
            .zip(contested)
            .any(|(limit, &contested)| contested && limit.usage_of(profile) > 0)
    };
    let everything =
        || occupants.pinned.iter().copied().chain(occupants.movable.iter().map(|resident| resident.instance));
    let occupied = board.used_slots(&everything().collect_vec());
    let full = everything().fold(board.full_limits(), |left, instance| {
        left.take(board, instance.profile).expect("the current state is legal")
    });
    let may_go =
        |position: &usize| occupants.leaves(*position) == Leaves::Perhaps || uses_contested(*position);
    let way = |kept: Vec<usize>| {
        let dropped = (0..occupants.movable.len()).filter(|position| !kept.contains(position));
        let remaining = dropped.fold(full.clone(), |left, position| {
            left.give_back(board, occupants.movable[position].instance.profile)
        });
        Way { occupied, remaining: Some(remaining), ..occupants.alone(kept) }
    };
    sets_that_stay(occupants, may_go).into_iter().map(way).collect()
}

/// The sets of residents that stay, by position: all that may, with any of those that may go left out.
fn sets_that_stay(occupants: &Occupants<'_>, may_go: impl Fn(&usize) -> bool) -> Vec<Vec<usize>> {
    let may_stay = occupants.may_stay();
    let going = may_stay.iter().copied().filter(may_go).powerset();
    let staying =
        |going: Vec<usize>| may_stay.iter().copied().filter(|position| !going.contains(position)).collect();
    going.map(staying).collect()
}

/// Out of service a GPU takes nothing, so that no limit can make a resident leave: all stay, but for those that a rule sends away, or,
/// where nothing is pinned, all leave. From one that is to be drained all leave.
fn ways_out_of_service(occupants: &Occupants<'_>) -> Vec<Way> {
    let all_leave = occupants.alone(Vec::new());
    if occupants.maintenance == Maintenance::Draining {
        return vec![all_leave];
    }
    let may_go = |position: &usize| occupants.leaves(*position) == Leaves::Perhaps;
    let staying = sets_that_stay(occupants, may_go).into_iter().map(|kept| occupants.alone(kept));
    staying.chain(occupants.pinned.is_empty().then_some(all_leave)).collect()
}

/// Limits of the board for which workloads of different pools compete. Where all users of a limit are
/// alike, a resident never has to make room: swapping it back costs nothing.
fn contested_limits(problem: &Problem, pools: &Pools, board: &Board) -> Vec<bool> {
    let board_number = problem.cluster.boards.iter().position(|other| std::ptr::eq(other.as_ref(), board));
    let board_number = board_number.expect("a board of the cluster");
    let contested = |limit: &Limit| {
        let users = pools.list.iter().filter(|pool| {
            let profile = problem.cluster.requests[pool.request.index()].on_board[board_number];
            profile.is_some_and(|profile| limit.usage_of(profile) > 0)
        });
        users.count() > 1
    };
    board.limits().iter().map(contested).collect()
}
