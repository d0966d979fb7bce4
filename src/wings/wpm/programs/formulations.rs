//! The formulations of the model, each with the program that it builds.

use super::compact::compact;
use super::exact_index::exact_index;
use super::frontier::frontier;
use super::goals::goals;
use super::printed::{Printed, size};
use super::solve::solve;
use super::stage_plan::StagePlan;
use super::whole::Whole;
use crate::Wpm;
use crate::instance::Problem;
use crate::rules::{Reading, Score, Solution, reading_for};
use kit::{Formulation, Frontier, ProgramGoal, SolveError, SolveOptions, Solved, check_size};
use milp::Program;
use solver::Control;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[&dyn Formulation<Wpm>] = &[&COMPACT, &EXACT_INDEX, &PRINTED];

impl Formulation<Wpm> for Whole {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn program(&self, problem: &Problem) -> Result<Program, SolveError> {
        Ok(self.build(problem)?.program().clone())
    }

    fn goals(&self, problem: &Problem, score: Option<&Score>) -> Result<Vec<ProgramGoal>, SolveError> {
        Ok(goals(problem, &stage_plan(problem)?, score))
    }

    fn point(&self, problem: &Problem, solution: &Solution) -> Result<Option<Vec<f64>>, SolveError> {
        Ok(self.build(problem)?.encode(solution))
    }

    fn solve(
        &self,
        problem: &Problem,
        start: Option<&Solution>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Solved<(Solution, Score)>, SolveError> {
        solve(problem, self, start, options, control)
    }

    fn frontier(
        &self,
        problem: &Problem,
        goals: &str,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Frontier<Wpm>, SolveError> {
        frontier(problem, self, goals, options, control)
    }
}

/// The aggregated program of the printed reading.
pub const COMPACT: Whole = Whole {
    name: "compact",
    summary: "exact aggregated form of the printed program; its size does not grow with the number of GPUs",
    build: |problem| Ok(Box::new(compact(problem, stage_plan(problem)?))),
};

/// The aggregated program of the exact-index reading.
pub const EXACT_INDEX: Whole = Whole {
    name: "exact-index",
    summary: "reuses freed slots and works around pinned instances; the default where workloads are pinned",
    build: |problem| Ok(Box::new(exact_index(problem, stage_plan(problem)?))),
};

/// The paper's program.
pub const PRINTED: Whole = Whole {
    name: "printed",
    summary: "the paper's program (2a)-(2k), repaired; for clusters of about ten GPUs",
    build: |problem| {
        let (columns, rows) = size(problem);
        check_size("printed", columns, rows, "`compact`, which proves the same optimum")?;
        let program = Printed::new(problem, stage_plan(problem)?);
        Ok(Box::new(program.map_err(|error| SolveError::Refused(error.to_string()))?))
    },
};

fn stage_plan(problem: &Problem) -> Result<StagePlan, SolveError> {
    StagePlan::new(problem).map_err(|error| SolveError::Refused(error.to_string()))
}

/// The formulation that suits a problem.
pub fn suitable(problem: &Problem) -> &'static dyn Formulation<Wpm> {
    match reading_for(problem) {
        Reading::Printed => &COMPACT,
        Reading::ExactIndex => &EXACT_INDEX,
    }
}
