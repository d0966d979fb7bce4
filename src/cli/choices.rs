//! Flags made from data: of settings, of parameters of generators, and of types whose values have names.

use bench::LIBRARY;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use ground::capitalised;
use itertools::Itertools;
use kit::{ChoiceEntry, Choices, Overrides, ParameterEntry};
use models::{MODELS, models_with, setting_help, settings};
use replay::{OPTIMAL, online_policies};
use std::ffi::OsStr;

/// What stands for all heuristics of a model among the methods of a sweep.
pub const ALL_HEURISTICS: &str = "heuristics";

/// Reads the value of a name.
pub fn choice<T: Choices + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::entries().into_iter().map(possible)).try_map(|name| T::named(&name))
}

fn possible(entry: ChoiceEntry) -> PossibleValue {
    let value = PossibleValue::new(entry.name);
    if entry.help.is_empty() { value } else { value.help(entry.help) }
}

/// Reads any text; shells offer these names, each with words about it.
#[derive(Clone)]
pub struct Suggestions(fn() -> Vec<(&'static str, &'static str)>);

impl TypedValueParser for Suggestions {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(|(name, help)| PossibleValue::new(name).help(help))))
    }
}

/// Names of heuristics.
pub fn heuristic_names() -> Suggestions {
    Suggestions(|| {
        let entries = MODELS.iter().flat_map(|model| model.heuristics());
        entries.map(|entry| (entry.name, entry.summary)).unique_by(|(name, _)| *name).collect()
    })
}

/// Names of policies of replays.
pub fn policy_names() -> Suggestions {
    Suggestions(|| {
        let online = online_policies();
        let others = (heuristic_names().0)().into_iter().filter(move |(name, _)| online.contains(name));
        others
            .chain([(OPTIMAL, "the program of model siavashi, solved whenever virtual machines arrive")])
            .collect()
    })
}

/// Names of formulations.
pub fn formulation_names() -> Suggestions {
    Suggestions(|| {
        let entries = MODELS.iter().flat_map(|model| model.formulations());
        entries.map(|entry| (entry.name, "")).unique_by(|(name, _)| *name).collect()
    })
}

/// Names of methods of sweeps.
pub fn method_names() -> Suggestions {
    Suggestions(|| {
        let optimum = [
            ("optimum", "the proved optimum"),
            (ALL_HEURISTICS, "all heuristics of the model"),
            (LIBRARY, "what the benchmark library knows of its instances"),
        ];
        let others = [(heuristic_names().0)(), (formulation_names().0)()].concat();
        optimum.into_iter().chain(others).unique_by(|(name, _)| *name).collect()
    })
}

/// The flag of a parameter: its name with hyphens.
pub fn flag(parameter: &ParameterEntry) -> Arg {
    let name = parameter.name.replace('_', "-");
    let names = parameter.choices.iter().copied().map(possible);
    let parser: ValueParser = match parameter.choices.as_slice() {
        [] => ValueParser::string(),
        _ => PossibleValuesParser::new(names).into(),
    };
    let help = match &parameter.default {
        Some(default) => format!("{} [default: {default}]", capitalised(parameter.summary)),
        None => capitalised(parameter.summary),
    };
    Arg::new(name.clone()).long(name).help(help).value_parser(parser)
}

/// The values that are given of some parameters, each as often as its flag.
pub fn given<'m>(parameters: &[ParameterEntry], matches: &'m ArgMatches) -> Vec<(&'static str, &'m str)> {
    let values = |parameter: &ParameterEntry| {
        let name = parameter.name;
        let values = matches.get_many::<String>(&name.replace('_', "-")).into_iter().flatten();
        values.map(|value| (name, value.as_str())).collect::<Vec<_>>()
    };
    parameters.iter().flat_map(values).collect()
}

/// The settings of all models as flags; each names the models that have it.
#[derive(Debug, Default)]
pub struct SettingFlags(pub Overrides);

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        // Which model an instance asks is known only once it is read.
        let of_models = |setting: &ParameterEntry| {
            let heading = format!("Settings of {}", models_with(setting.name).join(" and "));
            flag(setting).help(setting_help(setting.name)).help_heading(heading).hide_short_help(true)
        };
        command.args(settings().iter().map(of_models))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let settings = settings();
        let given = given(&settings, matches).into_iter();
        Ok(SettingFlags(given.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
