//! Writes a program with good_lp's expressions.

use std::hash::{Hash, Hasher};

use good_lp::{Constraint, Expression, IntoAffineExpression, ProblemVariables, Variable};

use super::program::{Column, GUIDE, Program, Row, Search, Sense, Stage};

/// Builds a [`Program`] column by column, row by row and stage by stage: `builder.row("capacity", constraint!(2 * x + 3 * y <= 5))`.
pub struct ProgramBuilder {
    variables: ProblemVariables,
    program: Program,
}

impl ProgramBuilder {
    /// Starts an empty program.
    pub fn new(name: impl Into<String>) -> Self {
        ProgramBuilder {
            variables: ProblemVariables::new(),
            program: Program {
                name: name.into(),
                columns: Vec::new(),
                rows: Vec::new(),
                stages: Vec::new(),
                guide: None,
                search: Search::default(),
            },
        }
    }

    /// Adds a column. The definition gives its bounds and its integrality; a name or an initial value in it is ignored.
    pub fn column(
        &mut self,
        name: impl Into<String>,
        definition: good_lp::variable::VariableDefinition,
    ) -> Variable {
        self.program.columns.push(Column {
            name: name.into(),
            lower: definition.get_min(),
            upper: definition.get_max(),
            integer: definition.is_integer(),
        });
        let variable = self.variables.add(definition);
        assert_eq!(
            self.index_of(variable),
            self.program.columns.len() - 1,
            "good_lp numbers variables from zero"
        );
        variable
    }

    /// The number of rows so far, which is the index of the next one.
    pub fn rows(&self) -> usize {
        self.program.rows.len()
    }

    /// Adds a row.
    ///
    /// good_lp keeps `a <= b` and `b >= a` as one and the same `a - b <= 0`. An inequality is turned around, here, when its
    /// first coefficient is negative, so that `x + y >= 3` is stored and exported as it was written.
    pub fn row(&mut self, label: impl Into<String>, constraint: Constraint) {
        let expression = constraint.expression();
        let mut terms = self.terms(expression);
        let right = 0.0 - expression.constant();
        let (lower, upper) = if constraint.is_equality() {
            (right, right)
        } else if terms.first().is_some_and(|&(_, coefficient)| coefficient < 0.0) {
            terms.iter_mut().for_each(|(_, coefficient)| *coefficient = -*coefficient);
            (0.0 - right, f64::INFINITY)
        } else {
            (f64::NEG_INFINITY, right)
        };
        self.program.rows.push(Row { label: label.into(), lower, upper, terms });
    }

    /// Adds a row that is bounded on both sides, `lower <= expression <= upper`; either bound may be infinite.
    pub fn range_row(
        &mut self,
        label: impl Into<String>,
        lower: f64,
        expression: impl IntoAffineExpression,
        upper: f64,
    ) {
        let expression = expression.into_expression();
        let constant = expression.constant();
        let terms = self.terms(&expression);
        self.program.rows.push(Row {
            label: label.into(),
            lower: lower - constant,
            upper: upper - constant,
            terms,
        });
    }

    /// Adds an objective stage, less important than the stages before it.
    ///
    /// `step` promises that the value at every feasible point is the expression's constant plus an integer multiple of the
    /// step; see [`Stage::step`].
    pub fn stage(
        &mut self,
        name: impl Into<String>,
        sense: Sense,
        expression: impl IntoAffineExpression,
        step: Option<f64>,
    ) {
        let stage = self.objective(name, sense, expression, step);
        self.program.stages.push(stage);
    }

    /// Gives the program an objective that blends all the stages; see [`Program::guide`].
    pub fn guide(&mut self, sense: Sense, expression: impl IntoAffineExpression, step: Option<f64>) {
        self.program.guide = Some(self.objective(GUIDE, sense, expression, step));
    }

    fn objective(
        &self,
        name: impl Into<String>,
        sense: Sense,
        expression: impl IntoAffineExpression,
        step: Option<f64>,
    ) -> Stage {
        debug_assert!(step.is_none_or(|step| step > 0.0), "the step of an objective is positive");
        let expression = expression.into_expression();
        let terms = self.terms(&expression);
        Stage { name: name.into(), sense, terms, constant: expression.constant(), step }
    }

    /// Asks for the first split on an integer column whose value is fractional in the linear relaxation.
    pub fn dichotomy(&mut self, variable: Variable) {
        self.program.search.dichotomy = Some(self.index_of(variable));
    }

    /// Asks for a first search that is confined to a box around the point of the linear relaxation.
    pub fn box_radius(&mut self, radius: u32) {
        self.program.search.box_radius = Some(radius);
    }

    /// Asks for the bounds of an integer column to be tightened by linear programs before each stage.
    pub fn tighten(&mut self, variable: Variable) {
        let index = self.index_of(variable);
        self.program.search.tighten.push(index);
    }

