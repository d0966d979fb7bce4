//! Small instances of model siavashi.
//!
//! Drawn are hosts with their GPUs, their cores and memory limited or not, GPUs outside hosts, GPUs of one or several boards, machines
//! that are often alike, residents and newcomers, pinned ones among the residents, workloads that are often alike or have a second
//! profile, weights of machines and workloads, both readings of residents and of active GPUs, migration costs, and sums and sequences of
//! goals. Every instance is feasible, unless [rules of clusters](Parameters::rules) are drawn as well.
//!
//! Never drawn are replicas and counts, hosts without GPUs, more than two profiles of a workload, a profile that no GPU of the instance has,
//! and capacities finer than a half.

use super::amounts::{costs, halves, weights};
use super::boards::{self, Choice};
use super::residents::{GpuRoom, Wish, wishes};
use super::rules::{self, Rules};
use cluster::OneOrMany;
use cluster::{HostGpus, HostSection, Spot, WorkloadSection};
use ground::Amount;
use kit::located;
use models::InstanceFile;
use proptest::prelude::*;
use proptest::sample::select;
use siavashi::{ActiveGpus, MigrationCosts, Objective, Residents, Settings};

/// The objectives that are drawn.
const OBJECTIVES: [&str; 14] = [
    "lexicographic:acceptance,hardware,migrations",
    "lexicographic:acceptance,migrations,hardware",
    "lexicographic:hardware,acceptance,migrations",
    "lexicographic:migrations,acceptance,hardware",
    "lexicographic:migrations,hardware",
    "lexicographic:acceptance,hardware",
    "lexicographic:acceptance",
    "lexicographic:hardware",
    "weighted",
    "weighted:acceptance=1,hardware=1,migrations=1",
    "weighted:acceptance=3,hardware=0.5,migrations=0.25",
    "weighted:acceptance=2,hardware=1,migrations=0",
    "weighted:acceptance=0.5,hardware=0,migrations=1.5",
    "weighted:acceptance=1000,hardware=20,migrations=0.1",
];

/// Bounds of what is drawn.
#[derive(Clone, Debug)]
pub struct Parameters {
    most_machines: usize,
    most_gpus: usize,
    most_workloads: usize,
    boards: Vec<String>,
    own_geometry: bool,
    rules: bool,
}

impl Default for Parameters {
    /// Up to three machines with together four GPUs, and five workloads, of all that this strategy can draw.
    fn default() -> Self {
        Parameters {
            most_machines: 3,
            most_gpus: 4,
            most_workloads: 5,
            boards: ["A30-24GB", "A100-40GB", "RTX PRO 6000 Blackwell 96GB"].map(str::to_owned).to_vec(),
            own_geometry: true,
            rules: false,
        }
    }
}

impl Parameters {
    /// At most so many machines, and at least one.
    pub fn most_machines(self, most: usize) -> Self {
        Parameters { most_machines: most.max(1), ..self }
    }

    /// At most so many GPUs of all machines together, and at least one.
    pub fn most_gpus(self, most: usize) -> Self {
        Parameters { most_gpus: most.max(1), ..self }
    }

    /// At most so many workloads, and at least one.
    pub fn most_workloads(self, most: usize) -> Self {
        Parameters { most_workloads: most.max(1), ..self }
    }

    /// Only these boards of the catalogue, the plainest first. The strategy panics if the catalogue does not have one of them.
    pub fn boards(self, names: &[&str]) -> Self {
        Parameters { boards: names.iter().map(|&name| name.to_owned()).collect(), ..self }
    }

    /// Whether rules of clusters are drawn as well: GPUs cordoned or to be drained, nodes, groups, budgets of changes, all mixed. With
    /// them an instance may be infeasible.
    pub fn rules(self, rules: bool) -> Self {
        Parameters { rules, ..self }
    }

    pub(super) fn has_rules(&self) -> bool {
        self.rules
    }

    /// Whether boards are drawn as well whose geometry the instance gives.
    pub fn own_geometry(self, own_geometry: bool) -> Self {
        Parameters { own_geometry, ..self }
    }
}

/// A machine before it is written down.
#[derive(Clone, Debug)]
struct Machine {
    /// One for each GPU.
    boards: Vec<Choice>,
    /// Whether it is a host; otherwise its GPUs are machines of their own.
    is_host: bool,
    /// Cores and GiB, in halves, where they are limited.
    capacities: [Option<u32>; 2],
    weight: Option<Amount>,
}

