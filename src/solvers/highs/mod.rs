//! HiGHS, the embedded default solver.

use std::path::PathBuf;
use std::time::Instant;

use highs::HighsModelStatus;

use milp::{Outcome, Program, Row, Search, Stage, StopReason, Work};

use solver::{
    Loaded, Request, Session, Settings, Solver, SolverFailure, SolverOptions, feasibility_only, relative_gap,
};

use super::library::shared_library;
use native::{Native, Refusal};
use options::OPTIONS;
use watch::Watch;

pub(super) mod native;
mod options;
mod watch;

/// The feasibility tolerance of the integer search, ten times tighter than HiGHS's default.
const MIP_FEASIBILITY_TOLERANCE: f64 = 1e-7;

/// The primal and dual feasibility tolerance of linear programs, ten times tighter than HiGHS's default.
const LP_FEASIBILITY_TOLERANCE: f64 = 1e-8;

/// The values of HiGHS's presolve option.
const PRESOLVE_ON: &str = "choose";
const PRESOLVE_OFF: &str = "off";

/// Seconds between two reports of an integer search, unless it finds something.
const LOGGING_INTERVAL: f64 = 0.1;

/// The greatest relative gap at which HiGHS itself drops nodes.
const GREATEST_PRUNING_GAP: f64 = 1e-6;

/// The bits of HiGHS's option `presolve_rule_off` that stand for rules which lose solutions (`kPresolveRuleAggregator` and
/// `kPresolveRuleEnumeration`).
const PRESOLVE_RULE_AGGREGATOR: i32 = 1 << 12;
const PRESOLVE_RULE_ENUMERATION: i32 = 1 << 16;

/// The bit of the same option for the rule that a program may advise against (`kPresolveRuleProbing`).
const PRESOLVE_RULE_PROBING: i32 = 1 << 15;

/// The solver HiGHS.
///
/// An interruption reaches a linear program at the next simplex iteration after its presolve and an integer search at the
/// next check of its limits, of which there are many a second except within a single linear program of that search.
///
/// An integer search is only to be trusted when the linear relaxation is bounded: HiGHS 1.15 calls some unbounded integer
/// programs solved.
pub(super) struct Highs;

impl Solver for Highs {
    fn name(&self) -> &'static str {
        "highs"
    }

    fn version(&self) -> String {
        Native::version().to_string_lossy().into_owned()
    }

    fn library(&self) -> Option<PathBuf> {
        shared_library(Native::version().to_bytes())
    }

    fn options(&self) -> &'static SolverOptions {
        &OPTIONS
    }

    fn open<'a>(
        &'a self,
        program: &Program,
        settings: &Settings,
    ) -> Result<Box<dyn Session + 'a>, SolverFailure> {
        let failure = |refusal: Refusal| SolverFailure {
            solver: self.name(),
            program: program.name.clone(),
            reason: format!("HiGHS refused: {refusal}"),
        };
        let mut native = Native::load(program).map_err(failure)?;
        configure(&mut native, &program.search, settings).map_err(failure)?;
        let settings = settings.clone();
        Ok(Box::new(HighsSession { native, loaded: Loaded::new(program), settings, refusal: None }))
    }
}

