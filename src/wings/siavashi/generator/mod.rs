//! Seeded random intervals: a cluster fragmented by churn, and newcomers.

mod parameters;

pub use parameters::{GENERATOR, GeneratorOptions, Mix};

use crate::section::{Residents, Settings};
use cluster::{HostGpus, HostSection, OneOrMany, Spot, WorkloadSection};
use ground::Amount;
use kit::{Choices, Draft, located};
use mig::{Board, GpuInstance, ProfileIndex, Remaining, SlotMask, distinct_profiles};
use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

/// CPU cores and main memory in GiB of each GPU's share of its machine.
const SHARE_OF_GPU: (u32, u32) = (16, 96);

/// Cores and GiB of a virtual machine.
type Flavour = (u32, u32);

/// A profile of the A100-40GB, by which the profiles of all boards are measured.
struct Measure {
    /// Memory slices of 8.
    size: f64,
    /// Compute slices of 7.
    compute: f64,
    /// Cores and GiB of its two flavours of virtual machines.
    flavours: [Flavour; 2],
    /// Frequency in each mix, in the order of [`Mix`].
    frequency: [u32; 4],
}

const MEASURES: [Measure; 6] = [
    Measure { size: 1.0, compute: 1.0, flavours: [(2, 8), (4, 16)], frequency: [6, 8, 1, 1] },
    Measure { size: 2.0, compute: 1.0, flavours: [(2, 16), (4, 16)], frequency: [3, 5, 1, 1] },
    Measure { size: 2.0, compute: 2.0, flavours: [(4, 16), (8, 32)], frequency: [4, 7, 1, 1] },
    Measure { size: 4.0, compute: 3.0, flavours: [(8, 32), (12, 48)], frequency: [3, 8, 1, 4] },
    Measure { size: 4.0, compute: 4.0, flavours: [(8, 64), (12, 48)], frequency: [2, 12, 1, 4] },
    Measure { size: 8.0, compute: 7.0, flavours: [(12, 96), (16, 128)], frequency: [1, 40, 1, 3] },
];

/// A random interval on machines of one board type, each with 16 cores and 96 GiB for each GPU.
///
/// Workloads of random profiles, each in one of two flavours of cores and memory, are placed first fit on the GPUs in random
/// order at random legal starts; of those that found room a random part goes on running, the others have left. Newcomers ask
/// for random profiles.
pub fn generate(options: &GeneratorOptions) -> Draft<Settings> {
    let board = &*options.board;
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let kinds = Kinds::of(board, options.mix);
    let slots = f64::from(options.gpus_per_machine * board.slots());
    let wanted = f64::from(options.workloads) * kinds.mean_size;
    let machines = (wanted / options.load / slots).round().max(1.0) as u32;
    let room = (0.75 * f64::from(machines) * slots / kinds.mean_size) as u32;
    let residents = ((options.residents * f64::from(options.workloads)) as u32).min(room);
    let mut past = Past::new(options, machines);
    let arrivals = (options.churn * f64::from(residents)).round() as u32;
    for _ in 0..arrivals {
        past.arrive(kinds.draw(&mut random), &mut random);
    }
    past.running.shuffle(&mut random);
    past.running.truncate(residents as usize);
    past.running.sort_by_key(|(gpu, instance, _)| (*gpu, instance.start));
    let running = past.running.iter().enumerate().map(|(number, &(gpu, instance, flavour))| {
        let spot = Spot { gpu: past.gpu_name(gpu), start: instance.start.0 };
        workload(board, format!("run-{number}"), instance.profile, flavour, Some(spot))
    });
    let mut workloads: Vec<WorkloadSection> = running.collect();
    let running = workloads.len() as u32;
    for number in 0..options.workloads - running {
        let (profile, flavour) = kinds.draw(&mut random);
        workloads.push(workload(board, format!("new-{number}"), profile, flavour, None));
    }
    let (cpu, memory) =
        (SHARE_OF_GPU.0 * options.gpus_per_machine, SHARE_OF_GPU.1 * options.gpus_per_machine);
    let gpus = HostGpus::new(board.name().to_owned(), options.gpus_per_machine);
    let host = HostSection {
        count: Some(machines),
        cpu: Some(Amount::whole(i128::from(cpu))),
        memory_gib: Some(Amount::whole(i128::from(memory))),
        ..HostSection::new("pm".to_owned(), OneOrMany::One(gpus))
    };
    let percent = (100.0 * options.load).round();
    let keep = options.setting == Residents::Keep;
    Draft {
        name: format!(
            "siavashi-{}-{}-load{percent}{}-seed{}",
            options.mix.name(),
            options.workloads,
            if keep { "-keep" } else { "" },
            options.seed
        ),
        description: Some(format!(
            "Generated interval: {machines} machines with {} x {} each, {running} running workloads, {} newcomers.",
            options.gpus_per_machine,
            board.name(),
            options.workloads - running
        )),
        hosts: vec![located(host)],
        workloads: workloads.into_iter().map(located).collect(),
        section: Some(Settings { residents: options.setting, ..Settings::default() }),
        ..Draft::default()
    }
}

