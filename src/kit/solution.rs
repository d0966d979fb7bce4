//! Solutions as files: names instead of indices.

use super::counted::{self, Numbering, renumbered};
use super::plan::PlanDocument;
use super::score::Score;
use cluster::{Cluster, GpuIndex, Location, Placement, Spot, WorkloadIndex};
use ground::{Amount, Complaints, InputError, NameIndex, SourceText, did_you_mean};
use mig::SliceStart;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A solution of an instance, as `migopt solve` writes it and `migopt verify` reads it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt solution")]
pub struct SolutionDocument {
    /// The model by which it is to be judged; by default that of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The instance that it solves.
    pub instance: InstanceReference,
    /// Under which reading of the objective it is to be judged, for a model with several; by default under that by which
    /// migopt solves the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-migopt-reading" = true))]
    pub reading: Option<String>,
    /// Every workload that has a place on a GPU, in the order of the instance. Of models that place workloads on GPUs.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "counted::some_written_out"
    )]
    pub placement: Option<Vec<PlacedWorkload>>,
    /// Every server that hosts virtual machines, in the order of the instance. Of models that pack servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packing: Option<Vec<PackedServer>>,
    /// What happens on the GPU during the window. Of models that plan a window of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanDocument>,
    /// Workloads that have no place.
    #[serde(default, deserialize_with = "counted::written_out")]
    pub pending: Vec<PendingWorkload>,
    /// GPUs that are repartitioned, for a model that counts them. Left out, they are those with which the placement is worth most:
    /// those that it needs, and those whose repartition costs less than the moves inside the GPU that it saves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repartitioned: Option<Vec<String>>,
    /// GPUs that carry a workload before or after; for information.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "counted::written_out")]
    pub gpus: Vec<GpuEntry>,
    /// What the solution is worth; for information, as `migopt verify` computes it again.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// So many workloads, on as many GPUs: each has the name of the one before with the number at its end `every` higher, and is on the
    /// GPU with the next number, at the same start. By default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub count: Option<u32>,
    /// By how much the number of a workload goes up from one to the next; by default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u64>,
}

/// A server and the virtual machines on it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackedServer {
    /// The server's name.
    pub server: String,
    /// Names of the virtual machines on it, in the order of the instance.
    pub vms: Vec<String>,
    /// How full it is; for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<ServerLoad>,
}

/// How full a server is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerLoad {
    /// Its capacity group.
    pub group: String,
    /// Resources other than memory by name: what is used and what there is.
    pub resources: BTreeMap<String, ResourceLoad>,
    /// Size of a page in KiB; 0, as all that follows, where memory is not counted in pages.
    pub page_kib: u64,
    /// Pages that there is room for.
    pub capacity_pages: u64,
    /// Pages in use: each page that several virtual machines need counts once.
    pub pages: u64,
    /// Those of the pages in use that several virtual machines on this server need.
    pub shared_pages: u64,
    /// Pages that would be needed in addition without sharing.
    pub saved_pages: u64,
}

/// How much of a resource is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceLoad {
    /// What is used.
    pub used: Amount,
    /// What there is; absent where it is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Amount>,
}

/// A workload without a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PendingWorkload {
    /// The workload's name.
    pub workload: String,
    /// What else there is to know about it; for information.
    #[serde(flatten)]
    pub details: InstanceDetails,
    /// So many workloads: each has the name of the one before with the next number at its end. By default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub count: Option<u32>,
}

/// What a picture of a GPU instance needs; all of it for information.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Whether it must stay where it is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Where it was, if that is another place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Spot>,
}

/// A GPU of the instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GpuEntry {
    /// Name.
    pub name: String,
    /// Board type.
    pub board: String,
    /// Memory slots.
    pub slots: u32,
    /// So many GPUs: each has the name of the one before with the next number at its end. By default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub count: Option<u32>,
}

/// What becomes of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Stays at its place.
    Stays,
    /// Stays on its GPU at another start.
    Shifts,
    /// Moves to another GPU.
    Migrates,
    /// A newcomer gets a place.
    Starts,
}

