//! Work in a process of its own, for libraries that can neither be interrupted nor be kept from aborting.

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitStatus;

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

impl Ending {
    fn died(status: ExitStatus) -> Self {
        Ending::Died(status.to_string())
    }
}

/// Runs work in a copy of this process and returns the bytes that it returns there.
///
/// Whatever else the work changes in memory is lost with the copy. The copy has one thread, the one that calls: the work must not
/// wait for another thread, nor take a lock that another one may hold during the call.
///
/// # Errors
/// When there is no room for another process or another pipe.
pub(super) fn isolated(
    is_interrupted: impl Fn() -> bool,
    work: impl FnOnce() -> Vec<u8>,
) -> io::Result<Ending> {
    let (mut reader, writer) = io::pipe()?;
    let mut child = Child::fork(|| send(writer, &work()))?;
    let mut received = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        if let Some(bytes) = message(&received) {
            return Ok(Ending::Finished(bytes.to_vec()));
        }
        if is_readable(&reader) {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(Ending::died(child.wait(0)?.unwrap_or_default())),
                Ok(length) => received.extend_from_slice(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        } else if is_interrupted() {
            return Ok(Ending::Interrupted);
        } else if let Some(status) = child.status {
            // Nothing came after the death: other children of this process may keep the pipe open, but none of them writes to it.
            return Ok(Ending::died(status));
        } else {
            child.wait(libc::WNOHANG)?;
        }
    }
}

/// Sends bytes after their number.
fn send(mut writer: PipeWriter, bytes: &[u8]) -> io::Result<()> {
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

    /// How the process ended; with `WNOHANG`, nothing while it runs.
    fn wait(&mut self, flags: libc::c_int) -> io::Result<Option<ExitStatus>> {
        if self.status.is_some() {
            return Ok(self.status);
        }
        let mut status = 0;
        // SAFETY: the process is a child that has not been waited for, and `status` is there.
        match unsafe { libc::waitpid(self.id, &raw mut status, flags) } {
            0 => Ok(None),
            -1 => Err(io::Error::last_os_error()),
            _ => {
                self.status = Some(ExitStatus::from_raw(status));
                Ok(self.status)
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.status.is_none() {
            // SAFETY: the process is a child that has not been waited for, so that its number is still its own.
            unsafe { libc::kill(self.id, libc::SIGKILL) };
            let _ = self.wait(0);
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

    #[test]
    fn more_bytes_arrive_than_a_pipe_holds() {
        let bytes: Vec<u8> = (0..1_000_000u32).map(|number| (number % 251) as u8).collect();
        assert_eq!(isolated(never, || bytes.clone()).unwrap(), Ending::Finished(bytes));
        assert_eq!(isolated(never, Vec::new).unwrap(), Ending::Finished(Vec::new()));
    }

    #[test]
    fn what_the_work_changes_is_lost() {
        let mut count = 0;
        let ending = isolated(never, || {
            count += 1;
            vec![count]
        });
        assert_eq!(ending.unwrap(), Ending::Finished(vec![1]));
        assert_eq!(count, 0);
    }

    #[test]
    fn an_abort_and_a_panic_cost_the_copy_alone() {
        let Ending::Died(cause) = isolated(never, || std::process::abort()).unwrap() else { panic!() };
        assert!(cause.contains("SIGABRT"), "{cause}");
        let Ending::Died(cause) = isolated(never, || panic!("of the copy")).unwrap() else { panic!() };
        assert_eq!(cause, "exit status: 1");
    }

    #[test]
    fn an_interruption_ends_the_copy() {
        let started = Instant::now();
        let asked = || started.elapsed() > Duration::from_millis(100);
        let ending = isolated(asked, || {
            thread::sleep(Duration::from_secs(600));
            Vec::new()
        });
        assert_eq!(ending.unwrap(), Ending::Interrupted);
        assert!(started.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_pipe_that_others_keep_open_may_be_closed_after_the_death() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut child = Child::fork(|| {
            drop(writer);
            Err(ErrorKind::Other.into())
        })
        .unwrap();
        assert_eq!(reader.read(&mut [0]).unwrap(), 0);
        let status = child.wait(0).unwrap();
        assert_eq!(status.and_then(|status| status.code()), Some(1));
        assert_eq!(child.wait(0).unwrap(), status);
        assert_eq!(child.wait(libc::WNOHANG).unwrap(), status);
    }

    #[test]
    fn copies_of_several_threads_do_not_wait_for_each_other() {
        thread::scope(|scope| {
            for number in 0..8u8 {
                scope.spawn(move || {
                    for round in 0..20 {
                        let ending = isolated(never, || match round % 4 {
                            3 => std::process::abort(),
                            _ => vec![number, round],
                        });
                        match (round % 4, ending.unwrap()) {
                            (3, Ending::Died(_)) => {}
                            (_, ending) => assert_eq!(ending, Ending::Finished(vec![number, round])),
                        }
                    }
                });
            }
        });
    }
}
