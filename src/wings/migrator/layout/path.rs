//! The best sequence of layouts: a longest path over segments and layouts.
//!
//! # Why it is exact
//! A *segment* is a maximal run of slots with the same contents, a *layout* a set of pairs (task, GPU instance). Between
//! consecutive layouts A and B the instances in both are kept; all others of A are destroyed and all others of B created. How
//! many instances a plan has before a change does not depend on the layout, so the fewest are destroyed when the most are
//! kept, and running retrainings move as rarely as possible when the most of their instances are kept.
//!
//! *Nothing is gained by a move within a segment.* If A, B and C are layouts and B and C have the same contents, then
//! |A and C| >= |A and B| + |B and C| - |B|, as at most |B| - |B and C| instances of A and B are not in C. So if B is
//! replaced by C from its first slot on, at least as many instances are kept: what the move kept less than everything makes up
//! for what may be lost on arrival. This holds for all instances and, word for word, for those of retrainings alone. One
//! layout per segment is therefore enough.
//!
//! What remains is a path through one layout per segment whose value is a sum over consecutive pairs, compared in the order
//! retrainings kept, instances kept, seconds hidden. Such triples are added and compared like numbers, so the value of the best
//! path to a layout is the maximum over its predecessors. A predecessor matters only through the instances whose task and
//! profile both segments have and through the memory slots that it occupies; of predecessors that agree in these the best one is
//! compared, the most valuable first, and the search ends where even keeping everything would not beat what is found.
//!
//! Seconds are hidden as far as the memory slots of new instances are free in the segment just before the change; what segments
//! before that one could hide in addition is counted by the layout, but not sought.

use super::contents::{Contents, Held, Segment, layouts_of};
use super::reconfigured::is_reconfigured;
use crate::instance::{ModelIndex, Problem};
use ground::Amount;
use kit::TaskKind;
use mig::{Board, SlotMask};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Add;

/// What is kept; more is better, and what comes first matters first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Worth {
    retrainings: u64,
    instances: u64,
    hidden: Amount,
}

impl Add for Worth {
    type Output = Worth;
    fn add(self, other: Worth) -> Worth {
        Worth {
            retrainings: self.retrainings + other.retrainings,
            instances: self.instances + other.instances,
            hidden: self.hidden + other.hidden,
        }
    }
}

/// The layout of each segment on the best path; `None` if the contents of a segment cannot be laid out. Of equally good
/// layouts the lexicographically first is taken, from the last segment to the first.
pub fn best_path(problem: &Problem, segments: &[Segment]) -> Option<Vec<Vec<Held>>> {
    let mut known: BTreeMap<&Contents, Vec<Vec<Held>>> = BTreeMap::new();
    for segment in segments {
        if !known.contains_key(&segment.contents) {
            known.insert(&segment.contents, layouts_of(&problem.gpu.board, &segment.contents)?);
        }
    }
    let mut worths = vec![Worth::default(); segments.first().map_or(0, |first| known[&first.contents].len())];
    let mut predecessors: Vec<Vec<u32>> = Vec::new();
    for pair in segments.windows(2) {
        let (before, after) = (&known[&pair[0].contents], &known[&pair[1].contents]);
        let change = Change::new(problem, &pair[0], &pair[1]);
        let best = change.best_predecessors(before, &worths, after)?;
        let (best_worths, best): (Vec<Worth>, Vec<u32>) = best.into_iter().unzip();
        worths = best_worths;
        predecessors.push(best);
    }
    let best = (0..worths.len()).max_by_key(|&index| (worths[index], Reverse(index)));
    let mut path = Vec::with_capacity(segments.len());
    let mut index = best.unwrap_or(0);
    for (position, segment) in segments.iter().enumerate().rev() {
        path.push(known[&segment.contents][index].clone());
        if position > 0 {
            index = predecessors[position - 1][index] as usize;
        }
    }
    path.reverse();
    Some(path)
}

/// A change of the contents between two segments.
struct Change<'p> {
    board: &'p Board,
    /// What both segments have of each task and profile.
    common: Contents,
    /// Models whose inference task is reconfigured: the seconds that it takes, and those that can pass in the segment before.
    reconfigured: BTreeMap<ModelIndex, [Amount; 2]>,
    /// More than this no change is worth.
    most: Worth,
}

/// What a layout before the change is to those after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Before {
    /// Its instances that may be kept.
    common: Bits,
    /// Its memory slots, if that matters.
    occupied: SlotMask,
}

/// A set of instances that may be kept.
type Bits = u128;

/// A reconfigured task in a layout after the change.
struct NewTask {
    seconds: [Amount; 2],
    /// Whether it has instances that cannot be kept, and their memory slots.
    creates: bool,
    created: SlotMask,
    /// The others, each with its memory slots.
    others: Vec<(Bits, SlotMask)>,
}

