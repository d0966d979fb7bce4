//! Which trace is read, and how.

use super::exit::Failure;
use crate::cluster::{
    Amount, BoardIndex, Cluster, Gpu, Host, HostIndex, MemoryUnit, Request, RequestIndex, Workload,
};
use crate::mig::{Lookup, catalogue};
use crate::replay::{Conditions, Moment, Reading, Trace, TraceSummary, Visit, profile_counts};
use std::path::PathBuf;

/// Which trace is read, and how.
#[derive(Debug, clap::Args)]
pub struct TraceFlags {
    /// Table of hosts
    #[arg(long)]
    pub nodes: PathBuf,
    /// Table of pods
    #[arg(long)]
    pub pods: Option<PathBuf>,
    /// Table of virtual machines
    #[arg(long)]
    pub arrivals: Option<PathBuf>,
    /// Hosts
    #[arg(long, default_value = "all")]
    pub hosts: String,
    /// Whether virtual machines leave
    #[arg(long, default_value = "yes")]
    pub departures: String,
    /// Whether hosts limit
    #[arg(long, default_value = "yes")]
    pub enforce_cpu_ram: String,
    /// Seconds
    #[arg(long, default_value = "1h")]
    pub interval: String,
}

fn rows(path: &PathBuf) -> Vec<std::collections::BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

impl TraceFlags {
    /// Stub.
    pub fn load(&self) -> Result<(Trace, Conditions), Failure> {
        let Lookup::Found(board) = catalogue().find("A100-40GB") else { unreachable!() };
        let names = ["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"];
        let request = |name: &&str| Request {
            names: vec![(*name).to_owned()],
            on_board: vec![board.find_profile(name)],
        };
        let mut cluster = Cluster {
            name: "trace".to_owned(),
            memory_unit: MemoryUnit::Mebibyte,
            hosts: Vec::new(),
            gpus: Vec::new(),
            boards: vec![board.clone()],
            requests: names.iter().map(request).collect(),
            workloads: Vec::new(),
        };
        let first = self.hosts.strip_prefix("first:").map_or(usize::MAX, |n| n.parse().unwrap());
        let limits = self.enforce_cpu_ram == "yes";
        for (number, row) in rows(&self.nodes).into_iter().take(first).enumerate() {
            cluster.hosts.push(Host {
                name: row["sn"].clone(),
                cpu: limits
                    .then(|| Amount::from_millionths(row["cpu_milli"].parse::<i128>().unwrap() * 1000)),
                memory: limits.then(|| row["memory_mib"].parse().unwrap()),
                weight: None,
            });
            for gpu in 0..row["gpu"].parse::<usize>().unwrap() {
                let name = format!("{}/{gpu}", row["sn"]);
                cluster.gpus.push(Gpu { name, host: Some(HostIndex::at(number)), board: BoardIndex(0) });
            }
        }
        let mut visits = Vec::new();
        let mut add = |name: &str, request: usize, cpu, memory, from: u64, to: u64| {
            cluster.workloads.push(Workload {
                name: name.to_owned(),
                request: RequestIndex::at(request),
                cpu,
                memory,
                movable: true,
                current: None,
                reward: None,
                migration_cost: None,
                acceptance_weight: None,
                migration_weight: None,
            });
            visits.push(Visit {
                arrival: Moment(from * Moment::SECOND),
                departure: (self.departures == "yes").then_some(Moment(to * Moment::SECOND)),
            });
        };
        let whole = |text: &String| text.parse::<u64>().unwrap();
        if let Some(path) = &self.arrivals {
            for row in rows(path) {
                let request = names.iter().position(|name| *name == row["profile"]).unwrap();
                let memory = row["memory_gib"].parse::<Amount>().unwrap() * 1024;
                add(
                    &row["name"],
                    request,
                    row["cpu"].parse().unwrap(),
                    memory,
                    whole(&row["arrival"]),
                    whole(&row["departure"]),
                );
            }
        }
        if let Some(path) = &self.pods {
            for row in rows(path) {
                let asked = (whole(&row["num_gpu"]) * whole(&row["gpu_milli"])) as f64 / 1000.0;
                if whole(&row["creation_time"]) < 7_000_000 || asked > 1.0 {
                    continue;
                }
                let weights =
                    [1.0, 2.0, 4.0, 12.0, 16.0, 56.0].map(|weight: f64| (weight / 56.0 - asked).abs());
                let request =
                    (0..6).min_by(|&one, &other| f64::total_cmp(&weights[one], &weights[other])).unwrap();
                let cpu = Amount::from_millionths(i128::from(whole(&row["cpu_milli"])) * 1000);
                let memory = row["memory_mib"].parse().unwrap();
                add(
                    &row["name"],
                    request,
                    cpu,
                    memory,
                    whole(&row["creation_time"]),
                    whole(&row["deletion_time"]),
                );
            }
        }
        let trace = Trace { cluster, visits };
        let reading = Reading {
            interval: crate::cluster::duration_microseconds(&self.interval).unwrap() / Moment::SECOND,
            departures: self.departures == "yes",
            host_limits: limits,
            ..Reading::default()
        };
        let summary = TraceSummary {
            files: vec!["nodes.csv".to_owned()],
            fingerprint: String::new(),
            hosts: trace.cluster.hosts.len(),
            gpus: trace.cluster.gpus.len(),
            boards: vec!["A100-40GB".to_owned()],
            profiles: profile_counts(&trace, [].into_iter())
                .into_iter()
                .map(|count| (count.profile, count.arrived))
                .collect(),
            arrivals: (0.0, 0.0),
            notes: Vec::new(),
        };
        Ok((trace, Conditions { version: "0".to_owned(), trace: summary, reading }))
    }
}
