//! Runs the `migopt` command.

pub mod complaints;
pub mod oracle;
pub mod schemas;

use crate::root;
use assert_cmd::Command;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use tempfile::TempDir;

/// Exit codes, as `migopt --help` tells them.
pub const PROVED: i32 = 0;
pub const INTERNAL: i32 = 1;
pub const BAD_INPUT: i32 = 2;
pub const INFEASIBLE: i32 = 3;
pub const LIMIT: i32 = 4;

/// The file of the command, which cargo builds next to the folder of the tests.
pub fn executable() -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a file");
    let folder = test.ancestors().nth(2).expect("tests are in a folder of their own");
    folder.join("migopt").with_extension(std::env::consts::EXE_EXTENSION)
}

/// A command whose environment does not say what the terminal can show. Programs that find `CI` in it print colours on
/// any terminal.
pub fn without_terminal_settings(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for variable in ["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "LC_ALL", "LC_CTYPE", "LANG"]
    {
        command.env_remove(variable);
    }
    command
}

/// The command, ready for arguments, in surroundings that say nothing of a terminal.
pub fn migopt() -> Command {
    let mut command = without_terminal_settings(executable());
    command.env("RUST_BACKTRACE", "1");
    command
}

/// What a run of the command said.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs the command and expects an exit code; nothing may ever panic.
pub fn run<S: AsRef<std::ffi::OsStr>>(arguments: &[S], code: i32) -> Run {
    let run = read(migopt().args(arguments).output().unwrap());
    let shown: Vec<_> = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect();
    assert_eq!(run.code, Some(code), "migopt {}: {run:?}", shown.join(" "));
    run
}

pub fn read(output: Output) -> Run {
    let text = |bytes| String::from_utf8(bytes).expect("all output is UTF-8");
    let run = Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("backtrace"), "{run:?}");
    run
}

/// Starts the command, with pipes for what it prints.
pub fn spawn<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Child {
    let mut command = std::process::Command::new(executable());
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends Ctrl-C's signal to a process.
pub fn interrupt(child: &Child) {
    let command = format!("kill -INT {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &command]).status().unwrap().success());
}

/// A shipped instance of model wpm.
pub fn instance(name: &str) -> String {
    instance_of("wpm", name)
}

/// A shipped instance of a model.
pub fn instance_of(model: &str, name: &str) -> String {
    let path = root().join("instances").join(model).join(format!("{name}.yaml"));
    path.to_str().unwrap().to_owned()
}

/// A folder for one test.
pub struct Folder(TempDir);

impl Default for Folder {
    fn default() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }
}

impl Folder {
    pub fn new() -> Self {
        Folder::default()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        path.parent().map(std::fs::create_dir_all).transpose().unwrap();
        std::fs::write(path, content).unwrap();
        self.text(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Names of all files, hidden ones included, in order.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A result without its wall-clock times: the part that is the same from run to run.
pub fn without_seconds(mut result: Value) -> Value {
    let fields = result.as_object_mut().unwrap();
    fields.remove("seconds").expect("results tell their times");
    fields.remove("trace");
    result
}

/// The lines of a saved result without its wall-clock times.
pub fn lines_without_seconds(result: &str) -> Vec<String> {
    let parts = ["read", "build", "solve", "lay_out", "draw", "total"].map(|part| format!("\"{part}\":"));
    let is_time = |line: &&str| parts.iter().any(|key| line.contains(key.as_str()));
    let mut in_trace = false;
    let mut is_traced = |line: &&str| {
        let inside = in_trace;
        in_trace = (in_trace || line.contains("\"trace\": [")) && !line.starts_with("  ]");
        inside || in_trace
    };
    result.lines().filter(|line| !is_traced(line) && !is_time(line)).map(str::to_owned).collect()
}
