//! The paper's program (1a)-(12), repaired where it does not say what the text says; `models/migrator.md` lists the repairs.
//!
//! One function per label. Rows of one label that the paper writes as several inequalities are told apart by a word after
//! the label, such as `3c-running`.

mod columns;
mod goodput_rows;
mod gpu_rows;
mod instances;
mod point;
mod reconfiguration_rows;
mod retraining_rows;

use super::encoding::Encoding;
use crate::instance::Problem;
use crate::rules::{GOODPUT, Plan};
use columns::Columns;
use kit::{SolveError, check_size};
use milp::{Program, ProgramBuilder, Sense};

/// The printed program of a problem.
pub struct Printed<'p> {
    columns: Columns<'p>,
    program: Program,
}

impl<'p> Printed<'p> {
    /// Writes the program.
    ///
    /// # Errors
    /// When it would be too large.
    pub fn new(problem: &'p Problem) -> Result<Self, SolveError> {
        let (columns, rows) = Columns::size(problem);
        check_size("printed", columns, rows, "`compact`, which proves the same optimum")?;
        let mut builder = ProgramBuilder::new("migrator-printed");
        let columns = Columns::add(&mut builder, problem);
        columns.rows_1a(&mut builder);
        columns.rows_1b(&mut builder);
        columns.rows_2(&mut builder);
        columns.rows_3a(&mut builder);
        columns.rows_3b(&mut builder);
        columns.rows_3c(&mut builder);
        columns.rows_3d(&mut builder);
        columns.rows_3e(&mut builder);
        columns.rows_3f(&mut builder);
        columns.rows_4(&mut builder);
        columns.rows_5a(&mut builder);
        columns.rows_5b(&mut builder);
        columns.rows_9(&mut builder);
        columns.rows_10(&mut builder);
        columns.rows_11(&mut builder);
        columns.rows_12(&mut builder);
        builder.stage(GOODPUT, Sense::Maximize, columns.goodput(), None);
        Ok(Printed { columns, program: builder.build() })
    }
}

impl Encoding for Printed<'_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn decode(&self, columns: &[f64]) -> Plan {
        self.columns.plan(columns)
    }

    fn encode(&self, plan: &Plan) -> Option<Vec<f64>> {
        Some(self.columns.point(plan, self.program.columns.len()))
    }
}
