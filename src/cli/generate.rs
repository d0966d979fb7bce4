//! `migopt generate`.

use super::choices::{flag, given};
use super::exit::{EXIT_PROVED, Failure};
use super::files::{FutureFile, make_folder};
use super::format::Format;
use super::output::{print, serialise};
use clap::error::ErrorKind;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches};
use kit::{RefusedValues, whole};
use models::{InstanceFile, MODELS, Model, model_named};
use std::path::{Path, PathBuf};

/// A model, the values of its generator's parameters, and what all generators have in common: a subcommand per model.
#[derive(Debug)]
pub struct GenerateArguments {
    model: &'static dyn Model,
    values: Vec<(&'static str, String)>,
    batch: Batch,
}

/// How many instances, and where to.
#[derive(Debug, Args)]
pub struct Batch {
    /// Seed of the first instance; the following ones use the following seeds
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of instances
    #[arg(long, default_value_t = 1, value_parser = count)]
    pub count: u32,
    /// Folder to write to, or - for standard output (one instance)
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
}

/// Reads a number of instances.
pub fn count(text: &str) -> Result<u32, String> {
    whole(text, 1..=1_000_000)
}

impl Args for GenerateArguments {
    fn augment_args(command: Command) -> Command {
        let of_model = |model: &&'static dyn Model| {
            let flags = model.generator_parameters();
            let flags = flags.iter().map(|parameter| flag(parameter).action(ArgAction::Append));
            // Last, as the flags of a batch bring their own words.
            Batch::augment_args(Command::new(model.name()).args(flags)).about(format!(
                "Random instances of model {}: {}",
                model.name(),
                model.summary()
            ))
        };
        command
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(MODELS.iter().map(of_model))
            .after_help(
                "Examples:
  migopt generate wpm --gpus 8 --seed 1 --output generated/
  migopt generate wpm --gpus 80 --seed 1 --count 100 --use-case compaction --output generated/
  migopt generate wpm --gpus 4 --board A30-24GB --seed 7 --output -
  migopt generate wpm --gpus 80 --mix 1g.10gb=0.3,2g.20gb=0.7 --newcomers 2 --utilisation 0.9 --output generated/
  migopt generate sharing --family stream --vms 1000 --low 0.85 --shuffle 3 --output generated/",
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for GenerateArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, flags) = matches.subcommand().ok_or_else(missing)?;
        let model = model_named(name).map_err(|_| clap::Error::new(ErrorKind::InvalidSubcommand))?;
        let values = given(&model.generator_parameters(), flags);
        let values = values.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
        Ok(GenerateArguments { model, values, batch: Batch::from_arg_matches(flags)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub fn run(task: &GenerateArguments) -> Result<u8, Failure> {
    let batch = &task.batch;
    let values: Vec<(&str, &str)> = task.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let of_flag = |refused| {
        Failure::Input(match refused {
            RefusedValues::Value { name, value, rule } => {
                RefusedValues::Value { name: format!("--{name}"), value, rule }.to_string()
            }
            RefusedValues::Other(message) => message,
        })
    };
    let generator = task.model.generator(&values).map_err(of_flag)?;
    if batch.output != Path::new("-") {
        make_folder(&batch.output)?;
        for (path, text) in drawn(batch, generator) {
            write(&path, &text?)?;
            print(&format!("{}\n", path.display()))?;
        }
        return Ok(EXIT_PROVED);
    }
    if batch.count > 1 {
        return Err(Failure::Input(
            "--output - takes one instance. Drop --count, or name a folder.".to_owned(),
        ));
    }
    print(&serialise(&generator(batch.seed), Format::Yaml)?)?;
    Ok(EXIT_PROVED)
}

/// Files of instances and what belongs into them, one by one.
pub fn drawn(
    batch: &Batch,
    generator: impl Fn(u64) -> InstanceFile,
) -> impl Iterator<Item = (PathBuf, Result<String, Failure>)> {
    let (folder, first) = (batch.output.clone(), batch.seed);
    (0..u64::from(batch.count)).map(move |number| {
        let instance = generator(first.wrapping_add(number));
        (folder.join(format!("{}.yaml", instance.name)), serialise(&instance, Format::Yaml))
    })
}

/// Writes an instance, but over no other one.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    match std::fs::read(path) {
        Ok(there) if there == text.as_bytes() => Ok(()),
        Ok(_) => Err(Failure::Input(format!(
            "{}: there is another file of this name, edited or generated with other options; it is not overwritten. \
             Delete it, or name another folder.",
            path.display()
        ))),
        Err(_) => FutureFile::prepare(path)?.write(text),
    }
}
