//! The YAML form of a trace: the hosts and GPUs of an instance file, and arrivals instead of workloads.

use super::{Visit, fleet, times};
use cluster::{
    self, Cluster, Described, GpuSection, HostSection, OneOrMany, ProfileReference, WorkloadSection,
};
use ground::{Amount, Complaints, InputError, Located, SourceText};
use mig::Geometry;
use models::check_name;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A trace of virtual machines that come and go, on a cluster of hosts and GPUs.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt trace")]
pub struct TraceDocument {
    /// Name of the trace.
    name: String,
    /// What the trace is about, for readers.
    #[serde(default, rename = "description")]
    _description: Option<String>,
    /// Boards by name that the catalogue does not have (`migopt list boards`), or that differ from it.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Geometry>")]
    boards: BTreeMap<String, Located<Geometry>>,
    /// Hosts with their GPUs.
    #[serde(default)]
    #[schemars(with = "Vec<HostSection>")]
    hosts: Vec<Located<HostSection>>,
    /// GPUs outside any host.
    #[serde(default)]
    #[schemars(with = "Vec<GpuSection>")]
    gpus: Vec<Located<GpuSection>>,
    /// Virtual machines, in any order.
    #[schemars(with = "Vec<ArrivalSection>")]
    arrivals: Vec<Located<ArrivalSection>>,
}

/// A virtual machine, or several alike.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ArrivalSection {
    /// Name, unique in the trace.
    name: String,
    /// The profile that they ask for, or several acceptable ones, most wanted first.
    #[schemars(with = "OneOrMany<ProfileReference>")]
    profile: OneOrMany<String>,
    /// When they arrive, in seconds.
    arrival: Amount,
    /// When they leave, in seconds; without it and without a lifetime they never leave.
    departure: Option<Amount>,
    /// How long they stay, in seconds, instead of the departure.
    lifetime: Option<Amount>,
    /// How many there are; 1 when left out.
    replicas: Option<u32>,
    /// CPU cores that each needs.
    #[serde(default)]
    cpu: Amount,
    /// Main memory in GiB that each needs.
    #[serde(default)]
    memory_gib: Amount,
}

/// Reads hosts and virtual machines, these in the order of the file.
pub(super) fn read(source: &SourceText) -> Result<(Cluster, Vec<Visit>), InputError> {
    if source.text().trim().is_empty() {
        let message = "the file is empty. instances/traces/two-boards.yaml is an example of a trace in YAML.";
        return Err(source.error(message));
    }
    let file: TraceDocument = source.parse()?;
    let mut complaints = Complaints::default();
    complaints.keep(check_name(source, &file.name));
    if file.arrivals.is_empty() {
        let message = "`arrivals` is empty. List at least one virtual machine.";
        complaints.add(source.error_at_key(&["arrivals"], message));
    }
    let visits = complaints.keep_each(&file.arrivals, |arrival| visit(source, arrival));
    let sections: Vec<Located<WorkloadSection>> = file.arrivals.iter().map(workload).collect();
    let described = Described {
        boards: &file.boards,
        hosts: file.hosts,
        gpus: file.gpus,
        workloads: sections,
        budgets: &[],
        groups: &[],
    };
    let cluster = cluster::build(source, file.name, described).and_then(|cluster| {
        cluster.refuse_rules(source, "a replay", &[], "Leave it out of the trace.")?;
        Ok(cluster)
    });
    let cluster = complaints.keep(cluster);
    let mut cluster = complaints.finish(cluster)?;
    let replicas = file.arrivals.iter().map(|arrival| arrival.value.replicas.unwrap_or(1) as usize);
    let visits = visits
        .into_iter()
        .zip(replicas)
        .flat_map(|(visit, count)| std::iter::repeat_n(visit, count))
        .collect();
    fleet::sort_requests(&mut cluster);
    Ok((cluster, visits))
}

fn workload(arrival: &Located<ArrivalSection>) -> Located<WorkloadSection> {
    let section = &arrival.value;
    let workload = WorkloadSection {
        profile: section.profile.clone(),
        replicas: section.replicas,
        cpu: section.cpu,
        memory_gib: section.memory_gib,
        ..WorkloadSection::new(section.name.clone(), String::new())
    };
    Located { value: workload, at: arrival.at }
}

fn visit(source: &SourceText, arrival: &Located<ArrivalSection>) -> Result<Visit, InputError> {
    let (section, at) = (&arrival.value, arrival.at);
    let refuse = |field: &'static str| {
        move |message: String| {
            source.error_at(at, Some(field), format!("virtual machine `{}`: {message}", section.name))
        }
    };
    let came = times::moment("arrival", section.arrival).map_err(refuse("arrival"))?;
    let departure = match (section.departure, section.lifetime) {
        (Some(_), Some(_)) => {
            let message = "`departure` and `lifetime` say the same thing twice. Keep one.".to_owned();
            return Err(refuse("lifetime")(message));
        }
        (Some(departure), None) => {
            Some(times::departure(("arrival", came), ("departure", departure)).map_err(refuse("departure"))?)
        }
        (None, Some(lifetime)) => {
            Some(times::after(("arrival", came), ("lifetime", lifetime)).map_err(refuse("lifetime"))?)
        }
        (None, None) => None,
    };
    Ok(Visit { arrival: came, departure })
}
