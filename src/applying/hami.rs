//! Annotations for HAMi, which chooses starts itself: a plan is followed GPU by GPU only.

use crate::AppliedFile;
use crate::course::Course;
use crate::handover;
use crate::shell::{comment, quoted};
use itertools::Itertools;
use std::collections::BTreeSet;

/// The steps: which GPUs are cordoned in each round, and on which GPU each pod that starts is to be.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut steps = format!(
        "# The plan of {} by HAMi. Lines that begin with # are for people. HAMi chooses the starts of instances: look at the pods' annotations\n\
         # after each round, and import and plan anew if a start is another than the plan's.\n",
        comment(course.name)
    );
    let changed: BTreeSet<&str> =
        course.stages.iter().flat_map(|stage| stage.changes.keys().copied()).collect();
    let nodes: BTreeSet<&str> = changed.iter().map(|&gpu| course.gpu(gpu).node.as_str()).collect();
    for (number, stage) in (1..).zip(&course.stages) {
        steps += &format!("\n# Round {number}\n");
        let entered: BTreeSet<&str> =
            stage.moves.iter().filter_map(|step| step.to.as_ref()).map(|spot| spot.gpu.as_str()).collect();
        for &node in &nodes {
            let closed = |gpu: &&str| course.gpu(gpu).node == node && !entered.contains(gpu);
            steps += &cordon(course, node, changed.iter().copied().filter(closed).collect())?;
        }
        for step in stage.moves {
            steps += &format!("# {}\n", handover::words(course, step));
            if let Some(to) = &step.to {
                steps += &format!(
                    "#   annotation of its pod: nvidia.com/use-gpuuuid: \"{}\"\n",
                    course.uuid_of(&to.gpu)?
                );
            }
        }
    }
    steps += "\n# After the plan\n";
    for &node in &nodes {
        steps += &cordon(course, node, BTreeSet::new())?;
    }
    Ok(vec![AppliedFile::text("steps.txt", steps)])
}

/// Cordons GPUs of a node, beside those that were cordoned before.
fn cordon<'a>(course: &Course<'a>, node: &str, mut gpus: BTreeSet<&'a str>) -> Result<String, String> {
    let cordoned = course.lock.gpus.iter().filter(|(_, gpu)| gpu.node == node && gpu.cordoned);
    gpus.extend(cordoned.map(|(name, _)| name.as_str()));
    let uuids = gpus.into_iter().map(|gpu| course.uuid_of(gpu)).collect::<Result<Vec<_>, _>>()?;
    Ok(match uuids.is_empty() {
        true => format!("kubectl annotate node {} hami.io/device-cordon-\n", quoted(node)),
        false => format!(
            "kubectl annotate node {} --overwrite hami.io/device-cordon={}\n",
            quoted(node),
            uuids.iter().join(",")
        ),
    })
}
