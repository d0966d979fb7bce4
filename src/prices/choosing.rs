//! The best choice among listed contents.
//!
//! Few contents go to an exact solver of integer programs. Of more, some are first ruled out by prices of their own ([`Narrowed`]). Where
//! many are left, a few parts are told apart by cases ([`cases`]), and a program gets what is left of each case; of more parts, the best
//! contents are tried first, then a few parts choose again in [`neighbourhoods`] of what the linear program takes. What none of these
//! decides is left to a program.

use super::branching::{Cases, cases, whole};
use super::effort::Limits;
use super::narrowed::{Left, Narrowed, Remaining};
use super::neighbourhoods::neighbourhoods;
use super::selection::{Listed, Selection, Taken};
use milp::{StopReason, Work};
use solver::{Settings, Solver, StageOptions, prove_stage};

/// Up to so many contents a program chooses at once.
const FEW: usize = 300;

/// Up to so many contents of a case a program chooses.
const FEW_OF_CASE: usize = 2_000;

/// Up to so many parts are few: these are told apart by cases, where parts count that have more than one content left.
const FEW_PARTS: usize = 16;

/// After so many cases a program takes over.
const MOST_CASES: usize = 10;

/// Of the contents of more parts, a program first chooses among so many that are worth most.
const BEST: usize = 500;

/// The nodes after which the choice of a few parts, or among a few contents, is given up.
const NODES_OF_FEW: u64 = 100;

/// A program of a few parts that is given up after so many nodes does not restart: restarts count as no nodes, and may take longer than all
/// of them.
const SOON: u64 = 500;

/// How choices are made.
#[derive(Clone, Copy)]
pub struct Choosing<'c> {
    /// Solves the programs.
    pub solver: &'c dyn Solver,
    /// Its settings.
    pub settings: &'c Settings,
    /// When it stops.
    pub limits: &'c Limits<'c>,
    /// The nodes after which a program is given up.
    pub nodes: u64,
}

/// A choice, or what is known of it.
pub struct Choice {
    /// It costs at least so much, as far as is known; or what was asked for and one more where all choices cost more.
    pub bound: Option<i64>,
    /// The cheapest choice that was found, and its cost.
    pub taken: Option<(i64, Vec<Taken>)>,
    /// What the programs took.
    pub work: Work,
}

