//! Flags made from data: of settings, of parameters of generators, and of types whose values have names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use kit::{Choices, Overrides, ParameterEntry};
use models::{capitalised, setting_help, settings};

/// Reads the value of a name.
pub fn choice<T: Choices + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let names = T::entries().into_iter().map(|entry| PossibleValue::new(entry.name).help(entry.help));
    PossibleValuesParser::new(names).try_map(|name| T::named(&name))
}

/// The flag of a parameter: its name with hyphens.
pub fn flag(parameter: &ParameterEntry) -> Arg {
    let name = parameter.name.replace('_', "-");
    let names = parameter.choices.iter().map(|entry| PossibleValue::new(entry.name).help(entry.help));
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
        command.args(settings().iter().map(|setting| flag(setting).help(setting_help(setting.name))))
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
