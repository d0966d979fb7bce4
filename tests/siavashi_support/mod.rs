//! Random small siavashi instances, and what their placements can be worth, by trying all of them.
//!
//! Amounts are counted here in whole millionths and shared with nothing in the model: only the reader of instances and the
//! boards are the product's.
#![allow(dead_code)]

pub mod cases;
pub mod trial;
pub mod writing;

use migopt::cluster::SourceText;
use migopt::model::Instance;
use migopt::model::siavashi::Problem;
use trial::Goals;

/// The goals in the order of the model's page.
pub const GOALS: [&str; 3] = ["acceptance", "hardware", "migrations"];

/// How the goals are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// One after the other, by their positions in [`GOALS`].
    Order(&'static [usize]),
    /// A sum with these weights, or with those that give the order of [`GOALS`].
    Weighted(Option<[&'static str; 3]>),
}

impl Objective {
    /// As it stands in files.
    pub fn text(self) -> String {
        match self {
            Objective::Order(goals) => {
                let names: Vec<&str> = goals.iter().map(|&goal| GOALS[goal]).collect();
                format!("lexicographic:{}", names.join(","))
            }
            Objective::Weighted(None) => "weighted".to_owned(),
            Objective::Weighted(Some(weights)) => {
                let terms: Vec<String> =
                    GOALS.iter().zip(weights).map(|(goal, weight)| format!("{goal}={weight}")).collect();
                format!("weighted:{}", terms.join(","))
            }
        }
    }

    /// The worth of some goals: the first differing entry decides, and more is better.
    pub fn worth(self, goals: &Goals) -> Vec<i128> {
        let signed = [goals[0], -goals[1], -goals[2]];
        match self {
            Objective::Order(order) => order.iter().map(|&goal| signed[goal]).collect(),
            Objective::Weighted(None) => signed.to_vec(),
            Objective::Weighted(Some(weights)) => {
                let products = weights.iter().zip(signed).map(|(weight, goal)| millionths(weight) * goal);
                vec![products.sum()]
            }
        }
    }
}

/// A decimal number in millionths.
pub fn millionths(decimal: &str) -> i128 {
    let (whole, part) = decimal.split_once('.').unwrap_or((decimal, ""));
    format!("{whole}{part:0<6}").parse().expect("a decimal number without a sign")
}

/// The instance that a text describes.
pub fn parse(yaml: &str) -> Instance {
    Instance::parse(SourceText::new("test.yaml", yaml)).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
}

/// The problem that a text poses.
pub fn problem(yaml: &str) -> Problem {
    parse(yaml).siavashi_problem().unwrap_or_else(|error| panic!("{error}\n{yaml}"))
}
