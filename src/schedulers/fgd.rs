//! Fragmentation gradient descent, adapted to MIG.

use super::scheduler::Scheduler;
use super::starts::{after, free};
use cluster::Location;
use fleet::{Fleet, Placements, Policy, Request};
use kit::{Choice, Choices, Parameter, put_choice};
use mig::{ProfileIndex, SlotMask};

/// The GPU and the start at which the expected number of free slots that a typical request cannot use grows least.
#[derive(Clone, Copy, Debug)]
pub struct Fgd {
    /// What requests are typical.
    pub typical: Typical,
}

/// The requests over which fragmentation is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Typical {
    /// Those that arrived so far, the one that is placed included.
    Observed,
    /// One for each distinct profile of the board.
    Profiles,
}

impl Choices for Typical {
    const ALL: &'static [Choice<Typical>] = &[
        Choice { name: "observed", help: "those that arrived so far", value: Typical::Observed },
        Choice { name: "profiles", help: "one for each distinct profile", value: Typical::Profiles },
    ];
}

impl Fgd {
    /// With the requests that it sees.
    pub const DEFAULT: Fgd = Fgd { typical: Typical::Observed };
}

impl Scheduler for Fgd {
    const PARAMETERS: &'static [Parameter<Fgd>] = &[Parameter {
        name: "typical",
        summary: "the requests over which fragmentation is expected",
        choices: Typical::entries,
        get: |fgd| Some(fgd.typical.name().to_owned()),
        set: |fgd, text| put_choice(&mut fgd.typical, text),
    }];

    fn name(&self) -> &'static str {
        "fgd"
    }

    fn summary(&self) -> &'static str {
        "fragmentation gradient descent, adapted to MIG: where the free slots that typical requests cannot use grow least"
    }

    fn reference(&self) -> &'static str {
        "Weng et al., USENIX ATC 2023; hkust-adsl/kubernetes-scheduler-simulator pkg/utils/frag.go, \
         pkg/simulator/plugin/fgd_score.go (8f3d641, July 2024); MIG is not part of it"
    }

    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy> {
        let of_board = |placements: &Placements| {
            let mut weights = vec![0; placements.board().profiles().len()];
            if self.typical == Typical::Profiles {
                placements.counted().iter().for_each(|profile| weights[profile.index()] = 1);
            }
            weights
        };
        let weights = fleet.boards().iter().map(of_board).collect();
        Box::new(AtWork { learns: self.typical == Typical::Observed, weights })
    }
}

struct AtWork {
    learns: bool,
    /// By type of board and profile.
    weights: Vec<Vec<i64>>,
}

impl Policy for AtWork {
    fn observe(&mut self, request: Request<'_>, _: u64) {
        if self.learns {
            for (weights, profile) in self.weights.iter_mut().zip(request.on_board) {
                profile.iter().for_each(|profile| weights[profile.index()] += 1);
            }
        }
    }

    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        fleet.least(request, |group, profile| {
            let placements = &fleet.boards()[group.board.index()];
            let weights = &self.weights[group.board.index()];
            let before = fragmentation(placements, weights, group.occupied);
            let board = placements.board();
            let growth = |start| {
                let occupied = after(board, group.occupied, profile, start);
                fragmentation(placements, weights, occupied) - before
            };
            free(board, group.occupied, profile).map(|start| (growth(start), start)).min()
        })
    }
}

/// The free slots, once for every typical request that has no start there.
fn fragmentation(placements: &Placements, weights: &[i64], occupied: SlotMask) -> i64 {
    let board = placements.board();
    let has_no_start = |profile: &ProfileIndex| placements.free_starts(occupied, *profile) == 0;
    let unserved = board.profile_indices().filter(has_no_start).map(|profile| weights[profile.index()]);
    i64::from(board.free_slots(occupied).count()) * unserved.sum::<i64>()
}
