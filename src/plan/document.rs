//! Plans as files: names instead of indices.

use crate::moves::{Kind, Move, Plan};
use crate::operations::{Operation, operations};
use crate::place::{Place, place};
use crate::spare::with_spares;
use crate::transition::{Backend, Limits, Transition};
use cluster::{Cluster, GpuIndex, Location, Spot, WorkloadIndex};
use ground::{Complaints, Fingerprint, InputError, NameIndex, SourceText, did_you_mean};
use mig::{GpuInstance, SliceStart};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A plan, as `migopt plan` writes it and `migopt verify` reads it. One written by hand needs `instance` and `rounds` alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt plan")]
pub struct PlanFile {
    /// The instance whose cluster it changes.
    pub instance: PlanInstance,
    /// Who changes the GPU instances.
    #[serde(default)]
    pub backend: Backend,
    /// How much may happen in one round.
    #[serde(default)]
    pub limits: Limits,
    /// What was minimised, the most important first: `stops`, `downtime`, `bounces`, `rounds`, `moves`, `plugin-restarts`, `gpus`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minimize: Vec<String>,
    /// Empty GPUs that are lent to the cluster until the plan is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spares: Vec<SpareGpu>,
    /// Where workloads shall be in the end; those not listed stay where they are. Interchangeable workloads may change places. Without
    /// it, the plan leads wherever its moves lead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Vec<TargetEntry>>,
    /// What the target was chosen for, where the plan chose it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<Promise>,
    /// Whether every bound is met, so that no plan is better.
    #[serde(default)]
    pub proved: bool,
    /// Why it is not proved, or what the proof leaves open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the plan costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// What every plan costs, among those that are as good in what comes earlier in `minimize`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// Rounds, one after the other. The moves of a round may run in any order or at once.
    pub rounds: Vec<RoundEntry>,
    /// What is done, one thing after the other. Left out, it is made from the rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<OperationEntry>,
    /// What the GPUs that the plan touches must look like before it begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<Expectation>,
}

/// Which instance a plan belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanInstance {
    /// The instance's name.
    pub name: String,
    /// The instance's digest; a plan written by hand may leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// An empty GPU that is lent to the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpareGpu {
    /// Its name.
    pub name: String,
    /// Its board.
    pub board: String,
}

/// Where a workload shall be in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    /// The workload.
    pub workload: String,
    /// Its place; none if it shall not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Spot>,
}

/// What an open target keeps of the answer that it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// So many workloads run in the end, at least.
    pub placed: u64,
    /// So many GPUs carry workloads in the end, at most.
    pub gpus: u64,
}

/// What a plan costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Interruptions of workloads that run on afterwards, mere restarts included.
    pub stops: u64,
    /// Those of the stops in which a workload with handover `restart` moves within one round.
    pub restarts: u64,
    /// Rounds that workloads are down for, added up; a restart within a round is none.
    pub downtime: u64,
    /// Temporary places.
    pub bounces: u64,
    /// Rounds.
    pub rounds: u64,
    /// Moves of running workloads, temporary places included; the first start of a newcomer is none.
    pub moves: u64,
    /// Newcomers that start.
    pub starts: u64,
    /// Pairs of a node and a round in which its GPU instances change: the device plugin of Kubernetes restarts for each.
    pub plugin_restarts: u64,
    /// GPUs that a workload enters or leaves.
    pub gpus: u64,
}

/// What every plan costs at least.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Of the stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stops: Option<Bound>,
    /// Of the downtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub downtime: Option<Bound>,
    /// Of the temporary places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounces: Option<Bound>,
    /// Of the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Bound>,
    /// Of the moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Bound>,
    /// Of the restarts of device plugins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin_restarts: Option<Bound>,
    /// Of the GPUs that a workload enters or leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<Bound>,
}

