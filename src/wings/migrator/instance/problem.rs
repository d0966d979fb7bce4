//! A validated problem.

use super::allocation::Allocation;
use super::gpu::{Gpu, SizeIndex};
use crate::section::{Deployment, Readings, Signature};
use ground::{Amount, index_type};

index_type!(
    /// A model, by its position in [`Problem::models`].
    ModelIndex
);

/// A window of time on one GPU, and the models that serve and are retrained in it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Name of the instance.
    pub name: String,
    /// The GPU.
    pub gpu: Gpu,
    /// Seconds of a slot.
    pub basis: Amount,
    /// Slots of the window, S.
    pub slots: u32,
    /// How the paper's ambiguous rules are read.
    pub readings: Readings,
    /// The models.
    pub models: Vec<ModelTasks>,
    /// Units of goodput in one request: the goodput of every task in every slot is a whole number of units.
    pub units: i64,
    /// Remarks for the user about numbers that are legal, but look like slips.
    pub warnings: Vec<String>,
}

/// A model's inference task and retraining task.
#[derive(Clone, Debug)]
pub struct ModelTasks {
    /// Unique name.
    pub name: String,
    /// Size of the smallest instance on which the inference task can be deployed, L.
    pub minimum: SizeIndex,
    /// Requests per second that an instance of each size serves.
    pub capability: Vec<Amount>,
    /// Requests received in each slot.
    pub requests: Vec<Amount>,
    /// Accuracy until the retraining is complete.
    pub before: Amount,
    /// Accuracy from the slot after its completion on.
    pub after: Amount,
    /// Slots of retraining on an instance of each size, RT; `None` for a size that is not used.
    pub retraining: Vec<Option<u32>>,
    /// Seconds of a reconfiguration, psi.
    pub reconfiguration: Amount,
    /// Billions of floating-point operations per request.
    pub gflops: Option<Amount>,
    /// Instances before the window; without them the first allocation is free of cost.
    pub first: Option<Allocation>,
}

impl Problem {
    /// A model.
    pub fn model(&self, model: ModelIndex) -> &ModelTasks {
        &self.models[model.index()]
    }

    /// All models in the order of the instance.
    pub fn model_indices(&self) -> impl DoubleEndedIterator<Item = ModelIndex> + use<> {
        (0..self.models.len()).map(ModelIndex::at)
    }

    /// Whether the inference task of a model can be deployed on an allocation: row (5b).
    pub fn deploys(&self, model: ModelIndex, allocation: &Allocation) -> bool {
        let minimum = self.model(model).minimum;
        match self.readings.deployment {
            Deployment::Instance => {
                self.gpu.size_indices().any(|size| size >= minimum && allocation.count(size) > 0)
            }
            Deployment::Gpcs => self.gpu.gpcs(allocation) >= self.gpu.size(minimum).gpcs,
        }
    }

    /// Allocations that fit the GPU and on which the inference task can be deployed, in ascending order.
    pub fn allocations(&self, model: ModelIndex) -> Vec<Allocation> {
        self.gpu.fitting().filter(|allocation| self.deploys(model, allocation)).cloned().collect()
    }

    /// What a change of the allocation must change to be a reconfiguration: row (11).
    pub fn signature(&self, allocation: &Allocation) -> Vec<u32> {
        match self.readings.signature {
            Signature::Count => vec![allocation.instances(), self.gpu.gpcs(allocation)],
            Signature::Multiset => allocation.counts().iter().map(|&count| u32::from(count)).collect(),
        }
    }

    /// Sizes on which a model can be retrained within the window, with the slots that it takes.
    pub fn retraining_sizes(&self, model: ModelIndex) -> impl Iterator<Item = (SizeIndex, u32)> + '_ {
        let sizes = self.gpu.size_indices().zip(self.model(model).retraining.iter());
        sizes.filter_map(|(size, slots)| Some((size, (*slots)?))).filter(|&(_, slots)| slots <= self.slots)
    }
}
