//! Small instances of model wpm.
//!
//! Drawn are the four use cases, GPUs of one or several boards, in service, cordoned or to be drained, residents and newcomers,
//! pinned ones among the residents, workloads with a second profile, rewards and costs of workloads' own or by slice, costs by
//! board, sums and sequences of goals, and workloads that must all be placed, which at times is infeasible. Only where asked for
//! ([`Parameters::rules`]): a host with cores and memory, nodes to which workloads are bound, groups that keep apart, belong together or
//! count as one, and limits on what may change, which at times nothing obeys.
//!
//! Never drawn are several hosts, replicas and counts, more than two profiles of a workload, a profile that no GPU of the instance has, and
//! numbers finer than a half.

use super::amounts::costs;
use super::boards::{self, Choice};
use super::cluster_rules::{ClusterRules, cluster_rules};
use super::residents::{GpuRoom, Wish, wishes};
use cluster::{GpuSection, Maintenance, OneOrMany, WorkloadSection};
use ground::Amount;
use kit::located;
use models::InstanceFile;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use wpm::{BoardCosts, CostSettings, Objective, Settings, UseCase};

/// Bounds of what is drawn.
#[derive(Clone, Debug)]
pub struct Parameters {
    most_gpus: usize,
    most_workloads: usize,
    boards: Vec<String>,
    own_geometry: bool,
    use_cases: Vec<UseCase>,
    place_all: bool,
    maintenance: bool,
    rules: bool,
}

impl Default for Parameters {
    /// Up to three GPUs and five workloads, of all that this strategy can draw but for rules of clusters.
    fn default() -> Self {
        Parameters {
            most_gpus: 3,
            most_workloads: 5,
            boards: ["A30-24GB", "A100-80GB", "RTX PRO 6000 Blackwell 96GB"].map(str::to_owned).to_vec(),
            own_geometry: true,
            use_cases: vec![UseCase::Joint, UseCase::Initial, UseCase::Compaction, UseCase::Reconfiguration],
            place_all: true,
            maintenance: true,
            rules: false,
        }
    }
}

impl Parameters {
    /// At most so many GPUs, and at least one.
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

    /// Whether boards are drawn as well whose geometry the instance gives.
    pub fn own_geometry(self, own_geometry: bool) -> Self {
        Parameters { own_geometry, ..self }
    }

    /// Only these use cases, the plainest first; at least one.
    pub fn use_cases(self, use_cases: &[UseCase]) -> Self {
        Parameters { use_cases: use_cases.to_vec(), ..self }
    }

    /// Whether some instances demand a place for every workload. Without them, every instance is feasible.
    pub fn place_all(self, place_all: bool) -> Self {
        Parameters { place_all, ..self }
    }

    /// Whether some GPUs are cordoned or to be drained.
    pub fn maintenance(self, maintenance: bool) -> Self {
        Parameters { maintenance, ..self }
    }

    /// Whether there are rules of clusters. With them, instances may be infeasible, and heuristics may find nothing that obeys.
    pub fn rules(self, rules: bool) -> Self {
        Parameters { rules, ..self }
    }
}

/// An instance before it is written down.
#[derive(Clone, Debug)]
struct Draw {
    /// With reward and migration cost of its own.
    workloads: Vec<(Wish, [Amount; 2])>,
    /// One for each GPU.
    boards: Vec<Choice>,
    /// One for each GPU, and more.
    maintenance: Vec<Maintenance>,
    /// Whether workloads have rewards and migration costs of their own; else they have those by slice.
    has_own_weights: bool,
    /// Costs of the first GPU's board: of a GPU, a repartition and a wasted slice.
    board_costs: Option<[Amount; 3]>,
    settings: Settings,
    rules: Option<ClusterRules>,
}

/// The instances as plain data.
pub(super) fn files(parameters: &Parameters) -> impl Strategy<Value = InstanceFile> + use<> {
    let workload = (wishes(), [costs(40), costs(12)]);
    let rules = match parameters.rules {
        true => cluster_rules(parameters.most_workloads).prop_map(Some).boxed(),
        false => Just(None).boxed(),
    };
    // What comes first shrinks first: few workloads need few GPUs.
    (
        proptest::collection::vec(workload, 1..=parameters.most_workloads),
        gpus(parameters),
        any::<bool>(),
        proptest::option::weighted(0.15, [costs(60), costs(20), costs(8)]),
        settings(parameters),
        proptest::collection::vec(maintenance(parameters), parameters.most_gpus),
        rules,
    )
        .prop_map(|(workloads, boards, has_own_weights, board_costs, settings, maintenance, rules)| {
            Draw { workloads, boards, maintenance, has_own_weights, board_costs, settings, rules }.file()
        })
}

