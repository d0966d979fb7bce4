//! Scripts of `nvidia-smi mig`: for each node and round one that goes forward and one that goes back.
//!
//! A round has two halves. `begin` removes idle instances that are in the way and makes the new ones; then workloads move; `finish` removes
//! what they left. All places of a round are disjoint, so nodes and GPUs need not wait for each other within a half. A script looks at all
//! its GPUs before it changes one, skips what is done already, and stops at any layout that is none between the beginning and the end of
//! its round.

use crate::applied_file::AppliedFile;
use crate::course::{Change, Course, Held, Stage};
use crate::handover;
use crate::shell::{comment, file_part, quoted};
use itertools::Itertools;
use std::collections::BTreeMap;

const FUNCTIONS: &str = include_str!("functions.sh");

/// The scripts, and the order in which they are to be run.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut files = scripts(course)?;
    let mut steps = format!(
        "The plan of {} by nvidia-smi. Copy each script to its node and run it there as root, in this order. A script may be run again; what \
         is done is skipped. To go back, take the rounds that were begun in reverse: `begin` of their .rollback.sh, the workloads back, then \
         `finish`.\n",
        comment(course.name)
    );
    for (number, stage) in (1..).zip(&course.stages) {
        let by_node = by_node(course, stage);
        let half = |half: &'static str| {
            by_node.keys().map(move |node| format!("on {node}: ./round-{number}.{node}.sh {half}"))
        };
        steps += &format!("\nRound {number}\n");
        let words = stage.moves.iter().map(|step| handover::words(course, step));
        for line in half("begin").chain(words).chain(half("finish")) {
            steps += &format!("  {line}\n");
        }
    }
    steps += "\nInstances do not survive a reboot: save what there is then (`nvidia-mig-parted checkpoint`, or a label).\n";
    files.push(AppliedFile::text("steps.txt", steps));
    Ok(files)
}

/// The scripts of all nodes and rounds, forward and back.
pub fn scripts(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let mut files = Vec::new();
    for (number, stage) in (1..).zip(&course.stages) {
        for (node, changes) in by_node(course, stage) {
            let stem = format!("round-{number}.{}", file_part(node)?);
            let forward = Part { number, node, stage, is_back: false };
            let back = Part { is_back: true, ..forward };
            files.push(AppliedFile::script(format!("{stem}.sh"), forward.script(course, &changes)?));
            files.push(AppliedFile::script(format!("{stem}.rollback.sh"), back.script(course, &changes)?));
        }
    }
    Ok(files)
}

/// What a round does to the GPUs of each node, in the order of their indices.
fn by_node<'s>(
    course: &'s Course<'_>,
    stage: &'s Stage<'_>,
) -> BTreeMap<&'s str, Vec<(&'s str, &'s Change)>> {
    let mut by_node: BTreeMap<&str, Vec<(&str, &Change)>> = BTreeMap::new();
    for (&name, change) in &stage.changes {
        by_node.entry(&course.gpu(name).node).or_default().push((name, change));
    }
    for changes in by_node.values_mut() {
        changes.sort_by_key(|(name, _)| course.gpu(name).index);
    }
    by_node
}

/// What a script is for.
#[derive(Clone, Copy)]
struct Part<'a> {
    number: usize,
    node: &'a str,
    stage: &'a Stage<'a>,
    is_back: bool,
}

impl Part<'_> {
    fn script(self, course: &Course<'_>, changes: &[(&str, &Change)]) -> Result<String, String> {
        let Part { number, node, stage, is_back } = self;
        let of_node = |gpu: &str| course.lock.gpus.get(gpu).is_some_and(|gpu| gpu.node == node);
        let here = stage
            .moves
            .iter()
            .filter(|step| [&step.from, &step.to].into_iter().flatten().any(|spot| of_node(&spot.gpu)));
        let what = if is_back { "Takes back" } else { "Carries out" };
        let mut text = format!("#!/bin/sh\n# {what} round {number} on {}.\n", comment(node));
        text += match is_back {
            false => {
                "# `begin` makes the new instances, `finish` removes those that were left. Between both:\n"
            }
            true => {
                "# `begin` makes the old instances again, `finish` removes the new ones. Between both, take back:\n"
            }
        };
        for step in here {
            text += &format!("#   {}\n", handover::words(course, step));
        }
        text += FUNCTIONS;
        text += "\n# Places are PROFILE:START, the driver's id of the profile and the first memory slot.\neach_gpu() {\n";
        for (name, change) in changes {
            text += &self.block(course, name, change)?;
        }
        text += "}\n\neach_gpu look \"$1\"\neach_gpu \"$1\"\n";
        Ok(text)
    }

    /// The variables of a GPU.
    fn block(self, course: &Course<'_>, name: &str, change: &Change) -> Result<String, String> {
        let board = course.board_of(name);
        let place = |held: &Held| {
            let profile = board.profile(held.instance.profile);
            let id = profile.driver_id.ok_or_else(|| {
                format!(
                    "the driver's id of profile {} of a {} is not known, which a script needs to tell instances apart.",
                    profile.name,
                    board.name()
                )
            })?;
            Ok(format!("{id}:{}", held.instance.start.0))
        };
        let places = |held: &mut dyn Iterator<Item = &Held>| -> Result<String, String> {
            Ok(held.map(place).collect::<Result<Vec<_>, String>>()?.join(" "))
        };
        // An instance without compute instance, at the place of one that is made, is given one and stays.
        let is_completed =
            |held: &Held| held.is_bare && change.made.iter().any(|new| new.instance == held.instance);
        let old = || change.in_the_way.iter().filter(|held| !is_completed(held));
        let new = || {
            let was_there = |new: &Held| {
                change.in_the_way.iter().any(|held| is_completed(held) && held.instance == new.instance)
            };
            change.made.iter().filter(move |&new| !was_there(new))
        };
        let goes = |held: &Held| change.left.contains(held) || old().any(|other| other == held);
        let stays = places(&mut change.before.values().filter(|held| !goes(held)))?;
        let left = places(&mut change.left.iter())?;
        let (in_the_way, made, left, restored, restored_bare) = match self.is_back {
            false => {
                let made = places(&mut change.made.iter())?;
                (places(&mut old())?, made, left, String::new(), String::new())
            }
            true => {
                let restored = places(&mut old().filter(|held| !held.is_bare))?;
                let bare = places(&mut old().filter(|held| held.is_bare))?;
                (String::new(), left, places(&mut new())?, restored, bare)
            }
        };
        let in_words = change.before.values().map(|held| {
            format!(
                "{}{}",
                board.instance_name(held.instance),
                if held.is_bare { " (no compute instance)" } else { "" }
            )
        });
        let in_words = in_words.collect_vec().join(", ");
        let in_words = if in_words.is_empty() { "nothing".to_owned() } else { in_words };
        let lists = [
            ("stays", stays),
            ("in_the_way", in_the_way),
            ("made", made),
            ("left", left),
            ("restored", restored),
            ("restored_bare", restored_bare),
        ];
        let mut block = format!(
            "    # Before the round: {}.\n    gpu={} uuid={}\n",
            comment(&in_words),
            quoted(name),
            quoted(course.uuid_of(name)?)
        );
        for (variable, list) in lists {
            block += &format!("    {variable}={}\n", quoted(&list));
        }
        Ok(block + "    \"$@\"\n")
    }
}
