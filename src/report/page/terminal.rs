//! Tables for a terminal.

use super::table::{Column, Table};

/// The table with aligned columns, and a line above the titles for what some of them have in common.
pub(crate) fn table(table: &Table) -> String {
    let titles = table.columns.iter().map(|column| column.title.as_str());
    let lines = table.lines.iter().map(|line| line.iter().map(|cell| cell.text.as_str()).collect());
    let lines: Vec<Vec<&str>> = [titles.collect()].into_iter().chain(lines).collect();
    let mut widths: Vec<usize> = (0..table.columns.len())
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default())
        .collect();
    let groups = groups(&table.columns, &mut widths);
    let mut text = groups.map(|line| line + "\n").unwrap_or_default();
    for line in lines {
        let cells = line.iter().zip(&widths).zip(&table.columns).map(|((cell, &width), column)| {
            if column.numeric { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        text += format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end();
        text.push('\n');
    }
    text
}

/// The line above the titles, each name over its columns, which get the room that it needs; none where no columns belong together.
fn groups(columns: &[Column], widths: &mut [usize]) -> Option<String> {
    let mut parts = Vec::new();
    let mut first = 0;
    for group in columns.chunk_by(|one, other| one.group == other.group && one.group.is_some()) {
        let last = first + group.len();
        let name = group[0].group.as_deref().unwrap_or_default();
        let width = |widths: &[usize]| widths[first..last].iter().sum::<usize>() + 2 * (group.len() - 1);
        let lacking = name.chars().count().saturating_sub(width(widths));
        widths[last - 1] += lacking;
        parts.push(format!("{name:^width$}", width = width(widths)));
        first = last;
    }
    let is_needed = columns.iter().any(|column| column.group.is_some());
    is_needed.then(|| format!("  {}", parts.join("  ")).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::table::Cell;
    use super::*;

    #[test]
    fn columns_are_aligned_under_what_they_have_in_common() {
        let columns = vec![
            Column::words("method"),
            Column::numbers("a").under("a long name"),
            Column::numbers("b").under("a long name"),
        ];
        let lines = vec![
            vec![Cell::words("first-fit"), Cell::words("1"), Cell::words("22")],
            vec![Cell::words("x"), Cell::words("333"), Cell::none()],
        ];
        let text = table(&Table { caption: String::new(), columns, lines });
        let expected = "             a long name\n  method       a       b\n  first-fit    1      22\n  x          333       –\n";
        assert_eq!(text, expected);
    }
}
