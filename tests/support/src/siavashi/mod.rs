//! What the placements of small siavashi instances can be worth, by trying all of them.
//!
//! Amounts are counted here in whole millionths and shared with nothing in the model: only the reader of instances and the
//! boards are the product's.

pub mod ruled;
pub mod trial;

use crate::instances;
use siavashi::Problem;
use trial::Goals;

/// The goals in the order of the model's page.
pub const GOALS: [&str; 3] = ["acceptance", "hardware", "migrations"];

/// How the goals are combined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objective {
    /// One after the other, by their positions in [`GOALS`].
    Order(Vec<usize>),
    /// A sum with these weights in millionths, or with those that give the order of [`GOALS`].
    Weighted(Option<[i128; 3]>),
}

impl Objective {
    /// What a text of instance files means that names every goal of a sequence and every weight of a sum.
    pub fn read(text: &str) -> Self {
        let position = |name: &str| GOALS.iter().position(|goal| *goal == name).expect("the name of a goal");
        match text.split_once(':') {
            Some(("lexicographic", names)) => Objective::Order(names.split(',').map(position).collect()),
            Some(("weighted", terms)) => {
                let mut weights = [0; 3];
                for (goal, weight) in terms.split(',').map(|term| term.split_once('=').expect("a term")) {
                    weights[position(goal)] = millionths(weight);
                }
                Objective::Weighted(Some(weights))
            }
            _ => {
                assert_eq!(text, "weighted");
                Objective::Weighted(None)
            }
        }
    }

    /// The worth of some goals: the first differing entry decides, and more is better.
    pub fn worth(&self, goals: &Goals) -> Vec<i128> {
        let signed = [goals[0], -goals[1], -goals[2]];
        match self {
            Objective::Order(order) => order.iter().map(|&goal| signed[goal]).collect(),
            Objective::Weighted(None) => signed.to_vec(),
            Objective::Weighted(Some(weights)) => {
                vec![weights.iter().zip(signed).map(|(weight, goal)| weight * goal).sum()]
            }
        }
    }
}

/// A decimal number in millionths.
pub fn millionths(decimal: &str) -> i128 {
    let (whole, part) = decimal.split_once('.').unwrap_or((decimal, ""));
    format!("{whole}{part:0<6}").parse().expect("a decimal number without a sign")
}

/// The problem that a text poses.
pub fn problem(text: impl Into<String>) -> Problem {
    instances::problem::<siavashi::Siavashi>(text)
}
