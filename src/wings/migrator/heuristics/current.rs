//! What the inference tasks have when a slot begins, for rules that decide slot by slot.

use super::joint::{Joint, JointList};
use super::worth::{TaskWorth, Worth};

/// What the inference tasks have when a slot begins.
pub struct Current {
    tasks: Vec<CurrentTask>,
}

struct CurrentTask {
    /// `None` in slot 0 if the first allocation is free of cost.
    signature: Option<u16>,
    /// `None` in slot 0.
    offer: Option<usize>,
    /// Slots from the last reconfiguration to the next slot.
    age: u32,
}

impl Current {
    /// Before the window.
    pub fn before(worth: &Worth) -> Self {
        let task = |task: &TaskWorth| CurrentTask { signature: task.first, offer: None, age: task.outage };
        Current { tasks: worth.tasks.iter().map(task).collect() }
    }

    /// Slots from the last reconfiguration of a model to the next slot, if it has this offer there.
    pub fn age_with(&self, worth: &Worth, model: usize, offer: usize) -> u32 {
        let current = &self.tasks[model];
        let is_entered =
            current.signature.is_some_and(|known| known != worth.tasks[model].offers[offer].signature);
        if is_entered { 0 } else { current.age }
    }

    /// Reconfigurations and changes of allocations that a joint allocation would bring.
    pub fn changes(&self, worth: &Worth, joint: &Joint) -> (u32, u32) {
        let mut changes = (0, 0);
        for ((task, current), &offer) in worth.tasks.iter().zip(&self.tasks).zip(joint) {
            changes.0 +=
                u32::from(current.signature.is_some_and(|known| known != task.offers[offer].signature));
            changes.1 += u32::from(current.offer.is_some_and(|known| known != offer));
        }
        changes
    }

    /// The joint allocation with the most value; of equals the one with the fewest reconfigurations, then with the fewest
    /// changes, then the first.
    pub fn best(&self, worth: &Worth, list: &JointList, values: &[Vec<i64>]) -> Joint {
        let value =
            |joint: &Joint| -> i64 { values.iter().zip(joint).map(|(values, &offer)| values[offer]).sum() };
        let most = list.all.iter().map(value).max();
        let best = list.all.iter().filter(|joint| Some(value(joint)) == most);
        best.min_by_key(|joint| self.changes(worth, joint))
            .expect("a schedule leaves a joint allocation")
            .clone()
    }

    /// What they have in the next slot.
    pub fn change_to(&mut self, worth: &Worth, joint: Joint) {
        for ((task, current), offer) in worth.tasks.iter().zip(&mut self.tasks).zip(joint) {
            let signature = task.offers[offer].signature;
            let is_reconfigured = current.signature.is_some_and(|known| known != signature);
            current.age = if is_reconfigured { 1 } else { current.age.saturating_add(1) };
            current.signature = Some(signature);
            current.offer = Some(offer);
        }
    }
}
