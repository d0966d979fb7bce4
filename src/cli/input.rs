//! Reading instances.

use super::exit::Failure;
use ground::SourceText;
use kit::{Overrides, RefusedOverride};
use models::{Instance, Model, parse_instance};
use std::io::Write;
use std::path::Path;

/// Reads and validates an instance file.
pub fn read_instance(path: &Path) -> Result<Instance, Failure> {
    Ok(parse_instance(SourceText::read(path)?)?)
}

/// The instance with what the command line asks for instead of its own model and settings.
pub fn read_configured(
    path: &Path,
    model: Option<&'static dyn Model>,
    overrides: &Overrides,
    quiet: bool,
) -> Result<Instance, Failure> {
    let instance = read_instance(path)?;
    if model.is_none() {
        tell_guess(&instance, quiet);
    }
    let model = model.unwrap_or(instance.model);
    let refused = |error: RefusedOverride| {
        Failure::of_flag(&format!("--{}", error.field.replace('_', "-")))(error.message)
    };
    instance.under(model).with_settings(overrides).map_err(refused)
}

/// Says on standard error which model is taken where the file leaves it open.
pub fn tell_guess(instance: &Instance, quiet: bool) {
    if let Some(why) = instance.guess.as_ref().filter(|_| !quiet) {
        // A closed standard error is no reason not to work.
        let _ = writeln!(std::io::stderr(), "migopt: model {}: {why}.", instance.model.name());
    }
}
