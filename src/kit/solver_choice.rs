//! What a user chooses about a solver's own search, checked.

use super::unknown::unknown;
use solver::{Solver, Solvers};

/// The solver of a name.
///
/// # Errors
/// When there is none; the message lists those that there are.
pub fn solver_named(solvers: Solvers, name: &str) -> Result<&'static dyn Solver, String> {
    solvers.iter().copied().find(|solver| solver.name() == name).ok_or_else(|| {
        let known: Vec<&str> = solvers.iter().map(|solver| solver.name()).collect();
        unknown(name, "a solver of this build", "Solvers", &known)
    })
}

/// The options of a solver that texts of the form `NAME=VALUE` choose, the last one of a name.
///
/// # Errors
/// When the solver has no such option, when it would not leave answers exact, or when it has no such value.
pub fn solver_options<'t>(
    solver: &dyn Solver,
    texts: impl IntoIterator<Item = &'t str>,
) -> Result<Vec<(String, String)>, String> {
    let mut chosen: Vec<(String, String)> = Vec::new();
    for text in texts {
        let Some((name, value)) = text.split_once('=') else {
            return Err(format!("\"{text}\" is not NAME=VALUE, such as presolve=off."));
        };
        let (name, value) = (name.trim(), value.trim());
        check(solver, name, value)?;
        chosen.retain(|(other, _)| other != name);
        chosen.push((name.to_owned(), value.to_owned()));
    }
    Ok(chosen)
}

fn check(solver: &dyn Solver, name: &str, value: &str) -> Result<(), String> {
    let options = solver.options();
    if let Some((_, reason)) = options.refused.iter().find(|(refused, _)| *refused == name) {
        return Err(format!("{name} of {} cannot be chosen: {reason}.", solver.name()));
    }
    let Some(option) = options.allowed.iter().find(|option| option.name == name) else {
        let known: Vec<&str> = options.allowed.iter().map(|option| option.name).collect();
        let kind = format!("an option of {} that leaves its answers exact", solver.name());
        return Err(unknown(name, &kind, "Options", &known));
    };
    option.values.check(value).map_err(|values| format!("{name} cannot be \"{value}\". Values: {values}."))
}

/// The seed of a solver, as its settings have it.
///
/// # Errors
/// When it is too large.
pub fn solver_seed(seed: u64) -> Result<u32, String> {
    const MOST: u32 = i32::MAX as u32;
    let small = u32::try_from(seed).ok().filter(|&seed| seed <= MOST);
    small.ok_or_else(|| format!("the seed of a solver is at most {MOST}, found {seed}."))
}
