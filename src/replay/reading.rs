//! How a trace is to be read.

use super::moment::Moment;
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

/// When a replay ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// With the interval of the last arrival.
    LastArrival,
    /// With the interval of the last departure of a virtual machine that was accepted.
    LastDeparture,
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
