//! What the present state of GPUs makes of an apply.

use super::lint::{Lint, gpus_in_words};
use super::subject::Subject;
use crate::state::Gpu;
use itertools::Itertools;

const RESETS: &str =
    "all matched GPUs with MIG on are cleared, and all GPUs of the node are reset. Drain the node first.";

pub fn mode_change(subject: &Subject<'_>) -> Option<Lint> {
    let mut names = Vec::new();
    let mut first = None;
    for (node, found) in subject.nodes() {
        for found in found {
            let (gpu, entry) = (&node.gpus[found.gpu], subject.entry(found));
            if subject.is_known && gpu.mig_enabled != entry.mig_enabled {
                names.push(node.gpu_name(gpu));
                first = first.or(Some(entry.at));
            }
        }
    }
    if let Some(at) = first {
        let names: Vec<String> = names.into_iter().unique().collect();
        let verb = if names.len() == 1 { "changes its" } else { "change their" };
        let message = format!("{} {verb} MIG mode: {RESETS}", gpus_in_words(&names));
        return Some(Lint::warning("mode-change", at, message));
    }
    let without_mig = subject.matched_entries().find(|entry| !entry.mig_enabled)?;
    let has_both = subject.matched_entries().any(|entry| entry.mig_enabled);
    let message =
        format!("MIG is on for some GPUs and off for others: where one of them has another mode, {RESETS}");
    (has_both && !subject.is_known).then(|| Lint::warning("mode-change", without_mig.at, message))
}

pub fn without_compute_instance(subject: &Subject<'_>) -> Vec<Lint> {
    let hidden = |gpu: &Gpu| -> Vec<String> {
        let hidden = gpu.instances.iter().filter(|standing| !standing.has_compute_instance);
        hidden.map(|standing| gpu.board.instance_name(standing.instance)).collect()
    };
    let mut told = Vec::new();
    for (node, found) in subject.nodes() {
        for (position, gpu) in node.gpus.iter().enumerate() {
            let hidden = hidden(gpu);
            if hidden.is_empty() || !found.iter().any(|found| found.gpu == position) {
                continue;
            }
            let message = format!(
                "GPU {} has {} without compute instance, which `export` and `assert` do not see: where the GPU shows no device, the first \
                 apply finds no room and fails, and the second one succeeds. Destroy it with `nvidia-smi mig -dgi`, or give it a compute \
                 instance with `nvidia-smi mig -cci`.",
                node.gpu_name(gpu),
                hidden.join(", ")
            );
            told.push(Lint::warning("no-compute-instance", subject.configuration.at, message));
        }
    }
    told
}
