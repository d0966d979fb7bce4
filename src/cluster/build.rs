//! From the sections of an instance file to a validated cluster.

use super::boards::OwnBoards;
use super::entry_checks::{Counted, LARGEST_COUNT, duplicate, in_range};
use super::problem_text::did_you_mean;
use super::{
    BoardIndex, Cluster, Gpu, GpuIndex, GpuSection, Host, HostIndex, HostResources, HostSection, InputError,
    Located, Location, Placement, Request, RequestIndex, SourceText, Violation, Workload, WorkloadSection,
    check,
};
use crate::mig::{Geometry, SliceStart, catalogue};
use itertools::Itertools;
use serde_yaml::Location as YamlLocation;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Builds the cluster that the sections describe.
///
/// # Errors
/// The first rule broken, with the line and the field: unknown boards, profiles or GPUs, duplicate names, zero counts,
/// negative numbers, current places that are illegal or overlap, an empty cluster.
pub fn build(
    source: &SourceText,
    name: String,
    boards: &BTreeMap<String, Located<Geometry>>,
    hosts: &[Located<HostSection>],
    gpus: &[Located<GpuSection>],
    workloads: &[Located<WorkloadSection>],
) -> Result<Cluster, InputError> {
    let mut builder = Builder::new(source, name, boards)?;
    hosts.iter().try_for_each(|host| builder.add_host(host))?;
    gpus.iter().try_for_each(|gpu| builder.add_gpus(gpu))?;
    if builder.cluster.gpus.is_empty() {
        return Err(source.error(
            "the cluster has no GPU. List GPUs under `gpus` or hosts with GPUs under `hosts`; see instances/ for examples.",
        ));
    }
    workloads.iter().try_for_each(|workload| builder.add_workloads(workload))?;
    builder.finish()
}

struct Builder<'a> {
    source: &'a SourceText,
    boards: OwnBoards,
    board_numbers: BTreeMap<String, BoardIndex>,
    host_lines: BTreeMap<String, YamlLocation>,
    gpu_numbers: BTreeMap<String, (GpuIndex, YamlLocation)>,
    request_numbers: BTreeMap<Vec<String>, RequestIndex>,
    workload_lines: BTreeMap<String, YamlLocation>,
    cluster: Cluster,
}

impl<'a> Builder<'a> {
    fn new(
        source: &'a SourceText,
        name: String,
        boards: &BTreeMap<String, Located<Geometry>>,
    ) -> Result<Self, InputError> {
        Ok(Builder {
            source,
            boards: OwnBoards::read(source, boards)?,
            board_numbers: BTreeMap::new(),
            host_lines: BTreeMap::new(),
            gpu_numbers: BTreeMap::new(),
            request_numbers: BTreeMap::new(),
            workload_lines: BTreeMap::new(),
            cluster: Cluster::without_gpus(name),
        })
    }

    fn add_host(&mut self, section: &Located<HostSection>) -> Result<(), InputError> {
        let (host, at) = (&section.value, section.referenced);
        for (field, amount) in [("cpu", host.cpu), ("memory_gib", host.memory_gib), ("weight", host.weight)] {
            if let Some(amount) = amount {
                in_range(self.source, at, &format!("host `{}`", host.name), field, amount)?;
            }
        }
        let per_host: u64 = host.gpus.as_slice().iter().map(|group| u64::from(group.count)).sum();
        self.not_too_many_gpus(at, per_host.saturating_mul(host.count.map_or(1, u64::from)))?;
        let counted =
            Counted { at, kind: "host", name: &host.name, field: "count", count: host.count, joint: "-" };
        for name in counted.names(self.source)? {
            if let Some(first) = self.host_lines.insert(name.clone(), at) {
                return Err(duplicate(self.source, at, "hosts", &name, first));
            }
            let index = HostIndex::at(self.cluster.hosts.len());
            self.cluster.hosts.push(Host {
                name: name.clone(),
                cpu: host.cpu,
                memory: host.memory_gib,
                weight: host.weight,
            });
            let mut number = 0;
            for group in host.gpus.as_slice() {
                if group.count == 0 {
                    let message = format!(
                        "host `{name}`: `count` of its {} GPUs is 0. Use at least 1, or remove them.",
                        group.board
                    );
                    return Err(self.source.error_at_value(at, "count", "0", message));
                }
                let board = self.board(at, &group.board)?;
                for _ in 0..group.count {
                    self.add_gpu(at, format!("{name}/{number}"), Some(index), board)?;
                    number += 1;
                }
            }
        }
        Ok(())
    }

