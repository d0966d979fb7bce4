//! The most that one GPU can be worth at the multipliers of a leaf, whatever becomes of it.

use super::kinds::{Kind, Movable};
use super::layouts::{Gains, Kept, Layouts};
use super::pools::{PoolIndex, Pools};
use super::question::{Question, Reading};
use super::worths::Worths;
use crate::refusal::Refusal;
use cluster::{Maintenance, WorkloadIndex};
use mig::{Board, GpuInstance, ProfileIndex, SlotMask};

/// The most residents of a GPU that are told apart from other workloads of their pools.
const MOST_TOLD_APART: usize = 12;

/// What all GPUs share.
pub struct Parts<'p> {
    /// The question.
    pub question: &'p Question<'p>,
    /// Its pools.
    pub pools: &'p Pools,
    /// The worths of the leaf.
    pub worths: &'p Worths,
}

/// What becomes of a GPU.
pub struct End {
    /// What is on it in the end.
    pub workloads: Vec<WorkloadIndex>,
    /// What ran on it and counts as moved.
    pub moved: Vec<Movable>,
    /// Whether it is repartitioned.
    pub repartitioned: bool,
    /// Slices wasted on it that count.
    pub wasted: u32,
}

/// How a GPU in use differs from what it was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Out of service: nothing starts.
    Closed,
    /// What starts takes slots that were free at first, as the printed reading has it.
    Beside,
    /// What starts takes any slot that nothing pinned has; residents that do not keep theirs count as moved.
    Around,
    /// The same with a repartition.
    Anew,
}