fn configure(native: &mut Native, search: &Search, settings: &Settings) -> Result<(), Refusal> {
    let threads = i32::try_from(settings.threads.max(1)).map_err(|_| "threads")?;
    native.set_option("threads", threads)?;
    native.set_option("parallel", if threads > 1 { "on" } else { "off" })?;
    native.set_option("random_seed", i32::try_from(settings.seed % (1 << 31)).map_err(|_| "random_seed")?)?;
    native.set_option("primal_feasibility_tolerance", LP_FEASIBILITY_TOLERANCE)?;
    native.set_option("dual_feasibility_tolerance", LP_FEASIBILITY_TOLERANCE)?;
    native.set_option("mip_feasibility_tolerance", MIP_FEASIBILITY_TOLERANCE)?;
    // By the aggregator the presolve of HiGHS 1.15 loses the optimum of some integer programs: those in which an integer column
    // is the sum of others, a few in a thousand. With the enumeration of 1.14 and 1.15 it calls some programs infeasible that are not.
    let losing = PRESOLVE_RULE_AGGREGATOR | PRESOLVE_RULE_ENUMERATION;
    let slow = if search.skips_probing { PRESOLVE_RULE_PROBING } else { 0 };
    native.set_option("presolve_rule_off", losing | slow)?;
    native.set_option("mip_allow_restart", !search.skips_restarts)?;
    native.set_option("mip_min_logging_interval", LOGGING_INTERVAL)?;
    // The feasibility jump of HiGHS 1.15 crashes on some small programs (issue 3262 of ERGO-Code/HiGHS).
    native.set_option("mip_heuristic_run_feasibility_jump", false)?;
    settings.options.iter().try_for_each(|(name, value)| native.set_option_of_user(name, value))
}

struct HighsSession {
    native: Native,
    loaded: Loaded,
    settings: Settings,
    /// The first modification that HiGHS refused.
    refusal: Option<Refusal>,
}

impl Session for HighsSession {
    fn program(&self) -> &Program {
        &self.loaded.program
    }

    fn set_objective(&mut self, stage: &Stage) {
        self.loaded.objective = stage.clone();
        let result = self.native.set_objective(stage);
        self.note(result);
    }

    fn set_column_bounds(&mut self, column: usize, lower: f64, upper: f64) {
        self.loaded.set_column_bounds(column, lower, upper);
        let result = self.native.set_column_bounds(column, lower, upper);
        self.note(result);
    }

    fn add_row(&mut self, row: &Row) {
        self.loaded.add_row(row);
        let result = self.native.add_row(row);
        self.note(result);
    }

    fn set_start(&mut self, columns: &[f64]) {
        self.loaded.start = Some(columns.to_vec());
    }

    fn solve(&mut self, request: &Request) -> Outcome {
        let started = Instant::now();
        let mut outcome = match (self.refusal, self.loaded.outcome_without_solver(request)) {
            (Some(refusal), _) => {
                self.loaded.outcome(StopReason::SolverError(format!("HiGHS refused: {refusal}")))
            }
            (None, Some(outcome)) => outcome,
            (None, None) => self.search(request),
        };
        outcome.seconds = started.elapsed().as_secs_f64();
        outcome
    }

    fn row_duals(&mut self) -> Option<Vec<f64>> {
        self.native.row_duals()
    }
}

impl HighsSession {
    fn note(&mut self, result: Result<(), Refusal>) {
        if let Err(refusal) = result {
            self.refusal.get_or_insert(refusal);
        }
    }

    fn search(&mut self, request: &Request) -> Outcome {
        let mut outcome = self.loaded.outcome(StopReason::Proved);
        let mut ending = self.run(request, PRESOLVE_ON, &mut outcome.work);
        if ending.is_infeasible() {
            ending = match self.loaded.has_infinite_bounds() {
                true => self.check_infeasibility(request, &mut outcome.work),
                // The presolve of HiGHS 1.14 and 1.15 calls some programs infeasible that have solutions.
                false => self.run(request, PRESOLVE_OFF, &mut outcome.work),
            };
        }
        match ending {
            Ending::NoAnswer(stop) => outcome.stop = stop,
            Ending::Ray { certain: true } => outcome.stop = StopReason::Unbounded,
            Ending::Ray { certain: false } => {
                outcome.stop = match self.look_for_a_point(request, &mut outcome.work) {
                    StopReason::Proved => StopReason::Unbounded,
                    stop => stop,
                }
            }
            Ending::Answer(stop) => {
                outcome.stop = stop;
                match self.loaded.is_integer_search(request) {
                    true => self.read_integer(request, &mut outcome),
                    false => self.read_linear(request, &mut outcome),
                }
            }
        }
        outcome
    }

