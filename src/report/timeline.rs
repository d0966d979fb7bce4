//! A window of time on a GPU as plain data, ready to be drawn.

use ground::{Amount, counted, grouped};
use kit::{
    LayoutChange, PlanDocument, PlannedInstance, PlannedRetraining, PlannedRun, PlannedTask, PlannedWindow,
    SolutionDocument,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// Memory slots that a drawing shows at most.
const MOST_MEMORY_SLOTS: u32 = 64;

/// What happens to the models of a GPU during a window of time.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Heading.
    pub title: String,
    /// The GPU and the window, where they are known.
    pub window: Option<PlannedWindow>,
    /// Models in the order of the instance.
    pub models: Vec<ModelTimeline>,
    /// GPU instances from their creation to their destruction.
    pub instances: Vec<PlannedInstance>,
    /// Changes of the GPU's layout.
    pub changes: Vec<LayoutChange>,
}

/// What happens to a model; series have a number for each slot, or are empty.
#[derive(Clone, Debug)]
pub struct ModelTimeline {
    /// The model.
    pub name: String,
    /// Its retraining.
    pub retraining: Option<PlannedRetraining>,
    /// What its inference task has, in the order of time.
    pub runs: Vec<PlannedRun>,
    /// Requests received in each slot.
    pub requests: Vec<f64>,
    /// Requests that can be served in each slot.
    pub capability: Vec<f64>,
    /// Requests served in each slot.
    pub served: Vec<f64>,
}

/// The least and the greatest number of some slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub low: f64,
    pub high: f64,
}

impl Timeline {
    /// The timeline of a solution; none if it plans no window.
    pub fn of(solution: &SolutionDocument) -> Option<Self> {
        let PlanDocument { tasks, window, instances, changes } = solution.plan.clone()?;
        let title = solution.instance.name.clone();
        let models = tasks.into_iter().map(ModelTimeline::of).collect();
        Some(Timeline { title, window, models, instances, changes })
    }

    /// Slots of the window: what is said of them, or what is planned.
    pub(super) fn slots(&self) -> u32 {
        let planned = || {
            let of_model = |model: &ModelTimeline| {
                let ends = model.runs.iter().map(|run| run.until);
                let ends = ends.chain(model.retraining.iter().map(|retraining| retraining.until));
                ends.chain([model.requests.len() as u32]).max().unwrap_or(0)
            };
            self.models.iter().map(of_model).max().unwrap_or(0)
        };
        self.window.as_ref().map_or_else(planned, |window| window.slots)
    }

    /// Seconds of a slot.
    pub(super) fn basis(&self) -> f64 {
        let basis = self.window.as_ref().map_or(1.0, |window| window.basis_seconds.to_f64());
        if basis > 0.0 { basis } else { 1.0 }
    }

    /// Memory slots of the GPU, 0 where nothing is said of it.
    pub(super) fn memory_slots(&self) -> u32 {
        self.window.as_ref().map_or(0, |window| window.memory_slots.min(MOST_MEMORY_SLOTS))
    }

    /// The rank of every model by its name.
    pub(super) fn ranks(&self) -> BTreeMap<&str, usize> {
        self.models.iter().enumerate().map(|(rank, model)| (model.name.as_str(), rank)).collect()
    }

    /// Slots in which the inference task of a model is reconfigured, in ascending order.
    pub(super) fn reconfigurations(&self, model: &str) -> Vec<u32> {
        let of_model = |change: &&LayoutChange| change.reconfigured.iter().any(|task| task.model == model);
        self.changes.iter().filter(of_model).map(|change| change.slot).collect()
    }

    /// What it amounts to: the window, requests served, reconfigurations.
    pub(super) fn phrases(&self) -> Vec<String> {
        let mut phrases = Vec::new();
        match &self.window {
            Some(window) => {
                phrases.push(window.board.clone());
                let slots = counted(window.slots as usize, "slot");
                phrases.push(format!("{slots} of {} s", window.basis_seconds));
            }
            None => phrases.push(counted(self.models.len(), "model")),
        }
        let sum = |of: fn(&ModelTimeline) -> f64| self.models.iter().map(of).sum::<f64>();
        let received = sum(|model| model.requests.iter().sum());
        if self.models.iter().any(|model| !model.served.is_empty()) {
            phrases.push(served_of(sum(|model| model.served.iter().sum()), received));
        } else if received > 0.0 {
            phrases.push(format!("{} requests", rounded(received)));
        }
        if !self.changes.is_empty() {
            let reconfigured = || self.changes.iter().flat_map(|change| &change.reconfigured);
            let all: Amount = reconfigured().map(|task| task.seconds).sum();
            let hidden: Amount = reconfigured().map(|task| task.hidden_seconds).sum();
            let seconds =
                if all > Amount::ZERO { format!(" ({hidden} of {all} s hidden)") } else { String::new() };
            phrases.push(format!("{}{seconds}", counted(reconfigured().count(), "reconfiguration")));
            let destroyed: usize = self.changes.iter().map(|change| change.destroyed.len()).sum();
            phrases.push(format!("{} destroyed", counted(destroyed, "instance")));
        }
        phrases
    }

