//! The program that chooses among listed contents.
//!
//! Besides, it may choose none of them at a cost that is given: the program always has a solution, and a solver need not look for
//! dearer ones.

use super::pool::Entry;
use super::total::{Bounds, Total};
use milp::{Column, Program, Row, Search, Sense, Stage};

/// The program that chooses one of the listed contents for each part so that all totals keep their bounds at the least cost, or nothing
/// at a cost of `nothing`. Its first columns are the contents, the last one is nothing.
pub fn program<C>(
    totals: &[Total],
    bounds: &Bounds,
    numbers: &[u32],
    listed: &[&Entry<C>],
    nothing: i64,
) -> Program {
    let mut columns: Vec<Column> = Vec::with_capacity(listed.len());
    let mut costs: Vec<(usize, f64)> = Vec::new();
    let mut of_total: Vec<Vec<(usize, f64)>> = vec![Vec::new(); totals.len()];
    let mut of_part: Vec<Vec<(usize, f64)>> = vec![Vec::new(); numbers.len()];
    for (position, entry) in listed.iter().enumerate() {
        let upper = f64::from(numbers[entry.part]);
        columns.push(Column { name: format!("content[{position}]"), lower: 0.0, upper, integer: true });
        if entry.column.cost != 0 {
            costs.push((position, entry.column.cost as f64));
        }
        of_part[entry.part].push((position, 1.0));
        for &(total, amount) in &entry.column.terms {
            of_total[total].push((position, amount as f64));
        }
    }
    for (total, about) in totals.iter().enumerate() {
        let Some(cost) = about.excess_cost else { continue };
        let upper = of_total[total].iter().map(|&(position, amount)| amount * columns[position].upper).sum();
        of_total[total].push((columns.len(), -1.0));
        costs.push((columns.len(), cost as f64));
        columns.push(Column { name: format!("excess[{}]", about.name), lower: 0.0, upper, integer: true });
    }
    let last = columns.len();
    columns.push(Column { name: "nothing".to_owned(), lower: 0.0, upper: 1.0, integer: true });
    if nothing != 0 {
        costs.push((last, nothing as f64));
    }
    let mut rows: Vec<Row> = Vec::new();
    for ((about, &(least, most)), mut terms) in totals.iter().zip(&bounds.0).zip(of_total) {
        let lower = least.map_or(f64::NEG_INFINITY, |least| least as f64);
        let upper = most.map_or(f64::INFINITY, |most| most as f64);
        if let Some(kept) = least.or(most).filter(|&kept| kept != 0) {
            terms.push((last, kept as f64));
        }
        rows.push(Row { label: format!("total[{}]", about.name), lower, upper, terms });
    }
    for (part, mut terms) in of_part.into_iter().enumerate() {
        let number = f64::from(numbers[part]);
        terms.push((last, number));
        rows.push(Row { label: format!("part[{part}]"), lower: number, upper: number, terms });
    }
    let stage = Stage {
        name: "cost".to_owned(),
        sense: Sense::Minimize,
        terms: costs,
        constant: 0.0,
        step: Some(1.0),
    };
    Program {
        name: "listed".to_owned(),
        columns,
        rows,
        stages: vec![stage],
        guide: None,
        search: Search::default(),
    }
}
