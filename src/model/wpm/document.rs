//! Solutions as files: names instead of indices.

use super::instance::Problem;
use super::roles::Role;
use super::solution::{Change, Reading, Solution};
use super::verify::Score;
use crate::cluster::{GpuIndex, InputError, Location, Placement, SourceText, Spot, WorkloadIndex};
use crate::mig::SliceStart;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A solution of a wpm problem, as `migopt solve` writes it and `migopt verify` reads it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt solution")]
pub struct SolutionDocument {
    /// The instance that it solves.
    pub instance: InstanceReference,
    /// Under which reading of the model it is to be judged.
    #[serde(default = "printed")]
    pub reading: Reading,
    /// Every workload that has a place, in the order of the instance.
    pub placement: Vec<PlacedWorkload>,
    /// Workloads that wait for one.
    #[serde(default)]
    pub pending: Vec<PendingWorkload>,
    /// GPUs that are repartitioned. Left out, they are as few as the placement needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repartitioned: Option<Vec<String>>,
    /// GPUs that carry a workload before or after; for information.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<GpuEntry>,
    /// What the solution is worth; for information, as `migopt verify` computes it anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
}

/// Which instance a solution belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstanceReference {
    /// The instance's name.
    pub name: String,
    /// The instance's digest; a solution written by hand may leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// A workload and its place.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlacedWorkload {
    /// The workload's name, with `#replica` where it has replicas.
    pub workload: String,
    /// The GPU's name.
    pub gpu: String,
    /// First memory slot of its GPU instance.
    pub start: u8,
    /// What else there is to know about it; for information.
    #[serde(flatten)]
    pub details: InstanceDetails,
    /// What becomes of it; for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
}

/// A workload without a place.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PendingWorkload {
    /// The workload's name.
    pub workload: String,
    /// What else there is to know about it; for information.
    #[serde(flatten)]
    pub details: InstanceDetails,
}

/// What a picture of a GPU instance needs; all of it for information.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct InstanceDetails {
    /// Profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Memory slots it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Slices it wastes there.
    #[serde(skip_serializing_if = "is_zero")]
    pub wasted: u32,
    /// Whether it is pinned.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Where it was, if that is another place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Spot>,
}

/// A GPU of the instance.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GpuEntry {
    /// Name.
    pub name: String,
    /// Board type.
    pub board: String,
    /// Memory slots.
    pub slots: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn printed() -> Reading {
    Reading::Printed
}

impl SolutionDocument {
    /// Writes a solution down.
    pub fn new(problem: &Problem, fingerprint: &str, solution: &Solution, score: &Score) -> Self {
        let cluster = &problem.cluster;
        let name = |workload: WorkloadIndex| cluster.workloads[workload.index()].name.clone();
        let spot = |place: Location| Spot {
            gpu: cluster.gpus[place.gpu.index()].name.clone(),
            start: place.start.0,
        };
        let from = |workload: WorkloadIndex| {
            let before = cluster.workloads[workload.index()].current;
            before.filter(|_| before != solution.placement.of(workload)).map(spot)
        };
        let placed = |workload: WorkloadIndex| {
            let place = solution.placement.of(workload)?;
            let instance = cluster.instance_at(workload, place)?;
            let board = problem.board(place.gpu);
            let Spot { gpu, start } = spot(place);
            let profile = board.profile(instance.profile);
            let details = InstanceDetails {
                profile: Some(profile.name.clone()),
                size: Some(profile.size),
                wasted: board.waste(instance),
                pinned: problem.role(workload) == Role::Pinned,
                from: from(workload),
            };
            let change = Change::of(problem, &solution.placement, workload);
            Some(PlacedWorkload { workload: name(workload), gpu, start, details, change })
        };
        let pending = |workload: WorkloadIndex| {
            let request = &cluster.requests[cluster.workloads[workload.index()].request.index()];
            let details = InstanceDetails {
                profile: Some(request.names.join("|")),
                size: cluster.memory_slices(workload),
                from: from(workload),
                ..InstanceDetails::default()
            };
            PendingWorkload { workload: name(workload), details }
        };
        let now_on_gpu = solution.placement.by_gpu(cluster);
        let carries = |gpu: &GpuIndex| {
            !problem.residents[gpu.index()].is_empty() || !now_on_gpu[gpu.index()].is_empty()
        };
        let entry = |gpu: GpuIndex| GpuEntry {
            name: cluster.gpus[gpu.index()].name.clone(),
            board: problem.board(gpu).name().to_owned(),
            slots: problem.board(gpu).slots(),
        };
        SolutionDocument {
            instance: InstanceReference {
                name: cluster.name.clone(),
                fingerprint: Some(fingerprint.to_owned()),
            },
            reading: solution.reading,
            placement: cluster.workload_indices().filter_map(placed).collect(),
            pending: solution.pending(problem).map(pending).collect(),
            gpus: cluster.gpu_indices().filter(carries).map(entry).collect(),
            repartitioned: Some(
                cluster
                    .gpu_indices()
                    .filter(|gpu| solution.repartitioned[gpu.index()])
                    .map(|gpu| cluster.gpus[gpu.index()].name.clone())
                    .collect(),
            ),
            score: Some(score.clone()),
        }
    }

