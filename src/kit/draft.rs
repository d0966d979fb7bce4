//! Instances that a generator draws, before they are a file.

use cluster::{GpuSection, HostSection, WorkloadSection};
use ground::Located;

/// An instance with the section of one model.
#[derive(Clone, Debug)]
pub struct Draft<Section> {
    /// The instance's name.
    pub name: String,
    /// What it is about, for readers.
    pub description: Option<String>,
    /// Instances of one family differ by chance alone.
    pub family: Option<String>,
    /// Hosts with their GPUs.
    pub hosts: Vec<Located<HostSection>>,
    /// GPUs without a host.
    pub gpus: Vec<Located<GpuSection>>,
    /// Workloads, running or waiting.
    pub workloads: Vec<Located<WorkloadSection>>,
    /// The model's section, where the instance says anything there.
    pub section: Option<Section>,
}

impl<Section> Default for Draft<Section> {
    fn default() -> Self {
        Draft {
            name: String::new(),
            description: None,
            family: None,
            hosts: Vec::new(),
            gpus: Vec::new(),
            workloads: Vec::new(),
            section: None,
        }
    }
}
