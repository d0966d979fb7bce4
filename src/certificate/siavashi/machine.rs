//! One machine at the worths of a leaf: what each of its GPUs and each of its workloads can be worth.

use super::counted::{Counted, Type};
use super::kinds::{Kind, Kinds, Slot};
use super::rooms::{Fill, Room};
use super::totals::Total;
use super::worths::Worths;
use crate::refusal::Refusal;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Worths times what there is of anything on a machine stay below this, so that no sum leaves 64 bits.
const LARGEST: i128 = 1 << 60;

/// What workloads of a demand are worth on a machine, one after the other, in descending order.
#[derive(Default)]
pub struct Gains {
    /// The worths, as many as there is room for, or workloads.
    pub values: Vec<i64>,
    /// Whether there are fewer workloads than there is room for.
    pub is_scarce: bool,
}

impl Gains {
    /// Up to which number it matters how many there are: further ones are all worth the same.
    pub fn told_apart(&self) -> usize {
        match self.values.last() {
            Some(&last) if !self.is_scarce => self.values.iter().take_while(|&&value| value > last).count(),
            _ => self.values.len(),
        }
    }
}

/// What a workload counts as that runs on the machine now, as one of its demand there, before what it is worth that it stays on its GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Footing {
    /// What it is worth on another of its GPUs.
    Near,
    /// As much as the most valuable one that comes to the machine, if that is more: it stays, or another one takes its place.
    Level,
}

/// A machine.
pub struct Machine<'m> {
    /// Its kind.
    pub kind: &'m Kind,
    rooms: &'m [Room],
    /// The demands of which it can hold something.
    pub demands: Vec<usize>,
    /// By demand.
    pub gains: Vec<Gains>,
    /// By GPU and fill: what the GPU is worth in use, and what it is worth that workloads stay there.
    pub of_gpu: Vec<Rc<Vec<i64>>>,
    /// What the machine and its GPUs with something pinned are worth in use.
    pub base: i64,
}

/// What a machine holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    /// GPUs in use.
    pub gpus: i128,
    /// Types with how many have a place.
    pub placed: BTreeMap<usize, i128>,
    /// Running workloads that stay on their GPUs.
    pub stay: i128,
    /// By how much less than they are charged these and others cost, in units of migrations.
    pub spared: i128,
}

