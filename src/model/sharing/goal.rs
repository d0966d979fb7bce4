//! What is minimised.

use super::instance::Problem;
use super::section::Optimum;
use crate::cluster::Amount;

/// A goal of the model; both are minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// How far into the order of the servers those in use reach: m.
    Reach,
    /// Row (4): the costs of the servers in use, which is their number where each costs 1.
    Servers,
}

impl Goal {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Reach => "reach",
            Goal::Servers => "servers",
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

/// The amount of which all values of a goal are whole multiples; programs count in it.
pub fn unit(problem: &Problem, goal: Goal) -> Amount {
    match goal {
        Goal::Reach => Amount::ONE,
        Goal::Servers => Amount::greatest_common_unit(problem.kinds.iter().map(|kind| kind.cost)),
    }
}