    /// Runs HiGHS on the program as it stands.
    ///
    /// A gap that HiGHS keeps itself needs no watch. The watch of a greater one may stop the run by a false alarm: heuristics
    /// of HiGHS search programs of their own and tell of them as if they were the whole. Then HiGHS runs again without it.
    fn run(&mut self, request: &Request, presolve: &'static str, work: &mut Work) -> Ending {
        let stops_at = Some(request.relative_gap).filter(|&gap| gap > pruning_gap(request));
        match self.run_once(request, presolve, stops_at, work) {
            Ending::Answer(StopReason::GapLimit)
                if self.native.status() == Some(HighsModelStatus::ReachedInterrupt)
                    && !self.has_gap(request.relative_gap) =>
            {
                self.run_once(request, presolve, None, work)
            }
            ending => ending,
        }
    }

    /// Whether point and bound of the last run are this near to each other.
    fn has_gap(&self, allowed: f64) -> bool {
        let value = self.native.finite_info(c"objective_function_value");
        let bound = self.native.finite_info(c"mip_dual_bound");
        value.zip(bound).is_some_and(|(value, bound)| relative_gap(value, bound) <= allowed)
    }

    fn run_once(
        &mut self,
        request: &Request,
        presolve: &'static str,
        stops_at: Option<f64>,
        work: &mut Work,
    ) -> Ending {
        let integer = self.loaded.is_integer_search(request);
        let prepared = self.prepare(request, presolve);
        let (stage, log) = (&self.loaded.objective.name, self.settings.log.clone());
        if let Some(log) = &log {
            log.write(heading(&self.loaded.program.name, stage, integer, presolve).as_bytes());
        }
        let watch = Watch::new(request, stage, stops_at, log);
        if let Err(refusal) = prepared.and_then(|()| self.native.run(self.settings.threads.max(1), &watch)) {
            let status = self.native.status();
            let explanation = format!("HiGHS failed at {refusal} with model status {status:?}");
            return Ending::NoAnswer(StopReason::SolverError(explanation));
        }
        work.nodes += if integer { self.native.nodes() } else { 0 };
        work.iterations += [c"simplex_iteration_count", c"ipm_iteration_count", c"crossover_iteration_count"]
            .into_iter()
            .map(|name| self.native.count(name))
            .sum::<u64>();
        ending(self.native.status(), integer, watch.gap_reached())
    }

    fn prepare(&mut self, request: &Request, presolve: &'static str) -> Result<(), Refusal> {
        let integer = self.loaded.is_integer_search(request);
        let chosen = self.settings.options.iter().find(|(name, _)| name == "presolve");
        let chosen = chosen.filter(|_| presolve == PRESOLVE_ON).map_or(presolve, |(_, value)| value.as_str());
        self.native.set_option("presolve", chosen)?;
        self.native
            .set_option("output_flag", self.settings.log.is_some() || request.control.is_observed())?;
        let seconds = request.time_left().map_or(f64::INFINITY, |left| left.as_secs_f64());
        self.native.set_option("time_limit", seconds)?;
        let nodes = request.node_limit.and_then(|nodes| i32::try_from(nodes).ok()).unwrap_or(i32::MAX);
        self.native.set_option("mip_max_nodes", nodes)?;
        self.native.set_option("objective_target", request.target.unwrap_or(f64::NEG_INFINITY))?;
        self.native.set_option("solve_relaxation", !integer)?;
        self.native.set_option("mip_rel_gap", pruning_gap(request))?;
        self.native.set_option("mip_abs_gap", request.absolute_gap)?;
        if integer {
            // HiGHS takes the point of a relaxation for a start of the user, and completes it by a search of its own that has the
            // whole time limit to itself.
            self.native.forget()?;
            if let Some(start) = self.loaded.take_start() {
                self.native.set_start(&start)?;
            }
        }
        Ok(())
    }

