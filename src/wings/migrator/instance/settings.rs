//! What can be asked otherwise than the instance says: how the paper's ambiguous rules are read.

use super::problem::Problem;
use crate::section::{Deployment, Readings, Reconfiguration, Signature};
use kit::{Choices, Parameter, Setting, put_choice};
use std::sync::Arc;

/// What is kept of an instance: its problem, where the file has one.
pub type Given = Option<Arc<Problem>>;

/// All settings.
pub const SETTINGS: &[Setting<Given>] = &[
    Setting {
        parameter: Parameter {
            name: "reconfiguration",
            summary: "what a reconfiguration costs",
            choices: Reconfiguration::entries,
            get: |given| Some(readings(given)?.reconfiguration.name().to_owned()),
            set: |given, text| {
                read_otherwise(given, |readings| put_choice(&mut readings.reconfiguration, text))
            },
        },
        repeated: &["readings", "reconfiguration"],
    },
    Setting {
        parameter: Parameter {
            name: "deployment",
            summary: "what an inference task needs at least",
            choices: Deployment::entries,
            get: |given| Some(readings(given)?.deployment.name().to_owned()),
            set: |given, text| read_otherwise(given, |readings| put_choice(&mut readings.deployment, text)),
        },
        repeated: &["readings", "deployment"],
    },
    Setting {
        parameter: Parameter {
            name: "signature",
            summary: "what counts as a reconfiguration",
            choices: Signature::entries,
            get: |given| Some(readings(given)?.signature.name().to_owned()),
            set: |given, text| read_otherwise(given, |readings| put_choice(&mut readings.signature, text)),
        },
        repeated: &["readings", "signature"],
    },
];

fn readings(given: &Given) -> Option<Readings> {
    given.as_ref().map(|problem| problem.readings)
}

/// Changes the readings, and the unit of goodput with them. Without a problem there is nothing to change: posing it is refused.
fn read_otherwise(
    given: &mut Given,
    change: impl FnOnce(&mut Readings) -> Result<(), String>,
) -> Result<(), String> {
    let mut readings = readings(given).unwrap_or_default();
    change(&mut readings)?;
    let Some(problem) = given else { return Ok(()) };
    let problem = Arc::make_mut(problem);
    problem.readings = readings;
    problem.count_units().map_err(|error| error.to_string())
}
