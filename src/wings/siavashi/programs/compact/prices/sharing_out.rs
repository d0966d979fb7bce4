//! From contents of machines to a placement where cores and memory of some machines were left out.
//!
//! Residents stay where the contents say so. Any workload of a shape may be the one that comes, and what comes to a GPU may as well come to
//! another one that is alike: what is small joins what needs little, what needs most goes where most is to spare, and where that is too much
//! it is exchanged.

use super::super::kinds::{Detail, Kind};
use super::super::lift::lay_out;
use super::super::pools::Pool;
use super::additions::{Addition, Alike, Changes};
use super::budgets::Budgets;
use super::content::Content;
use super::relief::{Settled, relieve};
use super::replacements::replace;
use super::shuffling::shuffle;
use super::stock::Stock;
use super::view::View;
use crate::instance::{MachineIndex, Problem};
use cluster::{GpuIndex, Placement, WorkloadIndex};
use prices::Chosen;
use std::collections::BTreeSet;

/// A whole in which sizes are counted to put them in order.
const WHOLE: f64 = 1e15;

/// What becomes of contents.
#[derive(Default)]
pub struct SharedOut {
    /// A placement with as many of each kind on every machine; none if exchanges do not give all machines enough cores and memory.
    pub placement: Option<Placement>,
    /// The machines that lack some as long as everything stays that the contents say.
    pub lacking: BTreeSet<MachineIndex>,
}

/// A placement in which as much stays as the contents say, or in which a few more leave for more modest ones; none of no contents. Where it is
/// known which workloads have a place, others have none.
pub fn share_out(
    problem: &Problem,
    stock: &Stock,
    view: View<'_>,
    chosen: &[Chosen<Content>],
    admitted: Option<&BTreeSet<WorkloadIndex>>,
) -> SharedOut {
    if chosen.is_empty() {
        return SharedOut::default();
    }
    let mut budgets = stock.budgets.clone();
    let alike = Alike::of(problem);
    let mut changes = Changes::new(problem, &alike, stock, view, chosen, &mut budgets);
    let leave: BTreeSet<WorkloadIndex> = std::mem::take(&mut changes.leave).into_iter().collect();
    for (number, kind) in alike.kinds().iter().enumerate() {
        let comes = |workload: &WorkloadIndex| {
            !view.knows_places || problem.current(*workload).is_none() || leave.contains(workload)
        };
        let is_admitted =
            |workload: &WorkloadIndex| admitted.is_none_or(|admitted| admitted.contains(workload));
        let coming = kind.members.iter().copied().filter(comes).filter(is_admitted).collect();
        admit(problem, &budgets, &mut changes.additions, coming, number);
    }
    if let Some(spread) = spread(&budgets, &changes) {
        changes.additions = spread;
    }
    let mut settled = settle(&mut budgets, &mut changes);
    if view.knows_places {
        relieve(&mut budgets, &changes, &mut settled);
    } else {
        shuffle(&mut budgets, &changes, &mut settled);
    }
    let lacking: BTreeSet<MachineIndex> = budgets.lacking().into_iter().collect();
    replace(&mut budgets, &mut changes, &mut settled);
    if !budgets.lacking().is_empty() {
        return SharedOut { placement: None, lacking };
    }
    let mut on_gpu = changes.stay;
    for Settled { gpu, addition, .. } in settled {
        on_gpu.entry(gpu).or_default().extend(addition.workloads);
    }
    let on = |gpu: &GpuIndex| on_gpu.get(gpu).into_iter().flatten().copied();
    let dealt: Vec<Vec<WorkloadIndex>> =
        stock.pools.iter().map(|pool| pool.gpus.iter().flat_map(on).collect()).collect();
    let in_use = |pool: &Pool| match pool.pinned.is_empty() {
        true => pool.gpus.iter().filter(|gpu| on(gpu).next().is_some()).count() as u32,
        false => pool.size(),
    };
    let gpus: Vec<u32> = stock.pools.iter().map(in_use).collect();
    // Only what needs as much changes places with residents that keep their slots.
    let kinds = Kind::all(problem, Detail::PlacesForgotten);
    let placement = lay_out(problem, &kinds, &stock.pools, &dealt, &gpus);
    SharedOut { placement: Some(placement), lacking }
}

