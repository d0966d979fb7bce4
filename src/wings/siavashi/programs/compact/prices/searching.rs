//! The search for contents of machines that are better than the best placement known.

use super::assortment::Assortment;
use super::content::{Content, Frame};
use super::costs::Costs;
use super::machine::Machine;
use super::outline::{Outline, VERY_MANY_GROUPS};
use super::placing::contents;
use super::stock::{Group, Stock};
use super::terms::Aim;
use super::view::View;
use super::when::{NOT_MANY_WORKLOADS, Slots};
use crate::instance::Problem;
use crate::programs::priced::PriceTask;
use kit::SolveError;
use prices::{Found, Looking};
use std::rc::Rc;

/// From so many kinds of machines on contents that tables show have to do at first.
const MANY_GROUPS: usize = 30;

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
const MOST_ASKED: u32 = 4_000;

/// Searches for contents of machines that are better than the best placement known; none where their numbers are too great.
///
/// # Errors
/// When the solver fails.
pub fn searched<'p>(
    stage: &PriceTask<'p>,
    stock: &Stock,
    view: View<'_>,
    aim: Aim,
) -> Result<Option<(Found<Content>, Costs<'p>)>, SolveError> {
    let Some(outline) = Outline::of(stage, stock, view, aim) else { return Ok(None) };
    let (rows, has_many) = (outline.rows, stock.groups.len() >= MANY_GROUPS);
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
    let start = stage.known.map_or_else(Vec::new, |(placement, _)| contents(stock, placement));
    let looking = looking(stage.problem, stock, view);
    let found = outline.search(&mut machines, start, Some(looking), MOST_ASKED)?;
    Ok(Some((found, outline.costs)))
}

/// How to look for solutions. Where it does not matter what runs where, few kinds of machines are asked within a millisecond: some dives cost less than one sample of what their numbers allow. Of very many
/// kinds, and of machines that hold many workloads, the contents met so far mostly suffice, and a dive takes long.
fn looking(problem: &Problem, stock: &Stock, view: View<'_>) -> Looking {
    match (view.knows_places, stock.groups.len()) {
        (false, ..=FEW_GROUPS) => {
            Looking { most_dives: MOST_DIVES, samples: false, ..Looking::with_dives(DIVES_OF_FEW) }
        }
        (_, groups) => {
            let holds_not_many = Slots::of(problem).a_machine_holds(NOT_MANY_WORKLOADS);
            let late_dives = match groups {
                VERY_MANY_GROUPS.. => LATE_DIVES_OF_VERY_MANY,
                _ if holds_not_many => LATE_DIVES,
                _ => 0,
            };
            let last_dives = if holds_not_many { LAST_DIVES } else { 0 };
            Looking { late_dives, last_dives, ..Looking::with_dives(0) }
        }
    }
}
