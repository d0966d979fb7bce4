//! Programs from MPS files, read by our own hand: neither solver's reader has a part in what is compared.

use milp::{Column, Program, Row, Sense, Stage};
use std::collections::BTreeMap;

/// The program of an MPS file in free format, its objective as the one stage, to be minimized.
///
/// # Panics
/// When the text is not of the part of MPS that is written here: sections up to `BOUNDS`, with lower and upper bounds of all kinds
/// but semicontinuous ones.
pub fn program(text: &str) -> Program {
    let mut reader = Reader::default();
    let mut section = "";
    for line in text.lines().filter(|line| !line.starts_with('*') && !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (line.starts_with(' '), section) {
            (false, _) => section = words[0],
            (true, "ROWS") => reader.row(words[0], words[1]),
            (true, "COLUMNS") if words[1] == "'MARKER'" => reader.integer = words[2] == "'INTORG'",
            (true, "COLUMNS") => pairs(&words).for_each(|(row, value)| reader.entry(words[0], row, value)),
            (true, "RHS") => pairs(&words).for_each(|(row, value)| reader.right_side(row, value)),
            (true, "RANGES") => pairs(&words).for_each(|(row, value)| reader.range(row, value)),
            (true, "BOUNDS") => reader.bound(words[0], words[2], words.get(3).map(|word| number(word))),
            (true, other) => panic!("section {other} is not read: {line}"),
        }
    }
    reader.program
}

fn number(word: &str) -> f64 {
    word.parse().unwrap_or_else(|_| panic!("{word} is not a number"))
}

/// Names and values after the first word of a line.
fn pairs<'w>(words: &'w [&'w str]) -> impl Iterator<Item = (&'w str, f64)> {
    words[1..].chunks(2).map(|pair| (pair[0], number(pair[1])))
}

struct Reader {
    program: Program,
    rows: BTreeMap<String, usize>,
    columns: BTreeMap<String, usize>,
    objective: String,
    integer: bool,
}

impl Default for Reader {
    fn default() -> Self {
        let objective = Stage {
            name: "objective".to_owned(),
            sense: Sense::Minimize,
            terms: Vec::new(),
            constant: 0.0,
            step: None,
        };
        Reader {
            program: Program {
                name: "mps".to_owned(),
                columns: Vec::new(),
                rows: Vec::new(),
                stages: vec![objective],
                guide: None,
                search: Default::default(),
            },
            rows: BTreeMap::new(),
            columns: BTreeMap::new(),
            objective: String::new(),
            integer: false,
        }
    }
}

impl Reader {
    fn row(&mut self, kind: &str, name: &str) {
        let (lower, upper) = match kind {
            "N" => {
                assert!(self.objective.is_empty(), "one objective is read");
                name.clone_into(&mut self.objective);
                return;
            }
            "E" => (0.0, 0.0),
            "G" => (0.0, f64::INFINITY),
            "L" => (f64::NEG_INFINITY, 0.0),
            other => panic!("rows of kind {other} are not read"),
        };
        self.rows.insert(name.to_owned(), self.program.rows.len());
        self.program.rows.push(Row { label: name.to_owned(), lower, upper, terms: Vec::new() });
    }

    fn entry(&mut self, column: &str, row: &str, value: f64) {
        let index = *self.columns.entry(column.to_owned()).or_insert_with(|| {
            let upper = f64::INFINITY;
            self.program.columns.push(Column {
                name: column.to_owned(),
                lower: 0.0,
                upper,
                integer: self.integer,
            });
            self.program.columns.len() - 1
        });
        if row == self.objective {
            self.program.stages[0].terms.push((index, value));
        } else {
            self.program.rows[self.rows[row]].terms.push((index, value));
        }
    }

    fn right_side(&mut self, row: &str, value: f64) {
        if row == self.objective {
            self.program.stages[0].constant = -value;
            return;
        }
        let row = &mut self.program.rows[self.rows[row]];
        for side in [&mut row.lower, &mut row.upper] {
            if side.is_finite() {
                *side = value;
            }
        }
    }

    fn range(&mut self, row: &str, width: f64) {
        let row = &mut self.program.rows[self.rows[row]];
        match (row.lower.is_finite(), row.upper.is_finite()) {
            (true, true) if width < 0.0 => row.lower += width,
            (true, true) => row.upper += width,
            (true, false) => row.upper = row.lower + width.abs(),
            _ => row.lower = row.upper - width.abs(),
        }
    }

    fn bound(&mut self, kind: &str, column: &str, value: Option<f64>) {
        let column = &mut self.program.columns[self.columns[column]];
        let value = || value.expect("this kind of bound has a value");
        match kind {
            "BV" => (column.lower, column.upper, column.integer) = (0.0, 1.0, true),
            "LO" => column.lower = value(),
            "UP" => column.upper = value(),
            "LI" => (column.lower, column.integer) = (value(), true),
            "UI" => (column.upper, column.integer) = (value(), true),
            "FX" => (column.lower, column.upper) = (value(), value()),
            "FR" => (column.lower, column.upper) = (f64::NEG_INFINITY, f64::INFINITY),
            "MI" => column.lower = f64::NEG_INFINITY,
            "PL" => column.upper = f64::INFINITY,
            other => panic!("bounds of kind {other} are not read"),
        }
    }
}
