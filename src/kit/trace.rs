//! How a search came to its answer: what was known of its objectives, and when.

use super::stage::StageDocument;
use milp::GUIDE;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use solver::{Control, Progress};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The most points that a trace keeps; beyond it every second one is left out.
const MOST_POINTS: usize = 1000;

/// What was known of an objective at a moment of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TracePoint {
    /// Wall-clock seconds since the search began.
    pub seconds: f64,
    /// The objective that was being solved: one of `stages`, or a goal of a weighted objective that is solved goal by goal.
    pub stage: String,
    /// Its best value so far, in the units of the objective; null before the first solution.
    pub incumbent: Option<f64>,
    /// No solution is better than this; null before the first bound.
    pub bound: Option<f64>,
    /// Branch-and-bound nodes of the present search of the solver.
    pub nodes: u64,
}

/// Takes down what a search tells while it runs.
pub struct Recorder {
    began: Instant,
    points: Arc<Mutex<Vec<TracePoint>>>,
}

impl Recorder {
    /// A recorder, and the control whose reports it takes down; they go on to `control` as well.
    pub fn new(control: &Control) -> (Self, Control) {
        let recorder = Recorder { began: Instant::now(), points: Arc::default() };
        let (began, points) = (recorder.began, Arc::clone(&recorder.points));
        let observed = control.observed_by(move |progress| {
            if progress.stage == GUIDE {
                return;
            }
            note(&mut points.lock().unwrap_or_else(PoisonError::into_inner), point(began, progress));
        });
        (recorder, observed)
    }

    /// The points, ending with what the answer says of the first objective that is not proved, or of the last one.
    pub fn finish(self, stages: &[StageDocument]) -> Vec<TracePoint> {
        let mut points = std::mem::take(&mut *self.points.lock().unwrap_or_else(PoisonError::into_inner));
        let open = stages.iter().find(|stage| stage.value != stage.bound).or(stages.last());
        if let Some(stage) = open {
            let nodes = points.last().map_or(0, |last| last.nodes);
            let last = TracePoint {
                seconds: self.began.elapsed().as_secs_f64(),
                stage: stage.name.clone(),
                incumbent: stage.value.map(|value| value.to_f64()),
                bound: stage.bound.map(|bound| bound.to_f64()),
                nodes,
            };
            note(&mut points, last);
        }
        points
    }
}

/// The bound of the first objective before any branching: that of its linear relaxation, as far as that was solved.
pub fn root_bound(points: &[TracePoint]) -> Option<f64> {
    let first = points.first()?;
    let at_root = points.iter().take_while(|point| point.stage == first.stage && point.nodes == 0);
    at_root.filter_map(|point| point.bound).next()
}

fn point(began: Instant, progress: &Progress) -> TracePoint {
    TracePoint {
        seconds: began.elapsed().as_secs_f64(),
        stage: progress.stage.clone(),
        incumbent: progress.incumbent,
        bound: progress.bound,
        nodes: progress.nodes,
    }
}

/// Adds a point that says something new.
fn note(points: &mut Vec<TracePoint>, point: TracePoint) {
    let known = |last: &TracePoint| {
        (&last.stage, last.incumbent, last.bound) == (&point.stage, point.incumbent, point.bound)
    };
    if points.last().is_some_and(known) {
        return;
    }
    points.push(point);
    if points.len() > MOST_POINTS {
        let mut position = 0;
        points.retain(|_| {
            position += 1;
            position % 2 == 1
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64, bound: f64) -> TracePoint {
        TracePoint { seconds, stage: "cost".to_owned(), incumbent: None, bound: Some(bound), nodes: 0 }
    }

    #[test]
    fn a_trace_keeps_what_is_new_and_stays_short() {
        let mut points = Vec::new();
        for step in 0..5000 {
            note(&mut points, at(f64::from(step), f64::from(step / 2)));
        }
        assert!(points.len() <= MOST_POINTS && points.len() > MOST_POINTS / 3, "{}", points.len());
        assert_eq!(points[0], at(0.0, 0.0));
        assert!(points.windows(2).all(|pair| pair[0].bound < pair[1].bound));
    }

    #[test]
    fn the_root_bound_is_the_first_one_of_the_first_objective() {
        let branching = TracePoint { nodes: 5, ..at(2.0, 7.0) };
        assert_eq!(root_bound(&[at(1.0, 6.5), branching.clone()]), Some(6.5));
        assert_eq!(root_bound(&[branching]), None);
        assert_eq!(root_bound(&[]), None);
    }
}
