//! `migopt pareto`.

use super::arguments::ParetoArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::input::read_configured;
use super::output::{Content, Printed, deliver};
use super::progress;
use super::solve::solve_options;
use ground::counted;
use kit::{FrontierDocument, Overrides, RefusedOverride, Status};
use models::Instance;

pub fn run(task: &ParetoArguments) -> Result<u8, Failure> {
    if task.settings.0.iter().any(|(name, _)| name == "objective") {
        let message = "the goals to compare are those of --objectives. Leave it out.";
        return Err(Failure::of_flag("--objective")(message.to_owned()));
    }
    let named = task.objectives.split(',').count();
    if named != 2 {
        let message = format!("exactly two goals can be compared, not {named}. Write GOAL,GOAL.");
        return Err(Failure::of_flag("--objectives")(message));
    }
    let instance = read_configured(&task.instance, task.model, &task.settings.0, task.quiet)?;
    let instance = with_goals(instance, &task.objectives)?;
    let options = solve_options(instance.model, &task.solver)?;
    let question = instance.question()?;
    let mut files = Files::reading(&task.instance);
    let output = files.writing("--output", task.output.as_ref(), Kind::Document)?;
    let plot = files.writing("--plot", task.plot.as_ref(), Kind::Picture)?;
    let (control, line) = progress::control(task.quiet);
    let frontier = question.frontier(&task.objectives, &options, &control);
    line.finish_and_clear();
    let frontier = frontier.map_err(|error| Failure::of_solve(error, instance.source.name()))?;
    let answer = Content::answer(&frontier, || text(&frontier));
    let written =
        [(output, Content::document(&frontier)), (plot, Content::text(|| report::frontier_svg(&frontier)))];
    deliver(&answer, Printed { format: task.format, quiet: task.quiet }, written)?;
    Ok(match frontier.status {
        Status::Optimal => EXIT_PROVED,
        Status::Infeasible => EXIT_INFEASIBLE,
        _ => EXIT_LIMIT,
    })
}

/// The instance with the goals as its objective, as costs that it leaves out depend on it.
fn with_goals(instance: Instance, goals: &str) -> Result<Instance, Failure> {
    let has_objective = instance.model.settings().iter().any(|setting| setting.name == "objective");
    if !has_objective {
        return Ok(instance);
    }
    let objective = Overrides::default().with("objective", format!("lexicographic:{goals}"));
    let refused = |error: RefusedOverride| Failure::of_flag("--objectives")(error.message);
    instance.with_settings(&objective).map_err(refused)
}

fn text(frontier: &FrontierDocument) -> String {
    let complete = match frontier.status {
        Status::Optimal => "all of them (proved)",
        Status::Infeasible => {
            let reason = frontier.reason.as_deref().unwrap_or("no solution obeys all rules (proved).");
            return format!("{}: infeasible\n{reason}\n", frontier.instance);
        }
        Status::Interrupted => "interrupted: those proved so far",
        _ => "stopped at a limit: those proved so far",
    };
    let notes: String = frontier.notes.iter().map(|note| format!("note: {note}\n")).collect();
    format!(
        "{}: {}, {complete}\nmodel {}, formulation {}, solver {} {}\n\n{}\n{notes}{:.3} s\n",
        frontier.instance,
        counted(frontier.points.len(), "non-dominated point"),
        frontier.model,
        frontier.formulation,
        frontier.solver,
        frontier.solver_version,
        report::frontier_table(frontier),
        frontier.seconds
    )
}