/// A workload before it is written down.
#[derive(Clone, Debug)]
struct Guest {
    wish: Wish,
    /// Cores and GiB, in halves.
    resources: [u32; 2],
    acceptance_weight: Option<Amount>,
    migration_weight: Option<Amount>,
    /// Whether it is the like of the workload before, but for its place.
    is_like_previous: bool,
}

/// An instance before it is written down.
#[derive(Clone, Debug)]
struct Draw {
    guests: Vec<Guest>,
    machines: Vec<Machine>,
    /// Workloads run on so many GPUs at most, the first ones.
    spread: usize,
    settings: Settings,
    rules: Rules,
}

/// The instances as plain data.
pub(super) fn files(parameters: &Parameters) -> impl Strategy<Value = InstanceFile> + use<> {
    let guests = proptest::collection::vec(guest(), 1..=parameters.most_workloads);
    let spread = select(vec![usize::MAX, usize::MAX, 2, 1]);
    let rules = if parameters.rules { rules::drawn().boxed() } else { Just(Rules::default()).boxed() };
    // What comes first shrinks first: few workloads need few machines.
    (guests, machines(parameters), spread, settings(), rules).prop_map(
        |(guests, machines, spread, settings, rules)| {
            let draw = Draw { guests, machines, spread, settings, rules };
            let mut file = draw.file();
            draw.rules.apply(&mut file);
            file
        },
    )
}

/// Machines, often alike in all but the number of their GPUs.
fn machines(parameters: &Parameters) -> impl Strategy<Value = Vec<Machine>> + use<> {
    let board = boards::one_of(&parameters.boards, parameters.own_geometry);
    let others = proptest::option::weighted(0.3, board.clone());
    let others = prop_oneof![2 => Just(Vec::new()), 1 => proptest::collection::vec(others, 1..parameters.most_gpus.max(2))];
    let capacity = || proptest::option::weighted(0.5, 3..16u32);
    let machine = (board, prop::bool::weighted(0.8), [capacity(), capacity()], weights());
    let drawn = proptest::collection::vec((others, machine), 1..=parameters.most_machines);
    let most_gpus = parameters.most_gpus;
    (drawn, prop::bool::weighted(0.7)).prop_map(move |(drawn, are_alike)| {
        let (mut machines, mut gpus_left) = (Vec::new(), most_gpus);
        for (others, own) in &drawn {
            let (board, is_host, capacities, weight) = if are_alike { &drawn[0].1 } else { own };
            let others = others.iter().map(|other| other.as_ref().unwrap_or(board));
            let boards: Vec<Choice> = std::iter::once(board).chain(others).take(gpus_left).cloned().collect();
            gpus_left -= boards.len();
            machines.push(Machine { boards, is_host: *is_host, capacities: *capacities, weight: *weight });
        }
        machines.retain(|machine| !machine.boards.is_empty());
        machines
    })
}

fn guest() -> impl Strategy<Value = Guest> {
    (wishes(), [0..5u32, 0..5u32], weights(), weights(), prop::bool::weighted(0.35)).prop_map(
        |(wish, resources, acceptance_weight, migration_weight, is_like_previous)| Guest {
            wish,
            resources,
            acceptance_weight,
            migration_weight,
            is_like_previous,
        },
    )
}

fn settings() -> impl Strategy<Value = Settings> {
    let objective = prop_oneof![1 => Just(OBJECTIVES[0]), 2 => select(&OBJECTIVES[..])];
    let objective = objective.prop_map(|text| text.parse::<Objective>().expect("an objective of siavashi"));
    let residents = prop_oneof![7 => Just(Residents::Evictable), 3 => Just(Residents::Keep)];
    let active_gpus = prop_oneof![3 => Just(ActiveGpus::Used), 1 => Just(ActiveGpus::WholeMachine)];
    (objective, residents, active_gpus, migration_costs()).prop_map(
        |(objective, residents, active_gpus, migration_costs)| Settings {
            objective,
            residents,
            active_gpus,
            migration_costs,
            ..Settings::default()
        },
    )
}

/// Mostly the paper's costs; else any in which the longer way does not cost less.
fn migration_costs() -> impl Strategy<Value = MigrationCosts> {
    let of_start = prop_oneof![3 => Just(Amount::ZERO), 2 => costs(2)];
    let drawn =
        (of_start, costs(3), costs(3), costs(8)).prop_map(|(start, gpu, machine, evict)| MigrationCosts {
            move_machine: start + gpu + machine,
            move_gpu: start + gpu,
            move_start: start,
            evict,
        });
    prop_oneof![2 => Just(MigrationCosts::default()), 1 => drawn]
}

