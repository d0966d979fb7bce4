//! `migopt plan`.

use super::arguments::{PlanArguments, PlanTarget};
use super::exit::{EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::format::Format;
use super::input::{read_instance, tell_guess};
use super::output::{Content, Printed, deliver, print, serialise};
use super::plan_words::{text, verdict_text};
use super::progress;
use super::solve::solve_options;
use cluster::Placement;
use ground::SourceText;
use kit::Status;
use models::{AnswerFile, Instance};
use plan::{Finding, Limits, PlanFile, PlanInstance, Transition, Unit, judge};
use planner::{Answer, Options, WithSpares, plan_open, plan_with_spares};
use serde::Serialize;
use solver::Control;
use std::time::Instant;

pub fn run(task: &PlanArguments) -> Result<u8, Failure> {
    let began = Instant::now();
    let mut instance = read_instance(&task.instance)?;
    if task.model.is_none() && task.answer.is_none() {
        tell_guess(&instance, task.quiet);
    }
    if let Some(model) = task.model {
        instance = instance.under(model);
    }
    if !instance.model.needs_gpus() {
        let message =
            format!("model {} places nothing on GPUs. Name another with --model", instance.model.name());
        return Err(Failure::Input(format!("{}: {message}.", instance.source.name())));
    }
    let mut files = Files::reading(&task.instance);
    if let Some(answer) = &task.answer {
        files = files.and_reading(answer);
    }
    let output = files.writing("--output", task.output.as_ref(), Kind::Document)?;
    let mut options = Options { order: task.minimize.clone(), effort: task.solver.effort()? };
    let (control, line) = progress::control(task.quiet);
    let target = match target(task, &instance, &control)? {
        Target::Placement(placement) => placement,
        Target::None(code, reason) => {
            line.finish_and_clear();
            print(&format!("{}: {reason}\n", instance.name))?;
            return Ok(code);
        }
    };
    let limits = Limits {
        max_parallel: task.max_parallel,
        max_parallel_per_node: task.max_parallel_per_node,
        max_rounds: task.max_rounds,
    };
    let transition = Transition::new(instance.cluster.clone(), target, limits, task.backend)
        .map_err(|message| Failure::Input(format!("{}: {message}", instance.source.name())))?;
    let left = options.effort.time_left(began);
    options.effort = options.effort.within(left);
    let internal = |text: String| {
        Failure::Internal(format!("{text}. This is a fault of migopt or the solver; please report it."))
    };
    let (answer, notes) = match &task.spare {
        None if task.target == PlanTarget::Open => {
            if task.backend.unit() != Unit::Instance {
                let message = format!(
                    "--target open: {} clears more than one GPU instance at a time, which no single round can do beside \
                     running workloads. Leave out --target, or plan for nvidia-smi, dra or hami.",
                    task.backend.name()
                );
                return Err(Failure::Input(message));
            }
            let (answer, note) = plan_open(&transition, &options, &control).map_err(internal)?;
            (answer, vec![note])
        }
        None => (planner::plan(&transition, &options, &control).map_err(internal)?, Vec::new()),
        Some(board) => {
            let has_board =
                instance.cluster.boards.iter().any(|known| known.name().eq_ignore_ascii_case(board));
            if !has_board {
                let known: Vec<&str> = instance.cluster.boards.iter().map(|board| board.name()).collect();
                let message = format!("no GPU of the cluster is a \"{board}\". Boards: {}", known.join(", "));
                return Err(Failure::Input(format!("--spare: {message}.")));
            }
            let lent = plan_with_spares(&transition, board, &options, &control).map_err(internal)?;
            let note = note_on_spares(&lent);
            (lent.answer, vec![note])
        }
    };
    line.finish_and_clear();
    let mut found = match answer {
        Answer::Impossible(reason) => {
            print(&format!("{}: no plan: {reason}\n", instance.name))?;
            return Ok(EXIT_INFEASIBLE);
        }
        Answer::Stopped(reason) => {
            print(&format!("{}: {reason}\n", instance.name))?;
            return Ok(EXIT_LIMIT);
        }
        Answer::Found(found) => found,
    };
    found.file.notes.extend(notes);
    found.file.instance =
        PlanInstance { name: instance.name.clone(), fingerprint: Some(instance.fingerprint.clone()) };
    let answer = Content::answer(&found.file, || text(&found));
    let written = [(output, Content::document(&found.file))];
    deliver(&answer, Printed { format: task.format, quiet: task.quiet }, written)?;
    Ok(if found.file.proved { EXIT_PROVED } else { EXIT_LIMIT })
}

fn note_on_spares(lent: &WithSpares) -> String {
    let number = lent.spares.len();
    match (number, lent.is_least) {
        (0, _) => "no empty GPU has to be lent".to_owned(),
        (_, true) => format!("{} to be lent; fewer do not suffice", ground::counted(number, "empty GPU")),
        (_, false) => format!(
            "{} lent; with fewer, no plan without stops was found",
            ground::counted(number, "empty GPU")
        ),
    }
}

/// Where everybody shall be, or how the program ends without a plan.
enum Target {
    Placement(Placement),
    None(u8, String),
}

/// The placement of the answer that was given, or of the optimum.
fn target(task: &PlanArguments, instance: &Instance, control: &Control) -> Result<Target, Failure> {
    if let Some(path) = &task.answer {
        let source = SourceText::read(path)?;
        let answer = AnswerFile::parse(&source)?;
        let placement = answer.solution.resolve(&instance.cluster, &instance.fingerprint, &source)?;
        if let Some(violation) =
            cluster::check(&instance.cluster, &placement, cluster::HostResources::Ignored).first()
        {
            let words =
                "a plan needs a target that the hardware can hold. `migopt verify` names all that is wrong";
            return Err(source.error(format!("{violation}; {words}.")).into());
        }
        return Ok(Target::Placement(placement));
    }
    let question = instance.question()?;
    let options = solve_options(instance.model, &task.solver)?;
    let solved = question
        .solve(&options, control)
        .map_err(|error| Failure::of_solve(error, instance.source.name()))?;
    match (solved.solution, solved.status) {
        (_, Status::Infeasible) => {
            let reason = solved.reason.unwrap_or_else(|| "no placement obeys all rules".to_owned());
            Ok(Target::None(EXIT_INFEASIBLE, format!("no target: {reason}")))
        }
        (None, _) => Ok(Target::None(EXIT_LIMIT, "no target was found before the limit".to_owned())),
        (Some(solution), _) => {
            let placement = solution.resolve(&instance.cluster, &instance.fingerprint, &instance.source)?;
            Ok(Target::Placement(placement))
        }
    }
}

/// What `migopt verify` says of a plan.
#[derive(Serialize)]
struct PlanVerdict {
    valid: bool,
    findings: Vec<Finding>,
    counts: plan::Counts,
    bounds: Vec<plan::Certified>,
}

/// Judges the plan in a file.
pub fn verify(instance: &Instance, source: &SourceText, format: Format) -> Result<u8, Failure> {
    let file: PlanFile = source.parse()?;
    let resolved = file.resolve(&instance.cluster, &instance.fingerprint, source)?;
    let judgement = judge(&file, &resolved);
    let valid = judgement.findings.is_empty();
    print(&match format {
        Format::Text => verdict_text(&instance.name, &judgement),
        Format::Json | Format::Yaml => {
            let plan::Judgement { findings, counts, certified } = judgement;
            serialise(&PlanVerdict { valid, findings, counts, bounds: certified }, format)?
        }
    })?;
    Ok(if valid { EXIT_PROVED } else { EXIT_INFEASIBLE })
}
