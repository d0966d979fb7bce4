//! Machines of which the same may become, counted.

use super::counted::{Counted, Demand, moderate, whole};
use super::question::{Machine, Question};
use super::rooms::{Fill, Room};
use crate::names::{one_word, unique};
use crate::refusal::Refusal;
use cluster::{BoardIndex, GpuIndex, Maintenance, WorkloadIndex};
use mig::{Board, GpuInstance, ProfileIndex, arrangements, fill_table};
use std::collections::{BTreeMap, BTreeSet};

/// A GPU of a machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// What it can hold, by position.
    pub room: usize,
    /// Whether something is pinned there.
    pub is_pinned: bool,
    /// Those that run there now and may stay: by demand, their types.
    pub residents: Vec<(usize, Vec<usize>)>,
    /// By fill: what is spared at most in units of migrations, as some of these keep their slots; empty where that is nothing.
    pub kept: Vec<i128>,
}

/// Machines that are alike.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Cores beside what is pinned, in units, where they limit anything.
    pub cpu: Option<i64>,
    /// Main memory, likewise.
    pub memory: Option<i64>,
    /// What a machine in use counts, in units of hardware.
    pub weight: i128,
    /// What each of its GPUs in use counts.
    pub gpu_weight: i128,
    /// Its GPUs, in a fixed order.
    pub slots: Vec<Slot>,
    /// Those that run there now, pinned ones excluded: types with their numbers.
    pub home: BTreeMap<usize, u32>,
}

impl Kind {
    /// How many GPUs carry something pinned.
    pub fn pinned(&self) -> usize {
        self.slots.iter().filter(|slot| slot.is_pinned).count()
    }

    /// The same where it does not matter what runs there now.
    fn forgetful(&self) -> Kind {
        let mut kind = self.clone();
        kind.home.clear();
        for slot in &mut kind.slots {
            slot.residents.clear();
            slot.kept.clear();
        }
        kind.slots.sort_unstable();
        kind
    }
}

/// Machines of a kind.
pub struct Machines {
    /// What certificates call the kind: the first of them.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// How many they are.
    pub number: u32,
    /// The first kind that is like this one where it does not matter what runs there now, by position.
    pub alike: usize,
    /// The demands of which a machine can hold something, each with how many at most, whatever there is.
    pub most: BTreeMap<usize, u32>,
}

/// All machines.
pub struct Kinds {
    /// The kinds, in the order of their first machines.
    pub list: Vec<Machines>,
    /// What GPUs can hold.
    pub rooms: Vec<Room>,
    /// Per machine: the position of its kind.
    pub of: Vec<usize>,
}

/// What decides what a GPU can hold: its board, what is pinned there, and what may start or, where nothing may, stay.
type RoomKey = (BoardIndex, Vec<GpuInstance>, bool, Vec<usize>);

struct Builder<'b> {
    question: &'b Question<'b>,
    counted: &'b Counted,
    rooms: Vec<Room>,
    known: BTreeMap<RoomKey, usize>,
}

impl Kinds {
    /// Counts the machines of a question.
    ///
    /// # Errors
    /// When the question contradicts itself, or there is too much to list.
    pub fn of(question: &Question<'_>, counted: &Counted) -> Result<Self, Refusal> {
        let by_gpu = question.cluster.current_placement().by_gpu(question.cluster);
        Kinds::with(question, counted, |gpu| &by_gpu[gpu.index()])
    }

    /// Counts machines like those of a question on which nothing runs.
    ///
    /// # Errors
    /// When there is too much to list.
    pub fn of_bare(question: &Question<'_>, counted: &Counted) -> Result<Self, Refusal> {
        Kinds::with(question, counted, |_| &[])
    }

