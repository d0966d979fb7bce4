//! Small instances of model migrator.
//!
//! Drawn are windows of some slots of half a second to two seconds on several boards, the readings, and models with capabilities and
//! times of retraining that grow and fall with the size of an instance in several ways, sizes on which a model serves nothing or is not
//! retrained, minimum instances, first allocations, times of reconfiguration from none to longer than a slot, and accuracies that
//! retraining raises or lowers. Some instances are infeasible, as minimum instances do not fit beside each other or retrainings take
//! too long.
//!
//! Never drawn are files with requests, and first allocations that do not fit the board alone; those of several models need not
//! fit together.

use super::amounts::costs;
use super::boards::{self, Choice};
use ground::Amount;
use kit::located;
use migrator::{
    Accuracy, Deployment, Gpu, ModelSection, Readings, Reconfiguration, Section, Signature, Size,
};
use models::InstanceFile;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;

/// Bounds of what is drawn.
#[derive(Clone, Debug)]
pub struct Parameters {
    most_models: usize,
    most_slots: usize,
    boards: Vec<String>,
    own_geometry: bool,
}

impl Default for Parameters {
    /// Up to two models and four slots, of all that this strategy can draw.
    fn default() -> Self {
        Parameters {
            most_models: 2,
            most_slots: 4,
            boards: ["A30-24GB", "A100-40GB"].map(str::to_owned).to_vec(),
            own_geometry: true,
        }
    }
}

impl Parameters {
    /// At most so many models, and at least one.
    pub fn most_models(self, most: usize) -> Self {
        Parameters { most_models: most.max(1), ..self }
    }

    /// At most so many slots, and at least one.
    pub fn most_slots(self, most: usize) -> Self {
        Parameters { most_slots: most.max(1), ..self }
    }

    /// Only these boards of the catalogue, the plainest first. The strategy panics if the catalogue does not have one of them.
    pub fn boards(self, names: &[&str]) -> Self {
        Parameters { boards: names.iter().map(|&name| name.to_owned()).collect(), ..self }
    }

    /// Whether boards are drawn as well whose geometry the instance gives.
    pub fn own_geometry(self, own_geometry: bool) -> Self {
        Parameters { own_geometry, ..self }
    }
}

/// How speed grows with the GPCs of an instance.
#[derive(Clone, Copy, Debug)]
enum Growth {
    Proportional,
    /// Slower than the GPCs.
    Concave,
    /// Faster than the GPCs.
    Convex,
    /// Not at all.
    Flat,
}

impl Growth {
    /// Hundredths of the speed on one GPC.
    fn hundredths(self, gpcs: u32) -> i128 {
        let gpcs = i128::from(gpcs);
        match self {
            Growth::Proportional => 100 * gpcs,
            Growth::Concave => 300 * gpcs / (gpcs + 2),
            Growth::Convex => 50 * gpcs * (gpcs + 1),
            Growth::Flat => 100,
        }
    }
}

fn growth() -> impl Strategy<Value = Growth> {
    select(vec![Growth::Proportional, Growth::Concave, Growth::Convex, Growth::Flat])
}

/// The inference task of a model before it is written down. Numbers of sizes are taken modulo what there is.
#[derive(Clone, Debug)]
struct Inference {
    minimum: Option<usize>,
    /// Requests per second on one GPC.
    rate: i128,
    growth: Growth,
    /// A size that serves nothing.
    unable: Option<usize>,
    /// By slot, in hundredths of what the GPCs of the board serve at the rate of one.
    requests: Vec<i128>,
    /// Thousandths of a slot that a reconfiguration takes.
    reconfiguration: i128,
    /// The number of an allocation among all that fit.
    first: Option<usize>,
    gflops: Option<Amount>,
}

/// The retraining task of a model before it is written down.
#[derive(Clone, Debug)]
struct Retraining {
    /// Hundredths of the window that it takes on one GPC.
    work: i128,
    growth: Growth,
    /// A bit for each size that is not used; if that is all of them, the largest is.
    left_out: u8,
    /// Accuracies before and after it, in hundredths.
    accuracy: [i128; 2],
}

/// An instance before it is written down.
#[derive(Clone, Debug)]
struct Draw {
    models: Vec<(Inference, Retraining)>,
    slots: usize,
    choice: Choice,
    /// Thousandths of a second.
    basis: i128,
    readings: Readings,
}

/// The instances as plain data.
pub(super) fn files(parameters: &Parameters) -> impl Strategy<Value = InstanceFile> + use<> {
    let board = boards::one_of(&parameters.boards, parameters.own_geometry);
    let model = (inference(parameters.most_slots), retraining());
    // What comes first shrinks first: few models need few slots.
    (
        proptest::collection::vec(model, 1..=parameters.most_models),
        1..=parameters.most_slots,
        board,
        select(vec![1000, 1000, 500, 2000]),
        readings(),
    )
        .prop_map(|(models, slots, choice, basis, readings)| {
            Draw { models, slots, choice, basis, readings }.file()
        })
}