impl Draw {
    fn file(&self) -> InstanceFile {
        let mut state = State::of(&self.machines);
        let alone = |machine: usize| !self.machines[machine].is_host;
        let gpus = state.rooms.iter().zip(&state.machine_of).filter(|(_, machine)| alone(**machine));
        InstanceFile {
            name: "sample".to_owned(),
            boards: boards::section(self.machines.iter().flat_map(|machine| &machine.boards)),
            gpus: gpus.map(|(room, _)| located(room.section())).collect(),
            hosts: self.hosts().into_iter().map(located).collect(),
            workloads: self.workloads(&mut state).into_iter().map(located).collect(),
            siavashi: Some(Settings {
                max_migrations: self.rules.max_migrations,
                max_disrupted: self.rules.max_disrupted,
                ..self.settings.clone()
            }),
            ..InstanceFile::default()
        }
    }

    fn hosts(&self) -> Vec<HostSection> {
        let gpu = |choice: &Choice| HostGpus::new(choice.board.name().to_owned(), 1);
        let host = |(number, machine): (usize, &Machine)| HostSection {
            cpu: machine.capacities[0].map(halves),
            memory_gib: machine.capacities[1].map(halves),
            weight: machine.weight,
            ..HostSection::new(host_name(number), OneOrMany::Many(machine.boards.iter().map(gpu).collect()))
        };
        self.machines.iter().enumerate().filter(|(_, machine)| machine.is_host).map(host).collect()
    }

    fn workloads(&self, state: &mut State<'_>) -> Vec<WorkloadSection> {
        let mut previous: Option<(&Guest, OneOrMany<String>)> = None;
        let mut sections = Vec::new();
        for (number, guest) in self.guests.iter().enumerate() {
            let (like, profile) = match previous.filter(|_| guest.is_like_previous) {
                Some(kind) => kind,
                None => (guest, guest.wish.profiles(number, &state.rooms)),
            };
            let place = guest.wish.place.map(|(gpu, start)| (gpu % self.spread, start));
            let current = place.and_then(|place| state.take(place, &profile, like.resources));
            let [cpu, memory_gib] = like.resources.map(halves);
            sections.push(WorkloadSection {
                movable: current.is_none() || !guest.wish.is_pinned,
                current: current.map(OneOrMany::One),
                profile: profile.clone(),
                cpu,
                memory_gib,
                acceptance_weight: like.acceptance_weight.map(Box::new),
                migration_weight: like.migration_weight.map(Box::new),
                ..WorkloadSection::new(format!("w{number}"), String::new())
            });
            previous = Some((like, profile));
        }
        sections
    }
}

fn host_name(number: usize) -> String {
    format!("m{number}")
}

/// What the residents that are written down leave free.
struct State<'d> {
    machines: &'d [Machine],
    /// All GPUs, machine by machine.
    rooms: Vec<GpuRoom>,
    /// The machine of each GPU.
    machine_of: Vec<usize>,
    /// Cores and GiB in use on each machine, in halves.
    used: Vec<[u32; 2]>,
}

impl<'d> State<'d> {
    /// The state in which nothing runs.
    fn of(machines: &'d [Machine]) -> Self {
        let (mut rooms, mut machine_of) = (Vec::new(), Vec::new());
        for (number, machine) in machines.iter().enumerate() {
            for (gpu, choice) in machine.boards.iter().enumerate() {
                let joint = if machine.is_host { "/" } else { "-" };
                let name = format!("{}{joint}{gpu}", host_name(number));
                rooms.push(GpuRoom::empty(name, choice.board.clone()));
                machine_of.push(number);
            }
        }
        State { machines, rooms, machine_of, used: vec![[0, 0]; machines.len()] }
    }

    /// Takes a place, given by the numbers of GPU and start, for a workload; none if it is not legal.
    fn take(
        &mut self,
        (gpu, start): (usize, usize),
        profiles: &OneOrMany<String>,
        resources: [u32; 2],
    ) -> Option<Spot> {
        let gpu = gpu % self.rooms.len();
        let machine = self.machine_of[gpu];
        let Machine { is_host, capacities, .. } = self.machines[machine];
        let used = [0, 1].map(|which| self.used[machine][which] + resources[which]);
        let exceeds = |which: usize| capacities[which].is_some_and(|most| used[which] > most);
        if is_host && (exceeds(0) || exceeds(1)) {
            return None;
        }
        let spot = self.rooms[gpu].take(profiles, start)?;
        self.used[machine] = used;
        Some(spot)
    }
}
