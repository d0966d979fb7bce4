//! MECC: every request goes where the most is left for the profiles that were asked for of late.

use super::super::instance::Problem;
use super::interval::{self, Online};
use super::placements::Placements;
use super::policy::Policy;
use super::state::{Candidate, Fleet, Request};
use crate::cluster::{Location, Placement};
use crate::mig::ProfileIndex;
use crate::model::{Heuristic, ParameterEntry};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The policy MECC, Algorithms 6 and 7: the free starts of each profile are weighted by how often it was asked for.
///
/// - Line 9 of Algorithm 7 assigns ECC where it must add, else the last profile alone would count. The sum is taken.
/// - P(profile) is the number of requests in the look-back window. Their total is the same for all GPUs, so that numbers
///   compare as probabilities do and stay exact.
/// - The request that is being placed counts, as do those that were rejected. On a board that does not serve a request,
///   the request does not count.
#[derive(Clone, Copy, Debug)]
pub struct MaxExpectedCapability {
    /// How far the window reaches back from a request, both ends included: in requests on an instance, which has no time,
    /// else in the unit of [`Policy::observe`], where the paper's is 24 hours. `None` counts all requests.
    pub look_back: Option<u64>,
}

impl MaxExpectedCapability {
    /// All requests count.
    pub const ALL_REQUESTS: MaxExpectedCapability = MaxExpectedCapability { look_back: None };
}

impl Heuristic<Problem> for MaxExpectedCapability {
    fn name(&self) -> &'static str {
        "mecc"
    }

    fn summary(&self) -> &'static str {
        "max ECC: as mcc, but free starts count as often as their profile was asked for, by residents and newcomers so far"
    }

    fn reference(&self) -> &'static str {
        "Siavashi & Momtazpour, Algorithm 7"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        interval::propose(problem, self)
    }

    fn parameters(&self) -> &'static [ParameterEntry] {
        &[ParameterEntry {
            name: "look-back",
            summary: "how many requests count beside the one that is placed: the last ones, as a whole number, or `all`; all",
        }]
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem>>, String> {
        let mut adjusted = *self;
        for &(_, value) in values {
            adjusted.look_back = match value {
                "all" => None,
                _ => Some(value.parse().map_err(|_| {
                    format!("`look-back` is \"{value}\" but must be `all` or a whole number, such as 100.")
                })?),
            };
        }
        Ok(Box::new(adjusted))
    }
}

impl Online for MaxExpectedCapability {
    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy> {
        let none = |board: &Placements| vec![0; board.board().profiles().len()];
        let counts = fleet.boards().iter().map(none).collect();
        Box::new(Window { look_back: self.look_back, requests: VecDeque::new(), counts })
    }
}

/// The requests of the look-back window.
struct Window {
    look_back: Option<u64>,
    /// When each arrived, and its profile on each type of board.
    requests: VecDeque<(u64, Vec<Option<ProfileIndex>>)>,
    /// How many of them ask for each profile, by type of board.
    counts: Vec<Vec<u64>>,
}

impl Window {
    fn forget_before(&mut self, time: u64) {
        let kept = self.requests.partition_point(|(arrived, _)| *arrived < time);
        for (_, on_board) in self.requests.drain(..kept) {
            for (counts, profile) in self.counts.iter_mut().zip(on_board) {
                profile.into_iter().for_each(|profile| counts[profile.index()] -= 1);
            }
        }
    }
}

impl Policy for Window {
    fn observe(&mut self, request: Request<'_>, time: u64) {
        if let Some(look_back) = self.look_back {
            self.forget_before(time.saturating_sub(look_back));
        }
        for (counts, profile) in self.counts.iter_mut().zip(request.on_board) {
            profile.iter().for_each(|profile| counts[profile.index()] += 1);
        }
        self.requests.push_back((time, request.on_board.to_vec()));
    }

    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        let expected = |candidate: &Candidate| {
            let board = &fleet.boards()[candidate.board.index()];
            let counts = board.board().profile_indices().zip(&self.counts[candidate.board.index()]);
            let asked_for = counts.filter(|(_, count)| **count > 0);
            let terms = asked_for
                .map(|(profile, count)| count * u64::from(board.free_starts(candidate.occupied, profile)));
            Reverse(terms.sum::<u64>())
        };
        fleet.candidates(request).min_by_key(expected).map(|candidate| candidate.location)
    }
}
