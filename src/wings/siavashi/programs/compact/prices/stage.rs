//! One stage by prices of machines.

use super::content::{Content, Frame};
use super::costs::Costs;
use super::machine::Machine;
use super::placing::{contents, placement};
use super::stock::{Group, Stock, View};
use super::terms::{Aim, Rows, Shape};
use crate::instance::{Problem, WeightedSum};
use crate::programs::priced::{PriceTask, PricedStage, Prices};
use crate::rules::{sense, stage_name};
use crate::section::{Goal, Residents};
use kit::{SenseName, SolveError};
use milp::{Sense, StopReason};
use prices::{Counters, Found, Limits, Looking, Question, Split, Total, search};
use solver::StageResult;
use std::rc::Rc;
use std::time::Instant;

/// On so many machines at most it depends on what they hold whether prices or programs come first; on very few, prices seldom do.
const VERY_FEW_MACHINES: usize = 4;
const FEW_MACHINES: usize = 7;

/// On so many machines at most the program comes first to migrations where machines hold many workloads and a quarter of all slots is to
/// spare.
const SOME_MACHINES: usize = 20;

/// So many workloads of average size fill the slots of such a machine at most, and of one for which a dive comes late.
const NOT_MANY_WORKLOADS: u64 = 16;

/// From so many machines on prices prove hardware, and weighted sums, before a program has found its way.
const MANY_MACHINES: usize = 32;

/// The same for machines that hold few workloads, which have few contents.
const MANY_SMALL_MACHINES: usize = 16;

/// So many workloads of average size fill the slots of such a machine at most.
const FEW_WORKLOADS: u64 = 8;

/// From so many kinds of machines on contents that tables show have to do at first.
const MANY_GROUPS: usize = 30;

/// From so many on dives look for solutions, and a program hardly suffices.
const VERY_MANY_GROUPS: usize = 100;

/// Up to so many kinds of machines dives are quick.
const FEW_GROUPS: usize = 4;

/// How many dives there are before each choice among contents met, and for a target at most.
const DIVES_OF_FEW: usize = 15;
const MOST_DIVES: usize = 150;
const DIVES_OF_VERY_MANY: usize = 2;

/// How many dives there are where contents are too many to list, and how many more before the programs take over.
const LATE_DIVES: usize = 1;
const LAST_DIVES: usize = 9;

/// How often machines are asked for their best content on average before the programs take over, wide searches counting more.
const MOST_ASKED: u32 = 4_000;

/// The same where cores and memory are left out.
const FEW_ASKED: u32 = 200;

/// What prices of totals are confined by at first, in what a machine with one GPU counts, or a move, or a workload.
const CONFINES: f64 = 0.5;

/// Which part of the time that is left is for the program, should prices not suffice.
const PART_FOR_THE_PROGRAM: u32 = 2;

/// The same with very many kinds of machines.
const PART_OF_VERY_MANY: u32 = 8;

/// The greatest number that costs may add up to.
const MOST_COST: i128 = 1 << 44;

/// Whether machines by prices can say what a problem asks: only cores, memory and the rules of GPUs confine what a machine holds, and
/// workloads of a shape may stand in for one another. Other rules between workloads and machines are refused here.
fn suits(problem: &Problem) -> bool {
    !problem.has_rules()
}

