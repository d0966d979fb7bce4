//! Files for Kubernetes, applied with the `kubectl` of the tests: the MIG manager, the scheduler of dynamic resource allocation and HAMi
//! are played here, and choose at random what the plan does not tell them.

use super::cases::{Case, board};
use super::managers::lay_out_anew;
use super::two_nodes;
use crate::{AppliedFile, Tool};
use check::ConfigurationFile;
use formats::dra::MigDeviceName;
use ground::SourceText;
use mig::{GpuInstance, ProfileIndex, SliceStart};
use plan::{Kind, MoveEntry, Place, illegal};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A cluster that `kubectl` changes, and the folder of the files.
struct Cluster {
    state: tempfile::TempDir,
    files: tempfile::TempDir,
}

impl Cluster {
    fn with(files: &[AppliedFile]) -> Self {
        let cluster = Cluster { state: tempfile::tempdir().unwrap(), files: tempfile::tempdir().unwrap() };
        for file in files {
            fs::write(cluster.files.path().join(&file.name), &file.text).unwrap();
        }
        cluster
    }

    /// Runs a line of the steps, if it is a command.
    fn run(&self, line: &str) {
        let line = line.trim();
        let command = match line.strip_prefix("./") {
            Some(script) => format!("sh {script}"),
            None if line.starts_with("kubectl ") => line.to_owned(),
            None => return,
        };
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(self.files.path()).env("MOCK_CLUSTER", self.state.path());
        super::run(shell).unwrap_or_else(|told| panic!("{command}: {told}"));
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.state.path().join(name)).ok().map(|text| text.trim_end().to_owned())
    }

    /// Tainted devices: pool, device, effect.
    fn taints(&self) -> Vec<[String; 3]> {
        let entries = fs::read_dir(self.state.path().join("taints")).into_iter().flatten();
        let taint = |path: &Path| {
            let text = fs::read_to_string(path).unwrap();
            let mut words = text.split_whitespace().map(str::to_owned);
            [(); 3].map(|()| words.next().unwrap())
        };
        entries.map(|entry| taint(&entry.unwrap().path())).collect()
    }
}

#[test]
fn labels_bring_the_counts_of_the_plan() {
    let lock = two_nodes();
    let plan = lay_out_anew(&[("4g.20gb", 0), ("3g.20gb", 4)]);
    let files = Tool::Kubernetes.files(&plan, &lock).unwrap();
    let cluster = Cluster::with(&files);
    let steps = files.iter().find(|file| file.name == "steps.txt").unwrap();
    steps.text.lines().for_each(|line| cluster.run(line));
    // What mig-parted does with the configuration that the label names.
    let label = cluster.read("node/gpu-a/labels/nvidia.com,mig.config").unwrap();
    let map = cluster.read(&format!("maps/{}", cluster.read("policy").unwrap())).unwrap();
    let (_, inner) = map.split_once("config.yaml: |\n").unwrap();
    let inner: String =
        inner.lines().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap())).collect();
    let configurations =
        ConfigurationFile::parse(SourceText::new("config.yaml", inner)).unwrap().configurations;
    let wanted = configurations.iter().find(|known| known.name == label).unwrap();
    let found: Vec<BTreeMap<String, u64>> = wanted
        .entries
        .iter()
        .map(|entry| {
            let counts = entry
                .mig_devices
                .iter()
                .map(|devices| (devices.profile.to_string(), u64::from(devices.count)));
            counts.collect()
        })
        .collect();
    let counts = |listed: &[(&str, u64)]| -> BTreeMap<String, u64> {
        listed.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    // The GPU beside it has what it had, so that mig-parted leaves it alone.
    let beside = counts(&[("1g.5gb", 1), ("2g.10gb", 1), ("3g.20gb", 1)]);
    assert_eq!(found, [beside, counts(&[("3g.20gb", 1), ("4g.20gb", 1)])]);
    assert_eq!(cluster.read("node/gpu-a/labels/nvidia.com,mig.config.state").unwrap(), "success");
    assert!(cluster.read("node/gpu-a/cordoned").is_none());
}

