//! Proves one objective of a program optimal: relaxation, dichotomy, box, full search.
//!
//! 1. The linear relaxation gives the first dual bound.
//! 2. When [`Search::dichotomy`](milp::Search::dichotomy) names a column that is fractional there, the program is
//!    split into two sides, at least the next greater integer and at most the next smaller one, each with a dual bound from
//!    its own relaxation. Otherwise there is one side, the whole program.
//! 3. The sides are searched in the order of their bounds. A side whose bound is not better than the incumbent is closed
//!    without a search; with a tight relaxation that is the fate of the second side.
//! 4. With [`Search::box_radius`](milp::Search::box_radius), a side is first searched inside a box around the point of
//!    its relaxation. That can find an incumbent that meets the bound of the side; it proves nothing else, and without such
//!    an incumbent the whole side is searched.
//!
//! Every dual bound is moved to the nearest value that the objective can take ([`Stage::step`]).

use std::time::Instant;

use milp::{Column, Outcome, Program, Sense, Stage, StopReason, Work};

use super::control::Control;
use super::gap::{Grid, relative_gap};
use super::loaded::{START_TOLERANCE, feasibility_only};
use super::session::{Request, Session};

/// The distance from an integer at which the value of an integer column in a relaxation counts as fractional.
const FRACTIONALITY: f64 = 1e-6;

/// What a proof may cost and what it starts from.
#[derive(Debug, Clone, Default)]
pub struct StageOptions {
    /// The moment at which to stop.
    pub deadline: Option<Instant>,
    /// The relative gap at which to stop early; 0 for an exact answer.
    pub relative_gap: f64,
    /// The number of branch-and-bound nodes of one search at which to stop; unlike a deadline it stops at the same point on
    /// every machine.
    pub node_limit: Option<u64>,
    /// What is proved elsewhere: no point of the program is better.
    ///
    /// It is no row of the program: along a row of its objective a relaxation is degenerate, and searches take much
    /// longer.
    pub bound: Option<f64>,
    /// A point to start from. When it satisfies the program, it is an incumbent from the first moment on.
    pub start: Option<Vec<f64>>,
}

/// What is known about one objective of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct StageOutcome {
    /// Why the search ended.
    pub stop: StopReason,
    /// The incumbent, with exact integers in the integer columns.
    pub columns: Option<Vec<f64>>,
    /// The last point that the solver returned and that breaks the program, if any.
    pub rejected: Option<Vec<f64>>,
    /// The objective value of the incumbent, on the grid of the stage's step.
    pub value: Option<f64>,
    /// The dual bound: no feasible point is better. It is on the grid of the stage's step.
    pub bound: Option<f64>,
    /// Whether the incumbent is optimal: its value and the bound differ by less than the step or, for an objective without a
    /// step, by at most 1e-6 of the value.
    pub proved: bool,
    /// The effort of all the solves.
    pub work: Work,
    /// The duration in seconds of wall-clock time.
    pub seconds: f64,
}

/// Searches the optimum of one stage of a program that is loaded in a session.
///
/// The session must hold the columns and the rows of `program` with their bounds, and does so again when the function
/// returns; its objective is then that of the stage. The search ends with the proof, at the deadline, at the gap of the
/// options or at an interruption, and returns in any case the best incumbent and the best valid dual bound.
pub fn prove_stage(
    session: &mut dyn Session,
    program: &Program,
    stage: &Stage,
    options: &StageOptions,
    control: &Control,
) -> StageOutcome {
    let started = Instant::now();
    session.set_objective(stage);
    let mut search = StageSearch {
        session,
        program,
        stage,
        grid: Grid::of(stage),
        options,
        control,
        incumbent: None,
        rejected: None,
        work: Work::default(),
    };
    let end = search.start().and_then(|()| search.whole());
    let mut outcome = search.conclude(end);
    outcome.seconds = started.elapsed().as_secs_f64();
    outcome
}

struct Incumbent {
    columns: Vec<f64>,
    value: f64,
}

