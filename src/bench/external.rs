//! Runs a user's own heuristic: a program that reads a question and writes a solution.

use super::process::{end_of, in_words, read_all};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// Why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExternalFailure {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(std::io::Error),
    /// It did not end in time.
    #[error("did not end within {:.1} s and was stopped", .0.as_secs_f64())]
    TimeLimit(Duration),
    /// It ended with something else than success.
    #[error("ended with {status}{complaint}")]
    Exit {
        /// How it ended, in words.
        status: String,
        /// The end of what it wrote to standard error, with a colon before it; empty if it wrote nothing.
        complaint: String,
    },
    /// It wrote something that is no text.
    #[error("wrote output that is not UTF-8 text")]
    NotText,
}

/// Runs a shell command with `input` on its standard input. Returns its standard output and the seconds it took.
///
/// # Errors
/// When it cannot be started, fails, or takes longer than the limit; then it is stopped.
pub fn run(
    command: &str,
    input: &str,
    time_limit: Option<Duration>,
) -> Result<(String, f64), ExternalFailure> {
    let began = Instant::now();
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(ExternalFailure::Start)?;
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_owned();
    // A program need not read its question; that it does not is no failure of the writer.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let stdout = read_all(child.stdout.take().expect("piped"));
    let stderr = read_all(child.stderr.take().expect("piped"));
    let ended = match time_limit {
        Some(limit) => child.wait_timeout(limit).map_err(ExternalFailure::Start)?,
        None => Some(child.wait().map_err(ExternalFailure::Start)?),
    };
    let Some(status) = ended else {
        let _ = child.kill();
        let _ = child.wait();
        // Its own children may still hold the pipes: the readers are left to themselves.
        return Err(ExternalFailure::TimeLimit(time_limit.unwrap_or_default()));
    };
    let seconds = began.elapsed().as_secs_f64();
    let _ = writer.join();
    let stdout = stdout.join().unwrap_or_default();
    if !status.success() {
        let complaint = end_of(&stderr.join().unwrap_or_default());
        return Err(ExternalFailure::Exit { status: in_words(status), complaint });
    }
    String::from_utf8(stdout).map(|text| (text, seconds)).map_err(|_| ExternalFailure::NotText)
}
