//! Virtual machines that a bound need not tell apart.

use super::timeline::Timeline;
use cluster::{Cluster, RequestIndex};
use ground::Amount;
use mig::ProfileIndex;
use std::collections::BTreeMap;

/// Virtual machines that are alike.
pub struct Class {
    /// The first and the last of the peaks at which they are there; none if there is no such peak.
    pub span: Option<(usize, usize)>,
    /// By position in the trace, ascending.
    pub positions: Vec<usize>,
}

impl Class {
    /// The number of the profile on the first type of board.
    pub fn profile(&self, cluster: &Cluster) -> Option<usize> {
        let request = cluster.workloads[self.positions[0]].request;
        cluster.requests[request.index()].on_board[0].map(ProfileIndex::index)
    }

    /// Whether they are there at one of the peaks that have rows.
    pub fn is_there(&self, peak: usize) -> bool {
        self.span.is_some_and(|(first, last)| (first..=last).contains(&peak))
    }
}

/// Virtual machines by what they ask for, what they count for (nothing: they are left out), and the peaks at which they are there,
/// in the order of the first of each.
pub fn classes(cluster: &Cluster, timeline: &Timeline, worth: &[u32], peaks: &[usize]) -> Vec<Class> {
    type Likeness = (RequestIndex, Amount, Amount, u32, Option<(usize, usize)>);
    let mut alike: BTreeMap<Likeness, Vec<usize>> = BTreeMap::new();
    for position in (0..timeline.arrivals()).filter(|&position| worth[position] > 0) {
        let about = &cluster.workloads[position];
        let first = peaks.partition_point(|&peak| peak < position);
        let after = peaks.partition_point(|&peak| peak < timeline.end(position));
        let span = (first < after).then(|| (first, after - 1));
        alike
            .entry((about.request, about.cpu, about.memory, worth[position], span))
            .or_default()
            .push(position);
    }
    let class = |((_, _, _, _, span), positions): (Likeness, Vec<usize>)| Class { span, positions };
    let mut classes: Vec<Class> = alike.into_iter().map(class).collect();
    classes.sort_by_key(|class| class.positions[0]);
    classes
}