impl<'p> Change<'p> {
    fn new(problem: &'p Problem, before: &Segment, after: &Segment) -> Self {
        let common: Contents = after
            .contents
            .iter()
            .filter_map(|(key, &count)| Some((*key, count.min(*before.contents.get(key)?))))
            .collect();
        let ahead = problem.basis * i128::from(before.until - before.from);
        let reconfigured: BTreeMap<ModelIndex, [Amount; 2]> = problem
            .model_indices()
            .filter(|&model| is_reconfigured(problem, model, &before.contents, &after.contents))
            .map(|model| (model, problem.model(model).reconfiguration))
            .map(|(model, seconds)| (model, [seconds, seconds.min(ahead)]))
            .collect();
        let kept = |count: &dyn Fn(TaskKind) -> bool| {
            common
                .iter()
                .filter(|((_, owner), _)| count(owner.task))
                .map(|(_, &count)| u64::from(count))
                .sum()
        };
        let most = Worth {
            retrainings: kept(&|task| task == TaskKind::Retraining),
            instances: kept(&|_| true),
            hidden: reconfigured.values().map(|[seconds, _]| *seconds).sum(),
        };
        Change { board: &problem.gpu.board, common, reconfigured, most }
    }

    /// For each layout after the change the best value of a path to it, and the layout before it on that path; `None` if there
    /// are more instances to be told apart than bits.
    fn best_predecessors(
        &self,
        before: &[Vec<Held>],
        worths: &[Worth],
        after: &[Vec<Held>],
    ) -> Option<Vec<(Worth, u32)>> {
        let may_be_kept = |held: &&Held| self.common.contains_key(&(held.instance.profile, held.owner));
        let mut bit_of: BTreeMap<Held, Bits> = BTreeMap::new();
        let mut retrainings: Bits = 0;
        for held in before.iter().flatten().filter(may_be_kept) {
            let next = bit_of.len() as u32;
            if !bit_of.contains_key(held) {
                let bit = Bits::from(1u8).checked_shl(next)?;
                retrainings |= if held.owner.task == TaskKind::Retraining { bit } else { 0 };
                bit_of.insert(*held, bit);
            }
        }
        let bits =
            |layout: &[Held]| layout.iter().filter_map(|held| bit_of.get(held)).fold(0, |all, bit| all | bit);
        let mut distinct: BTreeMap<Before, (Worth, Reverse<u32>)> = BTreeMap::new();
        for ((layout, &worth), index) in before.iter().zip(worths).zip(0..) {
            let occupied = if self.reconfigured.is_empty() { SlotMask::EMPTY } else { self.occupied(layout) };
            let key = Before { common: bits(layout), occupied };
            let candidate = (worth, Reverse(index));
            distinct.entry(key).and_modify(|best| *best = candidate.max(*best)).or_insert(candidate);
        }
        let mut ranked: Vec<(Before, (Worth, Reverse<u32>))> = distinct.into_iter().collect();
        ranked.sort_by_key(|&(_, rank)| Reverse(rank));
        let best_of = |layout: &Vec<Held>| {
            let (own, tasks) = (bits(layout), self.new_tasks(layout, &bit_of));
            let mut best: Option<(Worth, u32)> = None;
            for &(before, (worth, Reverse(index))) in &ranked {
                if best.is_some_and(|(best, _)| worth + self.most <= best) {
                    break;
                }
                let kept = own & before.common;
                let mut worth = worth;
                worth.retrainings += u64::from((kept & retrainings).count_ones());
                worth.instances += u64::from(kept.count_ones());
                let rank = |worth: Worth| (worth.retrainings, worth.instances);
                if best.is_some_and(|(best, _)| rank(worth) < rank(best)) {
                    continue;
                }
                worth.hidden += tasks.iter().map(|task| task.hidden(before)).sum();
                if best.is_none_or(|(best, _)| worth > best) {
                    best = Some((worth, index));
                }
            }
            best
        };
        after.iter().map(best_of).collect()
    }

    fn new_tasks(&self, layout: &[Held], bit_of: &BTreeMap<Held, Bits>) -> Vec<NewTask> {
        let task = |(&model, &seconds): (&ModelIndex, &[Amount; 2])| {
            let mut task = NewTask { seconds, creates: false, created: SlotMask::EMPTY, others: Vec::new() };
            let own = |held: &&Held| held.owner.model == model && held.owner.task == TaskKind::Inference;
            for held in layout.iter().filter(own) {
                let footprint = self.board.footprint(held.instance);
                match bit_of.get(held) {
                    Some(&bit) => task.others.push((bit, footprint)),
                    None => {
                        task.creates = true;
                        task.created = task.created.union(footprint);
                    }
                }
            }
            task
        };
        self.reconfigured.iter().map(task).collect()
    }

    fn occupied(&self, layout: &[Held]) -> SlotMask {
        let footprints = layout.iter().map(|held| self.board.footprint(held.instance));
        footprints.fold(SlotMask::EMPTY, SlotMask::union)
    }
}

impl NewTask {
    /// Seconds of its reconfiguration that pass in the segment before.
    fn hidden(&self, before: Before) -> Amount {
        let (mut creates, mut created) = (self.creates, self.created);
        for &(bit, footprint) in &self.others {
            if before.common & bit == 0 {
                creates = true;
                created = created.union(footprint);
            }
        }
        match self.seconds {
            [all, _] if !creates => all,
            [_, ahead] if !created.intersects(before.occupied) => ahead,
            _ => Amount::ZERO,
        }
    }
}
