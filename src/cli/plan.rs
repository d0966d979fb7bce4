//! `migopt plan`.

use super::arguments::PlanArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::format::Format;
use super::input::{read_instance, tell_guess};
use super::output::{Content, Printed, deliver, print, serialise};
use super::progress;
use super::report::form_of;
use super::solve::solve_options;
use cluster::Placement;
use ground::SourceText;
use kit::Status;
use models::{AnswerFile, Instance};
use plan::{Finding, Judgement, Limits, PlanFile, PlanInstance, Resolved, Transition, judge};
use planner::{Answer, Found, Options, WithSpares, plan_with_spares};
use report::{PlanReport, plan_verdict};
use serde::Serialize;
use solver::Control;
use std::path::Path;
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
    let form = task.report.as_deref().map(|path| form_of("--report", path)).transpose()?;
    let page = files.writing("--report", task.report.as_ref(), Kind::Report)?;
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
    let report = report_on(&found);
    let answer = Content::answer(&found.file, || report.text());
    let in_form = || form.map_or_else(String::new, |form| form.of_plan(&report));
    let written = [(output, Content::document(&found.file)), (page, Content::text(in_form))];
    deliver(&answer, Printed { format: task.format, quiet: task.quiet }, written)?;
    Ok(if found.file.proved { EXIT_PROVED } else { EXIT_LIMIT })
}

fn report_on(found: &Found) -> PlanReport<'_> {
    let Found { transition, plan, file, judgement } = found;
    PlanReport { file, cluster: &transition.cluster, plan, judgement }
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

/// A plan from a file, resolved for its cluster and judged.
pub struct ReadPlan {
    file: PlanFile,
    resolved: Resolved,
    judgement: Judgement,
}

impl ReadPlan {
    /// Reads a plan for the cluster of an instance file, without which it cannot be drawn.
    pub fn of(source: &SourceText, instance: Option<&Path>) -> Result<Self, Failure> {
        let instance = instance.ok_or_else(|| {
            source.error(
                "a plan names places of a cluster, but does not hold it. Name the instance that it was made for with --instance.",
            )
        })?;
        Self::for_instance(source, &read_instance(instance)?)
    }

    fn for_instance(source: &SourceText, instance: &Instance) -> Result<Self, Failure> {
        let file: PlanFile = source.parse()?;
        let resolved = file.resolve(&instance.cluster, &instance.fingerprint, source)?;
        let judgement = judge(&file, &resolved);
        Ok(ReadPlan { file, resolved, judgement })
    }

    /// The report on it.
    pub fn report(&self) -> PlanReport<'_> {
        let ReadPlan { file, resolved, judgement } = self;
        PlanReport { file, cluster: &resolved.transition.cluster, plan: &resolved.plan, judgement }
    }
}

/// Refuses an instance beside a document that is no plan.
pub fn refuse_instance(instance: Option<&Path>) -> Result<(), Failure> {
    match instance {
        None => Ok(()),
        Some(_) => Err(Failure::of_flag("--instance")("only plans need it. Leave it out.".to_owned())),
    }
}

/// Judges the plan in a file.
pub fn verify(instance: &Instance, source: &SourceText, format: Format) -> Result<u8, Failure> {
    let ReadPlan { judgement, .. } = ReadPlan::for_instance(source, instance)?;
    let valid = judgement.findings.is_empty();
    print(&match format {
        Format::Text => plan_verdict(&instance.name, &judgement),
        Format::Json | Format::Yaml => {
            let plan::Judgement { findings, counts, certified } = judgement;
            serialise(&PlanVerdict { valid, findings, counts, bounds: certified }, format)?
        }
    })?;
    Ok(if valid { EXIT_PROVED } else { EXIT_INFEASIBLE })
}
