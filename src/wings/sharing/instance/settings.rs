//! What is kept of an instance, and what can be asked otherwise than it says.

use super::problem::Problem;
use crate::section::Optimum;
use kit::{Choices, Parameter, Setting};
use std::sync::Arc;

/// The problem of an instance, where it has a section.
pub type Given = Option<Arc<Problem>>;

/// What can be asked otherwise than the instance says.
pub const SETTINGS: &[Setting<Given>] = &[Setting {
    parameter: Parameter {
        name: "optimum",
        summary: "which servers the optimum may use",
        choices: Optimum::entries,
        get: |given| Some(given.as_ref()?.optimum.name().to_owned()),
        set: |given, text| {
            let optimum = Optimum::named(text)?;
            if let Some(problem) = given {
                Arc::make_mut(problem).optimum = optimum;
            }
            Ok(())
        },
    },
    repeated: &["optimum"],
}];
