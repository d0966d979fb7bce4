//! What is minimised.

use crate::instance::Problem;
use crate::section::Optimum;
use ground::Amount;

/// A goal of the model; both are minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// How far into the order of the servers those in use reach: m.
    Reach,
    /// Row (4): the costs of the servers in use, which is their number where each costs 1.
    Servers,
}

impl Goal {
    /// All goals.
    pub const ALL: [Goal; 2] = [Goal::Reach, Goal::Servers];

    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Reach => "reach",
            Goal::Servers => "servers",
        }
    }
}

impl Problem {
    /// The amount of which all values of a goal are whole multiples; programs count in it.
    pub fn unit(&self, goal: Goal) -> Amount {
        match goal {
            Goal::Reach => Amount::ONE,
            Goal::Servers => Amount::greatest_common_unit(self.kinds.iter().map(|kind| kind.cost)),
        }
    }
}

impl Optimum {
    /// The goals in the order of their importance.
    pub fn goals(self) -> &'static [Goal] {
        match self {
            Optimum::AnyServers => &[Goal::Servers],
            Optimum::FirstMOfTheOrder => &[Goal::Reach, Goal::Servers],
        }
    }
}