    /// Reads a solution back for a problem.
    ///
    /// # Errors
    /// When it belongs to another instance, names unknown workloads or GPUs, or names a workload twice.
    pub fn resolve(
        &self,
        problem: &Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Solution, InputError> {
        let cluster = &problem.cluster;
        if let Some(other) = self.instance.fingerprint.as_deref().filter(|&other| other != fingerprint) {
            return Err(source.error(format!(
                "this solution belongs to another instance: it was made for \"{}\" ({other}), the instance given is \
                 \"{}\" ({fingerprint}). Give the instance it was made for, or solve again if that file has changed.",
                self.instance.name, cluster.name
            )));
        }
        if self.instance.name != cluster.name {
            return Err(source.error(format!(
                "this solution is for instance \"{}\", not for \"{}\". Give the instance it was made for.",
                self.instance.name, cluster.name
            )));
        }
        let workloads: BTreeMap<&str, WorkloadIndex> = cluster
            .workload_indices()
            .map(|index| (cluster.workloads[index.index()].name.as_str(), index))
            .collect();
        let gpus: BTreeMap<&str, GpuIndex> =
            cluster.gpu_indices().map(|index| (cluster.gpus[index.index()].name.as_str(), index)).collect();
        let workload_named = |name: &str| {
            workloads.get(name).copied().ok_or_else(|| {
                source.error(format!(
                    "the solution names the workload `{name}`, which the instance does not have."
                ))
            })
        };
        let gpu_named = |name: &str| {
            gpus.get(name).copied().ok_or_else(|| {
                source
                    .error(format!("the solution names the GPU `{name}`, which the instance does not have."))
            })
        };
        let mut placement = Placement::new(vec![None; cluster.workloads.len()]);
        for placed in &self.placement {
            let workload = workload_named(&placed.workload)?;
            let location = Location { gpu: gpu_named(&placed.gpu)?, start: SliceStart(placed.start) };
            if placement.of(workload).is_some() {
                let message = format!("the workload `{}` has two places. Keep one.", placed.workload);
                return Err(source.error(message));
            }
            placement.set(workload, Some(location));
        }
        for PendingWorkload { workload: name, .. } in &self.pending {
            if placement.of(workload_named(name)?).is_some() {
                return Err(
                    source.error(format!("the workload `{name}` is both placed and pending. Keep one."))
                );
            }
        }
        let Some(named) = &self.repartitioned else {
            return Ok(Solution::from_placement(problem, self.reading, placement));
        };
        let mut repartitioned = vec![false; cluster.gpus.len()];
        for name in named {
            repartitioned[gpu_named(name)?.index()] = true;
        }
        Ok(Solution { reading: self.reading, placement, repartitioned })
    }
}
