//! Which hosts of a trace there are.

use super::fleet::with_fleet;
use cluster::{Cluster, GpuIndex, HostIndex};
use ground::{InputError, SourceText, did_you_mean, grouped};
use itertools::Itertools;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

/// The hosts that make up the fleet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum HostChoice {
    /// All, and GPUs without a host.
    #[default]
    All,
    /// So many from the top of the file, at least one.
    First(usize),
    /// Those that a file names, one on each line, in the order of the file.
    Listed(PathBuf),
}

impl FromStr for HostChoice {
    type Err = String;

    /// Reads `all`, `first:N`, or the name of a file, which is not a number alone.
    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("first:")) {
            ("", _) => Err("give all, first:N, or a file with one host name on each line".to_owned()),
            ("all", _) => Ok(HostChoice::All),
            (_, None) if text.parse::<u64>().is_ok() => Err(format!(
                "for that many from the top of the file write first:{text}; for a file of this name write ./{text}"
            )),
            (_, None) => Ok(HostChoice::Listed(PathBuf::from(text))),
            (_, Some(number)) => match number.parse() {
                Ok(number) if number > 0 => Ok(HostChoice::First(number)),
                _ => Err("give a whole number of at least 1 after `first:`, such as first:6".to_owned()),
            },
        }
    }
}

impl HostChoice {
    /// The cluster with these hosts alone; the source is where the hosts come from.
    pub(super) fn apply(&self, cluster: Cluster, source: &SourceText) -> Result<Cluster, InputError> {
        let hosts = match self {
            HostChoice::All => return Ok(cluster),
            HostChoice::First(number) => {
                let all = cluster.hosts.len();
                if *number > all {
                    let known = grouped(&all.to_string());
                    let message = format!(
                        "--hosts first:{number}: there are {known} hosts with GPUs. Ask for at most that many, or for all."
                    );
                    return Err(source.error(message));
                }
                (0..*number).map(HostIndex::at).collect()
            }
            HostChoice::Listed(path) => listed(&cluster, &SourceText::read(path)?)?,
        };
        let mut gpus_of_hosts: Vec<Vec<GpuIndex>> = vec![Vec::new(); cluster.hosts.len()];
        for gpu in cluster.gpu_indices() {
            if let Some(host) = cluster.gpus[gpu.index()].host {
                gpus_of_hosts[host.index()].push(gpu);
            }
        }
        let gpus: Vec<GpuIndex> =
            hosts.iter().flat_map(|host| gpus_of_hosts[host.index()].iter().copied()).collect();
        if gpus.is_empty() {
            return Err(source.error("--hosts: none of these hosts has a GPU. Choose others."));
        }
        Ok(with_fleet(&cluster, &hosts, &gpus))
    }
}

/// The hosts that a file lists.
fn listed(cluster: &Cluster, list: &SourceText) -> Result<Vec<HostIndex>, InputError> {
    let numbers: BTreeMap<&str, HostIndex> = cluster
        .hosts
        .iter()
        .enumerate()
        .map(|(position, host)| (host.name.as_str(), HostIndex::at(position)))
        .collect();
    let mut chosen: Vec<HostIndex> = Vec::new();
    let mut lines: BTreeMap<HostIndex, u64> = BTreeMap::new();
    for (line, text) in (1u64..).zip(list.text().lines()) {
        let name = text.trim_start_matches('\u{feff}').trim();
        if name.is_empty() {
            continue;
        }
        let Some(&host) = numbers.get(name) else {
            let guess = did_you_mean(name, numbers.keys().copied());
            let few = cluster.hosts.iter().take(3).map(|host| host.name.as_str()).join(", ");
            let message = format!(
                "no host with GPUs is called \"{name}\"{guess}. Write one host name on each line, such as {few}."
            );
            return Err(list.error_at_line(Some(line), message));
        };
        if let Some(first) = lines.insert(host, line) {
            let message =
                format!("host \"{name}\" is listed again (first on line {first}). Remove one of the lines.");
            return Err(list.error_at_line(Some(line), message));
        }
        chosen.push(host);
    }
    if chosen.is_empty() {
        return Err(list.error("the file lists no host. Write one host name on each line."));
    }
    Ok(chosen)
}
