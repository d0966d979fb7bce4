//! What a file is, from what is in it.

use super::node::Node;
use super::place::Record;
use super::{dcgm, kubelet, kubernetes, mig_parted, nvidia_smi, slurm};
use ground::{InputError, SourceText};

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Contents {
    /// `nvidia-smi mig -lgi`.
    GpuInstances(nvidia_smi::Listing<nvidia_smi::gpu_instances::GpuInstanceRow>),
    /// `nvidia-smi mig -lci`.
    ComputeInstances(nvidia_smi::Listing<nvidia_smi::compute_instances::ComputeInstanceRow>),
    /// `nvidia-smi -L`.
    Devices(Vec<Record<nvidia_smi::devices::GpuLine>>),
    /// `nvidia-smi -q -x`.
    Query(Vec<Record<nvidia_smi::query::GpuQuery>>),
    /// `/proc/driver/nvidia-caps/mig-minors`.
    Capabilities(Vec<Record<nvidia_smi::mig_minors::Capability>>),
    /// `nvidia-mig-parted checkpoint`.
    Checkpoint(Vec<Record<mig_parted::Device>>),
    /// Objects of Kubernetes.
    Objects(kubernetes::Objects),
    /// The kubelet's checkpoint.
    DeviceEntries(kubelet::checkpoint::Checkpoint),
    /// The kubelet's podresources.
    PodResources(Vec<Record<kubelet::pod_resources::ContainerDevices>>),
    /// Metrics of dcgm-exporter.
    Metrics(Vec<Record<dcgm::Metric>>),
    /// `slurmd -G`.
    SlurmDevices(Vec<Record<slurm::gres::DeviceLine>>),
    /// `scontrol show job -d`.
    SlurmJobs(Vec<Record<slurm::job::Job>>),
    /// `scontrol show node -d`.
    SlurmNodes(Vec<Record<slurm::node::SlurmNode>>),
    /// Something of these tools that does not tell who sits where.
    BesideThePoint {
        /// What it is.
        what: &'static str,
    },
}

impl Contents {
    /// Whether the file is of one node without naming it.
    pub fn is_of_a_nameless_node(&self) -> bool {
        match self {
            Contents::SlurmDevices(devices) => devices.iter().all(|device| device.value.node.is_none()),
            Contents::GpuInstances(_)
            | Contents::ComputeInstances(_)
            | Contents::Devices(_)
            | Contents::Query(_)
            | Contents::Capabilities(_)
            | Contents::Checkpoint(_)
            | Contents::DeviceEntries(_)
            | Contents::PodResources(_) => true,
            _ => false,
        }
    }
}

/// Texts that a tool prints in lines: how to tell them, and how to read them.
type Told = (fn(&str) -> bool, fn(&SourceText) -> Result<Contents, InputError>);
const LINES: [Told; 9] = [
    (nvidia_smi::compute_instances::recognises, |source| {
        nvidia_smi::compute_instances::read(source).map(Contents::ComputeInstances)
    }),
    (nvidia_smi::gpu_instances::recognises, |source| {
        nvidia_smi::gpu_instances::read(source).map(Contents::GpuInstances)
    }),
    (nvidia_smi::query::recognises, |source| nvidia_smi::query::read(source).map(Contents::Query)),
    (nvidia_smi::devices::recognises, |source| nvidia_smi::devices::read(source).map(Contents::Devices)),
    (nvidia_smi::mig_minors::recognises, |source| {
        nvidia_smi::mig_minors::read(source).map(Contents::Capabilities)
    }),
    (slurm::gres::recognises, |source| slurm::gres::read(source).map(Contents::SlurmDevices)),
    (slurm::job::recognises, |source| slurm::job::read(source).map(Contents::SlurmJobs)),
    (slurm::node::recognises, |source| slurm::node::read(source).map(Contents::SlurmNodes)),
    (dcgm::recognises, |source| dcgm::read(source).map(Contents::Metrics)),
];

/// Documents in JSON or YAML: how to tell them, and how to read them.
type ToldByFields = (fn(Node<'_>) -> bool, fn(&SourceText) -> Result<Contents, InputError>);
const DOCUMENTS: [ToldByFields; 5] = [
    (mig_parted::recognises, |source| mig_parted::read(source).map(Contents::Checkpoint)),
    (kubelet::checkpoint::recognises, |source| {
        kubelet::checkpoint::read(source).map(Contents::DeviceEntries)
    }),
    (kubelet::pod_resources::recognises, |source| {
        kubelet::pod_resources::read(source).map(Contents::PodResources)
    }),
    (kubernetes::recognises, |source| kubernetes::read(source).map(Contents::Objects)),
    (dcgm::recognises_query, |source| dcgm::read_query(source).map(Contents::Metrics)),
];

/// Reads a file of any of these tools. `None` if it is of none of them.
///
/// # Errors
/// When the file is of one of them, but cut or broken; when it is empty; when it begins as JSON or XML and is neither.
pub fn read(source: &SourceText) -> Result<Option<Contents>, InputError> {
    let text = source.text();
    let begins = text.trim_start_matches('\u{feff}').trim_start();
    if begins.is_empty() {
        return Err(source.error(
            "the file is empty: the command that should have filled it printed nothing. Run it again, and look at its messages.",
        ));
    }
    if begins.starts_with(['{', '[']) || begins.starts_with("apiVersion:") || begins.starts_with("kind:") {
        return document(source);
    }
    if let Some((_, read)) = LINES.iter().find(|(recognises, _)| recognises(text)) {
        return read(source).map(Some);
    }
    let beside = |what| Ok(Some(Contents::BesideThePoint { what }));
    match text {
        _ if text.contains("GPU instance profiles:") => {
            beside("`nvidia-smi mig -lgip`, which lists profiles")
        }
        _ if text.contains("Placement") && text.contains("Profile ID") => {
            beside("`nvidia-smi mig -lgipp`, which lists legal starts")
        }
        _ if text.contains("mig-configs:") => {
            beside("a configuration of mig-parted, which `migopt check` judges")
        }
        _ => Ok(None),
    }
}

fn document(source: &SourceText) -> Result<Option<Contents>, InputError> {
    let root = Node::root(source)?;
    if !root.is_entry() {
        return Ok(None);
    }
    match DOCUMENTS.iter().find(|(recognises, _)| recognises(root)) {
        Some((_, read)) => read(source).map(Some),
        None => Ok(None),
    }
}

/// Says that a file is of no tool that is known.
pub fn foreign(source: &SourceText) -> InputError {
    source.error_at_line(
        Some(1),
        "this is not the output of a tool that migopt knows. It knows the output of `nvidia-smi mig -lgi`, `mig -lci`, `-L` and `-q -x`, \
         /proc/driver/nvidia-caps/mig-minors, checkpoints of mig-parted, `kubectl get ... -o json` of pods, nodes, pdb, resourceslices and \
         resourceclaims, the kubelet's checkpoint and podresources, metrics of dcgm-exporter, `slurmd -G`, `scontrol show job -d` and \
         `scontrol show node -d`. Leave it out.",
    )
}
