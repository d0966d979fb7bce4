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
use std::sync::Arc;

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

/// What applying a configuration does to nodes.
pub struct DryRun<'a> {
    configuration: &'a Configuration,
    /// What entries ask of boards, by the entry's position: what was resolved so far. None where a board lacks a profile.
    wanted: Vec<(usize, Arc<Board>, Option<Devices>)>,
}

impl<'a> DryRun<'a> {
    /// An apply of a configuration.
    pub fn of(configuration: &'a Configuration) -> Self {
        DryRun { configuration, wanted: Vec::new() }
    }

    /// What it does to the GPUs of a node, one effect each, in their order.
    pub fn on(&mut self, node: &Node) -> Vec<Effect> {
        let matched = matches(self.configuration, node);
        let entries = &self.configuration.entries;
        let changes_mode =
            matched.iter().any(|found| entries[found.entry].mig_enabled != node.gpus[found.gpu].mig_enabled);
        let mut now: Vec<Now> = node.gpus.iter().map(Now::of).collect();
        if changes_mode {
            now.iter_mut().for_each(|gpu| gpu.lose_everything(Action::Reset));
        }
        if !self.is_done(&matched, node, &now) {
            for found in matched.iter().filter(|found| entries[found.entry].mig_enabled) {
                let wanted = self.wanted(found, node);
                let gpu = &mut now[found.gpu];
                if !gpu.is_as(&entries[found.entry], wanted) {
                    gpu.lay_out(wanted.cloned());
                }
            }
        }
        now.into_iter().map(|gpu| gpu.effect).collect()
    }

    /// Whether every GPU is matched and as the last entry that matches it says.
    fn is_done(&mut self, matched: &[Match], node: &Node, now: &[Now]) -> bool {
        let mut last: Vec<Option<&Match>> = vec![None; now.len()];
        matched.iter().for_each(|found| last[found.gpu] = Some(found));
        last.into_iter().all(|found| {
            let Some(found) = found else { return false };
            now[found.gpu].is_as(&self.configuration.entries[found.entry], self.wanted(found, node))
        })
    }

    /// The devices that an entry asks for; none where the board lacks a profile.
    fn wanted(&mut self, found: &Match, node: &Node) -> Option<&Devices> {
        let board = &node.gpus[found.gpu].board;
        let is_same =
            |(entry, of, _): &(usize, Arc<Board>, _)| *entry == found.entry && Arc::ptr_eq(of, board);
        let known = self.wanted.iter().position(is_same);
        let position = known.unwrap_or_else(|| {
            let demand = Demand::of(board, &self.configuration.entries[found.entry].mig_devices).ok();
            self.wanted.push((found.entry, board.clone(), demand.map(|demand| demand.devices)));
            self.wanted.len() - 1
        });
        self.wanted[position].2.as_ref()
    }
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
    fn is_as(&self, entry: &Entry, wanted: Option<&Devices>) -> bool {
        let lists_nothing = entry.mig_devices.iter().any(|devices| devices.count == 0);
        !entry.mig_enabled || (!lists_nothing && wanted.is_some() && wanted == self.devices.as_ref())
    }

    fn lay_out(&mut self, wanted: Option<Devices>) {
        let shows_nothing = self.devices.as_ref().is_some_and(Devices::is_empty);
        self.effect.first_attempt_fails |= shows_nothing && self.hidden > 0;
        let action = if self.is_empty() { Action::Filled } else { Action::Cleared };
        self.lose_everything(action);
        self.devices = wanted;
    }
}
