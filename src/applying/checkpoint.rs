//! Checkpoints of mig-parted: what each node has after the plan, slot by slot.
//!
//! `nvidia-mig-parted checkpoint` and its restore compare MIG modes by position, so all GPUs of a node are listed in NVML's order.

use crate::applied_file::AppliedFile;
use crate::course::{Course, Held};
use crate::shell::file_part;
use formats::mig_parted::{Device, Instance, write};
use formats::{Place, Record};

/// NVML's profiles of compute instances that span 1, 2, 3, 4, 6, 7 and 8 slices.
const COMPUTE_PROFILES: [(u32, u32); 7] = [(1, 0), (2, 1), (3, 2), (4, 3), (6, 6), (7, 4), (8, 5)];

/// A file for each node.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut files = Vec::new();
    for (node, gpus) in course.nodes() {
        let of_node = |name: &&String| name.rsplit_once('/').is_some_and(|(of, _)| of == node);
        if let Some((name, reason)) = course.lock.left_out.iter().find(|(name, _)| of_node(name)) {
            return Err(format!(
                "the checkpoint of {node} has to list all of its GPUs, and {name} was left out at import: {reason}. Use --format \
                 nvidia-smi, which changes single instances."
            ));
        }
        let devices = gpus.iter().map(|gpu| device(course, gpu)).collect::<Result<Vec<_>, _>>()?;
        files.push(AppliedFile::text(format!("{}.checkpoint.json", file_part(node)?), write(&devices)));
    }
    Ok(files)
}

fn device(course: &Course<'_>, gpu: &str) -> Result<Device, String> {
    let board = course.board_of(gpu);
    let mut instances = Vec::new();
    for &Held { instance, is_bare } in course.after[gpu].values() {
        let profile = board.profile(instance.profile);
        let compute = COMPUTE_PROFILES.iter().find(|(slices, _)| *slices == profile.compute);
        let (Some(number), Some((_, compute))) = (profile.nvml_enum, compute) else {
            return Err(format!(
                "NVML's number of profile {} of a {} is not known. Use --format nvidia-smi.",
                profile.name,
                board.name()
            ));
        };
        let value = Instance {
            profile: number,
            start: instance.start.0,
            size: profile.size,
            compute_instances: if is_bare { Vec::new() } else { vec![(*compute, 0)] },
        };
        instances.push((number, Record { value, place: Place::Line(1) }));
    }
    // As mig-parted lists them: by profile, then by slot.
    instances.sort_by_key(|(number, record)| (*number, record.value.start));
    let instances = instances.into_iter().map(|(_, record)| record).collect();
    Ok(Device { uuid: course.uuid_of(gpu)?.to_owned(), mig: true, instances })
}
