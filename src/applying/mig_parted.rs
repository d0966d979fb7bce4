//! Configurations of mig-parted, which counts instances and leaves their starts to the driver.
//!
//! It clears each GPU whose counts differ before it lays it out anew. So a configuration is written only for rounds in which the GPUs that
//! get instances carry no workload, and only for counts of which the room `check` says that they come about. Starts may then be others than the
//! plan's, which makes no difference: all instances of such a GPU were made together, and a later round clears it again as a whole.

use crate::applied_file::AppliedFile;
use crate::course::{Course, Held};
use crate::handover;
use crate::shell::{comment, file_part};
use check::{Verdict, judge};
use itertools::Itertools;
use mig::{Counts, GpuInstance};
use std::collections::BTreeMap;

/// What a node is to have from a round on.
pub struct Configuration<'a> {
    /// The round, from 1.
    pub round: usize,
    /// The node.
    pub node: &'a str,
    /// Its name.
    pub name: String,
    /// Counts of its GPUs by index.
    gpus: Vec<(u32, String)>,
}

/// A file for each node and round.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut files = Vec::new();
    let mut steps = format!("The plan of {} by mig-parted, in this order:\n", comment(course.name));
    let configurations = configurations(course)?;
    for (number, stage) in (1..).zip(&course.stages) {
        steps += &format!("\nRound {number}\n");
        for configuration in configurations.iter().filter(|known| known.round == number) {
            let file = format!("round-{number}.{}.yaml", file_part(configuration.node)?);
            let Configuration { node, name, .. } = configuration;
            steps += &format!("  on {node}: nvidia-mig-parted apply -f {file} -c {name}\n");
            let mut text = configuration.remarks(course);
            text += "version: v1\nmig-configs:\n";
            text += &configuration.yaml("  ");
            files.push(AppliedFile::text(file, text));
        }
        for step in stage.moves {
            steps += &format!("  {}\n", handover::words(course, step));
        }
    }
    files.push(AppliedFile::text("steps.txt", steps));
    Ok(files)
}

/// The configurations of all rounds.
///
/// # Errors
/// When a workload runs on a GPU that would be cleared, or when the driver may fail to lay one out.
pub fn configurations<'a>(course: &Course<'a>) -> Result<Vec<Configuration<'a>>, String> {
    let mut now: BTreeMap<&str, Counts> = BTreeMap::new();
    for (&name, layout) in &course.before {
        now.insert(name, counts(course, name, layout.values()));
    }
    let mut found = Vec::new();
    for (round, stage) in (1..).zip(&course.stages) {
        let mut nodes: Vec<&str> = Vec::new();
        for (&name, change) in stage.changes.iter().filter(|(_, change)| !change.made.is_empty()) {
            let goes = |held: &&Held| !change.in_the_way.contains(held);
            let after = change.before.values().filter(goes).chain(&change.made);
            let after = counts(course, name, after);
            if now.insert(name, after.clone()) == Some(after.clone()) {
                return Err(format!(
                    "in round {round}, {name} gets the instances that it has, {}, at other starts. mig-parted compares counts and leaves it as it \
                     is. Use --format checkpoint or --format nvidia-smi, which tell the starts.",
                    course.board_of(name).counts_name(&after)
                ));
            }
            if let Some(user) = stage.users.get(name) {
                return Err(format!(
                    "in round {round}, mig-parted would clear {name} as a whole, on which {} runs. Plan with `--backend mig-parted`, or \
                     use --format nvidia-smi, which changes single instances.",
                    comment(user)
                ));
            }
            laid_out(course, name, &after)?;
            nodes.push(&course.gpu(name).node);
        }
        nodes.sort_unstable();
        for node in nodes.into_iter().dedup() {
            let of_node = &course.nodes()[node];
            let gpus =
                of_node.iter().map(|&name| (course.gpu(name).index, devices(course, name, &now[name])));
            let name = format!("migopt-round-{round}-{node}");
            found.push(Configuration { round, node, name, gpus: gpus.collect() });
        }
    }
    Ok(found)
}

fn counts<'h>(course: &Course<'_>, name: &str, held: impl Iterator<Item = &'h Held>) -> Counts {
    // mig-parted counts compute instances.
    let instances: Vec<GpuInstance> = held.filter(|held| !held.is_bare).map(|held| held.instance).collect();
    Counts::from_instances(course.board_of(name).profiles().len(), &instances)
}

/// Refuses counts that the driver may fail to lay out. Of counts that come about in some order, mig-parted finds it: it tries all.
fn laid_out(course: &Course<'_>, name: &str, counts: &Counts) -> Result<(), String> {
    let board = course.board_of(name);
    let why = match judge(board, counts) {
        Verdict::Safe { .. } | Verdict::SafeInOrder { .. } => return Ok(()),
        Verdict::DependsOnDriver { .. } => "depends on which starts the driver chooses",
        Verdict::Impossible(_) => "has no room there",
    };
    Err(format!(
        "{name} is to have {}, which mig-parted's configurations cannot promise: that {why}. Use --format checkpoint or --format nvidia-smi, \
         which tell the starts.",
        board.counts_name(counts)
    ))
}

/// Counts as mig-parted reads them.
fn devices(course: &Course<'_>, name: &str, counts: &Counts) -> String {
    let board = course.board_of(name);
    let listed = counts.iter().filter(|(_, count)| *count > 0);
    listed.map(|(profile, count)| format!("\"{}\": {count}", board.profile(profile).name)).join(", ")
}

impl Configuration<'_> {
    /// What is not in it.
    pub fn remarks(&self, course: &Course<'_>) -> String {
        let of_node = |name: &&String| name.rsplit_once('/').is_some_and(|(node, _)| node == self.node);
        let left_out = course.lock.left_out.iter().filter(|(name, _)| of_node(name));
        left_out
            .map(|(name, reason)| {
                format!(
                    "# {} is not listed, as it was left out at import: {}\n",
                    comment(name),
                    comment(reason)
                )
            })
            .collect()
    }

    /// Its entry under `mig-configs`.
    pub fn yaml(&self, indent: &str) -> String {
        let mut text = format!("{indent}{}:\n", self.name);
        let mut like: Vec<(&str, Vec<u32>)> = Vec::new();
        for (index, devices) in &self.gpus {
            match like.iter_mut().find(|(known, _)| known == devices) {
                Some((_, indices)) => indices.push(*index),
                None => like.push((devices, vec![*index])),
            }
        }
        for (devices, indices) in like {
            let indices = indices.iter().join(", ");
            text += &format!("{indent}  - devices: [{indices}]\n{indent}    mig-enabled: true\n");
            text += &format!("{indent}    mig-devices: {{{devices}}}\n");
        }
        text
    }
}