/// A part of the program, distinguished by the bounds of the dichotomy column.
struct Side {
    /// The dichotomy column with its bounds on this side; nothing when the side is the whole program.
    split: Option<(usize, f64, f64)>,
    /// The point of the side's relaxation, where it is known.
    point: Option<Vec<f64>>,
    claim: Claim,
}

/// What is proved about a side.
#[derive(Clone, Copy, PartialEq)]
enum Claim {
    /// Nothing.
    Nothing,
    /// No feasible point of the side is better.
    Bound(f64),
    /// The side has no feasible point.
    Infeasible,
}

/// How far from the bound an incumbent may be when a search ends.
#[derive(Clone, Copy)]
struct Gaps {
    /// In units of the objective.
    absolute: f64,
    /// Relative to the incumbent.
    relative: f64,
}

/// The end of a search: the claim about the whole program, and the first obstacle to a proof that was met.
struct End {
    claim: Claim,
    obstacle: Option<StopReason>,
}

struct StageSearch<'a> {
    session: &'a mut dyn Session,
    program: &'a Program,
    stage: &'a Stage,
    grid: Grid,
    options: &'a StageOptions,
    control: &'a Control,
    incumbent: Option<Incumbent>,
    rejected: Option<Vec<f64>>,
    work: Work,
}

