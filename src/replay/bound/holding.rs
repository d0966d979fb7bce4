//! What all machines hold together at a time, beyond what they have together.
//!
//! A machine of 256 GiB holds four virtual machines of 56 GiB, not the four and a half that its memory would be enough for. Give every kind
//! of virtual machine a worth: what runs at a time is worth no more than the most valuable content of each machine, however it is spread.
//! Such a rule holds at every time, with migrations and without.

use super::classes::Class;
use prices::ONE;
use std::collections::BTreeSet;

/// A rule: kinds are worth so much, and what runs at a time no more than all machines can hold; both in units of 1/[`ONE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldingRule {
    /// By kind; not negative.
    pub worth: Vec<i64>,
    /// The most valuable contents of all machines together.
    pub most: i64,
}

/// Rules, and the times at which a relaxation has rows for them.
pub struct Holding {
    /// By position in the trace, the kind of a virtual machine; none for those that are left out.
    pub kinds: Vec<Option<usize>>,
    /// The rules.
    pub rules: Vec<HoldingRule>,
    /// The time and the number of the rule of each row.
    pub rows: BTreeSet<(usize, usize)>,
}

impl Holding {
    /// No rules for virtual machines of these kinds.
    pub fn nothing(kinds: Vec<Option<usize>>) -> Self {
        Holding { kinds, rules: Vec::new(), rows: BTreeSet::new() }
    }

    /// What one of each class is worth under a rule. No bit is lost, as [`ONE`] is a power of two.
    pub fn worth(&self, rule: usize, classes: &[Class]) -> Vec<f64> {
        let of_kind = |kind: usize| self.rules[rule].worth[kind] as f64 / ONE as f64;
        classes.iter().map(|class| self.kinds[class.positions[0]].map_or(0.0, of_kind)).collect()
    }

    /// What all machines can hold under a rule.
    pub fn most(&self, rule: usize) -> f64 {
        self.rules[rule].most as f64 / ONE as f64
    }
}

/// The left-hand side of the row of a rule at a peak: the number of each class that is there and what one of it is worth, of which `worth` has those
/// of all.
pub fn terms<'t>(
    classes: &'t [Class],
    worth: &'t [f64],
    peak: usize,
) -> impl Iterator<Item = (usize, f64)> + 't {
    let worth = worth.iter().copied().enumerate();
    worth.filter(move |&(class, worth)| worth > 0.0 && classes[class].is_there(peak))
}
