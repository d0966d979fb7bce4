//! `migopt bench`.

use super::arguments::{BenchArguments, BenchRowArguments};
use super::exit::{EXIT_BAD_INPUT, EXIT_LIMIT, EXIT_PROVED, Failure};
use super::files::Files;
use super::input::read_instance;
use super::output::print;
use super::progress;
use super::submit::Submission;
use super::sweep_cases::{Cases, cases};
use super::sweep_methods::methods;
use bench::{
    Case, Job, Ledger, LedgerError, Method, Plan, Planned, ROWS_FILE, Record, Redo, Runner, SweepFolder,
    attempt, gather, jobs, read_rows,
};
use ground::{counted, grouped};
use indicatif::ProgressBar;
use itertools::Itertools;
use kit::unknown;
use report::SweepReport;
use rustix::process::{Resource, Rlimit, setrlimit};
use solvers::solvers;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// Failures that are listed at the end.
const MOST_LISTED: usize = 10;

/// What a row may take by default.
const SECONDS_PER_ROW: f64 = 60.0;

/// What a process gets beyond the time limit for reading, writing and the heuristics that know no limit.
const GRACE: Duration = Duration::from_secs(30);

pub fn run(task: &BenchArguments) -> Result<u8, Failure> {
    if task.gather {
        return gather_rows(task);
    }
    let submission = task.submit.as_deref().map(Submission::read).transpose()?;
    let effort = task.effort.effort(Some(SECONDS_PER_ROW))?;
    let seconds = effort.time_limit.unwrap_or_default();
    let files = Files::default().and_reading_all(task.paths.iter().cloned());
    files.writing_in("--output", &task.output, &SweepFolder::files(&task.output))?;
    let gathered = cases(task)?;
    gathered.broken.iter().for_each(|failure| note(&failure.to_string()));
    let methods = methods(task, &gathered.cases, &effort)?;
    let redo = redo(task, &methods)?;
    let mut all = jobs(&gathered.cases, &methods, &task.seeds);
    let plan = Plan::new(&gathered.cases, &methods, &task.seeds, all.len());
    if let Some(submission) = submission {
        Ledger::prepare(&task.output, &plan).map_err(of_ledger)?;
        let said = submission.write(task, plan.rows)?;
        print(if task.quiet { "" } else { &said })?;
        return Ok(if gathered.broken.is_empty() { EXIT_PROVED } else { EXIT_BAD_INPUT });
    }
    let ledger = match task.shard {
        None => Ledger::open(&task.output, &plan, &all, &redo),
        Some(shard) => {
            all =
                all.into_iter().enumerate().filter(|(row, _)| shard.has(*row)).map(|(_, job)| job).collect();
            Ledger::open_shard(&task.output, &plan, shard)
        }
    };
    let ledger = ledger.map_err(of_ledger)?;
    let total = all.len();
    let missing: Vec<Job<'_>> = all.into_iter().filter(|job| !ledger.has(&job.key)).collect();
    let already = total - missing.len();
    if !task.quiet {
        ledger.again.in_words("to make again").iter().for_each(|words| note(words));
    }

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
    let (changed, stopped) = match ran {
        Ok(changed) => (changed, None),
        Err(error) => (BTreeSet::new(), Some(of_ledger(error))),
    };
    let ledger = ledger.into_inner().expect("no panics");
    let done = already + missing.iter().filter(|job| ledger.has(&job.key)).count();
    // What is there is told although a row could not be kept.
    if !task.quiet || stopped.is_some() {
        let failures = failures.into_inner().expect("no panics");
        let end = End { task, gathered: &gathered, ledger: &ledger, changed, failures, done, already, total };
        let said = end.text().and_then(|text| print(&text));
        Failure::all([said.err(), stopped].into_iter().flatten().collect())?;
    }
    Ok(match () {
        () if done < total => EXIT_LIMIT,
        () if !gathered.broken.is_empty() => EXIT_BAD_INPUT,
        () => EXIT_PROVED,
    })
}

/// Brings the rows of shards together.
fn gather_rows(task: &BenchArguments) -> Result<u8, Failure> {
    let folder = task.output.display();
    let rows = gather(&task.output).map_err(of_ledger)?;
    if !task.quiet {
        let rows = counted(rows, "row");
        print(&format!(
            "{folder}: {rows}, none is missing\nnext: migopt report {folder} --output report.html\n"
        ))?;
    }
    Ok(EXIT_PROVED)
}

/// Makes one row in this process and prints it.
pub fn run_row(task: &BenchRowArguments) -> Result<u8, Failure> {
    let internal = |what: &str, error: rustix::io::Errno| Failure::Internal(format!("{what}: {error}"));
    // A row is of no use once the sweep is gone. Elsewhere than on Linux it runs to its end.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(|error| internal("the sweep's end cannot be watched", error))?;
    if let Some(limit) = task.memory_limit {
        let bytes = Some((limit * f64::from(1 << 30)) as u64);
        setrlimit(Resource::As, Rlimit { current: bytes, maximum: bytes })
            .map_err(|error| internal("the memory limit cannot be set", error))?;
    }
    let effort = task.effort.effort(Some(SECONDS_PER_ROW))?;
    let method = Method::named(task.model, &task.method, effort.solver, solvers());
    let method = method.map_err(Failure::of_flag("--method"))?;
    let case = Case {
        model: task.model,
        instance: read_instance(&task.instance)?,
        file: task.instance.clone(),
        label: task.label.clone(),
        written: None,
    };
    let record = attempt(&case, &method, task.seed, &effort);
    let text = serde_json::to_string(&record)
        .map_err(|error| Failure::Internal(format!("the row cannot be written: {error}")))?;
    print(&(text + "\n"))?;
    Ok(EXIT_PROVED)
}

