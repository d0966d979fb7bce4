//! What a trace tells of a search.

use kit::TracePoint;

/// What was known of an objective in one search, moment by moment.
pub(crate) struct Search<'t> {
    /// The method that searched, where several are compared.
    pub method: Option<&'t str>,
    /// Its rank among all methods, which chooses its colour.
    pub rank: usize,
    /// The moments, in order.
    pub points: Vec<&'t TracePoint>,
}

impl<'t> Search<'t> {
    /// The part of a trace that is about one objective.
    pub fn of(trace: &'t [TracePoint], objective: &str, method: Option<&'t str>, rank: usize) -> Self {
        Search { method, rank, points: trace.iter().filter(|point| point.stage == objective).collect() }
    }

    /// Whether there is a curve to draw.
    pub fn is_curve(&self) -> bool {
        self.points.len() > 1
    }

    /// Seconds from its first moment to its last one.
    pub fn seconds(&self) -> f64 {
        self.points.first().zip(self.points.last()).map_or(0.0, |(first, last)| last.seconds - first.seconds)
    }
}

/// The objectives of a trace, in the order in which they were solved.
pub(crate) fn objectives(trace: &[TracePoint]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for point in trace {
        if !names.contains(&point.stage.as_str()) {
            names.push(&point.stage);
        }
    }
    names
}