/// A value that no plan goes below, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// The value.
    pub value: u64,
    /// Why.
    pub by: By,
    /// Moves of which each waits for the one before it, so that each needs a round of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<WayEntry>,
    /// Moves that wait for each other in a circle, so that one of them has to step aside. No two circles have a workload in common.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycles: Vec<Vec<WayEntry>>,
}

/// Why no plan goes below a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Places of the target that are not held now, and workloads with handover `restart` among those that have to move.
    Difference,
    /// A chain.
    Chain,
    /// Circles.
    Cycles,
    /// No workload can move at all before one stops.
    Stuck,
    /// A limit on what may happen in one round.
    Limits,
    /// A search through all plans that are better.
    Search,
}

/// A workload that has to leave a place and one of its class that has to enter another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WayEntry {
    /// The workload that is at `from` now.
    pub workload: String,
    /// The place to be left; none for a newcomer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Spot>,
    /// The place of the target that it, or one like it, is to enter.
    pub to: Spot,
}

/// A round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundEntry {
    /// Its moves.
    pub moves: Vec<MoveEntry>,
}

/// What one workload does in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveEntry {
    /// The workload.
    pub workload: String,
    /// The place that it leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Spot>,
    /// The place that it enters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Spot>,
    /// How.
    pub kind: Kind,
    /// Whether `to` is a temporary place, which it leaves in a later round.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub via: bool,
}

/// What is done to a GPU or to a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationEntry {
    /// In which round, counted from 1.
    pub round: u32,
    /// What.
    pub operation: OperationName,
    /// The GPU.
    pub gpu: String,
    /// The profile of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// First memory slot of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u8>,
    /// The workload that starts, takes over or stops there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// All instances that the GPU has afterwards, when it is laid out anew: profile and start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<InstanceEntry>,
}

/// A GPU instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstanceEntry {
    /// Its profile.
    pub profile: String,
    /// Its first memory slot.
    pub start: u8,
}

/// Kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OperationName {
    /// A GPU instance is made.
    Create,
    /// An idle GPU instance is removed.
    Destroy,
    /// A GPU on which nothing runs is laid out anew.
    Repartition,
    /// A copy of a workload starts on an instance.
    Start,
    /// The copy on this instance takes over.
    Switch,
    /// The copy on this instance stops.
    Stop,
}

/// What a GPU must look like before a plan begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The GPU.
    pub gpu: String,
    /// The instances that workloads hold, in the order of their slots.
    pub layout: Vec<InstanceEntry>,
    /// A digest of the layout.
    pub hash: String,
}

impl Expectation {
    /// What a GPU looks like now.
    pub fn now(transition: &Transition, gpu: GpuIndex) -> Self {
        let cluster = &transition.cluster;
        let here = transition.present().map(|(_, place)| place).filter(|place| place.gpu == gpu);
        let mut instances: Vec<GpuInstance> = here.map(|place| place.instance).collect();
        instances.sort_by_key(|instance| (instance.start, instance.profile));
        let board = cluster.board_of(gpu);
        let text: Vec<String> = instances.iter().map(|&instance| board.instance_name(instance)).collect();
        Expectation {
            gpu: cluster.gpus[gpu.index()].name.clone(),
            layout: instances.iter().map(|&instance| instance_entry(cluster, gpu, instance)).collect(),
            hash: Fingerprint::of(&text.join("\n")),
        }
    }
}

/// A plan of a file, for the cluster of its instance.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What it is a plan for.
    pub transition: Transition,
    /// Whether the file names a target.
    pub has_target: bool,
    /// The rounds.
    pub plan: Plan,
    /// What is done in each round.
    pub operations: Vec<Vec<Operation>>,
}

