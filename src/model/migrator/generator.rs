//! The flags of `migopt generate migrator`.

use crate::model::InstanceFile;

/// What the generated instances look like.
#[derive(Debug, clap::Args)]
pub struct GeneratorFlags {}

/// The generator that the flags ask for, by seed.
///
/// # Errors
/// When a flag has a value that cannot be used.
pub fn generator(_: &clap::ArgMatches) -> Result<Box<dyn Fn(u64) -> InstanceFile>, String> {
    todo!()
}
