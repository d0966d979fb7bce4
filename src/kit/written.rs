//! Solutions that are written down entry by entry, such as heuristics outside the crate.

use super::plan::PlannedTask;
use super::solution::{
    InstanceDetails, InstanceReference, PackedServer, PendingWorkload, PlacedWorkload, SolutionDocument,
};
use super::wing::Shape;
use cluster::{Cluster, Placement};

/// What solutions can be written for.
pub trait Solvable {
    /// A solution in which nothing has a place yet.
    fn blank(&self) -> SolutionDocument;

    /// The cluster whose workloads are placed.
    fn cluster(&self) -> &Cluster;
}

impl SolutionDocument {
    /// A solution of the instance under its model in which nothing has a place yet. Add to it with
    /// [`place`](SolutionDocument::place) (workloads on GPUs), [`pack`](SolutionDocument::pack) (virtual machines on servers) or
    /// [`plan`](SolutionDocument::plan) (a window of time).
    pub fn of(instance: &impl Solvable) -> Self {
        instance.blank()
    }

    /// A solution of a shape in which nothing has a place yet.
    pub fn blank(model: &str, instance: InstanceReference, shape: Shape) -> Self {
        SolutionDocument {
            model: Some(model.to_owned()),
            placement: (shape == Shape::Placement).then(Vec::new),
            packing: (shape == Shape::Packing).then(Vec::new),
            ..Self::to(instance)
        }
    }

    /// The solution of a question about GPUs in which nothing has a place yet, for who knows the question alone that external
    /// heuristics read: the entry `instance` of it.
    pub fn to(instance: InstanceReference) -> Self {
        SolutionDocument {
            model: None,
            instance,
            reading: None,
            placement: Some(Vec::new()),
            packing: None,
            plan: None,
            pending: Vec::new(),
            repartitioned: None,
            gpus: Vec::new(),
            score: None,
        }
    }

    /// The solution in which everything is where a placement has it.
    pub fn of_placement(instance: &impl Solvable, placement: &Placement) -> Self {
        let cluster = instance.cluster();
        cluster.workload_indices().fold(SolutionDocument::of(instance), |solution, index| {
            let name = &cluster.workloads[index.index()].name;
            match placement.of(index).map(|place| cluster.spot(place)) {
                Some(spot) => solution.place(name, spot.gpu, spot.start),
                None => solution.leave(name),
            }
        })
    }

    /// Adds a workload's place: a GPU, and the first memory slot of its GPU instance there.
    pub fn place(mut self, workload: impl Into<String>, gpu: impl Into<String>, start: u8) -> Self {
        self.placement.get_or_insert_default().push(PlacedWorkload {
            workload: workload.into(),
            gpu: gpu.into(),
            start,
            details: InstanceDetails::default(),
            change: None,
            count: None,
            every: None,
        });
        self
    }

    /// Says that a workload has no place; those that are not named have none either.
    pub fn leave(mut self, workload: impl Into<String>) -> Self {
        self.placement.get_or_insert_default();
        self.pending.push(PendingWorkload {
            workload: workload.into(),
            details: InstanceDetails::default(),
            count: None,
        });
        self
    }

    /// Adds a server and the virtual machines on it.
    pub fn pack<V: Into<String>>(
        mut self,
        server: impl Into<String>,
        vms: impl IntoIterator<Item = V>,
    ) -> Self {
        self.placement.take_if(|placed| placed.is_empty());
        let vms = vms.into_iter().map(Into::into).collect();
        self.packing.get_or_insert_default().push(PackedServer { server: server.into(), vms, load: None });
        self
    }

    /// Adds what happens to a model of a window of time.
    pub fn plan(mut self, task: PlannedTask) -> Self {
        self.placement.take_if(|placed| placed.is_empty());
        self.plan.get_or_insert_default().tasks.push(task);
        self
    }
}