impl<'m> Machine<'m> {
    /// The machine of a kind, by position, at some worths.
    ///
    /// # Errors
    /// When these are too large, or prove nothing.
    pub fn new(
        counted: &Counted,
        kinds: &'m Kinds,
        position: usize,
        (worths, footing): (&Worths, Footing),
    ) -> Result<Self, Refusal> {
        let machines = &kinds.list[position];
        let kind = &machines.kind;
        let mut largest: i128 = 1;
        let mut small = |worth: i128| -> Result<i64, Refusal> {
            largest = largest.max(worth.abs());
            i64::try_from(worth).map_err(|_| too_large())
        };
        let gpu = small(worths.gpu(position, kind.gpu_weight)?)?;
        let pinned = kind.pinned() as i64;
        let base = small(worths.machine(position, kind.weight)?)?;
        let mut gains: Vec<Gains> = counted.demands.iter().map(|_| Gains::default()).collect();
        let mut standing: Standing = BTreeMap::new();
        for (&demand, &most) in &machines.most {
            let mut values = Vec::new();
            let mut own = Vec::new();
            for &of_type in &counted.demands[demand].types {
                let about = &counted.types[of_type];
                let home = kind.home.get(&of_type).copied().unwrap_or(0);
                let place = worths.place(of_type, position)?;
                let (near, others) = sources(about, home, home);
                if let Some((number, spared)) = near.filter(|&(number, _)| number > 0) {
                    own.push((of_type, number, small(place.saturating_add(worths.spared(spared)?))?));
                }
                let (number, spared) = others;
                let worth = small(place.saturating_add(worths.spared(spared)?))?;
                values.extend(std::iter::repeat_n(worth, number.min(most) as usize));
            }
            let level = values.iter().copied().max().filter(|_| footing == Footing::Level);
            for (of_type, number, near) in own {
                let counts = level.map_or(near, |level| near.max(level));
                standing.insert(of_type, i128::from(counts) - i128::from(near));
                values.extend(std::iter::repeat_n(counts, number.min(most) as usize));
            }
            values.sort_unstable_by_key(|&worth| Reverse(worth));
            let is_scarce = values.len() < most as usize;
            values.truncate(most as usize);
            gains[demand] = Gains { values, is_scarce };
        }
        let mut of_gpu: Vec<Rc<Vec<i64>>> = Vec::with_capacity(kind.slots.len());
        for (slot, about) in kind.slots.iter().enumerate() {
            if slot > 0 && kind.slots[slot - 1] == *about {
                of_gpu.push(of_gpu[slot - 1].clone());
                continue;
            }
            let stays = stays(counted, about, worths, &standing)?;
            let fills = kinds.rooms[about.room].fills.iter().enumerate().map(|(number, fill)| {
                let mut worth = i128::from(if about.is_pinned || fill.counts.is_empty() { 0 } else { gpu });
                for &(demand, number) in &fill.counts {
                    let own = stays.get(&demand).map_or(&[][..], Vec::as_slice);
                    worth += own.iter().take(number as usize).sum::<i128>();
                }
                if let Some(&kept) = about.kept.get(number) {
                    worth += worths.spared(kept)?;
                }
                small(worth)
            });
            of_gpu.push(Rc::new(fills.collect::<Result<_, Refusal>>()?));
        }
        let things: i128 = machines.most.values().map(|&most| i128::from(most)).sum();
        if largest * (2 * things + 2 * kind.slots.len() as i128 + 4) >= LARGEST {
            return Err(too_large());
        }
        let demands = machines.most.keys().copied().collect();
        let base = base + pinned * gpu;
        Ok(Machine { kind, rooms: &kinds.rooms, demands, gains, of_gpu, base })
    }

    /// What a GPU can hold.
    pub fn fills(&self, slot: usize) -> &'m [Fill] {
        &self.rooms[self.kind.slots[slot].room].fills
    }

    /// The room of a GPU.
    pub fn room(&self, slot: usize) -> &'m Room {
        &self.rooms[self.kind.slots[slot].room]
    }

    /// Cores and memory, 0 where they do not limit anything.
    pub fn capacities(&self) -> (i64, i64) {
        (self.kind.cpu.unwrap_or(0), self.kind.memory.unwrap_or(0))
    }

    /// What something needs, as far as it is limited.
    pub fn needs(&self, (cpu, memory): (i64, i64)) -> (i64, i64) {
        (if self.kind.cpu.is_some() { cpu } else { 0 }, if self.kind.memory.is_some() { memory } else { 0 })
    }

    /// What the machine holds with these fills, if there is so much of everything, where workloads are chosen that are worth most.
    pub fn held(&self, counted: &Counted, position: usize, worths: &Worths, fills: &[usize]) -> Option<Held> {
        let (mut held, mut needed) = (Held::default(), (0, 0));
        let mut wanted: BTreeMap<usize, Wanted> = BTreeMap::new();
        let mut home = self.kind.home.clone();
        for ((slot, about), &fill) in self.kind.slots.iter().enumerate().zip(fills) {
            let fill_of = &self.fills(slot)[fill];
            held.gpus += i128::from(about.is_pinned || !fill_of.counts.is_empty());
            held.spared += about.kept.get(fill).copied().unwrap_or(0);
            let needs = self.needs((fill_of.cpu, fill_of.memory));
            needed = (needed.0 + needs.0, needed.1 + needs.1);
            for &(demand, number) in &fill_of.counts {
                let wanted = wanted.entry(demand).or_default();
                wanted.number += number;
                let own = about.residents.iter().filter(|own| own.0 == demand).flat_map(|own| &own.1);
                let own = own.filter_map(|&of_type| {
                    let spared = counted.types[of_type].spared?;
                    Some((worths.stay(spared).ok()?, of_type, spared.stays))
                });
                let mut own: Vec<(i128, usize, i128)> = own.collect();
                own.sort_by_key(|&(worth, ..)| Reverse(worth));
                for (_, of_type, spared) in own.into_iter().take(number as usize) {
                    *home.get_mut(&of_type)? -= 1;
                    wanted.sources.push(Source { of_type, number: 1, spared, stays: true });
                }
            }
        }
        let (cpu, memory) = self.capacities();
        if needed.0 > cpu || needed.1 > memory {
            return None;
        }
        for (demand, mut wanted) in wanted {
            for &of_type in &counted.demands[demand].types {
                let about = &counted.types[of_type];
                let at_home = self.kind.home.get(&of_type).copied().unwrap_or(0);
                let left = home.get(&of_type).copied().unwrap_or(0);
                let (near, others) = sources(about, at_home, left);
                let sources = near.into_iter().chain([others]);
                wanted.sources.extend(sources.map(|(number, spared)| Source {
                    of_type,
                    number,
                    spared,
                    stays: false,
                }));
            }
            let worth = |source: &Source| -> Option<i128> {
                let moves = if source.stays { worths.of_total(Total::Moved) } else { 0 };
                let place = worths.place(source.of_type, position).ok()?;
                Some(place + worths.spared(source.spared).ok()? + moves)
            };
            wanted.sources.sort_by_key(|source| (Reverse(worth(source)), !source.stays, source.of_type));
            let mut missing = wanted.number;
            for source in wanted.sources {
                let taken = i128::from(missing.min(source.number));
                missing -= missing.min(source.number);
                if taken > 0 {
                    *held.placed.entry(source.of_type).or_insert(0) += taken;
                    held.spared += source.spared * taken;
                    held.stay += if source.stays { taken } else { 0 };
                }
            }
            if missing > 0 {
                return None;
            }
        }
        Some(held)
    }
}