    fn add_gpus(&mut self, section: &Located<GpuSection>) -> Result<(), InputError> {
        let (gpu, at) = (&section.value, section.referenced);
        let board = self.board(at, &gpu.board)?;
        self.not_too_many_gpus(at, gpu.count.map_or(1, u64::from))?;
        let counted =
            Counted { at, kind: "GPU", name: &gpu.name, field: "count", count: gpu.count, joint: "-" };
        for name in counted.names(self.source)? {
            self.add_gpu(at, name, None, board)?;
        }
        Ok(())
    }

    fn add_gpu(
        &mut self,
        at: YamlLocation,
        name: String,
        host: Option<HostIndex>,
        board: BoardIndex,
    ) -> Result<(), InputError> {
        let index = GpuIndex::at(self.cluster.gpus.len());
        if let Some((_, first)) = self.gpu_numbers.insert(name.clone(), (index, at)) {
            return Err(duplicate(self.source, at, "GPUs", &name, first));
        }
        self.cluster.gpus.push(Gpu { name, host, board });
        Ok(())
    }

    /// Told before any of them is made.
    fn not_too_many_gpus(&self, at: YamlLocation, more: u64) -> Result<(), InputError> {
        if (self.cluster.gpus.len() as u64).saturating_add(more) <= LARGEST_COUNT as u64 {
            return Ok(());
        }
        let message = format!("the cluster has more than {LARGEST_COUNT} GPUs. Lower `count`.");
        Err(self.source.error_at(at, Some("count"), message))
    }

    fn board(&mut self, at: YamlLocation, name: &str) -> Result<BoardIndex, InputError> {
        let key = name.to_lowercase();
        if let Some(&index) = self.board_numbers.get(&key) {
            return Ok(index);
        }
        let unusable = |message: String| self.source.error_at_value(at, "board", name, message);
        let board = self.boards.find(name).map_err(unusable)?;
        // Two names may mean one board.
        let index = match self.cluster.boards.iter().position(|known| Arc::ptr_eq(known, &board)) {
            Some(position) => BoardIndex::at(position),
            None => {
                self.cluster.boards.push(board);
                BoardIndex::at(self.cluster.boards.len() - 1)
            }
        };
        self.board_numbers.insert(key, index);
        Ok(index)
    }

    fn add_workloads(&mut self, section: &Located<WorkloadSection>) -> Result<(), InputError> {
        let (workload, at) = (&section.value, section.referenced);
        let owner = format!("workload `{}`", workload.name);
        in_range(self.source, at, &owner, "cpu", workload.cpu)?;
        in_range(self.source, at, &owner, "memory_gib", workload.memory_gib)?;
        for (field, amount) in [
            ("reward", workload.reward),
            ("migration_cost", workload.migration_cost),
            ("acceptance_weight", workload.acceptance_weight),
            ("migration_weight", workload.migration_weight),
        ] {
            in_range(self.source, at, &owner, field, amount.unwrap_or_default())?;
        }
        let request = self.request(at, workload)?;
        let names = Counted {
            at,
            kind: "workload",
            name: &workload.name,
            field: "replicas",
            count: workload.replicas,
            joint: "#",
        }
        .names(self.source)?;
        let spots = workload.current.as_ref().map_or(&[][..], |current| current.as_slice());
        if spots.len() > names.len() {
            let message = format!(
                "{owner} has {} current places but {} replica(s). Raise `replicas` or remove places.",
                spots.len(),
                names.len()
            );
            return Err(self.source.error_at(at, Some("current"), message));
        }
        for (replica, name) in names.into_iter().enumerate() {
            if let Some(first) = self.workload_lines.insert(name.clone(), at) {
                return Err(duplicate(self.source, at, "workloads", &name, first));
            }
            if self.cluster.workloads.len() >= LARGEST_COUNT {
                let message = format!("there are more than {LARGEST_COUNT} workloads. Lower `replicas`.");
                return Err(self.source.error_at(at, Some("replicas"), message));
            }
            let current = match spots.get(replica) {
                None => None,
                Some(spot) => {
                    let &(gpu, _) = self.gpu_numbers.get(&spot.gpu).ok_or_else(|| {
                        let guess = did_you_mean(&spot.gpu, self.gpu_numbers.keys().map(String::as_str));
                        let message = format!(
                            "{owner}: no GPU is called \"{}\"{guess}. Name one of the cluster's GPUs.",
                            spot.gpu
                        );
                        self.source.error_at_value(at, "gpu", &spot.gpu, message)
                    })?;
                    Some(Location { gpu, start: SliceStart(spot.start) })
                }
            };
            self.cluster.workloads.push(Workload {
                name,
                request,
                cpu: workload.cpu,
                memory: workload.memory_gib,
                movable: workload.movable,
                current,
                reward: workload.reward,
                migration_cost: workload.migration_cost,
                acceptance_weight: workload.acceptance_weight,
                migration_weight: workload.migration_weight,
            });
        }
        Ok(())
    }