/// The scheduler, and the pods that run.
struct Scheduler<'a> {
    case: &'a Case,
    cluster: Cluster,
    pods: BTreeMap<String, Place>,
    leaving: Vec<Place>,
}

impl Scheduler<'_> {
    fn device(&self, place: Place) -> [String; 2] {
        let name = &self.case.cluster.gpus[place.gpu.index()].name;
        let locked = &self.case.lock.gpus[name];
        let device = MigDeviceName::of(locked.minor.unwrap(), &board(), place.instance).unwrap();
        [locked.node.clone(), device.to_string()]
    }

    /// A pod comes to any device of its profile that is free and not tainted.
    fn schedule(&mut self, workload: &str, profile: ProfileIndex, random: &mut ChaCha8Rng) {
        let taints = self.cluster.taints();
        let board = board();
        let starts = &board.profile(profile).starts;
        let places = self.case.cluster.gpu_indices().flat_map(|gpu| {
            starts.iter().map(move |&start| Place { gpu, instance: GpuInstance { profile, start } })
        });
        let is_open = |place: &Place| {
            let held = self.pods.values().chain(&self.leaving).filter(|other| other.gpu == place.gpu);
            let together: Vec<GpuInstance> =
                held.map(|other| other.instance).chain([place.instance]).collect();
            let device = self.device(*place);
            illegal(&self.case.cluster, place.gpu, &together).is_none()
                && !taints.iter().any(|taint| taint[..2] == device)
        };
        let open: Vec<Place> = places.filter(is_open).collect();
        let place = *open.choose(random).unwrap_or_else(|| panic!("{workload} finds no device"));
        self.pods.insert(workload.to_owned(), place);
    }

    fn follow(&mut self, step: &MoveEntry, random: &mut ChaCha8Rng) {
        let number: usize = step.workload[1..].parse().unwrap();
        let profile = ProfileIndex(self.case.cluster.workloads[number].request.0 as _);
        let old = self.pods.remove(&step.workload);
        if step.kind == Kind::Surge {
            self.leaving.extend(old);
        }
        if step.to.is_some() {
            self.schedule(&step.workload, profile, random);
        }
    }

    /// Those on devices that evict go.
    fn evict(&mut self) {
        let taints = self.cluster.taints();
        let is_evicted = |place: Place| {
            let device = self.device(place);
            taints.iter().any(|taint| taint[..2] == device && taint[2] == "NoExecute")
        };
        assert!(!self.pods.values().any(|&place| is_evicted(place)), "somebody is evicted who was to stay");
        let stays: Vec<Place> = self.leaving.iter().copied().filter(|&place| !is_evicted(place)).collect();
        self.leaving = stays;
    }
}

