//! Programs as text.

use milp::Program;
use solvers::write_program;

/// A program as an LP file, with the goal of one of its stages or, without a name, of all of them.
pub fn lp(program: &Program, stage: Option<&str>) -> String {
    let directory = tempfile::tempdir().expect("a directory for a while");
    let path = directory.path().join("program.lp");
    write_program(program, stage, &[], &path).expect("the program can be written");
    let text = std::fs::read_to_string(path).expect("it was just written");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
