//! `migopt oracle`.

use super::arguments::OracleArguments;
use super::exit::{EXIT_LIMIT, EXIT_PROVED, Failure};
use super::progress::interruption;
use crate::oracle::{Defaults, Ended, answer, serve, warm_up};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use std::io::{BufReader, stdin, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub fn run(task: &OracleArguments) -> Result<u8, Failure> {
    let interrupted =
        interruption("migopt: stopping; requests already read are answered with the best solution so far");
    let defaults = Defaults {
        model: task.model,
        formulation: task.solver.formulation.clone(),
        effort: task.solver.effort()?,
    };
    let flag = Arc::clone(&interrupted);
    let answer = move |line| answer(line, &defaults, &flag);
    warm_up();
    watch_reader(Arc::clone(&interrupted));
    match serve(BufReader::new(stdin()), stdout(), task.jobs.into(), &interrupted, answer) {
        Ok(Ended::Complete) => Ok(EXIT_PROVED),
        Ok(Ended::CutShort) => Ok(EXIT_LIMIT),
        Err(error) => Err(Failure::Internal(format!("the stream of requests and answers broke: {error}"))),
    }
}

/// Stops running searches once their answers cannot be read any more, which otherwise only the next answer would notice.
fn watch_reader(interrupted: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let stdout = stdout();
        // No event is asked for: poll reports a closed other end in any case.
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        let polled = retry_on_intr(|| poll(&mut watched, None));
        if polled.is_ok() && watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            interrupted.store(true, Ordering::SeqCst);
        }
    });
}
