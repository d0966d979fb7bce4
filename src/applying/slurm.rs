//! Lines for Slurm, which partitions only drained nodes: types and counts of each node, and the order of drain and resume.

use crate::AppliedFile;
use crate::course::Course;
use crate::handover;
use crate::shell::{comment, file_part, quoted};
use itertools::Itertools;
use std::collections::BTreeMap;

/// The lines of all nodes after the plan, and the steps.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut gres = "# Under AutoDetect=nvml the devices are found; these are the types and counts after the plan.\nAutoDetect=nvml\n".to_owned();
    let mut nodes = "# For the NodeName lines of slurm.conf. Fewer instances than configured make a node INVAL and drain it.\n".to_owned();
    for (node, gpus) in course.nodes() {
        let mut types: BTreeMap<String, usize> = BTreeMap::new();
        for gpu in gpus {
            let board = course.board_of(gpu);
            let product = course.gpu(gpu).product.as_deref().ok_or_else(|| {
                format!(
                    "the lock does not hold the product of {gpu}, which Slurm's types begin with. Import `nvidia-smi -L` of {node} too."
                )
            })?;
            let product = product.to_lowercase().replace(' ', "_");
            for held in course.after[gpu].values().filter(|held| !held.is_bare) {
                let profile = &board.profile(held.instance.profile).name;
                *types.entry(format!("{product}_{profile}")).or_default() += 1;
            }
        }
        let node = file_part(node)?;
        for (kind, count) in &types {
            gres += &format!("NodeName={node} Name=gpu Type={kind} Count={count}\n");
        }
        let listed = types.iter().map(|(kind, count)| format!("gpu:{kind}:{count}")).join(",");
        nodes += &format!("NodeName={node} Gres={}\n", if listed.is_empty() { "(null)" } else { &listed });
    }
    Ok(vec![
        AppliedFile::text("gres.conf", gres),
        AppliedFile::text("nodes.conf", nodes),
        AppliedFile::text("steps.txt", steps(course)?),
    ])
}

fn steps(course: &Course<'_>) -> Result<String, String> {
    let mut steps = format!(
        "The plan of {} for Slurm, in this order. The scripts are those of `--format nvidia-smi`. Before the last resume, install gres.conf and the \
         lines of nodes.conf on all nodes and run `scontrol reconfigure`.\n",
        comment(course.name)
    );
    for (number, stage) in (1..).zip(&course.stages) {
        steps += &format!("\nRound {number}\n");
        let nodes = stage.changes.keys().map(|&gpu| course.gpu(gpu).node.as_str()).sorted().dedup();
        let nodes = nodes.map(file_part).collect::<Result<Vec<_>, _>>()?;
        for node in &nodes {
            let name = quoted(node);
            steps += &format!("  scontrol update nodename={name} state=drain reason=migopt\n");
            steps += &format!("  until the node is drained: squeue --nodelist={name}\n");
            steps += &format!("  on {node}: ./round-{number}.{node}.sh begin\n");
        }
        for step in stage.moves {
            steps += &format!("  {}\n", handover::words(course, step));
        }
        for node in &nodes {
            let name = quoted(node);
            steps += &format!("  on {node}: ./round-{number}.{node}.sh finish\n");
            steps += &format!(
                "  on {node}: systemctl restart slurmd\n  scontrol update nodename={name} state=resume\n"
            );
        }
    }
    Ok(steps)
}
