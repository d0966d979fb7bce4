//! The formulations of the model, each with the program that it builds.

use super::compact::Compact;
use super::encoding::Encoding;
use super::frontier::frontier;
use super::priced::Prices;
use super::printed::{self, Printed};
use super::slots::{self, Slots};
use super::solve::{Solved, solve_from};
use super::stage_plan::StagePlan;
use super::staged::{Build, Staged};
use crate::Siavashi;
use crate::instance::Problem;
use crate::rules::Score;
use cluster::Placement;
use kit::{Formulation, Frontier, ProgramGoal, SolveError, SolveOptions, check_size};
use milp::Program;
use solver::Control;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[&dyn Formulation<Siavashi>] = &[&COMPACT, &SLOTS, &PRINTED];

impl Formulation<Siavashi> for Staged {
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
        Ok(StagePlan::new(problem).goals(problem, score))
    }

    fn point(&self, problem: &Problem, solution: &Placement) -> Result<Option<Vec<f64>>, SolveError> {
        Ok(Some(self.build(problem)?.encode(solution)))
    }

    fn solve(
        &self,
        problem: &Problem,
        start: Option<&Placement>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Solved, SolveError> {
        solve_from(problem, self, start.cloned().into_iter().collect(), options, control)
    }

    fn frontier(
        &self,
        problem: &Problem,
        goals: &str,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Frontier<Siavashi>, SolveError> {
        frontier(problem, self, goals, options, control)
    }
}

/// The program that is fast, and prices of machines in its place where these are faster.
pub const COMPACT: Staged = compact(|problem| build_compact(problem, Prices::Suitable));

/// The same with prices wherever they can prove a stage, for comparisons.
pub const COMPACT_BY_PRICES: Staged = compact(|problem| build_compact(problem, Prices::Always));

/// The same where machines that are short of cores or memory are told apart, and no others, for comparisons.
pub const COMPACT_BY_TIGHT_MACHINES: Staged =
    compact(|problem| build_compact(problem, Prices::AlwaysByTightMachines));

/// The same without prices, for comparisons.
pub const COMPACT_BY_PROGRAMS: Staged = compact(|problem| build_compact(problem, Prices::Never));

const fn compact(build: Build) -> Staged {
    Staged {
        name: "compact",
        summary: "counts of like workloads by machine and by GPU, proved equal to the printed program; for hundreds of GPUs",
        build,
    }
}

fn build_compact(problem: &Problem, prices: Prices) -> Result<Box<dyn Encoding + '_>, SolveError> {
    let program = Compact::new(problem, prices);
    Ok(Box::new(program.map_err(|error| SolveError::Refused(error.to_string()))?))
}

/// The program that can be read, and that sees where instances begin.
pub const SLOTS: Staged = Staged {
    name: "slots",
    summary: "a column for each workload at each start; readable, and the default where moves of the start are limited",
    build: |problem| {
        let (columns, rows) = slots::size(problem);
        check_size(
            "slots",
            columns,
            rows,
            "`compact`, which proves the same optimum where `max_disrupted` limits nothing",
        )?;
        Ok(Box::new(Slots::new(problem)))
    },
};

/// The paper's program.
pub const PRINTED: Staged = Staged {
    name: "printed",
    summary: "the paper's program (3)-(26), repaired; for about ten workloads",
    build: |problem| {
        let (columns, rows) = printed::size(problem);
        check_size("printed", columns, rows, "`compact`, which proves the same optimum")?;
        let program = Printed::new(problem);
        Ok(Box::new(program.map_err(|error| SolveError::Refused(error.to_string()))?))
    },
};

/// The formulation that suits a problem.
pub fn suitable(problem: &Problem) -> &'static Staged {
    if Compact::suits(problem).is_ok() { &COMPACT } else { &SLOTS }
}