    /// The index of a variable's column.
    ///
    /// # Panics
    ///
    /// Panics when the variable belongs to a greater builder than this one.
    pub fn index_of(&self, variable: Variable) -> usize {
        let mut reader = IndexReader::default();
        variable.hash(&mut reader);
        let index = reader.index.expect("a good_lp variable hashes its index");
        assert!(index < self.program.columns.len(), "the variable belongs to another program");
        index
    }

    /// Finishes the program.
    pub fn build(self) -> Program {
        debug_assert_eq!(
            duplicate(self.program.columns.iter().map(|column| column.name.as_str())),
            None,
            "column names of {} are unique",
            self.program.name
        );
        debug_assert_eq!(
            duplicate(self.program.rows.iter().map(|row| row.label.as_str())),
            None,
            "row labels of {} are unique",
            self.program.name
        );
        debug_assert_eq!(
            duplicate(self.program.stages.iter().map(|stage| stage.name.as_str())),
            None,
            "stage names of {} are unique",
            self.program.name
        );
        self.program
    }

    /// The coefficients of an expression in ascending order of the column, whatever the order of good_lp's map.
    fn terms(&self, expression: &Expression) -> Vec<(usize, f64)> {
        let mut terms: Vec<(usize, f64)> = expression
            .linear_coefficients()
            .filter(|&(_, coefficient)| coefficient != 0.0)
            .map(|(variable, coefficient)| (self.index_of(variable), coefficient))
            .collect();
        terms.sort_unstable_by_key(|&(column, _)| column);
        terms
    }
}

/// The first name that occurs twice.
fn duplicate<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut sorted: Vec<&str> = names.collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Reads the index that good_lp keeps private: a variable is its index, and hashing it hands over exactly that number.
#[derive(Default)]
struct IndexReader {
    index: Option<usize>,
}

impl Hasher for IndexReader {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_usize(&mut self, index: usize) {
        self.index = Some(index);
    }
}

#[cfg(test)]
mod tests {
    use good_lp::{constraint, variable};

    use super::*;

    #[test]
    fn rows_are_sorted_and_keep_the_direction_they_were_written_in() {
        let mut builder = ProgramBuilder::new("small");
        let x = builder.column("x", variable().integer().min(0).max(4));
        let y = builder.column("y", variable().min(0));
        builder.row("less", constraint!(2 * y + x - 3 <= 1));
        builder.row("greater", constraint!(y + x >= 3));
        builder.row("equal", constraint!(y - x == -2));
        builder.row("cancelled", constraint!(x + y - x <= 1));
        builder.range_row("range", 1.0, x + 2 * y + 1, 6.0);
        let program = builder.build();
        let row = |label: &str, lower, upper, terms: &[(usize, f64)]| Row {
            label: label.to_owned(),
            lower,
            upper,
            terms: terms.to_vec(),
        };
        assert_eq!(
            program.rows,
            [
                row("less", f64::NEG_INFINITY, 4.0, &[(0, 1.0), (1, 2.0)]),
                row("greater", 3.0, f64::INFINITY, &[(0, 1.0), (1, 1.0)]),
                row("equal", -2.0, -2.0, &[(0, -1.0), (1, 1.0)]),
                row("cancelled", f64::NEG_INFINITY, 1.0, &[(1, 1.0)]),
                row("range", 0.0, 5.0, &[(0, 1.0), (1, 2.0)]),
            ]
        );
        let sizes = program.sizes();
        assert_eq!((sizes.columns, sizes.rows, sizes.nonzeros, sizes.integer_columns), (2, 5, 9, 1));
    }

    #[test]
    fn stages_carry_their_constant() {
        let mut builder = ProgramBuilder::new("small");
        let x = builder.column("x[a]", variable().binary());
        let y = builder.column("x[b]", variable().binary());
        builder.stage("value", Sense::Minimize, 3 * y + 2 * x - 7, Some(1.0));
        builder.dichotomy(y);
        builder.box_radius(2);
        builder.tighten(x);
        let program = builder.build();
        assert_eq!(program.stages[0].evaluate(&[1.0, 1.0]), -2.0);
        let search =
            Search { dichotomy: Some(1), box_radius: Some(2), tighten: vec![0], ..Search::default() };
        assert_eq!(program.search, search);
        assert_eq!(program.column_families(), [("x".to_owned(), 2)].into());
        assert_eq!(program.stage_index("value"), Some(0));
    }

    #[test]
    #[should_panic(expected = "unique")]
    #[cfg(debug_assertions)]
    fn duplicate_names_are_a_bug() {
        let mut builder = ProgramBuilder::new("twice");
        builder.column("x", variable());
        builder.column("x", variable());
        builder.build();
    }
}
