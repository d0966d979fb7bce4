//! The flags that say which trace is read, and how.

use super::choices::choice;
use super::exit::Failure;
use super::files::Files;
use clap::{ArgAction, Args};
use ground::Amount;
use kit::{Choices, board_of_catalogue};
use mig::Board;
use replay::{
    Conditions, GpusPerHost, HostChoice, KeepOrDrop, PodReading, Reading, Trace, TraceFiles, TraceForm,
    Until, seconds_of_duration,
};
use std::path::PathBuf;
use std::sync::Arc;

/// The board of hosts that do not say theirs.
const DEFAULT_BOARD: &str = "A100-40GB";
/// The largest factor on lifetimes.
const LARGEST_SCALE: i128 = 1_000_000;

/// Which trace is read, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trace")]
pub struct TraceFlags {
    /// Table of hosts (CSV: sn, cpu_milli, memory_mib, gpu, and board where they differ)
    #[arg(long, value_name = "FILE")]
    pub nodes: Option<PathBuf>,
    /// Table of pods of Alibaba's GPU trace of 2023, whose demands become profiles
    #[arg(long, value_name = "FILE")]
    pub pods: Option<PathBuf>,
    /// Table of virtual machines (CSV: name, profile, arrival, departure or lifetime; cpu, memory_gib), in seconds
    #[arg(long, value_name = "FILE")]
    pub arrivals: Option<PathBuf>,
    /// Trace in YAML, instead of tables
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Board of the hosts for which the table names none [default: A100-40GB]
    #[arg(long, value_name = "NAME")]
    pub board: Option<String>,
    /// Profiles that pods are given; by default one of each shape of the board
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    pub profiles: Vec<String>,
    /// What to do with pods that request no GPU [default: keep]
    #[arg(long, value_parser = choice::<KeepOrDrop>())]
    pub pods_without_gpu: Option<KeepOrDrop>,
    /// What to do with pods whose creation time is beyond the interquartile fences [default: drop]
    #[arg(long, value_parser = choice::<KeepOrDrop>())]
    pub outliers: Option<KeepOrDrop>,
    /// Hosts of the fleet: all, first:N, or a file with one host name on each line
    #[arg(long, value_name = "all|first:N|FILE", default_value = "all")]
    pub hosts: HostChoice,
    /// GPUs of each host: as many as the trace says, or only the first
    #[arg(long, default_value = GpusPerHost::Trace.name(), value_parser = choice::<GpusPerHost>())]
    pub gpus_per_host: GpusPerHost,
    /// Whether virtual machines leave
    #[arg(long, default_value = "yes", action = ArgAction::Set, value_parser = choice::<bool>())]
    pub departures: bool,
    /// Whether CPU cores and main memory of the hosts are limits
    #[arg(long, default_value = "yes", action = ArgAction::Set, value_parser = choice::<bool>())]
    pub enforce_cpu_ram: bool,
    /// Factor on all lifetimes: with 2, every virtual machine stays twice as long; arrival times do not change
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = scale)]
    pub lifetime_scale: Amount,
    /// Hold arrivals until the next multiple of this time (such as 90s, 15m, 1h); those held until the same moment are
    /// decided together, in the order of the trace, and their lifetimes begin then
    #[arg(long, value_name = "DURATION", value_parser = seconds_of_duration)]
    pub batch: Option<u64>,
    /// Length of an interval (such as 90s, 15m, 1h); at its end, hardware in use is counted and policies consolidate
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = seconds_of_duration)]
    pub interval: u64,
    /// When a replay ends: with the interval of the last arrival, or with that of the last departure of an accepted virtual machine, which
    /// adds to the sums of hardware in use but changes no decision
    #[arg(long, default_value = Until::LastArrival.name(), value_parser = choice::<Until>())]
    pub until: Until,
}

impl TraceFlags {
    /// The trace, already read as the flags want it, and what everything that is made of it shares.
    pub fn load(&self) -> Result<(Trace, Conditions), Failure> {
        let files = TraceFiles { form: self.form()?, hosts: self.hosts.clone() };
        let (trace, mut summary) = files.load()?;
        let reading = self.reading();
        let trace = trace.read_as(&reading);
        // Shares of the fleet are those of the fleet that is replayed.
        summary.gpus = trace.cluster.gpus.len();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok((trace, Conditions { version, trace: summary, reading }))
    }

