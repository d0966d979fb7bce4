//! `migopt heuristic`.

use super::arguments::HeuristicArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure, until_exit};
use super::files::{Files, Kind};
use super::input::read_configured;
use super::output::{Content, Printed, deliver};
use super::summary::Summary;
use bench::{Method, ask};
use kit::ProposalDocument;
use models::{Model, Question};
use solvers::solvers;
use std::time::Duration;

pub fn run(task: &HeuristicArguments) -> Result<u8, Failure> {
    let instance = until_exit(read_configured(&task.instance, task.model, &task.settings.0, task.quiet)?);
    let policy = policy(task, instance.model).map_err(Failure::of_flag("--policy"))?;
    // What is wrong with the settings is told before files are touched.
    let question = instance.question()?;
    let mut files = Files::reading(&task.instance);
    let output = files.writing("--output", task.output.as_ref(), Kind::Document)?;
    let picture = files.writing("--picture", task.picture.as_ref(), Kind::Picture)?;
    let proposal = until_exit(propose(task, &policy, question.as_ref())?);
    let drawing = until_exit(report::drawing_of_solution(&proposal.solution));
    let screen = task.screen.screen();
    let answer = Content::answer(proposal, || {
        Summary::of_proposal(instance.model, proposal, drawing.draw(screen)).text()
    });
    let written = [(output, Content::document(proposal)), (picture, Content::text(|| drawing.svg()))];
    deliver(&answer, Printed { format: task.format, quiet: task.quiet }, written)?;
    Ok(if proposal.valid { EXIT_PROVED } else { EXIT_INFEASIBLE })
}

fn policy(task: &HeuristicArguments, model: &'static dyn Model) -> Result<Method, String> {
    match Method::named(model, &task.policy, solvers()[0], solvers())? {
        method @ (Method::Heuristic(_) | Method::External(_)) => Ok(method),
        Method::Library => {
            Err("\"library\" is a method of sweeps alone; `migopt library` says what it knows.".to_owned())
        }
        Method::Exact(_) => {
            Err(format!("\"{}\" is not a heuristic; `migopt solve` proves the optimum.", task.policy))
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
