//! The schedulers that people run, as policies.

use super::interval::{self, Online};
use crate::instance::Problem;
use cluster::Placement;
use fleet::{Fleet, Policy};
use kit::{Heuristic, ParameterEntry};
use schedulers::Scheduler;

/// All schedulers.
pub const SCHEDULERS: &[&dyn Online] = schedulers::with_schedulers!(Scheduled);

/// A scheduler on one interval of an instance.
struct Scheduled<S>(S);

impl<S: Scheduler> Heuristic<Problem> for Scheduled<S> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn summary(&self) -> &'static str {
        self.0.summary()
    }

    fn reference(&self) -> &'static str {
        self.0.reference()
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        interval::propose(problem, self)
    }

    fn parameters(&self) -> Vec<ParameterEntry> {
        self.0.entries()
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem>>, String> {
        Ok(self.adjusted(values)?)
    }
}

impl<S: Scheduler> Online for Scheduled<S> {
    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy> {
        self.0.begin(fleet)
    }

    fn adjusted(&self, values: &[(&str, &str)]) -> Result<Box<dyn Online>, String> {
        Ok(Box::new(Scheduled(self.0.adjusted(values)?)))
    }
}
