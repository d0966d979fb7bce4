//! The rule-based method of Turkkan et al., section 4.2.

mod order;
mod reconfiguration;

use super::deploy::{Rule, considered, vacate, waiting};
use super::room::{Candidate, Room};
use super::states::Starts;
use crate::instance::{GpuRole, Problem};
use crate::section::UseCase;
use cluster::{GpuIndex, Placement, WorkloadIndex};
use kit::{Choices, Heuristic, Parameter, ParameterEntry, assign, parameter_entries, put_choice};
use order::Order;
use reconfiguration::reconfiguration;
use std::cmp::Reverse;

/// The paper's method: largest workloads first, onto the GPU that is then utilised most, at the preferred start.
///
/// Each use case has its own component. Where the text leaves something open, or cannot be meant as it stands:
///
/// - Joint is initial deployment, then compaction, then initial deployment of what still waits on what was vacated.
/// - A profile's size order is that of its compute slices, then memory slots, then limits such as media engines: on an
///   A100 this is the order of profile ids by which the paper sorts.
/// - In compaction free GPUs are not considered, so that the step of Figure 8, which adds one, applies in joint alone.
/// - In reconfiguration a profile that takes a whole GPU goes first. Otherwise step 3 gives every GPU an instance and
///   leaves no empty one for it.
/// - The minimum number of GPUs, equation (3), also counts the other limits of the board, such as one instance with media
///   engines per GPU. Fewer GPUs can never do, so this saves rounds and changes no result.
#[derive(Clone, Copy, Debug)]
pub struct RuleBased {
    /// What goes first.
    pub order: Order,
}

impl RuleBased {
    /// The paper's method as it is printed.
    pub const PRINTED: RuleBased = RuleBased { order: Order::Size };
}

const PARAMETERS: &[Parameter<RuleBased>] = &[Parameter {
    name: "order",
    summary: "what goes first",
    choices: Order::entries,
    get: |rule| Some(rule.order.name().to_owned()),
    set: |rule, text| put_choice(&mut rule.order, text),
}];

impl Heuristic<Problem> for RuleBased {
    fn name(&self) -> &'static str {
        "rule-based"
    }

    fn summary(&self) -> &'static str {
        "largest workloads first, onto the GPU that is then utilised most; vacates GPUs from the least utilised on"
    }

    fn reference(&self) -> &'static str {
        "Turkkan et al., section 4.2"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        if problem.use_case == UseCase::Reconfiguration {
            return reconfiguration(problem, self);
        }
        let mut room = Room::with_residents(problem);
        open_gpus_in_use(problem, &mut room);
        deploy(problem, self, &mut room);
        if problem.use_case != UseCase::Initial {
            room = compact(problem, self, room);
        }
        if problem.use_case == UseCase::Joint {
            deploy(problem, self, &mut room);
        }
        room.into_placement()
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

impl Rule for RuleBased {
    fn order(&self, problem: &Problem, workloads: &mut [WorkloadIndex]) {
        workloads.sort_by_cached_key(|&workload| (self.order.key(problem, workload), workload));
    }

    fn choose(&self, room: &Room<'_>, workload: WorkloadIndex) -> Option<Candidate> {
        room.candidates(workload, Starts::Preferred)
            .min_by_key(|candidate| (Reverse(candidate.utilisation), room.rank(candidate.gpu)))
    }
}

/// Initial deployment: those that wait go to GPUs in use, and to an empty one only where none of them has room.
fn deploy(problem: &Problem, rule: &RuleBased, room: &mut Room<'_>) {
    let mut workloads = waiting(problem, room);
    rule.order(problem, &mut workloads);
    let mut empty = empty_gpus(problem, room);
    for workload in workloads {
        if let Some(candidate) = rule.choose(room, workload) {
            room.put(workload, candidate.gpu, candidate.instance);
            continue;
        }
        let fits = |gpu: &GpuIndex| room.fit_on(*gpu, workload, Starts::Preferred);
        let Some((position, instance)) =
            empty.iter().enumerate().find_map(|(position, gpu)| Some((position, fits(gpu)?)))
        else {
            continue;
        };
        let gpu = empty.remove(position);
        room.open(gpu);
        room.put(workload, gpu, instance);
    }
}

/// Compaction: vacates GPUs; then, as long as this saves a GPU on the whole, adds a free one and tries again (Figure 8).
fn compact<'p>(problem: &Problem, rule: &RuleBased, mut room: Room<'p>) -> Room<'p> {
    vacate(&mut room, problem, rule);
    loop {
        let free = |gpu: &GpuIndex| problem.gpu_role(*gpu) == GpuRole::Free;
        let Some(added) = empty_gpus(problem, &room).into_iter().find(free) else { return room };
        let mut with_one_more = room.clone();
        with_one_more.open(added);
        if vacate(&mut with_one_more, problem, rule) < 2 {
            return room;
        }
        room = with_one_more;
    }
}

fn open_gpus_in_use(problem: &Problem, room: &mut Room<'_>) {
    considered(problem).filter(|&gpu| problem.gpu_role(gpu) != GpuRole::Free).for_each(|gpu| room.open(gpu));
}

/// GPUs with nothing on them that are not offered yet: free ones and, after compaction, vacated ones.
fn empty_gpus(problem: &Problem, room: &Room<'_>) -> Vec<GpuIndex> {
    considered(problem).filter(|&gpu| room.workloads_on(gpu).is_empty() && !room.is_open(gpu)).collect()
}
