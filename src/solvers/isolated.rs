//! Work in a process of its own, for libraries that can neither be interrupted nor be kept from aborting.

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

/// How long the parent waits for bytes before it looks after the user and the child, in milliseconds.
const LOOK_EVERY: libc::c_int = 20;

/// How isolated work ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With these bytes.
    Finished(Vec<u8>),
    /// By the user, before it was finished.
    Interrupted,
    /// With the death of its process, such as `signal: 6 (SIGABRT)`.
    Died(String),
}

/// A copy of this process that answers one request after the other; what the work leaves in its memory stays there.
///
/// It has one thread, that of the start: the work must not wait for another thread, nor take a lock that another one may hold then.
/// It ends with this value, or with the thread that started it.
pub(super) struct Worker {
    child: Child,
    requests: PipeWriter,
    answers: PipeReader,
}

impl Worker {
    /// Starts a copy that answers the bytes of each request with others.
    ///
    /// # Errors
    /// When there is no room for another process or other pipes.
    pub(super) fn start(mut work: impl FnMut(&[u8]) -> Vec<u8>) -> io::Result<Self> {
        // One at a time, so that no other copy is made that keeps the ends of this one open.
        static STARTING: Mutex<()> = Mutex::new(());
        let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut reader, requests) = io::pipe()?;
        let (answers, mut writer) = io::pipe()?;
        let mut own = Some((requests, answers));
        let child = Child::fork(|| {
            // The copy does not keep itself waiting for requests when this process is gone.
            own = None;
            loop {
                let request = receive(&mut reader)?;
                send(&mut writer, &work(&request))?;
            }
        })?;
        drop((reader, writer));
        let (requests, answers) = own.expect("only the copy drops them");
        Ok(Worker { child, requests, answers })
    }

    /// Sends a request and waits for its answer. After any other ending the worker is of no more use.
    ///
    /// # Errors
    /// When the system cannot say how the copy ended.
    pub(super) fn ask(&mut self, request: &[u8], is_interrupted: impl Fn() -> bool) -> io::Result<Ending> {
        // A copy that has died reads nothing; how it died is found below.
        let _ = send(&mut self.requests, request);
        let mut received = Vec::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            if let Some(bytes) = message(&received) {
                return Ok(Ending::Finished(bytes.to_vec()));
            }
            if is_readable(&self.answers) {
                match self.answers.read(&mut buffer) {
                    Ok(0) => return Ok(Ending::Died(self.child.wait()?.to_string())),
                    Ok(length) => received.extend_from_slice(&buffer[..length]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            } else if is_interrupted() {
                return Ok(Ending::Interrupted);
            }
        }
    }
}

/// Receives in the copy what was sent.
fn receive(reader: &mut PipeReader) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    reader.read_exact(&mut length)?;
    let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Sends bytes after their number.
fn send(writer: &mut PipeWriter, bytes: &[u8]) -> io::Result<()> {
    writer.write_all(&(bytes.len() as u64).to_le_bytes())?;
    writer.write_all(bytes)
}

/// The bytes that were sent, once all are there.
fn message(received: &[u8]) -> Option<&[u8]> {
    let (length, bytes) = received.split_first_chunk()?;
    (bytes.len() as u64 == u64::from_le_bytes(*length)).then_some(bytes)
}

/// Waits a moment for bytes, or for the end of them.
fn is_readable(reader: &PipeReader) -> bool {
    let mut descriptor = libc::pollfd { fd: reader.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the descriptor is open, and one record is passed.
    unsafe { libc::poll(&raw mut descriptor, 1, LOOK_EVERY) > 0 }
}

/// A process that ends with this value at the latest.
struct Child {
    id: libc::pid_t,
    /// How it ended, once it was waited for: its number may be that of another process from then on.
    status: Option<ExitStatus>,
}

impl Child {
    /// Starts a copy of this process that works and ends.
    fn fork(work: impl FnOnce() -> io::Result<()>) -> io::Result<Self> {
        // A key that is pressed interrupts the parent, which decides what becomes of the child.
        let _blocked = BlockedSignals::new(&[libc::SIGHUP, libc::SIGINT, libc::SIGTERM]);
        // SAFETY: what C buffers is written before, so that the copy has none of it. The copy runs the work, which by contract
        // waits for no thread and no lock of others, and never returns; the C libraries of Linux and macOS allow allocation in it.
        match unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::fork()
        } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                #[cfg(target_os = "linux")]
                // SAFETY: the call takes numbers alone.
                unsafe {
                    libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                }
                let is_done = catch_unwind(AssertUnwindSafe(work)).is_ok_and(|sent| sent.is_ok());
                // SAFETY: the process ends at once; nothing of the parent's is run on the way.
                unsafe { libc::_exit(i32::from(!is_done)) }
            }
            id => Ok(Child { id, status: None }),
        }
    }

    /// Waits for the end of the process.
    fn wait(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        let mut status = 0;
        // SAFETY: the process is a child that has not been waited for, and `status` is there.
        if unsafe { libc::waitpid(self.id, &raw mut status, 0) } == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(*self.status.insert(ExitStatus::from_raw(status)))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.status.is_none() {
            // SAFETY: the process is a child that has not been waited for, so that its number is still its own.
            unsafe { libc::kill(self.id, libc::SIGKILL) };
            let _ = self.wait();
        }
    }
}

