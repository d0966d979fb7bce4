//! `migopt plan`.

use super::arguments::{PlanArguments, PlanTarget};
use super::exit::{EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::form::form_of;
use super::format::Format;
use super::input::{read_instance, tell_guess};
use super::output::{Content, Printed, deliver, print, serialise};
use super::plan_file::ReadPlan;
use super::progress;
use super::solve::solve_options;
use cluster::{Placement, PlacementRule};
use ground::{SourceText, counted, did_you_mean};
use kit::Status;
use models::{AnswerFile, Instance};
use plan::{Finding, Limits, PlanInstance, Transition, Unit};
use planner::{Answer, Found, Options, WithSpares, plan_open, plan_with_spares};
use report::{PlanReport, plan_verdict};
use schemars::JsonSchema;
use serde::Serialize;
use solver::Control;
use std::time::Instant;

pub fn run(task: &PlanArguments) -> Result<u8, Failure> {
    let began = Instant::now();
    let mut instance = read_instance(&task.instance)?;
    if task.wanted.model.is_none() && task.answer.is_none() {
        tell_guess(&instance, task.quiet);
    }
    if let Some(model) = task.wanted.model {
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
    let mut options = Options { order: task.wanted.minimize.clone(), effort: task.wanted.solver.effort()? };
    let (control, line) = progress::control(task.quiet);
    let target = match target(task, &instance, &control)? {
        Target::Placement(placement) => placement,
        Target::None(status, reason) => {
            line.finish_and_clear();
            return tell_there_is_none(task, &instance, status, reason);
        }
    };
    let limits = Limits {
        max_parallel: task.wanted.max_parallel,
        max_parallel_per_node: task.wanted.max_parallel_per_node,
        max_rounds: task.wanted.max_rounds,
    };
    let transition = Transition::new(instance.cluster.clone(), target, limits, task.backend)
        .map_err(|message| Failure::Input(format!("{}: {message}", instance.source.name())))?;
    let left = options.effort.time_left(began);
    options.effort = options.effort.within(left);
    let internal = |text: String| {
        Failure::Internal(format!("{text}. This is a fault of migopt or the solver; please report it."))
    };
    let (answer, notes) = match &task.wanted.spare {
        None if task.wanted.target == PlanTarget::Open => {
            if task.backend.unit() != Unit::Instance {
                let message = format!(
                    "--target open: {} clears more than one GPU instance at a time, which no single round can do beside \
                     running workloads. Leave out --target, or plan for nvidia-smi, dra or hami.",
                    task.backend.name()
                );
                return Err(Failure::Input(message));
            }
            refuse_rules(&instance)?;
            let (answer, note) = plan_open(&transition, &options, &control).map_err(internal)?;
            (answer, vec![note])
        }
        None => (planner::plan(&transition, &options, &control).map_err(internal)?, Vec::new()),
        Some(board) => {
            let boards = &instance.cluster.boards;
            let meant = boards.iter().find(|known| known.answers_to(board)).ok_or_else(|| {
                let names: Vec<&str> = boards.iter().map(|board| board.name()).collect();
                let guess = did_you_mean(board, names.iter().copied());
                let message =
                    format!("no GPU of the cluster is a \"{board}\"{guess}. Boards: {}.", names.join(", "));
                Failure::of_flag("--spare")(message)
            })?;
            let lent = plan_with_spares(&transition, meant.name(), &options, &control).map_err(internal)?;
            let note = note_on_spares(&lent);
            (lent.answer, vec![note])
        }
    };
    line.finish_and_clear();
    let mut found = match answer {
        Answer::Impossible(reason) => {
            let reason = format!("no plan: {reason}");
            return tell_there_is_none(task, &instance, Status::Infeasible, reason);
        }
        Answer::Stopped(reason) => {
            return tell_there_is_none(task, &instance, stopped(&control), reason);
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

/// Another target than the answer keeps to nodes and to what is out of service, but to nothing else that the instance asks.
fn refuse_rules(instance: &Instance) -> Result<(), Failure> {
    let known = [PlacementRule::Maintenance, PlacementRule::Nodes];
    let instead = "Use `--target fixed`: the answer obeys the rule.";
    instance.cluster.refuse_rules(&instance.source, "`--target open`", &known, instead)?;
    let settings = &instance.given.wpm;
    let limits = [("max_migrations", settings.max_migrations), ("max_disrupted", settings.max_disrupted)];
    match limits.into_iter().find_map(|(field, most)| Some((field, most?))) {
        Some((field, most)) if instance.model.name() == "wpm" => {
            let message =
                format!("`{field}: {most}` is a limit of which `--target open` knows nothing. {instead}");
            Err(instance.source.error_at_key(&["wpm", field], message).into())
        }
        _ => Ok(()),
    }
}

fn report_on(found: &Found) -> PlanReport<'_> {
    let Found { transition, plan, file, judgement } = found;
    PlanReport { file, cluster: &transition.cluster, plan, judgement }
}

/// Says why there is no plan.
fn tell_there_is_none(
    task: &PlanArguments,
    instance: &Instance,
    status: Status,
    reason: String,
) -> Result<u8, Failure> {
    let name = instance.name.clone();
    let instance = PlanInstance { name, fingerprint: Some(instance.fingerprint.clone()) };
    let document = NoPlan { instance, status, reason };
    let answer = Content::answer(&document, || format!("{}: {}\n", document.instance.name, document.reason));
    deliver(&answer, Printed { format: task.format, quiet: task.quiet }, [])?;
    Ok(if status == Status::Infeasible { EXIT_INFEASIBLE } else { EXIT_LIMIT })
}

/// How a search ended that has found nothing and proved nothing.
fn stopped(control: &Control) -> Status {
    if control.is_interrupted() { Status::Interrupted } else { Status::TimeLimit }
}

fn note_on_spares(lent: &WithSpares) -> String {
    let number = lent.spares.len();
    let gpus = counted(number, "empty GPU");
    match (number, lent.is_least) {
        (0, _) => "no empty GPU has to be lent".to_owned(),
        (1, true) => format!("{gpus} has to be lent; without it, a workload stops that need not"),
        (1, false) => format!("{gpus} is lent; without it, no plan without stops was found"),
        (_, true) => format!("{gpus} have to be lent; fewer do not suffice"),
        (_, false) => format!("{gpus} are lent; with fewer, no plan without stops was found"),
    }
}

/// What `migopt plan` answers when it has no plan.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "migopt no-plan")]
pub struct NoPlan {
    /// The instance for which there is none.
    instance: PlanInstance,
    /// Whether there is none under these limits, or the search was stopped.
    status: Status,
    /// Why, in words.
    reason: String,
}

/// Where every workload shall be, or why that is not known.
enum Target {
    Placement(Placement),
    None(Status, String),
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
    let options = solve_options(instance.model, &task.wanted.solver)?;
    let solved = question
        .solve(&options, control)
        .map_err(|error| Failure::of_solve(error, instance.source.name()))?;
    match (solved.solution, solved.status) {
        (_, Status::Infeasible) => {
            let reason = solved.reason.unwrap_or_else(|| "no placement obeys all rules".to_owned());
            Ok(Target::None(Status::Infeasible, format!("no target: {reason}")))
        }
        (None, status) => Ok(Target::None(status, "no target was found before the limit".to_owned())),
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
    let judgement = ReadPlan::for_instance(source, instance)?.judgement;
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
