//! A node whose driver is the one of the tests.

use crate::AppliedFile;
use inventory::{ClusterLock, LockedState};
use mig::{Lookup, catalogue};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The driver's id of the profile, first slot, and whether it has a compute instance.
pub type Instances = BTreeSet<(u32, u8, bool)>;

pub struct Node {
    folder: tempfile::TempDir,
}

/// What the driver knows.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Indices and UUIDs.
    gpus: Vec<(u32, String)>,
    instances: Vec<Instance>,
    changes: u64,
}

/// A GPU instance of the driver.
#[derive(Clone, Debug)]
pub struct Instance {
    gpu: u32,
    id: u32,
    pub profile: u32,
    pub start: u8,
    has_compute: bool,
    is_busy: bool,
}

impl State {
    fn parse(text: &str) -> Self {
        let mut state = State::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words[at].parse::<u32>().unwrap();
            match words[0] {
                "gpu" => state.gpus.push((number(1), words[2].to_owned())),
                "instance" => state.instances.push(Instance {
                    gpu: number(1),
                    id: number(2),
                    profile: number(3),
                    start: words[4].parse().unwrap(),
                    has_compute: number(5) == 1,
                    is_busy: number(6) == 1,
                }),
                _ => state.changes = words[1].parse().unwrap(),
            }
        }
        state
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (index, uuid) in &self.gpus {
            writeln!(text, "gpu {index} {uuid}").unwrap();
        }
        for Instance { gpu, id, profile, start, has_compute, is_busy } in &self.instances {
            let (has_compute, is_busy) = (u8::from(*has_compute), u8::from(*is_busy));
            writeln!(text, "instance {gpu} {id} {profile} {start} {has_compute} {is_busy}").unwrap();
        }
        text + &format!("changes {}\n", self.changes)
    }

    fn index_of(&self, uuid: &str) -> u32 {
        self.gpus.iter().find(|(_, known)| known == uuid).unwrap().0
    }
}

impl Node {
    /// A node of a lock; what is in use is busy.
    pub fn of(lock: &ClusterLock, node: &str) -> Self {
        let Lookup::Found(board) = catalogue().find("A100-40GB") else { panic!() };
        let mut state = State::default();
        let gpus = lock.gpus.values().filter(|gpu| gpu.node == node);
        // The driver counts the other way round than at import.
        let last = u32::try_from(gpus.clone().count()).unwrap() - 1;
        for gpu in gpus {
            let index = last - gpu.index;
            state.gpus.push((index, gpu.uuid.clone().unwrap()));
            state.instances.extend(gpu.instances.iter().zip(20..).map(|(instance, id)| Instance {
                gpu: index,
                id,
                profile: board.profile(board.find_profile(&instance.profile).unwrap()).driver_id.unwrap(),
                start: instance.start,
                has_compute: instance.state != LockedState::NoComputeInstance,
                is_busy: instance.state == LockedState::InUse,
            }));
        }
        let node = Node { folder: tempfile::tempdir().unwrap() };
        node.save(&state);
        node
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn state(&self) -> State {
        State::parse(&fs::read_to_string(self.path()).unwrap())
    }

    fn save(&self, state: &State) {
        fs::write(self.path(), state.text()).unwrap();
    }

    /// Keeps of the instances of a GPU those that are wanted.
    pub fn retain(&self, uuid: &str, is_wanted: impl Fn(&Instance) -> bool) {
        let mut state = self.state();
        let index = state.index_of(uuid);
        state.instances.retain(|instance| instance.gpu != index || is_wanted(instance));
        self.save(&state);
    }

    /// Makes an instance on a GPU, as somebody else would.
    pub fn add(&self, uuid: &str, profile: u32, start: u8) {
        let mut state = self.state();
        let gpu = state.index_of(uuid);
        state.instances.push(Instance { gpu, id: 30, profile, start, has_compute: true, is_busy: false });
        self.save(&state);
    }

    /// Says that somebody runs on the instance at a slot of a GPU, or no longer.
    pub fn occupy(&self, uuid: &str, start: u8, is_busy: bool) {
        let mut state = self.state();
        let gpu = state.index_of(uuid);
        let instance = state.instances.iter_mut().find(|known| known.gpu == gpu && known.start == start);
        instance.unwrap_or_else(|| panic!("nothing at slot {start} of {uuid}")).is_busy = is_busy;
        self.save(&state);
    }

    pub fn instances(&self, uuid: &str) -> Instances {
        let state = self.state();
        let index = state.index_of(uuid);
        let here = state.instances.iter().filter(|instance| instance.gpu == index);
        here.map(|instance| (instance.profile, instance.start, instance.has_compute)).collect()
    }

    /// How often something was changed.
    pub fn changes(&self) -> u64 {
        self.state().changes
    }

    /// Runs half of a script.
    ///
    /// # Errors
    /// What it says when it fails.
    pub fn run(&self, files: &[AppliedFile], name: &str, half: &str) -> Result<String, String> {
        let file = files.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("{name} is missing"));
        assert!(file.is_script);
        let script = self.folder.path().join(name);
        fs::write(&script, &file.text).unwrap();
        let mut command = Command::new("sh");
        command.arg(&script).arg(half).env("MOCK_STATE", self.path());
        super::run(command)
    }
}
