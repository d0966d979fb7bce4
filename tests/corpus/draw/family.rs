//! Families of instances, and what their drawings have in common.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
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

/// So many things `stem0`, `stem1`, ….
pub fn several(stem: &str, number: usize, mut draw: impl FnMut(usize) -> Value) -> Vec<Value> {
    let named = (0..number).map(|position| {
        let mut thing = draw(position);
        thing["name"] = json!(format!("{stem}{position}"));
        thing
    });
    named.collect()
}

/// One of some numbers.
pub fn one_of<T: Copy>(random: &mut ChaCha8Rng, choices: &[T]) -> T {
    *choices.choose(random).expect("there are choices")
}
