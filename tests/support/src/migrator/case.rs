//! Random small windows, and their instance files.

use super::Counts;
use super::board::TestBoard;
use kit::Choices;
use migrator::{Deployment, Readings, Reconfiguration, Signature};
use rand::seq::{IndexedMutRandom, IndexedRandom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// What the windows of a family have in common.
pub struct Family {
    pub models: RangeInclusive<usize>,
    pub slots: RangeInclusive<usize>,
    pub board: &'static TestBoard,
    pub reconfiguration: Reconfiguration,
}

/// A window; all numbers are thousandths.
#[derive(Debug, PartialEq, Eq)]
pub struct Case {
    pub board: &'static TestBoard,
    pub slots: usize,
    /// Seconds of a slot.
    pub basis: i64,
    pub readings: Readings,
    pub models: Vec<TestModel>,
}

/// A model; all numbers are thousandths.
#[derive(Debug, PartialEq, Eq)]
pub struct TestModel {
    pub name: String,
    /// Its smallest instance, by position of the size.
    pub minimum: usize,
    /// Requests per second by size.
    pub capability: Vec<i64>,
    /// Requests by slot.
    pub requests: Vec<i64>,
    pub before: i64,
    pub after: i64,
    /// Seconds by size.
    pub retraining: Vec<Option<i64>>,
    /// Seconds.
    pub reconfiguration: i64,
    /// What it has before the window.
    pub first: Option<Counts>,
}

impl Case {
    /// A random window of a family.
    pub fn draw(seed: u64, family: &Family) -> Case {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let basis = *[1000, 1000, 1000, 500, 2000].choose(random).unwrap();
        let slots = random.random_range(family.slots.clone());
        let readings = Readings {
            reconfiguration: family.reconfiguration,
            deployment: *[Deployment::Instance, Deployment::Gpcs].choose(random).unwrap(),
            signature: *[Signature::Count, Signature::Multiset].choose(random).unwrap(),
        };
        let models = random.random_range(family.models.clone());
        let models = (0..models).map(|number| draw_model(random, family.board, number, models, slots, basis));
        Case { board: family.board, slots, basis, readings, models: models.collect() }
    }

    /// The instance file.
    pub fn yaml(&self) -> String {
        let Readings { reconfiguration, deployment, signature } = self.readings;
        let mut text = format!(
            "name: window\nmigrator:\n  board: {}\n  window_seconds: {}\n  basis_seconds: {}\n  reconfiguration: {}\n  \
             deployment: {}\n  signature: {}\n  models:\n",
            self.board.name,
            decimal(self.basis * self.slots as i64),
            decimal(self.basis),
            reconfiguration.name(),
            deployment.name(),
            signature.name()
        );
        self.models.iter().for_each(|model| self.write(model, &mut text));
        text
    }

    fn write(&self, model: &TestModel, text: &mut String) {
        let size = |size| self.board.size_name(size);
        let by_size = |values: Vec<Option<i64>>| {
            let known = values.into_iter().enumerate();
            let known = known.filter_map(|(at, value)| Some(format!("{}: {}", size(at), decimal(value?))));
            known.collect::<Vec<_>>().join(", ")
        };
        let capability = by_size(model.capability.iter().map(|&value| Some(value)).collect());
        let retraining = by_size(model.retraining.clone());
        let requests: Vec<String> = model.requests.iter().map(|&number| decimal(number)).collect();
        writeln!(text, "  - name: {}", model.name).unwrap();
        writeln!(text, "    minimum_instance: {}", size(model.minimum)).unwrap();
        writeln!(text, "    capability: {{{capability}}}").unwrap();
        let (before, after) = (decimal(model.before), decimal(model.after));
        writeln!(text, "    accuracy: {{before: {before}, after: {after}}}").unwrap();
        writeln!(text, "    retraining_seconds: {{{retraining}}}").unwrap();
        writeln!(text, "    reconfiguration_seconds: {}", decimal(model.reconfiguration)).unwrap();
        writeln!(text, "    requests: [{}]", requests.join(", ")).unwrap();
        if let Some(first) = &model.first {
            let several = first.iter().enumerate().flat_map(|(at, &n)| vec![size(at); usize::from(n)]);
            writeln!(text, "    first_allocation: [{}]", several.collect::<Vec<_>>().join(", ")).unwrap();
        }
    }

    /// Slots of retraining of a model on a size, if that is in time.
    pub fn retraining_slots(&self, model: usize, size: usize) -> Option<usize> {
        let seconds = self.models[model].retraining[size]?;
        let slots = ((seconds + self.basis - 1) / self.basis) as usize;
        (slots <= self.slots).then_some(slots)
    }

    /// Everything that fits the board and on which the inference task of a model can be deployed.
    pub fn allocations(&self, model: usize) -> Vec<Counts> {
        let minimum = self.models[model].minimum;
        let deploys = |counts: &Counts| match self.readings.deployment {
            Deployment::Instance => counts[minimum..].iter().any(|&count| count > 0),
            Deployment::Gpcs => self.board.gpcs_of(counts) >= self.board.gpcs[minimum],
        };
        self.board.everything_that_fits().into_iter().filter(deploys).collect()
    }

    /// What must change for a reconfiguration.
    pub fn signature(&self, counts: &Counts) -> Vec<u32> {
        match self.readings.signature {
            Signature::Count => vec![counts.iter().map(|&n| u32::from(n)).sum(), self.board.gpcs_of(counts)],
            Signature::Multiset => counts.iter().map(|&n| u32::from(n)).collect(),
        }
    }
}

fn draw_model(
    random: &mut ChaCha8Rng,
    board: &TestBoard,
    number: usize,
    models: usize,
    slots: usize,
    basis: i64,
) -> TestModel {
    let minimum = match models {
        1 => *[0, 0, 1, 2].choose(random).unwrap(),
        2 => *[0, 0, 0, 1].choose(random).unwrap(),
        _ => 0,
    };
    // Concave and convex in the size.
    let one = random.random_range(20..500_i64);
    let exponent = *[0.5, 0.8, 1.0, 1.3].choose(random).unwrap();
    let of_size = |gpcs: &u32| (one as f64 * f64::from(*gpcs).powf(exponent)).round() as i64 * 100;
    let mut capability: Vec<i64> = board.gpcs.iter().map(of_size).collect();
    if random.random_bool(0.1) {
        *capability.choose_mut(random).unwrap() = 0;
    }
    let most = one * 100 * i64::from(board.compute) * basis / 1000;
    let requests = (0..slots).map(|_| random.random_range(0..=most / 500) * 500).collect();
    let before = random.random_range(400..700);
    let window = slots as i64 * basis;
    let longest = if random.random_bool(0.15) { 3 * window } else { window };
    let work = random.random_range(basis..=longest);
    let ease = *[0.6, 0.9, 1.0].choose(random).unwrap();
    let seconds =
        |gpcs: &u32| Some(((work as f64 / f64::from(*gpcs).powf(ease) / 100.0) as i64 * 100).max(100));
    let mut retraining: Vec<Option<i64>> = board.gpcs.iter().map(seconds).collect();
    for _ in 0..2 {
        *retraining.choose_mut(random).unwrap() = None;
    }
    let psi = *[0, 300, 700, 1000, 2000, 2500, 3000].choose(random).unwrap();
    let first = random.random_bool(0.4).then(|| {
        let all: Vec<Counts> = board.everything_that_fits().into_iter().collect();
        all.choose(random).unwrap().clone()
    });
    TestModel {
        name: format!("m{number}"),
        minimum,
        capability,
        requests,
        before,
        after: before + random.random_range(-50..300),
        retraining,
        reconfiguration: psi * basis / 1000,
        first,
    }
}

/// Thousandths as a decimal number.
fn decimal(thousandths: i64) -> String {
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}
