//! `migopt generate`.

use super::arguments::Format;
use super::exit::{EXIT_PROVED, Failure};
use super::output::{FutureFile, print, serialise};
use crate::model::{InstanceFile, MODELS, Model, model_named};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::path::{Path, PathBuf};

/// A model's generator with its own flags, and what all generators have in common: a subcommand per model.
#[derive(Debug)]
pub struct GenerateArguments {
    model: &'static dyn Model,
    flags: ArgMatches,
    batch: Batch,
}

/// How many instances, and where to.
#[derive(Debug, Args)]
struct Batch {
    /// Seed of the first instance; the following ones use the following seeds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of instances
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// Folder to write to, or - for standard output (one instance)
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
}

impl Args for GenerateArguments {
    fn augment_args(command: Command) -> Command {
        let of_model = |model: &&dyn Model| {
            Batch::augment_args(model.generate_command()).about(format!("Instances for {}", model.summary()))
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
        Ok(GenerateArguments {
            model: model_named(name).map_err(|_| clap::Error::new(ErrorKind::InvalidSubcommand))?,
            flags: flags.clone(),
            batch: Batch::from_arg_matches(flags)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub fn run(task: &GenerateArguments) -> Result<u8, Failure> {
    let batch = &task.batch;
    let to_stdout = batch.output == Path::new("-");
    if to_stdout && batch.count > 1 {
        return Err(Failure::Input(
            "--output - takes one instance. Drop --count, or name a folder.".to_owned(),
        ));
    }
    if to_stdout {
        for instance in instances(task)? {
            print(&serialise(&instance, Format::Yaml)?)?;
        }
        return Ok(EXIT_PROVED);
    }
    for path in write_instances(task)? {
        print(&format!("{}\n", path?.display()))?;
    }
    Ok(EXIT_PROVED)
}

/// Writes the instances one by one into the folder; yields their files.
pub fn write_instances(
    task: &GenerateArguments,
) -> Result<impl Iterator<Item = Result<PathBuf, Failure>> + '_, Failure> {
    let folder = &task.batch.output;
    make_folder(folder)?;
    let write = move |instance: InstanceFile| {
        let path = folder.join(format!("{}.yaml", instance.name));
        FutureFile::prepare(&path)?.write(&serialise(&instance, Format::Yaml)?)?;
        Ok(path)
    };
    Ok(instances(task)?.map(write))
}

/// Makes a folder for instances where there is none.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::Input(format!(
            "{}: cannot be created: {error}. Name a folder that you may write to.",
            folder.display()
        ))
    })
}

fn instances(task: &GenerateArguments) -> Result<impl Iterator<Item = InstanceFile>, Failure> {
    let generator = task.model.generator(&task.flags).map_err(Failure::Input)?;
    let first = task.batch.seed;
    Ok((0..u64::from(task.batch.count)).map(move |number| generator(first.wrapping_add(number))))
}