impl PlanFile {
    /// Writes a plan down: rounds, operations and what it expects. Everything else is left as it is.
    pub fn describe(&mut self, transition: &Transition, plan: &Plan) {
        let cluster = &transition.cluster;
        let moved = |step: &Move| MoveEntry {
            workload: cluster.workloads[step.workload.index()].name.clone(),
            from: step.from.map(|place| spot(cluster, place)),
            to: step.to.map(|place| spot(cluster, place)),
            kind: step.kind,
            via: step.via,
        };
        let round = |round: &Vec<Move>| RoundEntry { moves: round.iter().map(moved).collect() };
        self.rounds = plan.rounds.iter().map(round).collect();
        let done = operations(transition, plan);
        self.operations = done
            .iter()
            .zip(1..)
            .flat_map(|(round, number)| round.iter().map(move |done| operation_entry(cluster, number, done)))
            .collect();
        let steps = || plan.rounds.iter().flatten();
        let mut touched: Vec<GpuIndex> =
            steps().flat_map(|step| [step.from, step.to]).flatten().map(|place| place.gpu).collect();
        touched.sort_unstable();
        touched.dedup();
        self.expects = touched.into_iter().map(|gpu| Expectation::now(transition, gpu)).collect();
        let changed = cluster.workload_indices().filter(|workload| {
            transition.target.of(*workload) != cluster.workloads[workload.index()].current
        });
        let entry = |workload: WorkloadIndex| TargetEntry {
            workload: cluster.workloads[workload.index()].name.clone(),
            place: transition.target.of(workload).map(|location| cluster.spot(location)),
        };
        self.target = Some(changed.map(entry).collect());
        self.backend = transition.backend;
        self.limits = transition.limits;
    }

    /// Reads the plan back for the cluster of an instance.
    ///
    /// # Errors
    /// When it belongs to another instance, or names workloads, GPUs or profiles that there are not.
    pub fn resolve(
        &self,
        cluster: &Arc<Cluster>,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Resolved, InputError> {
        if self.instance.name != cluster.name {
            return Err(source.error(format!(
                "this plan is for instance \"{}\", not for \"{}\". Give the instance it was made for.",
                self.instance.name, cluster.name
            )));
        }
        if self.instance.fingerprint.as_deref().is_some_and(|other| other != fingerprint) {
            return Err(source.error(
                "this plan was made for the instance as it was before it changed. Give that one, or plan again.",
            ));
        }
        let cluster = if self.spares.is_empty() {
            Arc::clone(cluster)
        } else {
            let spares = self.spares.iter().map(|spare| (spare.name.as_str(), spare.board.as_str()));
            let lent = with_spares(cluster, spares);
            Arc::new(
                lent.map_err(|message| source.error_at_key(&["spares"], format!("`spares`: {message}")))?,
            )
        };
        let names = Names::of(&cluster, source);
        let mut complaints = Complaints::default();
        let mut target = cluster.current_placement();
        for entry in self.target.iter().flatten() {
            let read = || {
                let workload = names.workload(&entry.workload)?;
                let place = entry.place.as_ref().map(|spot| names.place(workload, spot)).transpose()?;
                Ok((workload, place))
            };
            if let Some((workload, place)) = complaints.keep(read()) {
                let location = place.map(|place| Location { gpu: place.gpu, start: place.instance.start });
                target.set(workload, location);
            }
        }
        let mut plan = Plan::default();
        for round in &self.rounds {
            let mut moves = complaints.keep_each(&round.moves, |entry| names.step(entry));
            moves.sort_unstable();
            plan.rounds.push(moves);
        }
        if self.target.is_none() {
            for step in plan.rounds.iter().flatten() {
                let location = step.to.map(|place| Location { gpu: place.gpu, start: place.instance.start });
                target.set(step.workload, location);
            }
        }
        let mut done: Vec<Vec<Operation>> = vec![Vec::new(); self.rounds.len()];
        for (entry, operation) in self
            .operations
            .iter()
            .zip(&complaints.keep_each(&self.operations, |entry| names.operation(entry)))
        {
            match done.get_mut((entry.round as usize).wrapping_sub(1)) {
                Some(round) => round.push(operation.clone()),
                None => {
                    let rounds = self.rounds.len();
                    let message = format!(
                        "`operations`: there is no round {} among {rounds}. Count rounds from 1.",
                        entry.round
                    );
                    complaints.add(source.error_at_key(&["operations"], message));
                }
            }
        }
        complaints.finish(Some(()))?;
        let transition = Transition::new(cluster.clone(), target, self.limits, self.backend)
            .map_err(|message| source.error(message))?;
        if self.operations.is_empty() {
            done = operations(&transition, &plan);
        }
        Ok(Resolved { transition, has_target: self.target.is_some(), plan, operations: done })
    }
}

/// What the names in a plan stand for.
struct Names<'a> {
    cluster: &'a Cluster,
    source: &'a SourceText,
    workloads: NameIndex,
    gpus: NameIndex,
}

