//! Load balancing: every workload goes to the least utilised GPU that takes it.

use super::baseline;
use super::deploy::Rule;
use super::room::{Candidate, Room};
use super::states::Starts;
use crate::instance::Problem;
use cluster::{Placement, WorkloadIndex};
use kit::{Choices, Heuristic, Parameter, ParameterEntry, assign, parameter_entries, put_choice};

/// Resource-based dynamic load balancing: the least utilised GPU first, starts ascending.
#[derive(Clone, Copy, Debug)]
pub struct LoadBalanced {
    /// Whether a workload waits if the least utilised GPU has no room for it. The paper says that load balancing leaves workloads
    /// waiting in every case; it does not say that another GPU is tried.
    pub waits: bool,
}

impl LoadBalanced {
    /// Tries the next GPU where the least utilised one has no room.
    pub const DEFAULT: LoadBalanced = LoadBalanced { waits: false };
}

const PARAMETERS: &[Parameter<LoadBalanced>] = &[Parameter {
    name: "waits",
    summary: "whether a workload waits if the least utilised GPU has no room for it",
    choices: bool::entries,
    get: |rule| Some(rule.waits.name().to_owned()),
    set: |rule, text| put_choice(&mut rule.waits, text),
}];

impl Heuristic<Problem> for LoadBalanced {
    fn name(&self) -> &'static str {
        "load-balanced"
    }

    fn summary(&self) -> &'static str {
        "each workload, in the order given, goes to the first free start of the least utilised GPU that has one"
    }

    fn reference(&self) -> &'static str {
        "Turkkan et al., section 5.1 (baseline)"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        baseline::propose(problem, self)
    }

    fn parameters(&self) -> Vec<ParameterEntry> {
        parameter_entries(PARAMETERS, self)
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem>>, String> {
        let mut adjusted = *self;
        assign(self.name(), PARAMETERS, &mut adjusted, values)?;
        Ok(Box::new(adjusted))
    }
}

impl Rule for LoadBalanced {
    fn order(&self, _: &Problem, _: &mut [WorkloadIndex]) {}

    fn choose(&self, room: &Room<'_>, workload: WorkloadIndex) -> Option<Candidate> {
        let load = |gpu| (room.utilisation(gpu), room.rank(gpu));
        let best =
            room.candidates(workload, Starts::Ascending).min_by_key(|candidate| load(candidate.gpu))?;
        let is_least = || room.open_gpus().all(|gpu| load(best.gpu) <= load(gpu));
        (!self.waits || is_least()).then_some(best)
    }
}
