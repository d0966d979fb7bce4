//! What an apply of mig-parted would do to a node, step by step.
//!
//! mig-parted first compares MIG modes. If one GPU that an entry matches has another mode than the entry asks for, all matched GPUs with MIG
//! on are cleared, the modes are set, and all GPUs of the node are reset. Then it compares devices: unless all GPUs of the node are
//! matched and have what they shall have, it walks through the entries, skips a GPU that has exactly the devices listed, and else clears it
//! and lays it out. The counts are those of compute instances, so what has none is not seen.

use super::configuration::{Configuration, Entry};
use super::demand::Demand;
use super::selection::{Match, matches};
use super::state::{Gpu, Node};
use mig::{Board, ProfileIndex};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What becomes of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It keeps its GPU instances.
    Untouched,
    /// It has no GPU instances, and gets some.
    Filled,
    /// Its GPU instances are destroyed, and new ones are made.
    Cleared,
    /// It is reset with all GPUs of its node, and loses its GPU instances.
    Reset,
}

impl Action {
    /// Whether GPU instances are destroyed.
    pub fn destroys(self) -> bool {
        self >= Action::Cleared
    }
}

/// What an apply does to a GPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// What becomes of it.
    pub action: Action,
    /// Whether GPU instances without compute instance stay in the way of the first attempt.
    pub first_attempt_fails: bool,
}

/// Devices by profile and compute slices.
type Devices = BTreeMap<(ProfileIndex, u32), u32>;

/// What applying a configuration does to the GPUs of a node, one effect each, in their order.
pub fn dry_run(configuration: &Configuration, node: &Node) -> Vec<Effect> {
    let matched = matches(configuration, node);
    let entry_of = |found: &Match| &configuration.entries[found.entry];
    let changes_mode =
        matched.iter().any(|found| entry_of(found).mig_enabled != node.gpus[found.gpu].mig_enabled);
    let mut now: Vec<Now> = node.gpus.iter().map(Now::of).collect();
    if changes_mode {
        for gpu in &mut now {
            gpu.lose_everything(Action::Reset);
        }
    }
    let is_done =
        |now: &[Now], found: &Match| now[found.gpu].is_as(entry_of(found), &node.gpus[found.gpu].board);
    let last_of = |gpu: usize| matched.iter().rev().find(|found| found.gpu == gpu);
    let all_done = (0..now.len()).all(|gpu| last_of(gpu).is_some_and(|found| is_done(&now, found)));
    if !all_done {
        for found in matched.iter().filter(|found| entry_of(found).mig_enabled) {
            if !is_done(&now, found) {
                now[found.gpu].lay_out(entry_of(found), &node.gpus[found.gpu].board);
            }
        }
    }
    now.into_iter().map(|gpu| gpu.effect).collect()
}

/// A GPU while the entries are walked through.
struct Now {
    /// None when the list that laid it out means nothing on the board.
    devices: Option<Devices>,
    hidden: usize,
    effect: Effect,
}

impl Now {
    fn of(gpu: &Gpu) -> Self {
        let mut devices = Devices::new();
        for standing in gpu.instances.iter().filter(|standing| standing.has_compute_instance) {
            let profile = standing.instance.profile;
            *devices.entry((profile, gpu.board.profile(profile).compute)).or_default() += 1;
        }
        let hidden = gpu.instances.iter().filter(|standing| !standing.has_compute_instance).count();
        let effect = Effect { action: Action::Untouched, first_attempt_fails: false };
        Now { devices: Some(devices), hidden, effect }
    }

    fn is_empty(&self) -> bool {
        self.hidden == 0 && self.devices.as_ref().is_some_and(Devices::is_empty)
    }

    fn lose_everything(&mut self, action: Action) {
        self.effect.action = self.effect.action.max(action);
        self.devices = Some(Devices::new());
        self.hidden = 0;
    }

    /// Whether mig-parted finds nothing to do: a list with a count of 0 is longer than anything that there is.
    fn is_as(&self, entry: &Entry, board: &Board) -> bool {
        if !entry.mig_enabled {
            return true;
        }
        let lists_nothing = entry.mig_devices.iter().any(|devices| devices.count == 0);
        let wanted = Demand::of(board, &entry.mig_devices).ok().map(|demand| demand.devices);
        !lists_nothing && wanted.is_some() && wanted == self.devices
    }

    fn lay_out(&mut self, entry: &Entry, board: &Board) {
        let shows_nothing = self.devices.as_ref().is_some_and(Devices::is_empty);
        self.effect.first_attempt_fails |= shows_nothing && self.hidden > 0;
        let action = if self.is_empty() { Action::Filled } else { Action::Cleared };
        self.lose_everything(action);
        self.devices = Demand::of(board, &entry.mig_devices).ok().map(|demand| demand.devices);
    }
}
