//! Runs every row that is missing, each in a process of its own.

use super::attempt::failed;
use super::job::Job;
use super::ledger::Ledger;
use super::ledger_error::LedgerError;
use super::process::{end_of, in_words, read_all};
use super::record::Record;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// How often a waiting worker looks whether the user wants to stop.
const LOOK: Duration = Duration::from_millis(50);

/// How a sweep runs its rows.
pub struct Runner<'r> {
    /// Makes the command that makes one row: it prints the record as JSON.
    pub command: &'r (dyn Fn(&Job<'_>) -> Command + Sync),
    /// After how long a process is stopped from outside.
    pub patience: Duration,
    /// GiB of address space per process, for messages.
    pub memory_limit: Option<f64>,
    /// Number of processes at a time.
    pub workers: usize,
    /// Set when the user wants to stop.
    pub interrupted: &'r AtomicBool,
    /// Is told about every row that is finished.
    pub finished: &'r (dyn Fn(&Record) + Sync),
}

impl Runner<'_> {
    /// Makes the rows that the ledger lacks. Returns early when the user wants to stop.
    ///
    /// A row is not kept if its instance or program changed meanwhile, and no more are begun with that one. Returns the files.
    ///
    /// # Errors
    /// When rows cannot be written; rows that fail are no errors.
    pub fn run(&self, jobs: &[Job<'_>], ledger: &Mutex<Ledger>) -> Result<BTreeSet<String>, LedgerError> {
        let next = AtomicUsize::new(0);
        let fault: Mutex<Option<LedgerError>> = Mutex::new(None);
        let changed: Mutex<BTreeMap<&str, Vec<String>>> = Mutex::default();
        let work = || {
            while !self.interrupted.load(Ordering::SeqCst) && fault.lock().expect("no panics").is_none() {
                let Some(job) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) else { return };
                if changed.lock().expect("no panics").contains_key(job.key.method.as_str()) {
                    continue;
                }
                let Some(record) = self.make(job) else { return };
                let files = job.changed(&record);
                if !files.is_empty() {
                    changed.lock().expect("no panics").entry(&job.key.method).or_default().extend(files);
                    continue;
                }
                match ledger.lock().expect("no panics").add(&record) {
                    Ok(()) => (self.finished)(&record),
                    Err(error) => *fault.lock().expect("no panics") = Some(error),
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.workers {
                scope.spawn(work);
            }
        });
        let changed = changed.into_inner().expect("no panics").into_values().flatten().collect();
        fault.into_inner().expect("no panics").map_or(Ok(changed), Err)
    }

    /// Makes one row; `None` when the user stopped it.
    fn make(&self, job: &Job<'_>) -> Option<Record> {
        let began = Instant::now();
        let failed = |reason: String| {
            let row = failed(job.case, &job.planned.method, job.seed, reason);
            Some(job.signed(Record { seconds: began.elapsed().as_secs_f64(), ..row }))
        };
        let mut command = (self.command)(job);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return failed(format!("no process could be started: {error}")),
        };
        let stdout = read_all(child.stdout.take().expect("piped"));
        let stderr = read_all(child.stderr.take().expect("piped"));
        let status = self.wait(&mut child, began);
        end_group(&child);
        let status = match status {
            Ended::Itself(status) => status,
            Ended::ByUser => return None,
            Ended::ByPatience => {
                let seconds = began.elapsed().as_secs_f64();
                return failed(format!("gave no answer within {seconds:.0} s and was stopped"));
            }
        };
        let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
        match serde_json::from_slice(&stdout) {
            Ok(record) if status.success() => Some(job.signed(record)),
            _ => failed(self.reason(status, &stderr)),
        }
    }

    fn wait(&self, child: &mut Child, began: Instant) -> Ended {
        loop {
            match child.wait_timeout(LOOK) {
                Ok(Some(status)) => return Ended::Itself(status),
                Ok(None) => {}
                Err(_) => return Ended::ByPatience,
            }
            if self.interrupted.load(Ordering::SeqCst) {
                return Ended::ByUser;
            }
            if began.elapsed() > self.patience {
                return Ended::ByPatience;
            }
        }
    }

    fn reason(&self, status: ExitStatus, stderr: &[u8]) -> String {
        let words = String::from_utf8_lossy(stderr);
        let out_of_memory =
            ["memory allocation", "bad_alloc", "out of memory"].iter().any(|sign| words.contains(sign));
        match self.memory_limit {
            Some(limit) if out_of_memory || (status.signal() == Some(11) && stderr.is_empty()) => {
                format!("needs more than the memory limit of {limit} GiB: ended with {}", in_words(status))
            }
            _ => format!("ended with {}{}", in_words(status), end_of(stderr)),
        }
    }
}

enum Ended {
    Itself(ExitStatus),
    ByUser,
    ByPatience,
}

/// Ends a process and whatever it has started.
fn end_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Most often the group is empty by then.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