/// The profiles of a board with their frequencies and flavours.
struct Kinds {
    entries: Vec<(ProfileIndex, u32, [Flavour; 2])>,
    mean_size: f64,
}

impl Kinds {
    fn of(board: &Board, mix: Mix) -> Self {
        let entry = |profile: ProfileIndex| {
            let about = board.profile(profile);
            let size = f64::from(about.size) / f64::from(board.slots());
            let compute = f64::from(about.compute) / f64::from(board.compute());
            let distance = |measure: &&Measure| {
                (size - measure.size / 8.0).abs() + (compute - measure.compute / 7.0).abs()
            };
            let nearest = MEASURES.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)));
            let nearest = nearest.expect("there are measures");
            (profile, nearest.frequency[mix as usize], nearest.flavours)
        };
        let entries: Vec<_> = distinct_profiles(board).into_iter().map(entry).collect();
        let total: u32 = entries.iter().map(|(_, frequency, _)| frequency).sum();
        let sizes: u32 =
            entries.iter().map(|&(profile, frequency, _)| frequency * board.profile(profile).size).sum();
        Kinds { entries, mean_size: f64::from(sizes) / f64::from(total) }
    }

    fn draw(&self, random: &mut ChaCha8Rng) -> (ProfileIndex, Flavour) {
        let (profile, _, flavours) =
            self.entries.choose_weighted(random, |entry| entry.1).expect("frequencies are positive");
        (*profile, *flavours.choose(random).expect("there are two"))
    }
}

type Running = (u32, GpuInstance, Flavour);

/// The cluster while workloads arrive.
struct Past<'b> {
    board: &'b Board,
    gpus_per_machine: u32,
    /// Positions of the GPUs in random order.
    order: Vec<u32>,
    occupied: Vec<SlotMask>,
    remaining: Vec<Remaining>,
    /// Free cores and GiB of each machine.
    free: Vec<(u32, u32)>,
    running: Vec<Running>,
}

impl<'b> Past<'b> {
    fn new(options: &'b GeneratorOptions, machines: u32) -> Self {
        let board = &*options.board;
        let (each, gpus) = (options.gpus_per_machine, machines * options.gpus_per_machine);
        let mut random = ChaCha8Rng::seed_from_u64(options.seed ^ 0x9e37_79b9_7f4a_7c15);
        let mut order: Vec<u32> = (0..gpus).collect();
        order.shuffle(&mut random);
        Past {
            board,
            gpus_per_machine: each,
            order,
            occupied: vec![SlotMask::EMPTY; gpus as usize],
            remaining: vec![board.full_limits(); gpus as usize],
            free: vec![(SHARE_OF_GPU.0 * each, SHARE_OF_GPU.1 * each); machines as usize],
            running: Vec::new(),
        }
    }

    fn gpu_name(&self, gpu: u32) -> String {
        format!("pm-{}/{}", gpu / self.gpus_per_machine, gpu % self.gpus_per_machine)
    }

    /// Places a workload on the first GPU that takes it, if there is one.
    fn arrive(&mut self, (profile, flavour): (ProfileIndex, Flavour), random: &mut ChaCha8Rng) {
        for &gpu in &self.order {
            let (position, machine) = (gpu as usize, (gpu / self.gpus_per_machine) as usize);
            let (cpu, memory) = self.free[machine];
            let Some(remaining) = self.remaining[position].take(self.board, profile) else { continue };
            if cpu < flavour.0 || memory < flavour.1 {
                continue;
            }
            let starts =
                self.board.profile(profile).starts.iter().map(|&start| GpuInstance { profile, start });
            let open: Vec<GpuInstance> = starts
                .filter(|&instance| !self.board.footprint(instance).intersects(self.occupied[position]))
                .collect();
            if let Some(&instance) = open.choose(random) {
                self.occupied[position] = self.occupied[position].union(self.board.footprint(instance));
                self.remaining[position] = remaining;
                self.free[machine] = (cpu - flavour.0, memory - flavour.1);
                self.running.push((gpu, instance, flavour));
                return;
            }
        }
    }
}

fn workload(
    board: &Board,
    name: String,
    profile: ProfileIndex,
    flavour: Flavour,
    current: Option<Spot>,
) -> WorkloadSection {
    WorkloadSection {
        current: current.map(OneOrMany::One),
        cpu: Amount::whole(i128::from(flavour.0)),
        memory_gib: Amount::whole(i128::from(flavour.1)),
        ..WorkloadSection::new(name, board.profile(profile).name.clone())
    }
}
