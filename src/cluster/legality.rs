//! Is a placement something the hardware can hold? An independent reading of the rules, used on every input and answer.

use super::{ByGpu, Cluster, GpuIndex, HostIndex, MemoryUnit, Placement, Workload, WorkloadIndex};
use ground::Amount;
use itertools::Itertools;
use std::cmp::Reverse;

/// A rule of the hardware that a placement breaks. Its `Display` names the things involved and the numbers.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The board has no profile that serves the workload's request.
    UnsupportedProfile { workload: String, gpu: String, board: String, wanted: Vec<String> },
    /// No instance of the profile may start at this slot.
    IllegalStart { workload: String, gpu: String, profile: String, start: u8, legal: Vec<u8> },
    /// Two instances share memory slots.
    Overlap { first: String, second: String, gpu: String, slots: Vec<u32> },
    /// The compute slices, an engine pool or an instance maximum of the board are exceeded.
    LimitExceeded { gpu: String, limit: String, used: u32, capacity: u32, workloads: Vec<String> },
    /// The workloads on a host need more CPU cores than it has; those that need most come first.
    HostCpu { host: String, used: Amount, capacity: Amount, workloads: Vec<String> },
    /// The workloads on a host need more main memory than it has; those that need most come first.
    HostMemory { host: String, used: Amount, capacity: Amount, unit: MemoryUnit, workloads: Vec<String> },
}

impl Violation {
    /// The rule's short, stable name.
    pub fn rule(&self) -> &'static str {
        match self {
            Violation::UnsupportedProfile { .. } => "unsupported-profile",
            Violation::IllegalStart { .. } => "illegal-start",
            Violation::Overlap { .. } => "overlap",
            Violation::LimitExceeded { .. } => "limit-exceeded",
            Violation::HostCpu { .. } => "host-cpu",
            Violation::HostMemory { .. } => "host-memory",
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Violation::UnsupportedProfile { workload, gpu, board, wanted } => {
                write!(
                    formatter,
                    "`{workload}` needs {} but {gpu} is a {board}, which has no such profile",
                    wanted.join(" or ")
                )
            }
            Violation::IllegalStart { workload, gpu, profile, start, legal } => write!(
                formatter,
                "`{workload}` is a {profile} at start {start} of {gpu}; legal starts are {}",
                legal.iter().join(", ")
            ),
            Violation::Overlap { first, second, gpu, slots } => {
                write!(
                    formatter,
                    "`{first}` and `{second}` overlap on {gpu} in memory slots {}",
                    slots.iter().join(", ")
                )
            }
            Violation::LimitExceeded { gpu, limit, used, capacity, workloads } => {
                write!(formatter, "{gpu} takes {used} {limit} but allows {capacity}: {}", listed(workloads))
            }
            Violation::HostCpu { host, used, capacity, workloads } => write!(
                formatter,
                "workloads on host {host} need {used} CPU cores of {capacity}: {}",
                listed(workloads)
            ),
            Violation::HostMemory { host, used, capacity, unit, workloads } => write!(
                formatter,
                "workloads on host {host} need {used} {unit} of main memory of {capacity}: {}",
                listed(workloads)
            ),
        }
    }
}

/// Names in backticks, the first ten of them.
fn listed(names: &[String]) -> String {
    const MOST: usize = 10;
    let shown = names.iter().take(MOST).map(|name| format!("`{name}`")).join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Whether hosts' CPU and main memory count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostResources {
    /// They are part of the rules.
    Checked,
    /// The model at hand does not know them.
    Ignored,
}

/// Every rule of the hardware that `placement` breaks, GPU by GPU, then host by host.
pub fn check(cluster: &Cluster, placement: &Placement, host_resources: HostResources) -> Vec<Violation> {
    check_where(cluster, placement, host_resources, |_| true)
}

/// The rules that are broken on the chosen GPUs, and on their hosts by what is on the chosen GPUs: a host is judged as a whole
/// if all its GPUs are chosen.
pub fn check_where(
    cluster: &Cluster,
    placement: &Placement,
    host_resources: HostResources,
    chosen: impl Fn(GpuIndex) -> bool,
) -> Vec<Violation> {
    let by_gpu = placement.by_gpu_where(cluster, chosen);
    let mut violations = Vec::new();
    for (gpu, workloads) in cluster.gpu_indices().zip(by_gpu.iter()) {
        check_gpu(cluster, placement, gpu, workloads, &mut violations);
    }
    if host_resources == HostResources::Checked {
        check_hosts(cluster, &by_gpu, &mut violations);
    }
    violations
}

