//! What a schedule takes of each GPU and of each host, peak by peak.

use super::super::machines::beside;
use super::super::timeline::Timeline;
use cluster::{Cluster, Demands, GpuIndex, Location, Placement, RequestIndex, WorkloadIndex};
use ground::Amount;
use itertools::Itertools;
use mig::{GpuInstance, SlotMask};
use std::collections::BTreeMap;
use std::ops::Range;

/// A schedule that is being changed, and what it takes.
pub struct Occupancy {
    members: Vec<Member>,
    gpus: Vec<Gpu>,
    /// What is limited besides slots: limits of boards, CPU and main memory of hosts.
    meters: Vec<Meter>,
    /// By member, where it is.
    seats: Vec<Option<Seat>>,
}

/// A virtual machine that may be scheduled.
struct Member {
    position: usize,
    /// The numbers of the peaks at which it is there.
    span: Range<usize>,
    /// The number of what it asks for.
    kind: usize,
}

struct Gpu {
    /// By peak.
    occupied: Vec<SlotMask>,
    /// By slot and peak, the number of the member that has it.
    guests: Vec<Vec<u32>>,
    /// The numbers of its meters.
    meters: Vec<usize>,
    /// The GPUs of its host, itself among them.
    beside: Vec<usize>,
    /// By kind.
    offers: Vec<Offer>,
}

/// The guest of a free slot.
const NOBODY: u32 = u32::MAX;

/// What a GPU has for a kind.
#[derive(Default)]
struct Offer {
    places: Vec<Location>,
    /// The slots that an instance takes at each place.
    footprints: Vec<SlotMask>,
    /// What it takes of each meter of the GPU.
    needs: Vec<f64>,
}

/// Numbers are whole, so that sums are exact.
struct Meter {
    capacity: f64,
    /// By peak.
    used: Vec<f64>,
}

/// A GPU, and the number of a place among those that it has for a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    pub gpu: usize,
    pub place: usize,
}

/// Where there is too little for a member: the number of a meter among those of the GPU, and the number of a peak.
pub struct Lack {
    meter: usize,
    peak: usize,
}

impl Occupancy {
    /// A schedule of the virtual machines at some ascending positions.
    pub fn of(cluster: &Cluster, timeline: &Timeline, positions: &[usize], schedule: &Placement) -> Self {
        let peaks = timeline.peaks_among(positions);
        let mut kinds: BTreeMap<(RequestIndex, Amount, Amount), usize> = BTreeMap::new();
        let mut examples = Vec::new();
        let mut members = Vec::with_capacity(positions.len());
        for &position in positions {
            let about = &cluster.workloads[position];
            let kind = *kinds.entry((about.request, about.cpu, about.memory)).or_insert_with(|| {
                examples.push(WorkloadIndex::at(position));
                examples.len() - 1
            });
            let number = |time: usize| peaks.partition_point(|&peak| peak < time);
            members.push(Member { position, span: number(position)..number(timeline.end(position)), kind });
        }
        let (gpus, meters) = stock(cluster, &examples, peaks.len());
        let seats = vec![None; members.len()];
        let mut occupancy = Occupancy { members, gpus, meters, seats };
        for (member, &position) in positions.iter().enumerate() {
            if let Some(location) = schedule.of(WorkloadIndex::at(position)) {
                let gpu = location.gpu.index();
                let place = occupancy.offer(member, gpu).places.iter().position(|place| *place == location);
                occupancy.seat(member, Seat { gpu, place: place.expect("schedules are legal") });
            }
        }
        occupancy
    }

    /// Where each member is.
    pub fn seats(&self) -> &[Option<Seat>] {
        &self.seats
    }

    /// The schedule of so many virtual machines that gives members these places.
    pub fn schedule(&self, seats: &[Option<Seat>], virtual_machines: usize) -> Placement {
        let mut schedule = Placement::new(vec![None; virtual_machines]);
        for (number, (member, seat)) in self.members.iter().zip(seats).enumerate() {
            let place = seat.map(|seat| self.offer(number, seat.gpu).places[seat.place]);
            schedule.set(WorkloadIndex::at(member.position), place);
        }
        schedule
    }

