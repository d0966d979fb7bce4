//! Lines in, lines out: answered by several threads, written in the order in which they came.
//!
//! Every line that is read is promised an answer. The promises wait in a queue of bounded length, so that memory is bounded
//! by the lines of the queue; the writer keeps them one after the other, and flushes after each.

use super::lines::{LONGEST_LINE, Line, Lines};
use super::response::Response;
use solver::THREAD_STACK;
use std::io::{BufRead, Error, ErrorKind, Result, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Lines for each thread that are read ahead of the one whose answer is written next.
const READ_AHEAD: usize = 4;

/// How long the writer waits for a line before it looks whether it is to end.
const LOOK_UP: Duration = Duration::from_millis(50);

/// How a stream came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing was interrupted.
    Complete,
    /// An interruption stopped a search before its proof.
    CutShort,
}

/// The text of an answer, and whether an interruption stopped its search.
struct Written {
    text: String,
    is_interrupted: bool,
}

/// A line for whichever thread is free, and where its answer goes.
type Job = (Line, SyncSender<Written>);

/// The answer to a line once it is there, or why no line could be read.
type Promise = Result<Receiver<Written>>;

/// Answers every line of the input on a line of the output, with several threads, until the input ends.
///
/// After an interruption no further line is read, and those that were are answered. That the output is not read any more
/// is an interruption too.
///
/// # Errors
/// When the input cannot be read, or the output cannot be written for another reason than that it is not read any more.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    jobs: usize,
    interrupted: &Arc<AtomicBool>,
    answer: impl Fn(Line) -> Response + Send + Sync + 'static,
) -> Result<Ended> {
    let (to_threads, waiting) = sync_channel(READ_AHEAD * jobs);
    let (to_writer, promises) = sync_channel(READ_AHEAD * jobs);
    let (answer, waiting) = (Arc::new(answer), Arc::new(Mutex::new(waiting)));
    for _ in 0..jobs {
        let (answer, waiting) = (Arc::clone(&answer), Arc::clone(&waiting));
        thread::Builder::new().stack_size(THREAD_STACK).spawn(move || work(&waiting, answer.as_ref()))?;
    }
    let flag = Arc::clone(interrupted);
    // A reader that waits for a line cannot be woken: an interruption leaves it behind.
    thread::Builder::new().spawn(move || read(input, &flag, &to_threads, &to_writer))?;
    write(output, &promises, interrupted)
}

/// Hands out lines until the input ends, the stream is interrupted, or they are not taken any more.
fn read(
    input: impl BufRead,
    interrupted: &AtomicBool,
    to_threads: &SyncSender<Job>,
    to_writer: &SyncSender<Promise>,
) {
    for line in Lines::of(input, LONGEST_LINE) {
        if interrupted.load(Ordering::SeqCst) {
            return;
        }
        let is_taken = match line {
            Err(error) => {
                let _ = to_writer.send(Err(error));
                return;
            }
            Ok(line) => {
                let (to_promise, promise) = sync_channel(1);
                to_writer.send(Ok(promise)).is_ok() && to_threads.send((line, to_promise)).is_ok()
            }
        };
        if !is_taken {
            return;
        }
    }
}

/// Answers lines until there are none any more.
fn work(waiting: &Mutex<Receiver<Job>>, answer: &impl Fn(Line) -> Response) {
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok((line, to_promise)) = next() {
        let response = answer(line);
        let written = Written { text: response.to_line(), is_interrupted: response.is_interrupted() };
        // Without a writer the stream has ended, and the answer is not missed.
        let _ = to_promise.send(written);
    }
}

