//! What may be minimised.

use plan::{Bound, Bounds, Counts};

/// What a plan costs, in one respect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Objective {
    /// Interruptions of workloads.
    Stops,
    /// Rounds that workloads are down for.
    Downtime,
    /// Temporary places.
    Bounces,
    /// Rounds.
    Rounds,
    /// Moves.
    Moves,
    /// Restarts of device plugins: pairs of a node and a round in which its GPU instances change.
    PluginRestarts,
    /// GPUs that a workload enters or leaves.
    Gpus,
}

/// What is minimised unless something else is asked for, the most important first.
pub const DEFAULT_ORDER: &[Objective] =
    &[Objective::Stops, Objective::Downtime, Objective::Bounces, Objective::Rounds, Objective::Moves];

impl Objective {
    /// All of them.
    pub const ALL: &'static [Objective] = &[
        Objective::Stops,
        Objective::Downtime,
        Objective::Bounces,
        Objective::Rounds,
        Objective::Moves,
        Objective::PluginRestarts,
        Objective::Gpus,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Objective::Stops => "stops",
            Objective::Downtime => "downtime",
            Objective::Bounces => "bounces",
            Objective::Rounds => "rounds",
            Objective::Moves => "moves",
            Objective::PluginRestarts => "plugin-restarts",
            Objective::Gpus => "gpus",
        }
    }

    /// What it is, in words.
    pub fn summary(self) -> &'static str {
        match self {
            Objective::Stops => "interruptions of workloads",
            Objective::Downtime => "rounds that workloads are down for, added up",
            Objective::Bounces => "temporary places",
            Objective::Rounds => "rounds",
            Objective::Moves => "moves of running workloads",
            Objective::PluginRestarts => "pairs of a node and a round in which its GPU instances change",
            Objective::Gpus => "GPUs that a workload enters or leaves",
        }
    }

    /// The objective of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|objective| objective.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|objective| objective.name()).collect();
            format!("\"{name}\" is nothing that a plan minimises. Name some of {}.", known.join(", "))
        })
    }

    /// Its value among all counts.
    pub fn of(self, counts: &Counts) -> u64 {
        match self {
            Objective::Stops => counts.stops,
            Objective::Downtime => counts.downtime,
            Objective::Bounces => counts.bounces,
            Objective::Rounds => counts.rounds,
            Objective::Moves => counts.moves,
            Objective::PluginRestarts => counts.plugin_restarts,
            Objective::Gpus => counts.gpus,
        }
    }

    /// Its bound among all bounds.
    pub fn bound(self, bounds: &mut Bounds) -> &mut Option<Bound> {
        match self {
            Objective::Stops => &mut bounds.stops,
            Objective::Downtime => &mut bounds.downtime,
            Objective::Bounces => &mut bounds.bounces,
            Objective::Rounds => &mut bounds.rounds,
            Objective::Moves => &mut bounds.moves,
            Objective::PluginRestarts => &mut bounds.plugin_restarts,
            Objective::Gpus => &mut bounds.gpus,
        }
    }
}
