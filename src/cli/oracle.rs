//! `migopt oracle`.

use super::arguments::OracleArguments;
use super::exit::{EXIT_LIMIT, EXIT_PROVED, Failure};
use super::progress::interruption;
use crate::oracle::{Defaults, Ended, answer, serve, warm_up};
use std::io::{BufReader, stdin, stdout};
use std::sync::Arc;
use std::time::Duration;

pub fn run(task: &OracleArguments) -> Result<u8, Failure> {
    let interrupted = interruption("migopt: answering what was read with the best so far");
    let defaults = Defaults {
        model: task.model,
        formulation: task.solver.formulation.clone(),
        solver: task.solver.solver.clone(),
        time_limit: task.solver.time_limit.map(Duration::from_secs_f64),
        threads: task.solver.threads,
    };
    let flag = Arc::clone(&interrupted);
    let answer = move |line| answer(line, &defaults, &flag);
    warm_up();
    match serve(BufReader::new(stdin()), stdout(), task.jobs.into(), &interrupted, answer) {
        Ok(Ended::Complete) => Ok(EXIT_PROVED),
        Ok(Ended::CutShort) => Ok(EXIT_LIMIT),
        Err(error) => Err(Failure::Internal(format!("the stream of requests and answers breaks: {error}"))),
    }
}
