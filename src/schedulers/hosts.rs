//! How kube-scheduler scores the CPU and main memory of a node.

use cluster::GpuIndex;
use fleet::{Fleet, HostSupply, Request};

/// From 0 to 100: the shares of CPU and main memory that are left once the request is there, each in whole percent rounded down, and their
/// mean rounded down. What the host does not limit does not count; nodes on which nothing counts have 0.
pub fn least_allocated(fleet: &Fleet<'_>, gpus: &[GpuIndex], request: Request<'_>) -> i128 {
    score(fleet, gpus, request, |whole, used| whole - used)
}

/// The same of the shares that are used.
pub fn most_allocated(fleet: &Fleet<'_>, gpus: &[GpuIndex], request: Request<'_>) -> i128 {
    score(fleet, gpus, request, |_, used| used)
}

fn score(
    fleet: &Fleet<'_>,
    gpus: &[GpuIndex],
    request: Request<'_>,
    counted: impl Fn(i128, i128) -> i128,
) -> i128 {
    let Some(HostSupply { whole, left }) = gpus.first().and_then(|&gpu| fleet.supply(gpu)) else { return 0 };
    let resources = [(whole.cpu, left.cpu, request.cpu), (whole.memory, left.memory, request.memory)];
    let mut percent = Vec::new();
    for (whole, left, asked) in resources {
        let (Some(whole), Some(left)) = (whole, left) else { continue };
        let used = (whole - left + asked).millionths();
        let whole = whole.millionths();
        if whole > 0 {
            percent.push(if used > whole { 0 } else { counted(whole, used) * 100 / whole });
        }
    }
    if percent.is_empty() { 0 } else { percent.iter().sum::<i128>() / percent.len() as i128 }
}