    /// What is to be said of a model beside its name.
    pub(super) fn facts(&self, model: &ModelTimeline) -> Vec<String> {
        let mut facts = Vec::new();
        let received: f64 = model.requests.iter().sum();
        if model.served.is_empty() {
            let known = !model.requests.is_empty();
            facts.extend(known.then(|| format!("{} requests", rounded(received))));
        } else {
            facts.push(served_of(model.served.iter().sum(), received));
        }
        if let Some(retraining) = &model.retraining {
            let (from, until) = (self.seconds(retraining.from), self.seconds(retraining.until));
            facts.push(format!("retrained on {} from {from} to {until}", retraining.instance));
        }
        let times = self.reconfigurations(&model.name).len();
        if times > 0 {
            facts.push(counted(times, "reconfiguration"));
        }
        facts
    }

    /// The beginning of a slot in seconds.
    pub(super) fn seconds(&self, slot: u32) -> String {
        format!("{} s", shortest(f64::from(slot) * self.basis()))
    }

    /// Requests per second at which the drawing of a model ends.
    pub(super) fn peak(&self, model: &ModelTimeline) -> f64 {
        let all = model.requests.iter().chain(&model.capability);
        all.fold(0.0, |peak: f64, number| peak.max(*number)) / self.basis()
    }

    /// Distance of two marks of the axis in seconds, so that there are at most so many: 1, 2 or 5 times a power of ten.
    pub(super) fn step(&self, most: usize) -> f64 {
        let least = f64::from(self.slots()) * self.basis() / most.max(1) as f64;
        let power = 10_f64.powf(least.max(1e-6).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
        step.into_iter().find(|step| *step >= least).unwrap_or(10.0 * power)
    }
}

impl ModelTimeline {
    fn of(task: PlannedTask) -> Self {
        let numbers = |amounts: Vec<Amount>| amounts.iter().map(|amount| amount.to_f64().max(0.0)).collect();
        let (requests, capability, served) = task
            .series
            .map(|series| (numbers(series.requests), numbers(series.capability), numbers(series.served)))
            .unwrap_or_default();
        let mut runs = task.inference;
        runs.sort_by_key(|run| (run.from, run.until));
        ModelTimeline { name: task.model, retraining: task.retraining, runs, requests, capability, served }
    }

    /// The most requests that are not served in one of some slots: received and served.
    pub(super) fn worst(&self, slots: &Range<usize>) -> Option<(f64, f64)> {
        let (requests, served) = (part(&self.requests, slots), part(&self.served, slots));
        let unserved = |(received, served): &(f64, f64)| received - served;
        let pairs = requests.iter().copied().zip(served.iter().copied());
        pairs
            .max_by(|one, other| unserved(one).total_cmp(&unserved(other)))
            .filter(|pair| unserved(pair) > 0.0)
    }
}

/// The slots that each column shows: with more columns than slots several show the same.
pub(super) fn columns(slots: u32, columns: usize) -> impl Iterator<Item = Range<usize>> {
    let slots = slots as usize;
    (0..if slots == 0 { 0 } else { columns }).map(move |column| {
        let from = column * slots / columns;
        from..((column + 1) * slots / columns).max(from + 1)
    })
}

/// The extent of a series in some slots; none where it says nothing.
pub(super) fn extent(series: &[f64], slots: &Range<usize>) -> Option<Extent> {
    part(series, slots).iter().fold(None, |extent: Option<Extent>, &number| {
        let Extent { low, high } = extent.unwrap_or(Extent { low: number, high: number });
        Some(Extent { low: low.min(number), high: high.max(number) })
    })
}

/// The mean of a series in some slots; none where it says nothing.
pub(super) fn mean(series: &[f64], slots: &Range<usize>) -> Option<f64> {
    let numbers = part(series, slots);
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

fn part<'s>(series: &'s [f64], slots: &Range<usize>) -> &'s [f64] {
    &series[slots.start.min(series.len())..slots.end.min(series.len())]
}

/// Instances for readers, such as `3g+2x1g`.
pub(super) fn allocation_name(run: &PlannedRun) -> String {
    let parts = run.instances.chunk_by(|one, next| one == next);
    let name = |part: &[String]| match part.len() {
        1 => part[0].clone(),
        several => format!("{several}x{}", part[0]),
    };
    let parts: Vec<String> = parts.map(name).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join("+") }
}

/// GPCs of a size by its name; 0 if it does not say.
pub(super) fn gpcs(size: &str) -> u64 {
    let digits = size.find(|symbol: char| !symbol.is_ascii_digit()).unwrap_or(size.len());
    size[..digits].parse().unwrap_or(0)
}

/// A number with as many digits as readers need.
pub(super) fn rounded(number: f64) -> String {
    let digits = if number >= 100.0 { 0 } else { 1 };
    let text = format!("{number:.digits$}");
    grouped(text.strip_suffix(".0").unwrap_or(&text))
}

fn served_of(served: f64, received: f64) -> String {
    let percent = if received > 0.0 { 100.0 * served / received } else { 100.0 };
    format!("{percent:.1} % of {} requests served", rounded(received))
}

/// A number of seconds to a millionth, without zeros at the end.
pub(super) fn shortest(seconds: f64) -> String {
    let text = format!("{seconds:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
