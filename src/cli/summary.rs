//! A result as text for a terminal.

use ground::Amount;
use itertools::Itertools;
use kit::{ResultDocument, SenseName, Status};
use models::Model;
use report::Drawing;
use std::fmt::Write;
use std::io::IsTerminal;

/// The readable answer: status, objective by term, bound, gap, GPUs, a drawing, seconds.
pub fn text(model: &dyn Model, result: &ResultDocument, drawing: Option<&Drawing>) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string");
    line(format_args!("{}: {}", result.instance, status(result)));
    line(format_args!(
        "model {}, formulation {}, solver {} {}, {}",
        result.model,
        result.formulation,
        result.solver,
        result.solver_version,
        model.read_back(&result.about)
    ));
    if let Some(reason) = &result.reason {
        line(format_args!("\n{reason}"));
    }
    line(format_args!(""));
    for stage in &result.stages {
        let value = stage.value.map_or("none".to_owned(), Amount::grouped);
        let bound = match (stage.bound, stage.value) {
            (None, _) => "not reached".to_owned(),
            (Some(bound), Some(value)) if bound == value => "= bound, proved".to_owned(),
            (Some(bound), _) => format!("bound {}", bound.grouped()),
        };
        let sense = if stage.sense == SenseName::Maximize { "max" } else { "min" };
        line(format_args!("  {:<12} {value:>18}   {sense}, {bound}", stage.name));
    }
    if let Some(gap) = result.gap.filter(|&gap| gap > 0.0) {
        line(format_args!("  {:<12} {:>17.4} %", "gap", 100.0 * gap));
    }
    for score_line in model.score_lines(result) {
        line(format_args!("{score_line}"));
    }
    for note in &result.notes {
        line(format_args!("note: {note}"));
    }
    if let Some(drawing) = drawing {
        let stdout = std::io::stdout().is_terminal();
        let width = terminal_width();
        line(format_args!("\n{}", drawing.draw(width, stdout).trim_end()));
    }
    let (work, seconds) = (&result.work, &result.seconds);
    let program = match work.columns {
        0 => "solved without the MIP solver".to_owned(),
        columns => format!(
            "{columns} columns, {} rows, {} nonzeros; {} nodes, {} iterations",
            work.rows, work.nonzeros, work.nodes, work.iterations
        ),
    };
    line(format_args!(
        "\n{program}; {:.3} s ({})",
        seconds.total,
        seconds.parts().into_iter().map(|(name, seconds)| format!("{name} {seconds:.3}")).join(", ")
    ));
    text
}

fn status(result: &ResultDocument) -> &'static str {
    match result.status {
        Status::Optimal => "optimal (proved: bound and verified value meet)",
        Status::WithinGap => "within the gap asked for (verified; not proved optimal)",
        Status::TimeLimit => "stopped by the time limit (best verified solution and bound)",
        Status::Interrupted => "interrupted (best verified solution and bound)",
        Status::MemoryLimit => "out of memory (best verified solution and bound)",
        Status::Infeasible => "infeasible (proved)",
    }
}

/// Columns of the terminal, or 100 where there is none.
pub fn terminal_width() -> usize {
    clap_width().unwrap_or(100)
}

fn clap_width() -> Option<usize> {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .filter(|&columns: &usize| columns >= 40)
}