/// Workloads of a type that a machine can hold.
struct Source {
    of_type: usize,
    number: u32,
    /// What is spared where each has a place there.
    spared: i128,
    /// Whether they stay on their GPU.
    stays: bool,
}

/// How many workloads of a demand a machine holds, and which ones it can hold.
#[derive(Default)]
struct Wanted {
    number: u32,
    sources: Vec<Source>,
}

/// Where workloads of a type come from, of which so many run on a machine now and so many of these are left: how many, and what is spared
/// where they come to one of its GPUs; those from the machine itself, if it matters where they run, and the others.
fn sources(about: &Type, home: u32, left: u32) -> (Option<(u32, i128)>, (u32, i128)) {
    match about.spared {
        None => (None, (about.number, 0)),
        Some(spared) => (Some((left, spared.near)), (about.number - home, spared.abroad)),
    }
}

/// By type, by how much more a workload that runs on the machine counts than on another of its GPUs.
type Standing = BTreeMap<usize, i128>;

/// By demand: what it is worth beyond what it counts that each of those on a GPU stays there, the most first.
fn stays(
    counted: &Counted,
    slot: &Slot,
    worths: &Worths,
    standing: &Standing,
) -> Result<BTreeMap<usize, Vec<i128>>, Refusal> {
    let mut stays = BTreeMap::new();
    for (demand, types) in &slot.residents {
        let own = types.iter().filter_map(|of_type| Some((of_type, counted.types[*of_type].spared?)));
        let worth = |(of_type, spared)| {
            let counts = standing.get(of_type).copied().unwrap_or(0);
            Ok((worths.stay(spared)? - counts).max(0))
        };
        let mut own = own.map(worth).collect::<Result<Vec<i128>, Refusal>>()?;
        own.sort_unstable_by_key(|&worth| Reverse(worth));
        stays.insert(*demand, own);
    }
    Ok(stays)
}

fn too_large() -> Refusal {
    Refusal::of("its numbers, times the amounts of the instance, are too large for the content of a machine.")
}
