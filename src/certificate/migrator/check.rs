//! Whether prices prove that no plan is better.

use super::allocations::{parts, possible};
use super::bound::Bound;
use super::fits::Fits;
use super::paths::Paths;
use super::prices::{Names, Prices};
use super::question::{Model, Question};
use super::schedule::Schedules;
use super::starts::{Measure, Start, Total, names, open, total_name};
use super::sweep::Sweep;
use super::task::Task;
use crate::cases::{Case, Range, Refutes};
use crate::format::Leaf;
use crate::magnitude::product;
use crate::refusal::Refusal;
use ground::Amount;

/// The name of the goal.
const GOODPUT: &str = "goodput";

/// A question with what fits, and the states of its inference tasks.
pub struct Checker<'q> {
    pub(super) question: &'q Question<'q>,
    fits: Fits,
    tasks: Vec<Task>,
    /// By number, whether the inference tasks can have it all together.
    inference: Vec<bool>,
    /// What certificates call the models.
    models: Vec<String>,
    names: Names,
    /// Atoms in a millionth of a request.
    atoms: i128,
}

impl<'q> Checker<'q> {
    /// How many places of models a sweep looks at, before it gives up.
    pub const MOST_EFFORT: u64 = 50_000_000;

    /// Lists what fits.
    ///
    /// # Errors
    /// When the question contradicts itself, or is too large.
    pub fn new(question: &'q Question<'q>) -> Result<Self, Refusal> {
        if !question.is_sound() {
            return Err(Refusal::of("the question contradicts itself."));
        }
        let fits = Fits::new(question);
        let possible = possible(question, &fits);
        let inference = fits.together(possible.iter().map(Vec::as_slice));
        let task = |(model, numbers): (&Model<'_>, &Vec<usize>)| {
            Task::new(question, &fits, model, numbers, |number| fits.has_room(&inference, number))
        };
        let tasks =
            question.models.iter().zip(&possible).map(task).collect::<Result<Vec<Task>, Refusal>>()?;
        let models = names(question);
        let names = Names::new(question, &fits, &tasks, &models);
        let atoms = 1_000_000_000_000 * parts(question, &fits);
        Ok(Checker { question, fits, tasks, inference, models, names, atoms })
    }

    /// What certificates call the models.
    pub fn models(&self) -> &[String] {
        &self.models
    }

    /// Everything that can have a price in each slot, by name.
    pub fn priced(&self) -> impl Iterator<Item = &str> {
        self.names.all()
    }

    /// The starts of a model that are in a case, in the order of their first slots.
    pub fn starts(&self, model: usize, case: &Case<Total>) -> Vec<Start> {
        let range = |measure| self.range(Total { model, measure }, case);
        open(self.question, &self.tasks[model], range)
    }

    /// What all plans of a case are worth at most by the prices of a leaf, in atoms; `None` if there is none that is worth `target`.
    ///
    /// # Errors
    /// When the leaf names what is not there, or is too large.
    pub fn bound(&self, leaf: &Leaf, case: &Case<Total>, target: i128) -> Result<Option<i128>, Refusal> {
        let prices = self.prices(leaf)?;
        let paths = self.paths(&prices);
        Ok(self.bound_at(&prices, &paths, case, target).map(|bound| bound.value))
    }

    /// The name of a total in certificates.
    pub fn total_name(&self, total: Total) -> String {
        total_name(&self.models[total.model], total.measure)
    }

    /// Atoms in a millionth of a request.
    pub fn atoms(&self) -> i128 {
        self.atoms
    }

    fn prices(&self, leaf: &Leaf) -> Result<Prices, Refusal> {
        if !leaf.goals.is_empty() || !leaf.totals.is_empty() {
            return Err(Refusal::of("goals and totals have no multipliers here."));
        }
        Prices::of(leaf, &self.names, (&self.fits, &self.tasks), (self.question.slots, self.atoms))
    }

    fn paths<'p>(&'p self, prices: &'p Prices) -> Vec<Paths<'p>> {
        let of_model = |(model, task)| Paths::new(task, self.question.slots, prices, model);
        self.tasks.iter().enumerate().map(of_model).collect()
    }

    fn bound_at(
        &self,
        prices: &Prices,
        paths: &[Paths<'_>],
        case: &Case<Total>,
        target: i128,
    ) -> Option<Bound> {
        let starts = (0..self.tasks.len()).map(|model| self.starts(model, case)).collect();
        Bound::new(&self.fits, &self.tasks, prices, paths, starts, target)
    }

    /// As [`refute`](Refutes::refute), with a sweep of so much effort.
    ///
    /// # Errors
    /// When the prices of the leaf do not prove that.
    pub fn refute_within(
        &self,
        leaf: &Leaf,
        values: &[Amount],
        case: &Case<Total>,
        effort: u64,
    ) -> Result<(), Refusal> {
        let prices = self.prices(leaf)?;
        let [value] = values else { return self.refute_all() };
        // Values are rounded down to millionths.
        let target = product(value.millionths() + 1, self.atoms)?;
        let paths = self.paths(&prices);
        match self.bound_at(&prices, &paths, case, target) {
            None => Ok(()),
            Some(bound) => Sweep::refute((&self.fits, &self.tasks), &paths, &bound, target, effort),
        }
    }

    /// Refutes that there is a plan at all.
    fn refute_all(&self) -> Result<(), Refusal> {
        let (fits, tasks, inference) = (&self.fits, &self.tasks, &self.inference);
        let schedules = Schedules { fits, tasks, inference, slots: self.question.slots };
        match schedules.is_one_possible()? {
            true => Err(Refusal::of("that there is a plan is not refuted: the retrainings can be finished.")),
            false => Ok(()),
        }
    }
}

impl Refutes for Checker<'_> {
    type Total = Total;

    fn reading(&self) -> Option<&str> {
        Some(&self.question.reading)
    }

    fn goals(&self) -> Vec<&'static str> {
        vec![GOODPUT]
    }

    fn total_named(&self, name: &str) -> Option<Total> {
        let of_model = |model: usize| Measure::ALL.map(|measure| Total { model, measure });
        let mut totals = (0..self.models.len()).flat_map(of_model);
        totals.find(|&total| self.total_name(total) == name)
    }

    fn range_in_all(&self, _: Total) -> Range {
        Range { least: 0, greatest: i128::from(u32::MAX) }
    }

    fn refute(&self, leaf: &Leaf, values: &[Amount], case: &Case<Total>) -> Result<(), Refusal> {
        self.refute_within(leaf, values, case, Self::MOST_EFFORT)
    }
}
