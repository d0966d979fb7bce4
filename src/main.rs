//! The `migopt` command.

fn main() -> std::process::ExitCode {
    migopt::cli::run(std::env::args_os())
}
