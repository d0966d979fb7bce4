//! Solving to proved optimality as a method, in the usual way or in a certain one: `optimum:solver=cbc,formulation=printed`.

use ground::did_you_mean;
use itertools::Itertools;
use kit::{
    FormulationEntry, Parameter, SolveOptions, WarmStart, assign, no_choices, solver_named, solver_options,
    solver_seed, whole,
};
use models::Model;
use solver::{Effort, Settings, Solver, Solvers};
use std::hash::{Hash, Hasher};

/// The parameter that chooses an option of the solver's own, as the flag of this name does.
const SOLVER_OPTION: &str = "solver-option";

/// The name of the proved optimum by the formulation that suits the instance.
pub const OPTIMUM: &str = "optimum";

/// A way to solve. Two are the same if they are written alike.
#[derive(Clone)]
pub struct Exact {
    text: String,
    model: &'static dyn Model,
    /// The solvers that may be named.
    solvers: Solvers,
    /// The formulation; none is that which suits the instance.
    formulation: Option<FormulationEntry>,
    /// The solver; none is that of the sweep.
    solver: Option<&'static dyn Solver>,
    /// Threads; none are those of the sweep.
    threads: Option<u32>,
    /// Seed of the solver; none is that of the sweep.
    seed: Option<u32>,
    /// Options of the solver's own, by its names for them.
    options: Vec<(String, String)>,
    /// The heuristic to start from.
    warm_start: Option<String>,
}

/// What can be chosen about solving.
const OPTIONS: &[Parameter<Exact>] = &[
    Parameter {
        name: "formulation",
        summary: "how to write the problem as a program",
        choices: no_choices,
        get: |exact| exact.formulation.map(|entry| entry.name.to_owned()),
        set: |exact, name| exact.model.formulation_named(name).map(|entry| exact.formulation = Some(entry)),
    },
    Parameter {
        name: "seed",
        summary: "seed of the solver's own tie-breaking",
        choices: no_choices,
        get: |exact| exact.seed.map(|seed| seed.to_string()),
        set: |exact, text| solver_seed(whole(text, 0..=u64::MAX)?).map(|seed| exact.seed = Some(seed)),
    },
    Parameter {
        name: "solver",
        summary: "which solver works",
        choices: no_choices,
        get: |exact| exact.solver.map(|solver| solver.name().to_owned()),
        set: |exact, name| solver_named(exact.solvers, name).map(|solver| exact.solver = Some(solver)),
    },
    Parameter {
        name: "threads",
        summary: "threads of the solver",
        choices: no_choices,
        get: |exact| exact.threads.map(|threads| threads.to_string()),
        set: |exact, text| whole(text, 1..=256).map(|threads| exact.threads = Some(threads)),
    },
    Parameter {
        name: "warm-start",
        summary: "heuristic whose solution the solver starts from",
        choices: no_choices,
        get: |exact| exact.warm_start.clone(),
        set: |exact, name| {
            exact.model.check_heuristic(name).map(|()| exact.warm_start = Some(name.to_owned()))
        },
    },
];

impl Exact {
    /// The usual way.
    pub fn optimum(model: &'static dyn Model) -> Self {
        let text = OPTIMUM.to_owned();
        let options = Vec::new();
        Exact {
            text,
            model,
            solvers: &[],
            formulation: None,
            solver: None,
            threads: None,
            seed: None,
            options,
            warm_start: None,
        }
    }

    /// The way that a text names, `NAME` or `NAME:KEY=VALUE,...`, where the name stands for a formulation or for none. Keys are
    /// those of `OPTIONS`, `SOLVER_OPTION`, and options of the solver's own by their names; of `solvers`, `usual` works where no other one
    /// is named.
    ///
    /// # Errors
    /// When there is no such option, or it has no such value; the message lists what there is.
    pub fn named(
        model: &'static dyn Model,
        formulation: Option<FormulationEntry>,
        text: &str,
        usual: &'static dyn Solver,
        solvers: Solvers,
    ) -> Result<Self, String> {
        let mut exact = Exact { text: text.to_owned(), formulation, solvers, ..Exact::optimum(model) };
        let Some((name, values)) = text.split_once(':') else { return Ok(exact) };
        let mut pairs = Vec::new();
        for pair in values.split(',') {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| format!("\"{pair}\" is not KEY=VALUE. Write `{name}:{}`.", Self::form()))?;
            pairs.push((key.trim(), value.trim()));
        }
        if formulation.is_some() && pairs.iter().any(|(key, _)| *key == "formulation") {
            return Err(format!("\"{text}\" names two formulations. Write `{OPTIMUM}:formulation=NAME`."));
        }
        let (own, others): (Vec<_>, Vec<_>) =
            pairs.into_iter().partition(|(key, _)| OPTIONS.iter().any(|option| option.name == *key));
        assign(name, OPTIONS, &mut exact, &own)?;
        exact.options = options_of(exact.solver.unwrap_or(usual), name, &others)?;
        Ok(exact)
    }

    fn form() -> String {
        parameters().iter().map(|name| format!("{name}=VALUE")).join(",")
    }

    /// The effort of this way where the usual one is given.
    pub fn effort(&self, usual: &Effort) -> Effort {
        let solver = self.solver.unwrap_or(usual.solver);
        let threads = self.threads.unwrap_or(usual.settings.threads);
        let seed = self.seed.unwrap_or(usual.settings.seed);
        let options = self.options.clone();
        let settings = Settings { threads, seed, options, ..usual.settings.clone() };
        Effort { solver, settings, ..usual.clone() }
    }

    /// How to solve in this way where the usual effort is given.
    pub fn solve_options(&self, usual: &Effort) -> SolveOptions {
        SolveOptions {
            formulation: self.formulation,
            warm_start: self.warm_start.clone().map(WarmStart::Heuristic),
            ..SolveOptions::new(self.effort(usual))
        }
    }
}

/// The names of the parameters that every solver has.
fn parameters() -> Vec<&'static str> {
    OPTIONS.iter().map(|option| option.name).chain([SOLVER_OPTION]).sorted().collect()
}

/// The options of a solver's own that pairs choose: by name, or as the value of [`SOLVER_OPTION`].
fn options_of(
    solver: &'static dyn Solver,
    owner: &str,
    pairs: &[(&str, &str)],
) -> Result<Vec<(String, String)>, String> {
    let known = solver.options();
    let is_known = |key: &str| {
        known.allowed.iter().any(|option| option.name == key)
            || known.refused.iter().any(|(refused, _)| *refused == key)
    };
    let mut texts: Vec<String> = Vec::new();
    for &(key, value) in pairs {
        let text = match key {
            SOLVER_OPTION => value.to_owned(),
            _ if is_known(key) => format!("{key}={value}"),
            _ => {
                let names = parameters();
                let allowed = known.allowed.iter().map(|option| option.name);
                let guess = did_you_mean(key, names.iter().copied().chain(allowed));
                return Err(format!(
                    "\"{key}\" is not a parameter of {owner}{guess}. Parameters: {}, and the options of {} (`migopt list solvers`).",
                    names.join(", "),
                    solver.name()
                ));
            }
        };
        let option = text.split('=').next().unwrap_or_default();
        if texts.iter().any(|other| other.split('=').next() == Some(option)) {
            return Err(format!("the option {option} of {} is given twice. Keep one.", solver.name()));
        }
        texts.push(text);
    }
    solver_options(solver, texts.iter().map(String::as_str))
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Exact {}

impl Hash for Exact {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl std::fmt::Debug for Exact {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::fmt::Display for Exact {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.text)
    }
}
