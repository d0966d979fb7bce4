//! `migopt whatif`.

use super::arguments::WhatIfArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::input::read_instance;
use super::output::{Content, Printed, deliver};
use super::progress;
use super::solve::solve_options;
use ground::counted;
use itertools::Itertools;
use kit::Status;
use sizing::{
    BoardCapacity, BoardCount, Counting, LayoutCount, LoadCount, Sizing, SizingDocument, Unknown, cases,
};
use std::fmt::Write;

pub fn run(task: &WhatIfArguments) -> Result<u8, Failure> {
    let instance = read_instance(&task.instance)?;
    if instance.cluster.gpus.is_empty() {
        let message = "the instance has no GPUs, so that it is not clear which boards there may be";
        return Err(Failure::Input(format!("{}: {message}.", instance.source.name())));
    }
    let output = Files::reading(&task.instance).writing("--output", task.output.as_ref(), Kind::Document)?;
    let of_flag = |flag, message| Failure::of_flag(flag)(format!("{}: {message}", instance.source.name()));
    let (load, cases) = cases(&instance, &task.add, &task.cost).map_err(|unknown| match unknown {
        Unknown::Profile(message) => of_flag("--add", message),
        Unknown::Board(message) => of_flag("--cost", message),
        Unknown::Rule(error) => error.into(),
    })?;
    let (control, line) = progress::control(task.quiet);
    let mut answers = Vec::new();
    for case in &cases {
        let options = solve_options(case.instance.model, &task.solver)?;
        let solved = case.instance.question()?.solve(&options, &control);
        answers.push(case.sizing(&solved.map_err(|error| Failure::of_solve(error, instance.source.name()))?));
    }
    line.finish_and_clear();
    let document = SizingDocument::new(&instance.cluster, load, answers);
    let answer = Content::answer(&document, || text(&document));
    deliver(
        &answer,
        Printed { format: task.format, quiet: task.quiet },
        [(output, Content::document(&document))],
    )?;
    Ok(match document.status {
        Status::Optimal => EXIT_PROVED,
        Status::Infeasible => EXIT_INFEASIBLE,
        _ => EXIT_LIMIT,
    })
}

fn text(document: &SizingDocument) -> String {
    let mut text = format!("{}: {}\n", document.instance, load(&document.load));
    let _ = writeln!(text, "in use now: {}", gpus(&document.now));
    for answer in &document.answers {
        let _ = write!(text, "\n{}", sizing(answer));
    }
    text
}

fn load(load: &LoadCount) -> String {
    let mut parts = vec![format!("{} running", load.running)];
    parts.extend((load.pinned > 0).then(|| format!("{} of them pinned", load.pinned)));
    parts.extend((load.waiting > 0).then(|| format!("{} waiting", load.waiting)));
    parts.extend((load.added > 0).then(|| format!("{} more", load.added)));
    parts.join(", ")
}

fn gpus(counts: &[BoardCount]) -> String {
    match counts {
        [] => "no GPU".to_owned(),
        counts => counts.iter().map(|count| format!("{} {}", count.count, count.board)).join(", "),
    }
}

fn sizing(answer: &Sizing) -> String {
    let boards = answer.boards.join(" and ");
    let heading = if answer.boards.len() > 1 { format!("{boards} mixed") } else { format!("{boards} alone") };
    let proof = match (answer.status, answer.cost, answer.bound) {
        (Status::Infeasible, ..) => {
            let reason = answer.reason.as_deref().unwrap_or("no number of GPUs is enough");
            return format!("{heading}: not possible (proved): {reason}\n");
        }
        (Status::Optimal, ..) => "proved: none is cheaper".to_owned(),
        (_, _, Some(bound)) => format!("not proved: the cost is at least {bound}"),
        (_, _, None) => "not proved".to_owned(),
    };
    let Some(cost) = answer.cost else {
        return format!("{heading}: nothing found before the limit ({proof})\n");
    };
    let cost = if answer.boards.len() > 1 { format!(", cost {cost}") } else { String::new() };
    let mut text = format!("{heading}: {}{cost} ({proof})\n", gpus(&answer.gpus));
    for counting in &answer.counting {
        let _ = writeln!(text, "  {}", why(answer, counting));
    }
    if let Some(bound) = answer.bound.filter(|bound| *bound > answer.counted()) {
        let _ = writeln!(text, "  at least {bound}: found by search");
    }
    for LayoutCount { board, count, instances } in &answer.layouts {
        let _ = writeln!(text, "  {} {board}: {}", counted(count, "GPU"), instances.join(" "));
    }
    text
}

/// The lower bound in numbers to add up.
fn why(answer: &Sizing, counting: &Counting) -> String {
    let weights = counting.weights.iter();
    let weights = weights.map(|of| format!("{} {} × {}", of.profile, of.number, of.weight)).join(", ");
    let carries = |of: &BoardCapacity| match answer.costs.get(&of.board).filter(|_| answer.boards.len() > 1) {
        Some(cost) => format!("{} of cost {cost} carries {}", of.board, of.capacity),
        None => format!("{} carries {}", of.board, of.capacity),
    };
    let capacities = counting.capacities.iter().map(carries).join(", ");
    format!("at least {}: {weights}, together {}; {capacities}", counting.bound, counting.load)
}
