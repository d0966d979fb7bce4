//! `migopt bench`.

use super::arguments::{BenchArguments, BenchRowArguments};
use super::exit::{EXIT_LIMIT, EXIT_PROVED, Failure};
use super::files::FutureFile;
use super::generate::{Batch, count, make_folder, write_instances};
use super::input::read_instance;
use super::output::print;
use super::progress;
use bench::{Case, Conditions, Job, Ledger, LedgerError, Method, Record, Runner, attempt, jobs};
use ground::SourceText;
use indicatif::ProgressBar;
use itertools::Itertools;
use kit::whole;
use models::{InstanceFile, model_named};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// What a row may take by default.
const SECONDS_PER_ROW: f64 = 60.0;

/// What a process gets beyond the time limit for reading, writing and the heuristics that know no limit.
const GRACE: Duration = Duration::from_secs(30);

pub fn run(task: &BenchArguments) -> Result<u8, Failure> {
    let methods = methods(task)?;
    let effort = task.effort.effort(Some(SECONDS_PER_ROW))?;
    let seconds = effort.time_limit.unwrap_or_default();
    let conditions = Conditions {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        solver: format!("{} {}", effort.solver.name(), effort.solver.version()),
        threads: effort.threads,
        time_limit: seconds.as_secs_f64(),
        memory_limit: task.memory_limit,
    };
    let cases = cases(task)?;
    let ledger = Ledger::open(&task.output, &conditions, task.retry_failed).map_err(of_ledger)?;
    let all = jobs(&cases, &methods, &task.seeds);
    let total = all.len();
    let missing: Vec<Job<'_>> = all.into_iter().filter(|job| !ledger.has(&job.key())).collect();
    let already = total - missing.len();

    let interrupted = progress::interruption("migopt: stopping; finished rows are kept");
    let bar = progress_bar(total, already, task.quiet);
    let program = std::env::current_exe()
        .map_err(|error| Failure::Internal(format!("migopt's own program file is unknown: {error}")))?;
    let command = |job: &Job<'_>| row_command(&program, task, job);
    let failures = Mutex::new(Vec::new());
    let finished = |record: &Record| {
        if record.is_failed() {
            let reason = record.reason.clone().unwrap_or_default();
            let about = format!("{} on {}: {reason}", record.method, record.instance);
            failures.lock().expect("no panics").push(about);
        }
        bar.inc(1);
    };
    let runner = Runner {
        command: &command,
        patience: 2 * seconds + GRACE,
        memory_limit: task.memory_limit,
        workers: task.jobs as usize,
        interrupted: &interrupted,
        finished: &finished,
    };
    let ledger = Mutex::new(ledger);
    let ran = runner.run(&missing, &ledger);
    bar.finish_and_clear();
    ran.map_err(of_ledger)?;
    let ledger = ledger.into_inner().expect("no panics");
    let done = already + missing.iter().filter(|job| ledger.has(&job.key())).count();
    if !task.quiet {
        let failures = failures.into_inner().expect("no panics");
        print(&summary(&task.output, done, already, total, &failures))?;
    }
    Ok(if done == total { EXIT_PROVED } else { EXIT_LIMIT })
}

/// Makes one row in this process and prints it.
pub fn run_row(task: &BenchRowArguments) -> Result<u8, Failure> {
    let internal = |what: &str, error: rustix::io::Errno| Failure::Internal(format!("{what}: {error}"));
    // A row is of no use to anybody once the sweep is gone. Elsewhere than on Linux it runs to its end.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(|error| internal("the sweep's end cannot be watched", error))?;
    if let Some(limit) = task.memory_limit {
        let bytes = Some((limit * f64::from(1 << 30)) as u64);
        setrlimit(Resource::As, Rlimit { current: bytes, maximum: bytes })
            .map_err(|error| internal("the memory limit cannot be set", error))?;
    }
    let method = Method::named(task.model, &task.method).map_err(Failure::of_flag("--method"))?;
    let case = Case {
        model: task.model,
        instance: read_instance(&task.instance)?,
        file: task.instance.clone(),
        label: task.label.clone(),
    };
    let effort = task.effort.effort(Some(SECONDS_PER_ROW))?;
    let record = attempt(&case, &method, task.seed, &effort);
    let text = serde_json::to_string(&record)
        .map_err(|error| Failure::Internal(format!("the row cannot be written: {error}")))?;
    print(&(text + "\n"))?;
    Ok(EXIT_PROVED)
}

/// The methods asked for, each once, in the order given.
fn methods(task: &BenchArguments) -> Result<Vec<Method>, Failure> {
    let asked = task.methods.iter().map(|text| ("--methods", text));
    let asked = asked.chain(task.method.iter().map(|text| ("--method", text)));
    let named = asked.map(|(flag, text)| Method::named(task.model, text).map_err(Failure::of_flag(flag)));
    let methods: Vec<Method> = named.collect::<Result<_, Failure>>()?;
    if methods.is_empty() {
        return Ok(Method::usual(task.model));
    }
    Ok(methods.into_iter().unique().collect())
}