/// What is to be made again although it is there.
fn redo(task: &BenchArguments, methods: &[Planned]) -> Result<Redo, Failure> {
    let known: Vec<String> = methods.iter().map(|planned| planned.method.to_string()).unique().collect();
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    for method in &task.remake {
        if !known.contains(method) {
            return Err(Failure::of_flag("--remake")(unknown(
                method,
                "a method of this sweep",
                "Its methods",
                &names,
            )));
        }
    }
    Ok(Redo { failed: task.retry_failed, methods: task.remake.iter().cloned().collect() })
}

/// The command that makes one row.
fn row_command(program: &Path, task: &BenchArguments, job: &Job<'_>) -> Command {
    let mut command = Command::new(program);
    command.arg("bench-row").arg(&job.case.file);
    command.arg(format!("--label={}", job.case.label)).arg(format!("--model={}", job.case.model.name()));
    command.arg(format!("--method={}", job.planned.method));
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
    let template = "{wide_bar} {pos} of {len} rows, {elapsed} elapsed, {eta} left";
    let bar = progress::bar(total, template, quiet).with_position(done as u64);
    bar.reset_eta();
    bar
}

/// What is said when a sweep ends.
struct End<'e> {
    task: &'e BenchArguments,
    gathered: &'e Cases,
    ledger: &'e Ledger,
    /// Files that changed meanwhile.
    changed: BTreeSet<String>,
    failures: Vec<String>,
    done: usize,
    already: usize,
    total: usize,
}

impl End<'_> {
    fn text(&self) -> Result<String, Failure> {
        let folder = self.task.output.display();
        let (done, already, total) = (self.done, self.already, self.total);
        let made = done - already;
        let number = |count: usize| grouped(&count.to_string());
        let of_shard = self.task.shard.map_or(String::new(), |shard| format!(" {shard}:"));
        let mut lines = vec![format!(
            "{folder}:{of_shard} {} of {}, {} made now, {} already there",
            number(done),
            counted(total, "row"),
            number(made),
            number(already)
        )];
        lines.extend(self.models());
        lines.extend(self.ledger.again.in_words("made again"));
        lines.extend(self.left_out());
        lines.extend(self.failures.iter().take(MOST_LISTED).map(|about| format!("  failed: {about}")));
        if self.failures.len() > MOST_LISTED {
            lines.push(format!("  and {} more failed; the rows say why", self.failures.len() - MOST_LISTED));
        }
        // The rows of a shard are few of those that belong together.
        let rows = match self.task.shard {
            None => read_rows(&self.task.output.join(ROWS_FILE))?,
            Some(_) => Vec::new(),
        };
        if !rows.is_empty() {
            lines.push(format!("\n{}", SweepReport::of(&rows).verdict()));
        }
        if !self.changed.is_empty() {
            lines.push(format!(
                "{} changed while the sweep ran, so the rows computed with it are not kept. The command of a method \
                 must not name a file that it writes itself.",
                self.changed.iter().join(", ")
            ));
        }
        lines.push(match () {
            () if done == total && self.task.shard.is_some() => {
                format!("next, when all shards have ended: migopt bench --gather --output {folder}")
            }
            () if done == total => format!("next: migopt report {folder} --output report.html"),
            () if self.task.remake.is_empty() && !self.task.retry_failed => {
                "Stopped. Run the same command again to continue.".to_owned()
            }
            () => "Stopped. Run the same command without --remake and --retry-failed to continue.".to_owned(),
        });
        Ok(lines.join("\n") + "\n")
    }

    /// Which models were taken, where the command does not say.
    fn models(&self) -> Option<String> {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for case in &self.gathered.cases {
            *numbers.entry(case.model.name()).or_default() += 1;
        }
        let listed = numbers.iter().map(|(model, number)| format!("{number} of model {model}")).join(", ");
        self.task.model.is_none().then(|| format!("instances: {listed} (--model chooses another)"))
    }

    /// What the sweep does not speak of.
    fn left_out(&self) -> Vec<String> {
        let mut lines = self.ledger.left_out.in_words("left out");
        let gathered = self.gathered;
        if let Some(first) = gathered.guessed.first() {
            let others = match gathered.guessed.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} others likewise)"),
            };
            lines.push(format!("{first}{others}"));
        }
        if !gathered.broken.is_empty() {
            lines.push(format!(
                "{} left out: not instances (named above)",
                counted(gathered.broken.len(), "file")
            ));
        }
        if gathered.answers > 0 {
            lines.push(format!("{} left out: answers, not instances", counted(gathered.answers, "file")));
        }
        lines.extend(gathered.edited.iter().map(|file| {
            format!("{file} was edited since the sweep wrote it, and is used as it is; delete it to have it written again")
        }));
        let foreign = self.ledger.foreign.iter();
        lines.extend(foreign.map(|error| format!("moved to earlier-rows.jsonl: {}", error.paragraph())));
        lines
    }
}

/// Says something before the rows are made.
fn note(words: &str) {
    // A closed standard error is no reason to stop.
    let _ = writeln!(std::io::stderr(), "migopt: {words}");
}

fn of_ledger(error: LedgerError) -> Failure {
    Failure::Input(error.to_string())
}
