//! Solutions with entries that continue one another written as one.

use super::counted::{Numbered, Numbering, in_a_row};
use super::solution::{InstanceDetails, PlacedWorkload, SolutionDocument};
use std::collections::BTreeMap;

impl SolutionDocument {
    /// The same solution with entries that continue one another as one. What was elsewhere before stays by itself.
    pub fn counted(&self) -> Self {
        SolutionDocument {
            model: self.model.clone(),
            instance: self.instance.clone(),
            reading: self.reading.clone(),
            placement: self.placement.as_deref().map(placed_by_run),
            packing: self.packing.clone(),
            plan: self.plan.clone(),
            pending: in_a_row(&self.pending),
            repartitioned: self.repartitioned.clone(),
            gpus: in_a_row(&self.gpus),
            score: self.score.clone(),
        }
    }
}

/// Runs of placed workloads, in the order of the first workload of each.
fn placed_by_run(placed: &[PlacedWorkload]) -> Vec<PlacedWorkload> {
    let mut by_likeness: BTreeMap<_, Vec<(u64, u64, usize)>> = BTreeMap::new();
    let mut runs: BTreeMap<usize, PlacedWorkload> = BTreeMap::new();
    for (position, entry) in placed.iter().enumerate() {
        let (Some(workload), Some(gpu), None) =
            (Numbered::of(&entry.workload), Numbered::of(&entry.gpu), &entry.details.from)
        else {
            runs.insert(position, entry.clone());
            continue;
        };
        let InstanceDetails { profile, size, wasted, pinned, from: _ } = &entry.details;
        let likeness = (workload.stem, gpu.stem, entry.start, profile, size, wasted, pinned, entry.change);
        by_likeness.entry(likeness).or_default().push((gpu.number, workload.number, position));
    }
    for mut alike in by_likeness.into_values() {
        alike.sort_unstable();
        let mut rest = alike.as_slice();
        while let [(_, workload, first), more @ ..] = rest {
            let first = &placed[*first];
            let every = more.first().and_then(|next| next.1.checked_sub(*workload)).unwrap_or(0).max(1);
            let run = PlacedWorkload { every: (every > 1).then_some(every), ..first.clone() };
            let continues = |(number, (_, _, position)): &(u64, &(u64, u64, usize))| {
                let (expected, found) = (run.after(*number), &placed[*position]);
                expected.is_ok_and(|expected| {
                    (&expected.workload, &expected.gpu) == (&found.workload, &found.gpu)
                })
            };
            let length = 1 + (1..).zip(more).take_while(continues).count();
            runs.insert(rest[0].2, if length > 1 { run.times(length) } else { first.clone() });
            rest = &rest[length..];
        }
    }
    runs.into_values().collect()
}
