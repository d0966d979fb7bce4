//! Clusters written in every format with starts.

use crate::InputFile;
use formats::dcgm::{self, Holder, Metric};
use formats::dra::{MigDeviceName, PublishedGpu, write_claim, write_slice};
use formats::hami::{Allocation, Realised, RegisteredGpu, write_node, write_pod};
use formats::kubelet::checkpoint::{self, Checkpoint, DeviceEntry};
use formats::kubelet::pod_resources::{self, ContainerDevices};
use formats::kubernetes::list;
use formats::mig_parted;
use formats::nvidia_smi::devices::{self, GpuLine, MigDevice};
use formats::nvidia_smi::gpu_instances::{self, GpuInstanceRow};
use formats::nvidia_smi::query::{self, DeviceQuery, GpuQuery};
use formats::{Place, Record};
use ground::SourceText;
use mig::{Board, GpuInstance, Lookup, catalogue};
use serde_json::json;
use std::sync::Arc;

pub const PRODUCT: &str = "NVIDIA A100-SXM4-40GB";

pub fn board() -> Arc<Board> {
    let Lookup::Found(board) = catalogue().find(PRODUCT) else { panic!() };
    board
}

/// A GPU: its instances, and whether a pod has each.
pub type Laid = Vec<(GpuInstance, bool)>;

/// GPUs by node.
#[derive(Debug)]
pub struct Mock {
    pub nodes: Vec<Vec<Laid>>,
}

fn record<T>(value: T) -> Record<T> {
    Record { value, place: Place::Line(1) }
}

fn file(name: String, text: String) -> InputFile {
    let node = name.split('.').next().map(str::to_owned);
    InputFile { source: SourceText::new(name, text), node, is_named: true }
}

impl Mock {
    /// The minor number of a GPU, which is not its index.
    fn minor(&self, node: usize, gpu: usize) -> u32 {
        (self.nodes[node].len() - 1 - gpu) as u32
    }

    fn each(&self) -> impl Iterator<Item = (usize, usize, &Laid)> {
        let of_node = |(node, gpus)| (0..).zip(gpus).map(move |(gpu, laid)| (node, gpu, laid));
        (0..).zip(&self.nodes).flat_map(of_node)
    }

    /// Listings of the driver: instances, MIG devices, the query.
    pub fn listings(&self) -> Vec<InputFile> {
        let board = board();
        let mut files = Vec::new();
        for (node, gpus) in self.nodes.iter().enumerate() {
            let (mut rows, mut lines, mut queries) = (Vec::new(), Vec::new(), Vec::new());
            for (gpu, laid) in gpus.iter().enumerate() {
                for (id, (instance, _)) in laid.iter().enumerate() {
                    let profile = board.profile(instance.profile);
                    rows.push(GpuInstanceRow {
                        gpu: gpu as u32,
                        profile: profile.name.clone(),
                        profile_id: profile.driver_id.unwrap(),
                        gpu_instance: gi(id),
                        start: instance.start.0,
                        size: profile.size,
                    });
                }
                let device = |(id, (instance, _)): (usize, &(GpuInstance, bool))| {
                    let profile = board.profile(instance.profile).name.clone();
                    record(MigDevice { profile, index: id as u32, uuid: mig_uuid(node, gpu, id) })
                };
                let found = laid.iter().enumerate().map(device).collect();
                lines.push(GpuLine {
                    gpu: gpu as u32,
                    product: PRODUCT.to_owned(),
                    uuid: uuid(node, gpu),
                    devices: found,
                });
                let query =
                    |id: usize| DeviceQuery { index: id as u32, gpu_instance: gi(id), compute_instance: 0 };
                queries.push(GpuQuery {
                    pci: pci(gpu, 8),
                    product: Some(PRODUCT.to_owned()),
                    uuid: Some(uuid(node, gpu)),
                    minor: Some(self.minor(node, gpu)),
                    mig: Some(true),
                    pending_mig: Some(true),
                    devices: (0..laid.len()).map(|id| record(query(id))).collect(),
                    processes: Vec::new(),
                });
            }
            files.push(file(format!("n{node}.lgi.txt"), gpu_instances::write(&rows)));
            files.push(file(format!("n{node}.L.txt"), devices::write(&lines)));
            files.push(file(format!("n{node}.q.xml"), query::write(&queries)));
        }
        files
    }