    /// Counts the machines of a question, where these workloads run on GPUs.
    fn with<'r>(
        question: &Question<'_>,
        counted: &Counted,
        running: impl Fn(GpuIndex) -> &'r [WorkloadIndex],
    ) -> Result<Self, Refusal> {
        let mut builder = Builder { question, counted, rooms: Vec::new(), known: BTreeMap::new() };
        let (mut known, mut alike, mut names) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let (mut list, mut of): (Vec<Machines>, Vec<usize>) = (Vec::new(), Vec::new());
        for machine in &question.machines {
            let on_gpus = machine.gpus.iter().map(|&gpu| (gpu, running(gpu)));
            let kind = builder.kind(machine, &on_gpus.collect::<Vec<_>>())?;
            let position = *known.entry(kind.clone()).or_insert(list.len());
            if position == list.len() {
                let alike = *alike.entry(kind.forgetful()).or_insert(position);
                let mut most = BTreeMap::new();
                for slot in &kind.slots {
                    for (&demand, number) in &builder.rooms[slot.room].most {
                        *most.entry(demand).or_insert(0) += number;
                    }
                }
                let name = unique(&one_word(machine.name), &mut names);
                list.push(Machines { name, kind, number: 0, alike, most });
            }
            list[position].number += 1;
            of.push(position);
        }
        Ok(Kinds { list, rooms: builder.rooms, of })
    }
}

