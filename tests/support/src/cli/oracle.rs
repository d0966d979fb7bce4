//! Talks to a running `migopt oracle`.

use super::{PROVED, Run, executable, read};
use crate::root;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running oracle.
pub struct Oracle {
    pub child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts one with flags, in the folder of the crate.
    pub fn start(flags: &[&str]) -> Self {
        let mut command = Command::new(executable());
        command.arg("oracle").args(flags).current_dir(root());
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Oracle { child, to, from }
    }

    /// Sends a line.
    pub fn send(&mut self, line: impl AsRef<[u8]>) {
        let to = self.to.as_mut().expect("the input is open");
        to.write_all(line.as_ref()).and_then(|()| to.write_all(b"\n")).unwrap();
    }

    /// Waits for the next line.
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the answer is a whole line: {line:?}");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a request and waits for the answer to it.
    pub fn ask(&mut self, request: &Value) -> Value {
        self.send(request.to_string());
        self.receive()
    }

    /// Goes away without hearing the answers; the process and its open input.
    pub fn stop_listening(self) -> (Child, ChildStdin) {
        (self.child, self.to.expect("the input is open"))
    }

    /// Closes the input: what is left to read, and how the process ends.
    pub fn finish(mut self) -> (Vec<Value>, Run) {
        drop(self.to.take());
        self.rest_with_open_input()
    }

    /// What is read until the process ends by itself although its input is open, and how it ends.
    pub fn rest_with_open_input(mut self) -> (Vec<Value>, Run) {
        let lines = self.from.by_ref().lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        let lines = lines.collect();
        (lines, read(self.child.wait_with_output().unwrap()))
    }
}

/// The answers to an input, after which the oracle ends as it should.
pub fn answers(flags: &[&str], input: impl AsRef<[u8]>) -> Vec<Value> {
    let mut oracle = Oracle::start(flags);
    let mut to = oracle.to.take().unwrap();
    let input = input.as_ref().to_vec();
    // Both pipes are in use at once: neither side waits for the other.
    let writer = std::thread::spawn(move || to.write_all(&input));
    let (answers, run) = oracle.rest_with_open_input();
    writer.join().unwrap().unwrap();
    assert_eq!((run.code, run.stderr.as_str()), (Some(PROVED), ""), "{answers:?}");
    answers
}
