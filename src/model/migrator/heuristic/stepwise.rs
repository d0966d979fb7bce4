//! Decisions slot by slot: greedy, and with hysteresis.

use super::super::instance::Problem;
use super::super::plan::{Plan, Retraining};
use super::current::Current;
use super::ekya::{Ekya, best_schedule};
use super::joint::Joints;
use super::retrainings::unplannable;
use super::segment::{Runs, Segment, plan_of_runs, segments};
use super::worth::Worth;
use crate::model::entry::choice;
use crate::model::{Heuristic, ParameterEntry};

/// Every slot has the joint allocation that serves that slot best, on the schedule of [`Ekya`].
pub struct Greedy;

/// The allocation changes when that promises more over the next slots than it loses, on the schedule of [`Ekya`].
#[derive(Clone, Copy)]
pub struct Hysteresis {
    /// How many slots count.
    pub look: u32,
    /// What is known of their requests.
    pub sight: Sight,
}

/// What is known of the requests of the next slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// All of them.
    Window,
    /// Those of the slot before, which are expected to go on; of slot 0 its own.
    Last,
}

const USUAL_LOOK: u32 = 15;
const LONGEST_LOOK: u32 = 1000;
const SIGHTS: &[(&str, Sight)] = &[("window", Sight::Window), ("last", Sight::Last)];

impl Hysteresis {
    /// With the next 15 slots known.
    pub const USUAL: Hysteresis = Hysteresis { look: USUAL_LOOK, sight: Sight::Window };
}

impl Heuristic<Problem, Plan> for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn summary(&self) -> &'static str {
        "in every slot what serves that slot best, whatever a reconfiguration costs; retrainings as ekya has them"
    }

    fn reference(&self) -> &'static str {
        "a rule of migopt, to show what ignoring reconfigurations costs"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Plan {
        let rule = Rule { look: 1, sight: Sight::Window, counts_losses: false };
        rule.plan(problem)
    }
}

impl Heuristic<Problem, Plan> for Hysteresis {
    fn name(&self) -> &'static str {
        "hysteresis"
    }

    fn summary(&self) -> &'static str {
        "allocations change when the gain over the next slots exceeds the loss; retrainings as ekya has them"
    }

    fn reference(&self) -> &'static str {
        "a rule of migopt, to show how near a simple look-ahead comes to the optimum"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Plan {
        let rule = Rule { look: self.look, sight: self.sight, counts_losses: true };
        rule.plan(problem)
    }

    fn parameters(&self) -> &'static [ParameterEntry] {
        &[
            ParameterEntry {
                name: "look",
                summary: "slots over which gain and loss are compared, from 1 to 1000; 15",
            },
            ParameterEntry {
                name: "forecast",
                summary: "what is known of their requests: all, as a `window`, or only the `last` slot's, which are expected to go \
                          on; window",
            },
        ]
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem, Plan>>, String> {
        let mut adjusted = *self;
        for &(key, value) in values {
            match key {
                "look" => {
                    let look = value.parse().ok().filter(|look| (1..=LONGEST_LOOK).contains(look));
                    adjusted.look = look.ok_or_else(|| {
                        format!(
                            "`look` is \"{value}\" but must be a whole number of slots from 1 to {LONGEST_LOOK}, such as \
                             {USUAL_LOOK}."
                        )
                    })?;
                }
                _ => adjusted.sight = choice(key, value, SIGHTS)?,
            }
        }
        Ok(Box::new(adjusted))
    }
}

struct Rule {
    look: u32,
    sight: Sight,
    counts_losses: bool,
}

impl Rule {
    fn plan(&self, problem: &Problem) -> Plan {
        let worth = Worth::of(problem);
        let mut joints = Joints::new(problem, &worth);
        let Some((schedule, _)) = best_schedule(problem, &worth, &mut joints, Ekya::USUAL.forecast) else {
            return unplannable(problem);
        };
        let mut current = Current::before(&worth);
        let mut runs: Runs = Vec::new();
        for Segment { from, until, running, .. } in segments(problem, &schedule) {
            let list = joints.beside(&running);
            for slot in from..until {
                let values = self.values(problem, &worth, &schedule, &current, slot);
                let joint = current.best(&worth, &list, &values);
                current.change_to(&worth, joint.clone());
                runs.push((1, joint));
            }
        }
        plan_of_runs(&worth, &schedule, &runs)
    }

    /// Expected goodput over the next slots by offer of each model.
    fn values(
        &self,
        problem: &Problem,
        worth: &Worth,
        schedule: &[Retraining],
        current: &Current,
        slot: u32,
    ) -> Vec<Vec<i64>> {
        let end = slot.saturating_add(self.look).min(problem.slots);
        let value = |model: usize, offer: usize| -> i64 {
            let task = &worth.tasks[model];
            let age = if self.counts_losses { current.age_with(worth, model, offer) } else { task.outage };
            let in_slot = |then: u32| {
                let is_retrained = then >= schedule[model].until;
                let seen = match self.sight {
                    Sight::Window => then,
                    Sight::Last => slot.saturating_sub(1),
                };
                let requests = task.requests[usize::from(is_retrained)][seen as usize];
                requests.min(task.most(offer, is_retrained, age.saturating_add(then - slot)))
            };
            (slot..end).map(in_slot).sum()
        };
        let of_model =
            |model: usize| (0..worth.tasks[model].offers.len()).map(|offer| value(model, offer)).collect();
        (0..worth.tasks.len()).map(of_model).collect()
    }
}