#[test]
fn taints_lead_the_scheduler_to_the_places_of_the_plan() {
    for (case, mut random) in Case::some(8) {
        let files = Tool::Dra.files(&case.plan, &case.lock).unwrap();
        let steps = files.iter().find(|file| file.name == "steps.txt").unwrap();
        let place = |name: &str, spot: &cluster::Spot| {
            let number: usize = name[1..].parse().unwrap();
            let profile = ProfileIndex(case.cluster.workloads[number].request.0 as _);
            Place {
                gpu: case.gpu(&spot.gpu),
                instance: GpuInstance { profile, start: SliceStart(spot.start) },
            }
        };
        let running = case.cluster.workloads.iter().filter_map(|workload| {
            let spot = case.cluster.spot(workload.current?);
            Some((workload.name.clone(), place(&workload.name, &spot)))
        });
        let mut wanted: BTreeMap<String, Place> = running.collect();
        let mut scheduler = Scheduler {
            case: &case,
            cluster: Cluster::with(&files),
            pods: wanted.clone(),
            leaving: Vec::new(),
        };
        let mut rounds = case.plan.rounds.iter();
        let mut moves: BTreeMap<&str, &MoveEntry> = BTreeMap::new();
        let check = |scheduler: &Scheduler<'_>,
                     moves: &BTreeMap<&str, &MoveEntry>,
                     wanted: &BTreeMap<String, Place>| {
            assert!(moves.is_empty() && scheduler.leaving.is_empty());
            assert_eq!(scheduler.pods, *wanted);
        };
        for line in steps.text.lines().skip(1) {
            if line.starts_with("Round") || line.starts_with("After") {
                check(&scheduler, &moves, &wanted);
                if let Some(round) = rounds.next() {
                    moves = round.moves.iter().map(|step| (step.workload.as_str(), step)).collect();
                    for step in &round.moves {
                        match &step.to {
                            Some(spot) => wanted.insert(step.workload.clone(), place(&step.workload, spot)),
                            None => wanted.remove(&step.workload),
                        };
                    }
                }
                continue;
            }
            scheduler.cluster.run(line);
            let who = line.trim().split(':').next().unwrap();
            if let Some(step) = moves.remove(who) {
                scheduler.follow(step, &mut random);
            }
            scheduler.evict();
        }
        check(&scheduler, &moves, &wanted);
        assert!(scheduler.cluster.taints().is_empty());
        let end: BTreeSet<Place> = scheduler.pods.values().copied().collect();
        assert_eq!(end, case.end);
    }
}

/// Carries a plan out as HAMi could: steps of a round in any order, each pod at any free start of its GPU. Tells whether all found places.
fn played(case: &Case, random: &mut ChaCha8Rng) -> bool {
    let board = board();
    let mut pods: BTreeMap<String, Place> = BTreeMap::new();
    for workload in &case.cluster.workloads {
        if let Some(current) = workload.current {
            let profile = ProfileIndex(workload.request.0 as _);
            let place = Place { gpu: current.gpu, instance: GpuInstance { profile, start: current.start } };
            pods.insert(workload.name.clone(), place);
        }
    }
    for round in &case.plan.rounds {
        // Each half of a move is a step; a copy that starts is told apart until the old one has stopped.
        let mut open: Vec<(&MoveEntry, bool)> = round.moves.iter().map(|step| (step, false)).collect();
        let mut copies: BTreeMap<String, Place> = BTreeMap::new();
        while !open.is_empty() {
            let (step, is_begun) = open.swap_remove(random.random_range(0..open.len()));
            let starts_now = match step.kind {
                Kind::Surge => !is_begun,
                Kind::Restart => is_begun,
                Kind::Start => true,
                Kind::Stop => false,
            };
            if matches!(step.kind, Kind::Surge | Kind::Restart) && !is_begun {
                open.push((step, true));
            }
            if !starts_now {
                pods.remove(&step.workload);
                continue;
            }
            let gpu = case.gpu(&step.to.as_ref().unwrap().gpu);
            let number: usize = step.workload[1..].parse().unwrap();
            let profile = ProfileIndex(case.cluster.workloads[number].request.0 as _);
            let starts = board.profile(profile).starts.iter();
            let places = starts.map(|&start| Place { gpu, instance: GpuInstance { profile, start } });
            let is_free = |place: &Place| {
                let held = pods.values().chain(copies.values()).filter(|other| other.gpu == gpu);
                let together: Vec<GpuInstance> =
                    held.map(|other| other.instance).chain([place.instance]).collect();
                illegal(&case.cluster, gpu, &together).is_none()
            };
            let Some(place) = places.filter(is_free).choose(random) else { return false };
            copies.insert(step.workload.clone(), place);
        }
        pods.append(&mut copies);
    }
    true
}

#[test]
fn plans_are_written_for_hami_where_no_choice_of_starts_stops_them_and_only_there() {
    let mut counts = [0, 0];
    for (case, mut random) in Case::some(60) {
        let is_written = Tool::Hami.files(&case.plan, &case.lock).is_ok();
        let always = (0..1000).all(|_| played(&case, &mut random));
        assert_eq!(is_written, always);
        counts[usize::from(is_written)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 3), "{counts:?}");
}
