//! Proofs as files in the format VIPR, version 1.0.

use super::claim::{Claim, Goal};
use super::combination::{Combination, Range};
use super::tree::{Leaf, Tree};
use milp::Sense;
use num_integer::Integer;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// The file of a proof that [`check`](super::check()) accepted. The lines of `head` come first, as comments.
///
/// All columns are declared whole. Bounds of columns are the first constraints, two for each; rows that are bounded on two sides by
/// different numbers are two constraints.
pub fn text(claim: &Claim, tree: &Tree, head: &[String]) -> String {
    let mut text = String::new();
    write(claim, tree, head, &mut text).expect("a text takes everything");
    text
}

fn write(claim: &Claim, tree: &Tree, head: &[String], out: &mut String) -> fmt::Result {
    for line in head {
        writeln!(out, "% {line}")?;
    }
    let columns = &claim.program.columns;
    writeln!(out, "VER 1.0\nVAR {}", columns.len())?;
    let names = distinct(columns.iter().map(|column| column.name.as_str()));
    for name in &names {
        writeln!(out, "{name}")?;
    }
    let all: Vec<String> = (0..columns.len()).map(|column| column.to_string()).collect();
    writeln!(out, "INT {}\n{}", columns.len(), all.join(" "))?;
    write_objective(claim, out)?;
    let constraints = Constraints::of(claim, &names);
    writeln!(out, "CON {} {}", constraints.lines.len(), 2 * columns.len())?;
    for line in &constraints.lines {
        writeln!(out, "{line}")?;
    }
    write_relation(claim, out)?;
    let mut derivations = Derivations {
        claim,
        constraints: &constraints,
        lines: Vec::new(),
        box_of: Range::all(claim),
        assumed: Vec::new(),
    };
    derivations.add(tree);
    writeln!(out, "DER {}", derivations.lines.len())?;
    derivations.lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn write_objective(claim: &Claim, out: &mut String) -> fmt::Result {
    let sense = match &claim.goal {
        Some(Goal { sense: Sense::Maximize, .. }) => "max",
        _ => "min",
    };
    let terms = claim.goal.as_ref().map_or(&[][..], |goal| &goal.terms);
    writeln!(out, "OBJ {sense}\n{}", sparse(terms))
}

/// What is to be proved, and the point that attains it.
fn write_relation(claim: &Claim, out: &mut String) -> fmt::Result {
    let Some(goal) = &claim.goal else { return writeln!(out, "RTP infeas\nSOL 0") };
    let Some(point) = &claim.point else {
        return match goal.sense {
            Sense::Minimize => writeln!(out, "RTP range {} inf\nSOL 0", goal.value),
            Sense::Maximize => writeln!(out, "RTP range -inf {}\nSOL 0", goal.value),
        };
    };
    let values: Vec<(usize, i64)> =
        point.iter().copied().enumerate().filter(|(_, value)| *value != 0).collect();
    writeln!(out, "RTP range {value} {value}\nSOL 1\nbest {}", sparse(&values), value = goal.value)
}

/// The constraints of a program, and where each is.
struct Constraints {
    lines: Vec<String>,
    /// By row: the constraints of its lower and its upper side.
    sides: Vec<[Option<usize>; 2]>,
}

impl Constraints {
    fn of(claim: &Claim, names: &[String]) -> Self {
        let mut lines = Vec::new();
        for (position, (column, name)) in claim.program.columns.iter().zip(names).enumerate() {
            lines.push(format!("{name}:least G {} 1 {position} 1", column.lower));
            lines.push(format!("{name}:most L {} 1 {position} 1", column.upper));
        }
        let labels = distinct(claim.program.rows.iter().map(|row| row.label.as_str()));
        let mut sides = Vec::new();
        for (row, label) in claim.program.rows.iter().zip(labels) {
            let terms = sparse(&row.terms);
            let mut put = |line: String| {
                lines.push(line);
                Some(lines.len() - 1)
            };
            sides.push(match (row.lower, row.upper) {
                (Some(lower), Some(upper)) if lower == upper => {
                    let equation = put(format!("{label} E {lower} {terms}"));
                    [equation, equation]
                }
                (lower, upper) => [
                    lower.and_then(|lower| put(format!("{label}:least G {lower} {terms}"))),
                    upper.and_then(|upper| put(format!("{label}:most L {upper} {terms}"))),
                ],
            });
        }
        Constraints { lines, sides }
    }
}

/// Derived constraints under construction.
struct Derivations<'a> {
    claim: &'a Claim,
    constraints: &'a Constraints,
    lines: Vec<String>,
    box_of: Vec<Range>,
    /// Assumptions about columns: the column, whether it is about its lower bound, the constraint.
    assumed: Vec<(usize, bool, usize)>,
}