    /// The files that hold the trace.
    pub fn files(&self) -> Files {
        let tables = [&self.nodes, &self.pods, &self.arrivals, &self.trace].into_iter().flatten();
        let listed = match &self.hosts {
            HostChoice::Listed(path) => Some(path),
            HostChoice::All | HostChoice::First(_) => None,
        };
        Files::default().and_reading_all(tables.chain(listed).cloned())
    }

    fn reading(&self) -> Reading {
        Reading {
            interval: self.interval,
            departures: self.departures,
            host_limits: self.enforce_cpu_ram,
            gpus_per_host: self.gpus_per_host,
            lifetime_millionths: self.lifetime_scale.millionths() as u64,
            batch: self.batch,
            until: self.until,
        }
    }

    fn form(&self) -> Result<TraceForm, Failure> {
        let refuse = |message: &str| Err(Failure::Input(message.to_owned()));
        self.check_pod_flags()?;
        if let Some(path) = &self.trace {
            if self.nodes.is_some() || self.pods.is_some() || self.arrivals.is_some() {
                return refuse(
                    "--trace holds hosts and virtual machines. Leave out --nodes, --pods and --arrivals, or --trace.",
                );
            }
            if self.board.is_some() {
                return refuse("--board: a trace in YAML names the board of every GPU. Leave it out.");
            }
            return Ok(TraceForm::Document(path.clone()));
        }
        match (&self.nodes, &self.pods, &self.arrivals) {
            (_, Some(_), Some(_)) => {
                refuse("--pods and --arrivals both give the virtual machines. Keep one.")
            }
            (None, Some(_), None) => refuse("--pods: the hosts are missing. Add --nodes FILE."),
            (None, None, Some(_)) => refuse("--arrivals: the hosts are missing. Add --nodes FILE."),
            (Some(_), None, None) => {
                refuse("--nodes: the virtual machines are missing. Add --pods FILE or --arrivals FILE.")
            }
            (None, None, None) => refuse(
                "no trace is given. Give --trace FILE.yaml, or --nodes FILE with --pods FILE or --arrivals FILE; \
                 instances/traces holds examples.",
            ),
            (Some(nodes), Some(pods), None) => Ok(TraceForm::Pods {
                nodes: nodes.clone(),
                board: self.board()?,
                pods: pods.clone(),
                reading: self.pod_reading(),
            }),
            (Some(nodes), None, Some(arrivals)) => Ok(TraceForm::Arrivals {
                nodes: nodes.clone(),
                board: self.board()?,
                arrivals: arrivals.clone(),
            }),
        }
    }

    /// Flags that say something about pods need pods.
    fn check_pod_flags(&self) -> Result<(), Failure> {
        let given = [
            ("--profiles", !self.profiles.is_empty()),
            ("--pods-without-gpu", self.pods_without_gpu.is_some()),
            ("--outliers", self.outliers.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given && self.pods.is_none()) {
            None => Ok(()),
            Some((flag, _)) => Err(Failure::Input(format!(
                "{flag}: it is about pods, but --pods is not given. Leave it out; other virtual machines name their profiles."
            ))),
        }
    }

    fn pod_reading(&self) -> PodReading {
        let usual = PodReading::default();
        PodReading {
            profiles: (!self.profiles.is_empty()).then(|| self.profiles.clone()),
            without_gpu: self.pods_without_gpu.unwrap_or(usual.without_gpu),
            outliers: self.outliers.unwrap_or(usual.outliers),
        }
    }

    fn board(&self) -> Result<Arc<Board>, Failure> {
        board_of_catalogue(self.board.as_deref().unwrap_or(DEFAULT_BOARD))
            .map_err(|message| Failure::Input(format!("--board {message}")))
    }
}

/// Reads a factor on lifetimes.
fn scale(text: &str) -> Result<Amount, String> {
    let number = text.parse::<Amount>().map_err(|error| format!("{error}, such as 0.5 or 2"))?;
    if Amount::ZERO < number && number <= Amount::whole(LARGEST_SCALE) {
        Ok(number)
    } else {
        Err("give a number above 0 and at most 10^6, such as 0.5 or 2".to_owned())
    }
}