/// A board for each GPU, mostly the same.
fn gpus(parameters: &Parameters) -> impl Strategy<Value = Vec<Choice>> + use<> {
    let board = boards::one_of(&parameters.boards, parameters.own_geometry);
    let other = proptest::option::weighted(0.15, board.clone());
    (board, proptest::collection::vec(other, 0..parameters.most_gpus)).prop_map(|(first, others)| {
        let other = |other: Option<Choice>| other.unwrap_or_else(|| first.clone());
        std::iter::once(first.clone()).chain(others.into_iter().map(other)).collect()
    })
}

/// Mostly in service.
fn maintenance(parameters: &Parameters) -> impl Strategy<Value = Maintenance> + use<> {
    let out_of_service = prop::bool::weighted(if parameters.maintenance { 0.25 } else { 0.0 });
    let kind = select(vec![Maintenance::Cordoned, Maintenance::Draining]);
    (out_of_service, kind).prop_map(|(is_out, kind)| if is_out { kind } else { Maintenance::InService })
}

fn settings(parameters: &Parameters) -> impl Strategy<Value = Settings> + use<> {
    let objective = prop_oneof![
        6 => Just("weighted"),
        2 => Just("lexicographic"),
        1 => Just("lexicographic:reward,migrations,gpus,waste"),
        1 => Just("lexicographic:gpus,reward"),
    ];
    let objective = objective.prop_map(|text| text.parse::<Objective>().expect("an objective of wpm"));
    let place_all = prop::bool::weighted(if parameters.place_all { 0.3 } else { 0.0 });
    let costs = proptest::option::weighted(0.9, [costs(60), costs(60), costs(20), costs(12), costs(8)])
        .prop_map(|drawn| match drawn {
            None => CostSettings::default(),
            Some([reward, gpu, repartition, migration, waste]) => CostSettings {
                reward_per_slice: Some(reward),
                gpu: Some(gpu),
                repartition: Some(repartition),
                migration_per_slice: Some(migration),
                waste: Some(waste),
                boards: BTreeMap::new(),
            },
        });
    (select(parameters.use_cases.clone()), objective, place_all, costs).prop_map(
        |(use_case, objective, place_all, costs)| Settings {
            use_case,
            objective,
            place_all,
            costs,
            ..Settings::default()
        },
    )
}

impl Draw {
    fn file(&self) -> InstanceFile {
        let empty = |(number, choice): (usize, &Choice)| {
            let name =
                self.rules.as_ref().map_or_else(|| format!("g{number}"), |rules| rules.gpu_name(number));
            GpuRoom::empty(name, choice.board.clone())
        };
        let mut rooms: Vec<GpuRoom> = self.boards.iter().enumerate().map(empty).collect();
        let gpu = |(room, maintenance): (&GpuRoom, &Maintenance)| GpuSection {
            cordoned: *maintenance == Maintenance::Cordoned,
            drain: *maintenance == Maintenance::Draining,
            ..room.section()
        };
        let mut gpus: Vec<GpuSection> = rooms.iter().zip(&self.maintenance).map(gpu).collect();
        let mut workloads = self.workloads(&mut rooms);
        let (mut settings, mut host, mut groups) = (self.settings(), None, Vec::new());
        if let Some(rules) = &self.rules {
            rules.bind(&mut workloads, gpus.len());
            groups = rules.groups(&workloads, settings.use_case);
            settings = rules.limit(settings);
            (host, gpus) = rules.nodes(gpus);
        }
        InstanceFile {
            name: "sample".to_owned(),
            boards: boards::section(&self.boards),
            hosts: host.into_iter().map(located).collect(),
            gpus: gpus.into_iter().map(located).collect(),
            groups: groups.into_iter().map(located).collect(),
            workloads: workloads.into_iter().map(located).collect(),
            wpm: Some(settings),
            ..InstanceFile::default()
        }
    }

    fn workloads(&self, rooms: &mut [GpuRoom]) -> Vec<WorkloadSection> {
        let written = |(number, (wish, [reward, migration_cost])): (usize, &(Wish, [Amount; 2]))| {
            let profile = wish.profiles(number, rooms);
            let gpus = rooms.len();
            let current = wish.place.and_then(|(gpu, start)| rooms[gpu % gpus].take(&profile, start));
            WorkloadSection {
                movable: current.is_none() || !wish.is_pinned,
                current: current.map(OneOrMany::One),
                profile,
                reward: self.has_own_weights.then(|| Box::new(*reward)),
                migration_cost: self.has_own_weights.then(|| Box::new(*migration_cost)),
                ..WorkloadSection::new(format!("w{number}"), String::new())
            }
        };
        self.workloads.iter().enumerate().map(written).collect()
    }

    fn settings(&self) -> Settings {
        let mut settings = self.settings.clone();
        if let Some([gpu, repartition, waste]) = self.board_costs {
            let costs = BoardCosts { gpu: Some(gpu), repartition: Some(repartition), waste: Some(waste) };
            settings.costs.boards.insert(self.boards[0].board.name().to_owned(), costs);
        }
        settings
    }
}
