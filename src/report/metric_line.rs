//! The metrics of a solution for readers.

use super::page::numbers;
use kit::{MetricEntry, MetricValues};
use models::metrics_of;
use serde_json::Number;

/// A metric of a solution, for readers.
pub struct MetricLine {
    /// What is counted.
    pub metric: MetricEntry,
    /// The part of the instance for which it is counted, such as a profile; none for all of it.
    pub part: Option<String>,
    /// The number itself, a ratio in percent.
    pub number: f64,
    /// Its digits: rounded, in groups of three.
    pub digits: String,
    /// Its unit.
    pub unit: &'static str,
}

/// What a model's metrics say of a solution, in the order of the model, each followed by its values for parts of the instance.
pub fn metric_lines(model: &str, values: &MetricValues) -> Vec<MetricLine> {
    let of_metric = |metric: MetricEntry| {
        let prefix = format!("{}_of:", metric.name);
        let whole = values.get(metric.name).map(|value| MetricLine::new(metric, None, value));
        let part = |(name, value): (&String, &Number)| {
            let part = name.strip_prefix(&prefix)?;
            Some(MetricLine::new(metric, Some(part.to_owned()), value))
        };
        whole.into_iter().chain(values.iter().filter_map(part)).collect::<Vec<_>>()
    };
    metrics_of(model).into_iter().flat_map(of_metric).collect()
}

impl MetricLine {
    fn new(metric: MetricEntry, part: Option<String>, value: &Number) -> Self {
        let number = value.as_f64().unwrap_or_default();
        if metric.unit == "ratio" {
            let number = 100.0 * number;
            return MetricLine { metric, part, number, digits: numbers::fixed(number, 1), unit: "%" };
        }
        MetricLine { metric, part, number, digits: numbers::decimal(number), unit: metric.unit }
    }
}
