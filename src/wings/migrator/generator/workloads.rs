//! What the paper's evaluation runs (section 5.1): the networks of Table 3, the retraining data, the workloads of Table 4; and
//! how long their tasks take.

use super::series::Shape;
use ground::Amount;

/// Milliseconds of a request that do not depend on the instance.
const LAUNCH_MILLISECONDS: f64 = 2.0;
/// Billions of operations that one GPC does in a millisecond, at a batch of one.
const GFLOPS_PER_MILLISECOND: f64 = 1.2;
/// Training on a sample takes so many times as long as inference on it (section 4.1.2).
const TRAINING_FACTOR: f64 = 3.0;

/// A network of Table 3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Its name in flags and instances.
    pub name: &'static str,
    /// Billions of floating-point operations per request.
    pub gflops: f64,
    /// Seconds of a reconfiguration without pre-initialisation: Figure 5 for `convnext`, `resnet50` and `mobilenet`; the others
    /// between them by size, which is an assumption.
    pub reconfiguration_seconds: f64,
    /// Whether it reads text, and is retrained with NC-20-Newsgroups; else images.
    pub reads_text: bool,
}

const fn network(name: &'static str, gflops: f64, reconfiguration_seconds: f64) -> Network {
    Network { name, gflops, reconfiguration_seconds, reads_text: false }
}

const BERT: Network = Network { reads_text: true, ..network("bert", 22.2, 6.2) };
const VIT: Network = network("vit", 17.56, 5.8);
const CONVNEXT: Network = network("convnext", 15.36, 6.0);
const INCEPTION: Network = network("inception", 5.71, 4.5);
const RESNET50: Network = network("resnet50", 4.09, 4.2);
const MOBILENET: Network = network("mobilenet", 0.32, 3.5);

/// All networks, the largest first.
pub const NETWORKS: [Network; 6] = [BERT, VIT, CONVNEXT, INCEPTION, RESNET50, MOBILENET];

/// The pairs of Table 4: w1 to w8, and again w9 to w16.
const PAIRS: [[Network; 2]; 8] = [
    [BERT, VIT],
    [BERT, CONVNEXT],
    [VIT, CONVNEXT],
    [BERT, INCEPTION],
    [VIT, RESNET50],
    [CONVNEXT, MOBILENET],
    [INCEPTION, RESNET50],
    [RESNET50, MOBILENET],
];

impl Network {
    /// Milliseconds of a request on an instance: a launch and the operations at the rate of its GPCs.
    fn milliseconds(&self, gpcs: u32) -> f64 {
        LAUNCH_MILLISECONDS + self.gflops / (GFLOPS_PER_MILLISECOND * f64::from(gpcs))
    }

    /// Requests per second that an instance serves one after the other.
    pub fn capability(&self, gpcs: u32) -> Amount {
        thousandths(1000.0 / self.milliseconds(gpcs))
    }

    /// Seconds of retraining with so many samples on an instance: the paper's rule of three times the inference.
    pub fn retraining_seconds(&self, samples: f64, gpcs: u32) -> Amount {
        thousandths(samples * TRAINING_FACTOR * self.milliseconds(gpcs) / 1000.0)
    }
}

/// What models are retrained with in a window.
///
/// The paper names the sets and prints neither volumes nor accuracies. Assumed: a window retrains with the new classes that
/// the sets bring, of images with a fifth, so that retraining fits 200 seconds beside inference; and accuracies move the more,
/// the larger the part of the classes that is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetrainingData {
    /// Two new classes of ten in each window, 5,000 images each.
    Cifar10,
    /// Five new classes of fifty in each window, 2,400 images each.
    Core50,
    /// Two new classes of twenty in each window, 566 texts each.
    Newsgroups20,
}

impl RetrainingData {
    /// Its name in the paper.
    pub fn title(self) -> &'static str {
        match self {
            RetrainingData::Cifar10 => "NC-CIFAR-10",
            RetrainingData::Core50 => "NC-CORe50",
            RetrainingData::Newsgroups20 => "NC-20-Newsgroups",
        }
    }

    /// Samples of a window.
    pub fn samples(self) -> f64 {
        match self {
            RetrainingData::Cifar10 => 2_000.0,
            RetrainingData::Core50 => 2_400.0,
            RetrainingData::Newsgroups20 => 1_132.0,
        }
    }

    /// From where to where the accuracy before retraining is drawn, in ten-thousandths.
    pub fn accuracies(self) -> (u32, u32) {
        match self {
            RetrainingData::Cifar10 => (5_500, 7_000),
            RetrainingData::Core50 => (6_000, 7_500),
            RetrainingData::Newsgroups20 => (4_500, 6_500),
        }
    }

    /// From where to where it is drawn what retraining adds, in ten-thousandths.
    pub fn gains(self) -> (u32, u32) {
        match self {
            RetrainingData::Cifar10 => (1_000, 2_500),
            RetrainingData::Core50 => (500, 1_800),
            RetrainingData::Newsgroups20 => (1_200, 3_000),
        }
    }
}

/// Networks that run together, and what those that read images are retrained with.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Its name in instances.
    pub name: String,
    /// Its networks.
    pub networks: Vec<Network>,
    /// What those that read images are retrained with.
    pub images: RetrainingData,
}

impl Default for Workload {
    /// The first of Table 4.
    fn default() -> Self {
        Workload::of_table_4(1).expect("Table 4 begins with 1")
    }
}

impl Workload {
    /// A workload of Table 4, by its number from 1 to 16; `None` for other numbers.
    pub fn of_table_4(number: usize) -> Option<Self> {
        let position = number.checked_sub(1).filter(|&position| position < 2 * PAIRS.len())?;
        Some(Workload {
            name: format!("w{number}"),
            networks: PAIRS[position % PAIRS.len()].to_vec(),
            images: if position < PAIRS.len() { RetrainingData::Cifar10 } else { RetrainingData::Core50 },
        })
    }

    /// Other networks together.
    pub fn of_networks(networks: Vec<Network>, images: RetrainingData) -> Self {
        let mut parts: Vec<&str> = networks.iter().map(|network| network.name).collect();
        parts.extend((images == RetrainingData::Core50).then_some("core50"));
        Workload { name: parts.join("-"), networks, images }
    }

    /// What a network of it is retrained with.
    pub fn data_of(&self, network: &Network) -> RetrainingData {
        if network.reads_text { RetrainingData::Newsgroups20 } else { self.images }
    }

    /// The shape of the requests to the network at a position: as in Table 4 Alibaba's for the first, Azure's for the second,
    /// and so on in turn.
    pub fn shape(position: usize) -> Shape {
        if position.is_multiple_of(2) { Shape::Alibaba } else { Shape::Azure }
    }
}

/// The number, rounded to three digits after the point.
pub fn thousandths(number: f64) -> Amount {
    Amount::from_millionths((1000.0 * number).round() as i128 * 1000)
}
