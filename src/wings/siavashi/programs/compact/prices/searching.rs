//! The search for contents of machines that are better than the best placement known.

use super::assortment::Assortment;
use super::budgets::Budgets;
use super::content::{Content, Frame};
use super::costs::Costs;
use super::machine::Machine;
use super::placing::contents;
use super::stock::{Group, Stock};
use super::terms::{Aim, Rows, Shape};
use super::view::View;
use super::when::{NOT_MANY_WORKLOADS, Slots};
use crate::instance::{Problem, WeightedSum};
use crate::programs::priced::{PriceTask, PricedStage};
use crate::rules::{sense, stage_name};
use crate::section::Goal;
use cluster::Placement;
use kit::{SenseName, SolveError};
use milp::{Sense, StopReason};
use prices::{Found, Limits, Looking, Question, Split, Total, search};
use solver::StageResult;
use std::rc::Rc;
use std::time::Instant;

/// From so many kinds of machines on contents that tables show have to do at first.
const MANY_GROUPS: usize = 30;

/// From so many on there are more late dives, and a program hardly suffices.
const VERY_MANY_GROUPS: usize = 100;

/// Up to so many kinds of machines dives are quick.
const FEW_GROUPS: usize = 4;

/// How many dives there are before each choice among contents met, and for a target at most.
const DIVES_OF_FEW: usize = 3;
const MOST_DIVES: usize = 12;

/// How many dives there are where contents are too many to list, and how many more before the programs take over.
const LATE_DIVES: usize = 1;
const LATE_DIVES_OF_VERY_MANY: usize = 2;
const LAST_DIVES: usize = 9;

/// How often machines are asked for their best content on average before the programs take over, wide searches counting more.
pub const MOST_ASKED: u32 = 4_000;

/// What prices of totals are confined by at first, in what a machine with one GPU counts, or a move, or a workload.
const CONFINES: f64 = 0.5;

/// Which part of the time that is left is for the program, should prices not suffice.
const PART_FOR_THE_PROGRAM: u32 = 2;

/// The same with very many kinds of machines.
const PART_OF_VERY_MANY: u32 = 8;

/// The greatest number that costs may add up to.
const MOST_COST: i128 = 1 << 44;

/// Whether moves are limited.
pub fn keeps_moves(stage: &PriceTask<'_>) -> bool {
    stage.kept.iter().any(|&(goal, _)| goal == Goal::Migrations)
}

/// Searches for contents of machines that are better than the best placement known; none where their numbers are too great.
pub fn searched<'p>(
    stage: &PriceTask<'p>,
    stock: &Stock,
    view: View<'_>,
    aim: Aim,
    most_asked: u32,
) -> Result<Option<(Found<Content>, Costs<'p>)>, SolveError> {
    let problem = stage.problem;
    let has_inflow = stock.shared().shapes.iter().any(|shape| shape.inflow > 0);
    if has_inflow && keeps_moves(stage) {
        // The row of migrations would have to count what comes in, too.
        return Ok(None);
    }
    let pinned = Stock::pinned_acceptance(problem);
    let (rows, totals) = totals(stage, &stock.shared().shapes, &aim, view, has_inflow, pinned as i64);
    let has_many = stock.groups.len() >= MANY_GROUPS;
    let frame =
        |assortment: &Assortment| Rc::new(Frame { shapes: assortment.shapes.clone(), rows, aim, has_many });
    let frames: Vec<Rc<Frame>> = stock.assortments.iter().map(frame).collect();
    let machine = |group: &Group| {
        let number = group.machines.len() as u32;
        let frame = frames[group.assortment].clone();
        Machine::new(frame, number, group.slots.clone(), group.capacities, group.weights)
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
        start: stage.known.map_or_else(Vec::new, |(placement, _)| contents(stock, placement)),
        known,
        confines: CONFINES * confines(stock, &aim),
        relative_gap: stage.effort.relative_gap,
        looking: looking(problem, stock, view, aim),
        most_asked: Some(most_asked),
    };
    let share = stage.effort.time_left(stage.began).map(|left| match stock.groups.len() {
        // There the program takes long to build.
        _ if view.knows_places && view.apart.is_some() => left,
        ..VERY_MANY_GROUPS => left - left / PART_FOR_THE_PROGRAM,
        _ => left - left / PART_OF_VERY_MANY,
    });
    let deadline = share.and_then(|share| Instant::now().checked_add(share));
    let limits = Limits { deadline, control: stage.control };
    let found = search(&mut machines, question, stage.effort.solver, &stage.effort.settings, &limits)
        .map_err(|words| SolveError::Internal(format!("{} failed: {words}", stage.effort.solver.name())))?;
    Ok(Some((found, costs)))
}

