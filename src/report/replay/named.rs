//! A replay and its name.

use replay::{PolicyRun, ReplayFolder};

/// A replay under the name of its folder.
pub(super) struct Named<'r> {
    pub name: &'r str,
    pub folder: &'r ReplayFolder,
}

impl Named<'_> {
    /// The areas under the curve of active hardware of a policy: plain and strict.
    pub fn areas(&self, run: &PolicyRun) -> [f64; 2] {
        let (sums, trace) = (run.totals.active_sums, &self.folder.conditions.trace);
        [sums.area_plain(trace.gpus, trace.hosts), sums.area_strict(trace.gpus, trace.hosts)]
    }
}