    /// Solves the program again in ways that do not depend on HiGHS's presolve, which in version 1.15 calls some unbounded
    /// programs infeasible.
    fn check_infeasibility(&mut self, request: &Request, work: &mut Work) -> Ending {
        match self.look_for_a_point(request, work) {
            StopReason::Proved => {}
            StopReason::Infeasible => return Ending::Answer(StopReason::Infeasible),
            stop => return Ending::NoAnswer(stop),
        }
        let relaxation = Request { relaxation: true, ..*request };
        let ending = match self.run(&relaxation, PRESOLVE_OFF, work) {
            Ending::Ray { .. } => Ending::Ray { certain: true },
            _ if self.loaded.is_integer_search(request) => self.run(request, PRESOLVE_OFF, work),
            ending => ending,
        };
        if ending.is_infeasible() {
            let explanation = "HiGHS calls a program infeasible that has a feasible point";
            return Ending::NoAnswer(StopReason::SolverError(explanation.to_owned()));
        }
        ending
    }

    /// Solves the program without its objective, which tells unbounded from infeasible.
    fn look_for_a_point(&mut self, request: &Request, work: &mut Work) -> StopReason {
        let request = &Request { target: None, ..*request };
        let objective = self.loaded.objective.clone();
        self.set_objective(&feasibility_only());
        let mut ending = self.run(request, PRESOLVE_ON, work);
        if ending.is_infeasible() {
            ending = self.run(request, PRESOLVE_OFF, work);
        }
        self.set_objective(&objective);
        match ending {
            Ending::Answer(stop) | Ending::NoAnswer(stop) => stop,
            Ending::Ray { .. } => {
                StopReason::SolverError("HiGHS calls a zero objective unbounded".to_owned())
            }
        }
    }

    fn read_linear(&mut self, request: &Request, outcome: &mut Outcome) {
        if outcome.stop == StopReason::Proved {
            let point = self.native.point();
            outcome.bound = self.loaded.accept_point(point, request.relaxation, outcome);
        }
    }

    fn read_integer(&mut self, request: &Request, outcome: &mut Outcome) {
        // HiGHS has a point exactly when the objective value is not its sentinel.
        let has_point = self.native.finite_info(c"objective_function_value").is_some();
        let reported = self.native.finite_info(c"mip_dual_bound");
        match (&outcome.stop, has_point) {
            (StopReason::Infeasible, false) => {}
            (StopReason::Infeasible, true) => {
                let explanation = "HiGHS reports infeasibility and holds a point outside its tolerances";
                outcome.stop = StopReason::SolverError(explanation.to_owned());
            }
            (_, false) => outcome.bound = reported,
            (_, true) => {
                let point = self.native.point();
                if let Some(value) = self.loaded.accept_point(point, false, outcome) {
                    let allowed = request.absolute_gap.max(pruning_gap(request) * value.abs());
                    outcome.bound = reported.map(|bound| self.loaded.proved_bound(bound, value, allowed));
                }
            }
        }
    }
}

/// What the log says before a run.
fn heading(program: &str, stage: &str, integer: bool, presolve: &str) -> String {
    let kind = if integer { "integer search" } else { "linear relaxation" };
    let presolve = if presolve == PRESOLVE_OFF { ", without presolve" } else { "" };
    format!("\n=== {program}, {stage}: {kind}{presolve}\n\n")
}

/// The relative gap to the incumbent at which HiGHS drops nodes. It is tiny even when the request allows more, so that the
/// dual bound stays informative; the watch stops the run when the gap of the request is reached.
fn pruning_gap(request: &Request) -> f64 {
    request.relative_gap.min(GREATEST_PRUNING_GAP)
}

/// How a run ended.
enum Ending {
    /// HiGHS's point, bound and status are there to be read.
    Answer(StopReason),
    /// The relaxation is unbounded. It is certain that the program is, too, unless it may be infeasible.
    Ray { certain: bool },
    /// There is nothing to be read.
    NoAnswer(StopReason),
}

impl Ending {
    fn is_infeasible(&self) -> bool {
        matches!(self, Ending::Answer(StopReason::Infeasible))
    }
}

