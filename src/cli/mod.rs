//! The command line: one file per subcommand.

mod answered;
mod apply_files;
mod arguments;
mod bench;
mod certificate;
mod check;
mod choices;
mod completions;
mod corpus;
mod exit;
mod explain;
mod export;
mod files;
mod form;
mod format;
mod generate;
mod heuristic;
mod import;
mod input;
mod library;
mod list;
mod manual;
mod oracle;
mod output;
mod pareto;
mod plan;
mod plan_file;
mod progress;
mod repack;
mod replay;
mod replay_bound;
mod report;
mod schema;
mod show;
mod solve;
mod submit;
mod summary;
mod sweep_cases;
mod sweep_methods;
mod terminal;
mod trace;
mod trace_flags;
mod verify;
mod whatif;

pub use arguments::command;
pub use exit::{EXIT_BAD_INPUT, EXIT_INFEASIBLE, EXIT_INTERNAL, EXIT_LIMIT, EXIT_PROVED};

use arguments::{Arguments, Task};
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Runs the command with the given arguments, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let matches = match Arguments::command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version come this way too. A closed pipe is no reason to fail.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { EXIT_BAD_INPUT } else { EXIT_PROVED });
        }
    };
    let arguments = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    let done = match &arguments.task {
        Task::Solve(task) => solve::run(task),
        Task::Pareto(task) => pareto::run(task),
        Task::Plan(task) => plan::run(task),
        Task::Whatif(task) => whatif::run(task),
        Task::Verify(task) => verify::run(task),
        Task::Explain(task) => explain::run(task),
        Task::Heuristic(task) => heuristic::run(task),
        Task::Oracle(task) => oracle::run(task),
        Task::Bench(task) => bench::run(task),
        Task::BenchRow(task) => bench::run_row(task),
        Task::Replay(task) => replay::run(task),
        Task::ReplayBound(task) => replay_bound::run(task),
        Task::Generate(task) => generate::run(task),
        Task::Check(task) => check::run(task),
        Task::Import(task) => import::run(task),
        Task::Export(task) => apply_files::run(task),
        Task::Repack(task) => repack::run(task),
        Task::Show(task) => show::run(task),
        Task::Report(task) => report::run(task),
        Task::Trace(task) => trace::run(task),
        Task::List(task) => list::run(task),
        Task::Corpus(task) => corpus::run(task),
        Task::Library(task) => library::run(task),
        Task::Schema(task) => schema::run(task),
        Task::Completions(task) => completions::run(task),
        Task::Manual(task) => manual::run(task),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            // Unlike `eprintln!` this does not panic when standard error is closed.
            let _ = writeln!(std::io::stderr(), "migopt: {failure}");
            ExitCode::from(failure.code())
        }
    }
}
