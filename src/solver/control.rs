//! Interruption by the user and reports of progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use milp::Sense;

use super::gap::relative_gap;

/// A snapshot of a running search.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The name of the stage that is being solved.
    pub stage: String,
    /// The objective value of the best point so far.
    pub incumbent: Option<f64>,
    /// The dual bound so far.
    pub bound: Option<f64>,
    /// The difference between both, relative to the incumbent.
    pub gap: Option<f64>,
    /// The branch-and-bound nodes of the current solve.
    pub nodes: u64,
    /// The time in seconds since the control was created.
    pub elapsed_seconds: f64,
}

type Observer = dyn Fn(&Progress) + Send + Sync;

/// The wire between the user and a running search: an interruption flag one way, progress the other way.
#[derive(Clone)]
pub struct Control {
    interrupted: Arc<AtomicBool>,
    observer: Option<Arc<Observer>>,
    started: Instant,
}

impl Control {
    /// Connects a flag, which a Ctrl-C handler sets, and an observer, which a progress bar offers.
    pub fn new(interrupted: Arc<AtomicBool>, observer: Option<Box<Observer>>) -> Self {
        Control { interrupted, observer: observer.map(Arc::from), started: Instant::now() }
    }

    /// A control that is never interrupted and reports nothing.
    pub fn silent() -> Self {
        Control::new(Arc::new(AtomicBool::new(false)), None)
    }

    /// Whether the user has asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// A control that is interrupted with this one and reports nothing.
    pub(super) fn unobserved(&self) -> Control {
        Control { interrupted: Arc::clone(&self.interrupted), observer: None, started: self.started }
    }

    /// Whether anything listens to [`Control::report`].
    pub fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// Tells the observer about the state of a search.
    pub fn report(&self, stage: &str, incumbent: Option<f64>, bound: Option<f64>, nodes: u64) {
        if let Some(observer) = &self.observer {
            let gap = incumbent.zip(bound).map(|(incumbent, bound)| relative_gap(incumbent, bound));
            observer(&Progress {
                stage: stage.to_owned(),
                incumbent,
                bound,
                gap,
                nodes,
                elapsed_seconds: self.started.elapsed().as_secs_f64(),
            });
        }
    }

    /// A control that is interrupted with this one, and whose reports go to a further observer as well.
    pub fn observed_by(&self, observer: impl Fn(&Progress) + Send + Sync + 'static) -> Control {
        let first = self.observer.clone();
        let both = move |progress: &Progress| {
            if let Some(first) = &first {
                first(progress);
            }
            observer(progress);
        };
        Control {
            interrupted: Arc::clone(&self.interrupted),
            observer: Some(Arc::new(both)),
            started: self.started,
        }
    }

    /// A control that reports values and bounds in the units of the user instead of those of the program: `unit` tells what 1
    /// is worth in the stage of the given name.
    pub fn in_units(&self, unit: impl Fn(&str) -> f64 + Send + Sync + 'static) -> Control {
        self.translated(move |stage, value| value * unit(stage))
    }

    /// A control that reports values and bounds in other terms than those of the program: `translate` takes a stage's name and a
    /// value of it.
    pub fn translated(&self, translate: impl Fn(&str, f64) -> f64 + Send + Sync + 'static) -> Control {
        let outer = self.clone();
        let observer = self.observer.is_some().then(|| -> Arc<Observer> {
            Arc::new(move |progress: &Progress| {
                let translated = |value: Option<f64>| value.map(|value| translate(&progress.stage, value));
                outer.report(
                    &progress.stage,
                    translated(progress.incumbent),
                    translated(progress.bound),
                    progress.nodes,
                );
            })
        });
        Control { interrupted: Arc::clone(&self.interrupted), observer, started: self.started }
    }

    /// A control for the search of one part of a program, which reports in terms of the whole: the better of both incumbents
    /// and the weaker of both bounds. `rest` is the bound of the other parts, where there are any that still count.
    pub(super) fn within(&self, sense: Sense, incumbent: Option<f64>, rest: Option<f64>) -> Control {
        let outer = self.clone();
        let observer = self.observer.is_some().then(|| -> Arc<Observer> {
            Arc::new(move |part: &Progress| {
                let incumbent = merge(part.incumbent, incumbent, |a, b| sense.best(a, b));
                let bound = part.bound.map(|bound| rest.map_or(bound, |rest| sense.weakest(bound, rest)));
                outer.report(&part.stage, incumbent, bound, part.nodes);
            })
        });
        Control { interrupted: Arc::clone(&self.interrupted), observer, started: self.started }
    }
}

fn merge(a: Option<f64>, b: Option<f64>, choose: impl Fn(f64, f64) -> f64) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(choose(a, b)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_part_reports_in_terms_of_the_whole() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let observer = move |progress: &Progress| {
            sink.lock().unwrap().push((progress.incumbent, progress.bound, progress.gap, progress.nodes));
        };
        let control = Control::new(Arc::new(AtomicBool::new(false)), Some(Box::new(observer)));
        let part = control.within(Sense::Maximize, Some(8.0), Some(12.0));
        part.report("value", Some(10.0), Some(11.0), 3);
        part.report("value", None, None, 0);
        assert_eq!(
            *seen.lock().unwrap(),
            [(Some(10.0), Some(12.0), Some(0.2), 3), (Some(8.0), None, None, 0)]
        );
    }

    #[test]
    fn reports_come_in_the_units_of_the_user() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let observer = move |progress: &Progress| {
            sink.lock().unwrap().push((progress.incumbent, progress.bound, progress.gap))
        };
        let control = Control::new(Arc::new(AtomicBool::new(false)), Some(Box::new(observer)));
        control.in_units(|stage| if stage == "gpus" { 1000.0 } else { 1.0 }).report(
            "gpus",
            Some(4.0),
            Some(3.0),
            0,
        );
        assert_eq!(*seen.lock().unwrap(), [(Some(4000.0), Some(3000.0), Some(0.25))]);
    }

    #[test]
    fn a_part_is_interrupted_with_the_whole() {
        let flag = Arc::new(AtomicBool::new(false));
        let control = Control::new(Arc::clone(&flag), None);
        let part = control.within(Sense::Minimize, None, None);
        assert!(!part.is_interrupted());
        flag.store(true, Ordering::Relaxed);
        assert!(part.is_interrupted() && control.is_interrupted());
    }
}
