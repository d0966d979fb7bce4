//! What schedulers have in common.

use fleet::{Fleet, Policy};
use kit::{Parameter, ParameterEntry, RefusedValues, assign, parameter_entries};

/// A scheduler with the values of its parameters.
pub trait Scheduler: Copy + Sync + 'static {
    /// What can be chosen about it.
    const PARAMETERS: &'static [Parameter<Self>] = &[];

    /// Unique kebab-case name, as flags take it.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// Where its rule is written: repository, file and version, or paper.
    fn reference(&self) -> &'static str;

    /// The policy at its beginning, on a fleet that may have guests already.
    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy>;

    /// Its parameters and their values.
    fn entries(&self) -> Vec<ParameterEntry> {
        parameter_entries(Self::PARAMETERS, self)
    }

    /// The scheduler with other values of its parameters.
    ///
    /// # Errors
    /// When it has no such parameter, or the parameter no such value.
    fn adjusted(&self, values: &[(&str, &str)]) -> Result<Self, RefusedValues> {
        let mut adjusted = *self;
        assign(self.name(), Self::PARAMETERS, &mut adjusted, values)?;
        Ok(adjusted)
    }
}