/// Says who of a kind comes where some are missing: those that must have a place, then newcomers, then residents of other machines, the
/// most modest ones of each first. The most modest of all come to where only one machine may take them; of the others those that need
/// most join what needs least.
fn admit(
    problem: &Problem,
    budgets: &Budgets,
    additions: &mut [Addition],
    mut coming: Vec<WorkloadIndex>,
    kind: usize,
) {
    let by_size = |&one: &WorkloadIndex, &other: &WorkloadIndex| {
        budgets.size_of(one).total_cmp(&budgets.size_of(other)).then(one.cmp(&other))
    };
    let mut takers: Vec<usize> = Vec::new();
    for (position, addition) in additions.iter().enumerate() {
        let missing = addition.missing.iter().filter(|missing| missing.0 == kind);
        takers.extend(missing.flat_map(|&(_, number)| std::iter::repeat_n(position, number as usize)));
    }
    coming.sort_by(|one, other| {
        let rank = |&workload| (!problem.must_stay(workload), problem.current(workload).is_some());
        rank(one).cmp(&rank(other)).then_with(|| by_size(one, other))
    });
    coming.truncate(takers.len());
    coming.sort_by(by_size);
    takers.sort_by(|&one, &other| {
        let (one, other) = (&additions[one], &additions[other]);
        let size = |addition: &Addition| budgets.size(addition.needs);
        one.only.is_none().cmp(&other.only.is_none()).then(size(other).total_cmp(&size(one)))
    });
    let left = takers.split_off(coming.len());
    for (taker, workload) in takers.into_iter().zip(coming) {
        additions[taker].take(budgets, workload);
    }
    left.into_iter().for_each(|taker| additions[taker].forgo(kind));
}

/// The same with what comes beside something greater spread out evenly, where there is room for all of it.
fn spread(budgets: &Budgets, changes: &Changes<'_>) -> Option<Vec<Addition>> {
    let slices = |workload: WorkloadIndex| changes.problem.cluster.memory_slices(workload);
    let alike = changes.alike;
    let mut additions = changes.additions.clone();
    let mut loose: Vec<WorkloadIndex> = Vec::new();
    for addition in additions.iter_mut().filter(|addition| addition.only.is_none()) {
        let stays = changes.classes[addition.class].stays.keys();
        let stays = stays.map(|&kind| slices(alike.kinds()[kind].example)).max().flatten();
        let greatest = addition.workloads.iter().copied().max_by_key(|&workload| slices(workload));
        let anchor = greatest.filter(|&greatest| slices(greatest) > stays);
        for workload in addition.workloads.clone() {
            if Some(workload) != anchor {
                addition.remove(budgets, workload, alike.kind_of(workload));
                loose.push(workload);
            }
        }
    }
    loose.sort_by(|&one, &other| {
        (slices(other).cmp(&slices(one)))
            .then(budgets.size_of(other).total_cmp(&budgets.size_of(one)))
            .then(one.cmp(&other))
    });
    let size = |addition: &Addition| (WHOLE * budgets.size(addition.needs)) as i64;
    let is_free = |addition: &Addition| addition.only.is_none() && !addition.is_empty();
    let free = (0..additions.len()).filter(|&position| is_free(&additions[position]));
    let mut order: BTreeSet<(i64, usize)> =
        free.map(|position| (size(&additions[position]), position)).collect();
    for workload in loose {
        let kind = alike.kind_of(workload);
        let has_room = |entry: &&(i64, usize)| changes.has_room(&additions[entry.1], kind);
        let entry = *order.iter().find(has_room)?;
        order.remove(&entry);
        let addition = &mut additions[entry.1];
        addition.add(budgets, workload, kind);
        order.insert((size(addition), entry.1));
    }
    Some(additions)
}

/// Puts additions on GPUs of their class, what needs most where most is to spare beside what else comes there on average.
fn settle(budgets: &mut Budgets, changes: &mut Changes<'_>) -> Vec<Settled> {
    let mut additions = std::mem::take(&mut changes.additions);
    additions.sort_by(|one, other| {
        let size = |addition: &Addition| budgets.size(addition.needs);
        one.only.is_none().cmp(&other.only.is_none()).then(size(other).total_cmp(&size(one)))
    });
    // By class: what all that are not settled yet need, and how many they are.
    let mut rest = vec![([0.0; 2], 0.0); changes.classes.len()];
    for addition in &additions {
        let (needs, number) = &mut rest[addition.class];
        (0..2).for_each(|resource| needs[resource] += addition.needs[resource] as f64);
        *number += 1.0;
    }
    let mut settled = Vec::new();
    for addition in additions {
        let Addition { class, only, needs, .. } = addition;
        let mean = |class: usize, resource: usize| rest[class].0[resource] / rest[class].1;
        let mut best: Option<(f64, MachineIndex)> = None;
        for (&machine, open) in &changes.open {
            let may_come = only.is_none_or(|only| only == machine) && open.iter().any(|open| open.0 == class);
            if !may_come {
                continue;
            }
            let with_others = [0, 1].map(|resource| {
                let of_all: f64 = open.iter().map(|open| mean(open.0, resource)).sum();
                needs[resource] as f64 + of_all - mean(class, resource)
            });
            let spare = budgets.spare(machine, with_others);
            if best.is_none_or(|(most, _)| spare > most) {
                best = Some((spare, machine));
            }
        }
        let (_, machine) = best.expect("as many GPUs of the class are open");
        let open = changes.open.get_mut(&machine).expect("it has GPUs in use");
        let position = open.iter().position(|open| open.0 == class).expect("one is open");
        let (_, gpu) = open.remove(position);
        budgets.take(machine, needs);
        (0..2).for_each(|resource| rest[class].0[resource] -= needs[resource] as f64);
        rest[class].1 -= 1.0;
        settled.push(Settled { machine, gpu, addition });
    }
    settled
}