impl Choosing<'_> {
    /// Looks for the cheapest choice that costs no more than `most`. One that costs `enough` is as good as any.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn choose(&self, selection: &Selection<'_>, most: i64, enough: i64) -> Result<Choice, String> {
        self.narrowed(selection, most, |narrowed, remaining| {
            let choice = self.before_a_program(selection, narrowed, &remaining, most, enough)?;
            let cost = choice.taken.as_ref().map_or(most + 1, |(cost, _)| *cost);
            let is_decided = cost <= enough || choice.bound.is_some_and(|bound| bound >= cost);
            if is_decided || self.limits.stop().is_some() {
                return Ok(choice);
            }
            let last = self.by_program(selection, &remaining.positions, cost - 1)?;
            Ok(Choice {
                bound: last.bound.max(choice.bound),
                taken: last.taken.or(choice.taken),
                work: choice.work + last.work,
            })
        })
    }

    /// Rules contents out before others choose, where they are not few.
    fn narrowed<'n>(
        &'n self,
        selection: &Selection<'n>,
        most: i64,
        choose: impl FnOnce(&mut Narrowed<'n>, Remaining) -> Result<Choice, String>,
    ) -> Result<Choice, String> {
        let all: Vec<usize> = (0..selection.listed.len()).collect();
        if all.len() <= FEW {
            return self.by_program(selection, &all, most);
        }
        let program = selection.program(most + 1);
        let mut narrowed = Narrowed::open(*selection, &program, self.solver, self.settings, self.limits)?;
        let mut choice = match narrowed.narrow(all.clone(), most) {
            None => self.by_program(selection, &all, most)?,
            Some(Left::Nothing) => Choice { bound: Some(most + 1), taken: None, work: Work::default() },
            Some(Left::Some(remaining)) => choose(&mut narrowed, remaining)?,
        };
        choice.work += narrowed.work;
        Ok(choice)
    }

    /// Looks for a choice where a program alone would take long.
    fn before_a_program(
        &self,
        selection: &Selection<'_>,
        narrowed: &mut Narrowed<'_>,
        remaining: &Remaining,
        most: i64,
        enough: i64,
    ) -> Result<Choice, String> {
        let parts = open_parts(selection, remaining);
        if remaining.positions.len() > FEW_OF_CASE && parts <= FEW_PARTS {
            return self.by_cases(selection, narrowed, remaining.clone(), most, enough);
        }
        let mut choice = Choice { bound: Some(remaining.bound), taken: None, work: Work::default() };
        if remaining.positions.len() > FEW_OF_CASE {
            choice.taken = self.by_few_contents(selection, remaining, most, &mut choice.work)?;
        }
        Ok(choice)
    }

    /// An exact solver chooses.
    ///
    /// # Errors
    /// When it fails.
    pub fn by_program(
        &self,
        selection: &Selection<'_>,
        positions: &[usize],
        most: i64,
    ) -> Result<Choice, String> {
        let listed: Vec<Listed<'_>> = positions.iter().map(|&position| selection.listed[position]).collect();
        let mut program = Selection { listed: &listed, ..*selection }.program(most + 1);
        program.search.skips_restarts = self.nodes <= SOON && selection.numbers.len() <= FEW_PARTS;
        let mut session = self.solver.open(&program, self.settings).map_err(|failure| failure.to_string())?;
        let mut nothing = vec![0.0; program.columns.len()];
        *nothing.last_mut().expect("there is a column") = 1.0;
        let options = StageOptions {
            deadline: self.limits.deadline,
            node_limit: Some(self.nodes),
            start: Some(nothing),
            ..StageOptions::default()
        };
        let outcome =
            prove_stage(session.as_mut(), &program, &program.stages[0], &options, self.limits.control);
        if let StopReason::SolverError(words) = &outcome.stop {
            return Err(words.clone());
        }
        let something = outcome.columns.as_ref().filter(|columns| columns.last() == Some(&0.0));
        let taken = something.map(|columns| {
            let taken = positions.iter().zip(columns).filter(|(_, number)| **number > 0.5);
            let taken = taken.map(|(&position, number)| (position, number.round() as u32)).collect();
            (outcome.value.expect("a point has a value").round() as i64, taken)
        });
        let bound = outcome.bound.map(|bound| bound.round() as i64);
        Ok(Choice { bound, taken, work: outcome.work })
    }

    /// Tells parts apart by cases until programs can choose.
    fn by_cases(
        &self,
        selection: &Selection<'_>,
        narrowed: &mut Narrowed<'_>,
        root: Remaining,
        most: i64,
        enough: i64,
    ) -> Result<Choice, String> {
        let mut most = most;
        let mut choice = Choice { bound: None, taken: None, work: Work::default() };
        // What choices cost at least that no case has decided.
        let mut undecided = i64::MAX;
        let mut met = 0;
        let mut open: Vec<(i64, Vec<usize>)> = vec![(root.bound, root.positions)];
        while let Some((bound, positions)) = open.pop() {
            if bound > most {
                continue;
            }
            met += 1;
            let left = if met > MOST_CASES { None } else { narrowed.narrow(positions, most) };
            let Some(left) = left else {
                undecided = undecided.min(bound);
                break;
            };
            let Left::Some(remaining) = left else { continue };
            let bound = remaining.bound;
            if let Some((cost, taken)) = whole(selection, &remaining, most) {
                choice.taken = Some((cost, taken));
                most = cost - 1;
                open.push((bound, remaining.positions));
            } else if let Some(cases) = self.cases(selection, &remaining) {
                open.extend(cases.map(|positions| (bound, positions)));
            } else {
                let of_case = self.by_program(selection, &remaining.positions, most)?;
                choice.work += of_case.work;
                if let Some((cost, taken)) = of_case.taken {
                    choice.taken = Some((cost, taken));
                    most = cost - 1;
                }
                if of_case.bound.is_none_or(|bound| bound <= most) {
                    undecided = undecided.min(bound.max(of_case.bound.unwrap_or(bound)));
                }
            }
            if most < enough {
                break;
            }
        }
        let open = open.iter().map(|(bound, _)| *bound).min();
        choice.bound = Some((most + 1).min(undecided).min(open.unwrap_or(i64::MAX)));
        Ok(choice)
    }

    /// The cases of what is left, if that is too much for a program.
    fn cases(&self, selection: &Selection<'_>, remaining: &Remaining) -> Option<Cases> {
        if remaining.positions.len() <= FEW_OF_CASE { None } else { cases(selection, remaining) }
    }

    /// Looks for a choice of a few contents: the best of all parts; then those of some parts, while others take what the linear program takes
    /// of them.
    fn by_few_contents(
        &self,
        selection: &Selection<'_>,
        remaining: &Remaining,
        most: i64,
        work: &mut Work,
    ) -> Result<Option<(i64, Vec<Taken>)>, String> {
        let few = Choosing { nodes: self.nodes.min(NODES_OF_FEW), ..*self };
        let of_best = few.by_program(selection, &remaining.best(BEST), most)?;
        *work += of_best.work;
        if of_best.taken.is_some() || self.limits.stop().is_some() {
            return Ok(of_best.taken);
        }
        for near in neighbourhoods(selection, remaining) {
            let smaller = Selection {
                totals: selection.totals,
                bounds: &near.bounds,
                numbers: &near.numbers,
                listed: &near.listed,
            };
            let most = most - near.cost;
            let choice = few.narrowed(&smaller, most, |_, remaining| {
                few.by_program(&smaller, &remaining.positions, most)
            })?;
            *work += choice.work;
            if let Some((cost, taken)) = choice.taken {
                let again = taken.into_iter().map(|(position, number)| (near.positions[position], number));
                return Ok(Some((near.cost + cost, near.taken.into_iter().chain(again).collect())));
            }
            if self.limits.stop().is_some() {
                break;
            }
        }
        Ok(None)
    }
}

/// How many parts have more than one content left.
fn open_parts(selection: &Selection<'_>, remaining: &Remaining) -> usize {
    let mut contents = vec![0_usize; selection.numbers.len()];
    remaining.positions.iter().for_each(|&position| contents[selection.listed[position].part] += 1);
    contents.into_iter().filter(|&contents| contents > 1).count()
}
