//! `migopt completions`.

use super::arguments::{CompletionsArguments, command};
use super::exit::{EXIT_PROVED, Failure};
use super::output::print;

pub fn run(task: &CompletionsArguments) -> Result<u8, Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(task.shell, &mut command(), "migopt", &mut bytes);
    print(&String::from_utf8_lossy(&bytes))?;
    Ok(EXIT_PROVED)
}
