//! Columns as formulations keep them until they decode a solution.

use super::ProgramBuilder;
use good_lp::{Variable, variable::VariableDefinition};

/// A column of a program under construction: as a term of expressions and as a position.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
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
