//! What one GPU can hold.

use super::counted::Demand;
use crate::refusal::Refusal;
use mig::{Board, Counts, FillTable, ProfileIndex};
use std::collections::BTreeMap;

/// With more fills of a GPU than this a question is not counted.
const MOST_FILLS: usize = 20_000;

/// What a GPU holds beside what is pinned.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fill {
    /// Demands, by position, with their numbers; no zeros.
    pub counts: Vec<(usize, u32)>,
    /// Cores, in units.
    pub cpu: i64,
    /// Main memory, in units.
    pub memory: i64,
}

/// Everything that a GPU can hold.
#[derive(PartialEq, Eq)]
pub struct Room {
    /// The fills, the empty one first.
    pub fills: Vec<Fill>,
    /// What fills need of cores and memory, without repetition.
    pub needs: Vec<(i64, i64)>,
    /// By fill: what it needs, by position.
    pub need_of: Vec<usize>,
    /// The most of every demand in any fill.
    pub most: BTreeMap<usize, u32>,
}

impl Room {
    /// The room with these fills.
    pub fn of(fills: Vec<Fill>) -> Self {
        let (mut needs, mut known, mut most) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        let mut need_of = Vec::with_capacity(fills.len());
        for fill in &fills {
            let next = needs.len();
            let position = *known.entry((fill.cpu, fill.memory)).or_insert(next);
            if position == next {
                needs.push((fill.cpu, fill.memory));
            }
            need_of.push(position);
            for &(demand, number) in &fill.counts {
                let most = most.entry(demand).or_insert(0);
                *most = number.max(*most);
            }
        }
        Room { fills, needs, need_of, most }
    }

    /// What a GPU in service can hold of some demands, where its layouts allow these multisets of profiles.
    ///
    /// # Errors
    /// When that is too much to list.
    pub fn in_service(
        board: &Board,
        multisets: &FillTable,
        demands: &[Demand],
        admitted: &[(usize, ProfileIndex)],
    ) -> Result<Self, Refusal> {
        let mut fills = vec![(Fill::default(), Counts::zero(board.profiles().len()))];
        for &(demand, profile) in admitted {
            for smaller in 0..fills.len() {
                let (mut fill, mut counts) = fills[smaller].clone();
                for number in 1..=demands[demand].number {
                    counts = counts.add_one(profile);
                    // What is less than what fits does fit.
                    if !multisets.allows(&counts) {
                        break;
                    }
                    fill = fill.with_one(demand, &demands[demand], number);
                    fills.push((fill.clone(), counts.clone()));
                }
                if fills.len() > MOST_FILLS {
                    let reason = format!("a GPU can hold its workloads in more than {MOST_FILLS} ways.");
                    return Err(Refusal::of(reason));
                }
            }
        }
        Ok(Room::of(fills.into_iter().map(|(fill, _)| fill).collect()))
    }

    /// What a GPU can hold on which nothing starts: any of those that may stay.
    ///
    /// # Errors
    /// When that is too much to list.
    pub fn of_staying(staying: &[usize], demands: &[Demand]) -> Result<Self, Refusal> {
        let mut fills = vec![Fill::default()];
        for &demand in staying {
            let more = fills.iter().map(|fill| {
                let number = fill.number_of(demand) + 1;
                fill.with_one(demand, &demands[demand], number)
            });
            let more: Vec<Fill> = more.collect();
            fills.extend(more);
            fills.sort_unstable();
            fills.dedup();
            if fills.len() > MOST_FILLS {
                return Err(Refusal::of("too many workloads may stay on a GPU out of service."));
            }
        }
        Ok(Room::of(fills))
    }
}

impl Fill {
    /// How many of a demand.
    pub fn number_of(&self, demand: usize) -> u32 {
        self.counts.iter().find(|counted| counted.0 == demand).map_or(0, |counted| counted.1)
    }

    /// With one more of a demand, of which it then has so many.
    fn with_one(&self, demand: usize, about: &Demand, number: u32) -> Fill {
        let mut fill = self.clone();
        match fill.counts.iter_mut().find(|counted| counted.0 == demand) {
            Some(counted) => counted.1 = number,
            None => fill.counts.push((demand, number)),
        }
        fill.counts.sort_unstable();
        fill.cpu += about.cpu;
        fill.memory += about.memory;
        fill
    }

    /// How many of each profile.
    pub fn profiles(
        &self,
        board: &Board,
        profile_of: impl Fn(usize) -> Option<ProfileIndex>,
    ) -> Option<Counts> {
        let mut counts = Counts::zero(board.profiles().len());
        for &(demand, number) in &self.counts {
            let profile = profile_of(demand)?;
            counts.set(profile, counts.get(profile) + number);
        }
        Some(counts)
    }
}
