//! `migopt solve`.

use super::arguments::{SolveArguments, SolverFlags};
use super::exit::{EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_PROVED, Failure, until_exit};
use super::export::Export;
use super::files::{Files, Kind};
use super::format::Format;
use super::input::read_configured;
use super::output::{Content, Printed, deliver, print};
use super::progress;
use super::summary::Summary;
use ground::SourceText;
use kit::{SolveOptions, Status, WarmStart};
use models::{AnswerFile, Model};
use solver::{Effort, Log};
use std::cell::OnceCell;
use std::path::Path;
use std::time::Instant;

pub fn run(task: &SolveArguments) -> Result<u8, Failure> {
    let began = Instant::now();
    let instance = until_exit(read_configured(&task.instance, task.model, &task.settings.0, task.quiet)?);
    let mut options = options(task, instance.model)?;
    let question = instance.question()?;
    let read = began.elapsed().as_secs_f64();
    let mut files = Files::reading(&task.instance);
    if let Some(WarmStart::Solution(_, source)) = &options.warm_start {
        files = files.and_reading(Path::new(source.name()));
    }
    let output = files.writing("--output", task.output.as_ref(), Kind::Document)?;
    let picture = files.writing("--picture", task.picture.as_ref(), Kind::Picture)?;
    let export = files.writing("--export", task.export.as_ref(), Kind::Program)?;
    let export = export.map(Export::new).transpose()?;
    let certificate = files.writing("--certificate", task.certificate.as_ref(), Kind::Certificate)?;
    let wants_certificate = certificate.is_some() || task.certified;
    let refused = |error| Failure::of_solve(error, instance.source.name());
    if let Some(file) = files.writing("--log", task.log.as_ref(), Kind::Log)? {
        let log = Log::create(file.path());
        let failed = |error| Failure::Input(format!("--log {}: {error}.", file.path().display()));
        options.effort.settings.log = Some(log.map_err(failed)?);
    }

    // The limit counts from the start of the process.
    let limit = options.effort.time_limit;
    let left = options.effort.time_left(began);
    options.effort = options.effort.within(left);
    let (control, line) = progress::control(task.quiet);
    let solved = question.solve(&options, &control);
    let certified = solved.as_ref().ok().filter(|_| wants_certificate).map(|answer| {
        options.effort =
            options.effort.clone().within(limit.map(|limit| limit.saturating_sub(began.elapsed())));
        task.certificate_format.make(question.as_ref(), answer, &options, &control)
    });
    line.finish_and_clear();
    let document = until_exit(solved.map_err(refused)?);
    document.notes.extend(certified.as_ref().map(|certified| match certified {
        Ok(made) => made.note(),
        Err(why) => format!("no certificate: {why}"),
    }));
    let is_certified = certified.as_ref().is_some_and(Result::is_ok);
    let printed = Printed { format: task.format, quiet: task.quiet };
    // Drawn is what the counts stand for.
    let written_out = document.solution.take_if(|_| task.counts);
    if let Some(solution) = &written_out {
        document.solution = Some(solution.counted());
    }
    let (drawing, solution) = (OnceCell::new(), written_out.as_ref().or(document.solution.as_ref()));
    let drawing_of = || drawing.get_or_init(|| solution.map(report::drawing_of_solution)).as_ref();
    if picture.is_some() || printed.asked() == Some(Format::Text) {
        let drawing_began = Instant::now();
        drawing_of();
        document.seconds.draw = Some(drawing_began.elapsed().as_secs_f64());
    }
    document.seconds.read = Some(read);
    document.seconds.total = began.elapsed().as_secs_f64();
    let overrun = limit.and_then(|limit| document.seconds.overrun(limit));
    document.notes.extend(overrun);
    let screen = task.screen.screen();
    let answer = Content::answer(document, || {
        let drawn = drawing_of().map(|drawing| drawing.draw(screen));
        Summary::of_result(instance.model, document, drawn).text()
    });
    let mut written = vec![(output, Content::document(document))];
    written
        .extend(picture.and_then(|picture| {
            drawing_of().map(|drawing| (Some(picture), Content::text(|| drawing.svg())))
        }));
    let mut failures: Vec<Failure> = deliver(&answer, printed, written).err().into_iter().collect();
    if let Some(export) = export {
        let formulation = question.formulation(options.formulation);
        match export.write(question.as_ref(), formulation, document) {
            Ok(Some(remark)) if printed.asked() == Some(Format::Text) => print(&(remark + "\n"))?,
            Ok(_) => {}
            Err(failure) => failures.push(failure),
        }
    }
    if let Some((certificate, Ok(made))) = certificate.zip(certified) {
        failures.extend(made.write(certificate, &mut files).err());
    }
    Failure::all(failures)?;
    Ok(match document.status {
        _ if task.certified && !is_certified => EXIT_LIMIT,
        Status::Optimal | Status::WithinGap => EXIT_PROVED,
        Status::Infeasible => EXIT_INFEASIBLE,
        Status::TimeLimit | Status::Interrupted | Status::MemoryLimit => EXIT_LIMIT,
    })
}

fn options(task: &SolveArguments, model: &'static dyn Model) -> Result<SolveOptions, Failure> {
    let warm_start = task.warm_start.as_deref().map(|text| warm_start(text, model)).transpose()?;
    let options = solve_options(model, &task.solver)?;
    let effort = Effort { relative_gap: task.gap, ..options.effort };
    Ok(SolveOptions { effort, warm_start, remarks: true, ..options })
}

/// The file with a solution, or the heuristic, that a text names.
fn warm_start(text: &str, model: &'static dyn Model) -> Result<WarmStart, Failure> {
    let path = Path::new(text);
    let ending = path.extension().and_then(|ending| ending.to_str());
    if !matches!(ending, Some("json" | "yaml" | "yml")) {
        model.check_heuristic(text).map_err(Failure::of_flag("--warm-start"))?;
        return Ok(WarmStart::Heuristic(text.to_owned()));
    }
    let source = SourceText::read(path)?;
    let answer = AnswerFile::parse(&source)?;
    if let Some(other) = answer.model.filter(|other| other.name() != model.name()) {
        let words = format!(
            "this is a solution of model {}, but the question is asked under model {}",
            other.name(),
            model.name()
        );
        return Err(source
            .error(format!("{words}. Give a solution of this question, or leave --warm-start out."))
            .into());
    }
    Ok(WarmStart::Solution(Box::new(answer.solution), source))
}

/// The exact options that the flags for every solve ask for.
pub fn solve_options(model: &'static dyn Model, flags: &SolverFlags) -> Result<SolveOptions, Failure> {
    let formulation = flags.formulation.as_deref().map(|name| model.formulation_named(name)).transpose();
    Ok(SolveOptions {
        formulation: formulation.map_err(Failure::of_flag("--formulation"))?,
        ..SolveOptions::new(flags.effort()?)
    })
}
