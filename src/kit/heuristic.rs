//! What heuristics have in common, whatever the model: each only proposes a solution, the model's verifier decides.

use super::entry::HeuristicEntry;
use super::parameter::ParameterEntry;
use super::unknown::unknown;
use cluster::Placement;

/// A way to propose a solution of a model's problem without proof.
pub trait Heuristic<Problem, Proposal = Placement>: Sync {
    /// Unique kebab-case name, as flags take it.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// Where it comes from.
    fn reference(&self) -> &'static str;

    /// Proposes a solution; the same problem and seed give the same one.
    fn propose(&self, problem: &Problem, seed: u64) -> Proposal;

    /// What can be chosen about it.
    fn parameters(&self) -> Vec<ParameterEntry> {
        Vec::new()
    }

    /// The heuristic that differs from this one in nothing but what is studied, for reports to compare the two.
    fn counterpart(&self) -> Option<&'static str> {
        None
    }

    /// The heuristic with other values of its parameters.
    ///
    /// # Errors
    /// When it has no such parameter, or the parameter no such value; the message says which there are.
    fn with(&self, _values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem, Proposal>>, String> {
        Err(takes_none(self.name()))
    }
}

/// Words for parameters of a heuristic that takes none.
pub fn takes_none(name: &str) -> String {
    format!("the heuristic {name} takes no parameters. Write `{name}`.")
}

/// An entry of a registry of heuristics as it was asked for.
pub enum Chosen<T: ?Sized + 'static> {
    /// One of the registry, as it is there.
    Registered(&'static T),
    /// One with values of its parameters.
    Adjusted(Box<T>),
}

impl<T: ?Sized> std::ops::Deref for Chosen<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Chosen::Registered(entry) => entry,
            Chosen::Adjusted(entry) => entry.as_ref(),
        }
    }
}

/// The heuristic that a text names: `name`, or `name:key=value,key=value`.
///
/// # Errors
/// When there is no such heuristic or parameter, or a value is not allowed; the message lists what there is.
pub fn choose_heuristic<Problem: 'static, Proposal: 'static>(
    heuristics: &[&'static dyn Heuristic<Problem, Proposal>],
    text: &str,
) -> Result<Chosen<dyn Heuristic<Problem, Proposal>>, String> {
    choose(heuristics, text, |entry| entry, |entry, values| entry.with(values))
}

/// The entry that a text names in a registry of heuristics of a certain kind, and how such an entry is adjusted.
///
/// # Errors
/// As [`choose_heuristic`].
pub fn choose<Problem: 'static, Proposal: 'static, T: ?Sized>(
    entries: &[&'static T],
    text: &str,
    heuristic: impl Fn(&'static T) -> &'static dyn Heuristic<Problem, Proposal>,
    adjust: impl Fn(&T, &[(&str, &str)]) -> Result<Box<T>, String>,
) -> Result<Chosen<T>, String> {
    let (name, values) = match text.split_once(':') {
        Some((name, values)) => (name, Some(values)),
        None => (text, None),
    };
    let Some(&entry) = entries.iter().find(|entry| heuristic(entry).name() == name) else {
        let known: Vec<&str> = entries.iter().map(|entry| heuristic(entry).name()).collect();
        return Err(unknown(name, "a heuristic", "Heuristics", &known));
    };
    let Some(values) = values else { return Ok(Chosen::Registered(entry)) };
    let parameters = heuristic(entry).parameters();
    if parameters.is_empty() {
        return Err(takes_none(name));
    }
    let mut pairs = Vec::new();
    for pair in values.split(',') {
        let (key, value) = pair.split_once('=').ok_or_else(|| {
            let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            format!("\"{pair}\" is not KEY=VALUE. Write `{name}:{}=VALUE`.", known.join("=VALUE,"))
        })?;
        pairs.push((key.trim(), value.trim()));
    }
    adjust(entry, &pairs).map(Chosen::Adjusted)
}

/// What lists say of the heuristics.
pub fn heuristic_entries<Problem, Proposal>(
    heuristics: &[&'static dyn Heuristic<Problem, Proposal>],
) -> Vec<HeuristicEntry> {
    let entry = |heuristic: &&'static dyn Heuristic<Problem, Proposal>| HeuristicEntry {
        name: heuristic.name(),
        summary: heuristic.summary(),
        reference: heuristic.reference(),
        parameters: heuristic.parameters(),
        counterpart: heuristic.counterpart(),
    };
    heuristics.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::{Parameter, assign, no_choices, parameter_entries, whole};

    /// Proposes nothing for so many workloads.
    #[derive(Clone, Copy)]
    struct Idle {
        times: u32,
    }

    const PARAMETERS: &[Parameter<Idle>] = &[Parameter {
        name: "times",
        summary: "how often",
        choices: no_choices,
        get: |idle| Some(idle.times.to_string()),
        set: |idle, text| whole(text, 0..=9).map(|times| idle.times = times),
    }];

    impl Heuristic<()> for Idle {
        fn name(&self) -> &'static str {
            "idle"
        }

        fn summary(&self) -> &'static str {
            "proposes nothing"
        }

        fn reference(&self) -> &'static str {
            "none"
        }

        fn propose(&self, (): &(), _seed: u64) -> Placement {
            Placement::new(vec![None; self.times as usize])
        }

        fn parameters(&self) -> Vec<ParameterEntry> {
            parameter_entries(PARAMETERS, self)
        }

        fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<()>>, String> {
            let mut adjusted = *self;
            assign(self.name(), PARAMETERS, &mut adjusted, values)?;
            Ok(Box::new(adjusted))
        }
    }

    const ALL: &[&dyn Heuristic<()>] = &[&Idle { times: 1 }];

    #[test]
    fn a_text_chooses_heuristic_and_parameters() {
        let length = |text: &str| choose_heuristic(ALL, text).map(|chosen| chosen.propose(&(), 0).len());
        assert_eq!(length("idle"), Ok(1));
        assert_eq!(length("idle:times=3"), Ok(3));
        let wrong = [
            ("idel", "\"idel\" is not a heuristic (did you mean \"idle\"?). Heuristics: idle."),
            (
                "idle:tims=3",
                "\"tims\" is not a parameter of idle (did you mean \"times\"?). Parameters: times.",
            ),
            ("idle:3", "\"3\" is not KEY=VALUE. Write `idle:times=VALUE`."),
            ("idle:times=1,times=2", "the parameter times of idle is given twice. Keep one."),
            ("idle:times=often", "the value of times is \"often\". Give a whole number from 0 to 9."),
        ];
        for (text, complaint) in wrong {
            assert_eq!(length(text), Err(complaint.to_owned()));
        }
    }
}
