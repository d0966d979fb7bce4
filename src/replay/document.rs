//! The files of a replay's folder, for readers and for reports.
//!
//! A folder holds `replay.json` ([`Conditions`]) and for each policy a folder of its own with `policy.json` (its text and what it
//! was told beside it), `hours.csv` ([`Hour`]), `placements.csv` (all virtual machines in the order of their arrival, with the
//! first place of those that were accepted) and at last `totals.json` ([`PolicyDocument`]); until then a policy that solves
//! programs keeps its decisions in `decisions.jsonl`. The bound, if it was asked for, is in `bound/bound.json`
//! ([`BoundDocument`]) and its schedule in `bound/schedule.csv`.

use super::reading::Reading;
use serde::{Deserialize, Serialize};

/// What all policies of a folder share.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// Version of migopt.
    pub version: String,
    /// What is replayed.
    pub trace: TraceSummary,
    /// How it is read.
    pub reading: Reading,
}

/// A trace in numbers, before it is read in any particular way but for the choice of its hosts and virtual machines.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSummary {
    /// Names of the files, without their folders.
    pub files: Vec<String>,
    /// SHA-256 of the trace as it was understood: hosts, GPUs, virtual machines and their times.
    pub fingerprint: String,
    /// Number of hosts.
    pub hosts: usize,
    /// Number of GPUs of the fleet that is replayed: of hosts that are read as if they had one, one each.
    pub gpus: usize,
    /// Names of the boards.
    pub boards: Vec<String>,
    /// Number of virtual machines by profile, in the order of the trace's profiles.
    pub profiles: Vec<(String, usize)>,
    /// Seconds of the first and of the last arrival.
    pub arrivals: (f64, f64),
    /// Remarks about what was left out and why.
    pub notes: Vec<String>,
}

impl TraceSummary {
    /// Number of virtual machines.
    pub fn virtual_machines(&self) -> usize {
        self.profiles.iter().map(|(_, count)| count).sum()
    }
}

/// How a policy did over the whole trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyDocument {
    /// The policy with its parameters, as the command line names it.
    pub policy: String,
    /// Virtual machines that arrived.
    pub arrived: usize,
    /// Of these, those that got a place; the others were rejected.
    pub accepted: usize,
    /// Of these, those that left before the end; the others are still there.
    pub departed: usize,
    /// Accepted of those that arrived, by profile.
    pub profiles: Vec<ProfileCount>,
    /// Changes of place of running virtual machines.
    pub migrations: usize,
    /// Number of intervals.
    pub intervals: usize,
    /// Sum over the intervals of the GPUs in use, of the hosts in use, and of all GPUs of the hosts in use.
    pub active_sums: ActiveSums,
    /// The first 16 digits of the SHA-256 of `vm:gpu:start` of all that were accepted, in order and with commas between them, by
    /// position from 0, where they were placed first.
    pub digest: String,
    /// What planning took; absent for a policy that does not plan.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub planning: Option<Planning>,
    /// Seconds that it took, reading and writing left out; of a policy that went on where it had been stopped, those of the last
    /// run.
    pub seconds: f64,
}

/// Sums over the intervals, from which the areas under the curves follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActiveSums {
    /// GPUs in use.
    pub gpus: u64,
    /// Hosts in use.
    pub hosts: u64,
    /// All GPUs of the hosts in use.
    pub gpus_of_hosts: u64,
}

impl ActiveSums {
    /// Area under the curve of active hardware in percent times intervals: GPUs in use and hosts in use, of all GPUs and hosts.
    pub fn area_plain(&self, gpus: usize, hosts: usize) -> f64 {
        (self.gpus + self.hosts) as f64 * 100.0 / (gpus + hosts) as f64
    }

    /// The same with every GPU of a host in use counted, as the paper's section 1 has it.
    pub fn area_strict(&self, gpus: usize, hosts: usize) -> f64 {
        (self.gpus_of_hosts + self.hosts) as f64 * 100.0 / (gpus + hosts) as f64
    }
}

/// What a policy did for a profile.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileCount {
    /// The profile's name.
    pub profile: String,
    /// Virtual machines that arrived and ask for it.
    pub arrived: usize,
    /// Of these, those that were accepted.
    pub accepted: usize,
}

/// What a policy could prove that looks for the optimum at every decision.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planning {
    /// Decisions.
    pub decisions: usize,
    /// Of these, those for which a program was solved; the others were proved by bounds alone.
    pub programs: usize,
    /// Decisions without proof of optimality within the limit.
    pub unproved: usize,
    /// The greatest relative gap among them.
    pub worst_gap: Option<f64>,
    /// Seconds of all decisions, those of earlier runs included.
    pub seconds: f64,
    /// Seconds of the slowest.
    pub slowest_seconds: f64,
}

/// One line for each interval: numbers of its events, and the state at its end.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hour {
    /// Second at which the interval begins.
    pub begins: u64,
    /// Virtual machines that arrived within it.
    pub arrived: usize,
    /// Of these, those accepted.
    pub accepted: usize,
    /// Of these, those rejected.
    pub rejected: usize,
    /// Virtual machines that left within it.
    pub departed: usize,
    /// Virtual machines that are there at its end.
    pub resident: usize,
    /// GPUs in use at its end.
    pub active_gpus: usize,
    /// Hosts in use at its end.
    pub active_hosts: usize,
    /// GPUs of the hosts in use at its end.
    pub gpus_of_active_hosts: usize,
    /// Changes of place within it, including those at its end.
    pub migrations: usize,
    /// Free starts over all profiles and GPUs at its end (configuration capability).
    pub free_capability: u64,
    /// Programs within it that were not proved.
    pub unproved: usize,
    /// The greatest relative gap among them; absent when there is none.
    pub gap: Option<f64>,
}

/// What could have been accepted with full knowledge of the trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundDocument {
    /// No policy accepts more, even if it may move running virtual machines at any time for free.
    pub free_migration: BoundValue,
    /// No policy that never moves a running virtual machine accepts more.
    pub no_migration: BoundValue,
    /// The best schedule known.
    pub schedule: ScheduleDocument,
    /// Seconds that it took altogether.
    pub seconds: f64,
}

/// A proved upper bound on the number of accepted virtual machines.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundValue {
    /// The bound.
    pub accepted: usize,
    /// How it was proved.
    pub proof: String,
}

/// A schedule without migrations that was checked moment by moment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleDocument {
    /// Virtual machines that it accepts.
    pub accepted: usize,
    /// By profile.
    pub profiles: Vec<ProfileCount>,
    /// How it was found.
    pub found_by: String,
    /// Its digest, as that of a policy.
    pub digest: String,
}