    /// The number of GPUs.
    pub fn gpus(&self) -> usize {
        self.gpus.len()
    }

    /// How many places a GPU has for a member when it is empty.
    pub fn places(&self, member: usize, gpu: usize) -> usize {
        self.offer(member, gpu).places.len()
    }

    /// The places of a GPU that have free slots for a member all the time that it is there.
    pub fn free_places(&self, member: usize, gpu: usize) -> impl Iterator<Item = usize> + '_ {
        let occupied = &self.gpus[gpu].occupied[self.members[member].span.clone()];
        let occupied = occupied.iter().fold(SlotMask::EMPTY, |all, slots| all.union(*slots));
        let footprints = self.offer(member, gpu).footprints.iter();
        footprints.positions(move |slots| !slots.intersects(occupied))
    }

    /// The guests whose slots a member would take, once for each of these slots.
    pub fn in_the_way<'o>(&'o self, member: usize, seat: Seat) -> impl Iterator<Item = usize> + 'o {
        let Range { start, end } = self.members[member].span;
        let guests = &self.gpus[seat.gpu].guests[slots(self.offer(member, seat.gpu).footprints[seat.place])];
        let on_slot = move |guests: &'o Vec<u32>| {
            let mut peak = start;
            std::iter::from_fn(move || {
                peak += guests[peak..end].iter().position(|&guest| guest != NOBODY)?;
                let guest = guests[peak] as usize;
                peak = end.min(self.members[guest].span.end);
                Some(guest)
            })
        };
        guests.iter().flat_map(on_slot).filter(move |&guest| guest != member)
    }

    /// Where the meters of a GPU leave too little for a member: the first peak from some share of its stay on, and those before in the end.
    pub fn lack(&self, member: usize, gpu: usize, share: f64) -> Option<Lack> {
        let Member { span, .. } = &self.members[member];
        let needs = &self.offer(member, gpu).needs;
        let meters = self.gpus[gpu].meters.iter().zip(needs).enumerate();
        for (meter, (&number, &need)) in meters.filter(|(_, (_, need))| **need > 0.0) {
            let Meter { capacity, used } = &self.meters[number];
            let (used, room) = (&used[span.clone()], capacity - need);
            let is_short = used.iter().fold(false, |any, used| any | (*used > room));
            if is_short {
                let from = (share * span.len() as f64) as usize;
                let mut peaks = (from..span.len()).chain(0..from);
                let peak = peaks.find(|&peak| used[peak] > room).expect("there is one") + span.start;
                return Some(Lack { meter, peak });
            }
        }
        None
    }

    /// The guests that use what a member lacks on a GPU.
    pub fn users<'o>(&'o self, gpu: usize, lack: &'o Lack) -> impl Iterator<Item = usize> + 'o {
        let Gpu { meters, beside, .. } = &self.gpus[gpu];
        let meter = meters[lack.meter];
        let on_meter = beside.iter().filter_map(move |&other| {
            let number = self.gpus[other].meters.iter().position(|&number| number == meter)?;
            Some((other, number))
        });
        on_meter.flat_map(move |(other, number)| {
            let there = self.gpus[other].guests.iter().map(|guests| guests[lack.peak]).dedup();
            let members = there.filter(|&guest| guest != NOBODY).map(|guest| guest as usize);
            members.filter(move |&member| self.offer(member, other).needs[number] > 0.0)
        })
    }

    /// Gives a place to a member that has none. Slots and meters must have room.
    pub fn seat(&mut self, member: usize, seat: Seat) {
        self.change(member, seat, member as u32, |used, need| *used += need);
        self.seats[member] = Some(seat);
    }

    /// Takes the place of a member that has one.
    pub fn unseat(&mut self, member: usize) -> Seat {
        let seat = self.seats[member].take().expect("it has a place");
        self.change(member, seat, NOBODY, |used, need| *used -= need);
        seat
    }

    /// Gives the slots of a member's place to a guest or to nobody, and changes what is used of the meters there.
    fn change(&mut self, member: usize, seat: Seat, guest: u32, meter: impl Fn(&mut f64, f64)) {
        let Occupancy { members, gpus, meters, .. } = self;
        let Member { span, kind, .. } = &members[member];
        let Gpu { occupied, guests, meters: own, offers, .. } = &mut gpus[seat.gpu];
        let Offer { footprints, needs, .. } = &offers[*kind];
        let changed = footprints[seat.place];
        let taken = if guest == NOBODY { SlotMask::EMPTY } else { changed };
        occupied[span.clone()].iter_mut().for_each(|slots| *slots = slots.without(changed).union(taken));
        guests[slots(changed)].iter_mut().for_each(|guests| guests[span.clone()].fill(guest));
        for (&number, &need) in own.iter().zip(needs) {
            meters[number].used[span.clone()].iter_mut().for_each(|used| meter(used, need));
        }
    }

    fn offer(&self, member: usize, gpu: usize) -> &Offer {
        &self.gpus[gpu].offers[self.members[member].kind]
    }
}