fn readings() -> impl Strategy<Value = Readings> {
    let reconfiguration = select(vec![
        Reconfiguration::Clip,
        Reconfiguration::Carry,
        Reconfiguration::Frac,
        Reconfiguration::Charge,
    ]);
    let deployment = select(vec![Deployment::Instance, Deployment::Gpcs]);
    let signature = select(vec![Signature::Count, Signature::Multiset]);
    (reconfiguration, deployment, signature).prop_map(|(reconfiguration, deployment, signature)| Readings {
        reconfiguration,
        deployment,
        signature,
    })
}

fn inference(slots: usize) -> impl Strategy<Value = Inference> {
    (
        proptest::option::weighted(0.3, 0..8usize),
        1..50i128,
        growth(),
        proptest::option::weighted(0.1, 0..8usize),
        proptest::collection::vec(0..=100i128, slots),
        select(vec![0, 300, 700, 1000, 2000, 2500]),
        proptest::option::weighted(0.4, 0..256usize),
        proptest::option::weighted(0.5, costs(30)),
    )
        .prop_map(|(minimum, rate, growth, unable, requests, reconfiguration, first, gflops)| {
            Inference { minimum, rate, growth, unable, requests, reconfiguration, first, gflops }
        })
}

fn retraining() -> impl Strategy<Value = Retraining> {
    let left_out = prop_oneof![2 => Just(0), 1 => any::<u8>()];
    (1..=100i128, growth(), left_out, 30..=70i128, -5..=30i128).prop_map(
        |(work, growth, left_out, before, gain)| Retraining {
            work,
            growth,
            left_out,
            accuracy: [before, before + gain],
        },
    )
}

fn thousandths(number: i128) -> Amount {
    Amount::from_millionths(1_000 * number)
}

fn hundredths(number: i128) -> Amount {
    thousandths(10 * number)
}

impl Draw {
    fn file(&self) -> InstanceFile {
        let gpu = Gpu::new(self.choice.board.clone()).expect("the boards to draw from are small");
        let model = |(number, (inference, retraining)): (usize, &(Inference, Retraining))| {
            located(self.model(number, inference, retraining, &gpu))
        };
        let Readings { reconfiguration, deployment, signature } = self.readings;
        let section = Section {
            board: self.choice.board.name().to_owned(),
            window_seconds: thousandths(self.window()),
            basis_seconds: thousandths(self.basis),
            reconfiguration,
            deployment,
            signature,
            models: self.models.iter().enumerate().map(model).collect(),
        };
        InstanceFile {
            name: "sample".to_owned(),
            boards: boards::section([&self.choice]),
            migrator: Some(section),
            ..InstanceFile::default()
        }
    }

    /// Thousandths of a second.
    fn window(&self) -> i128 {
        self.basis * self.slots as i128
    }

    fn model(
        &self,
        number: usize,
        inference: &Inference,
        retraining: &Retraining,
        gpu: &Gpu,
    ) -> ModelSection {
        let [before, after] = retraining.accuracy.map(hundredths);
        ModelSection {
            name: format!("m{number}"),
            minimum_instance: inference.minimum.map(|size| gpu.sizes[size % gpu.sizes.len()].name.clone()),
            capability: inference.capability(gpu),
            accuracy: Accuracy { before, after },
            retraining_seconds: retraining.seconds(self.window(), gpu),
            reconfiguration_seconds: Amount::from_millionths(inference.reconfiguration * self.basis),
            gflops: inference.gflops,
            requests: Some(inference.requests(self.slots, self.basis, gpu)),
            requests_from: None,
            first_allocation: inference.first_allocation(gpu),
        }
    }
}

impl Inference {
    fn capability(&self, gpu: &Gpu) -> BTreeMap<String, Amount> {
        let unable = self.unable.map(|size| size % gpu.sizes.len());
        let able = gpu.sizes.iter().enumerate().filter(|&(number, _)| Some(number) != unable);
        able.map(|(_, size)| (size.name.clone(), hundredths(self.rate * self.growth.hundredths(size.gpcs))))
            .collect()
    }

    fn requests(&self, slots: usize, basis: i128, gpu: &Gpu) -> Vec<Amount> {
        let most = self.rate * i128::from(gpu.board.compute()) * basis;
        // Hundredths of thousandths.
        self.requests.iter().take(slots).map(|share| Amount::from_millionths(share * most * 10)).collect()
    }

    fn first_allocation(&self, gpu: &Gpu) -> Option<Vec<String>> {
        let number = self.first? % gpu.fitting().count();
        let allocation = gpu.fitting().nth(number)?;
        let several = |(size, &count): (&Size, &u8)| vec![size.name.clone(); count.into()];
        Some(gpu.sizes.iter().zip(allocation.counts()).flat_map(several).collect())
    }
}

impl Retraining {
    /// Seconds by size, in tenths and at least one of them.
    fn seconds(&self, window: i128, gpu: &Gpu) -> BTreeMap<String, Amount> {
        let largest = gpu.sizes.len() - 1;
        let all = (1u32 << gpu.sizes.len()) - 1;
        let left_out = u32::from(self.left_out);
        let is_used =
            |number: usize| left_out >> number & 1 == 0 || (left_out & all == all && number == largest);
        let tenths = |gpcs: u32| (self.work * window / 100 / self.growth.hundredths(gpcs)).max(1);
        let used = gpu.sizes.iter().enumerate().filter(|&(number, _)| is_used(number));
        used.map(|(_, size)| (size.name.clone(), hundredths(10 * tenths(size.gpcs)))).collect()
    }
}
