//! A node whose driver is the one of the tests.

use crate::AppliedFile;
use inventory::{ClusterLock, LockedState};
use mig::{Lookup, catalogue};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Profile, first slot, and whether it has a compute instance.
pub type Instances = BTreeSet<(u64, u64, bool)>;

pub struct Node {
    folder: tempfile::TempDir,
}

impl Node {
    /// A node of a lock; what is in use is busy.
    pub fn of(lock: &ClusterLock, node: &str) -> Self {
        let Lookup::Found(board) = catalogue().find("A100-40GB") else { panic!() };
        let gpus = lock.gpus.values().filter(|gpu| gpu.node == node);
        // The driver counts the other way round than at import.
        let last = gpus.clone().count() - 1;
        let gpus = gpus.map(|gpu| {
            let instances = gpu.instances.iter().zip(20..).map(|(instance, id)| {
                let profile = board.profile(board.find_profile(&instance.profile).unwrap()).driver_id;
                let is_bare = instance.state == LockedState::NoComputeInstance;
                json!({
                    "id": id, "profile": profile, "start": instance.start, "busy": instance.state == LockedState::InUse,
                    "compute": if is_bare { json!([]) } else { json!([0]) },
                })
            });
            let instances: Vec<Value> = instances.collect();
            json!({"index": last - gpu.index as usize, "uuid": gpu.uuid, "instances": instances})
        });
        let state = json!({"gpus": gpus.collect::<Vec<Value>>(), "changes": 0});
        let node = Node { folder: tempfile::tempdir().unwrap() };
        node.save(&state);
        node
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("state.json")
    }

    pub fn state(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path()).unwrap()).unwrap()
    }

    fn save(&self, state: &Value) {
        fs::write(self.path(), state.to_string()).unwrap();
    }

    /// Changes what a GPU has.
    pub fn edit(&self, uuid: &str, change: impl FnOnce(&mut Vec<Value>)) {
        let mut state = self.state();
        let gpus = state["gpus"].as_array_mut().unwrap();
        let gpu = gpus.iter_mut().find(|gpu| gpu["uuid"] == uuid).unwrap();
        change(gpu["instances"].as_array_mut().unwrap());
        self.save(&state);
    }

    /// Says that somebody runs on the instance at a slot of a GPU, or no longer.
    pub fn occupy(&self, uuid: &str, start: u8, busy: bool) {
        self.edit(uuid, |instances| {
            let instance = instances.iter_mut().find(|instance| instance["start"] == start).unwrap();
            instance["busy"] = busy.into();
        });
    }

    pub fn instances(&self, uuid: &str) -> Instances {
        let state = self.state();
        let gpu = state["gpus"].as_array().unwrap().iter().find(|gpu| gpu["uuid"] == uuid).unwrap();
        let instance = |instance: &Value| {
            let number = |field: &str| instance[field].as_u64().unwrap();
            (number("profile"), number("start"), !instance["compute"].as_array().unwrap().is_empty())
        };
        gpu["instances"].as_array().unwrap().iter().map(instance).collect()
    }

    /// How often something was changed.
    pub fn changes(&self) -> u64 {
        self.state()["changes"].as_u64().unwrap()
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
        let mock = super::repository().join("tests/operators/mock");
        let path = std::env::var("PATH").unwrap();
        let output = Command::new("sh")
            .arg(&script)
            .arg(half)
            .env("PATH", format!("{}:{path}", mock.display()))
            .env("MOCK_STATE", self.path())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match output.status.success() {
            true => Ok(text(&output.stdout)),
            false => Err(text(&output.stderr)),
        }
    }
}