/// All instances, each once: those given, then those to be generated.
fn cases(task: &BenchArguments) -> Result<Vec<Case>, Failure> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let folder = task.output.join("instances");
    let own = |file: PathBuf| {
        let label = file.strip_prefix(&task.output).unwrap_or(&file).display().to_string();
        (file, label)
    };
    for path in &task.paths {
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.extend(split_lines(path, &folder)?.into_iter().map(own));
        } else {
            let named = |file: PathBuf| (file.clone(), file.display().to_string());
            files.extend(instance_files(path)?.into_iter().map(named));
        }
    }
    for specification in &task.generate {
        let (batch, generator) = batch(specification, &folder)?;
        for file in write_instances(&batch, generator)? {
            files.push(own(file?));
        }
    }
    if files.is_empty() {
        return Err(Failure::Input(
            "there are no instances to run. Name files or folders, or use --generate wpm:gpus=8,count=100,seed=1.".to_owned(),
        ));
    }
    let mut seen = BTreeSet::new();
    let mut cases = Vec::new();
    for (file, label) in files {
        let instance = read_instance(&file)?;
        if seen.insert(instance.fingerprint.clone()) {
            cases.push(Case { model: task.model, instance, file, label });
        }
    }
    Ok(cases)
}

/// The file itself, or the instances of a folder in the order of their names.
fn instance_files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable =
        |error| Failure::Input(format!("{}: the folder cannot be read: {error}.", path.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        let ending = file.extension().and_then(|ending| ending.to_str());
        if file.is_file() && matches!(ending, Some("yaml" | "yml" | "json")) {
            files.push(file);
        }
    }
    if files.is_empty() {
        let text = "holds no instances (files that end in .yaml, .yml or .json). Name another folder.";
        return Err(Failure::Input(format!("{}: {text}", path.display())));
    }
    files.sort();
    Ok(files)
}

/// Writes the instances of a file that has one on each line to files in a folder, as every row reads one of its own.
fn split_lines(path: &Path, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let source = SourceText::read(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    make_folder(folder)?;
    let lines = (1..).zip(source.text().lines()).filter(|(_, line)| !line.trim().is_empty());
    let written = lines.map(|(number, line)| {
        let file = folder.join(format!("{stem}-{number:04}.json"));
        FutureFile::prepare(&file)?.write(line)?;
        Ok(file)
    });
    written.collect()
}

/// From a seed to an instance.
type Draw = Box<dyn Fn(u64) -> InstanceFile>;

/// The instances that a specification stands for: `MODEL:KEY=VALUE,...`.
fn batch(specification: &str, folder: &Path) -> Result<(Batch, Draw), Failure> {
    let wrong = |what: &str| {
        let what = what.trim_end_matches('.');
        Failure::Input(format!(
            "--generate \"{specification}\": {what}. Write a model and options of `migopt generate`, such as \
             wpm:gpus=8,count=100,seed=1,use-case=joint."
        ))
    };
    let (model, options) = specification.split_once(':').unwrap_or((specification, ""));
    let model = model_named(model).map_err(|message| wrong(&message))?;
    let mut batch = Batch { seed: 1, count: 1, output: folder.to_owned() };
    let mut values = Vec::new();
    for option in options.split(',').filter(|option| !option.is_empty()) {
        let (key, value) =
            option.split_once('=').ok_or_else(|| wrong(&format!("\"{option}\" is not KEY=VALUE")))?;
        let (key, value) = (key.trim().replace('_', "-"), value.trim());
        match key.as_str() {
            "seed" => {
                batch.seed = whole(value, 0..=u64::MAX).map_err(|rule| wrong(&format!("seed: {rule}")))?
            }
            "count" => batch.count = count(value).map_err(|rule| wrong(&format!("count: {rule}")))?,
            "output" => {
                return Err(wrong("the instances go into the sweep's folder, so `output` has no place here"));
            }
            _ => values.push((key, value)),
        }
    }
    let values: Vec<(&str, &str)> = values.iter().map(|(key, value)| (key.as_str(), *value)).collect();
    let draw = model.generator(&values).map_err(|refused| wrong(&refused.to_string()))?;
    Ok((batch, draw))
}

/// The command that makes one row.
fn row_command(program: &Path, task: &BenchArguments, job: &Job<'_>) -> Command {
    let mut command = Command::new(program);
    command.arg("bench-row").arg(&job.case.file);
    command.arg(format!("--label={}", job.case.label)).arg(format!("--model={}", job.case.model.name()));
    command.arg(format!("--method={}", job.method));
    if let Some(seed) = job.seed {
        command.arg(format!("--seed={seed}"));
    }
    if let Some(limit) = task.memory_limit {
        command.arg(format!("--memory-limit={limit}"));
    }
    command.args(task.effort.words(SECONDS_PER_ROW));
    command
}

fn progress_bar(total: usize, done: usize, quiet: bool) -> ProgressBar {
    let template = "{wide_bar} {pos} of {len} rows, {elapsed} gone, {eta} left";
    let bar = progress::bar(total, template, quiet).with_position(done as u64);
    bar.reset_eta();
    bar
}

fn summary(folder: &Path, done: usize, already: usize, total: usize, failures: &[String]) -> String {
    let made = done - already;
    let mut text =
        format!("{}: {done} of {total} rows, {made} made now, {already} already there\n", folder.display());
    for about in failures.iter().take(10) {
        text += &format!("  failed: {about}\n");
    }
    if failures.len() > 10 {
        text += &format!("  and {} more failed; the rows say why\n", failures.len() - 10);
    }
    text += &if done == total {
        format!("next: migopt report {} --output report.html\n", folder.display())
    } else {
        "stopped; the same command resumes\n".to_owned()
    };
    text
}

fn of_ledger(error: LedgerError) -> Failure {
    Failure::Input(error.to_string())
}
