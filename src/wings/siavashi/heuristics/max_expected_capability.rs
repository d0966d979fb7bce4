//! MECC: every request goes where the most is left for the profiles that were asked for of late.

use super::interval::{self, Online};
use crate::instance::Problem;
use cluster::{Location, Placement};
use fleet::{Fleet, Placements, Policy, Request};
use ground::{Amount, duration_microseconds};
use kit::{Heuristic, Parameter, ParameterEntry, assign, no_choices, parameter_entries};
use mig::ProfileIndex;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::fmt::Display;
use std::str::FromStr;

/// The policy MECC, Algorithms 6 and 7: the free starts of each profile are weighted by how often it was asked for.
///
/// - Line 9 of Algorithm 7 assigns ECC where it must add, else the last profile alone would count. The sum is taken.
/// - P(profile) is the number of requests in the look-back window. Their total is the same for all GPUs, so that numbers
///   compare as probabilities do and stay exact.
/// - The request that is being placed counts, as do those that were rejected. On a board that does not serve a request,
///   the request does not count.
#[derive(Clone, Copy, Debug)]
pub struct MaxExpectedCapability {
    /// Which requests count beside the one that is placed.
    pub look_back: LookBack,
}

/// How far MECC looks back from a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookBack {
    /// All requests so far count.
    All,
    /// That many of the last ones.
    Requests(u64),
    /// Those of so many microseconds, both ends included, or of the unit of [`Policy::observe`] where that is another one. An
    /// instance has no time: its requests are so close together that every look-back in time reaches all of them.
    Time(u64),
}

/// In microseconds.
const HOUR: u64 = 3_600_000_000;

impl MaxExpectedCapability {
    /// The paper's window of 24 hours.
    pub const DAY: MaxExpectedCapability = MaxExpectedCapability { look_back: LookBack::Time(24 * HOUR) };
    /// All requests count.
    pub const ALL_REQUESTS: MaxExpectedCapability = MaxExpectedCapability { look_back: LookBack::All };
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

    fn parameters(&self) -> Vec<ParameterEntry> {
        parameter_entries(PARAMETERS, self)
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem>>, String> {
        Ok(self.adjusted(values)?)
    }
}

const PARAMETERS: &[Parameter<MaxExpectedCapability>] = &[Parameter {
    name: "look-back",
    summary: "which requests count besides the one being placed: those of a period, such as 24h (on an instance these \
              are all), the last ones, such as 100, or `all`",
    choices: no_choices,
    get: |policy| Some(policy.look_back.to_string()),
    set: |policy, text| text.parse().map(|look_back| policy.look_back = look_back),
}];

impl FromStr for LookBack {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let count = || text.parse().ok().map(LookBack::Requests);
        let time = || duration_microseconds(text).map(LookBack::Time);
        let all = (text == "all").then_some(LookBack::All);
        let advice = "give a time, such as 24h or 90s, a whole number of requests, such as 100, or `all`";
        all.or_else(count).or_else(time).ok_or_else(|| advice.to_owned())
    }
}

/// As it is read.
impl Display for LookBack {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            LookBack::All => formatter.write_str("all"),
            LookBack::Requests(count) => write!(formatter, "{count}"),
            LookBack::Time(time) if time > 0 && time % HOUR == 0 => write!(formatter, "{}h", time / HOUR),
            LookBack::Time(time) => write!(formatter, "{}s", Amount::from_millionths(i128::from(time))),
        }
    }
}

impl Online for MaxExpectedCapability {
    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy> {
        let none = |board: &Placements| vec![0; board.board().profiles().len()];
        let counts = fleet.boards().iter().map(none).collect();
        Box::new(Window { look_back: self.look_back, requests: VecDeque::new(), counts })
    }

    fn adjusted(&self, values: &[(&str, &str)]) -> Result<Box<dyn Online>, String> {
        let mut adjusted = *self;
        assign(self.name(), PARAMETERS, &mut adjusted, values)?;
        Ok(Box::new(adjusted))
    }
}

/// The requests of the look-back window.
struct Window {
    look_back: LookBack,
    /// When each arrived, and its profile on each type of board.
    requests: VecDeque<(u64, Vec<Option<ProfileIndex>>)>,
    /// How many of them ask for each profile, by type of board.
    counts: Vec<Vec<u64>>,
}

impl Window {
    /// Forgets what is out of sight of a request that arrives now.
    fn forget(&mut self, now: u64) {
        let forgotten = match self.look_back {
            LookBack::All => 0,
            LookBack::Requests(count) => {
                self.requests.len().saturating_sub(usize::try_from(count).unwrap_or(usize::MAX))
            }
            LookBack::Time(time) => {
                self.requests.partition_point(|(arrived, _)| *arrived < now.saturating_sub(time))
            }
        };
        for (_, on_board) in self.requests.drain(..forgotten) {
            for (counts, profile) in self.counts.iter_mut().zip(on_board) {
                profile.into_iter().for_each(|profile| counts[profile.index()] -= 1);
            }
        }
    }
}

impl Policy for Window {
    fn observe(&mut self, request: Request<'_>, time: u64) {
        self.forget(time);
        for (counts, profile) in self.counts.iter_mut().zip(request.on_board) {
            profile.iter().for_each(|profile| counts[profile.index()] += 1);
        }
        self.requests.push_back((time, request.on_board.to_vec()));
    }

    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        fleet.best(request, |board, occupied| {
            let placements = &fleet.boards()[board.index()];
            let counts = placements.board().profile_indices().zip(&self.counts[board.index()]);
            let asked_for = counts.filter(|(_, count)| **count > 0);
            let free = |profile| u64::from(placements.free_starts(occupied, profile));
            Reverse(asked_for.map(|(profile, count)| count * free(profile)).sum::<u64>())
        })
    }
}