fn ending(status: Option<HighsModelStatus>, integer: bool, gap_reached: bool) -> Ending {
    match status {
        Some(HighsModelStatus::Optimal) => Ending::Answer(StopReason::Proved),
        Some(HighsModelStatus::Infeasible) => Ending::Answer(StopReason::Infeasible),
        Some(HighsModelStatus::ReachedTimeLimit) => Ending::Answer(StopReason::TimeLimit),
        Some(HighsModelStatus::ReachedSolutionLimit) => Ending::Answer(StopReason::NodeLimit),
        Some(HighsModelStatus::ReachedInterrupt) if gap_reached => Ending::Answer(StopReason::GapLimit),
        Some(HighsModelStatus::ObjectiveTarget) => Ending::Answer(StopReason::GapLimit),
        Some(HighsModelStatus::ReachedInterrupt) => Ending::Answer(StopReason::Interrupted),
        Some(HighsModelStatus::ReachedMemoryLimit) => Ending::Answer(StopReason::MemoryLimit),
        // What HiGHS calls an unbounded integer program is one with an unbounded relaxation.
        Some(HighsModelStatus::Unbounded) => Ending::Ray { certain: !integer },
        Some(HighsModelStatus::UnboundedOrInfeasible) => Ending::Ray { certain: false },
        other => {
            Ending::NoAnswer(StopReason::SolverError(format!("HiGHS stopped with model status {other:?}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use good_lp::{constraint, variable};
    use milp::{ProgramBuilder, Sense};
    use solver::Control;

    /// What HiGHS finds in the session it takes for a start of the user, and completes it by a search that the limits of the
    /// request do not stop.
    #[test]
    fn an_integer_search_finds_no_point_of_a_relaxation_in_the_session() {
        let mut builder = ProgramBuilder::new("half");
        let x = builder.column("x", variable().integer().min(0).max(3));
        let y = builder.column("y", variable().integer().min(0).max(3));
        builder.row("sum", constraint!(2 * x + 2 * y <= 5));
        builder.stage("most", Sense::Maximize, x + y, Some(1.0));
        let program = builder.build();
        let settings = Settings::default();
        let native = Native::load(&program).unwrap();
        let mut session = HighsSession { native, loaded: Loaded::new(&program), settings, refusal: None };
        session.set_objective(&program.stages[0]);
        let control = Control::silent();
        let relaxation = Request::relaxation(None, &control);
        let relaxed = session.solve(&relaxation).columns.unwrap();
        assert!(relaxed.iter().sum::<f64>() > 2.4, "{relaxed:?}");
        assert!(session.native.holds_a_point());
        let search = Request { relaxation: false, ..relaxation };
        session.prepare(&search, PRESOLVE_ON).unwrap();
        assert!(!session.native.holds_a_point());
        assert_eq!(session.solve(&search).primal, Some(2.0));
    }

    #[test]
    fn only_programs_that_advise_against_probing_skip_it() {
        let program = ProgramBuilder::new("empty").build();
        let mut native = Native::load(&program).unwrap();
        let mut rules_off = |skips_probing| {
            let search = Search { skips_probing, ..Search::default() };
            configure(&mut native, &search, &Settings::default()).unwrap();
            native.rules_off()
        };
        assert_eq!(rules_off(true), rules_off(false) | PRESOLVE_RULE_PROBING);
        assert_eq!(rules_off(false) & PRESOLVE_RULE_PROBING, 0);
    }

    #[test]
    fn only_programs_that_advise_against_restarts_skip_them() {
        let program = ProgramBuilder::new("empty").build();
        let mut native = Native::load(&program).unwrap();
        let mut restarts = |skips_restarts, settings: &Settings| {
            let search = Search { skips_restarts, ..Search::default() };
            configure(&mut native, &search, settings).unwrap();
            native.restarts()
        };
        let settings = Settings::default();
        assert!(!restarts(true, &settings) && restarts(false, &settings));
        let options = vec![("mip_allow_restart".to_owned(), "false".to_owned())];
        assert!(!restarts(false, &Settings { options, ..settings }));
    }
}
