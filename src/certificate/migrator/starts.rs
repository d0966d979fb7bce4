//! Starts of retrainings, and the totals by which cases tell them apart.

use super::question::Question;
use super::task::Task;
use crate::cases::Range;
use crate::names::{one_word, unique};
use std::collections::BTreeSet;
use std::ops;

/// When and on what a model is retrained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// The position of the size among those of the model.
    pub run: usize,
    /// The first slot.
    pub from: usize,
    /// The slot before which it is complete.
    pub end: usize,
}

/// A number that the retraining of a model has in every plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Total {
    /// The position of the model.
    pub model: usize,
    /// Which number.
    pub measure: Measure,
}

/// A number of a retraining.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The first slot.
    Start,
    /// The slot before which it is complete.
    End,
    /// GPCs of its instance.
    Gpcs,
}

impl Measure {
    /// All of them.
    pub const ALL: [Measure; 3] = [Measure::Start, Measure::End, Measure::Gpcs];

    fn word(self) -> &'static str {
        match self {
            Measure::Start => "start",
            Measure::End => "end",
            Measure::Gpcs => "gpcs",
        }
    }
}

impl Start {
    /// The slots in which it runs.
    pub fn slots(&self) -> ops::Range<usize> {
        self.from..self.end
    }

    /// One of its numbers.
    pub fn measure(&self, question: &Question<'_>, task: &Task, measure: Measure) -> i128 {
        match measure {
            Measure::Start => self.from as i128,
            Measure::End => self.end as i128,
            Measure::Gpcs => i128::from(question.sizes[task.runs[self.run].size].gpcs),
        }
    }
}

/// What certificates call the models.
pub fn names(question: &Question<'_>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    question.models.iter().map(|model| unique(&one_word(model.name), &mut taken)).collect()
}

/// What certificates call a total of the model with this name.
pub fn total_name(model: &str, measure: Measure) -> String {
    format!("{}:{model}", measure.word())
}

/// All starts of a model of which the numbers lie in these ranges, in the order of their first slots.
pub fn open(question: &Question<'_>, task: &Task, range: impl Fn(Measure) -> Range) -> Vec<Start> {
    let ranges = Measure::ALL.map(|measure| (measure, range(measure)));
    let is_open = |start: &Start| {
        ranges.iter().all(|&(measure, Range { least, greatest })| {
            (least..=greatest).contains(&start.measure(question, task, measure))
        })
    };
    let of_slot = |from: usize| {
        let runs = task.runs.iter().enumerate();
        runs.map(move |(run, about)| Start { run, from, end: from + about.slots })
    };
    let within = |start: &Start| start.end <= question.slots;
    (0..question.slots).flat_map(of_slot).filter(within).filter(is_open).collect()
}
