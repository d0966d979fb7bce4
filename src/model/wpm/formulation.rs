//! What every way of writing the problem as a program has in common.

use super::objective::Plan;
use super::solution::{Reading, Solution};
use crate::milp::{Program, ProgramBuilder};
use good_lp::{Variable, variable::VariableDefinition};

/// A program for a problem, with the way from columns to solutions and back.
pub trait Formulation {
    /// The program.
    fn program(&self) -> &Program;

    /// How its stages express the objective.
    fn plan(&self) -> &Plan;

    /// The rules under which its solutions are to be judged.
    fn reading(&self) -> Reading;

    /// The solution that integer-feasible columns stand for, start slots included.
    fn decode(&self, columns: &[f64]) -> Solution;

    /// Columns that stand for a valid solution, to start a solver from; `None` when the program leaves such solutions
    /// out because a better one always exists.
    fn encode(&self, solution: &Solution) -> Option<Vec<f64>>;

    /// Columns that are continuous although solutions need whole numbers in them: once the integer columns are fixed
    /// they form a network, whose vertices are whole. Empty when there are none.
    fn network_columns(&self) -> &[usize] {
        &[]
    }
}

/// A column of a program under construction: as a term of expressions and as a position.
#[derive(Clone, Copy)]
pub(super) struct Handle {
    /// For expressions.
    pub variable: Variable,
    /// Position in the program's columns.
    pub index: usize,
}

impl Handle {
    /// Adds a column to a program.
    pub fn add(builder: &mut ProgramBuilder, name: String, definition: VariableDefinition) -> Self {
        let variable = builder.column(name, definition);
        Handle { variable, index: builder.index_of(variable) }
    }

    /// The column's value, rounded to the whole number it stands for.
    pub fn whole(self, columns: &[f64]) -> u32 {
        columns[self.index].round() as u32
    }
}