/// Whether prices of machines can prove a stage, and are asked for it or likely to be quicker than programs.
pub fn are_quicker(problem: &Problem, when: Prices) -> bool {
    let is_asked_for = match when {
        Prices::Always => true,
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
struct Slots {
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
    fn of(problem: &Problem) -> Self {
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
    fn a_machine_holds(&self, most: u64) -> bool {
        self.of_all * self.workloads <= most * self.machines * self.asked_for
    }
}

/// Proves a stage, or as much as the limits allow; none where machines by prices do not suit it.
///
/// # Errors
/// When the solver fails.
pub fn prove(stage: &PriceTask<'_>, when: Prices) -> Result<Option<PricedStage>, SolveError> {
    let problem = stage.problem;
    let is_turn = are_quicker(problem, when) || (stage.is_given_up && come_late(problem, when));
    if !is_turn {
        return Ok(None);
    }
    if is_settled(stage) && when == Prices::Suitable {
        let extent = &problem.extent;
        let value = stage.goal.map_or(0, |goal| extent.in_units(goal, extent.best(goal))) as f64;
        let result = result(stage.goal, Some(value), Some(value), &StopReason::Proved);
        let counters = Counters::default();
        return Ok(Some(PricedStage { result, placement: None, stop: StopReason::Proved, counters }));
    }
    let is_wanted = match stage.goal {
        // A few nodes of a program often suffice: prices of acceptance begin wild, and few machines make a small program.
        Some(Goal::Acceptance) => false,
        Some(Goal::Hardware) | None => are_many(problem),
        Some(Goal::Migrations) => !moves_come_late(problem, when),
    };
    if !is_wanted && when != Prices::Always && !stage.is_given_up {
        return if are_many(problem) { by_gpus_alone(stage) } else { Ok(None) };
    }
    let Some(aim) = aim(problem, stage.goal) else { return Ok(None) };
    let view =
        if aim.migrations > 0 || keeps_moves(stage) { View::PlacesKnown } else { View::PlacesForgotten };
    let Some(stock) = Stock::of(problem, view) else { return by_gpus_alone(stage) };
    let Some(found) = searched(stage, &stock, view, aim, MOST_ASKED)? else { return Ok(None) };
    let (mut found, costs) = found;
    let is_any_known = found.chosen.is_some() || stage.known.is_some();
    match found.stop {
        StopReason::TimeLimit => found.stop = StopReason::NodeLimit,
        StopReason::Proved if !is_any_known => found.stop = StopReason::Infeasible,
        _ => {}
    }
    let placement = found.chosen.as_ref().map(|chosen| placement(problem, &stock, view, chosen));
    let bound = (found.bound > i64::MIN).then(|| costs.bound(found.bound));
    let value = is_any_known.then(|| costs.value(found.value));
    let result = result(stage.goal, value, bound, &found.stop);
    Ok(Some(PricedStage { result, placement, stop: found.stop, counters: found.counters }))
}

/// Whether nothing can be better than the best placement known.
fn is_settled(stage: &PriceTask<'_>) -> bool {
    let is_best = |goal: Goal| {
        stage.known.is_some_and(|(_, score)| score.goal(goal) == stage.problem.extent.best(goal))
    };
    stage.goal.is_some_and(is_best)
}

/// Whether moves are limited.
fn keeps_moves(stage: &PriceTask<'_>) -> bool {
    stage.kept.iter().any(|&(goal, _)| goal == Goal::Migrations)
}

/// Proves a stage that is not about moves where the best placement known is as good as GPUs alone allow: without cores and memory more
/// workloads are alike, and there are few shapes.
fn by_gpus_alone(stage: &PriceTask<'_>) -> Result<Option<PricedStage>, SolveError> {
    let moves = stage.goal.is_none_or(|goal| goal == Goal::Migrations) || keeps_moves(stage);
    let Some(aim) = aim(stage.problem, stage.goal).filter(|_| !moves) else { return Ok(None) };
    let Some(stock) = Stock::of(stage.problem, View::GpusAlone) else { return Ok(None) };
    let Some(found) = searched(stage, &stock, View::GpusAlone, aim, FEW_ASKED)? else { return Ok(None) };
    let (found, costs) = found;
    let is_proved = found.stop == StopReason::Proved && found.chosen.is_none();
    Ok(is_proved.then(|| {
        let bound = costs.value(found.value);
        let (value, stop) = match stage.known {
            Some(_) => (Some(bound), StopReason::Proved),
            None => (None, StopReason::Infeasible),
        };
        let result = result(stage.goal, value, Some(bound), &stop);
        PricedStage { result, placement: None, stop, counters: found.counters }
    }))
}

/// Searches for contents of machines that are better than the best placement known; none where their numbers are too great.
fn searched<'p>(
    stage: &PriceTask<'p>,
    stock: &Stock,
    view: View,
    aim: Aim,
    most_asked: u32,
) -> Result<Option<(Found<Content>, Costs<'p>)>, SolveError> {
    let problem = stage.problem;
    let has_inflow = stock.shapes.iter().any(|shape| shape.inflow > 0);
    if has_inflow && keeps_moves(stage) {
        // The row of migrations would have to count what comes in, too.
        return Ok(None);
    }
    let pinned = Stock::pinned_acceptance(problem);
    let (rows, totals) = totals(stage, &stock.shapes, &aim, view, has_inflow, pinned as i64);
    let has_many = stock.groups.len() >= MANY_GROUPS;
    let frame = Rc::new(Frame { shapes: stock.shapes.clone(), rows, aim, has_many });
    let machine = |group: &Group| {
        let number = group.machines.len() as u32;
        Machine::new(frame.clone(), number, group.slots.clone(), group.capacities, group.weights)
    };
    let Some(mut machines) = stock.groups.iter().map(machine).collect::<Option<Vec<Machine>>>() else {
        return Ok(None);
    };
    let offset = pinned * i128::from(aim.acceptance);
    let costs = Costs { problem, goal: stage.goal, offset };
    let known = stage.known.map_or_else(|| costs.above_all(), |(_, score)| costs.of(score));
    let Some(known) = known else { return Ok(None) };
    let question = Question {
        totals,
        start: stage.known.map_or_else(Vec::new, |(placement, _)| contents(stock, &machines, placement)),
        known,
        confines: CONFINES * confines(stock, &aim),
        relative_gap: stage.effort.relative_gap,
        looking: looking(problem, stock, view),
        most_asked: Some(most_asked),
    };
    let has_very_many = stock.groups.len() >= VERY_MANY_GROUPS;
    let parts = if has_very_many { PART_OF_VERY_MANY } else { PART_FOR_THE_PROGRAM };
    let share = stage.effort.time_left(stage.began).map(|left| left - left / parts);
    let deadline = share.and_then(|share| Instant::now().checked_add(share));
    let limits = Limits { deadline, control: stage.control };
    let found = search(&mut machines, question, stage.effort.solver, &stage.effort.settings, &limits)
        .map_err(|words| SolveError::Internal(format!("{} failed: {words}", stage.effort.solver.name())))?;
    Ok(Some((found, costs)))
}

/// How to look for solutions. Where cores and memory are left out, none would be a placement. Where it does not matter what runs where,
/// few kinds of machines are asked within a millisecond: many dives cost less than one sample of what their numbers allow. Machines that hold
/// many workloads are asked for so long that no dive comes late.
fn looking(problem: &Problem, stock: &Stock, view: View) -> Option<Looking> {
    match (view, stock.groups.len()) {
        (View::GpusAlone, _) => None,
        (View::PlacesForgotten, ..=FEW_GROUPS) => {
            Some(Looking { most_dives: MOST_DIVES, samples: false, ..Looking::with_dives(DIVES_OF_FEW) })
        }
        (_, groups) => {
            let dives = if groups >= VERY_MANY_GROUPS { DIVES_OF_VERY_MANY } else { 0 };
            let (late_dives, last_dives) = match Slots::of(problem).a_machine_holds(NOT_MANY_WORKLOADS) {
                true => (LATE_DIVES, LAST_DIVES),
                false => (0, 0),
            };
            Some(Looking { late_dives, last_dives, ..Looking::with_dives(dives) })
        }
    }
}

/// What is found about a stage, in its units.
fn result(goal: Option<Goal>, value: Option<f64>, bound: Option<f64>, stop: &StopReason) -> StageResult {
    let proved = *stop == StopReason::Proved;
    StageResult {
        name: stage_name(goal).to_owned(),
        sense: match sense(goal) {
            SenseName::Maximize => Sense::Maximize,
            SenseName::Minimize => Sense::Minimize,
        },
        value,
        bound,
        proved,
        settled: proved || *stop == StopReason::GapLimit,
    }
}

/// What a unit of each goal costs; none if that is too much to count.
fn aim(problem: &Problem, goal: Option<Goal>) -> Option<Aim> {
    let of = |which: Goal| match (goal, problem.weighted_sum()) {
        (Some(goal), _) => i128::from(goal == which),
        (None, sum) => sum.map_or(0, |sum: &WeightedSum| sum.step(which)),
    };
    let extent = &problem.extent;
    let most = |which: Goal| of(which).checked_mul(extent.in_units(which, extent.most[which as usize]));
    let total: Option<i128> = Goal::ALL.into_iter().map(most).sum();
    total.filter(|&total| total < MOST_COST)?;
    let [acceptance, hardware, migrations] = Goal::ALL.map(|which| of(which) as i64);
    Some(Aim { acceptance, hardware, migrations })
}

/// The totals that machines share, with their positions.
///
/// Other goals may be better than they have to be: a stage before has its best value already. Where it does not matter what runs where and
/// all that is worth something has a place, machines may hold more than there is: what is too much is left out.
fn totals(
    stage: &PriceTask<'_>,
    shapes: &[Shape],
    aim: &Aim,
    view: View,
    has_inflow: bool,
    pinned: i64,
) -> (Rows, Vec<Total>) {
    let total = |name: String, least, most, split| Total { name, least, most, excess_cost: None, split };
    let kept = |which| stage.kept.iter().find_map(|&(goal, value)| (goal == which).then_some(value));
    let of_all: i64 = shapes.iter().map(|shape| shape.acceptance * i64::from(shape.number)).sum();
    let all_accepted = kept(Goal::Acceptance).is_some_and(|value| value - pinned == of_all);
    let accepts = kept(Goal::Acceptance).is_some() || aim.acceptance > 0;
    let covers = view != View::PlacesKnown && (all_accepted || !accepts) && aim.acceptance == 0;
    let of_hardware = match kept(Goal::Hardware).is_some() || aim.hardware > 0 {
        true => Split::Early,
        false => Split::Late,
    };
    let mut totals = vec![
        total("machines".to_owned(), None, None, of_hardware),
        total("gpus".to_owned(), None, None, of_hardware),
    ];
    let (mut acceptance, mut hardware, mut migrations) = (None, None, None);
    for &(goal, value) in stage.kept {
        let position = Some(totals.len());
        let (least, most) = match goal {
            Goal::Acceptance if covers => continue,
            Goal::Acceptance => {
                acceptance = position;
                (Some(value - pinned), None)
            }
            Goal::Hardware => {
                hardware = position;
                (None, Some(value))
            }
            Goal::Migrations => {
                migrations = position;
                (None, Some(value))
            }
        };
        totals.push(total(goal.name().to_owned(), least, most, Split::Never));
    }
    let placed = totals.len();
    for (number, shape) in shapes.iter().enumerate() {
        let must_stay = (shape.must_stay > 0).then_some(i64::from(shape.must_stay));
        let all = i64::from(shape.number);
        let (least, most) = match covers {
            true if all_accepted && shape.acceptance > 0 => (Some(all), None),
            true => (must_stay, None),
            false => (must_stay, Some(all)),
        };
        totals.push(total(format!("placed-{number}"), least, most, Split::Late));
    }
    let inflow = has_inflow.then_some(totals.len());
    if has_inflow {
        for (number, shape) in shapes.iter().enumerate() {
            let most = Some(i64::from(shape.newcomers));
            let about = total(format!("inflow-{number}"), None, most, Split::Never);
            totals.push(Total { excess_cost: Some(aim.migrations * shape.inflow), ..about });
        }
    }
    (Rows { machines: 0, gpus: 1, acceptance, hardware, migrations, placed, inflow }, totals)
}

/// What a workload, a machine with one GPU or a move counts at most, in costs.
fn confines(stock: &Stock, aim: &Aim) -> f64 {
    let of_shape =
        |shape: &Shape| aim.acceptance * shape.acceptance + aim.migrations * (shape.leave + shape.inflow);
    let of_group = |group: &Group| aim.hardware * (group.weights.0 + group.weights.1);
    let most = stock.shapes.iter().map(of_shape).chain(stock.groups.iter().map(of_group)).max();
    most.unwrap_or(1).max(1) as f64
}