    fn request(&mut self, at: YamlLocation, workload: &WorkloadSection) -> Result<RequestIndex, InputError> {
        let names = workload.profile.as_slice().to_vec();
        if let Some(&index) = self.request_numbers.get(&names) {
            return Ok(index);
        }
        let own = self.boards.all();
        let known_boards = || own.clone().chain(catalogue().boards()).chain(&self.cluster.boards);
        for name in &names {
            if known_boards().all(|board| board.find_profile(name).is_none()) {
                let known: Vec<&str> = self
                    .cluster
                    .boards
                    .iter()
                    .flat_map(|board| board.profiles().iter().map(|profile| profile.name.as_str()))
                    .unique()
                    .collect();
                let message = format!(
                    "workload `{}`: no board has a profile \"{name}\"{}. Profiles of this cluster's boards: {}.",
                    workload.name,
                    did_you_mean(name, known.iter().copied()),
                    known.join(", ")
                );
                return Err(self.source.error_at(at, Some("profile"), message));
            }
        }
        if names.is_empty() {
            let message = format!(
                "workload `{}`: `profile` is an empty list. Name at least one profile.",
                workload.name
            );
            return Err(self.source.error_at(at, Some("profile"), message));
        }
        let on_board = self
            .cluster
            .boards
            .iter()
            .map(|board| names.iter().find_map(|name| board.find_profile(name)))
            .collect();
        let index = RequestIndex::at(self.cluster.requests.len());
        self.cluster.requests.push(Request { names: names.clone(), on_board });
        self.request_numbers.insert(names, index);
        Ok(index)
    }

    /// Checks the current state and hands the cluster over.
    fn finish(self) -> Result<Cluster, InputError> {
        let current: Placement = self.cluster.current_placement();
        let Some(violation) = check(&self.cluster, &current, HostResources::Checked).into_iter().next()
        else {
            return Ok(self.cluster);
        };
        let workload = match &violation {
            Violation::UnsupportedProfile { workload, .. } | Violation::IllegalStart { workload, .. } => {
                Some(workload)
            }
            Violation::Overlap { second, .. } => Some(second),
            Violation::LimitExceeded { workloads, .. } => workloads.last(),
            Violation::HostCpu { .. } | Violation::HostMemory { .. } => None,
        };
        let entry = workload.and_then(|name| self.workload_lines.get(name));
        let (entry, field, mend) = match &violation {
            Violation::HostCpu { host, .. } => (
                self.host_lines.get(host),
                "cpu",
                "the host's or the workloads' `cpu`, or `current` of one of them",
            ),
            Violation::HostMemory { host, .. } => (
                self.host_lines.get(host),
                "memory_gib",
                "the host's or the workloads' `memory_gib`, or `current` of one of them",
            ),
            _ => (entry, "current", "GPU and start in `current`"),
        };
        let message = format!("the current state is not legal: {violation}. Correct {mend}.");
        Err(match entry {
            Some(&at) => self.source.error_at(at, Some(field), message),
            None => self.source.error(message),
        })
    }
}
