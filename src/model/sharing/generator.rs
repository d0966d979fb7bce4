//! The flags of `migopt generate sharing`.

use crate::model::InstanceFile;

/// What the generated instances look like.
#[derive(Debug, clap::Args)]
pub struct GeneratorFlags {
    /// Number of virtual machines
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    vms: u32,
}

/// The generator that the flags ask for, by seed.
///
/// # Errors
/// When a flag has a value that cannot be used.
pub fn generator(_flags: &clap::ArgMatches) -> Result<Box<dyn Fn(u64) -> InstanceFile>, String> {
    Err("there is no generator yet".to_owned())
}