impl StageSearch<'_> {
    /// What is proved elsewhere.
    fn known(&self) -> Claim {
        self.options.bound.map_or(Claim::Nothing, |bound| self.strengthen(Claim::Nothing, bound))
    }

    /// Takes the start of the options as the incumbent if it satisfies the program.
    fn start(&mut self) -> Result<(), StopReason> {
        match &self.options.start {
            Some(start) if self.program.violations(start, START_TOLERANCE).is_empty() => {
                self.offer(start.clone())
            }
            _ => Ok(()),
        }
    }

    fn whole(&mut self) -> Result<End, StopReason> {
        let mut whole = Side { split: None, point: None, claim: self.known() };
        let obstacle = self.relax(&mut whole)?;
        self.report(whole.claim);
        if let Some(obstacle) = obstacle {
            return Ok(End { claim: whole.claim, obstacle: Some(obstacle) });
        }
        if self.is_closed(whole.claim) {
            return Ok(End { claim: whole.claim, obstacle: None });
        }
        let mut sides = match self.split(&whole) {
            Some(splits) => {
                let mut sides = Vec::new();
                for split in splits {
                    let mut side = Side { split: Some(split), point: None, claim: whole.claim };
                    let obstacle = self.relax(&mut side)?;
                    sides.push(side);
                    if obstacle.is_some() {
                        return Ok(End { claim: whole.claim, obstacle });
                    }
                }
                sides
            }
            None => vec![whole],
        };
        self.order(&mut sides);
        let mut obstacle = None;
        for index in 0..sides.len() {
            if obstacle.is_none() {
                let rest = self.weakest(
                    sides.iter().enumerate().filter(|&(other, _)| other != index).map(|(_, side)| side),
                );
                obstacle = self.search_side(&mut sides[index], rest)?;
            }
        }
        Ok(End { claim: self.weakest(sides.iter()), obstacle })
    }

    /// Solves the relaxation of a side. Returns the obstacle to any further search.
    fn relax(&mut self, side: &mut Side) -> Result<Option<StopReason>, StopReason> {
        self.enter(side);
        let outcome = self.solve(&Request::relaxation(self.options.deadline, self.control));
        self.leave(side);
        match outcome.stop {
            StopReason::Proved => {
                if let Some(bound) = outcome.bound {
                    side.claim = self.strengthen(side.claim, bound);
                }
                side.point = outcome.columns;
                self.offer_integral(side)?;
                Ok(None)
            }
            StopReason::Infeasible => {
                side.claim = Claim::Infeasible;
                Ok(None)
            }
            StopReason::Unbounded => self.look_for_a_point(side),
            // An integer search may still end well after a failed relaxation.
            StopReason::SolverError(_) => Ok(None),
            stop => Ok(Some(stop)),
        }
    }

    /// Decides whether a side with an unbounded relaxation is unbounded or infeasible. With rational coefficients there is no
    /// third case, whatever an integer search may say: HiGHS 1.15 calls some unbounded programs solved.
    fn look_for_a_point(&mut self, side: &mut Side) -> Result<Option<StopReason>, StopReason> {
        self.enter(side);
        self.session.set_objective(&feasibility_only());
        let outcome = self.solve(&Request { target: None, ..self.request(self.gaps(), self.control) });
        self.session.set_objective(self.stage);
        self.leave(side);
        if let Some(columns) = outcome.columns {
            self.offer(columns)?;
        }
        match outcome.stop {
            StopReason::Infeasible => {
                side.claim = Claim::Infeasible;
                Ok(None)
            }
            StopReason::Proved => Ok(Some(StopReason::Unbounded)),
            stop => Ok(Some(stop)),
        }
    }

    /// Takes the point of a relaxation as the incumbent if it happens to be a feasible point of the program.
    fn offer_integral(&mut self, side: &Side) -> Result<(), StopReason> {
        let Some(point) = &side.point else { return Ok(()) };
        let fractional = |(column, value): (&Column, &f64)| column.integer && is_fractional(*value);
        if self.program.columns.iter().zip(point).any(fractional) {
            return Ok(());
        }
        match self.program.snap(point.clone(), false) {
            Ok(columns) => self.offer(columns),
            Err(_) => Ok(()),
        }
    }

    /// The two sides of the dichotomy column, the upper one first, when it is fractional in the relaxation.
    fn split(&self, whole: &Side) -> Option<[(usize, f64, f64); 2]> {
        let index = self.program.search.dichotomy?;
        let value = whole.point.as_ref()?[index];
        let column = &self.program.columns[index];
        (column.integer && is_fractional(value))
            .then(|| [(index, value.ceil(), column.upper), (index, column.lower, value.floor())])
    }

    /// Puts the side with the best bound first.
    fn order(&self, sides: &mut [Side]) {
        sides.sort_by(|a, b| {
            let rank = |side: &Side| match (side.claim, self.stage.sense) {
                (Claim::Nothing, _) => (0, 0.0),
                (Claim::Bound(bound), Sense::Maximize) => (1, -bound),
                (Claim::Bound(bound), Sense::Minimize) => (1, bound),
                (Claim::Infeasible, _) => (2, 0.0),
            };
            rank(a).partial_cmp(&rank(b)).expect("bounds are numbers")
        });
    }

    /// Searches a side until it is closed. Returns the obstacle that kept it open.
    fn search_side(&mut self, side: &mut Side, rest: Claim) -> Result<Option<StopReason>, StopReason> {
        if self.is_closed(side.claim) {
            return Ok(None);
        }
        if let (Some(radius), Some(point)) = (self.program.search.box_radius, side.point.take()) {
            self.enter(side);
            let outcome = self.search_box(side, &point, radius, rest);
            self.leave(side);
            if let Some(columns) = outcome.columns {
                self.offer(columns)?;
            }
            if self.is_closed(side.claim) {
                return Ok(None);
            }
            if let StopReason::TimeLimit
            | StopReason::NodeLimit
            | StopReason::Interrupted
            | StopReason::MemoryLimit = outcome.stop
            {
                return Ok(Some(outcome.stop));
            }
        }
        let obstacle = self.search_whole_side(side, self.gaps(), rest)?;
        match (obstacle, self.gaps_within(side.claim)) {
            // The solver has a gap of its own.
            (Some(StopReason::GapLimit), Some(gaps)) => self.search_whole_side(side, gaps, rest),
            (obstacle, _) => Ok(obstacle),
        }
    }

    fn search_whole_side(
        &mut self,
        side: &mut Side,
        gaps: Gaps,
        rest: Claim,
    ) -> Result<Option<StopReason>, StopReason> {
        self.enter(side);
        self.propose_start();
        let outcome = self.solve_within(gaps, &self.scoped(rest));
        self.leave(side);
        if let Some(columns) = outcome.columns {
            self.offer(columns)?;
        }
        if let Some(bound) = outcome.bound {
            side.claim = self.strengthen(side.claim, bound);
        }
        match outcome.stop {
            StopReason::Infeasible => {
                side.claim = Claim::Infeasible;
                Ok(None)
            }
            StopReason::Proved | StopReason::GapLimit if self.is_closed(side.claim) => Ok(None),
            StopReason::Proved => Ok(Some(StopReason::GapLimit)),
            stop => Ok(Some(stop)),
        }
    }

    /// The gaps that the options allow.
    fn gaps(&self) -> Gaps {
        Gaps {
            absolute: self.grid.absolute_gap(),
            relative: self.grid.relative_gap(self.options.relative_gap),
        }
    }

    /// The relative gap of the options as an absolute one, which leaves no room for another opinion of what it is relative to;
    /// nothing when the options allow no more than an exact answer.
    fn gaps_within(&self, claim: Claim) -> Option<Gaps> {
        let (Claim::Bound(bound), Some(incumbent)) = (claim, &self.incumbent) else { return None };
        // Every value from here on lies between the two.
        let least = if bound * incumbent.value > 0.0 { bound.abs().min(incumbent.value.abs()) } else { 0.0 };
        let Gaps { absolute, .. } = self.gaps();
        (self.options.relative_gap > 0.0).then(|| Gaps {
            absolute: absolute.max(self.options.relative_gap * least),
            relative: self.grid.relative_gap(0.0),
        })
    }

    /// Searches the part of a side in which every integer column is near the point of the relaxation.
    fn search_box(&mut self, side: &Side, point: &[f64], radius: u32, rest: Claim) -> Outcome {
        let radius = f64::from(radius);
        let bounds = |index: usize| match side.split {
            Some((split, lower, upper)) if split == index => (lower, upper),
            _ => (self.program.columns[index].lower, self.program.columns[index].upper),
        };
        let boxed: Vec<usize> =
            (0..point.len()).filter(|&index| self.program.columns[index].integer).collect();
        for &index in &boxed {
            let (lower, upper) = bounds(index);
            let near = (lower.max(point[index].floor() - radius), upper.min(point[index].ceil() + radius));
            self.session.set_column_bounds(index, near.0, near.1);
        }
        self.propose_start();
        let outcome = self.solve_within(self.gaps(), &self.scoped(rest));
        for &index in &boxed {
            let (lower, upper) = bounds(index);
            self.session.set_column_bounds(index, lower, upper);
        }
        outcome
    }

    fn enter(&mut self, side: &Side) {
        if let Some((index, lower, upper)) = side.split {
            self.session.set_column_bounds(index, lower, upper);
        }
    }

    fn leave(&mut self, side: &Side) {
        if let Some((index, ..)) = side.split {
            let column = &self.program.columns[index];
            self.session.set_column_bounds(index, column.lower, column.upper);
        }
    }

    fn propose_start(&mut self) {
        if let Some(incumbent) = &self.incumbent {
            self.session.set_start(&incumbent.columns);
        }
    }

    /// Searches for an integer point until it is within the gaps.
    fn solve_within(&mut self, gaps: Gaps, control: &Control) -> Outcome {
        self.solve(&self.request(gaps, control))
    }

    fn request<'c>(&self, gaps: Gaps, control: &'c Control) -> Request<'c> {
        Request {
            relaxation: false,
            deadline: self.options.deadline,
            absolute_gap: gaps.absolute,
            relative_gap: gaps.relative,
            node_limit: self.options.node_limit,
            target: self.options.bound.and_then(|bound| self.grid.target(bound)),
            control,
        }
    }

    fn solve(&mut self, request: &Request) -> Outcome {
        let mut outcome = self.session.solve(request);
        self.work += outcome.work;
        self.rejected = outcome.rejected.take().or(self.rejected.take());
        outcome
    }

    /// A control that reports the progress on one side in terms of the whole program.
    fn scoped(&self, rest: Claim) -> Control {
        let rest = match rest {
            Claim::Bound(bound) => Some(bound),
            Claim::Nothing | Claim::Infeasible => None,
        };
        self.control.within(self.stage.sense, self.incumbent.as_ref().map(|incumbent| incumbent.value), rest)
    }

    /// Tells of the incumbent and of what is proved about the whole program.
    fn report(&self, claim: Claim) {
        let bound = match claim {
            Claim::Bound(bound) => Some(bound),
            Claim::Nothing | Claim::Infeasible => None,
        };
        let value = self.incumbent.as_ref().map(|incumbent| incumbent.value);
        if value.is_some() || bound.is_some() {
            self.control.report(&self.stage.name, value, bound, self.work.nodes);
        }
    }

    /// Takes a feasible point as the incumbent if it is better than the present one.
    fn offer(&mut self, columns: Vec<f64>) -> Result<(), StopReason> {
        let value = self.grid.settle(self.stage.evaluate(&columns)).map_err(StopReason::SolverError)?;
        if self.incumbent.as_ref().is_none_or(|incumbent| self.stage.sense.better(value, incumbent.value)) {
            self.incumbent = Some(Incumbent { columns, value });
        }
        Ok(())
    }

    /// Whether nothing that is still wanted can lie where the claim holds.
    fn is_closed(&self, claim: Claim) -> bool {
        match (claim, &self.incumbent) {
            (Claim::Infeasible, _) => true,
            (Claim::Bound(bound), Some(incumbent)) => {
                self.grid.proves(incumbent.value, bound)
                    || relative_gap(incumbent.value, bound) <= self.options.relative_gap
            }
            _ => false,
        }
    }

    /// The stronger of a claim and a further bound of the same side.
    fn strengthen(&self, claim: Claim, bound: f64) -> Claim {
        let bound = self.grid.tighten(bound);
        match claim {
            Claim::Nothing => Claim::Bound(bound),
            Claim::Bound(known) if self.stage.sense.better(known, bound) => Claim::Bound(bound),
            known => known,
        }
    }

    /// What the claims about all the sides prove about their union.
    fn weakest<'s>(&self, sides: impl Iterator<Item = &'s Side>) -> Claim {
        sides.map(|side| side.claim).fold(Claim::Infeasible, |a, b| match (a, b) {
            (Claim::Infeasible, claim) | (claim, Claim::Infeasible) => claim,
            (Claim::Bound(a), Claim::Bound(b)) => Claim::Bound(self.stage.sense.weakest(a, b)),
            (Claim::Nothing, _) | (_, Claim::Nothing) => Claim::Nothing,
        })
    }

    fn conclude(self, end: Result<End, StopReason>) -> StageOutcome {
        let End { claim, obstacle } =
            end.unwrap_or_else(|stop| End { claim: self.known(), obstacle: Some(stop) });
        self.report(claim);
        let value = self.incumbent.as_ref().map(|incumbent| incumbent.value);
        let bound = match (claim, value) {
            // The incumbent itself may be outside of every side that is left.
            (Claim::Bound(bound), Some(value)) => Some(self.stage.sense.weakest(bound, value)),
            (Claim::Bound(bound), None) => Some(bound),
            (Claim::Infeasible | Claim::Nothing, _) => None,
        };
        let proved = value.zip(bound).is_some_and(|(value, bound)| self.grid.proves(value, bound));
        let within_gap = value
            .zip(bound)
            .is_some_and(|(value, bound)| relative_gap(value, bound) <= self.options.relative_gap);
        let stop = match (claim, obstacle) {
            _ if proved => StopReason::Proved,
            (_, Some(obstacle)) if !within_gap => obstacle,
            (Claim::Infeasible, _) if value.is_none() => StopReason::Infeasible,
            (Claim::Infeasible, _) => StopReason::SolverError(
                "the solver calls a program infeasible that has a feasible point".to_owned(),
            ),
            _ => StopReason::GapLimit,
        };
        StageOutcome {
            stop,
            columns: self.incumbent.map(|incumbent| incumbent.columns),
            rejected: self.rejected,
            value,
            bound,
            proved,
            work: self.work,
            seconds: 0.0,
        }
    }
}

fn is_fractional(value: f64) -> bool {
    (value - value.round()).abs() > FRACTIONALITY
}