/// Signals that do not reach the calling thread, nor its copies, for a while.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn new(signals: &[libc::c_int]) -> Self {
        // SAFETY: an all-zero set of signals is a value, and both sets are there.
        unsafe {
            let (mut set, mut before): (libc::sigset_t, libc::sigset_t) =
                (std::mem::zeroed(), std::mem::zeroed());
            libc::sigemptyset(&raw mut set);
            for &signal in signals {
                libc::sigaddset(&raw mut set, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before);
            BlockedSignals(before)
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the set was filled in by the system.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    fn never() -> bool {
        false
    }

    /// A copy that answers each request with one byte more than it has: how many requests there were before.
    fn counting() -> Worker {
        let mut count = 0;
        Worker::start(move |request| {
            if request == b"abort" {
                std::process::abort();
            }
            assert_ne!(request, b"panic");
            count += 1;
            [request, &[count - 1]].concat()
        })
        .unwrap()
    }

    #[test]
    fn more_bytes_go_and_come_than_a_pipe_holds() {
        let bytes: Vec<u8> = (0..1_000_000u32).map(|number| (number % 251) as u8).collect();
        let mut worker = counting();
        for count in 0..3 {
            let expected = [&bytes[..], &[count]].concat();
            assert_eq!(worker.ask(&bytes, never).unwrap(), Ending::Finished(expected));
        }
        let mut silent = Worker::start(|_| Vec::new()).unwrap();
        assert_eq!(silent.ask(&[], never).unwrap(), Ending::Finished(Vec::new()));
    }

    #[test]
    fn what_the_work_changes_is_there_in_the_copy_alone() {
        let mut count = 0;
        let mut work = |_: &[u8]| {
            count += 1;
            vec![count]
        };
        for _ in 0..2 {
            let mut worker = Worker::start(&mut work).unwrap();
            for expected in 1..4 {
                assert_eq!(worker.ask(&[], never).unwrap(), Ending::Finished(vec![expected]));
            }
        }
        assert_eq!(count, 0);
    }

    #[test]
    fn an_abort_and_a_panic_cost_the_copy_alone() {
        for (request, expected) in [(b"abort", "SIGABRT"), (b"panic", "exit status: 1")] {
            let mut worker = counting();
            assert_eq!(worker.ask(b"1", never).unwrap(), Ending::Finished(b"1\0".to_vec()));
            // The dead answer nothing more, however much they are asked.
            for request in [&request[..], b"1", &[0; 1_000_000]] {
                let Ending::Died(cause) = worker.ask(request, never).unwrap() else { panic!() };
                assert!(cause.contains(expected), "{cause}");
            }
        }
    }

    #[test]
    fn an_interruption_ends_the_copy() {
        let started = Instant::now();
        let asked = || started.elapsed() > Duration::from_millis(100);
        let mut worker = Worker::start(|_| {
            thread::sleep(Duration::from_secs(600));
            Vec::new()
        })
        .unwrap();
        assert_eq!(worker.ask(&[], asked).unwrap(), Ending::Interrupted);
        drop(worker);
        assert!(started.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_copy_ends_when_nobody_can_ask_it_any_more() {
        let Worker { mut child, requests, answers } = counting();
        let later = counting();
        drop((requests, answers));
        // The later copy has the ends of the earlier one.
        drop(later);
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }

    #[test]
    fn copies_of_several_threads_do_not_wait_for_each_other() {
        thread::scope(|scope| {
            for number in 0..8u8 {
                scope.spawn(move || {
                    for round in 0..20 {
                        let mut worker = counting();
                        if round % 4 == 3 {
                            assert!(matches!(worker.ask(b"abort", never).unwrap(), Ending::Died(_)));
                        } else {
                            let expected = Ending::Finished(vec![number, round, 0]);
                            assert_eq!(worker.ask(&[number, round], never).unwrap(), expected);
                        }
                    }
                });
            }
        });
    }
}
