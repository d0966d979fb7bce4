//! Solves the objectives of a program in lexicographic order.

use std::time::{Duration, Instant};

use milp::{Program, Row, Sense, Stage, StopReason, Work};

use super::control::Control;
use super::gap::{Grid, relative_gap};
use super::loaded::{START_TOLERANCE, feasibility_only};
use super::prove::{StageOptions, StageOutcome, prove_stage};
use super::session::{Request, Session, Settings, Solver};

/// The part of its value by which a stage without a step may become worse in later stages.
const SLACK_WITHOUT_STEP: f64 = 1e-7;

/// What a solve may cost and what it starts from.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The time for all the stages together.
    pub time_limit: Option<Duration>,
    /// The relative gap at which to stop early; 0 for an exact answer.
    pub relative_gap: f64,
    /// The number of branch-and-bound nodes of one search at which to stop.
    pub node_limit: Option<u64>,
    /// What is proved elsewhere about the first stage: no point of the program is better. What meets it is proved.
    pub bound: Option<f64>,
    /// The solver's threads, its seed and its own options.
    pub settings: Settings,
    /// A point to start from, such as a heuristic's. When it satisfies the program, no worse answer is returned.
    pub start: Option<Vec<f64>>,
}

impl Default for Options {
    /// An exact answer on one thread, whatever time it takes.
    fn default() -> Self {
        Options {
            time_limit: None,
            relative_gap: 0.0,
            node_limit: None,
            bound: None,
            settings: Settings::default(),
            start: None,
        }
    }
}

/// What is known about one objective.
#[derive(Debug, Clone, PartialEq)]
pub struct StageResult {
    /// The name of the stage.
    pub name: String,
    /// The direction.
    pub sense: Sense,
    /// The value at the final point.
    pub value: Option<f64>,
    /// The dual bound among the points that are no worse in the earlier stages; nothing when the stage was not reached.
    pub bound: Option<f64>,
    /// Whether the value is optimal among the points that are no worse in the earlier stages.
    pub proved: bool,
    /// Whether it is proved or within the gap that was asked for, so that the next stage was searched.
    pub settled: bool,
}

/// What is known about all the objectives.
#[derive(Debug, Clone, PartialEq)]
pub struct Staged {
    /// One result for each stage of the program, in its order.
    pub stages: Vec<StageResult>,
    /// The final point, with exact integers in the integer columns.
    pub columns: Option<Vec<f64>>,
    /// The last point that the solver returned for the last stage reached and that breaks the program, if any.
    pub rejected: Option<Vec<f64>>,
    /// [`StopReason::Proved`] when every stage is proved, [`StopReason::GapLimit`] when all are proved or within the gap, otherwise
    /// why the last stage that was reached ended.
    pub stop: StopReason,
    /// The effort of all the solves.
    pub work: Work,
    /// The duration in seconds of wall-clock time.
    pub seconds: f64,
}

/// Optimizes the first stage of a program, then the second among the optima of the first, and so on.
///
/// Once a stage is proved or within the gap, a row is added that keeps its value, and its point starts the next stage. The first
/// stage that ends otherwise, for whatever reason, is the last: the later ones get the value of its point and no bound. A
/// program without stages is only searched for a feasible point. When the program has a [guide](Program::guide) and several
/// stages, the optimum of the guide is looked for first, in a third of the time at most, as the start of the first stage.
pub fn solve_stages(solver: &dyn Solver, program: &Program, options: &Options, control: &Control) -> Staged {
    let started = Instant::now();
    let mut staged = Staged {
        stages: Vec::new(),
        columns: None,
        rejected: None,
        stop: StopReason::Proved,
        work: Work::default(),
        seconds: 0.0,
    };
    match solver.open(program, &options.settings) {
        Err(failure) => staged.stop = StopReason::SolverError(failure.to_string()),
        Ok(mut session) => {
            // The program as the session holds it.
            let mut program = program.clone();
            let mut stage_options = StageOptions {
                deadline: options.time_limit.and_then(|limit| started.checked_add(limit)),
                relative_gap: options.relative_gap,
                node_limit: options.node_limit,
                bound: options.bound,
                start: options.start.clone(),
            };
            if let Some(guide) = program.guide.take().filter(|_| program.stages.len() > 1) {
                let guided = StageOptions {
                    // The stages need time for their bounds.
                    deadline: options.time_limit.and_then(|limit| started.checked_add(limit / 3)),
                    bound: None,
                    ..stage_options.clone()
                };
                let outcome = prove_stage(session.as_mut(), &program, &guide, &guided, control);
                staged.work += outcome.work;
                if let Some(columns) = outcome.columns
                    && !is_better_start(&program, stage_options.start.as_deref(), &columns)
                {
                    stage_options.start = Some(columns);
                }
            }
            let stages = std::mem::take(&mut program.stages);
            let searched = if stages.is_empty() { vec![feasibility_only()] } else { stages };
            for stage in &searched {
                staged.work += tighten(session.as_mut(), &mut program, stage_options.deadline, control);
                let outcome = prove_stage(session.as_mut(), &program, stage, &stage_options, control);
                let kept = keep(&program, stage, &outcome, options.relative_gap);
                absorb(&mut staged, stage, outcome, kept.is_some());
                let Some(row) = kept else { break };
                session.add_row(&row);
                program.rows.push(row);
                stage_options.bound = None;
                stage_options.start.clone_from(&staged.columns);
            }
        }
    }
    finish(&mut staged, program);
    staged.seconds = started.elapsed().as_secs_f64();
    staged
}

