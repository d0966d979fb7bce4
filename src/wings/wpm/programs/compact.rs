//! The exact aggregated form of the printed program: its size depends on the board, not on the number of GPUs.

use super::lattice::Lattice;
use super::stage_plan::StagePlan;
use super::states::{Occupants, Way};
use crate::instance::Problem;
use crate::rules::Reading;
use crate::section::UseCase;
use cluster::Maintenance;
use itertools::Itertools;
use mig::{Board, Counts, Limit};

/// Builds the aggregated program of the printed reading.
pub fn compact(problem: &Problem, plan: StagePlan) -> Lattice<'_> {
    let contested: Vec<Vec<bool>> =
        problem.cluster.boards.iter().map(|board| contested_limits(problem, board)).collect();
    let ways = move |occupants: &Occupants<'_>| {
        let board =
            problem.cluster.boards.iter().position(|board| std::ptr::eq(board.as_ref(), occupants.board));
        ways_to_stay(problem.use_case, occupants, &contested[board.expect("a board of the cluster")])
    };
    Lattice::new(problem, plan, "wpm-compact", Reading::Printed, Box::new(ways))
}

/// A GPU that stays as it is keeps every movable resident (the stay lemma), except where some must go to make room
/// in a limit of the board for other workloads.
fn ways_to_stay(use_case: UseCase, occupants: &Occupants<'_>, contested: &[bool]) -> Vec<Way> {
    if occupants.maintenance != Maintenance::InService {
        return ways_out_of_service(occupants);
    }
    if occupants.pinned.is_empty() && use_case == UseCase::Reconfiguration {
        return Vec::new();
    }
    let board = occupants.board;
    let uses_contested = |position: &usize| {
        let profile = occupants.movable[*position].instance.profile;
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
    (0..occupants.movable.len())
        .filter(uses_contested)
        .powerset()
        .map(|dropped| Way {
            kept: (0..occupants.movable.len()).filter(|position| !dropped.contains(position)).collect(),
            occupied,
            remaining: Some(dropped.iter().fold(full.clone(), |left, &position| {
                left.give_back(board, occupants.movable[position].instance.profile)
            })),
            laid_out_anew: Counts::zero(board.profiles().len()),
            waste: 0,
            repartition: false,
        })
        .collect()
}

/// Out of service a GPU takes nothing, so that no limit can make a resident leave: all stay or, where nothing is pinned, all leave.
/// From one that is to be drained all leave.
fn ways_out_of_service(occupants: &Occupants<'_>) -> Vec<Way> {
    let all_leave = occupants.alone(Vec::new());
    if occupants.maintenance == Maintenance::Draining {
        return vec![all_leave];
    }
    let all_stay = occupants.alone((0..occupants.movable.len()).collect());
    if occupants.pinned.is_empty() { vec![all_stay, all_leave] } else { vec![all_stay] }
}

/// Limits of the board for which workloads of different profiles or rewards compete. Where all users of a limit are
/// alike, a resident never has to make room: swapping it back costs nothing.
fn contested_limits(problem: &Problem, board: &Board) -> Vec<bool> {
    let board_number = problem.cluster.boards.iter().position(|other| std::ptr::eq(other.as_ref(), board));
    let board_number = board_number.expect("a board of the cluster");
    let contested = |limit: &Limit| {
        let users = problem.decided().filter_map(|workload| {
            let request = problem.cluster.workloads[workload.index()].request;
            let profile = problem.cluster.requests[request.index()].on_board[board_number]?;
            (limit.usage_of(profile) > 0).then(|| (request, problem.costs.reward_of(workload)))
        });
        !users.dedup().all_equal()
    };
    board.limits().iter().map(contested).collect()
}
