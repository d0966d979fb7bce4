//! What was found, in words.

use crate::gather::{State, Unknown, User};
use crate::joined::Inventory;
use ground::counted;
use itertools::Itertools;
use std::fmt::Write;

/// So many lines of a kind are shown.
const MOST_SHOWN: usize = 40;

impl Inventory {
    /// A line for each GPU, then what waits, what is left out, and what is unknown with the command that would tell.
    pub fn summary(&self) -> String {
        let mut text = format!(
            "{}: {} on {}, {} running, {} waiting\n",
            self.name,
            counted(self.gpus.len(), "GPU"),
            counted(self.gpus.iter().map(|gpu| &gpu.node).unique().count(), "node"),
            counted(self.workloads.iter().filter(|workload| workload.current.is_some()).count(), "workload"),
            self.workloads.iter().filter(|workload| workload.current.is_none()).count()
        );
        let gpus = self.gpus.iter().map(|gpu| {
            let board = gpu.board.as_ref();
            let instances = gpu.instances.iter().filter_map(|instance| {
                let who = match instance.state() {
                    State::InUse => instance.users.iter().map(User::to_string).join("+"),
                    other => format!("({})", other.words()),
                };
                Some(format!("{} {who}", board?.instance_name(instance.instance)))
            });
            let instances = instances.collect_vec();
            let instances =
                if instances.is_empty() { "no instances".to_owned() } else { instances.join(", ") };
            format!("{}  {}  {instances}", gpu.name(), board.map_or("?", |board| board.name()))
        });
        listed(&mut text, None, gpus.collect());
        let (running, waiting): (Vec<_>, Vec<_>) =
            self.workloads.iter().partition(|workload| workload.current.is_some());
        let line =
            |workload: &&crate::Workload| format!("{}  {}", workload.name, workload.profiles.join(" or "));
        listed(&mut text, Some("Waiting:"), waiting.iter().map(line).collect());
        let stays = running.iter().filter(|workload| workload.movability == crate::Movability::Never);
        listed(
            &mut text,
            Some("Stays where it is:"),
            stays.map(|workload| format!("{}  {}", workload.name, workload.reason)).collect(),
        );
        let classes = self.workloads.iter().filter_map(|workload| {
            Some(((workload.class.as_deref()?, workload.profiles[0].as_str()), workload.name.as_str()))
        });
        let classes = classes.into_group_map().into_iter().filter(|(_, names)| names.len() > 1).sorted();
        let classes = classes
            .map(|((class, profile), names)| format!("{class} ({profile}): {}", names.join(", ")))
            .collect();
        listed(&mut text, Some("Interchangeable:"), classes);
        let left_out = self.left_out.iter().map(|(gpu, reason)| format!("{gpu}  {reason}")).collect();
        listed(&mut text, Some("Left out:"), left_out);
        let unknown = self.unknown.iter();
        let unknown =
            unknown.map(|Unknown { of, what, command }| format!("{of}  {what}; what would tell: {command}"));
        listed(&mut text, Some("Unknown:"), unknown.collect());
        listed(&mut text, Some("Remarks:"), self.remarks.clone());
        text
    }
}

fn listed(text: &mut String, head: Option<&str>, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    if let Some(head) = head {
        let _ = writeln!(text, "{head}");
    }
    for line in lines.iter().take(MOST_SHOWN) {
        let _ = writeln!(text, "  {line}");
    }
    if lines.len() > MOST_SHOWN {
        let _ = writeln!(text, "  ... and {} more", lines.len() - MOST_SHOWN);
    }
}
