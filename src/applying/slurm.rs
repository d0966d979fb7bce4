//! Lines for Slurm, which partitions only drained nodes: types and counts of each node, scripts that change its GPUs, and the order of
//! drain and resume.

use crate::applied_file::AppliedFile;
use crate::course::{Course, Layout, Stage};
use crate::handover;
use crate::nvidia_smi;
use crate::shell::{comment, file_part, quoted};
use itertools::Itertools;
use plan::{Kind, MoveEntry};
use std::collections::{BTreeMap, BTreeSet};

/// The lines of all nodes after each round that changes instances, the scripts, and the steps.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut files = nvidia_smi::scripts(course)?;
    let mut steps = format!(
        "The plan of {} for Slurm, in this order. Copy each script to its node and run it there as root.\n",
        comment(course.name)
    );
    let mut now = course.before.clone();
    for (number, stage) in (1..).zip(&course.stages) {
        steps += &format!("\nRound {number}\n");
        let nodes = changed(course, stage);
        for node in drained_from(course, number) {
            steps += &format!("  scontrol update nodename={} state=drain reason=migopt\n", quoted(node));
        }
        for &node in &nodes {
            refuse_users(course, number, node)?;
            steps += &format!(
                "  wait until {node} is drained, with nothing in: squeue --nodelist={}\n",
                quoted(node)
            );
            let node = file_part(node)?;
            for half in ["begin", "finish"] {
                steps += &format!("  on {node}: ./round-{number}.{node}.sh {half}\n");
            }
        }
        for (&gpu, change) in &stage.changes {
            now.insert(gpu, change.after());
        }
        if !nodes.is_empty() {
            let (gres, nodes_conf) =
                (format!("round-{number}.gres.conf"), format!("round-{number}.nodes.conf"));
            steps += &format!("  on all nodes: install {gres} and the lines of {nodes_conf}\n");
            let (gres_text, nodes_text) = lines(course, &now)?;
            files.push(AppliedFile::text(gres, gres_text));
            files.push(AppliedFile::text(nodes_conf, nodes_text));
            for &node in &nodes {
                steps += &format!("  on {node}: systemctl restart slurmd\n");
            }
            steps += "  scontrol reconfigure\n";
            for &node in &nodes {
                steps += &format!("  scontrol update nodename={} state=resume\n", quoted(node));
            }
        }
        for step in stage.moves {
            steps += &format!("  {}\n", handover::words(course, step));
            steps += &job_command(course, step);
        }
    }
    files.push(AppliedFile::text("steps.txt", steps));
    Ok(files)
}

/// The command that stops a job so that it stays in the queue, or lets it run again.
fn job_command(course: &Course<'_>, step: &MoveEntry) -> String {
    let known = course.lock.workloads.get(&step.workload);
    let Some((job, ran)) = known.and_then(|known| Some((known.job?, known.gpu.is_some()))) else {
        return String::new();
    };
    match step.kind {
        Kind::Stop => format!("  scontrol requeuehold {job}\n"),
        Kind::Start if ran => format!("  scontrol release {job}\n"),
        Kind::Start | Kind::Surge | Kind::Restart => String::new(),
    }
}

/// The nodes whose instances a round changes.
fn changed<'a>(course: &Course<'a>, stage: &Stage<'a>) -> BTreeSet<&'a str> {
    stage.changes.keys().map(|&gpu| course.gpu(gpu).node.as_str()).collect()
}

/// The nodes whose drain begins in a round: as early before their change as no workload starts there any more, so that no
/// other job takes the room of those that stop for the change.
fn drained_from<'a>(course: &Course<'a>, round: usize) -> Vec<&'a str> {
    let stages = &course.stages;
    let is_busy = |stage: &Stage<'a>, node: &str| {
        let mut entered = stage.moves.iter().filter_map(|step| step.to.as_ref());
        changed(course, stage).contains(node)
            || entered.any(|spot| course.lock.gpus.get(&spot.gpu).is_some_and(|gpu| gpu.node == node))
    };
    let mut found = Vec::new();
    for (later, stage) in (1..).zip(stages).skip(round - 1) {
        for node in changed(course, stage) {
            let is_free = |between: usize| !is_busy(&stages[between - 1], node);
            let first = (1..later).rev().take_while(|&between| is_free(between)).last().unwrap_or(later);
            if first == round {
                found.push(node);
            }
        }
    }
    found
}

/// Refuses to change a node on which a workload runs.
fn refuse_users(course: &Course<'_>, round: usize, node: &str) -> Result<(), String> {
    let users = &course.stages[round - 1].users;
    let found = users.iter().find(|(gpu, _)| course.gpu(gpu).node == node);
    found.map_or(Ok(()), |(gpu, user)| {
        Err(format!(
            "in round {round}, instances of {node} change while {} runs on {gpu}, and Slurm partitions only drained nodes. Plan with \
             `--backend slurm`.",
            comment(user)
        ))
    })
}

/// The lines of gres.conf and those of slurm.conf for what GPUs have.
fn lines(course: &Course<'_>, layouts: &BTreeMap<&str, Layout>) -> Result<(String, String), String> {
    let mut gres =
        "# Under AutoDetect=nvml the devices are found; these are their types and counts.\nAutoDetect=nvml\n"
            .to_owned();
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
            for held in layouts[gpu].values().filter(|held| !held.is_bare) {
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
    Ok((gres, nodes))
}
