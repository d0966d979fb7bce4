//! What a heuristic expects the requests of the window to be, and goodput under that expectation.

use super::segment::Segment;
use super::worth::Worth;
use crate::instance::Problem;
use kit::{Choice, Choices};

/// What is known of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forecast {
    /// Their mean over the window.
    Mean,
    /// Their number in every slot.
    Oracle,
}

impl Choices for Forecast {
    const ALL: &'static [Choice<Self>] = &[
        Choice { name: "mean", help: "their mean over the window", value: Forecast::Mean },
        Choice { name: "oracle", help: "their number in every slot", value: Forecast::Oracle },
    ];
}

/// Expected goodput of segments, in units divided by the slots of the window, so that means are whole numbers.
pub struct Expected<'w> {
    worth: &'w Worth,
    forecast: Forecast,
    slots: u32,
    /// Slots at which segments begin or end, in ascending order.
    marks: Vec<u32>,
    /// Under [`Forecast::Oracle`] units up to each of the marks, by model, offer, and before and after retraining.
    sums: Vec<Vec<[Vec<i64>; 2]>>,
    /// Units of the window if all requests are served, by model, before and after retraining.
    totals: Vec<[i64; 2]>,
}

impl<'w> Expected<'w> {
    /// For segments between some marks.
    pub fn new(
        problem: &Problem,
        worth: &'w Worth,
        forecast: Forecast,
        marks: impl IntoIterator<Item = u32>,
    ) -> Self {
        let mut marks: Vec<u32> = marks.into_iter().chain([0, problem.slots]).collect();
        marks.sort_unstable();
        marks.dedup();
        let totals =
            worth.tasks.iter().map(|task| [0, 1].map(|accuracy| task.requests[accuracy].iter().sum()));
        let mut expected = Expected {
            worth,
            forecast,
            slots: problem.slots,
            marks,
            sums: Vec::new(),
            totals: totals.collect(),
        };
        if forecast == Forecast::Oracle {
            expected.sums = (0..worth.tasks.len()).map(|model| expected.sums_of(model)).collect();
        }
        expected
    }

    fn sums_of(&self, model: usize) -> Vec<[Vec<i64>; 2]> {
        let task = &self.worth.tasks[model];
        let sums = |offer: usize, is_retrained: bool| {
            let most = task.most(offer, is_retrained, task.outage);
            let requests = &task.requests[usize::from(is_retrained)];
            let mut sum = 0;
            let mut from = 0;
            let up_to = |&mark: &u32| {
                let part = &requests[from as usize..mark as usize];
                sum += part.iter().map(|&requests| requests.min(most)).sum::<i64>();
                from = mark;
                sum
            };
            self.marks.iter().map(up_to).collect()
        };
        (0..task.offers.len()).map(|offer| [sums(offer, false), sums(offer, true)]).collect()
    }

    /// Of a task in a segment, without any reconfiguration.
    pub fn value(&self, model: usize, offer: usize, segment: &Segment) -> i128 {
        let is_retrained = segment.retrained[model];
        match self.forecast {
            Forecast::Mean => {
                let slot =
                    self.in_slot(model, self.most(model, offer, is_retrained, u32::MAX), is_retrained, 0);
                slot * i128::from(segment.until - segment.from)
            }
            Forecast::Oracle => {
                let sums = &self.sums[model][offer][usize::from(is_retrained)];
                let at = |slot: u32| sums[self.marks.partition_point(|&mark| mark < slot)];
                i128::from(at(segment.until) - at(segment.from)) * i128::from(self.slots)
            }
        }
    }

    /// What a task loses in a segment by a reconfiguration at its beginning.
    pub fn loss(&self, model: usize, offer: usize, segment: &Segment) -> i128 {
        let is_retrained = segment.retrained[model];
        let felt = self.worth.tasks[model].outage.min(segment.until - segment.from);
        let full = self.most(model, offer, is_retrained, u32::MAX);
        let lost = |age: u32| {
            let slot = segment.from + age;
            let left = self.most(model, offer, is_retrained, age);
            self.in_slot(model, full, is_retrained, slot) - self.in_slot(model, left, is_retrained, slot)
        };
        (0..felt).map(lost).sum()
    }

    fn most(&self, model: usize, offer: usize, is_retrained: bool, age: u32) -> i64 {
        self.worth.tasks[model].most(offer, is_retrained, age)
    }

    /// Of a slot in which a task can have at most so many units.
    fn in_slot(&self, model: usize, most: i64, is_retrained: bool, slot: u32) -> i128 {
        let accuracy = usize::from(is_retrained);
        let slots = i128::from(self.slots);
        match self.forecast {
            Forecast::Mean => i128::from(self.totals[model][accuracy]).min(i128::from(most) * slots),
            Forecast::Oracle => {
                i128::from(self.worth.tasks[model].requests[accuracy][slot as usize].min(most)) * slots
            }
        }
    }
}