impl Change {
    /// What becomes of a placed workload.
    pub fn of(cluster: &Cluster, placement: &Placement, workload: WorkloadIndex) -> Option<Change> {
        let after = placement.of(workload)?;
        Some(match cluster.workloads[workload.index()].current {
            None => Change::Starts,
            Some(before) if before == after => Change::Stays,
            Some(before) if before.gpu == after.gpu => Change::Shifts,
            Some(_) => Change::Migrates,
        })
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl InstanceReference {
    /// The reference to the instance of a name and a digest.
    pub fn new(name: &str, fingerprint: &str) -> Self {
        InstanceReference { name: name.to_owned(), fingerprint: Some(fingerprint.to_owned()) }
    }
}

impl Numbering for PlacedWorkload {
    fn take_count(&mut self) -> Option<u32> {
        self.count.take()
    }

    fn times(&self, count: usize) -> Self {
        PlacedWorkload { count: u32::try_from(count).ok(), ..self.clone() }
    }

    fn after(&self, number: u64) -> Result<Self, String> {
        Ok(PlacedWorkload {
            workload: renumbered(&self.workload, number.saturating_mul(self.every.unwrap_or(1)))?,
            gpu: renumbered(&self.gpu, number)?,
            every: None,
            ..self.clone()
        })
    }
}

impl Numbering for PendingWorkload {
    fn take_count(&mut self) -> Option<u32> {
        self.count.take()
    }

    fn times(&self, count: usize) -> Self {
        PendingWorkload { count: u32::try_from(count).ok(), ..self.clone() }
    }

    fn after(&self, number: u64) -> Result<Self, String> {
        Ok(PendingWorkload { workload: renumbered(&self.workload, number)?, ..self.clone() })
    }
}

impl Numbering for GpuEntry {
    fn take_count(&mut self) -> Option<u32> {
        self.count.take()
    }

    fn times(&self, count: usize) -> Self {
        GpuEntry { count: u32::try_from(count).ok(), ..self.clone() }
    }

    fn after(&self, number: u64) -> Result<Self, String> {
        Ok(GpuEntry { name: renumbered(&self.name, number)?, ..self.clone() })
    }
}

impl SolutionDocument {
    /// Writes a placement down. `pending` are the workloads that want a place and have none; `pinned` tells the
    /// workloads that may not be moved. What only some models have is left out.
    pub fn new(
        model: &str,
        instance: InstanceReference,
        cluster: &Cluster,
        placement: &Placement,
        pending: impl Iterator<Item = WorkloadIndex>,
        pinned: impl Fn(WorkloadIndex) -> bool,
    ) -> Self {
        let name = |workload: WorkloadIndex| cluster.workloads[workload.index()].name.clone();
        let spot = |place: Location| cluster.spot(place);
        let from = |workload: WorkloadIndex| {
            let before = cluster.workloads[workload.index()].current;
            before.filter(|_| before != placement.of(workload)).map(spot)
        };
        let placed = |workload: WorkloadIndex| {
            let place = placement.of(workload)?;
            let instance = cluster.instance_at(workload, place)?;
            let board = cluster.board_of(place.gpu);
            let Spot { gpu, start } = spot(place);
            let profile = board.profile(instance.profile);
            let details = InstanceDetails {
                profile: Some(profile.name.clone()),
                size: Some(profile.size),
                wasted: board.waste(instance),
                pinned: pinned(workload),
                from: from(workload),
            };
            let change = Change::of(cluster, placement, workload);
            Some(PlacedWorkload {
                workload: name(workload),
                gpu,
                start,
                details,
                change,
                count: None,
                every: None,
            })
        };
        let waits = |workload: WorkloadIndex| {
            let request = &cluster.requests[cluster.workloads[workload.index()].request.index()];
            let details = InstanceDetails {
                profile: Some(request.names.join("|")),
                size: cluster.memory_slices(workload),
                from: from(workload),
                ..InstanceDetails::default()
            };
            PendingWorkload { workload: name(workload), details, count: None }
        };
        let (before, after) = (cluster.current_placement().by_gpu(cluster), placement.by_gpu(cluster));
        let carries = |gpu: &GpuIndex| !before[gpu.index()].is_empty() || !after[gpu.index()].is_empty();
        let entry = |gpu: GpuIndex| GpuEntry {
            name: cluster.gpus[gpu.index()].name.clone(),
            board: cluster.board_of(gpu).name().to_owned(),
            slots: cluster.board_of(gpu).slots(),
            count: None,
        };
        SolutionDocument {
            model: Some(model.to_owned()),
            instance,
            reading: None,
            placement: Some(cluster.workload_indices().filter_map(placed).collect()),
            packing: None,
            plan: None,
            pending: pending.map(waits).collect(),
            repartitioned: None,
            gpus: cluster.gpu_indices().filter(carries).map(entry).collect(),
            score: None,
        }
    }

    /// Reads the placement back for the cluster of an instance.
    ///
    /// # Errors
    /// When it belongs to another instance, names unknown workloads or GPUs, or names a workload twice.
    pub fn resolve(
        &self,
        cluster: &Cluster,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Placement, InputError> {
        self.check_instance(&cluster.name, fingerprint, source)?;
        let workload_at = |position: usize| cluster.workloads[position].name.as_str();
        let workloads = NameIndex::of(cluster.workloads.len(), workload_at);
        let workload_named = |name: &str| {
            workloads.find(name, workload_at).map(WorkloadIndex::at).ok_or_else(|| {
                let guess = did_you_mean(name, (0..cluster.workloads.len()).map(workload_at));
                let message = format!(
                    "the solution names the workload `{name}`, which the instance does not have{guess}."
                );
                source.error_at_entry("workload", name, message)
            })
        };
        let gpus = GpuNames::of(cluster);
        let mut placement = Placement::new(vec![None; cluster.workloads.len()]);
        let placed = self.placement.as_ref().ok_or_else(|| {
            source.error("the solution has no `placement`. List every workload that has a place on a GPU.")
        })?;
        let mut complaints = Complaints::default();
        complaints.keep_each(placed, |placed| {
            let workload = workload_named(&placed.workload)?;
            let location = Location { gpu: gpus.find(&placed.gpu, source)?, start: SliceStart(placed.start) };
            if placement.of(workload).is_some() {
                let message = format!("the workload `{}` has two places. Keep one.", placed.workload);
                return Err(source.error_at_entry("workload", &placed.workload, message));
            }
            placement.set(workload, Some(location));
            Ok(())
        });
        complaints.keep_each(&self.pending, |PendingWorkload { workload: name, .. }| {
            if placement.of(workload_named(name)?).is_some() {
                let message = format!("the workload `{name}` is both placed and pending. Keep one.");
                return Err(source.error_at_entry("workload", name, message));
            }
            Ok(())
        });
        complaints.finish(Some(placement))
    }

    /// Checks that it belongs to the instance of this name and digest.
    ///
    /// # Errors
    /// When it belongs to another one.
    pub fn check_instance(
        &self,
        name: &str,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<(), InputError> {
        if let Some(other) = self.instance.fingerprint.as_deref().filter(|&other| other != fingerprint) {
            return Err(source.error(format!(
                "this solution belongs to another instance: it was made for \"{}\" ({other}), the instance given is \
                 \"{}\" ({fingerprint}). Give the instance it was made for, or solve again if that file has changed.",
                self.instance.name, name
            )));
        }
        if self.instance.name != name {
            return Err(source.error(format!(
                "this solution is for instance \"{}\", not for \"{}\". Give the instance it was made for.",
                self.instance.name, name
            )));
        }
        Ok(())
    }
}

/// The GPUs of a cluster by name.
pub struct GpuNames<'c> {
    cluster: &'c Cluster,
    index: NameIndex,
}

impl<'c> GpuNames<'c> {
    /// All GPUs.
    pub fn of(cluster: &'c Cluster) -> Self {
        let name_at = |position: usize| cluster.gpus[position].name.as_str();
        GpuNames { cluster, index: NameIndex::of(cluster.gpus.len(), name_at) }
    }

    /// The GPU that a solution names.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn find(&self, name: &str, source: &SourceText) -> Result<GpuIndex, InputError> {
        let found = self.index.find(name, |position| &self.cluster.gpus[position].name);
        found.map(GpuIndex::at).ok_or_else(|| {
            let guess = did_you_mean(name, self.cluster.gpus.iter().map(|gpu| gpu.name.as_str()));
            let message =
                format!("the solution names the GPU `{name}`, which the instance does not have{guess}.");
            source.error_at_entry("gpu", name, message)
        })
    }
}
