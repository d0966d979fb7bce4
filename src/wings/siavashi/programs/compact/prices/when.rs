//! Which stages prices of machines prove before programs.

use crate::instance::Problem;
use crate::programs::priced::Prices;
use crate::section::Residents;

/// On so many machines at most it depends on what they hold whether prices or programs come first; on very few, prices seldom do.
const VERY_FEW_MACHINES: usize = 4;
const FEW_MACHINES: usize = 7;

/// On so many machines at most the program comes first to migrations where machines hold many workloads and a quarter of all slots is to
/// spare.
const SOME_MACHINES: usize = 20;

/// So many workloads of average size fill the slots of such a machine at most, and of one for which a dive comes late.
pub const NOT_MANY_WORKLOADS: u64 = 16;

/// From so many machines on prices prove hardware, and weighted sums, before a program has found its way.
const MANY_MACHINES: usize = 32;

/// The same for machines that hold few workloads, which have few contents.
const MANY_SMALL_MACHINES: usize = 16;

/// So many workloads of average size fill the slots of such a machine at most.
const FEW_WORKLOADS: u64 = 8;

/// Whether machines by prices can say what a problem asks: only cores, memory and the rules of GPUs confine what a machine holds, and
/// workloads of a shape may stand in for one another. Other rules between workloads and machines are refused here.
fn suits(problem: &Problem) -> bool {
    !problem.has_rules()
}

/// Whether prices of machines can prove a stage, and are asked for it or likely to be quicker than programs.
pub fn are_quicker(problem: &Problem, when: Prices) -> bool {
    let is_asked_for = match when {
        Prices::Always | Prices::AlwaysByTightMachines => true,
        Prices::Suitable => come_first(problem),
        Prices::Never => false,
    };
    is_asked_for && suits(problem)
}

/// Whether prices of machines are likely to be quicker than programs, as measured on generated intervals. Prices are slow where few machines
/// hold many workloads in many ways. Programs are slow where starts cost something, or where residents keep their place and others want all
/// that is left.
fn come_first(problem: &Problem) -> bool {
    let slots = Slots::of(problem);
    let holds_not_many = slots.a_machine_holds(NOT_MANY_WORKLOADS);
    let is_crowded = slots.asked_for >= slots.of_all;
    let (keeps, starts_cost) = (problem.residents == Residents::Keep, problem.starts_cost());
    match problem.machines.len() {
        0 | 1 => false,
        machines if machines <= VERY_FEW_MACHINES => is_crowded && (holds_not_many || (keeps && starts_cost)),
        machines if machines <= FEW_MACHINES => holds_not_many || starts_cost || (is_crowded && keeps),
        _ => true,
    }
}

/// Whether prices of machines can prove a stage, but programs are mostly quicker.
pub fn come_late(problem: &Problem, when: Prices) -> bool {
    when == Prices::Suitable && suits(problem) && !are_quicker(problem, when)
}

/// Whether stage migrations is the program's until it gives up, as its relaxation has the value of the optimum: prices have the same
/// bound, but many contents to choose from.
pub fn moves_come_late(problem: &Problem, when: Prices) -> bool {
    let slots = Slots::of(problem);
    let has_room = 4 * slots.asked_for <= 3 * slots.of_all;
    let is_simple = has_room && !slots.a_machine_holds(NOT_MANY_WORKLOADS) && !problem.starts_cost();
    when == Prices::Suitable
        && problem.machines.len() <= SOME_MACHINES
        && is_simple
        && are_quicker(problem, when)
}

/// Whether machines are so many that programs take long to find their way.
pub fn are_many(problem: &Problem) -> bool {
    let machines = problem.machines.len();
    machines >= MANY_MACHINES
        || (machines >= MANY_SMALL_MACHINES && Slots::of(problem).a_machine_holds(FEW_WORKLOADS))
}

/// The memory slices of a problem.
pub struct Slots {
    /// Those of all GPUs.
    of_all: u64,
    /// Those that workloads ask for.
    asked_for: u64,
    /// How many workloads ask for some.
    workloads: u64,
    /// How many machines have them.
    machines: u64,
}

impl Slots {
    /// Those of a problem.
    pub fn of(problem: &Problem) -> Self {
        let cluster = &problem.cluster;
        let of_workload = |workload| cluster.memory_slices(workload).map(u64::from);
        let sizes: Vec<u64> = cluster.workload_indices().filter_map(of_workload).collect();
        Slots {
            of_all: cluster.gpu_indices().map(|gpu| u64::from(cluster.board_of(gpu).slots())).sum(),
            asked_for: sizes.iter().sum(),
            workloads: sizes.len() as u64,
            machines: problem.machines.len() as u64,
        }
    }

    /// Whether no more than so many workloads of average size fill an average machine.
    pub fn a_machine_holds(&self, most: u64) -> bool {
        self.of_all * self.workloads <= most * self.machines * self.asked_for
    }
}