impl Parts<'_> {
    /// The most that a GPU of the kind at a position can be worth.
    ///
    /// # Errors
    /// When the numbers are too large, or prove nothing by their signs.
    pub fn best(&self, position: usize, kind: &Kind) -> Result<i128, Refusal> {
        let mut at_home = 0;
        for (_, resident) in kind.movable() {
            at_home += self.worths.migration(resident)?;
        }
        let board = kind.board.index();
        let mut best = kind.pinned().next().is_none().then_some(0);
        for way in self.ways(kind) {
            let Some(layout) = self.layouts(kind, way)?.best()? else { continue };
            let cost = match way {
                Way::Anew if kind.residents.is_empty() => 0,
                Way::Anew => self.worths.repartition[board],
                Way::Closed | Way::Beside | Way::Around => self.worths.stays(position),
            };
            let worth = layout - self.worths.gpu[board] - cost - self.waste_of_pinned(kind);
            best = best.max(Some(worth));
        }
        let best = best.ok_or_else(|| Refusal::of("a GPU with pinned workloads has nothing to become."))?;
        Ok(best - at_home)
    }

    /// What a GPU of the kind at a position is worth as it is in the end; its running workloads among them that moved cost their migrations.
    ///
    /// # Errors
    /// When the numbers are too large, or prove nothing by their signs.
    pub fn worth_of(&self, position: usize, kind: &Kind, end: &End) -> Result<i128, Refusal> {
        let mut worth = 0;
        for pool in end.workloads.iter().filter_map(|workload| self.pools.of[workload.index()]) {
            worth += self.worths.place[pool.index()];
        }
        for resident in &end.moved {
            worth -= self.worths.migration(*resident)?;
        }
        if end.workloads.is_empty() {
            return Ok(worth);
        }
        let board = kind.board.index();
        let cost = match kind.residents.is_empty() {
            true => 0,
            false if end.repartitioned => self.worths.repartition[board],
            false => self.worths.stays(position),
        };
        Ok(worth - self.worths.gpu[board] - cost - self.worths.waste[board] * i128::from(end.wasted))
    }

    /// The ways in which a GPU may be in use.
    fn ways(&self, kind: &Kind) -> Vec<Way> {
        if !kind.maintenance.is_in_service() {
            return vec![Way::Closed];
        }
        if kind.residents.is_empty() {
            return vec![Way::Anew];
        }
        let is_pinned = kind.pinned().next().is_some();
        let may_stay = is_pinned || !self.question.lays_out_anew;
        let (stays, may_be_anew) = match self.question.reading {
            Reading::Printed => (Way::Beside, !is_pinned),
            Reading::ExactIndex => (Way::Around, true),
        };
        may_stay.then_some(stays).into_iter().chain(may_be_anew.then_some(Way::Anew)).collect()
    }

    /// What the waste of pinned workloads costs, where it counts.
    fn waste_of_pinned(&self, kind: &Kind) -> i128 {
        if self.question.reading == Reading::Printed {
            return 0;
        }
        let board = self.board(kind);
        let wasted: u32 = kind.pinned().map(|instance| board.waste(instance)).sum();
        self.worths.waste[kind.board.index()] * i128::from(wasted)
    }

    fn board(&self, kind: &Kind) -> &Board {
        &self.question.cluster.boards[kind.board.index()]
    }

    /// The layouts of a GPU that is in use in this way. Worths count from a GPU that all its residents have left.
    fn layouts(&self, kind: &Kind, way: Way) -> Result<Layouts<'_>, Refusal> {
        let board = self.board(kind);
        let waste = self.worths.waste[kind.board.index()];
        let pinned: Vec<_> = kind.pinned().collect();
        let everything: Vec<_> = kind.residents.iter().map(|resident| resident.instance).collect();
        let open = match way {
            Way::Closed => SlotMask::EMPTY,
            Way::Beside => board.free_slots(board.used_slots(&everything)),
            Way::Around | Way::Anew => board.free_slots(board.used_slots(&pinned)),
        };
        // After a repartition all places on the GPU are alike to its residents, unless shifts count.
        let is_free_inside = way == Way::Anew && !self.question.shifts_count;
        let wastes_when_kept = way == Way::Anew || self.question.reading == Reading::ExactIndex;
        let mut kept = Vec::new();
        let (mut told_apart, mut are_alike) = (0, is_free_inside);
        for (instance, resident) in kind.movable().filter(|(_, resident)| resident.admitted) {
            if is_free_inside || kind.maintenance == Maintenance::Draining {
                continue;
            }
            let place = self.worths.place[resident.pool.index()];
            let wasted = if wastes_when_kept { waste * i128::from(board.waste(instance)) } else { 0 };
            let is_scarce = matches!(way, Way::Around | Way::Anew)
                && self.others(kind, resident.pool) < i128::from(board.profile(instance.profile).maximum);
            let elsewhere = (is_scarce && told_apart < MOST_TOLD_APART).then_some(place);
            told_apart += usize::from(elsewhere.is_some());
            are_alike |= is_scarce && elsewhere.is_none();
            let worth = place + self.worths.migration(resident)? - wasted;
            kept.push(Kept { instance, worth, elsewhere });
        }
        let gains = board.profile_indices().map(|profile| match way {
            Way::Closed => Ok(Gains::default()),
            _ => self.gains(kind, profile, is_free_inside, are_alike),
        });
        let gains = gains.collect::<Result<_, _>>()?;
        Ok(Layouts { board, pinned, open, kept, gains, waste })
    }

    /// Workloads of a pool that are not on a GPU of the kind at first.
    fn others(&self, kind: &Kind, pool: PoolIndex) -> i128 {
        let here = kind.movable().filter(|(_, resident)| resident.pool == pool).count();
        self.pools.list[pool.index()].size - here as i128
    }

    /// What workloads of a profile are worth on a GPU of the kind, one after the other; with its own residents where places are alike
    /// to them.
    fn gains(
        &self,
        kind: &Kind,
        profile: ProfileIndex,
        is_free_inside: bool,
        are_alike: bool,
    ) -> Result<Gains, Refusal> {
        let most = self.board(kind).profile(profile).maximum as usize;
        let mut values = Vec::new();
        let is_own = |(instance, resident): &(GpuInstance, Movable)| {
            are_alike && instance.profile == profile && resident.admitted
        };
        for (_, resident) in kind.movable().filter(is_own) {
            let saved = if is_free_inside { self.worths.migration(resident)? } else { 0 };
            values.push(self.worths.place[resident.pool.index()] + saved);
        }
        let own = values.len();
        for &(place, pool) in &self.worths.offers[kind.board.index()][profile.index()] {
            if values.len() - own >= most {
                break;
            }
            if kind.admits(self.pools.list[pool.index()].nodes) {
                let number = self.others(kind, pool).min((most + own - values.len()) as i128);
                values.extend(std::iter::repeat_n(place, usize::try_from(number).unwrap_or_default()));
            }
        }
        values.sort_unstable_by_key(|&worth| std::cmp::Reverse(worth));
        Ok(Gains::new(values, most))
    }
}
