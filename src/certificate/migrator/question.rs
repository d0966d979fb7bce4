//! What is asked, in plain terms: a window of time on one GPU, the models in it, and how the rules are read.

use ground::Amount;
use mig::{Board, ProfileIndex};

/// A question of model migrator.
#[derive(Clone)]
pub struct Question<'q> {
    /// The board of the GPU.
    pub board: &'q Board,
    /// Sizes of GPU instances, in ascending order.
    pub sizes: Vec<Size<'q>>,
    /// Slots of the window.
    pub slots: usize,
    /// Seconds of a slot.
    pub basis: Amount,
    /// How the rules are read, in the words of answers.
    pub reading: String,
    /// What a reconfiguration costs.
    pub reconfiguration: Reconfiguration,
    /// What an inference task needs at least.
    pub deployment: Deployment,
    /// What counts as a reconfiguration.
    pub signature: Signature,
    /// The models.
    pub models: Vec<Model<'q>>,
}

/// A size of GPU instances.
#[derive(Clone)]
pub struct Size<'q> {
    /// Its name.
    pub name: &'q str,
    /// Its GPCs.
    pub gpcs: u32,
    /// The board's profile.
    pub profile: ProfileIndex,
}

/// A model: an inference task, and a retraining that raises its accuracy.
#[derive(Clone)]
pub struct Model<'q> {
    /// Its name.
    pub name: &'q str,
    /// The smallest instance on which the inference task can be deployed, by the position of its size.
    pub minimum: usize,
    /// Requests per second that an instance of each size serves.
    pub capability: &'q [Amount],
    /// Requests received in each slot.
    pub requests: &'q [Amount],
    /// Accuracy until the retraining is complete.
    pub before: Amount,
    /// Accuracy from then on.
    pub after: Amount,
    /// Slots of the retraining on an instance of each size; none on a size that is not used.
    pub retraining: &'q [Option<u32>],
    /// Seconds of a reconfiguration.
    pub reconfiguration: Amount,
    /// Instances of the inference task before the window, by size; without them the first ones are free of cost.
    pub first: Option<&'q [u8]>,
}

/// What a reconfiguration costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reconfiguration {
    /// Its seconds, in its slot and at most the whole of it.
    Clip,
    /// Its seconds, in its slot and those after it.
    Carry,
    /// Its seconds divided by the number of instances, in its slot and at most the whole of it.
    Frac,
    /// Its seconds, in its slot, also beyond the whole of it.
    Charge,
}

/// What an inference task needs at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deployment {
    /// An instance of the minimum or a larger one; smaller ones serve nothing.
    Instance,
    /// As many GPCs as the minimum has.
    Gpcs,
}

/// What counts as a reconfiguration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signature {
    /// Another number of instances or of GPCs.
    Count,
    /// Another number of instances of some size.
    Multiset,
}

impl Question<'_> {
    /// Whether all lists are as long as they have to be, and all numbers in their ranges.
    pub fn is_sound(&self) -> bool {
        let is_amount = |amount: &Amount| !amount.is_negative();
        let is_share = |amount: &Amount| is_amount(amount) && *amount <= Amount::ONE;
        let of_model = |model: &Model<'_>| {
            model.minimum < self.sizes.len()
                && model.capability.len() == self.sizes.len()
                && model.retraining.len() == self.sizes.len()
                && model.requests.len() == self.slots
                && model.first.is_none_or(|first| first.len() == self.sizes.len())
                && model.capability.iter().chain(model.requests).all(is_amount)
                && is_amount(&model.reconfiguration)
                && is_share(&model.before)
                && is_share(&model.after)
                && !model.retraining.contains(&Some(0))
        };
        self.slots > 0 && self.basis > Amount::ZERO && self.models.iter().all(of_model)
    }

    /// GPCs of instances.
    pub fn gpcs(&self, counts: &[u8]) -> u32 {
        self.sizes.iter().zip(counts).map(|(size, &count)| size.gpcs * u32::from(count)).sum()
    }

    /// What has to change in a reconfiguration.
    pub fn signature_of(&self, counts: &[u8]) -> Vec<u32> {
        let instances = counts.iter().map(|&count| u32::from(count));
        match self.signature {
            Signature::Count => vec![instances.sum(), self.gpcs(counts)],
            Signature::Multiset => instances.collect(),
        }
    }

    /// Whether the inference task of a model can be deployed on instances.
    pub fn deploys(&self, model: &Model<'_>, counts: &[u8]) -> bool {
        match self.deployment {
            Deployment::Instance => counts[model.minimum..].iter().any(|&count| count > 0),
            Deployment::Gpcs => self.gpcs(counts) >= self.sizes[model.minimum].gpcs,
        }
    }
}
