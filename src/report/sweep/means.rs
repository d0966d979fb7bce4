//! Means of methods that may be compared: over the instances that all of them answered.

use super::group::{Group, Instance};
use bench::Record;

/// A number of a row; none where the row does not have it.
pub(super) type Value<'v> = dyn Fn(&Record) -> Option<f64> + 'v;

/// What the columns of tables of means are, for readers.
pub(super) const EXPLANATION: &str = "A method that has no answer to any of the instances has no mean; all others have means over \
    the instances that every one of them answered with all its seeds, so that means of one line may be compared. With \
    several seeds, their mean counts.";

/// The mean of each method of a group over some of its instances.
pub(super) struct Means {
    /// How many instances all means are over.
    pub instances: usize,
    /// How many instances any method answered.
    pub answered: usize,
    /// The means in the order of the group's methods.
    pub by_method: Vec<Option<f64>>,
}

impl Means {
    /// The means of a number over the instances that are chosen.
    pub fn of(group: &Group, chosen: impl Fn(&Instance) -> bool, value: &Value) -> Self {
        let values = |instance| -> Vec<Option<f64>> {
            group.methods.iter().map(|method| of_runs(instance, method, value)).collect()
        };
        let all: Vec<Vec<Option<f64>>> = group
            .instances
            .iter()
            .filter(|instance| chosen(instance))
            .map(values)
            .filter(|values| values.iter().any(Option::is_some))
            .collect();
        let methods = 0..group.methods.len();
        let answers: Vec<bool> =
            methods.clone().map(|rank| all.iter().any(|values| values[rank].is_some())).collect();
        let complete = |values: &&Vec<Option<f64>>| {
            values.iter().zip(&answers).all(|(value, &answers)| value.is_some() || !answers)
        };
        let common: Vec<&Vec<Option<f64>>> = all.iter().filter(complete).collect();
        let mean = |rank: usize| {
            let values: Option<Vec<f64>> = common.iter().map(|values| values[rank]).collect();
            mean(&values?)
        };
        Means { instances: common.len(), answered: all.len(), by_method: methods.map(mean).collect() }
    }
}

/// The mean over the runs of a method on an instance; none unless every run has the number.
pub(super) fn of_runs(instance: &Instance, method: &str, value: &Value) -> Option<f64> {
    let runs = instance.rows.iter().filter(|row| row.record.method == method);
    let values: Option<Vec<f64>> = runs.map(|row| value(row.record)).collect();
    mean(&values?)
}

/// The mean of some numbers; none of no numbers.
pub(super) fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The value of the first objective of a group, if the row has a solution.
pub(super) fn first_objective(group: &Group, record: &Record) -> Option<f64> {
    let stage = record.stages.first().filter(|stage| Some(&stage.name.as_str()) == group.stages.first())?;
    stage.value.filter(|_| record.has_solution()).map(|value| value.to_f64())
}