impl<'a> Names<'a> {
    fn of(cluster: &'a Cluster, source: &'a SourceText) -> Self {
        let workloads = NameIndex::of(cluster.workloads.len(), |at| &cluster.workloads[at].name);
        let gpus = NameIndex::of(cluster.gpus.len(), |at| &cluster.gpus[at].name);
        Names { cluster, source, workloads, gpus }
    }

    fn workload(&self, name: &str) -> Result<WorkloadIndex, InputError> {
        let found = self.workloads.find(name, |at| &self.cluster.workloads[at].name);
        found.map(WorkloadIndex::at).ok_or_else(|| {
            let guess = did_you_mean(name, self.cluster.workloads.iter().map(|known| known.name.as_str()));
            let message =
                format!("the plan names the workload `{name}`, which the instance does not have{guess}.");
            self.source.error_at_entry("workload", name, message)
        })
    }

    fn gpu(&self, name: &str) -> Result<GpuIndex, InputError> {
        let found = self.gpus.find(name, |at| &self.cluster.gpus[at].name);
        found.map(GpuIndex::at).ok_or_else(|| {
            let guess = did_you_mean(name, self.cluster.gpus.iter().map(|known| known.name.as_str()));
            let message =
                format!("the plan names the GPU `{name}`, which the instance does not have{guess}.");
            self.source.error_at_entry("gpu", name, message)
        })
    }

    fn place(&self, workload: WorkloadIndex, spot: &Spot) -> Result<Place, InputError> {
        let location = Location { gpu: self.gpu(&spot.gpu)?, start: SliceStart(spot.start) };
        place(self.cluster, workload, location).ok_or_else(|| {
            let name = &self.cluster.workloads[workload.index()].name;
            let board = self.cluster.board_of(location.gpu).name();
            let message = format!(
                "the plan puts `{name}` on {}, but a {board} has no profile for it. Name another GPU.",
                spot.gpu
            );
            self.source.error_at_entry("workload", name, message)
        })
    }

    fn step(&self, entry: &MoveEntry) -> Result<Move, InputError> {
        let workload = self.workload(&entry.workload)?;
        let place = |spot: &Option<Spot>| spot.as_ref().map(|spot| self.place(workload, spot)).transpose();
        let (from, to) = (place(&entry.from)?, place(&entry.to)?);
        let needed = match entry.kind {
            Kind::Surge | Kind::Restart => (true, true),
            Kind::Stop => (true, false),
            Kind::Start => (false, true),
        };
        if (from.is_some(), to.is_some()) != needed {
            let message = format!(
                "the move of `{}`: kind `{}` has {}. Correct it.",
                entry.workload,
                entry.kind,
                match needed {
                    (true, true) => "`from` and `to`",
                    (true, false) => "`from` alone",
                    _ => "`to` alone",
                }
            );
            return Err(self.source.error_at_entry("workload", &entry.workload, message));
        }
        Ok(Move { workload, from, to, kind: entry.kind, via: entry.via })
    }