fn check_gpu(
    cluster: &Cluster,
    placement: &Placement,
    gpu: GpuIndex,
    workloads: &[WorkloadIndex],
    violations: &mut Vec<Violation>,
) {
    let board = cluster.board_of(gpu);
    let gpu_name = &cluster.gpus[gpu.index()].name;
    let name = |workload: WorkloadIndex| cluster.workloads[workload.index()].name.clone();
    let mut instances = Vec::with_capacity(workloads.len());
    for &workload in workloads {
        let location = placement.of(workload).expect("listed by location");
        let Some(instance) = cluster.instance_at(workload, location) else {
            let wanted = cluster.requests[cluster.workloads[workload.index()].request.index()].names.clone();
            let (workload, gpu, board) = (name(workload), gpu_name.clone(), board.name().to_owned());
            violations.push(Violation::UnsupportedProfile { workload, gpu, board, wanted });
            continue;
        };
        if !board.is_legal(instance) {
            let profile = board.profile(instance.profile);
            violations.push(Violation::IllegalStart {
                workload: name(workload),
                gpu: gpu_name.clone(),
                profile: profile.name.clone(),
                start: instance.start.0,
                legal: profile.starts.iter().map(|start| start.0).sorted().collect(),
            });
            continue;
        }
        instances.push((workload, instance));
    }
    for (&(first, one), &(second, other)) in instances.iter().tuple_combinations() {
        let shared = board.footprint(one).0 & board.footprint(other).0;
        if shared != 0 {
            violations.push(Violation::Overlap {
                first: name(first),
                second: name(second),
                gpu: gpu_name.clone(),
                slots: (0..64).filter(|slot| shared >> slot & 1 == 1).collect(),
            });
        }
    }
    for limit in board.limits() {
        let users = || instances.iter().filter(|(_, instance)| limit.usage[instance.profile.index()] > 0);
        let used = users().map(|(_, instance)| limit.usage[instance.profile.index()]).sum::<u32>();
        if used > limit.capacity {
            violations.push(Violation::LimitExceeded {
                gpu: gpu_name.clone(),
                limit: limit.name.clone(),
                used,
                capacity: limit.capacity,
                workloads: users().map(|&(workload, _)| name(workload)).collect(),
            });
        }
    }
}

fn check_hosts(cluster: &Cluster, by_gpu: &ByGpu, violations: &mut Vec<Violation>) {
    let mut on_host = vec![Vec::new(); cluster.hosts.len()];
    for (gpu, workloads) in cluster.gpus.iter().zip(by_gpu.iter()) {
        if let Some(HostIndex(host)) = gpu.host {
            on_host[host as usize]
                .extend(workloads.iter().map(|workload| &cluster.workloads[workload.index()]));
        }
    }
    for (host, workloads) in cluster.hosts.iter().zip(&on_host) {
        let name = || host.name.clone();
        if let Some((used, capacity, workloads)) = exceeded(host.cpu, workloads, |workload| workload.cpu) {
            violations.push(Violation::HostCpu { host: name(), used, capacity, workloads });
        }
        if let Some((used, capacity, workloads)) =
            exceeded(host.memory, workloads, |workload| workload.memory)
        {
            let (host, unit) = (name(), cluster.memory_unit);
            violations.push(Violation::HostMemory { host, used, capacity, unit, workloads });
        }
    }
}

/// What workloads need together, the capacity that this exceeds, and those that need any of it, most demanding first.
fn exceeded(
    capacity: Option<Amount>,
    workloads: &[&Workload],
    need: impl Fn(&Workload) -> Amount,
) -> Option<(Amount, Amount, Vec<String>)> {
    let used: Amount = workloads.iter().map(|workload| need(workload)).sum();
    let capacity = capacity.filter(|&capacity| used > capacity)?;
    let needy = workloads.iter().filter(|workload| need(workload) > Amount::ZERO);
    let needy = needy.sorted_by_key(|workload| Reverse(need(workload)));
    Some((used, capacity, needy.map(|workload| workload.name.clone()).collect()))
}