impl Builder<'_> {
    fn kind(
        &mut self,
        machine: &Machine<'_>,
        on_gpus: &[(GpuIndex, &[WorkloadIndex])],
    ) -> Result<Kind, Refusal> {
        let units = &self.counted.units;
        let mut needed = [0, 0];
        let mut home = BTreeMap::new();
        for &workload in on_gpus.iter().flat_map(|(_, workloads)| workloads.iter()) {
            match self.counted.type_of[workload.index()] {
                Some(of_type) => *home.entry(of_type).or_insert(0) += 1,
                None => {
                    let needs = units.needs(self.question, workload)?;
                    needed = [needed[0] + needs[0], needed[1] + needs[1]];
                }
            }
        }
        let mut slots = Vec::new();
        for &(gpu, workloads) in on_gpus {
            slots.push(self.slot(gpu, workloads)?);
        }
        slots.sort_unstable();
        let left = |capacity: Option<ground::Amount>, position: usize| -> Result<Option<i64>, Refusal> {
            let Some(capacity) = capacity else { return Ok(None) };
            let unit = units.resources[position];
            let left = moderate(capacity.millionths().div_euclid(unit.millionths()).min(1 << 49))?
                - needed[position];
            let needs = |demand: &Demand| {
                i128::from([demand.cpu, demand.memory][position]) * i128::from(demand.number)
            };
            let all: i128 = self.counted.demands.iter().map(needs).sum();
            match left {
                ..0 => Err(Refusal::of("what is pinned needs more than a machine has.")),
                _ => Ok((all > i128::from(left)).then_some(left)),
            }
        };
        Ok(Kind {
            cpu: left(machine.cpu, 0)?,
            memory: left(machine.memory, 1)?,
            weight: whole(machine.weight, units.terms[1])?,
            gpu_weight: whole(machine.gpu_weight, units.terms[1])?,
            slots,
            home,
        })
    }

    fn slot(&mut self, gpu: GpuIndex, workloads: &[WorkloadIndex]) -> Result<Slot, Refusal> {
        let cluster = self.question.cluster;
        let board_index = cluster.gpus[gpu.index()].board;
        let board: &Board = &cluster.boards[board_index.index()];
        let maintenance = cluster.gpus[gpu.index()].maintenance;
        let (mut pinned, mut staying) = (Vec::new(), Vec::new());
        for &workload in workloads {
            let place = cluster.workloads[workload.index()].current;
            let instance = place.and_then(|place| cluster.instance_at(workload, place));
            let instance =
                instance.ok_or_else(|| Refusal::of("a running workload is not where it can run."))?;
            match self.counted.type_of[workload.index()] {
                None => pinned.push(instance),
                Some(of_type) if maintenance != Maintenance::Draining && cluster.admits(workload, gpu) => {
                    staying.push((of_type, instance));
                }
                Some(_) => {}
            }
        }
        pinned.sort_unstable();
        let profile_of = |demand: usize| {
            let request = &cluster.requests[self.counted.demands[demand].request.index()];
            request.on_board[board_index.index()]
        };
        let is_open = maintenance.is_in_service();
        let demand_of = |of_type: usize| self.counted.types[of_type].demand;
        let mut demands: Vec<usize> = match is_open {
            true => (0..self.counted.demands.len())
                .filter(|&demand| {
                    let nodes = self.counted.demands[demand].nodes;
                    nodes.is_none_or(|nodes| cluster.node_set_has(nodes, gpu)) && profile_of(demand).is_some()
                })
                .collect(),
            false => staying.iter().map(|&(of_type, _)| demand_of(of_type)).collect(),
        };
        demands.sort_unstable();
        let key = (board_index, pinned, is_open, demands);
        let room = match self.known.get(&key) {
            Some(&room) => room,
            None => {
                let (_, pinned, _, demands) = &key;
                let room = match is_open {
                    true => {
                        let served = |&demand: &usize| Some((demand, profile_of(demand)?));
                        let served: Vec<(usize, ProfileIndex)> = demands.iter().filter_map(served).collect();
                        let used = mig::Counts::from_instances(board.profiles().len(), pinned);
                        let remaining = board.full_limits().after(board, &used);
                        let remaining = remaining
                            .ok_or_else(|| Refusal::of("what is pinned exceeds a limit of its GPU."))?;
                        let multisets = fill_table(board, board.used_slots(pinned), &remaining);
                        Room::in_service(board, &multisets, &self.counted.demands, &served)?
                    }
                    false => Room::of_staying(demands, &self.counted.demands)?,
                };
                self.rooms.push(room);
                self.known.insert(key.clone(), self.rooms.len() - 1);
                self.rooms.len() - 1
            }
        };
        let mut residents: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &(of_type, _) in &staying {
            residents.entry(demand_of(of_type)).or_default().push(of_type);
        }
        residents.values_mut().for_each(|types| types.sort_unstable());
        let kept = self.kept(board, &key.1, is_open, &staying, &self.rooms[room], &profile_of);
        Ok(Slot { room, is_pinned: !key.1.is_empty(), residents: residents.into_iter().collect(), kept })
    }

    /// By fill: what is spared at most by those that keep their slots, in some layout of the GPU that holds the fill.
    fn kept(
        &self,
        board: &Board,
        pinned: &[GpuInstance],
        is_open: bool,
        staying: &[(usize, GpuInstance)],
        room: &Room,
        profile_of: &dyn Fn(usize) -> Option<ProfileIndex>,
    ) -> Vec<i128> {
        let keeps = |of_type: usize| self.counted.types[of_type].spared.map_or(0, |spared| spared.keeps);
        if staying.iter().all(|&(of_type, _)| keeps(of_type) == 0) {
            return Vec::new();
        }
        let of_layout = |fill: &Fill, is_in: &dyn Fn(GpuInstance) -> bool| -> i128 {
            let of_demand = |&(demand, number): &(usize, u32)| -> i128 {
                let own = staying.iter().filter(|&&(of_type, instance)| {
                    self.counted.types[of_type].demand == demand && is_in(instance)
                });
                let mut spared: Vec<i128> = own.map(|&(of_type, _)| keeps(of_type)).collect();
                spared.sort_unstable_by_key(|&spared| std::cmp::Reverse(spared));
                spared.into_iter().take(number as usize).sum()
            };
            fill.counts.iter().map(of_demand).sum()
        };
        let of_fill = |fill: &Fill| {
            if !is_open {
                return of_layout(fill, &|_| true);
            }
            let Some(counts) = fill.profiles(board, profile_of) else { return 0 };
            let layouts = arrangements(board, board.used_slots(pinned), &counts);
            let of_layout =
                |layout: &Vec<GpuInstance>| of_layout(fill, &|instance| layout.contains(&instance));
            layouts.iter().map(of_layout).max().unwrap_or(0)
        };
        room.fills.iter().map(of_fill).collect()
    }
}
