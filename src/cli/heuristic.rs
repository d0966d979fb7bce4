//! `migopt heuristic`.

use super::arguments::HeuristicArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::input::read_configured;
use super::output::{Content, Printed, deliver};
use super::summary::terminal_width;
use bench::{Method, ask};
use ground::Amount;
use kit::ProposalDocument;
use models::{Model, Question};
use report::{self, Drawing};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

pub fn run(task: &HeuristicArguments) -> Result<u8, Failure> {
    let instance = read_configured(&task.instance, task.model, &task.settings.0, task.quiet)?;
    let policy = policy(task, instance.model).map_err(Failure::of_flag("--policy"))?;
    // What is wrong with the settings is told before files are touched.
    let question = instance.question()?;
    let mut files = Files::reading(&task.instance);
    let output = files.writing("--output", task.output.as_ref(), Kind::Document)?;
    let picture = files.writing("--picture", task.picture.as_ref(), Kind::Picture)?;
    let proposal = propose(task, &policy, question.as_ref())?;
    let drawing = report::drawing_of_solution(&proposal.solution);
    let answer = Content::answer(&proposal, || text(instance.model, &proposal, &drawing));
    let written = [(output, Content::document(&proposal)), (picture, Content::text(|| drawing.svg()))];
    deliver(&answer, Printed { format: task.format, quiet: task.quiet }, written)?;
    Ok(if proposal.valid { EXIT_PROVED } else { EXIT_INFEASIBLE })
}

fn policy(task: &HeuristicArguments, model: &'static dyn Model) -> Result<Method, String> {
    match Method::named(model, &task.policy)? {
        method @ (Method::Heuristic(_) | Method::External(_)) => Ok(method),
        Method::Exact(_) => {
            Err(format!("\"{}\" is no heuristic; `migopt solve` proves the optimum.", task.policy))
        }
    }
}

fn propose(
    task: &HeuristicArguments,
    policy: &Method,
    question: &dyn Question,
) -> Result<ProposalDocument, Failure> {
    match policy {
        Method::External(command) => {
            let limit = task.time_limit.map(Duration::from_secs_f64);
            ask(question, command, task.seed, limit)
                .map_err(|reason| Failure::Internal(format!("the heuristic failed: {reason}")))
        }
        heuristic => {
            question.propose(&heuristic.to_string(), task.seed).map_err(Failure::of_flag("--policy"))
        }
    }
}

/// The readable answer: what the placement is worth, its metrics, a drawing.
fn text(model: &dyn Model, proposal: &ProposalDocument, drawing: &Drawing) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string");
    let verdict = if proposal.valid { "valid (verified; not proved optimal)" } else { "not valid" };
    line(format_args!("{}: {verdict}", proposal.instance));
    line(format_args!(
        "model {}, heuristic {}, seed {}, {}\n",
        proposal.model,
        proposal.heuristic,
        proposal.seed,
        model.read_back(&proposal.about)
    ));
    for violation in &proposal.violations {
        line(format_args!("  {}: {}", violation.rule, violation.message));
    }
    for stage in &proposal.stages {
        let value = stage.value.map_or_else(|| "none".to_owned(), Amount::grouped);
        line(format_args!("  {:<22} {value:>18}", stage.name));
    }
    for metric in model.metrics() {
        let number = proposal.metrics.as_ref().and_then(|metrics| metrics.get(metric.name));
        let Some(number) = number else { continue };
        let (value, unit) = match number.as_f64() {
            Some(ratio) if metric.unit == "ratio" => (format!("{:.1}", 100.0 * ratio), "%"),
            _ => (number.to_string(), metric.unit),
        };
        line(format_args!("  {:<22} {value:>18} {unit}", metric.title));
    }
    let color = std::io::stdout().is_terminal();
    line(format_args!("\n{}", drawing.draw(terminal_width(), color).trim_end()));
    line(format_args!("\n{:.3} s", proposal.seconds));
    text
}