    fn instance(&self, gpu: GpuIndex, profile: &str, start: u8) -> Result<GpuInstance, InputError> {
        let board = self.cluster.board_of(gpu);
        let found = board.find_profile(profile).ok_or_else(|| {
            let known = board.profiles().iter().map(|profile| profile.name.as_str());
            let message =
                format!("a {} has no profile \"{profile}\"{}.", board.name(), did_you_mean(profile, known));
            self.source.error_at_entry("profile", profile, message)
        })?;
        Ok(GpuInstance { profile: found, start: SliceStart(start) })
    }

    fn operation(&self, entry: &OperationEntry) -> Result<Operation, InputError> {
        let gpu = self.gpu(&entry.gpu)?;
        let lacks = |field: &str| {
            self.source.error_at_key(
                &["operations"],
                format!("an operation on {} lacks `{field}`. Add it.", entry.gpu),
            )
        };
        if entry.operation == OperationName::Repartition {
            let instance = |of: &InstanceEntry| self.instance(gpu, &of.profile, of.start);
            let layout: Result<Vec<GpuInstance>, InputError> = entry.layout.iter().map(instance).collect();
            return Ok(Operation::Repartition(gpu, layout?));
        }
        let profile = entry.profile.as_ref().ok_or_else(|| lacks("profile"))?;
        let start = entry.start.ok_or_else(|| lacks("start"))?;
        let place = Place { gpu, instance: self.instance(gpu, profile, start)? };
        let workload = || self.workload(entry.workload.as_ref().ok_or_else(|| lacks("workload"))?);
        Ok(match entry.operation {
            OperationName::Create => Operation::Create(place),
            OperationName::Destroy => Operation::Destroy(place),
            OperationName::Start => Operation::Start(workload()?, place),
            OperationName::Switch => Operation::Switch(workload()?, place),
            OperationName::Stop => Operation::Stop(workload()?, place),
            OperationName::Repartition => unreachable!("it is dealt with above"),
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Kind::Surge => "surge",
            Kind::Restart => "restart",
            Kind::Stop => "stop",
            Kind::Start => "start",
        })
    }
}

/// A place by the names of its GPU and the slot at which it starts.
pub fn spot(cluster: &Cluster, place: Place) -> Spot {
    cluster.spot(Location { gpu: place.gpu, start: place.instance.start })
}

fn instance_entry(cluster: &Cluster, gpu: GpuIndex, instance: GpuInstance) -> InstanceEntry {
    let profile = cluster.board_of(gpu).profile(instance.profile);
    InstanceEntry { profile: profile.name.clone(), start: instance.start.0 }
}

fn operation_entry(cluster: &Cluster, round: u32, done: &Operation) -> OperationEntry {
    let gpu_name = |gpu: GpuIndex| cluster.gpus[gpu.index()].name.clone();
    let on = |operation, place: Place, workload: Option<WorkloadIndex>| {
        let InstanceEntry { profile, start } = instance_entry(cluster, place.gpu, place.instance);
        OperationEntry {
            round,
            operation,
            gpu: gpu_name(place.gpu),
            profile: Some(profile),
            start: Some(start),
            workload: workload.map(|workload| cluster.workloads[workload.index()].name.clone()),
            layout: Vec::new(),
        }
    };
    match *done {
        Operation::Create(place) => on(OperationName::Create, place, None),
        Operation::Destroy(place) => on(OperationName::Destroy, place, None),
        Operation::Start(workload, place) => on(OperationName::Start, place, Some(workload)),
        Operation::Switch(workload, place) => on(OperationName::Switch, place, Some(workload)),
        Operation::Stop(workload, place) => on(OperationName::Stop, place, Some(workload)),
        Operation::Repartition(gpu, ref layout) => OperationEntry {
            round,
            operation: OperationName::Repartition,
            gpu: gpu_name(gpu),
            profile: None,
            start: None,
            workload: None,
            layout: layout.iter().map(|&instance| instance_entry(cluster, gpu, instance)).collect(),
        },
    }
}
