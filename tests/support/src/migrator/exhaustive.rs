//! The best goodput of a window by trying everything.

use super::Counts;
use super::case::Case;
use super::dynamic::sum;
use super::simulation::{Proposal, Run, goodput};
use std::collections::BTreeSet;

/// The best goodput in [`UNITS`](super::UNITS), or `None` if no plan obeys all rules; outside of that `None` if there may be
/// more than so many plans.
pub fn best_by_trying_all(case: &Case, most: f64) -> Option<Option<i64>> {
    let allocations: Vec<Vec<Counts>> = (0..case.models.len()).map(|model| case.allocations(model)).collect();
    let fitting = case.board.everything_that_fits();
    let tuples: Vec<Vec<Counts>> = product(&allocations)
        .into_iter()
        .filter(|tuple| fitting.contains(&together(case, tuple.iter())))
        .collect();
    let runs: Vec<Vec<Run>> = (0..case.models.len()).map(|model| runs(case, model)).collect();
    let runs = product(&runs);
    if (tuples.len() as f64).powf(case.slots as f64) * runs.len() as f64 > most {
        return None;
    }
    let mut best = None;
    for retraining in runs {
        let inference = vec![Vec::new(); case.models.len()];
        let mut search = Search {
            case,
            fitting: &fitting,
            tuples: &tuples,
            plan: Proposal { retraining, inference },
            best,
        };
        search.slot(0);
        best = search.best;
    }
    Some(best)
}

struct Search<'c> {
    case: &'c Case,
    fitting: &'c BTreeSet<Counts>,
    tuples: &'c [Vec<Counts>],
    plan: Proposal,
    best: Option<i64>,
}

impl Search<'_> {
    fn slot(&mut self, slot: usize) {
        if slot == self.case.slots {
            self.best = self.best.max(Some(goodput(self.case, &self.plan)));
            return;
        }
        let running = running(self.case, &self.plan.retraining, slot);
        for tuple in self.tuples {
            if !self.fitting.contains(&sum(&together(self.case, tuple.iter()), &running)) {
                continue;
            }
            self.plan.inference.iter_mut().zip(tuple).for_each(|(own, counts)| own.push(counts.clone()));
            self.slot(slot + 1);
            self.plan.inference.iter_mut().for_each(|own| drop(own.pop()));
        }
    }
}

/// All retrainings of a model that end within the window.
pub fn runs(case: &Case, model: usize) -> Vec<Run> {
    let of_size = |size| {
        let slots = case.retraining_slots(model, size);
        let starts = slots.map_or(0..0, |slots| 0..case.slots + 1 - slots);
        starts.map(move |from| Run { size, from, until: from + slots.unwrap_or(0) })
    };
    (0..case.board.sizes()).flat_map(of_size).collect()
}

/// What retrainings have in a slot.
pub fn running(case: &Case, retraining: &[Run], slot: usize) -> Counts {
    let mut counts = vec![0; case.board.sizes()];
    for run in retraining.iter().filter(|run| (run.from..run.until).contains(&slot)) {
        counts[run.size] += 1;
    }
    counts
}

fn together<'a>(case: &Case, all: impl Iterator<Item = &'a Counts>) -> Counts {
    all.fold(vec![0; case.board.sizes()], |together, own| sum(&together, own))
}

/// All ways of choosing one of each list.
fn product<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut chosen = vec![Vec::new()];
    for list in lists {
        let with = |tuple: &Vec<T>| {
            list.iter()
                .map(|item| [tuple.as_slice(), std::slice::from_ref(item)].concat())
                .collect::<Vec<_>>()
        };
        chosen = chosen.iter().flat_map(with).collect();
    }
    chosen
}
