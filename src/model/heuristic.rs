//! What heuristics have in common, whatever the model: each only proposes a solution, the model's verifier decides.

use super::entry::{HeuristicEntry, ParameterEntry, unknown};
use crate::cluster::Placement;

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
    fn parameters(&self) -> &'static [ParameterEntry] {
        &[]
    }

    /// The heuristic that differs from this one in nothing but what is studied, for reports to compare the two.
    fn counterpart(&self) -> Option<&'static str> {
        None
    }

    /// The heuristic with other values of its parameters, each of them named at most once and one of
    /// [`parameters`](Heuristic::parameters).
    ///
    /// # Errors
    /// When a value is not allowed; the message says which are.
    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem, Proposal>>, String> {
        unreachable!("{} has no parameters, but is given {values:?}", self.name())
    }
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
    match values {
        None => Ok(Chosen::Registered(entry)),
        Some(values) => {
            let values = assignments(name, heuristic(entry).parameters(), values)?;
            adjust(entry, &values).map(Chosen::Adjusted)
        }
    }
}

/// Keys and values of `key=value,key=value`, each key one of the parameters and given once.
fn assignments<'v>(
    name: &str,
    parameters: &[ParameterEntry],
    values: &'v str,
) -> Result<Vec<(&'v str, &'v str)>, String> {
    let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    if known.is_empty() {
        return Err(format!("the heuristic {name} takes no parameters. Write `{name}`."));
    }
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for pair in values.split(',') {
        let (key, value) = pair.split_once('=').ok_or_else(|| {
            format!("\"{pair}\" is not KEY=VALUE. Write `{name}:{}=VALUE`.", known.join("=VALUE,"))
        })?;
        let (key, value) = (key.trim(), value.trim());
        if !known.contains(&key) {
            return Err(unknown(key, &format!("a parameter of {name}"), "Parameters", &known));
        }
        if pairs.iter().any(|&(earlier, _)| earlier == key) {
            return Err(format!("the parameter {key} of {name} is given twice. Keep one."));
        }
        pairs.push((key, value));
    }
    Ok(pairs)
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

    /// Proposes nothing, as often as it is told.
    struct Idle(u32);

    impl Heuristic<()> for Idle {
        fn name(&self) -> &'static str {
            "idle"
        }

        fn summary(&self) -> &'static str {
            "proposes nothing"
        }

        fn reference(&self) -> &'static str {
            "nobody"
        }

        fn propose(&self, (): &(), _seed: u64) -> Placement {
            Placement::new(vec![None; self.0 as usize])
        }

        fn parameters(&self) -> &'static [ParameterEntry] {
            &[ParameterEntry { name: "times", summary: "how often; 1" }]
        }

        fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<()>>, String> {
            let times = values[0].1.parse().map_err(|_| "`times` is a whole number".to_owned())?;
            Ok(Box::new(Idle(times)))
        }
    }

    const ALL: &[&dyn Heuristic<()>] = &[&Idle(1)];

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
            ("idle:times=often", "`times` is a whole number"),
        ];
        for (text, complaint) in wrong {
            assert_eq!(length(text), Err(complaint.to_owned()));
        }
    }
}