/// Moves the bounds of the columns that the program names to what the linear relaxation allows. Bounds that cannot be found in
/// time stay as they are.
fn tighten(
    session: &mut dyn Session,
    program: &mut Program,
    deadline: Option<Instant>,
    control: &Control,
) -> Work {
    let mut work = Work::default();
    for index in program.search.tighten.clone() {
        for sense in [Sense::Minimize, Sense::Maximize] {
            let objective = Stage {
                name: "tighten".to_owned(),
                sense,
                terms: vec![(index, 1.0)],
                constant: 0.0,
                step: Some(1.0),
            };
            session.set_objective(&objective);
            let request = Request::relaxation(deadline, control);
            let outcome = session.solve(&request);
            work += outcome.work;
            let Some(bound) = outcome.bound.map(|bound| Grid::of(&objective).tighten(bound)) else {
                continue;
            };
            let column = &mut program.columns[index];
            match sense {
                Sense::Minimize => column.lower = column.lower.max(bound),
                Sense::Maximize => column.upper = column.upper.min(bound),
            }
            session.set_column_bounds(index, column.lower, column.upper);
        }
    }
    work
}

/// The program of the later stages once the first ones are proved elsewhere: rows keep the proved values.
///
/// Each of the first stages must have a step, and a value on its grid.
pub fn keep_first_stages(program: &Program, values: &[f64]) -> Program {
    let mut rest = program.clone();
    rest.stages.drain(..values.len());
    rest.guide = None;
    rest.rows
        .extend(program.stages.iter().zip(values).map(|(stage, &value)| level_row("stage", stage, value)));
    rest
}

/// Whether a start satisfies the program and is better in the first stage in which it differs from a feasible point.
fn is_better_start(program: &Program, start: Option<&[f64]>, point: &[f64]) -> bool {
    let Some(start) = start.filter(|start| program.violations(start, START_TOLERANCE).is_empty()) else {
        return false;
    };
    let values = |stage: &Stage| (settled(stage, start), settled(stage, point));
    let differing = program.stages.iter().find(|stage| {
        let (start, point) = values(stage);
        start != point
    });
    differing.is_some_and(|stage| {
        let (start, point) = values(stage);
        stage.sense.better(start, point)
    })
}

/// The row that keeps the value of a stage in later ones, if it is proved or within the gap.
fn keep(program: &Program, stage: &Stage, outcome: &StageOutcome, gap: f64) -> Option<Row> {
    let within_gap = |value: f64| outcome.bound.is_some_and(|bound| relative_gap(value, bound) <= gap);
    let value = outcome.value.filter(|&value| outcome.proved || within_gap(value))?;
    let row = level_row("stage", stage, value);
    debug_assert!(
        program.rows.iter().all(|other| other.label != row.label),
        "the label {} is reserved",
        row.label
    );
    Some(row)
}

/// The row that admits no value of a stage worse than `value`, with `family` and the stage's name as its label.
pub fn level_row(family: &str, stage: &Stage, value: f64) -> Row {
    let value = value - stage.constant;
    let slack = if stage.step.is_some() { 0.0 } else { SLACK_WITHOUT_STEP * value.abs().max(1.0) };
    let (lower, upper) = match stage.sense {
        Sense::Maximize => (value - slack, f64::INFINITY),
        Sense::Minimize => (f64::NEG_INFINITY, value + slack),
    };
    Row { label: format!("{family}[{}]", stage.name), lower, upper, terms: stage.terms.clone() }
}

fn absorb(staged: &mut Staged, stage: &Stage, outcome: StageOutcome, settled: bool) {
    staged.stop = std::mem::replace(&mut staged.stop, StopReason::Proved).then(outcome.stop);
    staged.rejected = outcome.rejected;
    staged.work += outcome.work;
    if outcome.columns.is_some() {
        staged.columns = outcome.columns;
    }
    staged.stages.push(StageResult {
        name: stage.name.clone(),
        sense: stage.sense,
        value: outcome.value,
        bound: outcome.bound,
        proved: outcome.proved,
        settled,
    });
}

/// Evaluates every stage at the final point, those included that were not reached.
fn finish(staged: &mut Staged, program: &Program) {
    let mut reached = std::mem::take(&mut staged.stages).into_iter();
    staged.stages = program
        .stages
        .iter()
        .map(|stage| {
            let reached = reached.next();
            StageResult {
                name: stage.name.clone(),
                sense: stage.sense,
                value: staged.columns.as_ref().map(|columns| settled(stage, columns)),
                bound: reached.as_ref().and_then(|result| result.bound),
                proved: reached.as_ref().is_some_and(|result| result.proved),
                settled: reached.is_some_and(|result| result.settled),
            }
        })
        .collect();
}

/// The value of a stage at a point, on the grid of its step where there is one.
fn settled(stage: &Stage, columns: &[f64]) -> f64 {
    let value = stage.evaluate(columns);
    Grid::of(stage).settle(value).unwrap_or(value)
}
