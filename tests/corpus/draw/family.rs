//! Families of instances.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// Instances that differ by chance alone.
#[derive(Clone, Copy)]
pub struct Family {
    /// The section of the file that holds the problem.
    pub section: &'static str,
    /// The part of their names before the number.
    pub name: &'static str,
    /// What they are about; empty where the name says it.
    pub description: &'static str,
}

impl Family {
    /// So many instances, each drawn with random numbers of its own.
    pub fn draw(self, number: u64, draw: impl Fn(&mut ChaCha8Rng) -> Value) -> Vec<Value> {
        self.of((1..=number).map(|seed| draw(&mut ChaCha8Rng::seed_from_u64(seed))))
    }

    /// The instances of some problems, numbered from 1.
    pub fn of(self, problems: impl Iterator<Item = Value>) -> Vec<Value> {
        (1..).zip(problems).map(|(number, problem)| self.instance(number, problem)).collect()
    }

    /// An instance.
    fn instance(self, number: usize, problem: Value) -> Value {
        let mut instance = json!({
            "name": format!("{}-{number:03}", self.name), "family": self.name, (self.section): problem
        });
        if !self.description.is_empty() {
            instance["description"] = json!(self.description);
        }
        instance
    }
}