    pub fn kubelets(&self) -> Vec<InputFile> {
        let mut files = Vec::new();
        for (node, gpus) in self.nodes.iter().enumerate() {
            let mut checkpoint = Checkpoint::default();
            for (gpu, laid) in gpus.iter().enumerate() {
                for (id, _) in laid.iter().enumerate().filter(|(_, (_, is_used))| *is_used) {
                    checkpoint.entries.push(record(DeviceEntry {
                        pod_uid: format!("uid-{}", pod(node, gpu, id)),
                        container: "main".to_owned(),
                        resource: "nvidia.com/mig-any".to_owned(),
                        devices: vec![(Some(0), mig_uuid(node, gpu, id))],
                    }));
                }
            }
            files.push(file(format!("n{node}.kubelet_internal_checkpoint"), checkpoint::write(&checkpoint)));
        }
        files.push(file("pods.json".to_owned(), list(self.pods())));
        files
    }

    fn pods(&self) -> Vec<serde_json::Value> {
        let mut pods = Vec::new();
        for (node, gpu, laid) in self.each() {
            for (id, (instance, _)) in laid.iter().enumerate().filter(|(_, (_, is_used))| *is_used) {
                let name = pod(node, gpu, id);
                let resource =
                    format!("nvidia.com/mig-{}", board().profile(instance.profile).name.replace('+', "."));
                let owner = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("set-{}", id % 3), "uid": "u", "controller": true});
                pods.push(json!({
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {"name": name, "namespace": "n", "uid": format!("uid-{name}"), "labels": {"app": "chat"}, "ownerReferences": [owner]},
                    "spec": {
                        "containers": [{"name": "main", "image": "registry.example/chat:1", "resources": {"limits": {resource.as_str(): "1"}, "requests": {resource.as_str(): "1", "cpu": "4"}}}],
                        "nodeName": format!("n{node}"),
                    },
                    "status": {"phase": "Running"},
                }));
            }
        }
        pods
    }

    pub fn pod_resources(&self) -> Vec<InputFile> {
        let of_node = |node: usize| {
            let mut held = Vec::new();
            for (_, gpu, laid) in self.each().filter(|(of, ..)| *of == node) {
                for (id, _) in laid.iter().enumerate().filter(|(_, (_, is_used))| *is_used) {
                    held.push(ContainerDevices {
                        namespace: "n".to_owned(),
                        pod: pod(node, gpu, id),
                        container: "main".to_owned(),
                        devices: vec![("nvidia.com/mig-any".to_owned(), mig_uuid(node, gpu, id))],
                        claimed: Vec::new(),
                    });
                }
            }
            file(format!("n{node}.podresources.json"), pod_resources::write(&held))
        };
        (0..self.nodes.len()).map(of_node).collect()
    }

    pub fn checkpoints(&self) -> Vec<InputFile> {
        let board = board();
        let device = |node: usize, gpu: usize, laid: &Laid| mig_parted::Device {
            uuid: uuid(node, gpu),
            mig: true,
            instances: laid
                .iter()
                .map(|(instance, _)| {
                    let profile = board.profile(instance.profile);
                    record(mig_parted::Instance {
                        profile: profile.nvml_enum.unwrap(),
                        start: instance.start.0,
                        size: profile.size,
                        compute_instances: vec![(0, 0)],
                    })
                })
                .collect(),
        };
        let of_node = |(node, gpus): (usize, &Vec<Laid>)| {
            let devices: Vec<_> =
                gpus.iter().enumerate().map(|(gpu, laid)| device(node, gpu, laid)).collect();
            file(format!("n{node}.checkpoint.json"), mig_parted::write(&devices))
        };
        self.nodes.iter().enumerate().map(of_node).collect()
    }

    pub fn metrics(&self) -> InputFile {
        let board = board();
        let mut metrics = Vec::new();
        for (node, gpu, laid) in self.each() {
            for (id, (instance, is_used)) in laid.iter().enumerate() {
                metrics.push(Metric {
                    node: format!("n{node}"),
                    gpu: gpu as u32,
                    uuid: Some(uuid(node, gpu)),
                    minor: Some(self.minor(node, gpu)),
                    pci: Some(pci(gpu, 8)),
                    product: Some(PRODUCT.to_owned()),
                    instance: Some((board.profile(instance.profile).name.clone(), gi(id))),
                    holder: match is_used {
                        false => Holder::Nobody,
                        true => Holder::Pod {
                            namespace: "n".to_owned(),
                            name: pod(node, gpu, id),
                            container: "main".to_owned(),
                        },
                    },
                });
            }
        }
        file("metrics.prom".to_owned(), dcgm::write(&metrics))
    }

    /// Slices of dynamic MIG, and a claim for each instance that a pod has.
    pub fn claims(&self) -> InputFile {
        let board = board();
        let mut items = Vec::new();
        for (node, gpu, laid) in self.each() {
            let (name, minor) = (format!("n{node}"), self.minor(node, gpu));
            let (uuid, pci) = (uuid(node, gpu), pci(gpu, 4));
            let published = PublishedGpu { minor, uuid: &uuid, pci: &pci, product: PRODUCT, board: &board };
            items.push(write_slice(&name, self.nodes[node].len(), &published));
            for (id, (instance, _)) in laid.iter().enumerate().filter(|(_, (_, is_used))| *is_used) {
                let device = MigDeviceName::of(minor, &board, *instance).unwrap().to_string();
                let profile = &board.profile(instance.profile).name;
                items.push(write_claim("n", &pod(node, gpu, id), profile, Some((&name, &device))));
            }
        }
        file("dra.json".to_owned(), list(items))
    }

    pub fn annotations(&self) -> InputFile {
        let board = board();
        let mut items = Vec::new();
        for (node, gpus) in self.nodes.iter().enumerate() {
            let registered: Vec<RegisteredGpu> = (0..gpus.len())
                .map(|gpu| RegisteredGpu {
                    uuid: uuid(node, gpu),
                    index: Some(gpu as u32),
                    product: PRODUCT.to_owned(),
                    is_mig: true,
                })
                .collect();
            items.push(write_node(&format!("n{node}"), &registered));
        }
        for (node, gpu, laid) in self.each() {
            for (id, (instance, _)) in laid.iter().enumerate().filter(|(_, (_, is_used))| *is_used) {
                let profile = board.profile(instance.profile);
                let allocation = Allocation {
                    container: 0,
                    device: 0,
                    gpu_uuid: uuid(node, gpu),
                    profile: profile.name.clone(),
                    start: instance.start.0,
                    size: profile.size,
                    realised: (id % 2 == 0).then(|| Realised {
                        mig_uuid: mig_uuid(node, gpu, id),
                        gpu_instance: gi(id),
                        compute_instance: 0,
                    }),
                };
                items.push(write_pod("n", &pod(node, gpu, id), &format!("n{node}"), &[allocation]));
            }
        }
        file("hami.json".to_owned(), list(items))
    }
}

fn uuid(node: usize, gpu: usize) -> String {
    format!("GPU-{node:08x}-{gpu:04x}")
}

fn mig_uuid(node: usize, gpu: usize, id: usize) -> String {
    format!("MIG-{node:08x}-{gpu:04x}-{id}")
}

fn gi(id: usize) -> u32 {
    id as u32 + 3
}

pub fn pod(node: usize, gpu: usize, id: usize) -> String {
    format!("p-{node}-{gpu}-{id}")
}

fn pci(gpu: usize, domain: usize) -> String {
    format!("{:0domain$}:{:02X}:00.0", 0, 7 + 8 * gpu)
}