/// How to look for solutions. Where places, cores and memory are left out, the bound of acceptance alone is of use: what is accepted mostly
/// finds no cores or memory. Where it does not matter what runs where, few kinds of machines are asked within a millisecond: some dives cost less than one sample of what their numbers allow. Of very many
/// kinds, and of machines that hold many workloads, the contents met so far mostly suffice, and a dive takes long.
fn looking(problem: &Problem, stock: &Stock, view: View<'_>, aim: Aim) -> Option<Looking> {
    match (view.knows_places, stock.groups.len()) {
        (false, _) if view.apart.is_some() && aim.acceptance > 0 => None,
        (false, ..=FEW_GROUPS) => {
            Some(Looking { most_dives: MOST_DIVES, samples: false, ..Looking::with_dives(DIVES_OF_FEW) })
        }
        (_, groups) => {
            let holds_not_many = Slots::of(problem).a_machine_holds(NOT_MANY_WORKLOADS);
            let late_dives = match groups {
                VERY_MANY_GROUPS.. => LATE_DIVES_OF_VERY_MANY,
                _ if holds_not_many => LATE_DIVES,
                _ => 0,
            };
            let last_dives = if holds_not_many { LAST_DIVES } else { 0 };
            Some(Looking { late_dives, last_dives, ..Looking::with_dives(0) })
        }
    }
}

/// What is found about a stage, in its units.
pub fn result(goal: Option<Goal>, value: Option<f64>, bound: Option<f64>, stop: &StopReason) -> StageResult {
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
pub fn aim(problem: &Problem, goal: Option<Goal>) -> Option<Aim> {
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
    view: View<'_>,
    has_inflow: bool,
    pinned: i64,
) -> (Rows, Vec<Total>) {
    let total = |name: String, least, most, split| Total { name, least, most, excess_cost: None, split };
    let kept = |which| stage.kept.iter().find_map(|&(goal, value)| (goal == which).then_some(value));
    let of_all: i64 = shapes.iter().map(|shape| shape.acceptance * i64::from(shape.number)).sum();
    let all_accepted = kept(Goal::Acceptance).is_some_and(|value| value - pinned == of_all);
    let accepts = kept(Goal::Acceptance).is_some() || aim.acceptance > 0;
    let covers = !view.knows_places && (all_accepted || !accepts) && aim.acceptance == 0;
    let of_hardware = match kept(Goal::Hardware).is_some() || aim.hardware > 0 {
        true => Split::Early,
        false => Split::Late,
    };
    let accepted = kept(Goal::Acceptance).map_or(0, |value| value - pinned);
    let least_machines = Budgets::new(stage.problem).least_machines(stage.problem, accepted) as i64;
    let mut totals = vec![
        total("machines".to_owned(), Some(least_machines), None, of_hardware),
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
    let most = stock.shared().shapes.iter().map(of_shape).chain(stock.groups.iter().map(of_group)).max();
    most.unwrap_or(1).max(1) as f64
}

/// What was found about a stage, with a placement of that value if it is better than the best known.
pub fn priced(
    stage: &PriceTask<'_>,
    costs: &Costs<'_>,
    found: Found<Content>,
    placement: Option<Placement>,
) -> PricedStage {
    let is_any_known = placement.is_some() || stage.known.is_some();
    let stop = match found.stop {
        StopReason::TimeLimit => StopReason::NodeLimit,
        StopReason::Proved if !is_any_known => StopReason::Infeasible,
        stop => stop,
    };
    let bound = (found.bound > i64::MIN).then(|| costs.bound(found.bound));
    let value = is_any_known.then(|| costs.value(found.value));
    let result = result(stage.goal, value, bound, &stop);
    PricedStage { result, placement, stop, counters: found.counters }
}
