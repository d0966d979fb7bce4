//! Which workloads the rule-based method places first.

use crate::instance::Problem;
use cluster::{BoardIndex, WorkloadIndex};
use kit::{Choice, Choices};
use mig::{Profile, ProfileIndex};
use std::cmp::Reverse;

/// What goes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Larger profiles; of equal ones those with the fewest limited resources. On an A100 this is the paper's order of profile ids.
    Size,
    /// After profiles that take a whole GPU those with limited resources, of which every GPU has only so many, then larger ones. As
    /// printed, media engines come last and find the GPUs full that have one left.
    LimitedFirst,
}

impl Choices for Order {
    const ALL: &'static [Choice<Order>] = &[
        Choice { name: "size", help: "larger profiles, as printed", value: Order::Size },
        Choice {
            name: "limited-first",
            help: "after whole GPUs, profiles with limited resources such as media engines; then larger ones",
            value: Order::LimitedFirst,
        },
    ];
}

impl Order {
    /// The key by which workloads are sorted.
    pub fn key(self, problem: &Problem, workload: WorkloadIndex) -> impl Ord + use<> {
        let board = problem.cluster.reference_board(workload);
        let profile = board.and_then(|board| Some((board, profile_on(problem, board, workload)?)));
        profile.map(|(index, profile)| {
            let board = &problem.cluster.boards[index.index()];
            let limited: u32 = board.limits().iter().map(|limit| limit.usage_of(profile)).sum();
            let Profile { compute, size, .. } = board.profile(profile);
            let first = match self {
                Order::Size => (false, 0),
                Order::LimitedFirst => (*size == board.slots(), limited),
            };
            (Reverse(first), Reverse((*compute, *size)), limited, profile)
        })
    }
}

/// The profile that serves a workload on a board.
pub fn profile_on(problem: &Problem, board: BoardIndex, workload: WorkloadIndex) -> Option<ProfileIndex> {
    let request = problem.cluster.workloads[workload.index()].request;
    problem.cluster.requests[request.index()].on_board[board.index()]
}
