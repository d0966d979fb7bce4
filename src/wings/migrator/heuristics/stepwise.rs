//! Decisions slot by slot: greedy, and with hysteresis.

use super::current::Current;
use super::ekya::{Ekya, best_schedule};
use super::joint::Joints;
use super::retrainings::unplannable;
use super::segment::{Runs, Segment, plan_of_runs, segments};
use super::worth::Worth;
use crate::instance::Problem;
use crate::rules::{Plan, Retraining};
use kit::{
    Choice, Choices, Heuristic, Parameter, ParameterEntry, assign, no_choices, parameter_entries, put_choice,
    whole,
};

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

impl Choices for Sight {
    const ALL: &'static [Choice<Self>] = &[
        Choice { name: "window", help: "all of them", value: Sight::Window },
        Choice {
            name: "last",
            help: "those of the previous slot, expected to continue; in slot 0 its own",
            value: Sight::Last,
        },
    ];
}

impl Hysteresis {
    /// With the next 15 slots known.
    pub const USUAL: Hysteresis = Hysteresis { look: 15, sight: Sight::Window };
}

const PARAMETERS: &[Parameter<Hysteresis>] = &[
    Parameter {
        name: "look",
        summary: "slots over which gain and loss are compared, from 1 to 1000",
        choices: no_choices,
        get: |hysteresis| Some(hysteresis.look.to_string()),
        set: |hysteresis, text| whole(text, 1..=1000).map(|look| hysteresis.look = look),
    },
    Parameter {
        name: "forecast",
        summary: "what is known of the requests",
        choices: Sight::entries,
        get: |hysteresis| Some(hysteresis.sight.name().to_owned()),
        set: |hysteresis, text| put_choice(&mut hysteresis.sight, text),
    },
];

impl Heuristic<Problem, Plan> for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn summary(&self) -> &'static str {
        "chooses for every slot what serves it best, whatever a reconfiguration costs; retrainings as in ekya"
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
        "allocations change when the gain over the next slots exceeds the loss; retrainings as in ekya"
    }

    fn reference(&self) -> &'static str {
        "a rule of migopt, to show how near a simple look-ahead comes to the optimum"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Plan {
        let rule = Rule { look: self.look, sight: self.sight, counts_losses: true };
        rule.plan(problem)
    }

    fn parameters(&self) -> Vec<ParameterEntry> {
        parameter_entries(PARAMETERS, self)
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem, Plan>>, String> {
        let mut adjusted = *self;
        assign(self.name(), PARAMETERS, &mut adjusted, values)?;
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
