//! What is counted about a model's solutions: each metric with its value.

use super::entry::{MetricEntry, MetricValues};
use serde_json::Number;

/// A metric of a model. `Figures` are what all of its metrics are read from.
pub struct Metric<Figures> {
    /// Its name in documents.
    pub name: &'static str,
    /// Its name for readers.
    pub title: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Whether more is better.
    pub more_is_better: bool,
    /// What exactly it is.
    pub definition: &'static str,
    /// Its value; none where it does not apply.
    pub value: fn(&Figures) -> Option<Number>,
    /// Its values for the parts of the instance, such as profiles, where it exists for each: `NAME_of:PART` in documents.
    pub parts: fn(&Figures) -> Vec<(String, Number)>,
}

impl<Figures> Metric<Figures> {
    /// What lists and reports say of it.
    pub const fn entry(&self) -> MetricEntry {
        MetricEntry {
            name: self.name,
            title: self.title,
            unit: self.unit,
            more_is_better: self.more_is_better,
            definition: self.definition,
        }
    }
}

/// Of a metric that exists once for the whole instance.
pub fn no_parts<Figures>(_: &Figures) -> Vec<(String, Number)> {
    Vec::new()
}

/// The values of metrics by name.
pub fn metric_values<Figures>(metrics: &[Metric<Figures>], figures: &Figures) -> MetricValues {
    let mut values = MetricValues::new();
    for metric in metrics {
        values.extend((metric.value)(figures).map(|value| (metric.name.to_owned(), value)));
        for (part, value) in (metric.parts)(figures) {
            values.insert(format!("{}_of:{part}", metric.name), value);
        }
    }
    values
}

/// A finite number as documents have it; whole numbers stay whole.
pub fn whole_or_fraction(value: f64) -> Number {
    if value.fract() == 0.0 && value.abs() < 9e15 { Number::from(value as i64) } else { fraction(value) }
}

/// A finite number as documents have it, with a point.
pub fn fraction(value: f64) -> Number {
    Number::from_f64(value).expect("metrics are finite")
}
