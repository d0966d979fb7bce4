//! Pods, claims, budgets, nodes and jobs, found by what others call them.

use super::facts::Origin;
use super::reading::{Read, origin};
use formats::Contents;
use formats::dra::ResourceClaim;
use formats::kubernetes::{ClusterNode, DisruptionBudget, Objects, Pod};
use formats::slurm;
use std::collections::{BTreeMap, BTreeSet};

/// A pod and where it is told of.
#[derive(Clone, Debug)]
pub(crate) struct KnownPod {
    pub pod: Pod,
    pub origin: Origin,
}

/// A job and where it is told of.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub job: slurm::job::Job,
    pub origin: Origin,
}

/// What is known beside GPUs.
#[derive(Debug, Default)]
pub(crate) struct ClusterFacts {
    pub pods: Vec<KnownPod>,
    by_name: BTreeMap<(String, String), usize>,
    by_uid: BTreeMap<String, usize>,
    pub nodes: BTreeMap<String, ClusterNode>,
    pub budgets: Vec<DisruptionBudget>,
    pub claims: Vec<(ResourceClaim, Origin)>,
    pub jobs: BTreeMap<u64, Job>,
    pub slurm_nodes: BTreeMap<String, slurm::node::SlurmNode>,
    /// Whether there is a list of pods, of claims, of jobs.
    pub has_pods: bool,
    pub has_claims: bool,
    pub has_jobs: bool,
    /// Nodes that someone manages, so that processes alone do not tell who uses an instance.
    pub managed: BTreeSet<String>,
}

impl ClusterFacts {
    pub(super) fn of(read: &Read) -> Self {
        let mut facts = ClusterFacts::default();
        for (file, (known, contents)) in read.files.iter().enumerate() {
            match contents {
                Contents::Objects(objects) => facts.add_objects(file, objects),
                Contents::SlurmJobs(jobs) => {
                    facts.has_jobs = true;
                    for record in jobs {
                        let job = Job { job: record.value.clone(), origin: origin(file, record.place) };
                        facts
                            .managed
                            .extend(job.job.devices.iter().map(|devices| devices.value.node.clone()));
                        // One file per node lists the jobs that have several nodes several times.
                        facts.jobs.entry(job.job.id).or_insert(job);
                    }
                }
                Contents::SlurmNodes(nodes) => {
                    for record in nodes {
                        facts.managed.insert(record.value.name.clone());
                        facts.slurm_nodes.insert(record.value.name.clone(), record.value.clone());
                    }
                }
                Contents::SlurmDevices(devices) => {
                    let names =
                        devices.iter().map(|device| device.value.node.as_ref().unwrap_or(&known.node));
                    facts.managed.extend(names.cloned());
                }
                Contents::DeviceEntries(_) | Contents::PodResources(_) => {
                    facts.managed.insert(known.node.clone());
                }
                Contents::Metrics(metrics) => {
                    let tells = |metric: &&formats::Record<formats::dcgm::Metric>| {
                        metric.value.holder != formats::dcgm::Holder::NotTold
                    };
                    facts
                        .managed
                        .extend(metrics.iter().filter(tells).map(|metric| metric.value.node.clone()));
                }
                _ => {}
            }
        }
        facts
    }

    fn add_objects(&mut self, file: usize, objects: &Objects) {
        self.has_pods |= !objects.pods.is_empty();
        self.has_claims |= !objects.claims.is_empty();
        for record in &objects.pods {
            let pod = &record.value;
            let key = (pod.namespace.clone(), pod.name.clone());
            if self.by_name.contains_key(&key) {
                continue;
            }
            let uses_gpus = !pod.resources.is_empty() || pod.hami.is_some();
            self.managed.extend(pod.node.clone().filter(|_| uses_gpus));
            self.by_name.insert(key, self.pods.len());
            if !pod.uid.is_empty() {
                self.by_uid.insert(pod.uid.clone(), self.pods.len());
            }
            self.pods.push(KnownPod { pod: pod.clone(), origin: origin(file, record.place) });
        }
        for record in &objects.nodes {
            let has_gpus = !record.value.allocatable.is_empty() || record.value.hami.is_some();
            self.managed.extend(Some(record.value.name.clone()).filter(|_| has_gpus));
            self.nodes.insert(record.value.name.clone(), record.value.clone());
        }
        self.budgets.extend(objects.budgets.iter().map(|record| record.value.clone()));
        let claims = objects.claims.iter();
        self.claims.extend(claims.map(|record| (record.value.clone(), origin(file, record.place))));
    }

    pub fn pod_named(&self, namespace: &str, name: &str) -> Option<&KnownPod> {
        self.by_name.get(&(namespace.to_owned(), name.to_owned())).map(|&position| &self.pods[position])
    }

    pub fn pod_of_uid(&self, uid: &str) -> Option<&KnownPod> {
        self.by_uid.get(uid).map(|&position| &self.pods[position])
    }
}
