//! The methods of a sweep.

use super::arguments::BenchArguments;
use super::choices::ALL_HEURISTICS;
use super::exit::Failure;
use bench::{Case, Method, Planned};
use itertools::Itertools;
use models::Model;
use solver::Effort;
use solvers::solvers;

/// The methods asked for, each once for every model, in the order given; beside instances of the library what it knows comes first. One that
/// only some of the models have runs for these.
pub fn methods(task: &BenchArguments, cases: &[Case], effort: &Effort) -> Result<Vec<Planned>, Failure> {
    let models: Vec<&'static dyn Model> =
        cases.iter().map(|case| case.model).unique_by(|model| model.name()).collect();
    let planned = |model, method| Planned::new(model, method, effort, task.memory_limit);
    let listed = joined(&task.methods);
    let asked = listed.iter().map(|text| ("--methods", text));
    let asked: Vec<_> = asked.chain(task.method.iter().map(|text| ("--method", text))).collect();
    let of_all = |methods: fn(&'static dyn Model) -> Vec<Method>| -> Vec<(&'static dyn Model, Method)> {
        models
            .iter()
            .flat_map(|&model| methods(model).into_iter().map(move |method| (model, method)))
            .collect()
    };
    let with_library = task.library.is_some();
    let mut found = if with_library { of_all(|_| vec![Method::Library]) } else { Vec::new() };
    if asked.is_empty() {
        found.extend(of_all(if with_library { Method::heuristics } else { Method::usual }));
    }
    for (flag, text) in asked {
        if text == ALL_HEURISTICS {
            found.extend(of_all(Method::heuristics));
            continue;
        }
        let named =
            |model| Method::named(model, text, effort.solver, solvers()).map(|method| (model, method));
        let named = models.iter().copied().map(named);
        let (known, refused): (Vec<_>, Vec<_>) = named.partition_result();
        match refused.into_iter().next() {
            Some(message) if known.is_empty() => return Err(Failure::of_flag(flag)(message)),
            _ => found.extend(known),
        }
    }
    let each_once = found.into_iter().unique_by(|(model, method)| (model.name(), method.clone()));
    Ok(each_once.map(|(model, method)| planned(model, method)).collect())
}

/// The methods of a list, in which a comma separates methods and options alike: `KEY=VALUE` continues the options before it.
fn joined(pieces: &[String]) -> Vec<String> {
    let mut methods: Vec<String> = Vec::new();
    for piece in pieces {
        let continues = piece.contains('=') && !piece.contains(':');
        match methods.last_mut().filter(|last| continues && last.contains(':')) {
            Some(last) => *last += &format!(",{piece}"),
            None => methods.push(piece.clone()),
        }
    }
    methods
}