/// Writes answers in order until all are written, or until after an interruption nothing is left to write.
fn write(mut output: impl Write, promises: &Receiver<Promise>, interrupted: &AtomicBool) -> Result<Ended> {
    let mut ended = Ended::Complete;
    let mut is_read = true;
    loop {
        let promise = match promises.recv_timeout(LOOK_UP) {
            Ok(promise) => promise?,
            Err(RecvTimeoutError::Timeout) if !interrupted.load(Ordering::SeqCst) => continue,
            Err(_) => return Ok(ended),
        };
        let written = promise.recv().map_err(|_| Error::other("a thread has ended without its answer"))?;
        if !is_read {
            continue;
        }
        match output.write_all(written.text.as_bytes()).and_then(|()| output.flush()) {
            Ok(()) if written.is_interrupted => ended = Ended::CutShort,
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                interrupted.store(true, Ordering::SeqCst);
                is_read = false;
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Content;
    use super::super::response::{Answer, ErrorDocument, ErrorKind as Kind};
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn told(line: Line) -> Response {
        let message = match line.content {
            Content::Text(text) => text.trim().to_owned(),
            other => format!("{other:?}"),
        };
        let answer = Answer::Error(ErrorDocument { kind: Kind::BadInput, message });
        Response { line: line.number, id: None, answer, model: None, model_from: None }
    }

    fn uninterrupted() -> Arc<AtomicBool> {
        Arc::new(AtomicBool::new(false))
    }

    #[test]
    fn answers_come_in_the_order_of_the_lines() {
        let answer = |line: Line| {
            thread::sleep(Duration::from_millis([20, 0, 5, 1][line.number as usize % 4]));
            told(line)
        };
        let input: String = (1..=100).map(|number| format!("{number}\n")).collect();
        for jobs in [1, 4] {
            let mut output = Vec::new();
            let input = std::io::Cursor::new(input.clone().into_bytes());
            let ended = serve(input, &mut output, jobs, &uninterrupted(), answer).unwrap();
            let lines: Vec<serde_json::Value> =
                output.split(|&byte| byte == b'\n').flat_map(serde_json::from_slice).collect();
            let told: Vec<_> = lines
                .iter()
                .map(|line| (line["line"].as_u64().unwrap(), &line["error"]["message"]))
                .collect();
            let expected: Vec<_> = (1..=100).map(|number| (number, number.to_string())).collect();
            assert_eq!(ended, Ended::Complete);
            assert!(
                told.iter()
                    .zip(&expected)
                    .all(|(told, expected)| told.0 == expected.0 && *told.1 == expected.1.as_str())
            );
            assert_eq!(told.len(), expected.len());
        }
    }

    /// An input that counts the lines that are taken from it, and has as many as are wanted.
    struct Endless(Arc<AtomicUsize>);

    impl std::io::Read for Endless {
        fn read(&mut self, _: &mut [u8]) -> Result<usize> {
            unreachable!("lines are read from the buffer")
        }
    }

    impl BufRead for Endless {
        fn fill_buf(&mut self) -> Result<&[u8]> {
            Ok(b"x\n")
        }

        fn consume(&mut self, bytes: usize) {
            assert_eq!(bytes, 2);
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// A reader of answers that goes away after some of them.
    struct Leaving(usize);

    impl Write for Leaving {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or(ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn no_more_is_read_than_the_queues_hold_and_nothing_once_the_reader_is_gone() {
        let taken = Arc::new(AtomicUsize::new(0));
        let interrupted = uninterrupted();
        let ended = serve(Endless(Arc::clone(&taken)), Leaving(10), 2, &interrupted, told).unwrap();
        assert_eq!(ended, Ended::Complete);
        assert!(interrupted.load(Ordering::SeqCst), "running searches hear that the reader is gone");
        // Ten answers, the eleventh that was not heard, what the queue of promises holds, and what the reader has in hand;
        // and as many again while the writer empties the queue.
        let taken = taken.load(Ordering::SeqCst);
        assert!((11..=11 + 2 * (2 * READ_AHEAD + 1)).contains(&taken), "{taken}");
    }

    #[test]
    fn an_interruption_ends_a_stream_that_waits_for_lines() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let interrupted = uninterrupted();
        let flag = Arc::clone(&interrupted);
        let thread =
            thread::spawn(move || serve(std::io::BufReader::new(reader), Vec::new(), 2, &flag, told));
        thread::sleep(Duration::from_millis(100));
        assert!(!thread.is_finished());
        interrupted.store(true, Ordering::SeqCst);
        assert_eq!(thread.join().unwrap().unwrap(), Ended::Complete);
    }
}