/// Those of an instance, which are next to each other.
fn slots(footprint: SlotMask) -> Range<usize> {
    let first = footprint.0.trailing_zeros();
    first as usize..(first + footprint.count()) as usize
}

/// Empty GPUs, with what they have for each kind, of which there are examples; and all meters.
fn stock(cluster: &Cluster, examples: &[WorkloadIndex], peaks: usize) -> (Vec<Gpu>, Vec<Meter>) {
    let mut meters = Vec::new();
    let mut meter = |capacity: f64, need: &dyn Fn(WorkloadIndex) -> f64| {
        meters.push(Meter { capacity, used: vec![0.0; peaks] });
        (meters.len() - 1, examples.iter().map(|&example| need(example)).collect_vec())
    };
    let demands = Demands::of(cluster);
    let mut of_hosts = Vec::new();
    for host in &cluster.hosts {
        let limited = demands.limited(&[(host.cpu, host.memory)]);
        let limited = limited
            .map(|resource| meter(resource.capacity, &|example| resource.of_workload(cluster, example)));
        of_hosts.push(limited.collect_vec());
    }
    let gpu = |gpu: GpuIndex| {
        let board = cluster.board_of(gpu);
        let about = &cluster.gpus[gpu.index()];
        let profile = |example: WorkloadIndex| {
            cluster.requests[cluster.workloads[example.index()].request.index()].on_board[about.board.index()]
        };
        let mut metered = board
            .limits()
            .iter()
            .map(|limit| {
                let need =
                    |example| profile(example).map_or(0.0, |profile| f64::from(limit.usage_of(profile)));
                meter(f64::from(limit.capacity), &need)
            })
            .collect_vec();
        metered.extend(about.host.iter().flat_map(|host| of_hosts[host.index()].iter().cloned()));
        let offer = |(kind, &example): (usize, &WorkloadIndex)| {
            let profile = profile(example)?;
            let starts = &board.profile(profile).starts;
            Some(Offer {
                places: starts.iter().map(|&start| Location { gpu, start }).collect(),
                footprints: starts
                    .iter()
                    .map(|&start| board.footprint(GpuInstance { profile, start }))
                    .collect(),
                needs: metered.iter().map(|(_, needs)| needs[kind]).collect(),
            })
        };
        Gpu {
            occupied: vec![SlotMask::EMPTY; peaks],
            guests: vec![vec![NOBODY; peaks]; board.slots() as usize],
            meters: metered.iter().map(|&(meter, _)| meter).collect(),
            beside: beside(cluster, gpu).map(GpuIndex::index).collect(),
            offers: examples.iter().enumerate().map(|kind| offer(kind).unwrap_or_default()).collect(),
        }
    };
    (cluster.gpu_indices().map(gpu).collect(), meters)
}