impl Derivations<'_> {
    /// Derives what a tree proves; the number of the constraint.
    fn add(&mut self, tree: &Tree) -> usize {
        let (column, at, below, above) = match tree {
            Tree::Leaf(leaf) => return self.add_leaf(leaf),
            Tree::Split { column, at, below, above } => (*column, *at, below, above),
        };
        let range = self.box_of[column];
        let most = self.put(&format!("L {at} 1 {column} 1"), "asm");
        self.box_of[column] = Range { upper: at, ..range };
        let first = self.add_assuming(below, (column, false, most));
        let least = self.put(&format!("G {} 1 {column} 1", at + 1), "asm");
        self.box_of[column] = Range { lower: at + 1, ..range };
        let second = self.add_assuming(above, (column, true, least));
        self.box_of[column] = range;
        let proved = self.proved();
        self.put(&proved, &format!("uns {first} {most} {second} {least}"))
    }

    fn add_assuming(&mut self, tree: &Tree, assumption: (usize, bool, usize)) -> usize {
        self.assumed.push(assumption);
        let derived = self.add(tree);
        self.assumed.pop();
        derived
    }

    /// What every case proves: the bound of the objective, or a contradiction.
    fn proved(&self) -> String {
        match &self.claim.goal {
            None => "G 1 0".to_owned(),
            Some(goal) => match goal.sense {
                Sense::Minimize => format!("G {} OBJ", goal.value),
                Sense::Maximize => format!("L {} OBJ", goal.value),
            },
        }
    }

    /// With the goal, the combination is divided by its multiplier and rounded; without it, it is a contradiction.
    fn add_leaf(&mut self, leaf: &Leaf) -> usize {
        let combination = Combination::of(self.claim, leaf).expect("the checker accepted the leaf");
        let excess = combination.excess(&self.box_of).expect("the checker accepted the leaf");
        let sides = leaf.rows.iter().map(|&(row, multiplier)| {
            let side = self.constraints.sides[row][usize::from(multiplier < 0)];
            (side.expect("leaves use sides that there are"), i128::from(multiplier))
        });
        let bounds = combination
            .terms
            .iter()
            .map(|(&column, &coefficient)| (self.bound_of(column, coefficient < 0), -coefficient));
        let used: Vec<(usize, i128)> = sides.chain(bounds).collect();
        match &self.claim.goal {
            Some(goal) if leaf.goal > 0 => {
                let divisor = i128::from(goal.sign() * leaf.goal);
                let reason = format!("rnd {}", fractions(&used, divisor));
                let proved = self.proved();
                self.put(&proved, &reason)
            }
            _ => self.put(&format!("G {excess} 0"), &format!("lin {}", fractions(&used, 1))),
        }
    }

    /// The constraint that bounds a column in the present box.
    fn bound_of(&self, column: usize, is_lower: bool) -> usize {
        let of_case =
            self.assumed.iter().rev().find(|(other, lower, _)| *other == column && *lower == is_lower);
        of_case.map_or(2 * column + usize::from(!is_lower), |(_, _, constraint)| *constraint)
    }

    fn put(&mut self, constraint: &str, reason: &str) -> usize {
        let number = self.lines.len();
        self.lines.push(format!("D{number} {constraint} {{ {reason} }} -1"));
        self.constraints.lines.len() + number
    }
}

fn sparse(terms: &[(usize, i64)]) -> String {
    let mut text = terms.len().to_string();
    for (column, coefficient) in terms {
        text += &format!(" {column} {coefficient}");
    }
    text
}

/// Constraints with their multipliers, divided.
fn fractions(used: &[(usize, i128)], divisor: i128) -> String {
    let mut text = used.len().to_string();
    for &(constraint, multiplier) in used {
        let common = multiplier.gcd(&divisor) * divisor.signum();
        let (numerator, denominator) = (multiplier / common, divisor / common);
        text += &format!(" {constraint} {numerator}");
        if denominator != 1 {
            text += &format!("/{denominator}");
        }
    }
    text
}

/// Names as the format takes them: without spaces, and without the sign that begins comments.
fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut distinct = Vec::new();
    for (number, name) in names.enumerate() {
        let plain =
            |character: char| if character.is_ascii_graphic() && character != '%' { character } else { '_' };
        let mut written: String = name.chars().map(plain).collect();
        while written.is_empty() || taken.contains(&written) {
            written += &format!("~{number}");
        }
        taken.insert(written.clone());
        distinct.push(written);
    }
    distinct
}
