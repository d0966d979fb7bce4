//! How a trace is to be read.

use super::moment::Moment;
use super::trace::{Trace, Visit, with_fleet};
use cluster::{GpuIndex, HostIndex};
use kit::{Choice, Choices};
use serde::{Deserialize, Serialize};

/// The choices under which a trace is replayed. Whatever is the same for two policies is chosen here, so that they can be
/// compared with each other and with a bound.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Seconds of an interval, at whose end the series is sampled. The first one begins at the last multiple of it that is not
    /// after the first arrival.
    pub interval: u64,
    /// Whether virtual machines leave.
    pub departures: bool,
    /// Whether CPU and main memory of the hosts limit what they can take.
    pub host_limits: bool,
    /// How many GPUs a host has.
    pub gpus_per_host: GpusPerHost,
    /// Factor on all lifetimes, in millionths; a scaled lifetime is rounded to the nearest microsecond.
    pub lifetime_millionths: u64,
    /// Seconds of a batch: arrivals wait until the end of theirs, and their lifetimes begin then. `None` for arrivals as they are.
    pub batch: Option<u64>,
    /// When the replay ends.
    pub until: Until,
}

/// How many GPUs a host has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GpusPerHost {
    /// As many as the trace says.
    Trace,
    /// One, its first.
    One,
}

impl Choices for GpusPerHost {
    const ALL: &'static [Choice<Self>] = &[
        Choice { name: "trace", help: "as many as the trace says", value: GpusPerHost::Trace },
        Choice { name: "one", help: "one, its first", value: GpusPerHost::One },
    ];
}

/// When a replay ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// With the interval of the last arrival.
    LastArrival,
    /// With the interval of the last departure of a virtual machine that was accepted.
    LastDeparture,
}

impl Choices for Until {
    const ALL: &'static [Choice<Self>] = &[
        Choice {
            name: "last-arrival",
            help: "with the interval of the last arrival",
            value: Until::LastArrival,
        },
        Choice {
            name: "last-departure",
            help: "with the interval of the last departure of a virtual machine that was accepted",
            value: Until::LastDeparture,
        },
    ];
}

impl Default for Reading {
    /// Hourly samples of the trace as it is, until the last arrival.
    fn default() -> Self {
        Reading {
            interval: 3600,
            departures: true,
            host_limits: true,
            gpus_per_host: GpusPerHost::Trace,
            lifetime_millionths: 1_000_000,
            batch: None,
            until: Until::LastArrival,
        }
    }
}

impl Reading {
    /// Microseconds of an interval.
    pub fn interval_microseconds(&self) -> u64 {
        self.interval * Moment::SECOND
    }
}

impl Trace {
    /// The trace as a reading has it. Its virtual machines and their order stay as they are.
    ///
    /// - Without departures no virtual machine leaves.
    /// - Without host limits no host has a limit of CPU or main memory.
    /// - With one GPU per host, the others of a host are gone; GPUs without a host stay.
    /// - Lifetimes are scaled and rounded to the nearest microsecond, half a one upwards; none gets longer than 10^12 seconds.
    /// - In batches, a virtual machine arrives at the smallest multiple of the batch's length that is not before its arrival,
    ///   and its scaled lifetime begins then. One that arrives at a multiple does not wait.
    pub fn read_as(&self, reading: &Reading) -> Trace {
        let mut cluster = match reading.gpus_per_host {
            GpusPerHost::Trace => self.cluster.clone(),
            GpusPerHost::One => {
                let hosts: Vec<HostIndex> = (0..self.cluster.hosts.len()).map(HostIndex::at).collect();
                with_fleet(&self.cluster, &hosts, &self.first_gpus())
            }
        };
        if !reading.host_limits {
            for host in &mut cluster.hosts {
                (host.cpu, host.memory) = (None, None);
            }
        }
        Trace { cluster, visits: self.visits.iter().map(|visit| reading.visit(visit)).collect() }
    }

    /// The first GPU of each host, and all GPUs without a host.
    fn first_gpus(&self) -> Vec<GpuIndex> {
        let mut has_gpu = vec![false; self.cluster.hosts.len()];
        let is_first = |gpu: &GpuIndex| match self.cluster.gpus[gpu.index()].host {
            None => true,
            Some(host) => !std::mem::replace(&mut has_gpu[host.index()], true),
        };
        self.cluster.gpu_indices().filter(is_first).collect()
    }
}

impl Reading {
    /// A visit as this reading has it.
    fn visit(&self, visit: &Visit) -> Visit {
        let arrival = match self.batch.map(|seconds| seconds.saturating_mul(Moment::SECOND)) {
            None | Some(0) => visit.arrival,
            Some(length) => Moment(visit.arrival.0.div_ceil(length).saturating_mul(length)),
        };
        let scaled = |departure: Moment| {
            let lifetime = u128::from(departure.0 - visit.arrival.0);
            let millionths = lifetime * u128::from(self.lifetime_millionths) + 500_000;
            let longest = u128::from(Moment::LATEST.0);
            Moment(arrival.0.saturating_add((millionths / 1_000_000).min(longest) as u64))
        };
        Visit { arrival, departure: visit.departure.filter(|_| self.departures).map(scaled) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(arrival: u64, departure: u64) -> Visit {
        Visit { arrival: Moment(arrival), departure: Some(Moment(departure)) }
    }

    #[test]
    fn arrivals_wait_for_the_end_of_their_batch_and_keep_their_scaled_lifetime() {
        let batched = Reading { batch: Some(60), ..Reading::default() };
        let second = Moment::SECOND;
        assert_eq!(batched.visit(&visit(0, 0)), visit(0, 0));
        assert_eq!(batched.visit(&visit(1, 1 + second)), visit(60 * second, 61 * second));
        assert_eq!(batched.visit(&visit(60 * second, 60 * second)), visit(60 * second, 60 * second));
        assert_eq!(
            batched.visit(&visit(60 * second + 1, 61 * second + 1)),
            visit(120 * second, 121 * second)
        );
        let stays = Visit { arrival: Moment(1), departure: None };
        assert_eq!(batched.visit(&stays), Visit { arrival: Moment(60 * second), departure: None });
        let halved = Reading { lifetime_millionths: 500_000, ..Reading::default() };
        assert_eq!(halved.visit(&visit(5, 6)), visit(5, 6), "half a microsecond counts as one");
        assert_eq!(halved.visit(&visit(5, 9)), visit(5, 7));
        let endless = Reading { lifetime_millionths: u64::MAX, ..Reading::default() };
        assert_eq!(endless.visit(&visit(7, 1007 * second)), visit(7, 7 + Moment::LATEST.0));
    }
}
