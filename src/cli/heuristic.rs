//! `migopt heuristic`.

use super::arguments::{Format, HeuristicArguments};
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure};
use super::input::read_instance;
use super::output::{FutureFile, format_of, print, serialise};
use super::summary::{grouped, terminal_width};
use crate::bench::{Method, ask};
use crate::cluster::METRICS;
use crate::model::wpm::heuristic::heuristic_named;
use crate::model::{Instance, ProposalDocument};
use crate::report::{self, Picture};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

pub fn run(task: &HeuristicArguments) -> Result<u8, Failure> {
    let mut instance = read_instance(&task.instance)?;
    if let Some(use_case) = task.use_case {
        instance.wpm.use_case = use_case.into();
    }
    // What is wrong with the settings is told before files are touched.
    instance.wpm_problem()?;
    let output = task.output.as_deref().map(FutureFile::prepare).transpose()?;
    let picture = task.picture.as_deref().map(FutureFile::prepare).transpose()?;
    let proposal = propose(task, &instance)?;
    if let Some(file) = output {
        let format = task.output.as_deref().map_or(Format::Json, format_of);
        file.write(&serialise(&proposal, format)?)?;
    }
    let drawing = report::picture_of_solution(&proposal.solution);
    if let Some(file) = picture {
        file.write(&report::svg(&drawing))?;
    }
    if !task.quiet {
        print(&match task.format {
            Format::Text => text(&proposal, &drawing),
            Format::Json | Format::Yaml => serialise(&proposal, task.format)?,
        })?;
    }
    Ok(if proposal.valid { EXIT_PROVED } else { EXIT_INFEASIBLE })
}

fn propose(task: &HeuristicArguments, instance: &Instance) -> Result<ProposalDocument, Failure> {
    match &task.policy {
        Method::Heuristic(name) => {
            let heuristic = heuristic_named(name).expect("the command line only takes registered heuristics");
            Ok(ProposalDocument::of_heuristic(instance, heuristic, task.seed)?)
        }
        Method::External(command) => {
            let limit = task.time_limit.map(Duration::from_secs_f64);
            ask(instance, command, task.seed, limit)
                .map_err(|reason| Failure::Internal(format!("the heuristic failed: {reason}")))
        }
        Method::Optimum | Method::Formulation(_) => unreachable!("the command line refuses them"),
    }
}

/// The readable answer: what the placement is worth, its metrics, a drawing.
fn text(proposal: &ProposalDocument, drawing: &Picture) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string");
    let verdict = if proposal.valid { "valid (verified; not proved optimal)" } else { "not valid" };
    line(format_args!("{}: {verdict}", proposal.instance));
    line(format_args!(
        "model {}, heuristic {}, seed {}, use case {}, objective {}\n",
        proposal.model, proposal.heuristic, proposal.seed, proposal.use_case, proposal.objective
    ));
    for violation in &proposal.violations {
        line(format_args!("  {}: {}", violation.rule, violation.message));
    }
    for stage in &proposal.stages {
        let value = stage.value.map_or_else(|| "none".to_owned(), grouped);
        line(format_args!("  {:<22} {value:>18}", stage.name));
    }
    if let Some(metrics) = &proposal.metrics {
        for metric in METRICS {
            let value = (metric.value)(metrics);
            let (value, unit) = match metric.unit {
                "ratio" => (format!("{:.1}", 100.0 * value), "%"),
                unit => (format!("{value}"), unit),
            };
            line(format_args!("  {:<22} {value:>18} {unit}", metric.title));
        }
    }
    let color = std::io::stdout().is_terminal();
    line(format_args!("\n{}", report::draw(drawing, terminal_width(), color).trim_end()));
    line(format_args!("\n{:.3} s", proposal.seconds));
    text
}
