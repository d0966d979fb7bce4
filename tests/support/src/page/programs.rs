//! Families of rows and columns, of which the pages tell labels and counts.

use milp::Program;
use std::collections::{BTreeMap, BTreeSet};

/// Number of rows or columns by family; families without any are left out.
pub type Families = BTreeMap<String, usize>;

pub fn families(counts: impl IntoIterator<Item = (&'static str, usize)>) -> Families {
    counts.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name.to_owned(), count)).collect()
}

/// The families of all programs: of rows, and of columns.
pub fn families_of(programs: impl IntoIterator<Item = Program>) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut rows, mut columns) = (BTreeSet::new(), BTreeSet::new());
    for program in programs {
        rows.extend(program.row_families().into_keys());
        columns.extend(program.column_families().into_keys());
    }
    (rows, columns)
}

/// Holds programs of problems against the numbers of rows and columns that the page has for them; how many there were.
pub fn compare<Problem>(
    problems: Vec<(String, Problem)>,
    program: impl Fn(&Problem) -> Option<(Program, (Families, Families))>,
) -> usize {
    let mut compared = 0;
    for (name, problem) in problems {
        let Some((program, (rows, columns))) = program(&problem) else { continue };
        assert_eq!(program.row_families(), rows, "rows, {name}");
        assert_eq!(program.column_families(), columns, "columns, {name}");
        compared += 1;
    }
    compared
}
